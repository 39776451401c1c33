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

  template <int dim>
  MeshParts<dim>::MeshParts(const ElementMesh<dim> &mesh)
    : MeshParts(Meshes{&mesh}, {})
  {}

  template <int dim>
  MeshParts<dim>::MeshParts(const MixedMesh<dim> &meshes)
    : MeshParts(
        [&]() {
          Meshes pointers;
          for (const auto &mesh : meshes)
            pointers.push_back(mesh.get());
          return pointers;
        }(),
        find_mixed_faces(meshes))
  {}

  template <int dim>
  std::vector<unsigned int>
  MeshParts<dim>::joined_here(const std::vector<MixedFace> &mixed) const
  {
    DisjointSets sets(starts.back());
    for (unsigned int m = 0; m < meshes.size(); ++m)
      for (unsigned int e = 0; e < meshes[m]->n_elements(); ++e)
        for (unsigned int f = 0; f < meshes[m]->shape.n_faces; ++f)
          if (const FaceRecord &across = meshes[m]->connectivity.face(e, f);
              across.kind == FaceKind::interior)
            sets.unite(starts[m] + e, starts[m] + across.neighbor);
    for (const MixedFace &face : mixed)
      if (face.across != numbers::invalid_unsigned_int)
        sets.unite(element_at(face), element_at(mixed[face.across]));
    std::vector<unsigned int> roots;
    for (unsigned int e = 0; e < starts.back(); ++e)
      roots.push_back(sets.root(e));
    return roots;
  }

  template <int dim>
  std::vector<std::size_t>
  MeshParts<dim>::joined_on_all(const std::vector<MixedFace>    &mixed,
                                const std::vector<unsigned int> &roots) const
  {
    std::vector<std::size_t> labels;
    std::size_t              before = 0; // elements of earlier meshes
    for (const auto *mesh : meshes)
      {
        const auto       &partition = mesh->partition;
        const std::size_t first     = before + (partition ? partition->first_element : 0);
        for (unsigned int e = 0; e < mesh->n_elements(); ++e)
          labels.push_back(first + e);
        before += partition ? partition->n_global_elements : mesh->n_elements();
      }
    if (meshes[0]->partition == nullptr)
      return labels;

    // `[i]`: the elements at the faces to other ranks, one list after the other
    struct Shared
    {
      std::vector<unsigned int> ranks, elements;
    };
    std::vector<Shared> shared(meshes.size() + 1);
    for (unsigned int m = 0; m < meshes.size(); ++m)
      {
        shared[m].ranks = meshes[m]->ghost_ranks();
        for (const auto &ghost : meshes[m]->connectivity.ghosts)
          shared[m].elements.push_back(starts[m] + ghost.element);
      }
    for (const MixedFace &face : mixed)
      if (face.across == numbers::invalid_unsigned_int)
        {
          shared.back().ranks.push_back(face.rank);
          shared.back().elements.push_back(element_at(face));
        }
    // In each round labels come one rank further.
    for (bool changed = true; changed;)
      {
        changed = false;
        for (const Shared &faces : shared)
          {
            std::vector<std::size_t> here;
            for (const unsigned int e : faces.elements)
              here.push_back(labels[roots[e]]);
            const auto there =
              exchange_across(meshes[0]->partition->communicator, faces.ranks, 1, here);
            for (std::size_t i = 0; i < there.size(); ++i)
              if (std::size_t &label = labels[roots[faces.elements[i]]]; there[i] < label)
                {
                  label   = there[i];
                  changed = true;
                }
          }
        changed = max_over_ranks(changed ? 1. : 0.) > 0.;
      }
    return labels;
  }

  template <int dim>
  MeshParts<dim>::MeshParts(const Meshes &meshes, const std::vector<MixedFace> &mixed)
    : meshes(meshes)
    , starts(1, 0)
  {
    for (const auto *mesh : meshes)
      starts.push_back(starts.back() + mesh->n_elements());
    const std::vector<unsigned int> roots  = joined_here(mixed);
    const std::vector<std::size_t>  labels = joined_on_all(mixed, roots);

    std::vector<std::size_t> all;
    for (const unsigned int root : std::set<unsigned int>(roots.begin(), roots.end()))
      all.push_back(labels[root]);
    if (meshes[0]->partition != nullptr)
      all = all_gather(meshes[0]->partition->communicator, all).values;
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
        for (unsigned int m = 0; m < meshes.size(); ++m)
          for (unsigned int e = 0; e < meshes[m]->n_elements(); ++e)
            if (parts[starts[m] + e] == part)
              for (const unsigned int v : meshes[m]->order.cells[e]->vertex_indices())
                {
                  const double x = meshes[m]->order.cells[e]->vertex(v)[d];
                  lower[d]       = std::min(lower[d], x);
                  upper[d]       = std::max(upper[d], x);
                }
        lower[d] = -max_over_ranks(-lower[d]);
        upper[d] = max_over_ranks(upper[d]);
      }
    for (unsigned int m = 0; m < meshes.size(); ++m)
      for (const auto &face : meshes[m]->connectivity.boundary_faces)
        if (parts[starts[m] + face.element] == part && !face.is_inside())
          ids.insert(face.id);
    if (meshes[0]->partition != nullptr)
      for (const types::boundary_id id :
           all_gather(meshes[0]->partition->communicator,
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
