// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/text_file.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/mesh/agglomerate/agglomeration.h>
#include <saltus/mesh/agglomerate/couplings.h>
#include <saltus/mesh/disjoint_sets.h>
#include <saltus/mesh/make/spread_triangulation.h>
#include <saltus/mesh/position_text.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// An active cell, for messages.
    template <int dim>
    typename Triangulation<dim>::active_cell_iterator
    cell_number(const Triangulation<dim> &triangulation, const unsigned int index)
    {
      auto cell = triangulation.begin_active();
      std::advance(cell, index);
      return cell;
    }

    /// Which nodes with equal @p labels are connected.
    DisjointSets
    connected_sets(const CellGraph &graph, const std::vector<unsigned int> &labels)
    {
      DisjointSets sets(labels.size());
      for (unsigned int i = 0; i < labels.size(); ++i)
        for (const unsigned int j : graph.neighbors_of(i))
          if (labels[i] == labels[j])
            sets.unite(j, i);
      return sets;
    }

    /// Make every connected set of equal labels a class of its own. Those of less than half of
    /// @p usual nodes become parts of the neighbour with which they have most in common, as long as
    /// no class gets twice as many as usual. Classes are numbered by their first nodes.
    void
    connect(const CellGraph &graph, std::vector<unsigned int> &labels, const double usual = 0.)
    {
      const unsigned int                     n    = labels.size();
      DisjointSets                           sets = connected_sets(graph, labels);
      std::vector<unsigned int>              sizes(n, 0); // by root
      std::vector<std::vector<unsigned int>> small(n);
      for (unsigned int i = 0; i < n; ++i)
        ++sizes[sets.root(i)];
      for (unsigned int i = 0; i < n; ++i)
        if (sizes[sets.root(i)] < .5 * usual)
          small[sets.root(i)].push_back(i);
      for (const auto &nodes : small)
        {
          std::map<unsigned int, unsigned int> in_common;
          for (const unsigned int i : nodes)
            for (const unsigned int j : graph.neighbors_of(i))
              if (sets.root(j) != sets.root(i) &&
                  sizes[sets.root(j)] + sizes[sets.root(i)] <= 2. * usual)
                ++in_common[sets.root(j)];
          const auto best =
            std::max_element(in_common.begin(), in_common.end(), [](const auto &a, const auto &b) {
              return a.second < b.second;
            });
          if (best == in_common.end())
            continue;
          const unsigned int sum = sizes[sets.root(nodes[0])] + sizes[best->first];
          sets.unite(nodes[0], best->first);
          sizes[best->first] = sum;
        }
      constexpr unsigned int    none = static_cast<unsigned int>(-1);
      std::vector<unsigned int> numbers(n, none);
      unsigned int              n_classes = 0;
      for (unsigned int i = 0; i < n; ++i)
        {
          unsigned int &number = numbers[sets.root(i)];
          if (number == none)
            number = n_classes++;
          labels[i] = number;
        }
    }

    /// Nodes with the edges between them.
    /// @param places scratch `[node of the graph]`, at least as large as all of @p nodes, of no
    /// matter what
    CellGraph
    part_of_graph(const CellGraph                 &graph,
                  const std::vector<unsigned int> &nodes,
                  std::vector<unsigned int>       &places)
    {
      for (unsigned int i = 0; i < nodes.size(); ++i)
        places[nodes[i]] = i;
      CellGraph part;
      for (const unsigned int node : nodes)
        {
          for (const unsigned int other : graph.neighbors_of(node))
            if (places[other] < nodes.size() && nodes[places[other]] == other)
              part.neighbors.push_back(places[other]);
          part.starts.push_back(part.neighbors.size());
        }
      return part;
    }

    /// Divide a connected graph of at least two nodes into at least two connected parts.
    /// @param points `[node]`
    /// @return `[node]`: number of its part
    template <int dim>
    std::vector<unsigned int>
    divide(const CellGraph               &graph,
           const std::vector<Point<dim>> &points,
           const Grouping                 grouping,
           const unsigned int             n_parts)
    {
      const unsigned int        n = std::min(n_parts, graph.size());
      std::vector<unsigned int> parts =
        grouping == Grouping::metis ? partition(graph, n) : halve_boxes(points, n);
      connect(graph, parts, static_cast<double>(graph.size()) / n);
      if (*std::max_element(parts.begin(), parts.end()) == 0) // all of them are one again
        {
          parts = halve_boxes(points, 2);
          connect(graph, parts);
        }
      return parts;
    }

    /// Returns the graph whose nodes are groups of nodes of @p graph, by their numbers.
    /// @param group_of `[node]`; -1 for a node without neighbours that is in none
    CellGraph
    graph_of_groups(const CellGraph                 &graph,
                    const std::vector<unsigned int> &group_of,
                    const unsigned int               n_groups)
    {
      constexpr unsigned int   no_group = static_cast<unsigned int>(-1);
      std::vector<std::size_t> starts(n_groups + 1, 0); // of the nodes
      for (const unsigned int group : group_of)
        if (group != no_group)
          ++starts[group + 1];
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      std::vector<unsigned int> nodes(starts.back());
      std::vector<std::size_t>  next(starts.begin(), starts.end() - 1);
      for (unsigned int i = 0; i < group_of.size(); ++i)
        if (group_of[i] != no_group)
          nodes[next[group_of[i]]++] = i;
      std::vector<std::vector<unsigned int>> rows(n_groups);
      parallel_for(n_groups, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t group = begin; group < end; ++group)
          {
            std::vector<unsigned int> &row = rows[group];
            for (std::size_t k = starts[group]; k < starts[group + 1]; ++k)
              for (const unsigned int other : graph.neighbors_of(nodes[k]))
                if (group_of[other] != group)
                  row.push_back(group_of[other]);
            std::sort(row.begin(), row.end());
            row.erase(std::unique(row.begin(), row.end()), row.end());
          }
      });
      CellGraph result;
      for (const auto &row : rows)
        {
          result.neighbors.insert(result.neighbors.end(), row.begin(), row.end());
          result.starts.push_back(result.neighbors.size());
        }
      return result;
    }

    /// Connected elements of one label become one, see connect().
    template <int dim>
    Agglomeration<dim>
    unite_connected(const Agglomeration<dim> &elements,
                    std::vector<unsigned int> labels,
                    const double              usual = 0.)
    {
      const CellGraph &graph = elements.graph();
      connect(graph, labels, usual);
      std::vector<unsigned int> of_cells = elements.elements();
      for (unsigned int &element : of_cells)
        if (element != Agglomeration<dim>::no_element)
          element = labels[element];
      const unsigned int n =
        labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
      return {elements.triangulation(),
              std::move(of_cells),
              std::make_shared<const CellGraph>(graph_of_groups(graph, labels, n))};
    }

    /// Connected cells for which @p label has the same become one element.
    template <int dim, typename Label>
    Agglomeration<dim>
    unite_by_label(const Triangulation<dim> &triangulation, const Label &label)
    {
      std::vector<unsigned int> labels; // of the elements of agglomerate_none()
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          labels.push_back(label(cell));
      return unite_connected(agglomerate_none(triangulation), std::move(labels));
    }
  } // namespace


  template <int dim>
  Agglomeration<dim>::Agglomeration(const Triangulation<dim> &triangulation)
    : tria(&triangulation)
    , element_of_cell(triangulation.n_active_cells(), no_element)
  {}


  template <int dim>
  Agglomeration<dim>::Agglomeration(const Triangulation<dim> &triangulation,
                                    std::vector<unsigned int> elements)
    : Agglomeration(triangulation, std::move(elements), nullptr)
  {
    on_all_ranks(triangulation.get_communicator(), [&]() {
      AssertThrow(element_of_cell.size() == triangulation.n_active_cells(),
                  ExcMessage("An agglomeration of " + std::to_string(element_of_cell.size()) +
                             " cells does not belong to a mesh of " +
                             std::to_string(triangulation.n_active_cells()) + "."));
    });
    check();
  }


  template <int dim>
  Agglomeration<dim>::Agglomeration(const Triangulation<dim>               &triangulation,
                                    std::vector<unsigned int>               elements,
                                    const std::shared_ptr<const CellGraph> &graph)
    : tria(&triangulation)
    , element_of_cell(std::move(elements))
    , neighbors(graph)
  {
    for (const unsigned int element : element_of_cell)
      if (element != no_element)
        n = std::max(n, element + 1);
  }


  template <int dim>
  unsigned int
  Agglomeration<dim>::define_agglomerate(const std::vector<Cell> &cells)
  {
    AssertThrow(!cells.empty(),
                ExcMessage("Element " + std::to_string(n) + " is given no cells: each needs one."));
    neighbors = nullptr;
    for (const Cell &cell : cells)
      {
        unsigned int &element = element_of_cell.at(cell->active_cell_index());
        AssertThrow(element == no_element,
                    ExcMessage("Element " + std::to_string(n) + " is given " + cell_text(cell) +
                               ", which element " + std::to_string(element) + " has already."));
        element = n;
      }
    return n++;
  }


  template <int dim>
  void
  Agglomeration<dim>::check() const
  {
    std::shared_ptr<const CellGraph> found = neighbors;
    on_all_ranks(tria->get_communicator(), [&]() {
      if (found == nullptr)
        found = std::make_shared<const CellGraph>(check_own());
    });
    neighbors = found;
  }


  template <int dim>
  const CellGraph &
  Agglomeration<dim>::graph() const
  {
    check();
    return *neighbors;
  }


  template <int dim>
  CellGraph
  Agglomeration<dim>::check_own() const
  {
    // n is a number that somebody has written: it may be anything.
    AssertThrow(n <= element_of_cell.size(),
                ExcMessage("Element " + std::to_string(n - 1) + " is the last one of a mesh of " +
                           std::to_string(element_of_cell.size()) +
                           " cells: numbers must count from 0 without gaps."));
    std::vector<unsigned int> n_cells(n, 0);
    for (const auto &cell : tria->active_cell_iterators())
      {
        const unsigned int element = element_of_cell[cell->active_cell_index()];
        if (cell->is_locally_owned())
          {
            AssertThrow(element != no_element,
                        ExcMessage("No element has " + cell_text(cell) +
                                   ": every cell needs one."));
            ++n_cells[element];
          }
        else
          AssertThrow(element == no_element,
                      ExcMessage("Element " + std::to_string(element) + " has " + cell_text(cell) +
                                 ", which belongs to another rank: the cells of an element must "
                                 "be on one rank."));
      }
    for (unsigned int e = 0; e < n; ++e)
      AssertThrow(n_cells[e] > 0,
                  ExcMessage("Element " + std::to_string(e) + " of " + std::to_string(n) +
                             " has no cells: numbers must count from 0 without gaps."));
    const CellGraph           cells = cell_graph(*tria);
    DisjointSets              sets  = connected_sets(cells, element_of_cell);
    std::vector<unsigned int> first(n, no_element);
    for (unsigned int i = 0; i < element_of_cell.size(); ++i)
      {
        const unsigned int e = element_of_cell[i];
        if (e == no_element)
          continue;
        if (first[e] == no_element)
          first[e] = i;
        AssertThrow(sets.root(first[e]) == sets.root(i),
                    ExcMessage("Element " + std::to_string(e) +
                               " is not connected: no path through faces of its cells leads from " +
                               cell_text(cell_number(*tria, first[e])) + " to " +
                               cell_text(cell_number(*tria, i)) + "."));
      }
    return graph_of_groups(cells, element_of_cell, n);
  }


  template <int dim>
  Agglomeration<dim>
  agglomerate_none(const Triangulation<dim> &triangulation)
  {
    std::vector<unsigned int> elements(triangulation.n_active_cells(),
                                       Agglomeration<dim>::no_element);
    unsigned int              n = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        elements[cell->active_cell_index()] = n++;
    const auto graph =
      std::make_shared<const CellGraph>(graph_of_groups(cell_graph(triangulation), elements, n));
    return {triangulation, std::move(elements), graph};
  }


  template <int dim>
  Agglomeration<dim>
  agglomerate(const Triangulation<dim> &triangulation,
              const Grouping            grouping,
              const unsigned int        n_elements)
  {
    return agglomerate(agglomerate_none(triangulation), grouping, n_elements);
  }


  template <int dim>
  Agglomeration<dim>
  agglomerate(const Agglomeration<dim> &elements,
              const Grouping            grouping,
              const unsigned int        n_elements)
  {
    const CellGraph          &graph = elements.graph();
    std::vector<unsigned int> groups;
    if (grouping == Grouping::metis)
      groups = partition(graph, n_elements);
    else if (grouping == Grouping::couplings)
      groups = pair_by_couplings(elements, n_elements);
    else
      {
        std::vector<Point<dim>>   centers(elements.n_elements());
        std::vector<unsigned int> n_cells(elements.n_elements(), 0);
        for (const auto &cell : elements.triangulation().active_cell_iterators())
          {
            const unsigned int element = elements.elements()[cell->active_cell_index()];
            if (element == Agglomeration<dim>::no_element)
              continue;
            centers[element] += cell->center();
            ++n_cells[element];
          }
        for (unsigned int e = 0; e < centers.size(); ++e)
          centers[e] /= n_cells[e];
        groups = halve_boxes(centers, n_elements);
      }
    return unite_connected(elements,
                           std::move(groups),
                           static_cast<double>(graph.size()) / std::max(1U, n_elements));
  }


  template <int dim>
  Agglomeration<dim>
  split(const Agglomeration<dim> &elements,
        const std::vector<bool>  &divided,
        const Grouping            grouping,
        const unsigned int        n_parts)
  {
    AssertThrow(divided.size() == elements.n_elements(),
                ExcMessage(std::to_string(divided.size()) + " marks are given for " +
                           std::to_string(elements.n_elements()) + " elements."));
    AssertThrow(n_parts > 1,
                ExcMessage("Elements are split into at least 2 parts, not " +
                           std::to_string(n_parts) + "."));
    std::vector<std::vector<unsigned int>> cells(elements.n_elements());
    std::vector<Point<dim>>                centers;
    for (const auto &cell : elements.triangulation().active_cell_iterators())
      {
        const unsigned int element = elements.elements()[cell->active_cell_index()];
        centers.push_back(cell->center());
        if (element != Agglomeration<dim>::no_element)
          cells[element].push_back(cell->active_cell_index());
      }
    const CellGraph           graph = cell_graph(elements.triangulation());
    std::vector<unsigned int> numbers(graph.size(), Agglomeration<dim>::no_element),
      places(graph.size(), 0);
    unsigned int n = 0;
    for (unsigned int e = 0; e < cells.size(); ++e)
      {
        std::vector<unsigned int> parts(cells[e].size(), 0);
        if (divided[e] && cells[e].size() > 1)
          {
            std::vector<Point<dim>> points;
            for (const unsigned int c : cells[e])
              points.push_back(centers[c]);
            parts = divide(part_of_graph(graph, cells[e], places), points, grouping, n_parts);
          }
        for (unsigned int i = 0; i < parts.size(); ++i)
          numbers[cells[e][i]] = n + parts[i];
        n += 1 + *std::max_element(parts.begin(), parts.end());
      }
    return {elements.triangulation(), std::move(numbers)};
  }


  template <int dim>
  Agglomeration<dim>
  unite(const Agglomeration<dim> &elements, const std::vector<unsigned int> &labels)
  {
    return unite_connected(elements, labels);
  }


  template <int dim>
  std::vector<unsigned int>
  parents(const Agglomeration<dim> &elements, const Agglomeration<dim> &larger)
  {
    AssertThrow(&elements.triangulation() == &larger.triangulation(),
                ExcMessage("Elements are parts of elements of the same mesh only."));
    std::vector<unsigned int> result(elements.n_elements());
    for (unsigned int c = 0; c < elements.elements().size(); ++c)
      if (elements.elements()[c] != Agglomeration<dim>::no_element)
        result[elements.elements()[c]] = larger.elements()[c];
    return result;
  }


  template <int dim>
  Agglomeration<dim>
  agglomerate_by_ancestors(const Triangulation<dim> &triangulation, const unsigned int n_levels)
  {
    std::map<std::pair<int, int>, unsigned int> numbers; // of ancestors, by level and index
    return unite_by_label(triangulation, [&](typename Triangulation<dim>::cell_iterator cell) {
      for (unsigned int l = 0; l < n_levels && cell->level() > 0; ++l)
        cell = cell->parent();
      return numbers.emplace(std::make_pair(cell->level(), cell->index()), numbers.size())
        .first->second;
    });
  }


  template <int dim>
  Agglomeration<dim>
  agglomerate_by_material(const Triangulation<dim> &triangulation)
  {
    return unite_by_label(triangulation, [](const auto &cell) { return cell->material_id(); });
  }


  template <int dim>
  Agglomeration<dim>
  read_agglomeration(const Triangulation<dim> &triangulation, const std::string &file)
  {
    std::vector<unsigned int> elements;
    on_all_ranks(triangulation.get_communicator(), [&]() {
      std::istringstream in(read_text("file of elements", file));
      std::string        line, word;
      for (unsigned int number = 1; std::getline(in, line); ++number)
        {
          std::istringstream words(line.substr(0, line.find('#')));
          while (words >> word)
            {
              const bool is_number =
                word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos;
              AssertThrow(is_number,
                          ExcMessage("File '" + file + "', line " + std::to_string(number) + ": '" +
                                     word +
                                     "' is not the number of an element: there must be one, " +
                                     "counting from 0, for each active cell."));
              elements.push_back(std::stoul(word));
            }
        }
      AssertThrow(elements.size() == triangulation.n_active_cells(),
                  ExcMessage("The file of elements '" + file + "' has " +
                             std::to_string(elements.size()) + " numbers for a mesh of " +
                             std::to_string(triangulation.n_active_cells()) + " cells."));
    });
    return {triangulation, std::move(elements)};
  }


  template <int dim>
  std::vector<unsigned int>
  ranks_of_cells(const Agglomeration<dim> &elements, const unsigned int n_ranks)
  {
    std::vector<unsigned int> n_cells(elements.n_elements(), 0);
    for (const unsigned int element : elements.elements())
      ++n_cells[element];
    return ranks_of_cells(elements, n_cells, n_ranks);
  }


  template <int dim>
  std::vector<unsigned int>
  ranks_of_cells(const Agglomeration<dim>        &elements,
                 const std::vector<unsigned int> &weights,
                 const unsigned int               n_ranks)
  {
    const std::vector<unsigned int> of_elements = partition(elements.graph(), weights, n_ranks);
    std::vector<unsigned int>       ranks       = elements.elements();
    for (unsigned int &rank : ranks)
      rank = of_elements[rank];
    return ranks;
  }


  template <int dim>
  Agglomeration<dim>
  spread_agglomeration(const std::vector<unsigned int> &elements,
                       const Triangulation<dim>        &triangulation)
  {
    const std::vector<double> own =
      spread_values(std::vector<double>(elements.begin(), elements.end()), triangulation);
    std::vector<double> numbers = own; // in the serial mesh
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<unsigned int> result(triangulation.n_active_cells(),
                                     Agglomeration<dim>::no_element);
    auto                      number = own.begin();
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        result[cell->active_cell_index()] =
          std::lower_bound(numbers.begin(), numbers.end(), *number++) - numbers.begin();
    return {triangulation, std::move(result)};
  }


