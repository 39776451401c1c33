// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>

#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/operators/polytopic/simplex_points.h>
#include <saltus/operators/polytopic/space_time_operator.h>

#include "timing.h"

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    /// Multiply-adds, counted twice, of the products at all points for all blocks.
    /// @param n_diffusive directions in which there is diffusion
    template <int dim>
    double
    flops_of_assembly(const PolytopicPoints<dim> &points, const int n_diffusive)
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
          sum += n_between(in_volume, e) * (1 + n_diffusive) * rows * rows;
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
        const Agglomeration<dim> cells = agglomerate_none(*triangulation);
        mesh                           = std::make_shared<const PolytopicMesh<dim>>(
          *mapping,
          agglomerate(cells, settings.grouping, cells.n_elements() / settings.cells_per_element));
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

    /// Time what else an operator does, assembly of its matrix and products with that.
    /// @param kernel beginning of the names
    /// @param flops of the assembly
    /// @param set_up is called with `report(what, bytes, flops, body)`, which times a body
    template <typename Operator, typename SetUp>
    void
    time_matrix(const std::string &kernel,
                const Operator    &op,
                const int          dim,
                const unsigned int degree,
                const ElementShape shape,
                const double       flops,
                const Settings    &settings,
                const SetUp       &set_up)
    {
      Saltus::Vector<double> x, y;
      op.initialize_vector(x);
      const double n_own      = x.locally_owned_elements().n_elements();
      const double n_elements = op.sparsity()->n_elements(), n_values = op.sparsity()->n_values();
      const double n_bytes = op.sparsity()->memory_consumption() + n_values * sizeof(double);
      const auto   report =
        [&](const std::string &what, const double bytes, const double flops, const auto &body) {
          print({kernel + what,
                 dim,
                 degree,
                 true,
                 static_cast<double>(x.size()),
                 median_time(settings.device, settings.repetitions, body),
                 bytes / n_own,
                 flops,
                 n_bytes / n_elements,
                 n_elements,
                 0,
                 shape},
                settings.limits);
        };
      set_up(report);
      BlockCSRMatrix<double> matrix(op.sparsity(), settings.device);
      // As set up the last time.
      op.initialize_vector(x);
      op.initialize_vector(y);
      report(" assembly", n_bytes, flops, [&]() { op.assemble(matrix); });
      report(" product", n_bytes + 16 * n_own, 2 * n_values, [&]() { matrix.vmult(y, x); });
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
      time_matrix("polytopic",
                  op,
                  dim,
                  degree,
                  shape,
                  flops_of_assembly(quadrature_points(space, 0, Device::cpu()), dim),
                  settings,
                  [&](const auto &report) {
                    if (shape == ElementShape::simplex)
                      {
                        std::unique_ptr<const SimplexCells<dim>> cells;
                        report(" upload", 0, 0, [&]() {
                          cells = std::make_unique<const SimplexCells<dim>>(*elements.mesh,
                                                                            settings.device);
                        });
                        report(" points", 0, 0, [&]() { simplex_points(space, *cells, 0); });
                      }
                    report(" terms", 0, 0, [&]() { op.terms(0); });
                    report(" set-up", 0, 0, [&]() {
                      op.reinit(space, elements.dirichlet(), settings.device, data);
                    });
                    Saltus::Vector<double> b;
                    report(" right-hand side", 0, 0, [&]() {
                      op.right_hand_side(b, Expression(dim, "sin(x)*y", 1));
                    });
                  });
    }

    /// Prisms over polygons, with polynomials of total degree, for the heat equation.
    void
    time_slab(const unsigned int degree, const ElementShape shape, const Settings &settings)
    {
      const Elements<2>                    elements(settings, shape, n_legendre_modes<3>(degree));
      const PolytopicSpace<2>              space(elements.mesh, degree);
      const std::vector<unsigned int>      one_step(elements.mesh->n_elements(), 1);
      SpaceTimeOperator<2>                 op;
      SpaceTimeOperator<2>::AdditionalData data;
      data.source = Expression(2, "sin(x)*y*t", 1);
      op.reinit(space, one_step, elements.dirichlet(), settings.device, data);
      double length = 0.01;
      op.begin_slab(0., length);
      const SpaceTimePoints<2> points(op.slab(), space, LegendreFamily::total, 0, Device::cpu());
      time_matrix("slab",
                  op,
                  2,
                  degree,
                  shape,
                  flops_of_assembly(points.numbering(), 2),
                  settings,
                  [&](const auto &report) {
                    report(" points", 0, 0, [&]() {
                      SpaceTimePoints<2>(
                        op.slab(), space, LegendreFamily::total, 0, settings.device);
                    });
                    report(" set-up", 0, 0, [&]() {
                      op.reinit(space, one_step, elements.dirichlet(), settings.device, data);
                      op.begin_slab(0., length);
                    });
                    report(" of other length", 0, 0, [&]() {
                      length *= 1.01;
                      op.begin_slab(0., length);
                    });
                    Saltus::Vector<double> b, trace;
                    op.initialize_trace(trace);
                    report(" right-hand side", 0, 0, [&]() { op.right_hand_side(b, trace); });
                  });
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
