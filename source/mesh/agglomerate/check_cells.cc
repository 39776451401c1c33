// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/geometry_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/algebra/first_index.h>
#include <saltus/mesh/agglomerate/check_cells.h>
#include <saltus/mesh/cells_across.h>
#include <saltus/mesh/curve/element_map.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/mesh_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The least determinant of a cell's map relative to its Jacobian, at points that determine it.
    template <int dim>
    class LeastDeterminant
    {
    public:
      LeastDeterminant(const Mapping<dim> &mapping, const ReferenceCell &shape)
        : fe(shape)
        , values(mapping, fe, Quadrature<dim>(points(mapping, shape)), update_jacobians)
      {}

      double
      operator()(const typename Triangulation<dim>::active_cell_iterator &cell)
      {
        values.reinit(cell);
        double least = 1.;
        for (const unsigned int q : values.quadrature_point_indices())
          {
            const Tensor<2, dim> jacobian = values.jacobian(q);
            const double         scaled   = determinant(jacobian) / std::pow(jacobian.norm(), dim);
            if (!(scaled > least)) // a NaN, too
              least = scaled;
          }
        return least;
      }

    private:
      static std::vector<Point<dim>>
      points(const Mapping<dim> &mapping, const ReferenceCell &shape)
      {
        const unsigned int degree =
          determinant_degree(dim, mapping_degree(mapping), shape.is_hyper_cube());
        return degree == 0 ? std::vector<Point<dim>>{shape.template barycenter<dim>()}
                           : map_nodes<dim>(degree, shape);
      }

      const FE_Nothing<dim> fe; // which the values point to
      FEValues<dim>         values;
    };

    template <int dim>
    void
    check_determinants(const Mapping<dim> &mapping, const Triangulation<dim> &triangulation)
    {
      std::vector<typename Triangulation<dim>::active_cell_iterator> cells;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          cells.push_back(cell);
      const MeshShapes<dim> shapes(triangulation);
      std::vector<double>   least(cells.size());
      parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
        const auto of_shapes = shapes.for_each([&](const ReferenceCell &shape) {
          return std::make_unique<LeastDeterminant<dim>>(mapping, shape);
        });
        for (std::size_t i = begin; i < end; ++i)
          least[i] = (*of_shapes[shapes.number(cells[i])])(cells[i]);
      });
      for (std::size_t i = 0; i < cells.size(); ++i)
        AssertThrow(least[i] > 1e-14,
                    ExcMessage("The determinant of the Jacobian of " + cell_text(cells[i]) +
                               " is not positive everywhere: the cell is degenerate or inverted. "
                               "Move its vertices, or use smaller cells at curved boundaries."));
    }

    template <int dim>
    void
    check_sides(const Triangulation<dim> &triangulation)
    {
      // Children have the orientation of their parents. A rank without cells has one of deal.II's.
      std::vector<typename Triangulation<dim>::cell_iterator> cells;
      for (const auto &cell : triangulation.cell_iterators_on_level(0))
        if (!cell->is_active() || !cell->is_artificial())
          cells.push_back(cell);
      const MeshShapes<dim> shapes(triangulation);
      const auto            of_shapes =
        shapes.for_each([](const ReferenceCell &shape) { return CellShape<dim>(shape); });
      const auto tangled_face = [&](const auto &cell) {
        const CellShape<dim> &shape = of_shapes[shapes.number(cell)];
        unsigned int          f     = 0;
        for (; f < shape.n_faces; ++f)
          if (!cell->at_boundary(f) && cell->neighbor_index(f) > cell->index())
            {
              const auto  neighbor     = cell->neighbor(f);
              const auto &shape_across = of_shapes[shapes.number(neighbor)];
              const auto  across = internal::meet<dim>(cell, shape, f, neighbor, shape_across);
              if (!on_both_sides(
                    shape, f, shape_across, across.face, shape.orientation(across.permutation)))
                break;
            }
        return f;
      };
      const unsigned int tangled = first_index(cells.size(), [&](const unsigned int i) {
        return tangled_face(cells[i]) < cells[i]->n_faces();
      });
      if (tangled < cells.size())
        {
          const auto        &cell = cells[tangled];
          const unsigned int f    = tangled_face(cell);
          AssertThrow(false,
                      ExcMessage(overlap_text(cell->face(f)->center(),
                                              position_text(cell->center()),
                                              position_text(cell->neighbor(f)->center()))));
        }
    }

    /// Where a mapping has point @p p of a face whose vertices are @p vertices in a cell.
    template <int dim>
    Point<dim>
    on_face(const Mapping<dim>                               &mapping,
            const typename Triangulation<dim>::cell_iterator &cell,
            const std::array<Point<dim>, (1U << (dim - 1))>  &vertices,
            const Point<dim - 1>                             &p)
    {
      Point<dim> unit;
      for (unsigned int j = 0; j < vertices.size(); ++j)
        unit += GeometryInfo<dim - 1>::d_linear_shape_function(p, j) * vertices[j];
      return mapping.transform_unit_to_real_cell(cell, unit);
    }

    /// Check that hanging faces of quadrilaterals and hexahedra lie on the faces of the larger
    /// cells, at points that determine them.
    template <int dim>
    void
    check_hanging_faces(const Mapping<dim> &mapping, const Triangulation<dim> &triangulation)
    {
      if (!triangulation.has_hanging_nodes())
        return;
      const CellShape<dim>                      shape(ReferenceCells::get_hypercube<dim>());
      const QGauss<dim - 1>                     points(mapping_degree(mapping) + 1);
      std::array<Point<dim>, (1U << (dim - 1))> here, there;
      const auto vertex = [&](const unsigned int face, const unsigned int j) {
        return GeometryInfo<dim>::unit_cell_vertex(shape.face_vertex(face, j));
      };
      for (const auto &cell : triangulation.active_cell_iterators())
        for (const unsigned int f : cell->face_indices())
          if (cell->is_locally_owned() && cell->reference_cell().is_hyper_cube() &&
              meets_own_shape(cell, f) && cell->neighbor(f)->level() < cell->level())
            visit_cells_across<dim>(cell, shape, f, [&](const CellAcross<dim> &across) {
              for (unsigned int j = 0; j < here.size(); ++j)
                {
                  here[j]  = vertex(f, j);
                  there[j] = 0.5 * (vertex(across.face, across.sub_face - 1) +
                                    vertex(across.face, across.permutation[j]));
                }
              for (const Point<dim - 1> &p : points.get_points())
                AssertThrow(on_face<dim>(mapping, cell, here, p)
                                .distance(on_face<dim>(mapping, across.cell, there, p)) <
                              1e-9 * cell->face(f)->diameter(),
                            ExcMessage("The mapping leaves a gap at the hanging face with center " +
                                       position_text(cell->face(f)->center()) +
                                       ", which the larger " + cell_text(across.cell) +
                                       " curves otherwise. Take CoarseCellMapping, or a mesh "
                                       "without hanging nodes at curved faces."));
            });
    }
  } // namespace


  template <int dim>
  void
  check_cells(const Mapping<dim> &mapping, const Triangulation<dim> &triangulation)
  {
    on_all_ranks(triangulation.get_communicator(), [&]() {
      check_determinants(mapping, triangulation);
      check_sides(triangulation);
      check_hanging_faces(mapping, triangulation);
    });
  }


  template void
  check_cells(const Mapping<2> &, const Triangulation<2> &);
  template void
  check_cells(const Mapping<3> &, const Triangulation<3> &);
} // namespace Saltus
