// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_flow_operators_h
#define saltus_operators_flow_flow_operators_h

#include <saltus/operators/blocks/mode_transfer.h>
#include <saltus/operators/flow/flow_derivative.h>

#include <memory>
#include <set>

namespace Saltus
{
  template <int, typename>
  class MixedFlowOperators;

  /// The first derivatives of incompressible flow (Karakus et al., section 2.1) with the basis
  /// FE_SimplexDGModal, or FE_HypercubeDG and perhaps with hanging faces: gradient, divergence, and
  /// convection of a velocity by itself or by another one. They share a mesh, with LaplaceOperator
  /// if it is wanted, and every one is done in one pass over the vectors, which can also form the
  /// sum in which it is needed (see VectorSum and FlowUpdate).
  ///
  /// The pressure has the degree of the velocity or a lower one. One less is the choice whose
  /// inf-sup constant does not depend on the mesh: the velocities contain those of Brezzi, Douglas
  /// and Marini, whose divergences are all polynomials of that degree. With equal degrees it falls
  /// like the mesh width.
  ///
  /// With homogeneous data the gradient is minus the transpose of the divergence, in the mass inner
  /// product; on curved elements, too, where its inverse is the weight-adjusted one and the rules
  /// are exact, see linear_degree().
  template <int dim, typename Number = double>
  class FlowOperators
  {
  public:
    using value_type = Number;
    using VectorType = Vector<Number>;

    struct AdditionalData
    {
      /// What the quadrature of convection integrates exactly, in elements and on faces; 0: 3p,
      /// the degree of its products. On faces at most what symmetric rules can: 14 on those of
      /// tetrahedra.
      unsigned int convection_degree = 0;
      /// See Convection.
      double backflow_stabilization = 0.;
    };

    /// @param velocity,pressure with `FESystem<dim>(FE_SimplexDGModal<dim>(p), dim)` and
    /// `FE_SimplexDGModal<dim>(k)`, k <= p, or FE_HypercubeDG, on the triangulation of @p mesh
    /// @throws dealii::ExcMessage for other elements, a boundary id without a condition, and
    /// degrees that were not compiled
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const dealii::DoFHandler<dim>                 &velocity,
           const dealii::DoFHandler<dim>                 &pressure,
           const FlowBoundaryConditions<dim>             &conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// The same without numberings of deal.II's: the spaces cannot copy to and from its vectors.
    /// Velocity and pressure have the same degree.
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const unsigned int                             degree,
           const FlowBoundaryConditions<dim>             &conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// Makes vectors of velocities, and copies between deal.II's numbering and its own.
    const ElementSpace<dim, Number> &
    velocity_space() const
    {
      check_set_up();
      return *velocity;
    }

    /// The same for pressures.
    const ElementSpace<dim, Number> &
    pressure_space() const
    {
      check_set_up();
      return *pressure;
    }

    Vector<Number>
    make_velocity() const
    {
      return velocity_space().make_vector();
    }

    Vector<Number>
    make_pressure() const
    {
      return pressure_space().make_vector();
    }

    /// As on a mesh that mixes shapes, see MixedFlowOperators.
    unsigned int
    n_parts() const
    {
      return 1;
    }

    const FlowOperators &
    part(const unsigned int /*i*/) const
    {
      return *this;
    }

    // Of all functions below: dst must not be an input; vectors that the spaces do not make like
    // that are an error (dealii::ExcMessage). Boundary data is that at @p times.

    /// \f$ \nabla p \f$ (equation 11)
    void
    gradient(Vector<Number>           &dst,
             const VectorSum<Number>  &p,
             const DataTimes          &times  = {},
             const FlowUpdate<Number> &update = {}) const;

    /// \f$ \nabla \cdot u \f$ (equation 12), projected to the pressures
    /// @param update an accumulator is possible for pressures of the velocity's degree only
    void
    divergence(Vector<Number>           &dst,
               const VectorSum<Number>  &u,
               const DataTimes          &times  = {},
               const FlowUpdate<Number> &update = {}) const;

