// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/data_out_base.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/collective.h>
#include <saltus/base/ranks.h>
#include <saltus/io/files.h>
#include <saltus/io/shared_file.h>
#include <saltus/io/vtu_series.h>

#include <filesystem>
#include <sstream>

namespace Saltus
{
  namespace
  {
    const char *const vtu_head =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\" "
      "compressor=\"vtkZLibDataCompressor\">\n"
      "<UnstructuredGrid>\n";
    const char *const vtu_end = "</UnstructuredGrid>\n</VTKFile>\n";
  } // namespace


  VtuSeries::VtuSeries(const std::string &directory,
                       const std::string &name,
                       const MPI_Comm     communicator)
    : directory(directory)
    , name(name)
    , communicator(communicator)
  {
    on_first_rank(communicator, [&]() { make_directory_of(path(name)); });
  }


  std::string
  VtuSeries::path(const std::string &file) const
  {
    return directory.empty() ? file : directory + '/' + file;
  }


  std::string
  VtuSeries::file_name(const unsigned int number) const
  {
    return name + '-' + dealii::Utilities::int_to_string(number, 4) + ".vtu";
  }


  void
  VtuSeries::continue_from(const std::vector<double> &times)
  {
    series.clear();
    for (n_files = 0; n_files < times.size(); ++n_files)
      if (std::filesystem::exists(path(file_name(n_files))))
        series.emplace_back(times[n_files], file_name(n_files));
    write_list();
  }


  void
  VtuSeries::write_list() const
  {
    on_first_rank(communicator, [&]() {
      replace_file(path(name + ".pvd"), [&](std::ostream &stream) {
        dealii::DataOutBase::write_pvd_record(stream, series);
      });
    });
  }


  std::string
  VtuSeries::write(const double time, const SubdividedSimplices &simplices)
  {
    const unsigned int rank = this_rank(communicator);
    const std::string  file = file_name(n_files);
    std::ostringstream piece;
    if (rank == 0)
      piece << vtu_head;
    simplices.write_piece(piece);
    if (rank + 1 == n_ranks(communicator))
      piece << vtu_end;
    replace_shared_file(path(file), communicator, [&](SharedFile &out) {
      out.append(piece.str());
    });

    ++n_files;
    series.emplace_back(time, file);
    write_list();
    return path(file);
  }

} // namespace Saltus
