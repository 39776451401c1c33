// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_given_pressure_h
#define saltus_tests_helpers_given_pressure_h

#include <deal.II/fe/fe_values.h>

#include <saltus/fe/reference_element.h>
#include <saltus/io/functions/quantities.h>

#include <functional>

namespace Saltus::Tests
{
  /// A flow without friction whose pressure is a function.
  template <int dim>
  class GivenPressure : public BoundaryScheme<dim>
  {
  public:
    using typename BoundaryScheme<dim>::Face;
    using Pressure = std::function<double(const dealii::Point<dim> &)>;

    /// Keeps references to @p mapping and @p dof_handler.
    GivenPressure(const dealii::Mapping<dim>    &mapping,
                  const dealii::DoFHandler<dim> &dof_handler,
                  const Pressure                &pressure)
      : mapping(mapping)
      , dof_handler(dof_handler)
      , pressure(pressure)
    {}

    bool
    has_one_rule() const override
    {
      return true;
    }

    unsigned int
    degree() const override
    {
      return 7;
    }

    std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>>
    fluxes(const double, const std::set<dealii::types::boundary_id> &ids, const bool) const override
    {
      const dealii::FiniteElement<dim> &fe = dof_handler.get_fe();
      dealii::FEFaceValues<dim>         values(
        mapping,
        fe,
        cell_quadrature<dim - 1>(fe.reference_cell().face_reference_cell(0), degree()),
        dealii::update_quadrature_points | dealii::update_normal_vectors |
          dealii::update_JxW_values);
      std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>> result;
      for (const auto &cell : dof_handler.active_cell_iterators())
        for (const unsigned int f : cell->face_indices())
          if (cell->is_locally_owned() && cell->at_boundary(f) &&
              ids.count(cell->face(f)->boundary_id()) > 0)
            {
              values.reinit(cell, f);
              result.push_back({{cell, f}, {}});
              for (const unsigned int q : values.quadrature_point_indices())
                {
                  SurfaceFlux<dim> flux;
                  flux.point    = values.quadrature_point(q);
                  flux.normal   = values.normal_vector(q);
                  flux.weight   = values.JxW(q);
                  flux.pressure = pressure(flux.point);
                  result.back().second.push_back(flux);
                }
            }
      return result;
    }

  private:
    const dealii::Mapping<dim>    &mapping;
    const dealii::DoFHandler<dim> &dof_handler;
    const Pressure                 pressure;
  };
} // namespace Saltus::Tests

#endif
