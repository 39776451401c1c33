// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_checkpoint_h
#define saltus_io_checkpoint_h

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace Saltus
{
  /// Named values and arrays that go to a file and come back bit by bit.
  ///
  /// File: 8 bytes `SALTUSCP`, version, a number that shows the byte order (both 32 bits), then for
  /// each record its type (one letter), length of the name (32 bits), name, number of bytes (64
  /// bits), bytes and the CRC-32 of all these; a record of type `.` ends the file. A parallel run
  /// writes one file a rank.
  class Checkpoint
  {
  public:
    void
    set(const std::string &name, const std::string &value);

    void
    set(const std::string &name, const double value);

    void
    set(const std::string &name, const std::int64_t value);

    /// Store a copy of an array of double or float.
    template <typename Number>
    void
    set_array(const std::string &name, const Number *values, const std::size_t size);

    /// @name Reading
    /// @throws dealii::ExcMessage if there is no such name or it is of another type
    /// @{
    std::string
    get_string(const std::string &name) const;

    double
    get_double(const std::string &name) const;

    std::int64_t
    get_integer(const std::string &name) const;

    template <typename Number>
    std::vector<Number>
    get_array(const std::string &name) const;

    /// @throws dealii::ExcMessage if the array has another length than @p size, too
    template <typename Number>
    std::vector<Number>
    get_array(const std::string &name, const std::size_t size) const;
    /// @}

    /// Write the file; an older one under this path stays whole until the new one is complete.
    /// @throws dealii::ExcMessage if it cannot be written
    void
    write(const std::string &path) const;

    /// @throws dealii::ExcMessage if the file cannot be read, is no checkpoint, comes from another
    /// version or byte order, is truncated or damaged, or goes on after its end
    static Checkpoint
    read(const std::string &path);

  private:
    struct Record
    {
      char              type; ///< string s, integer i, double d; arrays: double D, float F
      std::vector<char> bytes;
    };

    const Record &
    find(const std::string &name, const char type) const;

    std::map<std::string, Record> records;
    std::string                   source = "checkpoint"; ///< file name, for messages
  };
} // namespace Saltus

#endif
