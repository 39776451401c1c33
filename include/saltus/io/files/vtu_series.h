// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_vtu_series_h
#define saltus_io_files_vtu_series_h

#include <deal.II/base/mpi.h>

#include <saltus/io/files/subdivided_simplices.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
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
    /// @param double_values whether values are in double precision
    VtuSeries(const std::string &directory,
              const std::string &name,
              const MPI_Comm     communicator,
              const bool         double_values = false);

    /// Continue the series on disk: its first files, which were written at @p times, stay, later
    /// ones are written anew. The PVD file is made anew, too, with those of them that are there.
    void
    continue_from(const std::vector<double> &times);

    /// The same if only files number @p own were written: others that lie there in their place, or
    /// all of the series if there are none, are kept elsewhere, see set_aside(); a note on standard
    /// error says so. Collective.
    void
    continue_from(const std::vector<double> &times, const std::set<unsigned int> &own);

    /// Numbers of the files that were written, on the first rank.
    std::set<unsigned int>
    numbers() const;

    /// Leave out the number of the next file.
    void
    skip()
    {
      ++n_files;
    }

    /// Points and cells, `[piece]`, see SubdividedSimplices. Collective over the ranks.
    /// @param pieces of this rank
    std::vector<std::vector<std::string>>
    geometry(const std::vector<SubdividedSimplices> &pieces) const;

    /// Values, `[piece]`. Not collective.
    std::vector<std::vector<std::string>>
    values(const std::vector<SubdividedSimplices> &pieces) const;

    /// Write the next file of the series, then the list. Collective over the ranks.
    /// @return path of the VTU file
    std::string
    write(const double                                 time,
          const std::vector<std::vector<std::string>> &geometry,
          const std::vector<std::vector<std::string>> &values);

    /// The same at once.
    /// @param pieces of this rank
    std::string
    write(const double time, const std::vector<SubdividedSimplices> &pieces)
    {
      return write(time, geometry(pieces), values(pieces));
    }

  private:
    std::string
    path(const std::string &file) const;

    /// Name of the VTU file number @p number.
    std::string
    file_name(const unsigned int number) const;

    std::string
    list_name() const;

    void
    write_list() const;

    const std::string directory;
    const std::string name;
    const MPI_Comm    communicator;
    const bool        double_values;

    std::map<unsigned int, double> times;       ///< of the files that are there, by their numbers
    unsigned int                   n_files = 0; ///< number of the next file
  };
} // namespace Saltus

#endif
