// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>

#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/operators/polytopic/simplex_points.h>

#include "timing.h"

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    /// Multiply-adds, counted twice, of the products at all points for all blocks.
    template <int dim>
    double
    flops_of_assembly(const PolytopicSpace<dim> &space)
    {
      const PolytopicPoints<dim>     points    = quadrature_points(space, 0, Device::cpu());
      const std::vector<std::size_t> in_volume = points.volume.starts.to_host(),
                                     on_faces  = points.faces.starts.to_host();
      const BlockSparsity &sparsity            = *points.sparsity;
      double               sum                 = 0;
      for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
        {
          const double rows      = space.n_dofs(e);
          const auto   n_between = [](const std::vector<std::size_t> &starts, const std::size_t i) {
            return static_cast<double>(starts[i + 1] - starts[i]);
          };
          sum += n_between(in_volume, e) * (dim + 1) * rows * rows;
          for (int b = sparsity.row_starts[e]; b < sparsity.row_starts[e + 1]; ++b)
            {
              const unsigned int column = sparsity.columns[b];
              sum += n_between(on_faces, b) * 2 * rows *
                     (column == e ? rows : rows + space.n_dofs(column));
            }
        }
      return 2 * sum;
    }

    template <int dim>
    void
    time_polytopic_degree(const unsigned int degree,
                          const ElementShape shape,
                          const Settings    &settings)
    {
      const double n_modes = n_legendre_modes<dim>(degree);
      const auto   triangulation =
        make_mesh<dim>(settings,
                       std::max(1., std::round(n_modes / settings.cells_per_element)),
                       shape);
      std::unique_ptr<Mapping<dim>> mapping;
      if (shape == ElementShape::simplex)
        mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
      else
        mapping = std::make_unique<MappingQ1<dim>>();
      const Agglomeration<dim> cells = agglomerate_none(*triangulation);
      const auto               mesh  = std::make_shared<const PolytopicMesh<dim>>(
        *mapping,
        agglomerate(cells, Grouping::boxes, cells.n_elements() / settings.cells_per_element));
      const PolytopicSpace<dim>       space(mesh, degree);
      EllipticBoundaryConditions<dim> conditions;
      for (const auto id : triangulation->get_boundary_ids())
        conditions.set_dirichlet(id);
      typename PolytopicOperator<dim>::AdditionalData data;
      data.velocity = Expression(dim, dim == 2 ? "1+x; 1+y" : "1+x; 1+y; 1+z", dim);
      PolytopicOperator<dim> op;
      op.reinit(space, conditions, settings.device, data);
      BlockCSRMatrix<double> matrix(op.sparsity(), settings.device);
      Saltus::Vector<double> x, y;
      const double           n_own = space.n_owned_dofs();
      const auto             report =
        [&](const std::string &kernel, const double bytes, const double flops, const auto &body) {
          print({kernel,
                 dim,
                 degree,
                 true,
                 static_cast<double>(space.n_dofs()),
                 median_time(settings.device, settings.repetitions, body),
                 bytes / n_own,
                 flops,
                 static_cast<double>(matrix.memory_consumption()) / mesh->n_elements(),
                 static_cast<double>(mesh->n_elements()),
                 0,
                 shape},
                settings.limits);
        };
      const double n_bytes = matrix.memory_consumption(), n_values = op.sparsity()->n_values();
      if (shape == ElementShape::simplex)
        {
          std::unique_ptr<const SimplexCells<dim>> cells;
          report("polytopic upload", 0, 0, [&]() {
            cells = std::make_unique<const SimplexCells<dim>>(*mesh, settings.device);
          });
          report("polytopic points", 0, 0, [&]() { simplex_points(space, *cells, 0); });
        }
      report("polytopic set-up", 0, 0, [&]() {
        op.reinit(space, conditions, settings.device, data);
      });
      matrix = BlockCSRMatrix<double>(op.sparsity(), settings.device);
      op.initialize_vector(y);
      report("polytopic right-hand side", 0, 0, [&]() {
        op.right_hand_side(x, Expression(dim, "sin(x)*y", 1));
      });
      report("polytopic assembly", n_bytes, flops_of_assembly(space), [&]() {
        op.assemble(matrix);
      });
      report("polytopic product", n_bytes + 16 * n_own, 2 * n_values, [&]() {
        matrix.vmult(y, x);
      });
    }

    template <int dim>
    void
    time_polytopic_degrees(const ElementShape shape, const Settings &settings)
    {
      if (!contains(settings.dimensions, dim) || !is_wanted(settings, shape))
        return;
      for (unsigned int degree = 1; degree <= max_legendre_degree; ++degree)
        if (contains(settings.degrees, degree) && contains(settings.precisions, "double"))
          time_polytopic_degree<dim>(degree, shape, settings);
    }
  } // namespace

  void
  time_polytopic(const Settings &settings)
  {
    if (!contains(settings.equations, "Polytopic"))
      return;
    for (const ElementShape shape : {ElementShape::simplex, ElementShape::hypercube})
      {
        time_polytopic_degrees<2>(shape, settings);
        time_polytopic_degrees<3>(shape, settings);
      }
  }
} // namespace Saltus::Throughput
