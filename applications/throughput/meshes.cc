// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/io/files/files.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include "timing.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    /// A box with about @p n_elements elements, its vertices displaced.
    template <int dim>
    void
    make_box(Triangulation<dim> &triangulation, const double n_elements)
    {
      const double n_boxes = n_elements / (dim == 2 ? 2 : 6);
      const auto   n       = static_cast<unsigned int>(std::round(std::pow(n_boxes, 1. / dim)));
      Point<dim>   corner;
      for (unsigned int d = 0; d < dim; ++d)
        corner[d] = 1.;
      Saltus::GridGenerator::box<dim>(
        triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, std::max(2U, n)), 0.1);
    }

    /// A box of parallelepipeds with about @p n_elements elements; some are refined, and some have
    /// displaced vertices, see Parameters.
    template <int dim>
    void
    make_box_of_hypercubes(Triangulation<dim> &triangulation,
                           const Parameters   &parameters,
                           const double        n_elements)
    {
      const double children = (1 << dim) - 1;
      const double n_coarse = n_elements / (1. + parameters.refined_share * children);
      const auto   n        = static_cast<unsigned int>(std::round(std::pow(n_coarse, 1. / dim)));
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, std::max(2U, n));
      std::mt19937                           random(1);
      std::uniform_real_distribution<double> number(0., 1.);
      GridTools::transform(
        [&](const Point<dim> &x) {
          Point<dim> result = x;
          for (unsigned int d = 0; d < dim; ++d)
            result[d] += 0.2 * x[(d + 1) % dim] +
                         (x[0] < parameters.curved_share ? 0.2 * (number(random) - 0.5) / n : 0.);
          return result;
        },
        triangulation);
      if (parameters.refined_share == 0.)
        return;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (number(random) < parameters.refined_share)
          cell->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    }

    /// The mesh of a file, refined until it has about @p n_elements elements.
    template <int dim>
    void
    read_and_refine(Triangulation<dim> &triangulation,
                    const std::string  &file,
                    const double        n_elements)
    {
      Saltus::GridGenerator::read_mesh(triangulation, file);
      const double missing = std::log2(n_elements / triangulation.n_active_cells()) / dim;
      triangulation.refine_global(static_cast<unsigned int>(std::max(0., std::round(missing))));
    }

    /// The active cells with cells, vertices and the vertices of a cell in random order.
    template <int dim>
    void
    shuffle(Triangulation<dim> &triangulation)
    {
      std::mt19937 random(1);

      std::vector<unsigned int> new_number(triangulation.n_vertices());
      std::iota(new_number.begin(), new_number.end(), 0U);
      std::shuffle(new_number.begin(), new_number.end(), random);
      std::vector<Point<dim>> vertices(new_number.size());
      for (unsigned int v = 0; v < vertices.size(); ++v)
        vertices[new_number[v]] = triangulation.get_vertices()[v];

      std::vector<CellData<dim>> cells;
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          CellData<dim> data(dim + 1);
          for (unsigned int v = 0; v <= dim; ++v)
            data.vertices[v] = new_number[cell->vertex_index(v)];
          // three of them turned: the orientation stays
          std::rotate(data.vertices.begin(),
                      data.vertices.begin() + random() % 3,
                      data.vertices.begin() + 3);
          cells.push_back(data);
        }
      std::shuffle(cells.begin(), cells.end(), random);

      triangulation.clear();
      triangulation.create_triangulation(vertices, cells, SubCellData());
    }

    /// Space displaced smoothly where the first coordinate is below a limit in (0, 1], and there
    /// everywhere but on the sides of that slab.
    template <int dim>
    class BentSlab : public MappingFE<dim>
    {
      using Cell = typename Triangulation<dim>::cell_iterator;

    public:
      explicit BentSlab(const double limit)
        : MappingFE<dim>(FE_SimplexP<dim>(2))
        , limit(limit)
      {}

      Point<dim>
      transform_unit_to_real_cell(const Cell &cell, const Point<dim> &unit_point) const override
      {
        return displaced(affine(cell, unit_point));
      }

      std::unique_ptr<Mapping<dim>>
      clone() const override
      {
        return std::make_unique<BentSlab>(*this);
      }

    protected:
      std::vector<Point<dim>>
      compute_mapping_support_points(const Cell &cell) const override
      {
        std::vector<Point<dim>> points;
        for (const Point<dim> &unit_point : this->fe->get_unit_support_points())
          points.push_back(displaced(affine(cell, unit_point)));
        return points;
      }

    private:
      static Point<dim>
      affine(const Cell &cell, const Point<dim> &unit_point)
      {
        Point<dim> x;
        for (const unsigned int v : cell->vertex_indices())
          x += cell->reference_cell().d_linear_shape_function(unit_point, v) * cell->vertex(v);
        return x;
      }

      Point<dim>
      displaced(const Point<dim> &x) const
      {
        const double t      = std::min(x[0] / limit, 1.);
        const double inside = 4. * t * (1. - t), amplitude = 0.05 * limit * inside * inside;
        Point<dim>   result = x;
        for (unsigned int d = 0; d < dim; ++d)
          result[d] += amplitude * std::cos(2. * x[(d + 1) % dim] + d);
        return result;
      }

      const double limit;
    };

    template <int dim>
    std::shared_ptr<const ElementMesh<dim>>
    make_element_mesh(const Settings           &settings,
                      const Triangulation<dim> &triangulation,
                      const Mapping<dim>       &mapping,
                      const unsigned int        map_degree)
    {
      using Kinds = typename ElementOrder<dim>::Kinds;
      return std::make_shared<const ElementMesh<dim>>(mapping,
                                                      triangulation,
                                                      std::vector<PeriodicBoundary>(),
                                                      settings.matching_rounds,
                                                      Kinds(),
                                                      map_degree);
    }
  } // namespace

  template <int dim>
  std::unique_ptr<Triangulation<dim>>
  make_mesh(const Settings &settings, const double per_element, const ElementShape shape)
  {
    const double n_elements = settings.n_dofs / per_element;
    return spread_triangulation<dim>(
      [&](Triangulation<dim> &whole) {
        if (shape == ElementShape::hypercube)
          make_box_of_hypercubes(whole, settings, n_elements);
        else if (settings.mesh_file.empty())
          make_box(whole, n_elements);
        else
          with_entry("Mesh file = " + settings.mesh_file, [&]() {
            read_and_refine(whole,
                            find_file(settings.mesh_file, settings.parameter_file),
                            n_elements);
          });
        if (settings.shuffled)
          shuffle(whole);
      },
      MPI_COMM_WORLD);
  }

  template <int dim>
  std::shared_ptr<const ElementMesh<dim>>
  make_element_mesh(const Settings &settings, const Triangulation<dim> &triangulation)
  {
    return make_element_mesh(settings, triangulation, MappingFE<dim>(FE_SimplexP<dim>(1)), 1);
  }

  template <int dim>
  std::shared_ptr<const ElementMesh<dim>>
  make_element_mesh(const Settings           &settings,
                    const Triangulation<dim> &triangulation,
                    const unsigned int        degree)
  {
    if (triangulation.all_reference_cells_are_hyper_cube())
      return make_element_mesh(settings, triangulation, MappingQ<dim>(1), 1);
    if (settings.curved_share == 0.)
      return make_element_mesh(settings, triangulation);
    return make_element_mesh(settings,
                             triangulation,
                             BentSlab<dim>(settings.curved_share),
                             std::clamp(degree + settings.map_degree_above,
                                        2U,
                                        ElementMapping<dim>::max_degree));
  }

  template std::unique_ptr<Triangulation<2>>
  make_mesh(const Settings &, const double, const ElementShape);
  template std::unique_ptr<Triangulation<3>>
  make_mesh(const Settings &, const double, const ElementShape);
  template std::shared_ptr<const ElementMesh<2>>
  make_element_mesh(const Settings &, const Triangulation<2> &);
  template std::shared_ptr<const ElementMesh<3>>
  make_element_mesh(const Settings &, const Triangulation<3> &);
  template std::shared_ptr<const ElementMesh<2>>
  make_element_mesh(const Settings &, const Triangulation<2> &, const unsigned int);
  template std::shared_ptr<const ElementMesh<3>>
  make_element_mesh(const Settings &, const Triangulation<3> &, const unsigned int);
} // namespace Saltus::Throughput