    /// \f$ \nabla \cdot (u \otimes u) \f$ (equation 8)
    void
    convection(Vector<Number>           &dst,
               const VectorSum<Number>  &u,
               const DataTimes          &times  = {},
               const FlowUpdate<Number> &update = {}) const
    {
      convection_.apply(dst, {{u}}, times, update);
    }

    /// \f$ \nabla \cdot (w \otimes u) \f$ (equation 21): u is carried by @p w, for example by a
    /// polynomial in time through earlier velocities
    /// @param carried u where a velocity is given, which is w there
    void
    transport(Vector<Number>           &dst,
              const VectorSum<Number>  &u,
              const VectorSum<Number>  &w,
              const DataTimes          &times   = {},
              const FlowUpdate<Number> &update  = {},
              const CarriedData        &carried = {}) const
    {
      transport_.apply(dst, {{u, w}}, times, update, carried, inflow.get());
    }

    /// Set the acceleration of the fluid that enters, for transport() in a step.
    void
    update_inflow(const double time, const double dt) const
    {
      check_set_up();
      inflow->update(time, dt);
    }

    /// The CFL number of a step of length 1 with the velocity @p u, on all ranks: the largest
    /// \f$ c \sum_F |F|\, |u \cdot n| / |K| \f$ at a vertex or a volume point of an element, where
    /// c is \f$ (2p+1) / (2d) \f$ on simplices and \f$ (p+1)(p+2)/4 \f$ on hypercubes. Not a number
    /// if u is none.
    ///
    /// On uniform hypercubes of size h in a uniform stream, the largest eigenvalue of convection()
    /// is 1.93 (p = 7) to 2 (p = 1) times \f$ (p+1)(p+2) \sum_d |u_d| / h \f$, four times this
    /// rate; that of transport() is half as large.
    double
    convection_rate(const Vector<Number> &u) const;

    /// What passes through outflow boundaries.
    struct OutflowRates
    {
      double out, in; ///< integrals of the positive and of the negative part of u.n, both positive
    };

    /// On all ranks, computed on the host.
    OutflowRates
    outflow_rates(const Vector<Number> &u) const;

    /// For velocities that are terms of several sums: see VectorSum::Term.
    void
    update_velocity_ghosts(const Vector<Number> &u) const
    {
      transport_.update_ghosts(u);
    }

    /// Floating-point operations, see FlowDerivative.
    double
    gradient_flops() const
    {
      return gradient_.flops();
    }

    double
    divergence_flops() const
    {
      return divergence_.flops();
    }

    double
    convection_flops() const
    {
      return convection_.flops();
    }

    double
    transport_flops() const
    {
      return transport_.flops();
    }

    /// Bytes on the device, without the mesh.
    std::size_t
    memory_consumption() const;

  private:
    friend class MixedFlowOperators<dim, Number>;

    /// In which derivatives of pressures and of velocities are.
    static std::shared_ptr<const ElementSpace<dim, Number>>
    scalar_space(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const unsigned int                             degree,
                 const Device                                   device);

    void
    check_set_up() const;

    void
    set_up(const FlowBoundaryConditions<dim> &conditions, const AdditionalData &additional_data);

    /// Whether pressures are of a lower degree than velocities.
    bool
    pressure_is_lower() const
    {
      return pressure != scalar;
    }

    /// Set `embedded` to a sum of pressures.
    void
    embed(const VectorSum<Number> &sum) const;

    /// Of pressures: as they are, and with the velocity's degree, in which they are differentiated.
    std::shared_ptr<const ElementSpace<dim, Number>> velocity, pressure, scalar;

    std::set<dealii::types::boundary_id> outflows;

    ModeTransfer<Number>   transfer; ///< between `scalar` and pressures of a lower degree
    mutable Vector<Number> embedded, derivative; ///< of `scalar`, if pressures are such

    FlowDerivative<PressureGradient<dim>, Number>    gradient_;
    FlowDerivative<VelocityDivergence<dim>, Number>  divergence_;
    FlowDerivative<Convection<dim, true>, Number>    convection_;
    FlowDerivative<Convection<dim, false>, Number>   transport_;
    std::unique_ptr<InflowAcceleration<dim, Number>> inflow;
  };
} // namespace Saltus

#endif
