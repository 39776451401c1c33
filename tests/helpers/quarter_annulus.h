// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_quarter_annulus_h
#define saltus_tests_helpers_quarter_annulus_h

#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/manifold_lib.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/fe_simplex_nodes.h>
#include <saltus/mesh/curve/map_nodes.h>

#include <helpers/meshes.h>

namespace Saltus::Tests
{
  /// States of Euler's equations on the meshes of Fuhry, Giuliani and Krivodonova, table 3: between
  /// arcs around the origin (ids 0 and 1). Mesh A is not refined.
  struct QuarterAnnulus
  {
    /// @param map_degree of the elements, which are curved along circles if it is not 1
    QuarterAnnulus(const unsigned int degree,
                   const unsigned int n_refinements,
                   const unsigned int map_degree = 1)
      : mapping(FE_SimplexNodes<2>(map_degree, map_nodes<2>(map_degree)))
      , dof_handler(triangulation)
    {
      Saltus::GridGenerator::quarter_annulus(triangulation, 1., 1.384, 5, 18);
      triangulation.refine_global(n_refinements);
      if (map_degree > 1)
        {
          triangulation.set_all_manifold_ids(0);
          triangulation.set_manifold(0, dealii::PolarManifold<2>());
        }
      dof_handler.distribute_dofs(dealii::FESystem<2>(FE_SimplexDGModal<2>(degree), 4));
    }

    Triangulation<2> triangulation;
    MappingFE<2>     mapping;
    DoFHandler<2>    dof_handler;
  };
} // namespace Saltus::Tests

#endif
