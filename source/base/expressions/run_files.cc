// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/expressions/run_files.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    /// Device and inode.
    using Identity = std::pair<dev_t, ino_t>;

    std::optional<Identity>
    identity(const std::string &file)
    {
      struct stat status = {};
      if (stat(file.c_str(), &status) != 0)
        return {};
      return Identity(status.st_dev, status.st_ino);
    }


    struct RunFiles
    {
      std::mutex                         mutex;
      std::map<std::string, std::string> successors; ///< of the inputs
      std::string                        directory;
      std::optional<Identity>            of_directory;
    };


    RunFiles &
    run_files()
    {
      static RunFiles files;
      return files;
    }
  } // namespace


  void
  note_input(const std::string &file, const std::string &successor)
  {
    RunFiles                         &files = run_files();
    const std::lock_guard<std::mutex> lock(files.mutex);
    files.successors[file] = successor;
  }


  OutputDirectory::OutputDirectory(const std::string &directory)
  {
    RunFiles                         &files = run_files();
    const std::lock_guard<std::mutex> lock(files.mutex);
    files.directory    = std::filesystem::path(directory + "/.").parent_path().string();
    files.of_directory = identity(directory);
  }


  OutputDirectory::~OutputDirectory()
  {
    RunFiles                         &files = run_files();
    const std::lock_guard<std::mutex> lock(files.mutex);
    files.of_directory.reset();
  }


  void
  check_output(const std::string &file)
  {
    RunFiles                         &files = run_files();
    const std::lock_guard<std::mutex> lock(files.mutex);
    const auto                        parent = std::filesystem::path(file).parent_path();
    AssertThrow(!files.of_directory ||
                  (parent.empty() ? "." : parent.string()) != files.directory ||
                  identity(files.directory) == files.of_directory,
                ExcMessage("The output directory '" + files.directory +
                           "' was renamed or removed while the run writes to it."));
    const auto of_output = identity(file);
    for (const auto &[input, successor] : files.successors)
      AssertThrow(!of_output || of_output != identity(input) || file == successor,
                  ExcMessage("The output '" + file + "' would replace '" + input +
                             "', an input of this run. Give the output another name or "
                             "directory."));
  }
} // namespace Saltus
