// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_any_degree_laplace_element_h
#define saltus_source_operators_elliptic_kernels_any_degree_laplace_element_h

#include <saltus/fe/modal_structure.h>
#include <saltus/fe/sparse_modal_rows.h>
#include <saltus/operators/elliptic/kernels/element_stiffness.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/lane_faces.h>

#include <type_traits>

namespace
{
  using namespace Saltus;

  /// The work of SparseLaplaceElement, which documents it, for degrees that are known when the
  /// program runs: the sums over the rows of its matrices are loops.
  template <int dim, typename T, typename Number, int width, int n_components>
  class AnyDegreeLaplaceElement
  {
    static constexpr int face_dim       = dim - 1;
    static constexpr int max_modes      = ModeList<dim>::max_size;
    static constexpr int max_face_modes = ModeList<face_dim>::max_size;
    static constexpr int max_degree     = ModeList<1>::max_size - 1;
    static constexpr int stride =
      CoefficientLayout{1, n_components}.mode_stride(); ///< distance between modes
    static constexpr int at_once = 8; ///< entries of a row that are added without a loop

    using Direction  = Array<T, dim>;
    using Words      = LaneWords<T>;
    using Code       = FaceCode<typename Words::Type>;
    using Row        = StiffnessRow<dim, T>;
    using Tangential = TangentialDerivative<dim, T>;
    using Matrices   = SparseModalRows<dim, Number>;

  public:
    AnyDegreeLaplaceElement(const LaplaceArguments<Number> &arg, const Matrices &matrices)
      : arg(arg)
      , matrices(matrices)
    {}

    /// Elements from @p first on, all of one block. Those beyond the last one store nothing.
    void
    run(const int first, const int component)
    {
      this->first = first;
      all_modes   = arg.u + component;
      start       = CoefficientLayout{matrices.n_modes, n_components}.index(first, 0) + component;
      stiffness   = arg.stiffness + point_index(first, 0, Simplex<dim>::n_vertex_pairs, 1);
      for (int m = 0; m < matrices.n_modes; ++m)
        load_mode(u[m], arg.u + start, m);
      set_volume();
      for (int f = 0; f < Simplex<dim>::n_faces; ++f)
        add_face(f);
      add_base();
      if (n_components == 1 && arg.blocks.words != nullptr)
        smooth();
      store_result();
    }

  private:
    /// `use(row, sum)` with \f$ \sum_m M_{row,m} x_m \f$ for all rows.
    template <typename Use>
    static SALTUS_HOST_DEVICE
    void
    for_rows(const SparseRows<Number> &matrix, const T *x, const Use &use)
    {
      const int    *row    = matrix.rows;
      const int    *column = matrix.columns;
      const Number *entry  = matrix.entries;
      for (int p = 0; p < matrix.n_parts; ++p)
        {
          const auto &part = matrix.parts[p];
          static_for<at_once>([&](auto rest) SALTUS_INLINE_LAMBDA {
            if (part.n_entries % at_once == rest.value)
              for (const int *end = row + part.n_rows; row < end; ++row)
                {
                  T          sum = T(Number(0));
                  const auto add = [&](auto) SALTUS_INLINE_LAMBDA {
                    sum = sum + T(*entry++) * x[*column++];
                  };
                  for (int n = part.n_entries / at_once; n > 0; --n)
                    static_for<at_once>(add);
                  static_for<rest.value>(add);
                  use(*row, sum);
                }
          });
        }
    }

    /// `y = M x`
    static void
    multiply(const SparseRows<Number> &matrix, const T *x, T *y)
    {
      for_rows(matrix, x, [&](const int row, const T &sum) SALTUS_INLINE_LAMBDA { y[row] = sum; });
    }

    /// `to += coefficient M x`
    static void
    add_product(const T &coefficient, const SparseRows<Number> &matrix, const T *x, T *to)
    {
      for_rows(matrix, x, [&](const int row, const T &sum) SALTUS_INLINE_LAMBDA {
        to[row] = to[row] + coefficient * sum;
      });
    }

    /// `v = M x` and `w = N x` for matrices with entries in the same places.
    static void
    multiply(const SparseRows<Number> &matrix_v,
             const SparseRows<Number> &matrix_w,
             const T                  *x,
             T                        *v,
             T                        *w)
    {
      const int *row = matrix_v.rows, *column = matrix_v.columns;
      int        entry = 0;
      for (int p = 0; p < matrix_v.n_parts; ++p)
        for (int i = 0; i < matrix_v.parts[p].n_rows; ++i, ++row)
          {
            T sum_v = T(Number(0)), sum_w = T(Number(0));
            for (int n = matrix_v.parts[p].n_entries; n > 0; --n, ++entry)
              {
                const T value = x[column[entry]];
                sum_v         = sum_v + T(matrix_v.entries[entry]) * value;
                sum_w         = sum_w + T(matrix_w.entries[entry]) * value;
              }
            v[*row] = sum_v;
            w[*row] = sum_w;
          }
    }

