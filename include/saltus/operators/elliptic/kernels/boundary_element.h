// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_boundary_element_h
#define saltus_operators_elliptic_kernels_boundary_element_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/operators/spaces/element_group.h>
#include <saltus/physics/interior_penalty.h>

namespace Saltus
{
  /// One element of which nothing but faces at the boundary is worked on: few have one.
  template <GeometryKind kind, int dim, typename Number, int n_components>
  class BoundaryElement
    : protected ElementGroup<kind, dim, Number, Number, 1, QuadratureTables<dim, Number>>
  {
    using Group = ElementGroup<kind, dim, Number, Number, 1, QuadratureTables<dim, Number>>;
    using Group::batch;

  protected:
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;
    using Values = Array<Number, n_components>;

    SALTUS_HOST_DEVICE
    BoundaryElement(const MeshArrays<Number>            &mesh,
                    const StoredArrays<Number>          &stored,
                    const QuadratureTables<dim, Number> &tables,
                    const int                            element)
      : Group(mesh, stored, tables, element)
      , start(CoefficientLayout{tables.n_modes(), n_components}.index(element, 0))
    {}

    /// Call `body(f, b, face)` for the faces f of the element that are at the boundary, as number
    /// b.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_boundary_faces(const Body &body) const
    {
      for (int f = 0; f < tables.n_faces(); ++f)
        {
          Face face = this->face(f);
          if (const int b = face.across[0].boundary_face(); b >= 0)
            body(f, b, face);
        }
    }

    /// Add @p scale times the integral of terms over face @p f to @p out. By batches of points,
    /// since every mode of the result is read and written for each.
    /// @param face goes from point to point
    /// @param set_terms `(q, point, along, terms)` sets what is multiplied with a test function and
    /// its flux at point q of the face, where @p face is, number `point` of all, and the
    /// combination of reference derivatives that is the flux
    template <typename SetTerms>
    SALTUS_HOST_DEVICE
    void
    add_face(const int f, Face &face, const Number scale, const SetTerms &set_terms, Number *out)
      const
    {
      const Number of_face = scale * geometry.volume_factor();
      for (int first = 0; first < tables.n_face_points(); first += batch)
        {
          int                          points[batch];
          Direction                    along[batch];
          InteriorPenaltyTerms<Values> terms[batch];
          this->set_batch(first, points);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              const int q = points[i];
              this->at_point(face, f, q);
              set_terms(q, f * tables.n_face_points() + q, along[i], terms[i]);
              const Number weight = of_face * this->batch_weight(face, first + i, q);
              for (int c = 0; c < n_components; ++c)
                {
                  terms[i].value[c] *= weight;
                  terms[i].flux[c] *= weight;
                }
            }
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              Values sum{};
              SALTUS_UNROLL
              for (int i = 0; i < batch; ++i)
                {
                  const int    point = f * tables.n_face_points() + points[i];
                  const Number value = tables.face_value(point, m);
                  const Number flux  = mode_flux(along[i], point, m);
                  for (int c = 0; c < n_components; ++c)
                    sum[c] += terms[i].value[c] * value + terms[i].flux[c] * flux;
                }
              for (int c = 0; c < n_components; ++c)
                out[index(m) + c] += sum[c];
            }
        }
    }

    SALTUS_HOST_DEVICE
    Number
    mode_flux(const Direction &along, const int point, const int m) const
    {
      Number sum = 0;
      for (int i = 0; i < dim; ++i)
        sum += along[i] * tables.face_gradient(point, i, m);
      return sum;
    }

    /// Where the element's mode @p m stands.
    SALTUS_HOST_DEVICE
    std::size_t
    index(const int m) const
    {
      return start + m * CoefficientLayout{tables.n_modes(), n_components}.mode_stride();
    }

  private:
    const std::size_t start;
  };
} // namespace Saltus

#endif
