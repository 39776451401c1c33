// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_viscous_operator_h
#define saltus_operators_flow_viscous_operator_h

#include <deal.II/base/subscriptor.h>

#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/operators/flow/flow_boundary_conditions.h>
#include <saltus/operators/flow/kernels/slip_wall.h>
#include <saltus/operators/spaces/boundary_values.h>

#include <memory>

namespace Saltus
{
  /// The symmetric interior penalty discretisation of \f$ -\Delta u + \lambda u \f$ (Karakus et
  /// al., equations 13 and 17b) for all components of a velocity, as a matrix for deal.II's
  /// solvers: one pass over the vectors an application. The penalty is that of LaplaceOperator.
  ///
  /// Where the velocity is given, u = g; at an outflow du/dn = 0 or what is given; at a slip wall
  /// u.n = 0 and the derivative of the other components is 0, which couples components where the
  /// wall is not perpendicular to an axis.
  template <int dim, typename Number = double>
  class ViscousOperator : public dealii::Subscriptor
  {
  public:
    using value_type = Number;
    using size_type  = dealii::types::global_dof_index;

    struct AdditionalData
    {
      double reaction       = 0.; ///< lambda, not negative
      double penalty_factor = 1.; ///< see LaplaceOperator
    };

    /// @throws dealii::ExcMessage for a boundary id without a condition, for a degree that was not
    /// compiled, and for numbers out of range
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const unsigned int                             degree,
           const FlowBoundaryConditions<dim>             &conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// The same for a given operator of components.
    /// @param component see of_component()
    void
    reinit(const std::shared_ptr<const LaplaceOperator<dim, Number>> &component,
           const FlowBoundaryConditions<dim>                         &conditions,
           const double                                               reaction);

    /// Change lambda.
    void
    set_reaction(const double reaction);

    /// Of `dim` components, like FlowOperators::velocity_space() makes them.
    void
    initialize_vector(Vector<Number> &vector) const
    {
      vector = Vector<Number>(layout());
    }

    /// The same by deal.II's name.
    void
    initialize_dof_vector(Vector<Number> &vector) const
    {
      initialize_vector(vector);
    }

    /// Number of rows, on all ranks.
    std::size_t
    m() const
    {
      return layout().n_entries();
    }

    std::size_t
    n() const
    {
      return m();
    }

    // Vectors that initialize_vector() does not make like that are an error (dealii::ExcMessage).

    /// `dst = A src`, with homogeneous boundary data.
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    void
    vmult_add(Vector<Number> &dst, const Vector<Number> &src) const;

    /// The matrix is symmetric.
    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

    /// Add what boundary data at @p times contributes to a right-hand side.
    void
    add_boundary_data(Vector<Number> &b, const DataTimes &times) const;

    /// The operator of one component without slip walls, where it has Neumann conditions, and with
    /// the reaction 1: its tables and coefficients are used.
    /// @throws dealii::ExcMessage before reinit()
    const LaplaceOperator<dim, Number> &
    of_component() const
    {
      AssertThrow(component != nullptr,
                  dealii::ExcMessage("The viscous operator is not set up: call reinit() first."));
      return *component;
    }

    /// What reinit() sets up as the operator of a component.
    /// @param quadrature_degree linear_degree() of the mesh
    static typename LaplaceOperator<dim, Number>::AdditionalData
    component_data(const double penalty_factor, const unsigned int quadrature_degree);

    /// Floating-point operations of one application without what slip walls add.
    double
    flops() const
    {
      return dim * of_component().flops();
    }

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return of_component().memory_consumption() + data.memory_consumption() +
             reaction_mass.size() * sizeof(Number) + hanging.memory_consumption();
    }

  private:
    VectorLayout
    layout() const
    {
      const auto &space = of_component().element_space();
      return space.layout(space.reference.n_modes, dim);
    }

    void
    check(const Vector<Number> &vector) const
    {
      check_layout(vector.layout(), layout(), "viscous operator");
    }

    /// `dst = base + A src`; without @p base `dst = A src`
    void
    apply(Vector<Number> &dst, const Vector<Number> &src, const Number *base) const;

    std::shared_ptr<const LaplaceOperator<dim, Number>> component;
    KernelsOfRanges<LaplaceKernels<dim, Number, dim>>   kernels;

    KernelsOfRanges<RangeKernels<SlipWallArguments<dim, Number>>> wall_kernels;
    Memory<FlowBoundary>                                          kinds;
    bool                                                          has_slip = false;

    double                                       reaction = 0.;
    Memory<Number>                               reaction_mass; ///< as in LaplaceArguments
    EllipticBoundaryData<dim, Number, dim>       data;
    std::shared_ptr<const GhostExchange<Number>> traces;
    HangingFormRoom<Number>                      hanging;
  };
} // namespace Saltus

#endif
