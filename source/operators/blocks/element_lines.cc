// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/disjoint_sets.h>
#include <saltus/operators/blocks/element_lines.h>

#include <algorithm>
#include <array>
#include <limits>

namespace Saltus
{
  namespace
  {
    /// How many times the weakest coupling of an element a link is at least, and how many times
    /// somewhere in every group of elements that such links join.
    constexpr double least_ratio = 4., large_ratio = 20.;

    struct Link
    {
      double       strength;
      unsigned int element, coupling;
    };

    /// Links that may be, the strongest first.
    std::vector<Link>
    candidates(const ElementCouplings<double> &strengths)
    {
      std::vector<double> weakest(strengths.n_elements, std::numeric_limits<double>::max());
      for (unsigned int e = 0; e < strengths.n_elements; ++e)
        for (unsigned int c = 1; c < strengths.n_couplings; ++c)
          weakest[e] = std::min(weakest[e], *strengths.block(e, c));
      const auto is_link = [&](const Link &link, const double ratio) {
        const unsigned int other = strengths.partner(link.element, link.coupling);
        return link.strength >= ratio * std::min(weakest[link.element], weakest[other]);
      };
      std::vector<Link> links;
      DisjointSets      groups(strengths.n_elements);
      for (unsigned int e = 0; e < strengths.n_elements; ++e)
        for (unsigned int c = 1; c < strengths.n_couplings; ++c)
          {
            const Link link{*strengths.block(e, c), e, c};
            const int  other = strengths.partner(e, c);
            if (other > static_cast<int>(e) && is_link(link, least_ratio))
              {
                links.push_back(link);
                groups.unite(e, other);
              }
          }
      std::vector<bool> is_stretched(strengths.n_elements, false); // the group with this root
      for (const Link &link : links)
        if (is_link(link, large_ratio))
          is_stretched[groups.root(link.element)] = true;
      links.erase(std::remove_if(links.begin(),
                                 links.end(),
                                 [&](const Link &link) {
                                   return !is_stretched[groups.root(link.element)];
                                 }),
                  links.end());
      std::stable_sort(links.begin(), links.end(), [](const Link &a, const Link &b) {
        return a.strength > b.strength;
      });
      return links;
    }

    /// The couplings through which an element is linked, at most two.
    using Ends = std::array<int, 2>;

    std::vector<Ends>
    choose(const ElementCouplings<double> &strengths)
    {
      std::vector<Ends> chosen(strengths.n_elements, Ends{{-1, -1}});
      DisjointSets      lines(strengths.n_elements);
      for (const Link &link : candidates(strengths))
        {
          const unsigned int e = link.element, other = strengths.partner(e, link.coupling);
          if (chosen[e][1] >= 0 || chosen[other][1] >= 0 || lines.root(e) == lines.root(other))
            continue;
          lines.unite(e, other);
          // Elements that meet at several faces have as many couplings of equal strength.
          unsigned int back = 1;
          while (strengths.partner(other, back) != static_cast<int>(e))
            ++back;
          chosen[e][chosen[e][0] >= 0]         = link.coupling;
          chosen[other][chosen[other][0] >= 0] = back;
        }
      return chosen;
    }
  } // namespace

  ElementLines::ElementLines(const ElementCouplings<double> &strengths)
  {
    const std::vector<Ends> chosen = choose(strengths);
    std::vector<bool>       done(strengths.n_elements, false);
    for (unsigned int e = 0; e < strengths.n_elements; ++e)
      {
        if (done[e] || chosen[e][0] < 0 || chosen[e][1] >= 0)
          continue; // no end of a line
        int here = e, before = -1;
        while (here >= 0)
          {
            done[here]    = true;
            int to_before = -1, next = -1;
            for (const int c : chosen[here])
              if (c >= 0 && strengths.partner(here, c) == before)
                to_before = c;
              else if (c >= 0)
                next = strengths.partner(here, c);
            elements.push_back(here);
            couplings.push_back(to_before);
            before = here;
            here   = next;
          }
        starts.push_back(elements.size());
      }
  }
} // namespace Saltus
