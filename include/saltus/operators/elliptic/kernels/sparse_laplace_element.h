// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_sparse_laplace_element_h
#define saltus_operators_elliptic_kernels_sparse_laplace_element_h

#include <saltus/operators/elliptic/kernels/element_stiffness.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/elliptic/kernels/sparse_modal_products.h>

#include <type_traits>

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
  class SparseLaplaceElement : SparseModalProducts<dim, degree, T, Number, Entries>
  {
    using Products = SparseModalProducts<dim, degree, T, Number, Entries>;
    using Products::face_dim;
    using Products::n_face_modes;
    using Products::n_modes;
    using typename Products::Code;

    static constexpr int n_faces = Simplex<dim>::n_faces;
    static constexpr int n_pairs = Simplex<dim>::n_vertex_pairs;

    static constexpr bool one_trace = width == 1 && face_loop == FaceLoop::rolled;

    using Direction  = Array<T, dim>;
    using Words      = LaneWords<T>;
    using Row        = StiffnessRow<dim, T>;
    using Tangential = TangentialDerivative<dim, T>;

  public:
    SALTUS_HOST_DEVICE
    SparseLaplaceElement(const LaplaceArguments<Number> &arg,
                         const Entries                  &entries,
                         const Access                   &copy = Access())
      : Products(entries)
      , arg(arg)
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
        Direction gradient;
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          constexpr int i = decltype(a)::value;
          gradient[i]     = this->row_sum(ElementDerivative<dim, degree, i>(), row, u);
        });
        this->entries = read_again(this->entries);
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          constexpr int i = decltype(a)::value;
          this->add_row(ElementDerivative<dim, degree, i>(), row, dot<dim>(metric[i], gradient), r);
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
        this->turn_to_this_side(code, jump, w);
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
              this->add_trace([&](const int m) { return read_mode(from + m * distance); },
                              seen,
                              jump,
                              w);
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
            this->add_trace(
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
          this->add_trace([&](const int m) SALTUS_INLINE_LAMBDA { return u[m]; }, face, jump, w);
        }
      set_terms(row, row_across, jump, w);
      this->add_transposed_trace(face, w, jump, r);
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
      this->add_product(FaceRadialDerivative<dim, degree>(),
                        (here.radial - there.radial) * inverse,
                        v,
                        w);
      static_for<face_dim>([&](auto a) SALTUS_INLINE_LAMBDA {
        constexpr int i = decltype(a)::value;
        this->add_product(FaceDerivative<dim, degree, i>(),
                          (here.along[i] - there.along[i]) * inverse,
                          v,
                          w);
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
      this->add_symmetric_product(FaceRadialDerivative<dim, degree>(), radial, jump, w);
      static_for<face_dim>([&](auto a) SALTUS_INLINE_LAMBDA {
        constexpr int i = decltype(a)::value;
        this->add_symmetric_product(FaceDerivative<dim, degree, i>(), s * here.along[i], jump, w);
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
