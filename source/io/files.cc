// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/io/files.h>

#include <filesystem>
#include <fstream>

namespace Saltus
{
  void
  make_directory_of(const std::string &path)
  {
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    if (directory.empty())
      return;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    AssertThrow(!error,
                dealii::ExcMessage("The directory '" + directory.string() +
                                   "' cannot be made: " + error.message() + "."));
  }


  void
  replace_file(const std::string &path, const std::function<void(std::ostream &)> &write)
  {
    make_directory_of(path);
    const std::string temporary = path + ".tmp";
    bool              good      = false;
    {
      std::ofstream stream(temporary, std::ios::binary);
      if (stream)
        write(stream);
      stream.close();
      good = !stream.fail();
    }
    std::error_code error;
    if (good)
      {
        std::filesystem::rename(temporary, path, error);
        good = !error;
      }
    if (!good)
      {
        std::filesystem::remove(temporary, error);
        AssertThrow(false,
                    dealii::ExcMessage("The file '" + path +
                                       "' cannot be written (no permission, or no space left?)."));
      }
  }
} // namespace Saltus
