// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_elliptic_elliptic_scheme_h
#define saltus_io_elliptic_elliptic_scheme_h

#include <saltus/io/functions/quantities.h>
#include <saltus/operators/elliptic/elliptic_boundary_fluxes.h>
#include <saltus/operators/elliptic/mixed_laplace_operator.h>

#include <set>
#include <utility>
#include <vector>

namespace Saltus
{
  /// The fluxes through the boundary of an elliptic problem, noted when it is solved.
  template <int dim>
  class EllipticScheme : public BoundaryScheme<dim>
  {
  public:
    using typename BoundaryScheme<dim>::Face;

    /// Note those of the solution @p u of LaplaceOperator.
    template <typename Number>
    void
    note(const LaplaceOperator<dim, Number>         &op,
         const EllipticBoundaryConditions<dim>      &conditions,
         const EllipticCoefficient<dim>             &diffusion,
         const Vector<Number>                       &u,
         const std::set<dealii::types::boundary_id> &ids)
    {
      note(boundary_fluxes(op, conditions, diffusion, u, ids));
    }

    /// Note those of faces.
    void
    note(const std::vector<EllipticFaceFluxes<dim>> &faces)
    {
      for (const auto &face : faces)
        {
          noted.push_back({{face.cell, face.face}, {}});
          for (const auto &point : face.points)
            {
              SurfaceFlux<dim> flux;
              flux.point  = point.position;
              flux.normal = point.normal;
              flux.weight = point.weight;
              flux.volume = point.flux;
              noted.back().second.push_back(flux);
            }
        }
    }

    /// The same of MixedLaplaceOperator.
    template <typename Number>
    void
    note(const MixedLaplaceOperator<dim, Number>    &op,
         const EllipticBoundaryConditions<dim>      &conditions,
         const EllipticCoefficient<dim>             &diffusion,
         const BlockVector<Number>                  &u,
         const std::set<dealii::types::boundary_id> &ids)
    {
      for (unsigned int i = 0; i < op.n_parts(); ++i)
        note(op.part(i), conditions, diffusion, u.block(i), ids);
    }

    bool
    has_one_rule() const override
    {
      return true;
    }

    /// No rule is known: tables only sum over the points.
    unsigned int
    degree() const override
    {
      return 0;
    }

    std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>>
    fluxes(const double /*time*/,
           const std::set<dealii::types::boundary_id> & /*ids*/,
           const bool /*for_second_order_fluxes*/) const override
    {
      return noted;
    }

  private:
    std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>> noted;
  };
} // namespace Saltus

#endif
