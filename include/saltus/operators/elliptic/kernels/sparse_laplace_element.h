// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_sparse_laplace_element_h
#define saltus_operators_elliptic_kernels_sparse_laplace_element_h

#include <saltus/fe/sparse_modal_tables.h>
#include <saltus/operators/elliptic/kernels/element_stiffness.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/lane_faces.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace Saltus
{
  /// How the work on an element's faces is coded.
  enum class FaceLoop
  {
    unrolled, ///< code of its own for each face
    rolled    ///< the same code for all faces, which fits into the cache for instructions, and on
              ///< GPUs for both sides of a face
  };

  /// What is done at once: all, or the integrals over the element or its faces alone. Their code
  /// may be too large for one cache.
  enum class ElementPart
  {
    all,
    volume,
    faces
  };

  /// The entries of SparseModalTables in memory.
  template <int dim, int degree, typename Number>
  class StoredEntries
  {
  public:
    StoredEntries()
    {
      const std::vector<double> entries = sparse_modal_tables<dim>(degree);
      std::copy(entries.begin(), entries.end(), this->entries);
    }

    template <int position>
    SALTUS_HOST_DEVICE
    Number
    get() const
    {
      return entries[position];
    }

  private:
    Number entries[SparseModalLayout<dim>(degree).size];
  };

  /// The same as a part of the code.
  template <int dim, int degree, typename Number>
  struct CompiledEntries
  {
    template <int position>
    SALTUS_HOST_DEVICE
    Number
    get() const
    {
      constexpr double entry = compiled_modal_tables<dim, degree>.entries[position];
      return Number(entry);
    }
  };

  /// Modes are read from memory where they are needed. A class in place of this one copies them
  /// closer before, with these functions:
  /// - `fetch(from)` begins to copy the modes of the element across whose first one is at `from`;
  /// - `wait()` is called before these are read at `across()`;
  /// - `keep(m, value)` copies a mode of the element itself, which is read at `own()`, if it
  ///   `keeps_own`.
  struct ModesInMemory
  {
    static constexpr bool copies = false, keeps_own = false;

    SALTUS_HOST_DEVICE
    explicit ModesInMemory(const void * /*memory of a block of threads*/ = nullptr)
    {}
  };

  /// The work of LaplaceOperator where coefficients are constant in every element, on `width`
  /// elements, one a lane of `T`. All integrals are exact, by sparse matrices in the modal basis:
  /// those of SparseModalLayout.
  ///
  /// With \f$ K_{kl} = |\det J|\, \nabla\lambda_k \cdot k \nabla\lambda_l \f$ for the barycentric
  /// coordinates \f$\lambda\f$, and \f$\partial_k\f$ the derivative with respect to
  /// \f$\lambda_k\f$, \f[
  ///   \int_K k \nabla u \cdot \nabla v = \sum_{kl} K_{kl} \int \partial_k u\, \partial_l v, \qquad
  ///   |F|\, n \cdot k \nabla u = - \frac1{(d-1)!} \sum_k K_{fk} \partial_k u
  /// \f] on the face opposite the vertex f. The second sum is \f$ K_{ff} w + Z u \f$ with the
  /// derivative w towards that vertex, which is the apex once the face is the base, and a
  /// derivative Z along the face, see TangentialDerivative.
  ///
  /// Boundary faces are interior ones with the mirror image across: the element itself, with its
  /// sign changed (Dirichlet) or not (Neumann). A Robin condition adds to the latter.
  ///
  /// @tparam matched whether every face has the same number on both sides
  /// @tparam smooths whether `blocks` are looked at
  /// @tparam Entries StoredEntries or CompiledEntries
  /// @tparam Access ModesInMemory, or what copies modes where faces are FaceLoop::rolled
  /// @tparam n_components of the vectors, of which the operator works on one
  template <int dim,
            int degree,
            typename T,
            typename Number,
            int      width,
            FaceLoop face_loop,
            bool     matched,
            bool     smooths,
            typename Entries         = StoredEntries<dim, degree, Number>,
            typename Access          = ModesInMemory,
            ElementPart part         = ElementPart::all,
            int         n_components = 1>
  class SparseLaplaceElement
  {
    static constexpr int face_dim     = dim - 1;
    static constexpr int n_modes      = Simplex<dim>::n_modes(degree);
    static constexpr int n_face_modes = Simplex<face_dim>::n_modes(degree);
    static constexpr int n_faces      = Simplex<dim>::n_faces;
    static constexpr int n_pairs      = Simplex<dim>::n_vertex_pairs;

    static constexpr bool one_trace = width == 1 && face_loop == FaceLoop::rolled;

    using Direction  = Array<T, dim>;
    using Words      = LaneWords<T>;
    using Code       = FaceCode<typename Words::Type>;
    using Row        = StiffnessRow<dim, T>;
    using Tangential = TangentialDerivative<dim, T>;

  public:
    static constexpr SparseModalLayout<dim> layout = SparseModalLayout<dim>(degree);

    SALTUS_HOST_DEVICE
    SparseLaplaceElement(const LaplaceArguments<Number> &arg,
                         const Entries                  &entries,
                         const Access                   &copy = Access())
      : arg(arg)
      , entries(&entries)
      , copy(copy)
    {}

    /// Elements from @p first on, all of one block. Those beyond the last one store nothing.
    SALTUS_HOST_DEVICE
    void
    run(const int first, const int component = 0)
    {
      this->first = first;
      all_modes   = arg.u + component;
      start       = mode_index(first) + component;
      own         = arg.u + start;
      stiffness   = arg.stiffness + point_index(first, 0, n_pairs, 1);
      if constexpr (width == 1 && part != ElementPart::volume)
        for (int f = 0; f < n_faces; ++f)
          codes[f] = *face_codes(f);
      if constexpr (Access::copies)
        copy.fetch(modes_across(codes[0]));
      load_modes();
      if constexpr (part != ElementPart::faces)
        add_volume();
      if constexpr (part != ElementPart::volume)
        add_faces();
      add_base();
      if constexpr (smooths)
        if (arg.blocks.words != nullptr)
          smooth();
      store_result();
    }

  private:
    template <int position>
    SALTUS_HOST_DEVICE
    T
    table_entry() const
    {
      return T(entries->template get<position>());
    }

    /// `to += coefficient M x` for the matrix @p Matrix of modes in @p matrix_dim dimensions.
    template <typename Matrix, int matrix_dim, int offset>
    SALTUS_HOST_DEVICE
    void
    add_product(const T &coefficient, const T *x, T *to) const
    {
      static_for<Matrix::n_rows(degree)>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int r = decltype(row)::value;
        if constexpr (n_in_row<Matrix, matrix_dim, r>() > 0)
          to[r] = to[r] + coefficient * row_sum<Matrix, matrix_dim, offset, r>(x);
      });
    }

    /// `to += coefficient (M + M^T) x`
    template <typename Matrix, int matrix_dim, int offset>
    SALTUS_HOST_DEVICE
    void
    add_symmetric_product(const T &coefficient, const T *x, T *to) const
    {
      constexpr int n = Simplex<matrix_dim>::n_modes(degree);
      static_for<n>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int r   = decltype(row)::value;
        T             sum = T(Number(0));
        static_for<n>([&](auto column) SALTUS_INLINE_LAMBDA {
          constexpr int c          = decltype(column)::value;
          constexpr int entry      = entry_at<Matrix, matrix_dim, degree>(r, c);
          constexpr int transposed = entry_at<Matrix, matrix_dim, degree>(c, r);
          if constexpr (entry >= 0)
            sum = sum + table_entry<offset + entry>() * x[c];
          if constexpr (transposed >= 0)
            sum = sum + table_entry<offset + transposed>() * x[c];
        });
        to[r] = to[r] + coefficient * sum;
      });
    }

    template <typename Matrix, int matrix_dim, int row>
    static constexpr int
    n_in_row()
    {
      return first_entry<Matrix, matrix_dim, degree>(row + 1) -
             first_entry<Matrix, matrix_dim, degree>(row);
    }

    /// \f$ \sum_m M_{row,m} x_m \f$
    template <typename Matrix, int matrix_dim, int offset, int row>
    SALTUS_HOST_DEVICE
    T
    row_sum(const T *x) const
    {
      T sum = T(Number(0));
      static_for<n_in_row<Matrix, matrix_dim, row>()>([&](auto i) SALTUS_INLINE_LAMBDA {
        constexpr int entry = first_entry<Matrix, matrix_dim, degree>(row) + decltype(i)::value;
        constexpr int m     = column_of_entry<Matrix, matrix_dim, degree>(entry);
        sum                 = sum + table_entry<offset + entry>() * x[m];
      });
      return sum;
    }

    /// `to_m += M_{row,m} x`
    template <typename Matrix, int matrix_dim, int offset, int row>
    SALTUS_HOST_DEVICE
    void
    add_row(const T &x, T *to) const
    {
      static_for<n_in_row<Matrix, matrix_dim, row>()>([&](auto i) SALTUS_INLINE_LAMBDA {
        constexpr int entry = first_entry<Matrix, matrix_dim, degree>(row) + decltype(i)::value;
        constexpr int m     = column_of_entry<Matrix, matrix_dim, degree>(entry);
        to[m]               = to[m] + table_entry<offset + entry>() * x;
      });
    }

    /// Distance between modes.
    static constexpr int stride = CoefficientLayout{n_modes, n_components}.mode_stride();

    /// Where the first mode of an element stands.
    SALTUS_HOST_DEVICE
    static std::size_t
    mode_index(const int element)
    {
      return CoefficientLayout{n_modes, n_components}.index(element, 0);
    }

    /// Mode @p m of the elements whose first modes begin at @p from.
    SALTUS_HOST_DEVICE
    static void
    load_mode(T &value, const Number *from, const int m)
    {
      if constexpr (n_components == 1)
        load(value, from + m * stride);
      else
        for (int l = 0; l < width; ++l)
          set_lane(value, l, from[m * stride + l * n_components]);
    }

    SALTUS_HOST_DEVICE
    void
    load_modes()
    {
      static_for<n_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
        load_mode(u[m.value], own, m.value);
        if constexpr (Access::keeps_own)
          copy.keep(m.value, u[m.value]);
        r[m.value] = T(Number(0));
      });
    }

    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      if (arg.reaction_mass != nullptr)
        {
          T reaction;
          load(reaction, arg.reaction_mass + first);
          static_for<n_modes>([&](auto m)
                                SALTUS_INLINE_LAMBDA { r[m.value] = reaction * u[m.value]; });
        }

      Direction metric[dim]; // of the derivatives below
      set_metric<dim>(stiffness, metric);
      static_for<Simplex<dim>::n_modes(degree - 1)>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int m = decltype(row)::value;
        Direction     gradient;
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          constexpr int i = decltype(a)::value;
          gradient[i]     = row_sum<DerivativeMatrix<dim, i>, dim, layout.derivative[i], m>(u);
        });
        entries = read_again(entries);
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          constexpr int i = decltype(a)::value;
          add_row<DerivativeMatrix<dim, i>, dim, layout.derivative[i], m>(dot<dim>(metric[i],
                                                                                   gradient),
                                                                          r);
        });
      });
    }

    SALTUS_HOST_DEVICE
    void
    add_faces()
    {
      if constexpr (face_loop == FaceLoop::unrolled)
        static_for<n_faces>([&](auto face) SALTUS_INLINE_LAMBDA {
          constexpr int f = decltype(face)::value;
          add_face(f,
                   FixedFace<f, T>(),
                   width == 1 ? codes + f : face_codes(f),
                   []() SALTUS_INLINE_LAMBDA {});
        });
      else
        {
          SALTUS_UNROLL_ON_DEVICE(1)
          for (int f = 0; f < n_faces; ++f)
            if constexpr (width == 1)
              {
                add_face(f, CommonFace<T>(f), codes, [&]() {
                  if constexpr (Access::copies)
                    if (f + 1 < n_faces)
                      copy.fetch(modes_across(codes[1]));
                });
                for (int g = 0; g + 1 < n_faces; ++g)
                  codes[g] = codes[g + 1];
              }
            else
              add_face(f, CommonFace<T>(f), face_codes(f), []() SALTUS_INLINE_LAMBDA {});
        }
    }

    /// Of all lanes, one after the other.
    SALTUS_HOST_DEVICE
    const unsigned int *
    face_codes(const int f) const
    {
      return arg.face_codes + point_index(first, f, n_faces, 1);
    }

    /// The first mode of the element across.
    SALTUS_HOST_DEVICE
    const Number *
    modes_across(const unsigned int code) const
    {
      return all_modes + mode_index(FaceCode<unsigned int>(code).element());
    }

    /// @param face the same as @p f
    /// @param codes of the lanes, one after the other
    /// @param once_read is called when the modes across are no longer needed
    template <typename Face, typename OnceRead>
    SALTUS_HOST_DEVICE
    void
    add_face(const int f, const Face &face, const unsigned int *codes, const OnceRead &once_read)
    {
      const Code code(Words::load(codes));
      Row        row, row_across;
      row.set(stiffness, f);

      // First the outside, from its own side: these modes of the face are turned to this side's
      // corners and become minus the outside's part of the jump, and what it adds to w.
      T jump[n_face_modes], w[n_face_modes];
      static_for<n_face_modes>(
        [&](auto m) SALTUS_INLINE_LAMBDA { jump[m.value] = w[m.value] = T(Number(0)); });
      const auto combine = [&]() SALTUS_INLINE_LAMBDA {
        turn_to_this_side(code, jump, w);
        once_read();
        subtract_outside(row, row_across, jump, w);
      };
      if constexpr (one_trace)
        {
          using Seen = std::conditional_t<matched, Face, LaneFaces<dim, T>>;
          row_across.set_across(arg.stiffness, matched ? f : code.face(), code);
          auto from     = across(codes[0]);
          int  distance = Access::copies ? block_size : stride; // of modes there
          Seen seen     = seen_across<Seen>(face, code);
          SALTUS_UNROLL_ON_DEVICE(1)
          for (int side = 0; side < 2; ++side)
            {
              add_trace([&](const int m) { return read_mode(from + m * distance); }, seen, jump, w);
              if (side == 0)
                {
                  combine();
                  from     = inside(codes[0]);
                  distance = Access::keeps_own ? block_size : stride;
                  seen     = same_kind<Seen>(f, face);
                }
            }
        }
      else
        {
          const auto first_mode  = Words::first_place(code.element(), n_modes) * n_components;
          const auto add_outside = [&](const auto number, const auto &seen) SALTUS_INLINE_LAMBDA {
            row_across.set_across(arg.stiffness, number, code);
            add_trace(
              [&](const int m) SALTUS_INLINE_LAMBDA {
                T value;
                gather(value, all_modes + m * stride, first_mode);
                return value;
              },
              seen,
              jump,
              w);
          };
          // Mostly the lanes of a pack have this number across, too: then that is all one face.
          if constexpr (matched)
            add_outside(f, face);
          else if (width > 1 && !Words::in_some_lane(code.face() ^ f))
            add_outside(f, face);
          else
            add_outside(code.face(), LaneFaces<dim, T>(code));
          combine();
          add_trace([&](const int m) SALTUS_INLINE_LAMBDA { return u[m]; }, face, jump, w);
        }
      set_terms(row, row_across, jump, w);
      add_transposed_trace(face, w, jump);
    }

    /// Where to read the modes across.
    SALTUS_HOST_DEVICE
    auto
    across([[maybe_unused]] const unsigned int code) const
    {
      if constexpr (Access::copies)
        {
          copy.wait();
          return copy.across();
        }
      else
        return modes_across(code);
    }

    /// Where to read the element's own again.
    SALTUS_HOST_DEVICE
    auto
    inside([[maybe_unused]] const unsigned int code) const
    {
      // The compiler must not know that this is `own`: it would keep all modes from face to face,
      // where registers are few.
      if constexpr (Access::keeps_own)
        return copy.own();
      else
        return own + (code == ~0u);
    }

    SALTUS_HOST_DEVICE
    static Number
    read_mode(const Number *from)
    {
      return read_only(from);
    }

    SALTUS_HOST_DEVICE
    static Number
    read_mode(const volatile Number *copy)
    {
      return *copy;
    }

    /// The face as the elements across count it.
    template <typename FaceAcross, typename Face>
    SALTUS_HOST_DEVICE
    static FaceAcross
    seen_across(const Face &face, const Code &code)
    {
      if constexpr (std::is_same_v<FaceAcross, Face>)
        return face;
      else
        return FaceAcross(code);
    }

    /// A face as if the one across were it.
    template <typename FaceAcross, typename Face>
    SALTUS_HOST_DEVICE
    static FaceAcross
    same_kind([[maybe_unused]] const int f, [[maybe_unused]] const Face &face)
    {
      if constexpr (std::is_same_v<FaceAcross, Face>)
        return face;
      else
        {
          return FaceAcross(Code(f << 4)); // a scalar: this is code for GPUs
        }
    }

    /// Add values and derivatives towards the apex, on the face, in its modes.
    /// @param modes the modes of the elements, by number
    template <typename Modes, typename Face>
    SALTUS_HOST_DEVICE
    void
    add_trace(const Modes &modes, const Face &face, T *values, T *slopes)
    {
      entries = read_again(entries);
      static_for<degree + 1>([&](auto block) SALTUS_INLINE_LAMBDA {
        constexpr int n = decltype(block)::value, first = first_mode_of_degree<dim>(n);
        constexpr int size = first_mode_of_degree<dim>(n + 1) - first;
        T             a[size];
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA { a[m.value] = modes(first + m.value); });
        change_sign<n>(face, a);
        static_for<dim - 1>([&](auto level) SALTUS_INLINE_LAMBDA {
          swap_vertices<decltype(level)::value, n>(face, a);
        });
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA {
          constexpr auto mode  = BaseMode<first + decltype(m)::value>();
          values[mode.on_face] = values[mode.on_face] + table_entry<mode.trace>() * a[m.value];
          slopes[mode.on_face] = slopes[mode.on_face] + table_entry<mode.slope>() * a[m.value];
        });
      });
    }

    /// The transposed of add_trace(), added to the result.
    template <typename Face>
    SALTUS_HOST_DEVICE
    void
    add_transposed_trace(const Face &face, const T *values, const T *slopes)
    {
      entries = read_again(entries);
      static_for<degree + 1>([&](auto block) SALTUS_INLINE_LAMBDA {
        constexpr int n = decltype(block)::value, first = first_mode_of_degree<dim>(n);
        constexpr int size = first_mode_of_degree<dim>(n + 1) - first;
        T             a[size];
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA {
          constexpr auto mode = BaseMode<first + decltype(m)::value>();
          a[m.value]          = table_entry<mode.trace>() * values[mode.on_face] +
                       table_entry<mode.slope>() * slopes[mode.on_face];
        });
        static_for<dim - 1>([&](auto level) SALTUS_INLINE_LAMBDA {
          swap_vertices<dim - 2 - decltype(level)::value, n>(face, a);
        });
        change_sign<n>(face, a);
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA {
          r[first + m.value] = r[first + m.value] + a[m.value];
        });
      });
    }

    /// What the base sees of a mode: positions in the table, and the face's mode.
    template <int number>
    struct BaseMode
    {
      static constexpr ModeIndices<dim>
      indices()
      {
        return mode_indices<dim>(number);
      }

      static constexpr int
      face_mode()
      {
        ModeIndices<face_dim> result;
        for (int d = 0; d < face_dim; ++d)
          result.n[d] = indices().n[d];
        return mode_number(result);
      }

      static constexpr int entry =
        layout.trace_entry(indices().sum(face_dim), indices().n[face_dim]);
      static constexpr int trace   = layout.trace + entry;
      static constexpr int slope   = layout.slope + entry;
      static constexpr int on_face = face_mode();
    };

    /// Swap the vertices 0 and 1: of the modes @p a of degree @p n.
    template <int n, typename Face>
    SALTUS_HOST_DEVICE
    void
    change_sign(const Face &face, T *a) const
    {
      for_odd_modes<dim, n>([&](auto m)
                              SALTUS_INLINE_LAMBDA { a[m.value] = face.with_sign(a[m.value]); });
    }

    /// The modes of degree @p n whose first index is odd, counted among those of that degree.
    template <int mode_dim, int n, typename Body>
    SALTUS_HOST_DEVICE
    static void
    for_odd_modes(const Body &body)
    {
      constexpr int first = first_mode_of_degree<mode_dim>(n);
      static_for<first_mode_of_degree<mode_dim>(n + 1) - first>([&](auto m) SALTUS_INLINE_LAMBDA {
        if constexpr (mode_indices<mode_dim>(first + decltype(m)::value).n[0] % 2 == 1)
          body(m);
      });
    }

    /// Swap the vertices `level + 1` and `level + 2` where @p face needs it.
    template <int level, int n, typename Face>
    SALTUS_HOST_DEVICE
    void
    swap_vertices(const Face &face, T *a) const
    {
      face.template swap<level>(
        [&](const auto &amount) SALTUS_INLINE_LAMBDA { swap_vertices<dim, level, n>(a, amount); });
    }

    /// @param a modes of degree @p n in @p mode_dim dimensions
    /// @param amount as above
    template <int mode_dim, int level, int n, typename Amount>
    SALTUS_HOST_DEVICE
    void
    swap_vertices(T *a, const Amount &amount) const
    {
      // Modes differ in the indices level and level + 1 only within a group; the third index, if
      // there is one, counts the groups. A group of one mode stays as it is.
      static_for<(mode_dim == 2 ? 1 : n)>([&](auto group) SALTUS_INLINE_LAMBDA {
        constexpr int other = decltype(group)::value, size = n - other + 1;
        if constexpr (size > 1)
          {
            T change[size]; // or the new values, if all change
            static_for<size>([&](auto row) SALTUS_INLINE_LAMBDA {
              constexpr int r = decltype(row)::value;
              if constexpr (std::is_same_v<Amount, Always>)
                change[r] = T(Number(0));
              else
                change[r] = -a[in_group<mode_dim, level, n>(other, r)];
              static_for<size>([&](auto column) SALTUS_INLINE_LAMBDA {
                constexpr int c = decltype(column)::value;
                constexpr int m = in_group<mode_dim, level, n>(other, c);
                // The block is symmetric: half of it leaves room in the cache of constants.
                constexpr int entry = layout.swap_block(level, level == 0 ? 0 : other, size - 1) +
                                      (r < c ? r * size + c : c * size + r);
                change[r] = change[r] + table_entry<entry>() * a[m];
              });
            });
            static_for<size>([&](auto row) SALTUS_INLINE_LAMBDA {
              constexpr int m = in_group<mode_dim, level, n>(other, decltype(row)::value);
              if constexpr (std::is_same_v<Amount, Always>)
                a[m] = change[row.value];
              else
                a[m] = a[m] + amount * change[row.value];
            });
          }
      });
    }

    /// The mode of degree @p n with the index @p i in direction @p level, counted among those of
    /// that degree.
    template <int mode_dim, int level, int n>
    static constexpr int
    in_group(const int other, const int i)
    {
      ModeIndices<mode_dim> mode;
      if constexpr (mode_dim == 3)
        mode.n[level == 0 ? 2 : 0] = other;
      mode.n[level]     = i;
      mode.n[level + 1] = n - other - i;
      return mode_number(mode) - first_mode_of_degree<mode_dim>(n);
    }

    /// From the corners of the face as the outside counts them to this side's; and the sign of
    /// mirror images.
    SALTUS_HOST_DEVICE
    void
    turn_to_this_side(const Code &code, T *values, T *slopes) const
    {
      const SignMask<T> all(code.changes_sign()),
        odd_first(code.changes_sign() ^ code.swaps_first()), odd_last(code.swaps_last());
      const T    swapped = LaneWords<T>::numbers(code.swaps_middle());
      const auto turn    = [&](T *a) SALTUS_INLINE_LAMBDA {
        static_for<degree + 1>([&](auto block) SALTUS_INLINE_LAMBDA {
          constexpr int n     = decltype(block)::value;
          constexpr int first = first_mode_of_degree<face_dim>(n);
          static_for<first_mode_of_degree<face_dim>(n + 1) - first>(
            [&](auto m) SALTUS_INLINE_LAMBDA {
              constexpr int  number = first + decltype(m)::value;
              constexpr bool odd    = mode_indices<face_dim>(number).n[0] % 2 == 1;
              a[number]             = flip_sign(a[number], odd ? odd_first : all);
            });
          if constexpr (face_dim == 2)
            {
              swap_vertices<face_dim, 0, n>(a + first, swapped);
              for_odd_modes<face_dim, n>([&](auto m) SALTUS_INLINE_LAMBDA {
                a[first + m.value] = flip_sign(a[first + m.value], odd_last);
              });
            }
        });
      };
      turn(values);
      turn(slopes);
    }

    /// From the outside's values v and slopes w to -v and \f$ (-K'_{ff} w + (Z - Z') v) / K_{ff}
    /// \f$, to which the inside's are added.
    SALTUS_HOST_DEVICE
    void
    subtract_outside(const Row &row, const Row &row_across, T *v, T *w) const
    {
      const Tangential here(row), there(row_across);
      const T          inverse = reciprocal(row.diagonal);
      const T          scale   = -row_across.diagonal * inverse;
      static_for<n_face_modes>([&](auto m)
                                 SALTUS_INLINE_LAMBDA { w[m.value] = scale * w[m.value]; });
      add_product<RadialMatrix<face_dim>, face_dim, layout.radial>(
        (here.radial - there.radial) * inverse, v, w);
      static_for<face_dim>([&](auto a) SALTUS_INLINE_LAMBDA {
        constexpr int i = decltype(a)::value;
        add_product<DerivativeMatrix<face_dim, i>, face_dim, layout.face_derivative[i]>(
          (here.along[i] - there.along[i]) * inverse, v, w);
      });
      static_for<n_face_modes>([&](auto m) SALTUS_INLINE_LAMBDA { v[m.value] = -v[m.value]; });
    }

    /// From the jump J and the sum w to what multiplies the slopes and the values of a test
    /// function: \f$ s K_{ff} J \f$ and \f$ \tau J + s (K_{ff} w + (Z + Z^T) J) \f$ with
    /// \f$ s = 1 / (2 (d-1)!) \f$.
    /// @param jump becomes the one for slopes
    /// @param w becomes the one for values
    SALTUS_HOST_DEVICE
    void
    set_terms(const Row &row, const Row &row_across, T *jump, T *w) const
    {
      const T          s       = T(Number(dim == 2 ? 0.5 : 0.25));
      const T          penalty = T(arg.penalty) * max(row.diagonal, row_across.diagonal);
      const Tangential here(row);
      const T          radial = s * here.radial;
      static_for<n_face_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
        w[m.value] = radial * w[m.value] + penalty * jump[m.value];
      });
      add_symmetric_product<RadialMatrix<face_dim>, face_dim, layout.radial>(radial, jump, w);
      static_for<face_dim>([&](auto a) SALTUS_INLINE_LAMBDA {
        constexpr int i = decltype(a)::value;
        add_symmetric_product<DerivativeMatrix<face_dim, i>, face_dim, layout.face_derivative[i]>(
          s * here.along[i], jump, w);
      });
      static_for<n_face_modes>([&](auto m)
                                 SALTUS_INLINE_LAMBDA { jump[m.value] = radial * jump[m.value]; });
    }

    SALTUS_HOST_DEVICE
    void
    add_base()
    {
      if (arg.base == nullptr)
        static_for<n_modes>([&](auto m)
                              SALTUS_INLINE_LAMBDA { r[m.value] = T(arg.scale) * r[m.value]; });
      else
        static_for<n_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
          T base;
          load_mode(base, arg.base + start, m.value);
          r[m.value] = base + T(arg.scale) * r[m.value];
        });
    }

    /// From the residual to the values after a step of the smoother.
    SALTUS_HOST_DEVICE
    void
    smooth()
    {
      RoundedBlock::multiply<n_modes>(arg.blocks.scaling +
                                        CoefficientLayout{n_modes, 1}.index(first, 0),
                                      arg.blocks.words +
                                        point_index(first, 0, RoundedBlock::n_words(n_modes), 1),
                                      r);
      static_for<n_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
        T before;
        load_mode(before, own, m.value);
        r[m.value] = before + T(arg.weight) * r[m.value];
      });
    }

    SALTUS_HOST_DEVICE
    void
    store_result() const
    {
      Number *out = arg.out + start;
      if ((n_components > 1 && width > 1) || first + width > arg.mesh.n_elements)
        store_lanes(out);
      else
        static_for<n_modes>([&](auto m)
                              SALTUS_INLINE_LAMBDA { store(r[m.value], out + m.value * stride); });
    }

    /// The elements that there are.
    SALTUS_HOST_DEVICE
    void
    store_lanes(Number *out) const
    {
      if constexpr (width > 1)
        static_for<n_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
          Number lanes[width];
          store(r[m.value], lanes);
          for (int l = 0; l < width && first + l < arg.mesh.n_elements; ++l)
            out[m.value * stride + l * n_components] = lanes[l];
        });
    }

    const LaplaceArguments<Number> &arg;
    const Entries                  *entries;
    const Access                    copy;

    int           first;
    unsigned int  codes[n_faces];  ///< of the faces, or of those still to come; for one lane only
    std::size_t   start;           ///< where the first mode of the first element stands
    const Number *all_modes;       ///< of the component
    const Number *own, *stiffness; ///< of the first element
    T             u[n_modes], r[n_modes];
  };
} // namespace Saltus

#endif
