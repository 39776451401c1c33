// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/device/launch.h>
#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/operators/polytopic/polytopic_points.h>
#include <saltus/operators/polytopic/simplex_points.h>
#include <saltus/operators/polytopic/values_by_rule.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
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


  namespace
  {
    template <int dim>
    std::vector<unsigned int>
    n_dofs_of_elements(const PolytopicSpace<dim> &space)
    {
      std::vector<unsigned int> sizes;
      for (unsigned int e = 0; e < space.mesh().n_known_elements(); ++e)
        sizes.push_back(space.n_dofs(e));
      return sizes;
    }

    /// Those of a set in host memory.
    template <int dim>
    struct HostPoints
    {
      explicit HostPoints(const std::size_t n)
        : places(n * dim)
        , owners(n)
      {}

      void
      set(const std::size_t q, const Point<dim> &place, const int owner)
      {
        for (unsigned int d = 0; d < dim; ++d)
          places[q * dim + d] = place[d];
        owners[q] = owner;
      }

      std::vector<double> places;
      std::vector<int>    owners;
    };

    template <int dim>
    PointSet<dim>
    copy_to(const Device                    device,
            const std::vector<std::size_t> &starts,
            const HostPoints<dim>          &points)
    {
      return {Memory<std::size_t>(device, starts),
              Memory<double>(device, points.places),
              Memory<int>(device, points.owners)};
    }

    template <int dim>
    void
    make_volume(PolytopicPoints<dim>      &result,
                const PolytopicSpace<dim> &space,
                const unsigned int         extra_degree,
                const Device               device)
    {
      const PolytopicMesh<dim> &mesh   = space.mesh();
      const auto                degree = [&](const unsigned int c) {
        return rule_degree(mesh.mapping(),
                           mesh.cell(c)->reference_cell(),
                           space.degree(mesh.element_of(c)),
                           extra_degree);
      };
      RuleSizes<dim>           size;
      std::vector<std::size_t> starts = {0};
      std::vector<int>         elements(mesh.triangulation().n_active_cells());
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        {
          std::size_t n = 0;
          for (const unsigned int c : mesh.cells(e))
            {
              elements[c] = e;
              n += size(mesh.cell(c)->reference_cell(), degree(c));
            }
          starts.push_back(starts.back() + n);
        }
      check_number_of_points(starts.back(), mesh.ghosts());
      HostPoints<dim>     points(starts.back());
      std::vector<double> weights(starts.back());
      parallel_for(mesh.n_elements(), [&](const std::size_t begin, const std::size_t end) {
        ValuesByRule<dim, FEValues<dim>, dim> all_values(mesh.mapping(),
                                                         update_quadrature_points |
                                                           update_JxW_values);
        for (std::size_t e = begin; e < end; ++e)
          {
            std::size_t q = starts[e];
            for (const unsigned int c : mesh.cells(e))
              {
                const auto     shape  = mesh.cell(c)->reference_cell();
                FEValues<dim> &values = all_values.get(shape, shape, degree(c));
                values.reinit(mesh.cell(c));
                for (unsigned int i = 0; i < values.n_quadrature_points; ++i, ++q)
                  {
                    points.set(q, values.quadrature_point(i), c);
                    weights[q] = values.JxW(i);
                  }
              }
          }
      });
      result.volume   = copy_to(device, starts, points);
      result.elements = Memory<int>(device, elements);
      result.weights  = Memory<double>(device, weights);
    }

    /// Where the points of an element's facets begin, and whom it meets.
    struct FacePlan
    {
      std::vector<std::size_t>               first_points, first_facets; // of the elements
      std::vector<std::size_t>               starts;                     // of the blocks
      std::vector<std::vector<unsigned int>> neighbors;                  // of the elements
    };

    /// @param n_points `(element, facet)`
    template <int dim, typename NPoints>
    FacePlan
    plan_faces(const PolytopicMesh<dim> &mesh, const NPoints &n_points)
    {
      FacePlan    plan;
      std::size_t n = 0, n_facets = 0;
      plan.neighbors.resize(mesh.n_elements());
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        {
          plan.first_points.push_back(n);
          plan.first_facets.push_back(n_facets);
          bool                       at_boundary = false;
          std::vector<unsigned int> &before      = plan.neighbors[e];
          for (const auto &facet : mesh.facets(e))
            {
              const bool is_boundary = facet.neighbor == PolytopicMesh<dim>::no_element;
              if (is_boundary ? !at_boundary : before.empty() || before.back() != facet.neighbor)
                plan.starts.push_back(n);
              if (!is_boundary && (before.empty() || before.back() != facet.neighbor))
                before.push_back(facet.neighbor);
              at_boundary = is_boundary;
              n += n_points(e, facet);
            }
          if (!at_boundary)
            plan.starts.push_back(n);
          n_facets += mesh.facets(e).size();
        }
      plan.starts.push_back(n);
      plan.first_facets.push_back(n_facets);
      return plan;
    }

    /// Without their areas.
    template <int dim>
    std::vector<FacetGeometry>
    facets_of(const PolytopicMesh<dim> &mesh, const std::vector<types::boundary_id> &boundary_ids)
    {
      const auto simplex = [&](const unsigned int c) {
        return mesh.cell_volume(c) / (mesh.cell(c)->reference_cell().is_simplex() ? 1 : dim);
      };
      std::vector<FacetGeometry> result;
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        for (const auto &facet : mesh.facets(e))
          {
            const bool at_boundary = facet.neighbor == PolytopicMesh<dim>::no_element;
            const int  part =
              at_boundary
                 ? std::lower_bound(boundary_ids.begin(), boundary_ids.end(), facet.boundary_id) -
                    boundary_ids.begin()
                 : -1;
            result.push_back({static_cast<int>(e),
                              at_boundary ? -1 : static_cast<int>(facet.neighbor),
                              static_cast<int>(facet.inside),
                              static_cast<int>(facet.outside),
                              part,
                              0.,
                              simplex(facet.inside),
                              simplex(facet.outside)});
          }
      return result;
    }

    template <int dim>
    void
    make_faces(PolytopicPoints<dim>      &result,
               const PolytopicSpace<dim> &space,
               const unsigned int         extra_degree,
               const Device               device)
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
      RuleSizes<dim - 1> size;
      const FacePlan     plan = plan_faces(mesh, [&](const unsigned int e, const Facet &facet) {
        return size(part(facet), degree(e, facet));
      });
      check_number_of_points(plan.starts.back(), mesh.ghosts());
      HostPoints<dim>            points(plan.starts.back());
      std::vector<double>        normals(plan.starts.back() * dim);
      std::vector<FacetGeometry> facets = facets_of(mesh, result.boundary_ids);
      parallel_for(mesh.n_elements(), [&](const std::size_t begin, const std::size_t end) {
        ValuesByRule<dim, FEFaceValues<dim>, dim - 1> all_values(
          mesh.mapping(), update_quadrature_points | update_JxW_values | update_normal_vectors);
        for (std::size_t e = begin; e < end; ++e)
          {
            std::size_t q = plan.first_points[e], number = plan.first_facets[e];
            for (const Facet &facet : mesh.facets(e))
              {
                const auto         cell = mesh.cell(facet.cell);
                FEFaceValues<dim> &values =
                  all_values.get(cell->reference_cell(), part(facet), degree(e, facet));
                values.reinit(cell, facet.face);
                for (unsigned int i = 0; i < values.n_quadrature_points; ++i, ++q)
                  {
                    points.set(q, values.quadrature_point(i), number);
                    facets[number].area += values.JxW(i);
                    for (unsigned int d = 0; d < dim; ++d)
                      normals[q * dim + d] = (facet.outward ? values.JxW(i) : -values.JxW(i)) *
                                             values.normal_vector(i)[d];
                  }
                ++number;
              }
          }
      });
      std::vector<double> perimeters(mesh.n_elements(), 0.), volumes;
      for (const FacetGeometry &facet : facets)
        perimeters[facet.element] += facet.area;
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        volumes.push_back(mesh.volume(e));
      result.facets     = Memory<FacetGeometry>(device, facets);
      result.perimeters = Memory<double>(device, perimeters);
      result.volumes    = Memory<double>(device, volumes);
      result.faces      = copy_to(device, plan.starts, points);
      result.normals    = Memory<double>(device, normals);
      result.steps      = Memory<int>(device, steps_of_four(plan.starts));
      result.sparsity   = std::make_shared<const BlockSparsity>(n_dofs_of_elements(space),
                                                              plan.neighbors,
                                                              mesh.ghosts());
    }
  } // namespace


  void
  check_number_of_points(const std::size_t n, const std::shared_ptr<const GhostElements> &ghosts)
  {
    const auto check = [n]() {
      constexpr std::size_t largest = std::numeric_limits<int>::max();
      AssertThrow(n <= largest,
                  ExcMessage(std::to_string(n) + " quadrature points of a rank are too many: at " +
                             "most " + std::to_string(largest) +
                             " can be numbered. Use fewer cells, a lower degree, or more ranks."));
    };
    if (ghosts)
      on_all_ranks(ghosts->partition->communicator, check);
    else
      check();
  }


  template <int dim>
  PolytopicPoints<dim>
  mapped_points(const PolytopicSpace<dim> &space,
                const unsigned int         extra_degree,
                const Device               device)
  {
    PolytopicPoints<dim> points;
    points.boundary_ids = space.mesh().triangulation().get_boundary_ids();
    std::sort(points.boundary_ids.begin(), points.boundary_ids.end());
    make_volume(points, space, extra_degree, device);
    make_faces(points, space, extra_degree, device);
    return points;
  }


  template <int dim>
  PolytopicPoints<dim>
  quadrature_points(const PolytopicSpace<dim> &space,
                    const unsigned int         extra_degree,
                    const Device               device)
  {
    const PolytopicMesh<dim> &mesh = space.mesh();
    PolytopicPoints<dim>      points;
    if (is_affine_simplices(mesh))
      {
        const auto cells = mesh.cache.template get<SimplexCells<dim>>(device, {}, mesh, device);
        points           = simplex_points(space, *cells, extra_degree);
        points.origin    = cells;
      }
    else
      points = mapped_points(space, extra_degree, device);
    if (mesh.ghosts())
      for (Memory<double> *of_elements : {&points.volumes, &points.perimeters})
        *of_elements = Memory<double>(device, with_ghosts(mesh.ghosts(), of_elements->to_host()));
    return points;
  }


  template <int dim>
  Memory<int>
  points_on_boundary(const PolytopicPoints<dim> &points)
  {
    const Device device = points.facets.device();
    const int    n      = points.sparsity->n_elements();
    auto         counts = Memory<int>::uninitialized(device, n);

    const CountBoundaryPoints count{points.sparsity->row_starts.on(device).data(),
                                    points.faces.starts.data(),
                                    counts.data()};
    launch(device, n, count);
    const Memory<int> starts = prefix_sums<int>(counts);
    auto              list   = Memory<int>::uninitialized(device, last_of(starts));
    launch(device, list.size(), ListBoundaryPoints{count, n, starts.data(), list.data()});
    return list;
  }


  template <int dim>
  Memory<int>
  points_on_boundary(const PolytopicPoints<dim> &points,
                     const Memory<int>          &on_boundary,
                     const int                   part)
  {
    const Device device = points.facets.device();
    const int    n      = on_boundary.size();
    auto         marks  = Memory<int>::uninitialized(device, n);
    launch(device,
           n,
           MarkBoundary{points.facets.data(),
                        points.faces.owners.data(),
                        on_boundary.data(),
                        part,
                        marks.data()});
    const Memory<int> starts = prefix_sums<int>(marks);
    auto              list   = Memory<int>::uninitialized(device, last_of(starts));
    launch(device, n, ListMarked{starts.data(), on_boundary.data(), list.data()});
    return list;
  }


  template <int dim>
  Memory<double>
  places_of_points(const PointSet<dim> &points, const Memory<int> &list)
  {
    auto places = Memory<double>::uninitialized(list.device(), list.size() * dim);
    launch(list.device(),
           list.size(),
           TakePlaces<dim>{list.data(), points.places.data(), places.data()});
    return places;
  }


  template <int dim>
  Memory<double>
  places_beside(const PolytopicPoints<dim> &points)
  {
    const PointSet<dim> &faces  = points.faces;
    const std::size_t    n      = faces.places.size();
    auto                 places = Memory<double>::uninitialized(faces.places.device(), 2 * n);
    for (const bool is_outside : {false, true})
      launch(places.device(),
             faces.size(),
             PlacesBeside<dim>{faces.places.data(),
                               points.normals.data(),
                               faces.owners.data(),
                               points.facets.data(),
                               is_outside,
                               places.data() + (is_outside ? n : 0)});
    return places;
  }


  std::vector<int>
  steps_of_four(const std::vector<std::size_t> &starts)
  {
    std::vector<int> steps = {0};
    for (std::size_t b = 0; b + 1 < starts.size(); ++b)
      steps.push_back(steps.back() + (starts[b + 1] - starts[b] + 3) / 4);
    return steps;
  }


#define SALTUS_INSTANTIATE(dim)                                                               \
  template PolytopicPoints<dim> mapped_points(const PolytopicSpace<dim> &,                    \
                                              const unsigned int,                             \
                                              const Device);                                  \
  template PolytopicPoints<dim> quadrature_points(const PolytopicSpace<dim> &,                \
                                                  const unsigned int,                         \
                                                  const Device);                              \
  template Memory<int>          points_on_boundary(const PolytopicPoints<dim> &);             \
  template Memory<int>          points_on_boundary(const PolytopicPoints<dim> &,              \
                                                   const Memory<int> &,                       \
                                                   const int);                                \
  template Memory<double>       places_of_points(const PointSet<dim> &, const Memory<int> &); \
  template Memory<double>       places_beside(const PolytopicPoints<dim> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
