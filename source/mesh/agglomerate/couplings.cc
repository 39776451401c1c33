// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/agglomerate/cell_graph.h>
#include <saltus/mesh/agglomerate/couplings.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The normal of a face of a cell, with its area as length, outward.
    template <int dim>
    Tensor<1, dim>
    area_vector(const typename Triangulation<dim>::active_cell_iterator &cell, const unsigned int f)
    {
      const auto     face   = cell->face(f);
      const auto     vertex = [&](const unsigned int v) { return face->vertex(v); };
      Tensor<1, dim> area;
      if constexpr (dim == 2)
        area = cross_product_2d(vertex(1) - vertex(0));
      else if (face->n_vertices() == 3)
        area = .5 * cross_product_3d(vertex(1) - vertex(0), vertex(2) - vertex(0));
      else
        area = .5 * cross_product_3d(vertex(3) - vertex(0), vertex(2) - vertex(1));
      return area * (vertex(0) - cell->center()) < 0. ? -area : area;
    }


    /// Groups of elements and the interfaces between them.
    template <int dim>
    struct Groups
    {
      explicit Groups(const unsigned int n)
        : volumes(n, 0.)
        , interfaces(n)
      {}

      explicit Groups(const Agglomeration<dim> &elements)
        : Groups(elements.n_elements())
      {
        const auto element_of = [&](const auto &cell) {
          return elements.elements()[cell->active_cell_index()];
        };
        for (const auto &cell : elements.triangulation().active_cell_iterators())
          {
            const unsigned int element = element_of(cell);
            if (element == Agglomeration<dim>::no_element)
              continue;
            for (const unsigned int f : cell->face_indices())
              {
                // Differences of points: sizes do not depend on the place of the mesh.
                const Tensor<1, dim> area = area_vector<dim>(cell, f);
                volumes[element] += area * (cell->face(f)->center() - cell->center()) / dim;
                std::vector<unsigned int> across;
                for_neighbors(cell, f, [&](const auto &neighbor) {
                  across.push_back(element_of(neighbor));
                });
                for (const unsigned int other : across)
                  if (other != element && other != Agglomeration<dim>::no_element)
                    interfaces[element][other] += area / static_cast<double>(across.size());
              }
          }
      }

      unsigned int
      size() const
      {
        return volumes.size();
      }

      /// @param numbers `[group]`: what it becomes a part of
      Groups
      united(const std::vector<unsigned int> &numbers, const unsigned int n) const
      {
        Groups result(n);
        for (unsigned int i = 0; i < size(); ++i)
          {
            result.volumes[numbers[i]] += volumes[i];
            for (const auto &[j, area] : interfaces[i])
              if (numbers[j] != numbers[i])
                result.interfaces[numbers[i]][numbers[j]] += area;
          }
        return result;
      }

      /// `[group]`: number of the pair to which it belongs, alone if nobody is left for it; and how
      /// many there are. The strongest couplings come first.
      std::pair<std::vector<unsigned int>, unsigned int>
      pairs() const
      {
        struct Coupling
        {
          double       strength;
          unsigned int i, j;
        };
        std::vector<Coupling> couplings;
        for (unsigned int i = 0; i < size(); ++i)
          for (const auto &[j, area] : interfaces[i])
            if (i < j)
              couplings.push_back({area.norm_square() * (1. / volumes[i] + 1. / volumes[j]), i, j});
        std::sort(couplings.begin(), couplings.end(), [](const Coupling &a, const Coupling &b) {
          return a.strength > b.strength;
        });
        // Numbers decide between couplings that are equal up to rounding: close ones come first.
        for (auto begin = couplings.begin(); begin != couplings.end();)
          {
            const double least = (1. - 1e-6) * begin->strength - 1e-20 * couplings.front().strength;
            const auto   end =
              std::find_if(begin + 1, couplings.end(), [&](const Coupling &coupling) {
                return coupling.strength < least;
              });
            std::sort(begin, end, [](const Coupling &a, const Coupling &b) {
              return std::pair(a.j - a.i, a.i) < std::pair(b.j - b.i, b.i);
            });
            begin = end;
          }
        std::vector<unsigned int> first(size()); // of its pair
        std::iota(first.begin(), first.end(), 0);
        std::vector<bool> is_taken(size(), false);
        for (const Coupling &coupling : couplings)
          if (!is_taken[coupling.i] && !is_taken[coupling.j])
            {
              is_taken[coupling.i] = is_taken[coupling.j] = true;
              first[coupling.j]                           = coupling.i;
            }
        std::vector<unsigned int> numbers(size());
        unsigned int              n = 0;
        for (unsigned int i = 0; i < size(); ++i)
          numbers[i] = first[i] == i ? n++ : numbers[first[i]];
        return {std::move(numbers), n};
      }

      std::vector<double>                                 volumes;
      std::vector<std::map<unsigned int, Tensor<1, dim>>> interfaces;
    };
  } // namespace


  template <int dim>
  std::vector<unsigned int>
  pair_by_couplings(const Agglomeration<dim> &elements, const unsigned int n_groups)
  {
    std::vector<unsigned int> result(elements.n_elements());
    std::iota(result.begin(), result.end(), 0);
    Groups<dim> groups(elements);
    // Between so many and half of that, where one more round would bring it.
    while (groups.size() > 1.4 * n_groups)
      {
        const auto [numbers, n] = groups.pairs();
        if (n == groups.size())
          break;
        for (unsigned int &number : result)
          number = numbers[number];
        groups = groups.united(numbers, n);
      }
    return result;
  }


  template std::vector<unsigned int>
  pair_by_couplings(const Agglomeration<2> &, const unsigned int);
  template std::vector<unsigned int>
  pair_by_couplings(const Agglomeration<3> &, const unsigned int);
} // namespace Saltus
