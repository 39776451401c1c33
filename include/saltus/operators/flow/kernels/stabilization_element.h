// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_stabilization_element_h
#define saltus_operators_flow_kernels_stabilization_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/flow/kernels/stabilization_points.h>

namespace Saltus
{
  /// The stabilization operator on an ElementGroup of simplices, by quadrature. Both back ends run
  /// this code, GPUs where they have no faster one.
  template <GeometryKind kind, int dim, typename T, typename Number, int width, typename Tables>
  class StabilizationElement : ElementGroup<kind, dim, T, Number, width, Tables>
  {
    using Group = ElementGroup<kind, dim, T, Number, width, Tables>;
    using Group::batch;
    using Group::elements;
    using Group::face_value;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;
    using typename Group::Geometry;

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    StabilizationElement(const StabilizationArguments<dim, Number> &arg,
                         const Tables                              &tables,
                         const int                                  first)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        for (int d = 0; d < dim; ++d)
          r[m][d] = T(Number(0));
      if (arg.divergence_factor > 0)
        add_divergence();
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        u[m] = mode(elements, m);
      if (arg.jump_factor > 0)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
          for (int f = 0; f < tables.n_faces(); ++f)
            add_jumps(f);
        }
      this->apply_mass(u);
      write();
    }

  private:
    /// Unit normals at the points of a batch: one for all where it is the same everywhere.
    class Normals
    {
      static constexpr int n = Geometry::is_constant ? 1 : batch;

    public:
      /// The same number at all points of a batch, or others.
      struct Parts
      {
        SALTUS_HOST_DEVICE
        const T &
        operator[](const int i) const
        {
          return values[i % n];
        }

        T values[n];
      };

      SALTUS_HOST_DEVICE
      void
      set(const int i, const Direction &normal)
      {
        normals[i % n] = normal;
      }

      /// The normal parts of one vector.
      SALTUS_HOST_DEVICE
      Parts
      parts(const Direction &vector) const
      {
        Parts result;
        SALTUS_UNROLL
        for (int i = 0; i < n; ++i)
          result.values[i] = dot<dim>(vector, normals[i]);
        return result;
      }

      /// `to += sum_i value(i) n_i`
      template <typename Value>
      SALTUS_HOST_DEVICE
      void
      add(const Value &value, Direction &to) const
      {
        SALTUS_UNROLL
        for (int i = 0; i < n; ++i)
          {
            T sum = value(i);
            SALTUS_UNROLL
            for (int j = i + n; j < batch; j += n)
              sum = sum + value(j);
            for (int d = 0; d < dim; ++d)
              to[d] = to[d] + sum * normals[i][d];
          }
      }

    private:
      Direction normals[n];
    };

    SALTUS_HOST_DEVICE
    Direction
    mode(const int *of, const int m) const
    {
      Direction result;
      for (int l = 0; l < width; ++l)
        {
          const std::size_t place = CoefficientLayout{tables.n_modes(), dim}.index(of[l], m);
          for (int d = 0; d < dim; ++d)
            set_lane(result[d], l, arg.u[place + d]);
        }
      return result;
    }

    /// Where the map is the same everywhere, in reference directions, in which the divergence is
    /// the sum of three derivatives.
    SALTUS_HOST_DEVICE
    void
    add_divergence()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        {
          const Direction here = mode(elements, m);
          if constexpr (Geometry::is_constant)
            for (int i = 0; i < dim; ++i)
              u[m][i] = dot<dim>(geometry.metric(i), here);
          else
            u[m] = here;
        }
      T penalty;
      for (int l = 0; l < width; ++l)
        set_lane(penalty, l, arg.divergence_penalty(elements[l]));
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          const auto &map        = geometry.at_volume_point(q);
          T           divergence = T(Number(0));
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              const Direction gradient = gradient_of_mode(map, q, m);
              for (int i = 0; i < dim; ++i)
                divergence = divergence + gradient[i] * u[m][i];
            }
          divergence =
            T(tables.volume_weight(q)) * penalty / geometry.relative_volume(q) * divergence;
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              const Direction gradient = gradient_of_mode(map, q, m);
              for (int i = 0; i < dim; ++i)
                r[m][i] = r[m][i] + gradient[i] * divergence;
            }
        }
      if constexpr (Geometry::is_constant)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            r[m] = geometry.gradient([&](const int i) { return r[m][i]; });
        }
    }

    /// In the directions of add_divergence(), times the relative volume.
    /// @param map at volume point @p q
    SALTUS_HOST_DEVICE
    Direction
    gradient_of_mode(const AffineGeometry<dim, T> &map, const int q, const int m) const
    {
      Direction reference;
      for (int i = 0; i < dim; ++i)
        reference[i] = T(tables.volume_gradient(q, i, m));
      if constexpr (Geometry::is_constant)
        return reference;
      else
        return map.gradient([&](const int i) { return reference[i]; });
    }

    SALTUS_HOST_DEVICE
    void
    add_jumps(const int f)
    {
      Face face = this->face(f);
      T    penalty;
      for (int l = 0; l < width; ++l)
        set_lane(penalty, l, arg.jump_penalty(elements[l], face.across[l]));
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int first = 0; first < tables.n_face_points(); first += batch)
        {
          int     points[batch];
          T       jump[batch];
          Normals normals;
          this->set_batch(first, points);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              jump[i] = T(Number(0));
              this->at_point(face, f, points[i]);
              normals.set(i, face.normal);
            }
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              const auto normal_parts = normals.parts(u[m]);
              SALTUS_UNROLL
              for (int i = 0; i < batch; ++i)
                jump[i] = jump[i] + face_value(f, points[i], m) * normal_parts[i];
            }
          subtract_outside(face, points, normals, jump);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              this->at_point(face, f, points[i]);
              jump[i] = this->batch_weight(face, first + i, points[i]) * penalty * jump[i];
            }
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            normals.add([&](const int i)
                          SALTUS_INLINE_LAMBDA { return face_value(f, points[i], m) * jump[i]; },
                        r[m]);
        }
    }

    /// The normal parts of the neighbours' values at @p points of a face.
    SALTUS_HOST_DEVICE
    void
    subtract_outside(const Face &face, const int *points, const Normals &normals, T *values) const
    {
      this->for_modes_across(
        face,
        points,
        [&](const int m) SALTUS_INLINE_LAMBDA { return normals.parts(mode(face.neighbors, m)); },
        [&](const int i, const T &value, const auto &normal_parts)
          SALTUS_INLINE_LAMBDA { values[i] = values[i] - value * normal_parts[i]; });
    }

    SALTUS_HOST_DEVICE
    void
    write() const
    {
      const T mass = geometry.volume_factor();
      for (int l = 0; l < width && this->is_used(l); ++l)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int d = 0; d < dim; ++d)
              arg.out[CoefficientLayout{tables.n_modes(), dim}.index(elements[l], m) + d] =
                get_lane(mass, l) * (get_lane(u[m][d], l) + get_lane(r[m][d], l));
        }
    }

    const StabilizationArguments<dim, Number> &arg;
    Direction u[Tables::max_modes]; ///< at last times the mass matrix over volume_factor()
    Direction r[Tables::max_modes]; ///< over volume_factor()
  };

  /// See FlowFamily.
  template <int dim_, typename Number>
  struct StabilizationFamily
  {
    using Arguments = StabilizationArguments<dim_, Number>;

    template <GeometryKind kind, typename T, int width, typename Tables>
    using Element = StabilizationElement<kind, dim_, T, Number, width, Tables>;
    template <GeometryKind kind, typename T, int width, typename Tables>
    using Points = StabilizationPoints<kind, dim_, T, Number, width, Tables>;

    static constexpr int dim = dim_, order = 2, max_degree = max_flow_degree(dim),
                         max_hypercube_degree = max_flow_degree(dim, ElementShape::hypercube);
    static constexpr const char *warp = "Saltus::CudaKernels::StabilizationWarp"; ///< of GPUs
    static constexpr const char *name = "stabilization operator";
  };
} // namespace Saltus

#endif
