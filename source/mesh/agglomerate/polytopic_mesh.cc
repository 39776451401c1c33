// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/agglomerate/cell_graph.h>
#include <saltus/mesh/agglomerate/check_cells.h>
#include <saltus/mesh/agglomerate/polytopic_mesh.h>
#include <saltus/mesh/curve/mapping_by_shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  PolytopicMesh<dim>::PolytopicMesh(const Mapping<dim>       &mapping,
                                    const Agglomeration<dim> &agglomeration,
                                    const BoxAxes             axes)
    : PolytopicMesh(mapping, agglomeration, axes, nullptr)
  {}


  template <int dim>
  PolytopicMesh<dim>::PolytopicMesh(const PolytopicMesh      &mesh,
                                    const Agglomeration<dim> &agglomeration)
    : PolytopicMesh(mesh.mapping(), agglomeration, mesh.axes(), mesh.shared_cells)
  {}


  template <int dim>
  PolytopicMesh<dim>::PolytopicMesh(const Mapping<dim>                 &mapping,
                                    const Agglomeration<dim>           &agglomeration,
                                    const BoxAxes                       axes,
                                    const std::shared_ptr<const Cells> &cells)
    : map(&mapping)
    , agglomeration(agglomeration)
    , box_axes(axes)
    , shared_cells(cells)
  {
    agglomeration.check();
    if (shared_cells == nullptr)
      {
        for (const ReferenceCell &shape : triangulation().get_reference_cells())
          check_mapping(mapping, triangulation(), shape);
        check_cells(mapping, triangulation());
        shared_cells = make_cells(triangulation());
      }
    elements = agglomeration.elements();
    if (n_ranks(triangulation().get_communicator()) > 1)
      find_ghosts();
    sort_cells();
    volumes.assign(n_elements(), 0.);
    parallel_for(n_elements(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        for (const unsigned int c : this->cells(e))
          volumes[e] += cell_volume(c);
    });
    volumes = with_ghosts(ghost_elements, volumes);
    find_boxes();
  }


  template <int dim>
  std::shared_ptr<const typename PolytopicMesh<dim>::Cells>
  PolytopicMesh<dim>::make_cells(const Triangulation<dim> &triangulation)
  {
    const auto cells = std::make_shared<Cells>();
    cells->active.reserve(triangulation.n_active_cells());
    for (const auto &cell : triangulation.active_cell_iterators())
      cells->active.push_back(cell);
    cells->volumes.assign(cells->active.size(), 0.);
    parallel_for(cells->active.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        if (!cells->active[c]->is_artificial())
          cells->volumes[c] = cells->active[c]->measure();
    });
    return cells;
  }


  template <int dim>
  Point<dim>
  PolytopicMesh<dim>::cell_center(const unsigned int cell) const
  {
    const auto vertices = map->get_vertices(shared_cells->active[cell]);
    Point<dim> center;
    for (const auto &vertex : vertices)
      center += vertex / static_cast<double>(vertices.size());
    return center;
  }


  template <int dim>
  void
  PolytopicMesh<dim>::sort_cells()
  {
    const unsigned int n = n_elements() + (ghost_elements ? ghost_elements->size() : 0);
    cell_starts.assign(n + 1, 0);
    for (const unsigned int element : elements)
      if (element != no_element)
        ++cell_starts[element + 1];
    for (unsigned int e = 0; e < n; ++e)
      cell_starts[e + 1] += cell_starts[e];
    std::vector<std::size_t> next(cell_starts.begin(), cell_starts.end() - 1);
    cell_numbers.resize(cell_starts.back());
    for (unsigned int c = 0; c < elements.size(); ++c)
      if (elements[c] != no_element)
        cell_numbers[next[elements[c]]++] = c;
  }


  template <int dim>
  void
  PolytopicMesh<dim>::find_ghosts()
  {
    // Elements go by their ranks and the numbers that they have there.
    using Element = std::pair<unsigned int, unsigned int>;
    std::set<unsigned int> across; // cells
    std::set<Element>      known;
    for (unsigned int c = 0; c < elements.size(); ++c)
      if (elements[c] != no_element)
        for (const unsigned int f : shared_cells->active[c]->face_indices())
          for_neighbors(shared_cells->active[c], f, [&](const auto &neighbor) {
            if (neighbor->is_locally_owned())
              return;
            across.insert(neighbor->active_cell_index());
            known.insert({neighbor->subdomain_id(), elements[c]});
          });
    std::map<unsigned int, Element> of_cells;
    std::map<Element, unsigned int> numbers;
    GridTools::exchange_cell_data_to_ghosts<unsigned int, Triangulation<dim>>(
      triangulation(),
      [&](const Cell &cell) { return elements[cell->active_cell_index()]; },
      [&](const Cell &cell, const unsigned int element) {
        of_cells[cell->active_cell_index()] = {cell->subdomain_id(), element};
        numbers.insert({{cell->subdomain_id(), element}, 0});
      },
      [&](const Cell &cell) { return across.count(cell->active_cell_index()) > 0; });

    const auto   ghosts = std::make_shared<GhostElements>();
    unsigned int number = n_elements();
    for (auto &[element, n] : numbers)
      {
        n = number++;
        ghosts->ranks.push_back(element.first);
      }
    for (const auto &[cell, element] : of_cells)
      elements[cell] = numbers.at(element);
    for (const auto &[rank, element] : known)
      ghosts->known.push_back({rank, element});
    ghosts->partition = std::make_shared<const ElementPartition>(triangulation().get_communicator(),
                                                                 n_elements(),
                                                                 ghosts->size());
    ghost_elements    = ghosts;
  }


  template <int dim>
  bool
  PolytopicMesh<dim>::comes_first(const unsigned int cell, const unsigned int other) const
  {
    return ghost_elements ? shared_cells->active[cell]->id() < shared_cells->active[other]->id()
                          : cell < other;
  }


  template <int dim>
  void
  PolytopicMesh<dim>::find_facets() const
  {
    const unsigned int              n = agglomeration.n_elements();
    std::vector<std::vector<Facet>> facets_of(n);
    parallel_for(n, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        {
          for (const unsigned int c : cells(e))
            for (const unsigned int f : shared_cells->active[c]->face_indices())
              add_facets(facets_of[e], c, f);
          std::stable_sort(facets_of[e].begin(),
                           facets_of[e].end(),
                           [](const Facet &a, const Facet &b) { return a.neighbor < b.neighbor; });
        }
    });
    std::vector<std::size_t> &starts = boundaries->starts;
    starts.assign(1, 0);
    for (const auto &facets : facets_of)
      starts.push_back(starts.back() + facets.size());
    boundaries->all.reserve(starts.back());
    for (const auto &facets : facets_of)
      boundaries->all.insert(boundaries->all.end(), facets.begin(), facets.end());
  }


  template <int dim>
  void
  PolytopicMesh<dim>::add_facets(std::vector<Facet> &facets,
                                 const unsigned int  c,
                                 const unsigned int  f) const
  {
    const Cell &cell = shared_cells->active[c];
    if (cell->at_boundary(f))
      {
        facets.push_back({c, f, true, no_element, cell->face(f)->boundary_id(), c, c});
        return;
      }
    const auto add =
      [&](const unsigned int owner, const unsigned int face, const unsigned int other) {
        const unsigned int neighbor = element_of(other);
        if (neighbor != element_of(c))
          facets.push_back(
            {owner, face, owner == c, neighbor, numbers::internal_face_boundary_id, c, other});
      };
    const auto neighbor = cell->neighbor(f);
    if (neighbor->has_children()) // its faces are the smaller ones
      for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
        {
          const auto   child = cell->neighbor_child_on_subface(f, s);
          unsigned int face  = 0;
          while (child->face(face) != cell->face(f)->child(s))
            ++face;
          add(child->active_cell_index(), face, child->active_cell_index());
        }
    else
      {
        // One of two equal faces gives both elements the same points.
        const unsigned int other   = neighbor->active_cell_index();
        const bool         smaller = cell->neighbor_is_coarser(f);
        if (smaller || comes_first(c, other))
          add(c, f, other);
        else
          add(other, cell->neighbor_of_neighbor(f), other);
      }
  }


  namespace
  {
    /// Orthogonal: rows are the principal axes of points.
    template <int dim>
    Tensor<2, dim>
    principal_axes(const std::vector<Point<dim>> &points)
    {
      Tensor<1, dim> mean;
      for (const auto &point : points)
        mean += point / static_cast<double>(points.size());
      SymmetricTensor<2, dim> moments;
      for (const auto &point : points)
        moments += symmetrize(outer_product(point - mean, point - mean));
      Tensor<2, dim> axes;
      unsigned int   row = 0;
      for (const auto &[value, axis] : eigenvectors(moments))
        axes[row++] = axis;
      if (determinant(axes) < 0.)
        axes[0] *= -1.;
      return axes;
    }
  } // namespace


  template <int dim>
  void
  PolytopicMesh<dim>::find_boxes()
  {
    boxes.resize(n_elements());
    parallel_for(boxes.size(), [&](const std::size_t begin, const std::size_t end) {
      std::vector<Point<dim>> points;
      for (std::size_t e = begin; e < end; ++e)
        {
          points.clear();
          for (const unsigned int c : cells(e))
            for (const auto &vertex : map->get_vertices(shared_cells->active[c]))
              points.push_back(vertex);
          const Tensor<2, dim> rotation = box_axes == BoxAxes::principal
                                            ? principal_axes(points)
                                            : Tensor<2, dim>(unit_symmetric_tensor<dim>());
          Point<dim>           lowest(rotation * points[0]), highest = lowest;
          for (const auto &point : points)
            for (unsigned int d = 0; d < dim; ++d)
              {
                lowest[d]  = std::min(lowest[d], rotation[d] * point);
                highest[d] = std::max(highest[d], rotation[d] * point);
              }
          Point<dim> middle;
          for (unsigned int d = 0; d < dim; ++d)
            {
              middle[d]                = .5 * (lowest[d] + highest[d]);
              boxes[e].to_reference[d] = 2. / (highest[d] - lowest[d]) * rotation[d];
            }
          boxes[e].center = Point<dim>(transpose(rotation) * middle);
        }
    });
    if (ghost_elements)
      add_boxes_of_ghosts();
    numbers_of_boxes = Saltus::box_numbers(boxes);
  }


  template <int dim>
  void
  PolytopicMesh<dim>::add_boxes_of_ghosts()
  {
    constexpr unsigned int    n       = dim + dim * dim;
    const std::vector<double> numbers = with_ghosts(ghost_elements, Saltus::box_numbers(boxes), n);
    for (auto box = numbers.begin() + n * n_elements(); box != numbers.end(); box += n)
      {
        boxes.emplace_back();
        std::copy_n(box, dim, boxes.back().center.begin_raw());
        for (unsigned int d = 0; d < dim; ++d)
          std::copy_n(box + (1 + d) * dim, dim, boxes.back().to_reference[d].begin_raw());
      }
  }


  template <int dim>
  std::vector<double>
  box_numbers(const std::vector<ElementBox<dim>> &boxes)
  {
    std::vector<double> numbers;
    numbers.reserve(boxes.size() * (dim + dim * dim));
    for (const ElementBox<dim> &box : boxes)
      {
        numbers.insert(numbers.end(), box.center.begin_raw(), box.center.end_raw());
        for (unsigned int d = 0; d < dim; ++d)
          numbers.insert(numbers.end(),
                         box.to_reference[d].begin_raw(),
                         box.to_reference[d].end_raw());
      }
    return numbers;
  }


  template std::vector<double>
  box_numbers(const std::vector<ElementBox<2>> &);
  template std::vector<double>
  box_numbers(const std::vector<ElementBox<3>> &);
  template class PolytopicMesh<2>;
  template class PolytopicMesh<3>;
} // namespace Saltus
