// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/output_lock.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Saltus
{
  using dealii::ExcMessage;

  OutputLock::OutputLock(const std::string &directory, const MPI_Comm communicator)
    : file((directory.empty() ? "" : directory + '/') + ".lock")
  {
    on_first_rank(communicator, [&]() {
      make_directory_of(file);
      const std::string shown = directory.empty() ? "." : directory;
      while (!try_lock(shown))
        {}
      written.emplace(shown);
    });
  }


  bool
  OutputLock::try_lock(const std::string &directory)
  {
    descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    AssertThrow(descriptor >= 0,
                ExcMessage("The output directory '" + directory +
                           "' cannot be written to: " + std::strerror(errno) + "."));
    struct flock wanted = {};
    wanted.l_type       = F_WRLCK;
    wanted.l_whence     = SEEK_SET;
    if (fcntl(descriptor, F_SETLK, &wanted) != 0)
      {
        const int reason = errno;
        if (reason != EACCES && reason != EAGAIN)
          {
            say_once("the output directory '" + directory + "' cannot be locked (" +
                     std::strerror(reason) + "): nothing keeps another run from writing there.");
            return true;
          }
        struct flock holder = wanted;
        const bool   known  = fcntl(descriptor, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
        close(descriptor);
        descriptor = -1;
        AssertThrow(false,
                    ExcMessage("Another run writes to the output directory '" + directory + "'" +
                               (known ? " (process " + std::to_string(holder.l_pid) + ")" : "") +
                               ". Wait for its end, or choose another Output/Directory."));
      }
    struct stat locked = {}, present = {};
    if (fstat(descriptor, &locked) == 0 && stat(file.c_str(), &present) == 0 &&
        locked.st_ino == present.st_ino && locked.st_dev == present.st_dev)
      return true;
    close(descriptor);
    return false;
  }


  OutputLock::~OutputLock()
  {
    if (descriptor < 0)
      return;
    unlink(file.c_str()); // while it is locked: who has opened it meanwhile notices
    close(descriptor);
  }
} // namespace Saltus
