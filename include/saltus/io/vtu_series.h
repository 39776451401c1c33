// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_vtu_series_h
#define saltus_io_vtu_series_h

#include <deal.II/base/mpi.h>

#include <saltus/io/subdivided_simplices.h>

#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Writes a series of VTU files and the PVD file that lists them. On several ranks each file has
  /// a piece of every rank; whatever fails, fails on all of them.
  class VtuSeries
  {
  public:
    /// The files are `DIRECTORY/NAME.pvd` and `DIRECTORY/NAME-0000.vtu`, ...; the directory is made
    /// if needed.
    VtuSeries(const std::string &directory, const std::string &name, const MPI_Comm communicator);

    /// Continue the series on disk: its first files, which were written at @p times, stay, later
    /// ones are written anew. The PVD file is made anew, too, with those of them that are there.
    void
    continue_from(const std::vector<double> &times);

    /// Write the next file of the series, then the list. Collective over the ranks.
    /// @return path of the VTU file
    std::string
    write(const double time, const SubdividedSimplices &simplices);

  private:
    std::string
    path(const std::string &file) const;

    /// Name of the VTU file number @p number.
    std::string
    file_name(const unsigned int number) const;

    void
    write_list() const;

    const std::string directory;
    const std::string name;
    const MPI_Comm    communicator;

    std::vector<std::pair<double, std::string>> series;      ///< time and file name
    unsigned int                                n_files = 0; ///< that were written
  };
} // namespace Saltus

#endif
