// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/device/threads.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/mesh/curve/mapping_degree.h>

#include <algorithm>

namespace Saltus
{
  using dealii::ExcMessage;

  template <int dim>
  SolutionWriter<dim>::SolutionWriter(const dealii::Mapping<dim>       &mapping,
                                      const dealii::Triangulation<dim> &triangulation,
                                      const unsigned int                subdivisions,
                                      const std::vector<std::string>   &quantities,
                                      const std::string                &directory,
                                      const std::string                &name)
    : mapping(&mapping)
    , triangulation(&triangulation)
    , shown(triangulation.all_reference_cells_are_hyper_cube()
              ? cells_of_hypercube<dim>(std::max({1U, subdivisions, mapping_degree(mapping)}))
              : shown_simplex<dim>(subdivisions, mapping_degree(mapping)))
    , quantities(quantities)
    , series(directory, name, triangulation.get_communicator())
  {
    AssertThrow(triangulation.all_reference_cells_are_simplex() ||
                  triangulation.all_reference_cells_are_hyper_cube(),
                ExcMessage("Solutions can be written on meshes of one shape only: of triangles, "
                           "quadrilaterals, tetrahedra or hexahedra."));
  }


  template <int dim>
  SubdividedSimplices
  SolutionWriter<dim>::subdivided_cells(const MakeEvaluate &make_evaluate) const
  {
    std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> cells;
    for (const auto &cell : triangulation->active_cell_iterators())
      if (cell->is_locally_owned())
        cells.push_back(cell);

    const unsigned int            n_points = shown.points.size();
    const dealii::FE_Nothing<dim> element(triangulation->all_reference_cells_are_hyper_cube()
                                            ? dealii::ReferenceCells::get_hypercube<dim>()
                                            : dealii::ReferenceCells::get_simplex<dim>());
    SubdividedSimplices           simplices(shown, dim, cells.size(), quantities);
    parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
      dealii::FEValues<dim>    fe_values(*mapping,
                                      element,
                                      dealii::Quadrature<dim>(shown.points),
                                      dealii::update_quadrature_points);
      dealii::Table<2, double> values(n_points, quantities.size());
      const Evaluate           evaluate = make_evaluate();
      for (std::size_t i = begin; i < end; ++i)
        {
          fe_values.reinit(cells[i]);
          const auto &points = fe_values.get_quadrature_points();
          evaluate(i, points, values);
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
    return series.write(time, subdivided_cells(make_evaluate));
  }


  template class SolutionWriter<2>;
  template class SolutionWriter<3>;
} // namespace Saltus
