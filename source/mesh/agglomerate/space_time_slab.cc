// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/mesh/agglomerate/space_time_slab.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  SpaceTimeSlab<dim>::SpaceTimeSlab(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                                    const std::vector<unsigned int>                 &n_steps)
    : polytopes(mesh)
  {
    on_all_ranks(mesh->triangulation().get_communicator(), [&]() {
      AssertThrow(n_steps.size() == mesh->n_elements(),
                  ExcMessage(std::to_string(n_steps.size()) + " numbers of steps are given for " +
                             std::to_string(mesh->n_elements()) + " elements."));
      for (unsigned int e = 0; e < n_steps.size(); ++e)
        AssertThrow(n_steps[e] >= 1 && n_steps[e] <= max_steps,
                    ExcMessage("Element " + std::to_string(mesh->first_element() + e) +
                               " cannot do " + std::to_string(n_steps[e]) +
                               " steps in a slab: 1 to " + std::to_string(max_steps) +
                               " are accepted."));
    });
    std::vector<int> firsts = {0}, of_prisms;
    for (const double n :
         with_ghosts(mesh->ghosts(), std::vector<double>(n_steps.begin(), n_steps.end())))
      {
        const int element = firsts.size() - 1;
        firsts.push_back(firsts.back() + static_cast<int>(n));
        of_prisms.resize(firsts.back(), element);
      }
    first_prisms = std::move(firsts);
    elements     = std::move(of_prisms);
    if (mesh->ghosts())
      find_ghosts();
  }


  template <int dim>
  void
  SpaceTimeSlab<dim>::find_ghosts()
  {
    const GhostElements &in_space = *polytopes->ghosts();
    const auto           result   = std::make_shared<GhostElements>();
    for (const auto &[rank, element] : in_space.known)
      for (unsigned int s = 0; s < n_steps(element); ++s)
        result->known.push_back({rank, prism(element, s)});
    for (unsigned int g = 0; g < in_space.size(); ++g)
      result->ranks.insert(result->ranks.end(),
                           n_steps(polytopes->n_elements() + g),
                           in_space.ranks[g]);
    result->partition =
      std::make_shared<const ElementPartition>(polytopes->triangulation().get_communicator(),
                                               n_prisms(),
                                               result->size());
    ghost_prisms = result;
  }


  template <int dim>
  std::vector<typename SpaceTimeSlab<dim>::Contact>
  SpaceTimeSlab<dim>::contacts(const unsigned int prism, const unsigned int other_element) const
  {
    // In units of the length of the interval over m n.
    const unsigned int   s = step(prism), n = n_steps(elements[prism]), m = n_steps(other_element);
    std::vector<Contact> result;
    for (unsigned int r = s * m / n; r < m && r * n < (s + 1) * m; ++r)
      {
        const Interval own = interval(prism), across = interval(this->prism(other_element, r));
        result.push_back({this->prism(other_element, r),
                          {std::max(own.begin, across.begin), std::min(own.end, across.end)}});
      }
    return result;
  }


  template class SpaceTimeSlab<2>;
  template class SpaceTimeSlab<3>;
} // namespace Saltus
