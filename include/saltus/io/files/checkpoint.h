// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_checkpoint_h
#define saltus_io_files_checkpoint_h

#include <deal.II/base/mpi.h>

#include <saltus/io/files/element_blocks.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace Saltus
{
  class SharedFile;

  /// Where the checkpoint is found that stood under @p path before the present one.
  inline std::string
  older_checkpoint(const std::string &path)
  {
    return path + ".old";
  }


  /// Named values and arrays that go to a file and come back bit by bit.
  ///
  /// File: 8 bytes `SALTUSCP`, version, a number that shows the byte order (both 32 bits), then for
  /// each record its type (one letter), length of the name (32 bits), name, number of bytes (64
  /// bits), bytes and the CRC-32 of all these; a record of type `.` ends the file. The bytes of an
  /// array by element are the number of elements (64 bits) and their values in the order of
  /// cell_numbers(). The file does not depend on the number of ranks, each of which writes and
  /// reads its part of the arrays by element; all other entries are written as the first rank has
  /// them, and read by all.
  class Checkpoint
  {
  public:
    /// Nothing yet.
    explicit Checkpoint(const MPI_Comm communicator = MPI_COMM_SELF)
      : communicator(communicator)
    {}

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

    /// Store values of the elements. Collective.
    /// @param values `[element of this rank][i]`
    /// @param n_values that an element has
    void
    set_by_element(const std::string         &name,
                   const ElementBlocks       &elements,
                   const std::vector<double> &values,
                   const std::size_t          n_values);

    /// Whether there is an entry of this name.
    bool
    has(const std::string &name) const
    {
      return records.count(name) > 0;
    }

    /// @name Reading
    /// @throws dealii::ExcMessage if there is no such name or it is of another type
    /// @{
    std::string
    get_string(const std::string &name) const;

    double
    get_double(const std::string &name) const;

    /// @throws dealii::ExcMessage for a value below @p least or above @p largest and for a NaN, too
    double
    get_double(const std::string &name,
               const double       least,
               const double       largest = std::numeric_limits<double>::max()) const;

    std::int64_t
    get_integer(const std::string &name) const;

    /// @throws dealii::ExcMessage for a value below @p least or above @p largest, too
    std::int64_t
    get_integer(const std::string &name,
                const std::int64_t least,
                const std::int64_t largest) const;

    template <typename Number>
    std::vector<Number>
    get_array(const std::string &name) const;

    /// @throws dealii::ExcMessage if the array has another length than @p size, too
    template <typename Number>
    std::vector<Number>
    get_array(const std::string &name, const std::size_t size) const;

    /// The values of this rank's elements, `[element][i]`. Collective.
    /// @throws dealii::ExcMessage if the array was stored for another number of elements or of
    /// values of an element, too
    std::vector<double>
    get_by_element(const std::string   &name,
                   const ElementBlocks &elements,
                   const std::size_t    n_values) const;

    /// The block of a checkpoint that this rank has read, `[element of the block][i]`, whatever
    /// the elements of the mesh; see block_of_rank().
    /// @throws dealii::ExcMessage if the array was stored for another number of values of an
    /// element, or has infinite values or NaNs, too
    std::vector<double>
    get_block(const std::string &name, const std::size_t n_values) const;

    /// Where the values of all elements stand in the file that was read.
    struct Place
    {
      std::uint64_t offset;   ///< in bytes, which need not be a multiple of their size
      std::size_t   n_values; ///< of all elements together
      std::size_t   n_elements;
    };

    Place
    place_of(const std::string &name) const;
    /// @}

    /// @throws dealii::ExcMessage with file, name and @p fault, a predicate, unless the condition
    /// @p holds
    void
    require(const bool holds, const std::string &name, const std::string &fault) const;

    /// Write the file. One that is there stays whole until the new one is complete and on the disk,
    /// and is older_checkpoint() then. Collective.
    /// @throws dealii::ExcMessage if it cannot be written
    void
    write(const std::string &path) const;

    /// Collective.
    /// @throws dealii::ExcMessage if the file cannot be read, is no checkpoint, comes from another
    /// version or byte order, is truncated or damaged, or goes on after its end
    static Checkpoint
    read(const std::string &path, const MPI_Comm communicator = MPI_COMM_SELF);

  private:
    /// String s, integer i, double d; arrays: double D, float F, double by element E.
    struct Record
    {
      char              type;
      std::vector<char> bytes;           ///< of an array by element this rank's block
      std::uint64_t     n_elements = 0;  ///< of an array by element, on all ranks
      Place             place      = {}; ///< of one that was read
    };

    void
    write_record(SharedFile &file, const std::string &name, const Record &record) const;

    class Reader;

    const Record &
    find(const std::string &name, const char type) const;

    MPI_Comm                      communicator;
    std::map<std::string, Record> records;
    std::string                   source = "checkpoint"; ///< file name, for messages
  };
} // namespace Saltus

#endif
