// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_stabilization_points_h
#define saltus_operators_flow_kernels_stabilization_points_h

#include <saltus/operators/flow/kernels/stabilization_launcher.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// The stabilization operator at the points of an ElementGroup, see FlowPoints: the penalty on
  /// divergences is a flux in the volume, that on jumps of normal components one through faces.
  template <GeometryKind kind,
            int          dim_,
            typename T_,
            typename Number_,
            int width_,
            typename Tables_>
  class StabilizationPoints : protected ElementGroup<kind, dim_, T_, Number_, width_, Tables_>
  {
  public:
    using T      = T_;
    using Number = Number_;
    using Tables = Tables_;

    static constexpr int dim = dim_, width = width_;

    using Arguments = StabilizationArguments<dim, Number>;

    static constexpr int  n_in = dim, n_out = dim, n_inputs = 1, n_components = dim;
    static constexpr bool has_divergence = true;

  protected:
    using Group = ElementGroup<kind, dim, T, Number, width, Tables>;
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using typename Group::Geometry;

    using Input  = Array<T, n_in>;
    using Output = Array<T, n_out>;

    struct Face : Group::Face
    {
      T penalty; ///< none of stand-ins for several neighbours
    };

    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    StabilizationPoints(const Arguments &arg, const Tables &tables, const int first)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
    {
      for (int l = 0; l < width; ++l)
        set_lane(penalty, l, arg.divergence_penalty(elements[l]));
    }

    SALTUS_HOST_DEVICE
    bool
    has_volume() const
    {
      return arg.divergence_factor > 0;
    }

    SALTUS_HOST_DEVICE
    bool
    has_faces() const
    {
      return arg.jump_factor > 0;
    }

    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_terms(const int, const Body &body) const
    {
      body(Number(1), arg.u);
    }

    /// What the derivative in reference direction @p i is of the divergence at point @p q, times
    /// the relative volume.
    SALTUS_HOST_DEVICE
    T
    divergence_part(const int q, const int i, const Input &derivative) const
    {
      return dot<dim>(geometry.metric(q, i), derivative);
    }

    /// @param divergence the sum of these parts
    SALTUS_HOST_DEVICE
    void
    set_fluxes(const int q, const T &weight, const T &divergence, Output (&flux)[dim]) const
    {
      const auto &map  = geometry.at_volume_point(q);
      const T     here = weight * penalty / geometry.relative_volume(q) * divergence;
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        for (int d = 0; d < dim; ++d)
          flux[i][d] = here * map.metric(i)[d];
    }

    SALTUS_HOST_DEVICE
    Face
    face(const int f) const
    {
      Face result;
      static_cast<typename Group::Face &>(result) = Group::face(f);
      for (int l = 0; l < width; ++l)
        set_lane(result.penalty, l, arg.jump_penalty(elements[l], result.across[l]));
      return result;
    }

    SALTUS_HOST_DEVICE
    Output
    face_flux(Face         &face,
              const int     f,
              const int     q,
              const Number &weight,
              const Input  &inside,
              const Input  &outside) const
    {
      this->at_point(face, f, q);
      T jump = (inside[0] - outside[0]) * face.normal[0];
      for (int d = 1; d < dim; ++d)
        jump = jump + (inside[d] - outside[d]) * face.normal[d];
      jump = T(weight) * face.length * face.penalty * jump;
      Output flux;
      for (int d = 0; d < dim; ++d)
        flux[d] = jump * face.normal[d];
      if (face.hangs)
        for (int l = 0; l < width; ++l)
          if (face.across[l].kind == FaceKind::hanging)
            for (int d = 0; d < dim; ++d)
              set_lane(flux[d], l, weight * given_flux(face.across[l], q, d));
      return flux;
    }

    SALTUS_HOST_DEVICE
    bool
    times_mass() const
    {
      return true;
    }

    SALTUS_HOST_DEVICE
    bool
    as_form() const
    {
      return true;
    }

    SALTUS_HOST_DEVICE
    Number
    base(const std::size_t i) const
    {
      return arg.u[i];
    }

    SALTUS_HOST_DEVICE
    Number
    change(const std::size_t, const Number r) const
    {
      return r;
    }

    const Arguments &arg;

  private:
    SALTUS_HOST_DEVICE
    Number
    given_flux(const FaceRecord &across, const int q, const int d) const
    {
      const std::size_t point =
        static_cast<std::size_t>(across.neighbor) * tables.n_face_points() + q;
      return arg.hanging.fluxes[point * dim + d];
    }

    T penalty; ///< on divergences
  };
} // namespace Saltus

#endif
