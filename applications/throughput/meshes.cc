// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

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
  } // namespace

  template <int dim>
  std::unique_ptr<Triangulation<dim>>
  make_mesh(const Settings &settings, const double per_element)
  {
    const double n_elements = settings.n_dofs / per_element;
    return spread_triangulation<dim>(
      [&](Triangulation<dim> &whole) {
        if (settings.mesh_file.empty())
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
    return std::make_shared<const ElementMesh<dim>>(MappingFE<dim>(FE_SimplexP<dim>(1)),
                                                    triangulation,
                                                    std::vector<PeriodicBoundary>(),
                                                    settings.matching_rounds);
  }

  template std::unique_ptr<Triangulation<2>>
  make_mesh(const Settings &, const double);
  template std::unique_ptr<Triangulation<3>>
  make_mesh(const Settings &, const double);
  template std::shared_ptr<const ElementMesh<2>>
  make_element_mesh(const Settings &, const Triangulation<2> &);
  template std::shared_ptr<const ElementMesh<3>>
  make_element_mesh(const Settings &, const Triangulation<3> &);
} // namespace Saltus::Throughput
