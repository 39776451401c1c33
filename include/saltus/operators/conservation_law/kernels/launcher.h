// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_launcher_h
#define saltus_operators_conservation_law_kernels_launcher_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/device/time_state.h>
#include <saltus/mesh/element_range.h>
#include <saltus/mesh/mesh_arrays.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/conservation_law/kernels/viscosity_arrays.h>
#include <saltus/operators/spaces/element_tables.h>
#include <saltus/operators/spaces/failure.h>
#include <saltus/operators/spaces/hanging_gradients.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/physics/boundary_kind.h>
#include <saltus/physics/second_order_flux.h>
#include <saltus/physics/stage_update.h>

/// The narrow interface between the operators and their back ends: plain structs of pointers and
/// sizes. A CPU back end receives host pointers, the CUDA back end device pointers. Nothing here
/// needs deal.II or CUDA.
///
/// Index directions: `e` element, `l` element in its block, `m` mode, `c` component, `q` quadrature
/// point, `f` face of an element, `d` direction in space, `r` reference direction, `b` boundary
/// face, `g` given face, `o` orientation. Arrays list their indices slowest first.
namespace Saltus
{
  /// What holds on a boundary face.
  struct BoundaryFaceData
  {
    BoundaryKind  kind   = BoundaryKind::outflow;
    unsigned char n_data = 0; ///< numbers given at each point, see BoundaryCondition
    unsigned char face   = 0; ///< which face of its element it is
    /// Whether there is an element of another shape: the data are its state, and where there is a
    /// second-order flux its gradient, `[d][c]`, its artificial viscosity, if there is any, and the
    /// factor of the penalty.
    bool        is_inside  = false;
    int         element    = 0;
    std::size_t first_data = 0; ///< where they begin in BoundaryArrays::data
  };

  /// Data at boundary faces.
  template <typename Number>
  struct BoundaryArrays
  {
    int                     n_faces = 0;
    const BoundaryFaceData *faces   = nullptr; ///< `[b]`
    const Number           *data = nullptr; ///< for each face `[q][n_data]`; states are conserved
    const Number           *normals = nullptr; ///< `[b][q][d]`: unit normals of the true boundary
    /// `[b][q][c]`: room for the states outside, then for the fluxes, on GPUs. Behind them those of
    /// GivenFaces.
    Number *states = nullptr;
    /// `[b][c]`: time integral of the numerical flux out of the domain through each face.
    double *outflow = nullptr;

    /// What is given at point @p q of boundary face @p b.
    SALTUS_HOST_DEVICE
    const Number *
    numbers_at(const int b, const int q) const
    {
      const BoundaryFaceData &face = faces[b];
      return data + face.first_data + q * face.n_data;
    }

    /// The same filled up with zeros.
    template <int n>
    SALTUS_HOST_DEVICE
    Array<Number, n>
    data_at(const int b, const int q) const
    {
      const int        n_data = faces[b].n_data;
      const Number    *from   = numbers_at(b, q);
      Array<Number, n> values;
      for (int i = 0; i < n; ++i)
        values[i] = i < n_data ? from[i] : Number(0);
      return values;
    }
  };

  /// Given faces, `g`, are those across which kernels cannot read a neighbour as on other faces: at
  /// present, interior faces with another number on their other side. The states across are filled
  /// in before the kernels run, which treat such a face like boundary face `n_boundary_faces + g`.
  /// No ghost is behind one, see FaceConnectivity::Ghost: so nothing waits for messages.
  struct GivenFaces
  {
    int               n         = 0;
    const FaceRecord *neighbors = nullptr; ///< `[g]`: what is across
    const FaceRecord *faces     = nullptr; ///< MeshArrays::faces with given faces at the boundary
  };

  /// Coefficient fields of a law (the velocity of linear advection) at the quadrature points.
  template <typename Number>
  struct FieldArrays
  {
    const Number *volume = nullptr; ///< `[block][q][l][field]`
    const Number *face   = nullptr; ///< `[block][f][q][l][field]`
  };

