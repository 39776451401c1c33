// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_laplace_operator_h
#define saltus_operators_laplace_operator_h

#include <deal.II/base/subscriptor.h>

#include <saltus/operators/element_space.h>
#include <saltus/operators/laplace_launcher.h>
#include <saltus/operators/state_function.h>

#include <map>
#include <memory>
#include <vector>

namespace Saltus
{
  /// What holds on each part of the boundary of an elliptic problem, by boundary id.
  template <int dim>
  class EllipticBoundaryConditions
  {
  public:
    struct Condition
    {
      EllipticBoundary   kind  = EllipticBoundary::dirichlet;
      double             robin = 0;
      StateFunction<dim> data; ///< empty: zero
    };

    /// u = @p data
    void
    set_dirichlet(const dealii::types::boundary_id id, const StateFunction<dim> &data = {});

    /// k du/dn = @p data
    void
    set_neumann(const dealii::types::boundary_id id, const StateFunction<dim> &data = {});

    /// k du/dn + @p coefficient u = @p data
    void
    set_robin(const dealii::types::boundary_id id,
              const double                     coefficient,
              const StateFunction<dim>        &data = {});

    /// The two parts of the boundary are one, up to a translation.
    void
    set_periodic(const dealii::types::boundary_id first, const dealii::types::boundary_id second);

    /// @throws dealii::ExcMessage if there is none for @p id
    const Condition &
    at(const dealii::types::boundary_id id) const;

    const std::vector<PeriodicBoundary> &
    periodic() const
    {
      return periodic_pairs;
    }

  private:
    void
    set(const dealii::types::boundary_id id, const Condition &condition);

    std::map<dealii::types::boundary_id, Condition> by_id;
    std::vector<PeriodicBoundary>                   periodic_pairs;
  };

  /// The symmetric interior penalty discretisation of \f$ -\nabla\cdot(k \nabla u) + \lambda u \f$
  /// with the basis FE_SimplexDGModal, for constant \f$k > 0\f$ and \f$\lambda \ge 0\f$, as a
  /// matrix for deal.II's solvers. One pass over the vectors an application; no matrix is stored.
  ///
  /// The penalty of a face is \f[ \tau = \text{factor}\; \frac{d+1}{2}\, \frac{(p+1)(p+d)}{d}\,
  /// k \max\left(\frac{|F|}{|K^+|}, \frac{|F|}{|K^-|}\right), \f] twice that at Dirichlet
  /// boundaries: with the factor 1 the form is positive on every mesh (Shahbazi, J. Comput. Phys.
  /// 205, 2005). Equation 14 of Karakus et al. is the factor 2/(d+1).
  template <int dim, typename Number = double>
  class LaplaceOperator : public dealii::Subscriptor
  {
  public:
    using value_type = Number;
    using size_type  = dealii::types::global_dof_index;

    struct AdditionalData
    {
      double diffusion      = 1; ///< k
      double reaction       = 0; ///< lambda
      double penalty_factor = 1;
    };

    /// @param mapping affine on simplices
    /// @param dof_handler of the scalar FE_SimplexDGModal on a conforming mesh
    /// @param boundary_conditions one for every boundary id of the mesh
    /// @throws dealii::ExcMessage for anything that these do not satisfy, coefficients out of
    /// range, and a degree that was not compiled for the device
    void
    reinit(const dealii::Mapping<dim>            &mapping,
           const dealii::DoFHandler<dim>         &dof_handler,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const AdditionalData                  &additional_data,
           const Device                           device);

    void
    initialize_vector(Vector<Number> &vector) const
    {
      vector = space->make_vector();
    }

    /// Between deal.II's numbering and the operator's.
    void
    copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const
    {
      space->copy_from(to, from);
    }

    void
    copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const
    {
      space->copy_to(to, from);
    }

    size_type
    m() const
    {
      return static_cast<size_type>(space->n_elements()) * space->reference.n_modes;
    }

    size_type
    n() const
    {
      return m();
    }

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

    void
    Tvmult_add(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult_add(dst, src);
    }

    /// Right-hand side for the equation with the source @p source (empty: zero) and the boundary
    /// data.
    void
    right_hand_side(Vector<Number> &b, const StateFunction<dim> &source) const;

  private:
    LaplaceArguments<Number>
    arguments(const Vector<Number> &src, Vector<Number> &dst) const;

    void
    set_up_boundary(const EllipticBoundaryConditions<dim> &boundary_conditions);

    AdditionalData                                   data;
    std::unique_ptr<const ElementSpace<dim, Number>> space;
    std::unique_ptr<LaplaceKernels<Number>>          kernels;
    Memory<EllipticBoundary>                         boundary_kinds;
    Memory<Number>                                   robin_coefficients, boundary_data;
  };
} // namespace Saltus

#endif
