// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_laplace_element_h
#define saltus_operators_laplace_element_h

#include <saltus/operators/laplace_launcher.h>

namespace Saltus
{
  /// The work of LaplaceOperator on `width` elements at once, one a lane of `T`: a SIMD pack on the
  /// CPU, a single number (and element) in a thread of a GPU. Both back ends run this code.
  ///
  /// @tparam modes number of modes; 0: known at run time only, and at most max_modes
  template <int dim, typename T, typename Number, int width, int modes = 0>
  class LaplaceElement
  {
    static constexpr int max_modes = modes > 0 ? modes : 120;

    using Direction = Array<T, dim>;

  public:
    SALTUS_HOST_DEVICE
    explicit LaplaceElement(const LaplaceArguments<Number> &arg)
      : arg(arg)
      , tables(arg.tables)
    {}

    /// Elements from @p first on. Lanes beyond the last element repeat it and store nothing.
    SALTUS_HOST_DEVICE
    void
    run(const int first)
    {
      const int last = arg.mesh.n_elements - 1;
      for (int l = 0; l < width; ++l)
        elements[l] = first + l < last ? first + l : last;
      load(elements, u);
      load_geometry(elements, inverse_jacobian);
      det = T(Number(1)) / determinant<dim>(inverse_jacobian);
      for (int m = 0; m < n_modes(); ++m)
        r[m] = T(arg.reaction) * det * u[m]; // the modes are orthonormal
      add_volume();
      for (int face = 0; face < dim + 1; ++face)
        add_face(face);
      store(last - first + 1);
    }

  private:
    SALTUS_HOST_DEVICE
    int
    n_modes() const
    {
      return modes > 0 ? modes : tables.n_modes;
    }

    SALTUS_HOST_DEVICE
    void
    load(const int *of, T *to) const
    {
      for (int l = 0; l < width; ++l)
        {
          const Number *from = arg.u + coefficient_index(of[l], 0, n_modes(), 1);
          for (int m = 0; m < n_modes(); ++m)
            set_lane(to[m], l, from[m * block_size]);
        }
    }

    SALTUS_HOST_DEVICE
    void
    load_geometry(const int *of, Direction *to) const
    {
      for (int l = 0; l < width; ++l)
        for (int i = 0; i < dim * dim; ++i)
          set_lane(to[i / dim][i % dim],
                   l,
                   arg.mesh.inverse_jacobians[point_index(of[l], i, dim * dim, 1)]);
    }

    SALTUS_HOST_DEVICE
    void
    store(const int n_left) const
    {
      for (int l = 0; l < width && l < n_left; ++l)
        {
          Number *to = arg.out + coefficient_index(elements[l], 0, n_modes(), 1);
          for (int m = 0; m < n_modes(); ++m)
            to[m * block_size] = (arg.add ? to[m * block_size] : Number(0)) + get_lane(r[m], l);
        }
    }

    /// \f$ \sum_m row_m u_m \f$
    SALTUS_HOST_DEVICE
    T
    sum(const Number *row) const
    {
      T result = T(Number(0));
      for (int m = 0; m < n_modes(); ++m)
        result = result + T(row[m]) * u[m];
      return result;
    }

