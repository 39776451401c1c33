// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_disjoint_sets_h
#define saltus_mesh_disjoint_sets_h

#include <numeric>
#include <vector>

namespace Saltus
{
  /// Classes of numbers that are one: a forest whose roots stand for the classes.
  class DisjointSets
  {
  public:
    /// @p n numbers, each a class of its own
    explicit DisjointSets(const unsigned int n)
      : parents(n)
    {
      std::iota(parents.begin(), parents.end(), 0);
    }

    /// The number that stands for the class of @p i.
    unsigned int
    root(unsigned int i)
    {
      while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
      return i;
    }

    void
    unite(const unsigned int i, const unsigned int j)
    {
      parents[root(i)] = root(j);
    }

  private:
    std::vector<unsigned int> parents;
  };
} // namespace Saltus

#endif
