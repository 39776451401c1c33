// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/data_out_base.h>
#include <deal.II/base/utilities.h>

#include <saltus/io/files.h>
#include <saltus/io/vtu_series.h>

#include <filesystem>
#include <fstream>

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
    make_directory_of(path(name));
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
    if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
      replace_file(path(name + ".pvd"), [&](std::ostream &stream) {
        dealii::DataOutBase::write_pvd_record(stream, series);
      });
  }


  std::string
  VtuSeries::write(const double time, const SubdividedSimplices &simplices)
  {
    const std::string file = file_name(n_files);
    if (dealii::Utilities::MPI::n_mpi_processes(communicator) == 1)
      replace_file(path(file), [&](std::ostream &stream) {
        stream << vtu_head;
        simplices.write_piece(stream);
        stream << vtu_end;
      });
    else
      write_in_turn(path(file), simplices);

    ++n_files;
    series.emplace_back(time, file);
    write_list();
    return path(file);
  }


  void
  VtuSeries::write_in_turn(const std::string &file, const SubdividedSimplices &simplices) const
  {
    const unsigned int n_ranks = dealii::Utilities::MPI::n_mpi_processes(communicator);
    const unsigned int rank    = dealii::Utilities::MPI::this_mpi_process(communicator);
    if (rank == 0)
      replace_file(file, [](std::ostream &stream) { stream << vtu_head; });
    for (unsigned int turn = 0; turn < n_ranks; ++turn)
      {
        MPI_Barrier(communicator);
        if (turn != rank)
          continue;
        with_write_errors(file, [&]() {
          std::ofstream stream;
          stream.exceptions(std::ios::badbit | std::ios::failbit);
          stream.open(file, std::ios::binary | std::ios::app);
          simplices.write_piece(stream);
          if (rank + 1 == n_ranks)
            stream << vtu_end;
          stream.close();
        });
      }
    MPI_Barrier(communicator);
  }
} // namespace Saltus
