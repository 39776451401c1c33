// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/kernels/flow_element_operations.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Matrices of the derivatives in the basis of the reference cell, `[r][m][n]`.
    template <int dim>
    std::vector<double>
    derivative_matrices(const ReferenceElement<dim> &reference)
    {
      const unsigned int  n_modes = reference.n_modes;
      std::vector<double> result(dim * n_modes * n_modes);
      for (unsigned int q = 0; q < reference.n_volume_points(); ++q)
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int m = 0; m < n_modes; ++m)
            for (unsigned int n = 0; n < n_modes; ++n)
              result[(r * n_modes + m) * n_modes + n] +=
                reference.volume_weights[q] * reference.volume_values[q * n_modes + m] *
                reference.volume_gradients[(q * dim + r) * n_modes + n];
      return result;
    }

    /// The basis with @p n_modes, of the shape's.
    template <int dim>
    Basis<dim>
    basis_of_size(const ReferenceElement<dim> &reference, const unsigned int n_modes)
    {
      unsigned int degree = 0;
      while (Basis<dim>(reference.reference_cell, degree).n_modes() < n_modes)
        ++degree;
      return {reference.reference_cell, degree};
    }
  } // namespace

  template <int dim>
  FlowFields<dim>::FlowFields(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                              const DoFHandler<dim>                         &dof_handler,
                              const Device                                   device)
    : space(std::make_shared<const ElementSpace<dim, double>>(mesh,
                                                              dof_handler,
                                                              2 * dof_handler.get_fe(0).degree,
                                                              0,
                                                              device))
    , rule(*space)
    , sums(*space)
    , derivatives(device, derivative_matrices(space->reference))
  {
    AssertThrow(space->n_components == n_components,
                ExcMessage("The fields of a flow are " + std::to_string(n_components) +
                           " components, but the element has " +
                           std::to_string(space->n_components) + "."));
  }

  template <int dim>
  FlowFields<dim>::FlowFields(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                              const unsigned int                             degree,
                              const Device                                   device)
    : space(ElementSpace<dim, double>::shared(mesh, degree, n_components, 2 * degree, 0, device))
    , rule(*space)
    , sums(*space)
    , derivatives(device, derivative_matrices(space->reference))
  {}

  template <int dim>
  const Vector<double> &
  FlowFields<dim>::embed(const Vector<double> &pressure) const
  {
    const unsigned int n_modes = space->reference.n_modes, n_of_pressure = pressure.n_modes();
    if (n_of_pressure == n_modes)
      return pressure;
    if (n_of_pressure != n_embedded)
      {
        embedded   = Vector<double>(space->layout(n_modes, 1));
        transfer   = ModeTransfer<double>(space->device,
                                        space->reference.basis.embedding(
                                          basis_of_size(space->reference, n_of_pressure)));
        n_embedded = n_of_pressure;
      }
    embedded = 0.;
    transfer.add_embedded(embedded, pressure);
    return embedded;
  }

  template <int dim>
  void
  FlowFields<dim>::evaluate(Vector<double>       &fields,
                            const Vector<double> &velocity,
                            const Vector<double> &pressure) const
  {
    const unsigned int n_modes = space->reference.n_modes;
    check_layout(fields.layout(), space->layout(), "fields of a flow");
    check_layout(velocity.layout(), space->layout(n_modes, dim), "fields of a flow");
    check_layout(pressure.layout(),
                 space->layout(std::min(n_modes, pressure.n_modes()), 1),
                 "fields of a flow");
    launch(space->device,
           space->n_elements(),
           ElementOperation::FlowFields<dim, double>{space->element_tables(),
                                                     space->stored_arrays(),
                                                     derivatives.data(),
                                                     space->mesh_arrays().inverse_jacobians,
                                                     velocity.data(),
                                                     embed(pressure).data(),
                                                     fields.data()});
  }

  template <int dim>
  FlowIntegrals
  FlowFields<dim>::integrals(const Vector<double> &fields) const
  {
    check_layout(fields.layout(), space->layout(), "integrals of a flow");
    Memory<double> of_elements = sums.make_array(3);
    launch(space->device,
           space->n_elements(),
           ElementOperation::FlowSquares<dim, double>{int(space->n_elements()),
                                                      rule.tables(),
                                                      rule.stored_arrays(),
                                                      fields.data(),
                                                      of_elements.data()});
    const std::vector<double> squares = sums.sums(3, of_elements);
    return {0.5 * squares[0], 0.5 * squares[1], std::sqrt(squares[2])};
  }

  template class FlowFields<2>;
  template class FlowFields<3>;
} // namespace Saltus