    /// `y = M x` where @p amount is 1, and `y = x` where it is 0. Both may be the same.
    template <typename Amount>
    static void
    swap(const SymmetricBlocks<Number> &matrix, const Amount &amount, const T *x, T *y)
    {
      const int    *modes   = matrix.modes;
      const Number *entries = matrix.entries;
      for (int p = 0; p < matrix.n_parts; ++p)
        static_for<max_degree + 1>([&](auto number) SALTUS_INLINE_LAMBDA {
          constexpr int size = decltype(number)::value + 1;
          if (matrix.parts[p].size == size)
            for (int b = 0; b < matrix.parts[p].n_blocks;
                 ++b, modes += size, entries += size * size)
              {
                T values[size];
                for (int i = 0; i < size; ++i)
                  values[i] = x[modes[i]];
                for (int i = 0; i < size; ++i)
                  {
                    T sum = T(entries[i * size]) * values[0];
                    for (int j = 1; j < size; ++j)
                      sum = sum + T(entries[i * size + j]) * values[j];
                    y[modes[i]] = blend(amount, values[i], sum);
                  }
              }
        });
    }

    static SALTUS_HOST_DEVICE
    T
    blend(const T &amount, const T &before, const T &after)
    {
      return before + amount * (after - before);
    }

    static SALTUS_HOST_DEVICE
    T
    blend(const Always &, const T &, const T &after)
    {
      return after;
    }

    /// Mode @p m of the elements whose first modes begin at @p from.
    static void
    load_mode(T &value, const Number *from, const int m)
    {
      if constexpr (n_components == 1)
        load(value, from + m * stride);
      else
        for (int l = 0; l < width; ++l)
          set_lane(value, l, from[m * stride + l * n_components]);
    }

    void
    set_volume()
    {
      Direction metric[dim]; // of the derivatives below
      set_metric<dim>(stiffness, metric);
      const int n = matrices.n_lower_modes;
      T         derivatives[dim * max_modes]; // and then the fluxes in these directions
      for (int d = 0; d < dim; ++d)
        multiply(matrices.derivative[d], u, derivatives + d * n);
      for (int m = 0; m < n; ++m)
        {
          Direction gradient;
          for (int d = 0; d < dim; ++d)
            gradient[d] = derivatives[d * n + m];
          for (int d = 0; d < dim; ++d)
            derivatives[d * n + m] = dot<dim>(metric[d], gradient);
        }
      multiply(matrices.divergence, derivatives, r);
      if (arg.reaction_mass != nullptr)
        {
          T reaction;
          load(reaction, arg.reaction_mass + first);
          for (int m = 0; m < matrices.n_modes; ++m)
            r[m] = r[m] + reaction * u[m];
        }
    }

    void
    add_face(const int f)
    {
      const Code code(
        Words::load(arg.face_codes + point_index(first, f, Simplex<dim>::n_faces, 1)));
      const CommonFace<T> face(f);
      const auto place = Words::first_place(code.element(), matrices.n_modes) * n_components;
      T          outside[max_modes];
      for (int m = 0; m < matrices.n_modes; ++m)
        gather(outside[m], all_modes + m * stride, place);

      T   v[max_face_modes], w[max_face_modes];
      Row row, row_across;
      row.set(stiffness, f);
      // Mostly the lanes of a pack have this number across, too.
      if (!Words::in_some_lane(code.face() ^ f))
        {
          row_across.set_across(arg.stiffness, f, code);
          set_trace(face, outside, v, w);
        }
      else
        {
          row_across.set_across(arg.stiffness, code.face(), code);
          set_trace(LaneFaces<dim, T>(code), outside, v, w);
        }
      turn_to_this_side(code, v);
      turn_to_this_side(code, w);
      subtract_outside(row, row_across, v, w);

      T jump[max_face_modes], slopes[max_face_modes];
      set_trace(face, u, jump, slopes);
      for (int m = 0; m < matrices.n_face_modes; ++m)
        {
          jump[m]   = jump[m] + v[m];
          slopes[m] = slopes[m] + w[m];
        }
      set_terms(row, row_across, jump, slopes);
      add_transposed_trace(face, slopes, jump);
    }

    /// Values and derivatives towards the apex, on the face, in its modes.
    /// @param modes of the elements
    template <typename Face>
    void
    set_trace(const Face &face, const T *modes, T *values, T *slopes) const
    {
      T        turned[max_modes];
      const T *x = modes;
      if (change_sign(face, x, turned))
        x = turned;
      static_for<dim - 1>([&](auto level) SALTUS_INLINE_LAMBDA {
        face.template swap<level.value>([&](const auto &amount) {
          swap(matrices.swap[level.value], amount, x, turned);
          x = turned;
        });
      });
      multiply(matrices.trace, matrices.slope, x, values, slopes);
    }

