// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/io/files/mapped_file.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Saltus
{
  MappedFile::MappedFile(const std::string &path)
  {
    const int   descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status     = {};
    bool        done       = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (done && status.st_size > 0)
      {
        n_bytes = status.st_size;
        bytes   = mmap(nullptr, n_bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        done    = bytes != MAP_FAILED;
      }
    const int cause = errno;
    if (descriptor >= 0)
      close(descriptor);
    AssertThrow(done,
                dealii::ExcMessage("The file '" + path +
                                   "' cannot be read: " + std::strerror(cause) + "."));
  }


  MappedFile::~MappedFile()
  {
    if (n_bytes > 0)
      munmap(bytes, n_bytes);
  }
} // namespace Saltus
