// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/device/threads.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/operators/polytopic/polytopic_points.h>

#include <algorithm>
#include <map>
#include <memory>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// What a rule on cells of a shape must integrate for polynomials of degree @p degree in
    /// physical coordinates: in cells whose maps are no affine ones these have a higher degree.
    template <int dim>
    unsigned int
    rule_degree(const Mapping<dim>  &mapping,
                const ReferenceCell &shape,
                const unsigned int   degree,
                const unsigned int   extra_degree)
    {
      const unsigned int of_map = mapping_degree(mapping);
      const bool         affine = of_map == 1 && shape.is_simplex();
      return 2 * degree + extra_degree + (affine ? 0 : 2 * of_map);
    }

    /// FEValues or FEFaceValues of one thread, by shape and degree of the rule.
    template <int dim, typename Values, int rule_dim>
    class ValuesByRule
    {
    public:
      ValuesByRule(const Mapping<dim> &mapping, const UpdateFlags flags)
        : mapping(mapping)
        , flags(flags)
      {}

      Values &
      get(const ReferenceCell &shape, const ReferenceCell &part, const unsigned int degree)
      {
        std::unique_ptr<OfRule> &of_rule = by_rule[{shape.is_simplex(), degree}];
        if (!of_rule)
          of_rule = std::make_unique<OfRule>(mapping, shape, part, degree, flags);
        return of_rule->values;
      }

    private:
      struct OfRule
      {
        OfRule(const Mapping<dim>  &mapping,
               const ReferenceCell &shape,
               const ReferenceCell &part,
               const unsigned int   degree,
               const UpdateFlags    flags)
          : fe(shape)
          , values(mapping, fe, cell_quadrature<rule_dim>(part, degree), flags)
        {}

        const FE_Nothing<dim> fe; // which the values point to
        Values                values;
      };

      const Mapping<dim>                                              &mapping;
      const UpdateFlags                                                flags;
      std::map<std::pair<bool, unsigned int>, std::unique_ptr<OfRule>> by_rule;
    };

    /// Number of points of a rule, by shape and degree.
    template <int rule_dim>
    class RuleSizes
    {
    public:
      std::size_t
      operator()(const ReferenceCell &part, const unsigned int degree)
      {
        auto &size = by_rule[{part.is_simplex(), degree}];
        if (size == 0)
          size = cell_quadrature<rule_dim>(part, degree).size();
        return size;
      }

    private:
      std::map<std::pair<bool, unsigned int>, std::size_t> by_rule;
    };
  } // namespace


  template <int dim>
  PolytopicPoints<dim>::PolytopicPoints(const PolytopicSpace<dim> &space,
                                        const unsigned int         extra_degree)
  {
    make_volume(space, extra_degree);
    make_faces(space, extra_degree);
  }


  template <int dim>
  void
  PolytopicPoints<dim>::make_volume(const PolytopicSpace<dim> &space,
                                    const unsigned int         extra_degree)
  {
    const PolytopicMesh<dim> &mesh   = space.mesh();
    const auto                degree = [&](const unsigned int c) {
      return rule_degree(mesh.mapping(),
                         mesh.cell(c)->reference_cell(),
                         space.degree(mesh.element_of(c)),
                         extra_degree);
    };
    RuleSizes<dim> size;
    volume.starts.assign(1, 0);
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        std::size_t n = 0;
        for (const unsigned int c : mesh.cells(e))
          n += size(mesh.cell(c)->reference_cell(), degree(c));
        volume.starts.push_back(volume.starts.back() + n);
      }
    volume.points.resize(volume.starts.back());
    volume.owners.resize(volume.starts.back());
    weights.resize(volume.starts.back());
    parallel_for(mesh.n_elements(), [&](const std::size_t begin, const std::size_t end) {
      ValuesByRule<dim, FEValues<dim>, dim> all_values(mesh.mapping(),
                                                       update_quadrature_points |
                                                         update_JxW_values);
      for (std::size_t e = begin; e < end; ++e)
        {
          std::size_t q = volume.starts[e];
          for (const unsigned int c : mesh.cells(e))
            {
              const auto     shape  = mesh.cell(c)->reference_cell();
              FEValues<dim> &values = all_values.get(shape, shape, degree(c));
              values.reinit(mesh.cell(c));
              for (unsigned int i = 0; i < values.n_quadrature_points; ++i, ++q)
                {
                  volume.points[q] = values.quadrature_point(i);
                  volume.owners[q] = c;
                  weights[q]       = values.JxW(i);
                }
            }
        }
    });
  }


  template <int dim>
  void
  PolytopicPoints<dim>::make_faces(const PolytopicSpace<dim> &space,
                                   const unsigned int         extra_degree)
  {
    using Facet                    = typename PolytopicMesh<dim>::Facet;
    const PolytopicMesh<dim> &mesh = space.mesh();
    const auto                part = [&](const Facet &facet) {
      return mesh.cell(facet.cell)->reference_cell().face_reference_cell(facet.face);
    };
    const auto degree = [&](const unsigned int e, const Facet &facet) {
      unsigned int highest = space.degree(e);
      if (facet.neighbor != PolytopicMesh<dim>::no_element)
        highest = std::max(highest, space.degree(facet.neighbor));
      return rule_degree(mesh.mapping(),
                         mesh.cell(facet.cell)->reference_cell(),
                         highest,
                         extra_degree);
    };

    RuleSizes<dim - 1>       size;
    std::vector<std::size_t> first_points, first_facets; // of the elements
    std::size_t              n = 0, n_facets = 0;
    neighbors.resize(mesh.n_elements());
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        first_points.push_back(n);
        first_facets.push_back(n_facets);
        bool at_boundary = false;
        for (const Facet &facet : mesh.facets(e))
          {
            const bool is_boundary            = facet.neighbor == PolytopicMesh<dim>::no_element;
            std::vector<unsigned int> &before = neighbors[e];
            if (is_boundary ? !at_boundary : before.empty() || before.back() != facet.neighbor)
              faces.starts.push_back(n);
            if (!is_boundary && (before.empty() || before.back() != facet.neighbor))
              before.push_back(facet.neighbor);
            at_boundary = is_boundary;
            n += size(part(facet), degree(e, facet));
          }
        if (!at_boundary)
          faces.starts.push_back(n);
        n_facets += mesh.facets(e).size();
      }
    faces.starts.push_back(n);
    faces.points.resize(n);
    faces.owners.resize(n);
    normals.resize(n);
    parallel_for(mesh.n_elements(), [&](const std::size_t begin, const std::size_t end) {
      ValuesByRule<dim, FEFaceValues<dim>, dim - 1> all_values(
        mesh.mapping(), update_quadrature_points | update_JxW_values | update_normal_vectors);
      for (std::size_t e = begin; e < end; ++e)
        {
          std::size_t q = first_points[e], number = first_facets[e];
          for (const Facet &facet : mesh.facets(e))
            {
              const auto         cell = mesh.cell(facet.cell);
              FEFaceValues<dim> &values =
                all_values.get(cell->reference_cell(), part(facet), degree(e, facet));
              values.reinit(cell, facet.face);
              for (unsigned int i = 0; i < values.n_quadrature_points; ++i, ++q)
                {
                  faces.points[q] = values.quadrature_point(i);
                  faces.owners[q] = number;
                  normals[q] =
                    (facet.outward ? values.JxW(i) : -values.JxW(i)) * values.normal_vector(i);
                }
              ++number;
            }
        }
    });
  }


  template struct PolytopicPoints<2>;
  template struct PolytopicPoints<3>;
} // namespace Saltus
