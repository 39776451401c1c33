// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>

#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/operators/polytopic/space_time_operator.h>

#include "timing.h"

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    /// Multiply-adds, counted twice, of the products at all points for all blocks.
    template <int dim>
    double
    flops_of_assembly(const PolytopicPoints<dim> &points)
    {
      const std::vector<std::size_t> in_volume = points.volume.starts.to_host(),
                                     on_faces  = points.faces.starts.to_host();
      const BlockSparsity &sparsity            = *points.sparsity;
      double               sum                 = 0;
      for (unsigned int e = 0; e < sparsity.n_elements(); ++e)
        {
          const double rows      = sparsity.size(e);
          const auto   n_between = [](const std::vector<std::size_t> &starts, const std::size_t i) {
            return static_cast<double>(starts[i + 1] - starts[i]);
          };
          sum += n_between(in_volume, e) * (dim + 1) * rows * rows;
          for (int b = sparsity.row_starts[e]; b < sparsity.row_starts[e + 1]; ++b)
            {
              const unsigned int column = sparsity.columns[b];
              sum += n_between(on_faces, b) * 2 * rows *
                     (column == e ? rows : rows + sparsity.size(column));
            }
        }
      return 2 * sum;
    }

    /// Elements of about as many cells as the settings say.
    template <int dim>
    struct Elements
    {
      /// @param n_modes of an element
      Elements(const Settings &settings, const ElementShape shape, const double n_modes)
        : triangulation(
            make_mesh<dim>(settings,
                           std::max(1., std::round(n_modes / settings.cells_per_element)),
                           shape))
      {
        if (shape == ElementShape::simplex)
          mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
        else
          mapping = std::make_unique<MappingQ1<dim>>();
        mesh =
          std::make_shared<const PolytopicMesh<dim>>(*mapping,
                                                     agglomerate(*triangulation,
                                                                 Grouping::boxes,
                                                                 triangulation->n_active_cells() /
                                                                   settings.cells_per_element));
      }

      EllipticBoundaryConditions<dim>
      dirichlet() const
      {
        EllipticBoundaryConditions<dim> conditions;
        for (const auto id : triangulation->get_boundary_ids())
          conditions.set_dirichlet(id);
        return conditions;
      }

      const std::shared_ptr<Triangulation<dim>> triangulation;
      std::unique_ptr<Mapping<dim>>             mapping;
      std::shared_ptr<const PolytopicMesh<dim>> mesh;
    };

    /// Time assembly of, and product with, the matrix of an operator.
    /// @param kernel beginning of the name
    /// @param flops of the assembly
    template <typename Operator>
    void
    time_matrix(const std::string &kernel,
                const Operator    &op,
                const int          dim,
                const unsigned int degree,
                const ElementShape shape,
                const double       flops,
                const Settings    &settings)
    {
      BlockCSRMatrix<double> matrix(op.sparsity(), settings.device);
      Saltus::Vector<double> x, y;
      op.initialize_vector(x);
      op.initialize_vector(y);
      const double n_dofs = matrix.m(), n_elements = op.sparsity()->n_elements();
      const auto   report =
        [&](const std::string &what, const double bytes, const double flops, const auto &body) {
          print({kernel + what,
                 dim,
                 degree,
                 true,
                 n_dofs,
                 median_time(settings.device, settings.repetitions, body),
                 bytes / n_dofs,
                 flops,
                 matrix.memory_consumption() / n_elements,
                 n_elements,
                 0,
                 shape},
                settings.limits);
        };
      const double n_bytes = matrix.memory_consumption(), n_values = op.sparsity()->n_values();
      report(" assembly", n_bytes, flops, [&]() { op.assemble(matrix); });
      report(" product", n_bytes + 16 * n_dofs, 2 * n_values, [&]() { matrix.vmult(y, x); });
    }

    template <int dim>
    void
    time_elements(const unsigned int degree, const ElementShape shape, const Settings &settings)
    {
      const Elements<dim>       elements(settings, shape, n_legendre_modes<dim>(degree));
      const PolytopicSpace<dim> space(elements.mesh, degree);
      typename PolytopicOperator<dim>::AdditionalData data;
      data.velocity = Expression(dim, dim == 2 ? "1+x; 1+y" : "1+x; 1+y; 1+z", dim);
      PolytopicOperator<dim> op;
      op.reinit(space, elements.dirichlet(), settings.device, data);
      std::vector<double> areas;
      time_matrix("polytopic",
                  op,
                  dim,
                  degree,
                  shape,
                  flops_of_assembly(points_of_cells(space, 0, Device::cpu(), areas)),
                  settings);
    }

    /// Prisms over polygons, with polynomials of total degree, for the heat equation.
    void
    time_slab(const unsigned int degree, const ElementShape shape, const Settings &settings)
    {
      const Elements<2>               elements(settings, shape, n_legendre_modes<3>(degree));
      const PolytopicSpace<2>         space(elements.mesh, degree);
      const std::vector<unsigned int> one_step(elements.mesh->n_elements(), 1);
      SpaceTimeOperator<2>            op;
      op.reinit(space, one_step, elements.dirichlet(), settings.device);
      op.begin_slab(0., 0.01);
      const SpaceTimePoints<2> points(op.slab(), space, LegendreFamily::total, 0, Device::cpu());
      time_matrix("slab", op, 2, degree, shape, flops_of_assembly(points.make(0.01)), settings);
    }

    template <typename Time>
    void
    for_degrees(const int dim, const ElementShape shape, const Settings &settings, const Time &time)
    {
      if (!contains(settings.dimensions, dim) || !is_wanted(settings, shape))
        return;
      for (unsigned int degree = 1; degree <= max_legendre_degree; ++degree)
        if (contains(settings.degrees, degree) && contains(settings.precisions, "double"))
          time(degree, shape, settings);
    }
  } // namespace

  void
  time_polytopic(const Settings &settings)
  {
    for (const ElementShape shape : {ElementShape::simplex, ElementShape::hypercube})
      {
        if (contains(settings.equations, "Polytopic"))
          {
            for_degrees(2, shape, settings, &time_elements<2>);
            for_degrees(3, shape, settings, &time_elements<3>);
          }
        if (contains(settings.equations, "Slab"))
          for_degrees(2, shape, settings, &time_slab);
      }
  }
} // namespace Saltus::Throughput
