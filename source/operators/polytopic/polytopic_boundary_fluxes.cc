// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/polytopic/polytopic_boundary_fluxes.h>

#include <map>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  std::vector<EllipticFaceFluxes<dim>>
  boundary_fluxes(const PolytopicOperator<dim>       &op,
                  const std::vector<double>          &coefficients,
                  const std::set<types::boundary_id> &ids)
  {
    const PolytopicSpace<dim> &space       = op.space();
    const PolytopicMesh<dim>  &mesh        = space.mesh();
    const auto                 terms       = op.terms(op.data().extra_quadrature_degree);
    const std::vector<double>  places      = terms.points.faces.places.to_host(),
                              normals      = terms.points.normals.to_host(),
                              diffusions   = terms.on_faces.diffusion.values.to_host();
    std::vector<double>            given   = terms.boundary_values.to_host();
    const std::vector<int>         owners  = terms.points.faces.owners.to_host();
    const std::vector<FacetRecord> records = terms.facets.to_host();
    given.resize(owners.size(), 0.); // empty: zeros
    PointCoefficient diffusion = terms.on_faces.diffusion.arrays();
    diffusion.values           = diffusions.data();

    std::vector<const typename PolytopicMesh<dim>::Facet *> facets; // of all elements
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (const auto &facet : mesh.facets(e))
        facets.push_back(&facet);

    std::map<int, EllipticFaceFluxes<dim>> of_facets;
    for (std::size_t q = 0; q < owners.size(); ++q)
      {
        const auto &facet = *facets[owners[q]];
        if (facet.neighbor != PolytopicMesh<dim>::no_element || ids.count(facet.boundary_id) == 0)
          continue;
        const FacetRecord &record = records[owners[q]];
        Point<dim>         x;
        Tensor<1, dim>     normal;
        for (unsigned int d = 0; d < dim; ++d)
          {
            x[d]      = places[q * dim + d];
            normal[d] = normals[q * dim + d];
          }
        const double weight = normal.norm();
        normal /= weight;
        const DiffusionTensor<dim> A(diffusion.at(q, record.inside), diffusion.n_components);
        Tensor<1, dim>             conormal;
        for (unsigned int d = 0; d < dim; ++d)
          for (unsigned int e = 0; e < dim; ++e)
            conormal[d] += A.rows[d][e] * normal[e];
        const double penalty = record.jump_factor(normal * conormal, 0., 0.);
        const double flux =
          interior_penalty_boundary(record.kind,
                                    space.value(coefficients, record.element, x),
                                    conormal * space.gradient(coefficients, record.element, x),
                                    0.5 * penalty, // of which the boundary has twice as much
                                    given[q],
                                    record.robin)
            .value;
        EllipticFaceFluxes<dim> &of_facet = of_facets[owners[q]];
        of_facet.cell                     = mesh.cell(facet.cell);
        of_facet.face                     = facet.face;
        of_facet.points.push_back({x, normal, weight, flux});
      }

    std::vector<EllipticFaceFluxes<dim>> result;
    for (const auto &[facet, fluxes] : of_facets)
      result.push_back(fluxes);
    return result;
  }


  template std::vector<EllipticFaceFluxes<2>>
  boundary_fluxes(const PolytopicOperator<2> &,
                  const std::vector<double> &,
                  const std::set<types::boundary_id> &);
  template std::vector<EllipticFaceFluxes<3>>
  boundary_fluxes(const PolytopicOperator<3> &,
                  const std::vector<double> &,
                  const std::set<types::boundary_id> &);
} // namespace Saltus
