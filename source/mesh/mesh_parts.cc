// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>

#include <saltus/base/ranks/gather.h>
#include <saltus/mesh/disjoint_sets.h>
#include <saltus/mesh/mesh_parts.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `[e]`: a number that elements have in common if faces of this rank join them.
    template <int dim>
    std::vector<unsigned int>
    joined_here(const ElementMesh<dim> &mesh)
    {
      DisjointSets sets(mesh.n_elements());
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        for (unsigned int f = 0; f < mesh.shape.n_faces; ++f)
          if (const FaceRecord &across = mesh.connectivity.face(e, f);
              across.kind == FaceKind::interior)
            sets.unite(e, across.neighbor);
      std::vector<unsigned int> roots;
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        roots.push_back(sets.root(e));
      return roots;
    }

    /// `[root]`: the smallest number of those that elements joined with it have, also by faces
    /// between ranks.
    template <int dim>
    std::vector<std::size_t>
    joined_on_all(const ElementMesh<dim> &mesh, const std::vector<unsigned int> &roots)
    {
      const std::size_t        first = mesh.partition ? mesh.partition->first_element : 0;
      std::vector<std::size_t> labels;
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        labels.push_back(first + e);
      if (mesh.partition == nullptr)
        return labels;
      // In each round labels come one rank further.
      const std::vector<unsigned int> ranks = mesh.ghost_ranks();
      for (bool changed = true; changed;)
        {
          changed = false;
          std::vector<std::size_t> here;
          for (const auto &ghost : mesh.connectivity.ghosts)
            here.push_back(labels[roots[ghost.element]]);
          const auto there = exchange_across(mesh.partition->communicator, ranks, 1, here);
          for (std::size_t i = 0; i < there.size(); ++i)
            if (std::size_t &label = labels[roots[mesh.connectivity.ghosts[i].element]];
                there[i] < label)
              {
                label   = there[i];
                changed = true;
              }
          changed = max_over_ranks(mesh.partition, changed ? 1. : 0.) > 0.;
        }
      return labels;
    }
  } // namespace

  template <int dim>
  MeshParts<dim>::MeshParts(const ElementMesh<dim> &mesh)
    : mesh(mesh)
  {
    const std::vector<unsigned int> roots  = joined_here(mesh);
    const std::vector<std::size_t>  labels = joined_on_all(mesh, roots);

    std::vector<std::size_t> all;
    for (const unsigned int root : std::set<unsigned int>(roots.begin(), roots.end()))
      all.push_back(labels[root]);
    if (mesh.partition != nullptr)
      all = all_gather(mesh.partition->communicator, all).values;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());

    n_parts = all.size();
    for (const unsigned int root : roots)
      parts.push_back(std::lower_bound(all.begin(), all.end(), labels[root]) - all.begin());
  }

  template <int dim>
  std::string
  MeshParts<dim>::description(const unsigned int part) const
  {
    constexpr double             infinity = std::numeric_limits<double>::infinity();
    Point<dim>                   lower, upper;
    std::set<types::boundary_id> ids;
    for (unsigned int d = 0; d < dim; ++d)
      {
        lower[d] = infinity;
        upper[d] = -infinity;
        for (unsigned int e = 0; e < mesh.n_elements(); ++e)
          if (parts[e] == part)
            for (const unsigned int v : mesh.order.cells[e]->vertex_indices())
              {
                const double x = mesh.order.cells[e]->vertex(v)[d];
                lower[d]       = std::min(lower[d], x);
                upper[d]       = std::max(upper[d], x);
              }
        lower[d] = -max_over_ranks(mesh.partition, -lower[d]);
        upper[d] = max_over_ranks(mesh.partition, upper[d]);
      }
    for (const auto &face : mesh.connectivity.boundary_faces)
      if (parts[face.element] == part)
        ids.insert(face.id);
    if (mesh.partition != nullptr)
      for (const types::boundary_id id :
           all_gather(mesh.partition->communicator,
                      std::vector<types::boundary_id>(ids.begin(), ids.end()))
             .values)
        ids.insert(id);

    std::ostringstream text;
    text << "from (" << lower << ") to (" << upper << ") with the boundary ids";
    for (const types::boundary_id id : ids)
      text << (id == *ids.begin() ? " " : ", ") << id;
    return text.str();
  }

  template class MeshParts<2>;
  template class MeshParts<3>;
} // namespace Saltus