#define SALTUS_INSTANTIATE(dim)                                                                    \
  template class Agglomeration<dim>;                                                               \
  template Agglomeration<dim>        agglomerate_none(const Triangulation<dim> &);                 \
  template Agglomeration<dim>        agglomerate(const Triangulation<dim> &,                       \
                                                 const Grouping,                                   \
                                                 const unsigned int);                              \
  template Agglomeration<dim>        agglomerate(const Agglomeration<dim> &,                       \
                                                 const Grouping,                                   \
                                                 const unsigned int);                              \
  template Agglomeration<dim>        split(const Agglomeration<dim> &,                             \
                                           const std::vector<bool> &,                              \
                                           const Grouping,                                         \
                                           const unsigned int);                                    \
  template Agglomeration<dim>        unite(const Agglomeration<dim> &,                             \
                                           const std::vector<unsigned int> &);                     \
  template std::vector<unsigned int> parents(const Agglomeration<dim> &,                           \
                                             const Agglomeration<dim> &);                          \
  template Agglomeration<dim>        agglomerate_by_ancestors(const Triangulation<dim> &,          \
                                                              const unsigned int);                 \
  template Agglomeration<dim>        agglomerate_by_material(const Triangulation<dim> &);          \
  template Agglomeration<dim> read_agglomeration(const Triangulation<dim> &, const std::string &); \
  template std::vector<unsigned int> ranks_of_cells(const Agglomeration<dim> &,                    \
                                                    const unsigned int);                           \
  template std::vector<unsigned int> ranks_of_cells(const Agglomeration<dim> &,                    \
                                                    const std::vector<unsigned int> &,             \
                                                    const unsigned int);                           \
  template Agglomeration<dim>        spread_agglomeration(const std::vector<unsigned int> &,       \
                                                          const Triangulation<dim> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