  /// What one stage reads and writes. `out` must differ from `u`; it may be `base`.
  template <typename Law, typename Number>
  struct StageArguments
  {
    Law                    law;
    ElementTables<Number>  tables;
    MeshArrays<Number>     mesh;
    StoredArrays<Number>   stored;
    BoundaryArrays<Number> boundary;
    GivenFaces             given;
    HangingArrays<Number>  hanging; ///< if there are any, their records are those of the mesh
    FieldArrays<Number>    fields;
    StageCoefficients      coefficients;
    const Number          *u           = nullptr; ///< see CoefficientLayout
    const Number          *base        = nullptr; ///< read where the coefficients say so
    Number                *accumulator = nullptr; ///< s: read where A, written where w is not 0
    Number                *out         = nullptr;
    /// As u, over the mean of \f$ |\det J| \f$: those of SecondOrderElement, which are there
    /// before; nullptr: none.
    Number          *second_order_terms = nullptr;
    const TimeState *time               = nullptr;
    const double    *dt                 = nullptr; ///< \f$ \Delta t \f$ in the update
    FailureRecord    failure;

    /// Of the mesh's range.
    RangeLaunch launch;
  };

  /// Arguments of what comes before a stage where there is a second-order flux, see
  /// SecondOrderElement: `second_order_terms` are written, tables and stored geometry those of its
  /// rules, see second_order_volume_degree().
  template <typename Law, typename Number>
  struct SecondOrderArguments : public StageArguments<Law, Number>
  {
    using value_type = Number;

    ViscosityArrays<Number> viscosities; ///< artificial
    int                     degree = 0;

    HangingGradients<Number> gradients; ///< its records are those of the mesh

    /// `[b][q][i][c]`: room on GPUs for what SecondOrderTerms::set_boundary() gives, the normal
    /// flux and twice the jump
    Number *boundary_terms = nullptr;
  };

  /// Arguments of the step size: \f[ \Delta t = \frac{\text{CFL}}{2p+1} \min_K
  /// \frac{2\,d\,|K|}{\sum_{F\subset\partial K} |F| \lambda_F} \f] with the wave speeds
  /// \f$\lambda_F\f$ of the element's mean state in the direction of each face's normal: for one
  /// speed, the diameter of the inscribed ball over it. On faces that are curved, the
  /// largest product of area and speed at their points counts; \f$|K|\f$ is multiplied with the
  /// least of \f$ \det J \f$ over its mean, as the inverse mass matrix sees it. Second-order fluxes
  /// add to the wave speeds, see diffusion_rate().
  ///
  /// In elements marked by `at_points`, the states at the quadrature points may count, too. They do
  /// if a positive quantity is below `low` of its value for the mean at one of these points. Gas of
  /// low density has fast sound. Means stay positive if steps respect the largest wave speed at the
  /// points (X. Zhang and C.-W. Shu, J. Comput. Phys. 229, 2010).
  template <typename Law, typename Number>
  struct StepSizeArguments
  {
    Law                    law;
    ElementTables<Number>  tables;
    MeshArrays<Number>     mesh;
    StoredArrays<Number>   stored;
    BoundaryArrays<Number> boundary; ///< read at faces to elements of other shapes
    FieldArrays<Number>    fields;
    HangingArrays<Number>  hanging; ///< if there are any, their records are those of the mesh
    int                    degree = 0;
    const Number          *u      = nullptr;

    /// `[e]`: not 0 where the states at points may matter, see LimiterArguments; nullptr: nowhere
    const unsigned char    *at_points = nullptr;
    static constexpr double low       = 0.5;

    ViscosityArrays<Number> viscosities; ///< artificial

    TimeState *time = nullptr; ///< `dt` is written
    /// `[block][l]`: is written, the step size of every element alone; nullptr: nobody wants it
    Number       *steps = nullptr;
    FailureRecord failure;
  };