    /// The transposed of set_trace(), added to the result.
    void
    add_transposed_trace(const CommonFace<T> &face, const T *values, const T *slopes)
    {
      T x[max_modes];
      for (int m = 0; m < matrices.n_modes; ++m)
        x[m] = T(matrices.trace_of_mode[m]) * values[matrices.on_face[m]] +
               T(matrices.slope_of_mode[m]) * slopes[matrices.on_face[m]];
      static_for<dim - 1>([&](auto reversed) SALTUS_INLINE_LAMBDA {
        constexpr int level = dim - 2 - decltype(reversed)::value;
        face.template swap<level>(
          [&](const auto &amount) { swap(matrices.swap[level], amount, x, x); });
      });
      change_sign(face, x, x);
      for (int m = 0; m < matrices.n_modes; ++m)
        r[m] = r[m] + x[m];
    }

    /// Swap the vertices 0 and 1: from @p x to @p y, which may be the same.
    /// @return whether that was needed; if not, nothing is written
    template <typename Face>
    bool
    change_sign(const Face &face, const T *x, T *y) const
    {
      if constexpr (std::is_same_v<Face, CommonFace<T>>)
        if (face.face > 0)
          return false;
      if (x != y)
        for (int m = 0; m < matrices.n_modes; ++m)
          y[m] = x[m];
      for (int i = 0; i < matrices.odd.n; ++i)
        {
          const int m = matrices.odd.numbers[i];
          y[m]        = face.with_sign(y[m]);
        }
      return true;
    }

    /// From the corners of the face as the outside counts them to this side's; and the sign of
    /// mirror images.
    void
    turn_to_this_side(const Code &code, T *x) const
    {
      const auto change_odd = [&](const SignMask<T> &mask) {
        for (int i = 0; i < matrices.face_odd.n; ++i)
          {
            const int m = matrices.face_odd.numbers[i];
            x[m]        = flip_sign(x[m], mask);
          }
      };
      const SignMask<T> mirrored(code.changes_sign());
      for (int m = 0; m < matrices.n_face_modes; ++m)
        x[m] = flip_sign(x[m], mirrored);
      change_odd(SignMask<T>(code.swaps_first()));
      if constexpr (face_dim == 2)
        {
          swap(matrices.face_swap, Words::numbers(code.swaps_middle()), x, x);
          change_odd(SignMask<T>(code.swaps_last()));
        }
    }

    /// As SparseLaplaceElement::subtract_outside().
    void
    subtract_outside(const Row &row, const Row &row_across, T *v, T *w) const
    {
      const Tangential here(row), there(row_across);
      const T          inverse = reciprocal(row.diagonal);
      const T          scale   = -row_across.diagonal * inverse;
      for (int m = 0; m < matrices.n_face_modes; ++m)
        w[m] = scale * w[m];
      add_product((here.radial - there.radial) * inverse, matrices.radial, v, w);
      for (int d = 0; d < face_dim; ++d)
        add_product((here.along[d] - there.along[d]) * inverse, matrices.face_derivative[d], v, w);
      for (int m = 0; m < matrices.n_face_modes; ++m)
        v[m] = -v[m];
    }

    /// As SparseLaplaceElement::set_terms().
    void
    set_terms(const Row &row, const Row &row_across, T *jump, T *w) const
    {
      const T          s       = T(Number(dim == 2 ? 0.5 : 0.25));
      const T          penalty = T(arg.penalty) * max(row.diagonal, row_across.diagonal);
      const Tangential here(row);
      const T          radial = s * here.radial;
      for (int m = 0; m < matrices.n_face_modes; ++m)
        w[m] = radial * w[m] + penalty * jump[m];
      add_product(radial, matrices.symmetric_radial, jump, w);
      for (int d = 0; d < face_dim; ++d)
        add_product(s * here.along[d], matrices.symmetric_derivative[d], jump, w);
      for (int m = 0; m < matrices.n_face_modes; ++m)
        jump[m] = radial * jump[m];
    }

    void
    add_base()
    {
      for (int m = 0; m < matrices.n_modes; ++m)
        {
          T base = T(Number(0));
          if (arg.base != nullptr)
            load_mode(base, arg.base + start, m);
          r[m] = base + T(arg.scale) * r[m];
        }
    }

    /// From the residual to the values after a step of the smoother.
    void
    smooth()
    {
      RoundedBlock::multiply(matrices.n_modes,
                             arg.blocks.scaling +
                               CoefficientLayout{matrices.n_modes, 1}.index(first, 0),
                             arg.blocks.words +
                               point_index(first, 0, RoundedBlock::n_words(matrices.n_modes), 1),
                             r);
      for (int m = 0; m < matrices.n_modes; ++m)
        r[m] = u[m] + T(arg.weight) * r[m];
    }

    void
    store_result() const
    {
      for (int m = 0; m < matrices.n_modes; ++m)
        {
          Number *out = arg.out + start + m * stride;
          if (n_components == 1 && first + width <= arg.mesh.n_elements)
            store(r[m], out);
          else
            for (int l = 0; l < width && first + l < arg.mesh.n_elements; ++l)
              out[l * n_components] = get_lane(r[m], l);
        }
    }

    const LaplaceArguments<Number> &arg;
    const Matrices                 &matrices;

    int           first;
    std::size_t   start;     ///< where the first mode of the first element stands
    const Number *all_modes; ///< of the component
    const Number *stiffness; ///< of the first element
    T             u[max_modes], r[max_modes];
  };
} // namespace

#endif
