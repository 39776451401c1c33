// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/mesh/position_text.h>
#include <saltus/operators/polytopic/coefficient_checks.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  int
  check_components(const FieldFunction<dim> &coefficient,
                   const std::string        &name,
                   const unsigned int        max_components)
  {
    const unsigned int n = coefficient.n_components();
    AssertThrow(n == 1 || n == max_components,
                ExcMessage(
                  "The " + name + " has " + std::to_string(n) + " components instead of 1" +
                  (max_components > 1 ? " or " + std::to_string(max_components) : "") + "."));
    return n;
  }


  void
  check_constant(const double constant, const std::string &name)
  {
    AssertThrow(std::isfinite(constant),
                ExcMessage("The " + name + " must be finite, but is " + std::to_string(constant) +
                           "."));
  }


  template <int dim>
  void
  check_velocity(const FieldFunction<dim> &velocity)
  {
    AssertThrow(velocity.n_components() == dim,
                ExcMessage("The velocity has " + std::to_string(velocity.n_components()) +
                           " components instead of " + std::to_string(dim) + "."));
  }


  template <int dim>
  void
  check_values(const PolytopicFailureRecord                         &what,
               const PolytopicMesh<dim>                             &mesh,
               const Memory<FacetGeometry>                          &facets,
               const std::vector<types::boundary_id>                &boundary_ids,
               const std::function<std::size_t(const unsigned int)> &cell,
               const std::function<std::size_t(const unsigned int)> &facet)
  {
    if (what.kind == PolytopicFailure::diffusion)
      AssertThrow(false,
                  ExcMessage("The diffusion is negative in some direction in " +
                             cell_text(mesh.cell(cell(what.owner))) +
                             ": a tensor must be positive or positive semi-definite."));
    if (what.kind == PolytopicFailure::inflow)
      {
        const FacetGeometry there = facets.to_host()[facet(what.owner)];
        AssertThrow(false,
                    ExcMessage("The velocity points inwards at boundary " +
                               std::to_string(boundary_ids[there.part]) + ", at " +
                               cell_text(mesh.cell(there.inside)) +
                               ": there the condition must be Dirichlet."));
      }
  }


  template <int dim>
  Memory<FacetRecord>
  facet_records(const PolytopicSpace<dim>             &space,
                const PolytopicPoints<dim>            &points,
                const EllipticBoundaryConditions<dim> &conditions,
                const PolytopicPenalty                 penalty,
                const double                           factor)
  {
    const Device                device = points.weights.device();
    std::vector<FacetCondition> kinds;
    for (const types::boundary_id id : points.boundary_ids)
      {
        const auto &condition = conditions.at(id, 1);
        kinds.push_back({condition.kind, condition.robin});
      }
    const Memory<FacetCondition> all_kinds(device, kinds);
    auto records = Memory<FacetRecord>::uninitialized(device, points.facets.size());
    launch(device,
           points.facets.size(),
           MakeFacets<dim>{points.facets.data(),
                           all_kinds.data(),
                           space.degrees().on(device).data(),
                           points.volumes.data(),
                           points.perimeters.data(),
                           penalty,
                           factor,
                           records.data()});
    return records;
  }


#define SALTUS_INSTANTIATE(dim)                                                                  \
  template int  check_components(const FieldFunction<dim> &, const std::string &, unsigned int); \
  template void check_velocity(const FieldFunction<dim> &);                                      \
  template void check_values(const PolytopicFailureRecord &,                                     \
                             const PolytopicMesh<dim> &,                                         \
                             const Memory<FacetGeometry> &,                                      \
                             const std::vector<types::boundary_id> &,                            \
                             const std::function<std::size_t(const unsigned int)> &,             \
                             const std::function<std::size_t(const unsigned int)> &);            \
  template Memory<FacetRecord> facet_records(const PolytopicSpace<dim> &,                        \
                                             const PolytopicPoints<dim> &,                       \
                                             const EllipticBoundaryConditions<dim> &,            \
                                             const PolytopicPenalty,                             \
                                             const double);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
