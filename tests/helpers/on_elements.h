// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_on_elements_h
#define saltus_tests_helpers_on_elements_h

#include <deal.II/lac/la_parallel_vector.h>

#include <saltus/base/algebra/vector.h>
#include <saltus/operators/spaces/dof_map.h>

namespace Saltus::Tests
{
  /// A solution in the order of a mesh's elements.
  template <typename Number = double, int dim>
  Vector<Number>
  on_elements(const ElementMesh<dim>                                   &mesh,
              const dealii::DoFHandler<dim>                            &dof_handler,
              const dealii::LinearAlgebra::distributed::Vector<double> &solution,
              const Device                                              device = Device::cpu())
  {
    const dealii::FiniteElement<dim> &fe = dof_handler.get_fe();
    Vector<Number>                    result(device,
                          mesh.n_elements(),
                          fe.n_dofs_per_cell() / fe.n_components(),
                          fe.n_components());
    DoFMap(mesh, dof_handler).copy_from(result, solution);
    return result;
  }
} // namespace Saltus::Tests

#endif