    /// \f$ \int k \nabla u \cdot \nabla v \f$
    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      // k J^-1 J^-T det J, which takes reference gradients to reference fluxes.
      Direction metric[dim];
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j)
          metric[i][j] =
            T(arg.diffusion) * det * dot<dim>(inverse_jacobian[i], inverse_jacobian[j]);
      for (int q = 0; q < tables.n_volume_points; ++q)
        {
          const Number *rows = tables.volume_gradients + q * dim * n_modes();
          Direction     gradient, flux;
          for (int i = 0; i < dim; ++i)
            gradient[i] = sum(rows + i * n_modes());
          for (int i = 0; i < dim; ++i)
            flux[i] = T(tables.volume_weights[q]) * dot<dim>(metric[i], gradient);
          for (int m = 0; m < n_modes(); ++m)
            for (int i = 0; i < dim; ++i)
              r[m] = r[m] + T(rows[i * n_modes() + m]) * flux[i];
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_face(const int face)
    {
      int  neighbors[width], boundary_faces[width], codes[width];
      bool at_boundary = false;
      for (int l = 0; l < width; ++l)
        {
          const std::size_t i      = point_index(elements[l], face, dim + 1, 1);
          const int         across = arg.mesh.neighbors[i];
          boundary_faces[l]        = -1 - across;
          neighbors[l]             = across < 0 ? elements[l] : across; // a stand-in
          codes[l]                 = across < 0 ? 0 : arg.mesh.neighbor_faces[i];
          at_boundary |= across < 0;
        }
      load(neighbors, u_out);
      load_geometry(neighbors, inverse_jacobian_out);

      Direction normal;
      for (int d = 0; d < dim; ++d)
        {
          normal[d] = T(Number(0));
          for (int i = 0; i < dim; ++i)
            normal[d] = normal[d] + T(tables.face_normals[face * dim + i]) * inverse_jacobian[i][d];
        }
      const T length = sqrt(dot<dim>(normal, normal)); // area over det J
      for (int d = 0; d < dim; ++d)
        normal[d] = normal[d] / length;
      const T area    = length * det;
      const T steeper = max(length, area * determinant<dim>(inverse_jacobian_out));
      const T penalty = T(arg.diffusion * arg.penalty / tables.reference_volume) * steeper;

      // k dv/dn is these combinations of the reference derivatives.
      Direction along, along_out;
      for (int i = 0; i < dim; ++i)
        {
          along[i]     = T(arg.diffusion) * dot<dim>(inverse_jacobian[i], normal);
          along_out[i] = T(arg.diffusion) * dot<dim>(inverse_jacobian_out[i], normal);
        }

      for (int q = 0; q < tables.n_face_points; ++q)
        {
          const int     point = face * tables.n_face_points + q;
          const Number *phi   = tables.face_values + point * n_modes();
          const Number *rows  = tables.face_gradients + point * dim * n_modes();
          const T       u_in  = sum(phi);
          T             q_in  = T(Number(0));
          for (int i = 0; i < dim; ++i)
            q_in = q_in + along[i] * sum(rows + i * n_modes());

          T u_outside, q_outside;
          outside(q, codes, along_out, u_outside, q_outside);
          auto terms = interior_penalty(u_in, u_outside, q_in, q_outside, penalty);
          if (at_boundary)
            set_boundary_terms(q, boundary_faces, u_in, q_in, penalty, terms);

          const T weight = T(tables.face_weights[q]) * area;
          terms.value    = terms.value * weight;
          terms.flux     = terms.flux * weight;
          for (int m = 0; m < n_modes(); ++m)
            {
              T flux = T(Number(0));
              for (int i = 0; i < dim; ++i)
                flux = flux + along[i] * T(rows[i * n_modes() + m]);
              r[m] = r[m] + terms.value * T(phi[m]) + terms.flux * flux;
            }
        }
    }

    /// Value and normal flux on the other side, opposite to point @p q.
    SALTUS_HOST_DEVICE
    void
    outside(const int q, const int *codes, const Direction &along, T &value, T &flux) const
    {
      const Number *phi[width];
      const Number *rows[width];
      for (int l = 0; l < width; ++l)
        {
          const int face = codes[l] / tables.n_orientations;
          const int seen =
            tables.face_permutations[codes[l] % tables.n_orientations * tables.n_face_points + q];
          const int point = face * tables.n_face_points + seen;
          phi[l]          = tables.face_values + point * n_modes();
          rows[l]         = tables.face_gradients + point * dim * n_modes();
        }
      value = flux = T(Number(0));
      for (int m = 0; m < n_modes(); ++m)
        {
          T entry = T(Number(0));
          for (int l = 0; l < width; ++l)
            set_lane(entry, l, phi[l][m]);
          value = value + entry * u_out[m];
          for (int i = 0; i < dim; ++i)
            {
              for (int l = 0; l < width; ++l)
                set_lane(entry, l, rows[l][i * n_modes() + m]);
              flux = flux + along[i] * entry * u_out[m];
            }
        }
    }

    SALTUS_HOST_DEVICE
    void
    set_boundary_terms(const int                q,
                       const int               *boundary_faces,
                       const T                 &u_in,
                       const T                 &q_in,
                       const T                 &penalty,
                       InteriorPenaltyTerms<T> &terms) const
    {
      for (int l = 0; l < width; ++l)
        if (const int b = boundary_faces[l]; b >= 0)
          {
            const Number g =
              arg.data == nullptr ? Number(0) : arg.data[b * tables.n_face_points + q];
            const auto here = interior_penalty_boundary<Number>(arg.kinds[b],
                                                                get_lane(u_in, l),
                                                                get_lane(q_in, l),
                                                                get_lane(penalty, l),
                                                                g,
                                                                arg.robin[b]);
            set_lane(terms.value, l, here.value);
            set_lane(terms.flux, l, here.flux);
          }
    }

    const LaplaceArguments<Number> &arg;
    const ElementTables<Number>    &tables;

    int       elements[width];
    Direction inverse_jacobian[dim];     ///< `[r][d]`
    Direction inverse_jacobian_out[dim]; ///< of the neighbours at the current face
    T         det;                       ///< of the Jacobian
    T         u[max_modes], u_out[max_modes], r[max_modes];
  };
} // namespace Saltus

#endif
