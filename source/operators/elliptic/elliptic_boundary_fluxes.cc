// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/elliptic_boundary_fluxes.h>

#include <algorithm>
#include <map>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  std::vector<BoundaryFaceTraces<dim>>
  boundary_traces(const LaplaceOperator<dim, Number> &op,
                  const EllipticCoefficient<dim>     &diffusion,
                  const Vector<Number>               &u,
                  const std::set<types::boundary_id> &ids)
  {
    const ElementSpace<dim, Number> &space     = op.element_space();
    const ReferenceElement<dim>     &reference = space.reference;
    const unsigned int               n = reference.n_face_points(), n_modes = reference.n_modes;
    const unsigned int               n_components = u.layout().n_components;
    check_layout(u.layout(), space.layout(n_modes, n_components), "boundary fluxes");
    const CoefficientValues<dim, Number> k(diffusion,
                                           space,
                                           "diffusion coefficient",
                                           dim * (dim + 1) / 2);
    const auto                           strengths = op.coupling_strengths(); // penalty times area
    const ElementMetrics<dim> metrics(reference, space.geometry, MetricForm::cross_product);
    const auto                coefficients = u.entries(); // [e][m][c]

    std::vector<BoundaryFaceTraces<dim>> result;
    for (const auto &face : space.connectivity.boundary_faces)
      {
        const unsigned int e = face.element;
        if (face.is_inside() || ids.count(face.id) == 0)
          continue;
        const auto   normals   = metrics.normals(e);
        const auto   gradients = metrics.face_gradients(e);
        const double volume    = space.geometry.volume_factors[e];
        const auto   sum       = [&](const double *values, const unsigned int c) {
          double of_modes = 0.;
          for (unsigned int m = 0; m < n_modes; ++m)
            of_modes += values[m] * coefficients[(std::size_t(e) * n_modes + m) * n_components + c];
          return of_modes;
        };
        result.push_back({space.order.cells[e], face.cell_face, face.id, 0., {}});
        double area = 0.;
        for (unsigned int q = 0; q < n; ++q)
          {
            const unsigned int i      = face.face * n + q;
            const double       length = normals[i].norm();
            const double       weight = reference.face_weights[q] * length * volume;
            auto              &points = result.back().points;
            points.push_back({space.geometry.map(e, reference.face_points[i]),
                              normals[i] / length,
                              weight,
                              {},
                              {}});
            for (unsigned int c = 0; c < n_components; ++c)
              {
                Tensor<1, dim> gradient;
                for (unsigned int r = 0; r < dim; ++r)
                  gradient +=
                    sum(&reference.face_gradients[(i * dim + r) * n_modes], c) * gradients[i][r];
                points.back().values.push_back(sum(&reference.face_values[i * n_modes], c));
                points.back().derivatives.push_back(points.back().normal *
                                                    (k.face(e, face.face, q) * gradient));
              }
            area += weight;
          }
        result.back().penalty = *strengths.block(e, face.face + 1) / area;
      }
    return result;
  }


  template <int dim>
  std::vector<double>
  values_at_points(const std::vector<BoundaryFaceTraces<dim>>                     &faces,
                   const unsigned int                                              n_components,
                   const std::function<FieldFunction<dim>(types::boundary_id id)> &function,
                   const std::optional<double>                                     time)
  {
    std::map<types::boundary_id, std::pair<std::vector<Point<dim>>, std::vector<std::size_t>>>
                of_ids;
    std::size_t n_points = 0;
    for (const auto &face : faces)
      for (const auto &point : face.points)
        {
          of_ids[face.id].first.push_back(point.position);
          of_ids[face.id].second.push_back(n_points++);
        }
    std::vector<double> result(n_points * n_components);
    for (const auto &[id, points] : of_ids)
      {
        const FieldFunction<dim> data = function(id);
        if (data.empty())
          continue;
        std::vector<double> values(points.first.size() * n_components);
        PointValues<dim, double>(data, points.first, Device::cpu()).evaluate(time, values.data());
        for (std::size_t i = 0; i < points.second.size(); ++i)
          std::copy_n(&values[i * n_components],
                      n_components,
                      &result[points.second[i] * n_components]);
      }
    return result;
  }


  template <int dim, typename Number>
  std::vector<EllipticFaceFluxes<dim>>
  boundary_fluxes(const LaplaceOperator<dim, Number>    &op,
                  const EllipticBoundaryConditions<dim> &conditions,
                  const EllipticCoefficient<dim>        &diffusion,
                  const Vector<Number>                  &u,
                  const std::set<types::boundary_id>    &ids,
                  const std::optional<double>            time)
  {
    const auto traces = boundary_traces(op, diffusion, u, ids);
    const auto data   = values_at_points<dim>(
      traces, 1, [&](const types::boundary_id id) { return conditions.at(id, 1).data; }, time);
    auto                                 given = data.begin();
    std::vector<EllipticFaceFluxes<dim>> result;
    for (const auto &face : traces)
      {
        const auto &condition = conditions.at(face.id, 1);
        result.push_back({face.cell, face.face, {}});
        for (const auto &point : face.points)
          result.back().points.push_back({point.position,
                                          point.normal,
                                          point.weight,
                                          interior_penalty_boundary(condition.kind,
                                                                    point.values[0],
                                                                    point.derivatives[0],
                                                                    face.penalty,
                                                                    *given++,
                                                                    condition.robin)
                                            .value});
      }
    return result;
  }


#define SALTUS_BOUNDARY_FLUXES(dim, Number)                      \
  template std::vector<BoundaryFaceTraces<dim>> boundary_traces( \
    const LaplaceOperator<dim, Number> &,                        \
    const EllipticCoefficient<dim> &,                            \
    const Vector<Number> &,                                      \
    const std::set<types::boundary_id> &);                       \
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

  template std::vector<double>
  values_at_points(const std::vector<BoundaryFaceTraces<2>> &,
                   const unsigned int,
                   const std::function<FieldFunction<2>(types::boundary_id id)> &,
                   const std::optional<double>);
  template std::vector<double>
  values_at_points(const std::vector<BoundaryFaceTraces<3>> &,
                   const unsigned int,
                   const std::function<FieldFunction<3>(types::boundary_id id)> &,
                   const std::optional<double>);
} // namespace Saltus
