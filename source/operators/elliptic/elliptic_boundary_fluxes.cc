// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/elliptic_boundary_fluxes.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `[b][q]`: the data of boundary conditions on faces with @p ids, zeros on others.
    template <int dim, typename Number>
    std::vector<double>
    data_at_points(const ElementSpace<dim, Number>       &space,
                   const EllipticBoundaryConditions<dim> &conditions,
                   const std::set<types::boundary_id>    &ids,
                   const std::optional<double>            time)
    {
      const auto         &faces = space.connectivity.boundary_faces;
      const unsigned int  n     = space.reference.n_face_points();
      std::vector<double> result(faces.size() * n);
      for (const types::boundary_id id : ids)
        {
          std::vector<Point<dim>>  points;
          std::vector<std::size_t> places;
          for (std::size_t b = 0; b < faces.size(); ++b)
            for (unsigned int q = 0; q < n && faces[b].id == id; ++q)
              {
                places.push_back(b * n + q);
                points.push_back(
                  space.geometry.map(faces[b].element,
                                     space.reference.face_points[faces[b].face * n + q]));
              }
          if (points.empty() || conditions.at(id, 1).data.empty())
            continue;
          std::vector<double> values(points.size());
          PointValues<dim, double>(conditions.at(id, 1).data, points, Device::cpu())
            .evaluate(time, values.data());
          for (std::size_t i = 0; i < places.size(); ++i)
            result[places[i]] = values[i];
        }
      return result;
    }
  } // namespace


  template <int dim, typename Number>
  std::vector<EllipticFaceFluxes<dim>>
  boundary_fluxes(const LaplaceOperator<dim, Number>    &op,
                  const EllipticBoundaryConditions<dim> &conditions,
                  const EllipticCoefficient<dim>        &diffusion,
                  const Vector<Number>                  &u,
                  const std::set<types::boundary_id>    &ids,
                  const std::optional<double>            time)
  {
    const ElementSpace<dim, Number> &space = op.element_space();
    check_layout(u.layout(), space.layout(), "boundary fluxes");
    const ReferenceElement<dim>         &reference = space.reference;
    const unsigned int                   n = reference.n_face_points(), n_modes = reference.n_modes;
    const CoefficientValues<dim, Number> k(diffusion,
                                           space,
                                           "diffusion coefficient",
                                           dim * (dim + 1) / 2);
    const auto                           strengths = op.coupling_strengths(); // penalty times area
    const auto                           data      = data_at_points(space, conditions, ids, time);
    const ElementMetrics<dim> metrics(reference, space.geometry, MetricForm::cross_product);
    const auto                coefficients = u.entries(); // [e][m]

    std::vector<EllipticFaceFluxes<dim>> result;
    for (std::size_t b = 0; b < space.connectivity.boundary_faces.size(); ++b)
      {
        const auto        &face = space.connectivity.boundary_faces[b];
        const unsigned int e    = face.element;
        if (face.is_inside() || ids.count(face.id) == 0)
          continue;
        result.push_back({space.order.cells[e], face.cell_face, {}});
        const auto &condition = conditions.at(face.id, 1);
        const auto  normals   = metrics.normals(e);
        const auto  gradients = metrics.face_gradients(e);
        const auto  sum       = [&](const double *values) {
          double of_modes = 0.;
          for (unsigned int m = 0; m < n_modes; ++m)
            of_modes += values[m] * coefficients[std::size_t(e) * n_modes + m];
          return of_modes;
        };
        auto  &points = result.back().points;
        double area   = 0.;
        for (unsigned int q = 0; q < n; ++q)
          {
            const unsigned int i      = face.face * n + q;
            const double       length = normals[i].norm();
            const double       weight =
              reference.face_weights[q] * length * space.geometry.volume_factors[e];
            points.push_back(
              {space.geometry.map(e, reference.face_points[i]), normals[i] / length, weight, 0.});
            area += weight;
          }
        const double penalty = *strengths.block(e, face.face + 1) / area;
        for (unsigned int q = 0; q < n; ++q)
          {
            const unsigned int i = face.face * n + q;
            Tensor<1, dim>     gradient;
            for (unsigned int r = 0; r < dim; ++r)
              gradient += sum(&reference.face_gradients[(i * dim + r) * n_modes]) * gradients[i][r];
            points[q].flux =
              interior_penalty_boundary(condition.kind,
                                        sum(&reference.face_values[i * n_modes]),
                                        points[q].normal * (k.face(e, face.face, q) * gradient),
                                        penalty,
                                        data[b * n + q],
                                        condition.robin)
                .value;
          }
      }
    return result;
  }


#define SALTUS_BOUNDARY_FLUXES(dim, Number)                      \
  template std::vector<EllipticFaceFluxes<dim>> boundary_fluxes( \
    const LaplaceOperator<dim, Number> &,                        \
    const EllipticBoundaryConditions<dim> &,                     \
    const EllipticCoefficient<dim> &,                            \
    const Vector<Number> &,                                      \
    const std::set<types::boundary_id> &,                        \
    const std::optional<double>);
  SALTUS_BOUNDARY_FLUXES(2, double)
  SALTUS_BOUNDARY_FLUXES(2, float)
  SALTUS_BOUNDARY_FLUXES(3, double)
  SALTUS_BOUNDARY_FLUXES(3, float)
#undef SALTUS_BOUNDARY_FLUXES
} // namespace Saltus
