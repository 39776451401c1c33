// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_mapped_file_h
#define saltus_io_files_mapped_file_h

#include <cstddef>
#include <string>

namespace Saltus
{
  /// A file that is read where it is looked at. However many processes of a node have it, its bytes
  /// are there once. It may get another name meanwhile, or none.
  class MappedFile
  {
  public:
    /// @throws dealii::ExcMessage if the file cannot be read
    explicit MappedFile(const std::string &path);

    MappedFile(const MappedFile &) = delete;
    MappedFile &
    operator=(const MappedFile &) = delete;

    ~MappedFile();

    const char *
    data() const
    {
      return static_cast<const char *>(bytes);
    }

    std::size_t
    size() const
    {
      return n_bytes;
    }

  private:
    void       *bytes   = nullptr;
    std::size_t n_bytes = 0;
  };
} // namespace Saltus

#endif
