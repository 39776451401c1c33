// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_flow_fields_h
#define saltus_operators_flow_flow_fields_h

#include <saltus/operators/blocks/mode_transfer.h>
#include <saltus/operators/spaces/element_sums.h>
#include <saltus/operators/spaces/integral_rule.h>

namespace Saltus
{
  /// Integrals over the domain of an incompressible flow.
  struct FlowIntegrals
  {
    double kinetic_energy;  ///< \f$ \frac12 \int |u|^2 \f$
    double enstrophy;       ///< \f$ \frac12 \int |\nabla\times u|^2 \f$, element by element
    double divergence_norm; ///< \f$ (\int (\nabla\cdot u)^2)^{1/2} \f$, element by element
  };

  /// What is looked at in an incompressible flow: velocity, pressure and the derivatives of the
  /// velocity in each element, as one function with n_components: `u_c`, `p`, and `[c][d]` for \f$
  /// \partial u_c/\partial x_d \f$. All of it is on the device until copy_to().
  template <int dim>
  class FlowFields
  {
  public:
    using value_type = double;

    static constexpr unsigned int n_components = dim + 1 + dim * dim;

    /// @param dof_handler with `FESystem<dim>(FE_SimplexDGModal<dim>(p), n_components)`, or
    /// FE_HypercubeDG
    /// @throws dealii::ExcMessage for another element
    FlowFields(const std::shared_ptr<const ElementMesh<dim>> &mesh,
               const dealii::DoFHandler<dim>                 &dof_handler,
               const Device                                   device);

    /// The same without a numbering of deal.II's: copy_to() may not be called.
    FlowFields(const std::shared_ptr<const ElementMesh<dim>> &mesh,
               const unsigned int                             degree,
               const Device                                   device);

    /// The vector of all fields.
    Vector<double>
    make_vector() const
    {
      return space->make_vector();
    }

    /// @param velocity,pressure as FlowOperators makes them, the velocity of the fields' degree
    void
    evaluate(Vector<double>       &fields,
             const Vector<double> &velocity,
             const Vector<double> &pressure) const;

    /// On all ranks.
    /// @param fields from evaluate()
    FlowIntegrals
    integrals(const Vector<double> &fields) const;

    /// To deal.II's numbering.
    template <typename VectorType>
    void
    copy_to(VectorType &to, const Vector<double> &fields) const
    {
      space->copy_to(to, fields);
    }

  private:
    /// @p pressure in the basis of the fields.
    const Vector<double> &
    embed(const Vector<double> &pressure) const;

    const std::shared_ptr<const ElementSpace<dim, double>> space;
    const IntegralRule<dim, double>                        rule;
    const ElementSums                                      sums;
    const Memory<double> derivatives; ///< see ElementOperation::FlowFields

    // Made where the pressure is of a lower degree.
    mutable unsigned int         n_embedded = 0; ///< modes of the pressure
    mutable Vector<double>       embedded;
    mutable ModeTransfer<double> transfer;
  };
} // namespace Saltus

#endif
