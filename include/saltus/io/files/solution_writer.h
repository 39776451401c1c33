// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_solution_writer_h
#define saltus_io_files_solution_writer_h

#include <deal.II/base/smartpointer.h>
#include <deal.II/base/table.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/io/files/open_files.h>
#include <saltus/io/files/subdivision.h>
#include <saltus/mesh/mesh_shapes.h>

#include <functional>
#include <string>
#include <vector>

namespace Saltus
{
  /// Writes a series of VTU files and the PVD file that lists them. Each cell is shown by itself,
  /// so that the picture has the polynomial in the cell and its jumps between cells: quadrilaterals
  /// and hexahedra as \f$ k^{dim} \f$ such cells, simplices with an affine mapping as \f$ k^{dim}
  /// \f$ linear simplices, else as a Lagrange cell of VTK, which is curved, of the order k or the
  /// mapping's degree, whichever is higher.
  template <int dim>
  class SolutionWriter
  {
  public:
    /// Fills `values[point][quantity]` at unit_points() of its shape, whose images are @p points,
    /// in a cell that is given by its number among the active ones that this rank owns.
    using Evaluate = std::function<void(const unsigned int                     cell,
                                        const std::vector<dealii::Point<dim>> &points,
                                        dealii::Table<2, double>              &values)>;

    /// Called for every range of cells on which a thread works.
    using MakeEvaluate = std::function<Evaluate()>;

    /// The files are `DIRECTORY/NAME.pvd` and `DIRECTORY/NAME-0000.vtu`, ...; the directory is made
    /// if needed.
    /// @param subdivisions k, usually the polynomial degree; 0 counts as 1
    /// @param quantities name of each quantity; a name that stands `dim` times in a row is a vector
    /// @param files where the series is open, if the mesh is an adapted one
    /// @throws dealii::ExcMessage if the directory cannot be written to, and for cells of other
    /// shapes
    SolutionWriter(const dealii::Mapping<dim>       &mapping,
                   const dealii::Triangulation<dim> &triangulation,
                   const unsigned int                subdivisions,
                   const std::vector<std::string>   &quantities,
                   const std::string                &directory,
                   const std::string                &name,
                   const OpenFiles                  &files = OpenFiles());

    /// Points of the reference cells at which values are wanted.
    PointsByShape<dim>
    unit_points() const;

    /// See VtuSeries::continue_from().
    template <typename... Numbers>
    void
    continue_from(const std::vector<double> &times, const Numbers &...own)
    {
      series->continue_from(times, own...);
    }

    /// See VtuSeries::numbers().
    std::set<unsigned int>
    numbers() const
    {
      return series->numbers();
    }

    /// See VtuSeries::skip().
    void
    skip()
    {
      series->skip();
    }

    /// Write the next file of the series, then the list. Collective over the mesh's ranks.
    /// @return path of the VTU file
    std::string
    write(const double time, const MakeEvaluate &make_evaluate)
    {
      set_up();
      return write(time, values(make_evaluate));
    }

    /// Make the points and cells of all files, unless they are made. Collective.
    void
    set_up();

    /// `[shape]`: text of a file
    using Values = std::vector<std::vector<std::string>>;

    /// The values of a file. Not collective: another thread may call it, as long as the mesh stays
    /// as it is.
    Values
    values(const MakeEvaluate &make_evaluate) const;

    /// Write the next file after set_up(), then the list. Collective.
    /// @return path of the VTU file
    std::string
    write(const double time, const Values &values)
    {
      return series->write(time, geometry, values);
    }

  private:
    /// Sets numbers of one cell in the cells of a shape.
    using Set = std::function<void(SubdividedSimplices                   &cells,
                                   const std::size_t                      i,
                                   const unsigned int                     number,
                                   const std::vector<dealii::Point<dim>> &points)>;

    /// The cells, `[shape]`.
    /// @param make_set called for every range of cells on which a thread works
    std::vector<SubdividedSimplices>
    subdivided_cells(const std::function<Set()> &make_set) const;

    dealii::SmartPointer<const dealii::Mapping<dim>>       mapping;
    dealii::SmartPointer<const dealii::Triangulation<dim>> triangulation;
    const MeshShapes<dim>                                  shapes;
    const ByShape<ShownSimplex<dim>>                       shown;
    const std::vector<std::string>                         quantities;
    const std::shared_ptr<VtuSeries>                       series;

    // See set_up():
    using Cell = typename dealii::Triangulation<dim>::active_cell_iterator;
    ByShape<std::vector<std::pair<Cell, unsigned int>>> cells;    ///< `[shape]`, and their numbers
    std::vector<std::vector<std::string>>               geometry; ///< `[shape]`
  };

  /// Bytes of a file of SolutionWriter if nothing in it could be compressed. Collective.
  /// @param subdivisions,n_quantities as for SolutionWriter
  /// @param double_values whether values are in double precision
  template <int dim>
  double
  largest_picture(const dealii::Mapping<dim>       &mapping,
                  const dealii::Triangulation<dim> &triangulation,
                  const unsigned int                subdivisions,
                  const unsigned int                n_quantities,
                  const bool                        double_values = false);
} // namespace Saltus

#endif
