// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/device/threads.h>
#include <saltus/io/files/element_blocks.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/mesh/curve/mapping_degree.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    template <int dim>
    ShownSimplex<dim>
    shown_on(const dealii::Mapping<dim>  &mapping,
             const unsigned int           subdivisions,
             const dealii::ReferenceCell &shape)
    {
      AssertThrow(shape.is_simplex() || shape.is_hyper_cube(),
                  ExcMessage("Solutions can be written on triangles, quadrilaterals, tetrahedra "
                             "and hexahedra, but the mesh has a " +
                             shape.to_string() + "."));
      return shown_cell<dim>(shape, subdivisions, mapping_degree(mapping_of(mapping, shape)));
    }
  } // namespace


  template <int dim>
  SolutionWriter<dim>::SolutionWriter(const dealii::Mapping<dim>       &mapping,
                                      const dealii::Triangulation<dim> &triangulation,
                                      const unsigned int                subdivisions,
                                      const std::vector<std::string>   &quantities,
                                      const std::string                &directory,
                                      const std::string                &name,
                                      const OpenFiles                  &files)
    : mapping(&mapping)
    , triangulation(&triangulation)
    , shapes(triangulation)
    , shown(shapes.for_each([&](const dealii::ReferenceCell &shape) {
      return shown_on<dim>(mapping, subdivisions, shape);
    }))
    , quantities(quantities)
    , series(files.pictures(directory, name, triangulation.get_communicator()))
  {}


  template <int dim>
  PointsByShape<dim>
  SolutionWriter<dim>::unit_points() const
  {
    PointsByShape<dim> result;
    for (const ShownSimplex<dim> &of_shape : shown)
      result.push_back(of_shape.points);
    return result;
  }


  template <int dim>
  SubdividedSimplices
  SolutionWriter<dim>::subdivided_cells(const unsigned int  shape,
                                        const MakeEvaluate &make_evaluate) const
  {
    std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> cells;
    std::vector<unsigned int> numbers; // among those of all shapes
    unsigned int              n_cells = 0;
    for (const auto &cell : cells_in_order(*triangulation))
      {
        if (shapes.number(cell) == shape)
          {
            cells.push_back(cell);
            numbers.push_back(n_cells);
          }
        ++n_cells;
      }

    const unsigned int  n_points = shown[shape].points.size();
    SubdividedSimplices simplices(shown[shape], dim, cells.size(), quantities);
    if (cells.empty())
      return simplices;
    const dealii::FE_Nothing<dim> element(cells[0]->reference_cell());
    parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
      dealii::FEValues<dim>    fe_values(*mapping,
                                      element,
                                      dealii::Quadrature<dim>(shown[shape].points),
                                      dealii::update_quadrature_points);
      dealii::Table<2, double> values(n_points, quantities.size());
      const Evaluate           evaluate = make_evaluate();
      for (std::size_t i = begin; i < end; ++i)
        {
          fe_values.reinit(cells[i]);
          const auto &points = fe_values.get_quadrature_points();
          evaluate(numbers[i], points, values);
          for (unsigned int q = 0; q < n_points; ++q)
            {
              simplices.set_point(i, q, points[q]);
              for (unsigned int c = 0; c < quantities.size(); ++c)
                simplices.set_value(i, q, c, values(q, c));
            }
        }
    });
    return simplices;
  }


  template <int dim>
  std::string
  SolutionWriter<dim>::write(const double time, const MakeEvaluate &make_evaluate)
  {
    std::vector<SubdividedSimplices> pieces;
    for (unsigned int shape = 0; shape < shown.size(); ++shape)
      pieces.push_back(subdivided_cells(shape, make_evaluate));
    return series->write(time, pieces);
  }


  template <int dim>
  double
  largest_picture(const dealii::Mapping<dim>       &mapping,
                  const dealii::Triangulation<dim> &triangulation,
                  const unsigned int                subdivisions,
                  const unsigned int                n_quantities,
                  const bool                        double_values)
  {
    // Points have three coordinates, vectors three components, numbers 4 bytes or 8, base64 4
    // letters for 3 bytes.
    const double n_numbers = 3. + (double_values ? 2. : 1.) * (dim == 2 ? 1.5 : 1.) * n_quantities;
    const MeshShapes<dim> shapes(triangulation);
    const auto            bytes_of_cell = shapes.for_each([&](const dealii::ReferenceCell &shape) {
      const auto cell = shown_on<dim>(mapping, subdivisions, shape);
      return 4. / 3. *
             (4. * n_numbers * cell.points.size() + 4. * cell.vertices.size() +
              5. * cell.vertices.size() / cell.n_vertices);
    });
    double                bytes         = 0.;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        bytes += bytes_of_cell[shapes.number(cell)];
    return std::ceil(dealii::Utilities::MPI::sum(bytes, triangulation.get_communicator()));
  }


  template class SolutionWriter<2>;
  template class SolutionWriter<3>;
  template double
  largest_picture(const dealii::Mapping<2> &,
                  const dealii::Triangulation<2> &,
                  const unsigned int,
                  const unsigned int,
                  const bool);
  template double
  largest_picture(const dealii::Mapping<3> &,
                  const dealii::Triangulation<3> &,
                  const unsigned int,
                  const unsigned int,
                  const bool);
} // namespace Saltus
