// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_quarter_annulus_h
#define saltus_tests_helpers_quarter_annulus_h

#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>

#include <helpers/meshes.h>

namespace Saltus::Tests
{
  /// States of Euler's equations on the meshes of Fuhry, Giuliani and Krivodonova, table 3: between
  /// arcs around the origin (ids 0 and 1). Mesh A is not refined.
  struct QuarterAnnulus
  {
    QuarterAnnulus(const unsigned int degree, const unsigned int n_refinements)
      : mapping(FE_SimplexP<2>(1))
      , dof_handler(triangulation)
    {
      Saltus::GridGenerator::quarter_annulus(triangulation, 1., 1.384, 5, 18);
      triangulation.refine_global(n_refinements);
      dof_handler.distribute_dofs(dealii::FESystem<2>(FE_SimplexDGModal<2>(degree), 4));
    }

    Triangulation<2> triangulation;
    MappingFE<2>     mapping;
    DoFHandler<2>    dof_handler;
  };
} // namespace Saltus::Tests

#endif