  /// Arguments of ArtificialViscosity: those of the step size and
  template <typename Law, typename Number>
  struct ViscosityArguments : public StepSizeArguments<Law, Number>
  {
    ArtificialViscosity artificial;
    Number             *chosen = nullptr; ///< `[e]` is written, as a vector with one mode
  };

  /// Arguments of the limiters, which work in place: ElementLimiter, for degree 1 and affine
  /// elements, and PositiveElement.
  template <typename Law, typename Number>
  struct LimiterArguments
  {
    Law                   law;
    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;
    StoredArrays<Number>  stored;
    HangingArrays<Number> hanging; ///< if there are any, their records are those of the mesh
    Number               *u = nullptr;

    /// `[point][m]`: the modes at points besides those of the rules, at which quantities are to be
    /// positive, too
    const Number *more_values   = nullptr;
    int           n_more_points = 0;

    /// `[block][f][d][l]`: mode 1 + d of the element, at the centroid of its neighbor across face
    /// f; 0 at the boundary. Only simplices of degree 1 have this array.
    const Number *to_neighbors = nullptr;

    /// `[e]` is written by PositiveElement: 1 where a positive quantity is below `low` of its value
    /// for the mean at a point, else 0. The margin to StepSizeArguments::low is for rounding.
    unsigned char          *at_points = nullptr;
    static constexpr double low       = 1.2 * StepSizeArguments<Law, Number>::low;
  };

  /// Kernels of one law on one kind of element in one precision. All calls are asynchronous where
  /// the back end is; they are ordered among each other.
  template <typename Law, typename Number>
  class ConservationLawKernels : public KernelSet
  {
  public:
    using value_type = Number;

    /// Begin to compile the kernels of a stage with such arguments, where a run compiles kernels.
    virtual void
    prepare(const StageArguments<Law, Number> & /*arguments*/) const
    {}

    /// A stage of the mesh's range of elements. Several ranges may be worked on at a time.
    virtual void
    stage(const StageArguments<Law, Number> &arguments) const = 0;

    /// Whether stages read GivenFaces; otherwise they read the neighbours themselves.
    virtual bool
    takes_given_faces() const
    {
      return false;
    }

    /// Set the fluxes through hanging faces with ghosts, or through those without, where there is a
    /// kernel for that.
    /// @return whether there is one
    virtual bool
    set_hanging_fluxes(const StageArguments<Law, Number> & /*arguments*/,
                       const bool /*with_ghosts*/) const
    {
      return false;
    }

    /// What comes before and after the ranges of a stage, if anything does; after them with the
    /// arguments of the last one.
    virtual void
    begin_stage(const StageArguments<Law, Number> & /*arguments*/) const
    {}

    virtual void
    end_stage(const StageArguments<Law, Number> & /*arguments*/) const
    {}

    virtual void
    set_viscosities(const ViscosityArguments<Law, Number> &arguments) const = 0;

    /// Write `dt` of the next step into the time state.
    virtual void
    step_size(const StepSizeArguments<Law, Number> &arguments) const = 0;

    /// Advance `time` by `dt` and count the step.
    virtual void
    finish_step(TimeState *time) const = 0;

    virtual void
    limit(const LimiterArguments<Law, Number> &arguments) const = 0;

    /// See PositiveElement; of the mesh's range.
    virtual void
    limit_to_positive(const LimiterArguments<Law, Number> &arguments) const = 0;

    /// L2 projection: @p values `[block][q][l][c]` at the volume points to coefficients.
    virtual void
    project(const ElementTables<Number> &tables,
            const int                    n_elements,
            const Number                *values,
            Number                      *u) const = 0;

    /// Turn @p n_points primitive states `[point][c]` into conserved ones, in place.
    virtual void
    primitive_to_conserved(const Law &law, const std::size_t n_points, Number *states) const = 0;
  };

  /// What finds the terms of a law's second-order flux, or of artificial viscosity.
  template <typename Law, typename Number>
  using SecondOrderKernels = RangeKernels<SecondOrderArguments<Law, Number>>;
} // namespace Saltus

#endif
