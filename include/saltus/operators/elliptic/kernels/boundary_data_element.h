// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_boundary_data_element_h
#define saltus_operators_elliptic_kernels_boundary_data_element_h

#include <saltus/operators/elliptic/kernels/boundary_element.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>

namespace Saltus
{
  /// Of the operator's arguments those without u: what its boundary data contribute to a right-hand
  /// side is added to `out`.
  /// @tparam n_components of the vectors; the same operator works on all of them
  template <int dim, typename Number, int n_components>
  struct BoundaryDataArguments : LaplaceArguments<Number>
  {
    using value_type = Number;

    const Number *data = nullptr; ///< `[b][q][c]`
  };

  /// The terms of interior_penalty_boundary() that belong to the data g, for one element.
  template <GeometryKind kind, int dim, typename Number, int n_components>
  class BoundaryDataElement : BoundaryElement<kind, dim, Number, n_components>
  {
    using Base      = BoundaryElement<kind, dim, Number, n_components>;
    using Arguments = BoundaryDataArguments<dim, Number, n_components>;
    using Base::elements;
    using Base::geometry;
    using Base::tables;
    using typename Base::Direction;
    using typename Base::Face;
    using typename Base::Values;

  public:
    SALTUS_HOST_DEVICE
    BoundaryDataElement(const Arguments                     &arg,
                        const QuadratureTables<dim, Number> &tables,
                        const int                            element)
      : Base(arg.mesh, arg.stored, tables, element)
      , arg(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run() const
    {
      this->for_boundary_faces([&](const int f, const int b, Face &face) { add_data(f, b, face); });
    }

  private:
    SALTUS_HOST_DEVICE
    void
    add_data(const int f, const int b, Face &face) const
    {
      const Number penalty = arg.penalties[point_index(elements[0], f, tables.n_faces(), 1)];
      const auto   set_terms =
        [&](const int q, const int point, Direction &along, InteriorPenaltyTerms<Values> &terms) {
          along = along_flux<dim>(arg.diffusion,
                                  diffusion(point),
                                  geometry.at_face_point(f, q),
                                  face.normal);
          const Number *given =
            arg.data + (static_cast<std::size_t>(b) * tables.n_face_points() + q) * n_components;
          for (int c = 0; c < n_components; ++c)
            {
              // The form is affine: its value at u = 0 belongs to the other side.
              const auto here =
                interior_penalty_boundary<Number>(arg.kinds[b], 0, 0, penalty, given[c], 0);
              terms.value[c] = here.value;
              terms.flux[c]  = here.flux;
            }
        };
      this->add_face(f, face, -1, set_terms, arg.out);
    }

    /// At point number @p point of all faces.
    SALTUS_HOST_DEVICE
    CoefficientValue<dim, Number>
    diffusion(const int point) const
    {
      const bool                    by_point  = arg.diffusion.face != nullptr;
      const int                     points[1] = {by_point ? point : 0};
      CoefficientValue<dim, Number> result{};
      load_coefficient<dim>(arg.diffusion,
                            by_point ? arg.diffusion.face : arg.diffusion.volume,
                            elements,
                            points,
                            by_point ? tables.n_faces() * tables.n_face_points() : 1,
                            result);
      return result;
    }

    const Arguments &arg;
  };

  /// See FlowFamily. Few elements are at the boundary: one at a time.
  template <int dim_, typename Number, int n_components>
  struct BoundaryDataFamily
  {
    using Arguments = BoundaryDataArguments<dim_, Number, n_components>;

    template <GeometryKind kind, typename, int, typename>
    using Element = BoundaryDataElement<kind, dim_, Number, n_components>;

    static constexpr int dim = dim_, max_degree = max_laplace_degree(dim);
  };
} // namespace Saltus

#endif
