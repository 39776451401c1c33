// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_solution_writer_h
#define saltus_io_solution_writer_h

#include <deal.II/base/data_out_base.h>
#include <deal.II/base/smartpointer.h>
#include <deal.II/base/table.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/io/subdivision.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Writes a series of VTU files and the PVD file that lists them. Each cell is cut into
  /// \f$ k^{dim} \f$ linear simplices of its own, so that the picture shows the polynomial in the
  /// cell and its jumps between cells.
  template <int dim>
  class SolutionWriter : private dealii::DataOutInterface<dim>
  {
  public:
    /// Fills `values[point][quantity]` at unit_points() of the cell with the given active cell
    /// index.
    using Evaluate = std::function<void(const unsigned int cell, dealii::Table<2, double> &values)>;

    /// The files are `DIRECTORY/NAME.pvd` and `DIRECTORY/NAME-0000.vtu`, ...; the directory is made
    /// if needed.
    /// @param subdivisions k, usually the polynomial degree; 0 counts as 1
    /// @param quantities name of each quantity; a name that stands `dim` times in a row is a vector
    /// @throws dealii::ExcMessage if the mesh has other cells than triangles and tetrahedra, or the
    /// directory cannot be written to
    SolutionWriter(const dealii::Mapping<dim>       &mapping,
                   const dealii::Triangulation<dim> &triangulation,
                   const unsigned int                subdivisions,
                   const std::vector<std::string>   &quantities,
                   const std::string                &directory,
                   const std::string                &name);

    /// Points of the reference cell at which values are wanted.
    const std::vector<dealii::Point<dim>> &
    unit_points() const
    {
      return subdivision.points;
    }

    /// Continue the series on disk: its first files, which were written at @p times, stay, later
    /// ones are written anew. The PVD file is made anew, too, with those of them that are there.
    void
    continue_from(const std::vector<double> &times);

    /// Write the next file of the series, then the list. Collective over the mesh's ranks.
    /// @return path of the VTU file
    std::string
    write(const double time, const Evaluate &evaluate);

  private:
    using Patch = dealii::DataOutBase::Patch<dim>;
    using Ranges =
      std::vector<std::tuple<unsigned int,
                             unsigned int,
                             std::string,
                             dealii::DataComponentInterpretation::DataComponentInterpretation>>;

    const std::vector<Patch> &
    get_patches() const override
    {
      return patches;
    }

    std::vector<std::string>
    get_dataset_names() const override
    {
      return quantities;
    }

    Ranges
    get_nonscalar_data_ranges() const override
    {
      return vectors;
    }

    /// Name of the VTU file number @p number.
    std::string
    file_name(const unsigned int number) const;

    void
    write_list() const;

    void
    build_patches(const Evaluate &evaluate);

    std::string
    path(const std::string &file) const;

    dealii::SmartPointer<const dealii::Mapping<dim>>       mapping;
    dealii::SmartPointer<const dealii::Triangulation<dim>> triangulation;
    const Subdivision<dim>                                 subdivision;
    const std::vector<std::string>                         quantities;
    const Ranges                                           vectors;
    const std::string                                      directory;
    const std::string                                      name;

    std::vector<Patch>                          patches;
    std::vector<std::pair<double, std::string>> series;      ///< time and file name
    unsigned int                                n_files = 0; ///< that were written
  };
} // namespace Saltus

#endif
