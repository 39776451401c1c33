// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_stabilization_operator_h
#define saltus_operators_flow_stabilization_operator_h

#include <deal.II/base/subscriptor.h>

#include <saltus/operators/flow/kernels/stabilization_element.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/hanging_faces.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <memory>

namespace Saltus
{
  template <int, typename>
  class MixedStabilizationOperator;

  /// The mass matrix of velocities with penalties on their divergence and on jumps of their normal
  /// components, \f[
  ///   (v, u) + \Delta t \left[ \sum_K (\nabla\cdot v, \tau_D \nabla\cdot u)_K +
  ///   \sum_F \langle [v] \cdot n, \tau_C\, [u] \cdot n \rangle_F \right], \qquad
  ///   \tau_D = \zeta_D |\bar w| \frac{h}{p+1}, \quad \tau_C = \zeta_C |\bar w|, \f]
  /// with the mean \f$\bar w\f$ of a velocity w over the reference cell of an element, the length
  /// \f$ h = |K|^{1/d} \f$, the average of both sides in \f$\tau_C\f$, and faces F inside the
  /// domain or at periodic boundaries (Fehn, Wall and Kronbichler, Int. J. Numer. Methods Fluids
  /// 88, 2018). It is symmetric and positive. Where faces hang, F are the
  /// smaller ones.
  /// Every call before reinit() throws dealii::ExcMessage.
  template <int dim, typename Number = double>
  class StabilizationOperator : public dealii::Subscriptor
  {
  public:
    using value_type = Number;
    using size_type  = dealii::types::global_dof_index;

    struct AdditionalData
    {
      double divergence = 1.; ///< \f$\zeta_D\f$, not negative
      double continuity = 1.; ///< \f$\zeta_C\f$, not negative
    };

    /// @throws dealii::ExcMessage for a degree that was not compiled, and for numbers out of range
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const unsigned int                             degree,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// Set the penalties: those of the velocity @p w, whose ghosts change.
    void
    set_penalties(const Vector<Number> &w, const double dt);

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

    /// `dst = A src`
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      apply(dst, src, dt);
    }

    /// The matrix is symmetric.
    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

    /// `dst = M src`, without penalties.
    void
    mass_vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      apply(dst, src, 0.);
    }

    /// Floating-point operations of one application: sums over modes and points.
    double
    flops() const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      const std::size_t of_space = set_up_space().table_memory(); // where an error would come first
      return of_space + (speeds.data_size() + lengths.size()) * sizeof(Number) +
             hanging->memory_consumption();
    }

  private:
    template <int, typename>
    friend class MixedStabilizationOperator;

    /// @throws dealii::ExcMessage before reinit()
    const ElementSpace<dim, Number> &
    set_up_space() const
    {
      AssertThrow(space != nullptr,
                  dealii::ExcMessage(
                    "The stabilization operator is not set up: call reinit() first."));
      return *space;
    }

    VectorLayout
    layout() const
    {
      return set_up_space().layout(space->reference.n_modes, dim);
    }

    void
    apply(Vector<Number> &dst, const Vector<Number> &src, const double dt) const;

    AdditionalData                                                     data;
    std::shared_ptr<const ElementSpace<dim, Number>>                   space; ///< of scalars
    KernelsOfRanges<RangeKernels<StabilizationArguments<dim, Number>>> kernels;
    std::shared_ptr<const GhostExchange<Number>>                       traces, means;
    Memory<Number>                              lengths; ///< as in StabilizationArguments
    Vector<Number>                              speeds;
    double                                      dt = 0.;
    std::unique_ptr<const HangingFaces<Number>> hanging;
  };
} // namespace Saltus

#endif
