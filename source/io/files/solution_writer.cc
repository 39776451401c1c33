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
  std::vector<SubdividedSimplices>
  SolutionWriter<dim>::subdivided_cells(const std::function<Set()> &make_set) const
  {
    std::vector<SubdividedSimplices> result;
    for (unsigned int shape = 0; shape < shown.size(); ++shape)
      {
        const auto          &of_shape = cells[shape];
        SubdividedSimplices &simplices =
          result.emplace_back(shown[shape], dim, of_shape.size(), quantities);
        if (of_shape.empty())
          continue;
        const dealii::FE_Nothing<dim> element(of_shape[0].first->reference_cell());
        parallel_for(of_shape.size(), [&](const std::size_t begin, const std::size_t end) {
          dealii::FEValues<dim> fe_values(*mapping,
                                          element,
                                          dealii::Quadrature<dim>(shown[shape].points),
                                          dealii::update_quadrature_points);
          const Set             set = make_set();
          for (std::size_t i = begin; i < end; ++i)
            {
              fe_values.reinit(of_shape[i].first);
              set(simplices, i, of_shape[i].second, fe_values.get_quadrature_points());
            }
        });
      }
    return result;
  }


  template <int dim>
  void
  SolutionWriter<dim>::set_up()
  {
    if (!geometry.empty())
      return;
    cells.resize(shown.size());
    unsigned int n_cells = 0;
    for (const auto &cell : cells_in_order(*triangulation))
      cells[shapes.number(cell)].emplace_back(cell, n_cells++);
    geometry = series->geometry(subdivided_cells([]() {
      return [](auto &cells, const auto i, const unsigned int, const auto &points) {
        for (unsigned int q = 0; q < points.size(); ++q)
          cells.set_point(i, q, points[q]);
      };
    }));
  }


  template <int dim>
  typename SolutionWriter<dim>::Values
  SolutionWriter<dim>::values(const MakeEvaluate &make_evaluate) const
  {
    return series->values(subdivided_cells([&]() {
      return [this, evaluate = make_evaluate(), values = dealii::Table<2, double>()](
               auto &cells, const auto i, const unsigned int number, const auto &points) mutable {
        if (values.size(0) != points.size())
          values.reinit(points.size(), quantities.size());
        evaluate(number, points, values);
        for (unsigned int q = 0; q < points.size(); ++q)
          for (unsigned int c = 0; c < quantities.size(); ++c)
            cells.set_value(i, q, c, values(q, c));
      };
    }));
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
