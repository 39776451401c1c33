// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/position_text.h>
#include <saltus/operators/polytopic/coefficient_checks.h>

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
        std::size_t  number = facet(what.owner);
        unsigned int e      = 0;
        for (; number >= mesh.facets(e).size(); ++e)
          number -= mesh.facets(e).size();
        const auto &there = mesh.facets(e).begin()[number];
        AssertThrow(false,
                    ExcMessage("The velocity points inwards at boundary " +
                               std::to_string(there.boundary_id) + ", at " +
                               cell_text(mesh.cell(there.inside)) +
                               ": there the condition must be Dirichlet."));
      }
  }


#define SALTUS_INSTANTIATE(dim)                                                                  \
  template int  check_components(const FieldFunction<dim> &, const std::string &, unsigned int); \
  template void check_velocity(const FieldFunction<dim> &);                                      \
  template void check_values(const PolytopicFailureRecord &,                                     \
                             const PolytopicMesh<dim> &,                                         \
                             const std::function<std::size_t(const unsigned int)> &,             \
                             const std::function<std::size_t(const unsigned int)> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
