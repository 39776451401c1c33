// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_hypercubes_h
#define saltus_tests_helpers_hypercubes_h

#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/fe/fe_hypercube_dg.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <helpers/random_setting.h>
#include <random>
#include <vector>

/// Boxes of quadrilaterals and hexahedra.
namespace Saltus::Tests
{
  /// The same mesh of hypercubes with each of them turned at random.
  template <int dim>
  void
  turn_cells(dealii::Triangulation<dim> &triangulation)
  {
    auto [vertices, cells, boundary] =
      dealii::GridTools::get_coarse_mesh_description(triangulation);
    std::mt19937 generator(42);
    for (dealii::CellData<dim> &cell : cells)
      {
        dealii::Tensor<2, dim>          rotation;
        std::array<unsigned int, dim>   axis;
        const std::vector<unsigned int> old = cell.vertices;
        do
          {
            for (unsigned int d = 0; d < dim; ++d)
              axis[d] = d;
            std::shuffle(axis.begin(), axis.end(), generator);
            rotation = 0;
            for (unsigned int d = 0; d < dim; ++d)
              rotation[d][axis[d]] = generator() % 2 == 0 ? 1. : -1.;
          }
        while (determinant(rotation) < 0.);
        for (unsigned int v = 0; v < old.size(); ++v)
          {
            unsigned int from = 0;
            for (unsigned int d = 0; d < dim; ++d)
              if (((v >> d & 1) == 1) == (rotation[d][axis[d]] > 0.))
                from |= 1 << axis[d];
            cell.vertices[v] = old[from];
          }
      }
    triangulation.clear();
    triangulation.create_triangulation(vertices, cells, boundary);
  }

  /// Refine every third cell or so, twice; the same ones on any number of ranks.
  template <int dim>
  void
  refine_some(dealii::Triangulation<dim> &triangulation)
  {
    for (unsigned int round = 0; round < 2; ++round)
      {
        for (const auto &cell : triangulation.active_cell_iterators())
          if (cell->is_locally_owned() &&
              std::sin(100. * (round + 1) * cell->center()[0] + 70. * cell->center()[1]) > 0.3)
            cell->set_refine_flag();
        triangulation.execute_coarsening_and_refinement();
      }
  }

  enum class Cells
  {
    parallelepipeds,
    distorted,
    turned,            ///< distorted, and turned against each other
    refined,           ///< distorted, with hanging nodes
    turned_and_refined ///< all of it
  };

  /// Box, of quadrilaterals or hexahedra.
  template <int dim>
  struct HypercubeBox
  {
    /// @param n subdivisions of the box in each direction
    HypercubeBox(const unsigned int n,
                 const Cells        cells,
                 const Point<dim>  &corner     = far_corner<dim>(),
                 const double       distortion = 0.2)
      : mapping(1)
    {
      dealii::GridGenerator::subdivided_hyper_rectangle(
        triangulation, std::vector<unsigned int>(dim, n), Point<dim>(), corner, true);
      if (cells == Cells::parallelepipeds)
        dealii::GridTools::transform(
          [](const Point<dim> &x) {
            Point<dim> y = x;
            for (unsigned int d = 0; d < dim; ++d)
              y[d] += 0.2 * x[(d + 1) % dim];
            return y;
          },
          triangulation);
      else if (distortion > 0.)
        dealii::GridTools::distort_random(distortion, triangulation);
      if (cells == Cells::turned || cells == Cells::turned_and_refined)
        turn_cells(triangulation);
      if (cells == Cells::refined || cells == Cells::turned_and_refined)
        refine_some(triangulation);
    }

    std::shared_ptr<const ElementMesh<dim>>
    mesh(const std::vector<PeriodicBoundary>     &periodic        = {},
         const unsigned int                       matching_rounds = max_matching_rounds,
         const typename ElementOrder<dim>::Kinds &kinds           = {}) const
    {
      return make_mesh(mapping, triangulation, periodic, matching_rounds, kinds);
    }

    Triangulation<dim>    triangulation;
    dealii::MappingQ<dim> mapping;
  };

  /// Setting with such a box.
  template <int dim, typename Law>
  struct HypercubeSetting : public HypercubeBox<dim>
  {
    explicit HypercubeSetting(const unsigned int degree,
                              const Cells        cells,
                              const Law         &law        = Law(),
                              const unsigned int n          = dim == 2 ? 5 : 3,
                              const double       distortion = 0.2)
      : HypercubeBox<dim>(n, cells, far_corner<dim>(0.25), distortion)
      , dof_handler(this->triangulation)
      , law(law)
    {
      dof_handler.distribute_dofs(FESystem<dim>(FE_HypercubeDG<dim>(degree), Law::n_components));
    }

    dealii::Vector<double>
    random_state(const double amplitude) const
    {
      return Tests::random_state<dim, Law>(dof_handler, amplitude);
    }

    DoFHandler<dim> dof_handler;
    Law             law;
  };
} // namespace Saltus::Tests

#endif
