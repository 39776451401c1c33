// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/vertex_maxima.h>
#include <saltus/operators/spaces/vertex_work.h>

#include <algorithm>
#include <numeric>

namespace Saltus
{
  namespace
  {
    /// A vertex and its ends, see HangingMeans.
    template <int dim>
    constexpr int n_numbers = 1 + dealii::GeometryInfo<dim>::vertices_per_face;
  } // namespace

  template <int dim, typename Number>
  VertexMaxima<dim, Number>::VertexMaxima(const Spaces &spaces)
    : device(spaces[0]->device)
    , partition(spaces[0]->mesh->partition)
  {
    MixedMesh<dim>                        meshes;
    std::vector<const ElementMesh<dim> *> pointers;
    for (const auto *space : spaces)
      {
        meshes.push_back(space->mesh);
        pointers.push_back(space->mesh.get());
      }
    const VertexNumbers<dim> numbers(pointers, find_mixed_faces(meshes));
    auto                     found = numbers.find_hanging(pointers);
    const std::size_t n_vertices = std::max<std::size_t>(numbers.names.size(), numbers.n_vertices);
    if (partition)
      {
        std::vector<unsigned int> shared;
        for (unsigned int vertex = 0; vertex < numbers.n_vertices; ++vertex)
          if (numbers.at_border[vertex])
            shared.push_back(vertex);
        for (const auto &vertex : found)
          shared.push_back(vertex.vertex);
        vertex_exchange =
          std::make_unique<const VertexExchange<Number>>(partition, numbers, shared, device);
      }
    at_vertices                      = Memory<Number>(device, n_vertices);
    const std::vector<Number> levels = levels_of(found, n_vertices);
    for (std::size_t i = 0; i < spaces.size(); ++i)
      parts.emplace_back(*spaces[i], numbers.of_elements[i], levels);

    const auto level = [&](const auto &vertex) { return levels[vertex.vertex]; };
    std::stable_sort(found.begin(), found.end(), [&](const auto &a, const auto &b) {
      return level(a) < level(b);
    });
    const int highest =
      max_over_ranks(partition, double(*std::max_element(levels.begin(), levels.end())));
    std::vector<int> list;
    first_hanging.assign(highest + 1, 0);
    for (const auto &vertex : found)
      {
        list.push_back(vertex.vertex);
        for (unsigned int k = 0; k + 1 < n_numbers<dim>; ++k)
          list.push_back(k < vertex.n_masters ? static_cast<int>(vertex.masters[k]) : -1);
        ++first_hanging[static_cast<int>(level(vertex))];
      }
    std::partial_sum(first_hanging.begin(), first_hanging.end(), first_hanging.begin());
    hanging = Memory<int>(device, list);
  }

  template <int dim, typename Number>
  std::vector<Number>
  VertexMaxima<dim, Number>::levels_of(
    const std::vector<typename VertexNumbers<dim>::Hanging> &hanging,
    const std::size_t                                        n_vertices) const
  {
    std::vector<Number> levels(std::max<std::size_t>(n_vertices, 1));
    double              changes;
    do
      {
        changes = 0.;
        for (const auto &vertex : hanging)
          {
            Number highest = 0;
            for (unsigned int k = 0; k < vertex.n_masters; ++k)
              highest = std::max(highest, levels[vertex.masters[k]]);
            if (levels[vertex.vertex] < highest + 1)
              {
                levels[vertex.vertex] = highest + 1;
                changes               = 1.;
              }
          }
        if (vertex_exchange)
          {
            at_vertices.copy_from_host(levels.data());
            exchange();
            at_vertices.copy_to_host(levels.data());
          }
        changes = max_over_ranks(partition, changes);
      }
    while (changes > 0.);
    return levels;
  }

  template <int dim, typename Number>
  VertexMaxima<dim, Number>::Part::Part(const ElementSpace<dim, Number> &space,
                                        const std::vector<unsigned int> &vertices,
                                        const std::vector<Number>       &levels)
    : n_corners(space.reference.reference_cell.n_vertices())
    , n_values(VertexMaxima::n_values(space.reference))
    , n_blocks(Saltus::n_blocks(space.mesh->n_elements()))
  {
    const Device device     = space.device;
    const int    n_elements = space.mesh->n_elements();

    const std::size_t n_padded = static_cast<std::size_t>(n_blocks) * block_size;
    std::vector<int>  of_blocks(n_elements > 0 ? n_padded * n_corners : 0);
    for (int e = 0; e < n_blocks * block_size; ++e)
      for (int v = 0; v < n_corners; ++v)
        of_blocks[point_index(e, v, n_corners, 1)] =
          vertices[std::size_t(space.element_or_last(e)) * n_corners + v];
    corners = Memory<int>(device, of_blocks);

    std::vector<Number> at_points;
    for (const auto *points : {&space.reference.volume_points, &space.reference.face_points})
      for (const dealii::Point<dim> &point : *points)
        for (int v = 0; v < n_corners; ++v)
          at_points.push_back(space.reference.reference_cell.d_linear_shape_function(point, v));
    functions = Memory<Number>(device, at_points);

    std::vector<int> begins(levels.size() + 1);
    const auto       for_regular = [&](const auto &body) {
      for (int e = 0; e < n_elements; ++e)
        for (int v = 0; v < n_corners; ++v)
          if (const unsigned int vertex = vertices[std::size_t(e) * n_corners + v];
              levels[vertex] == 0)
            body(e, vertex);
    };
    for_regular([&](const int, const unsigned int vertex) { ++begins[vertex + 1]; });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<int> at(begins.back()), next = begins;
    for_regular([&](const int e, const unsigned int vertex) { at[next[vertex]++] = e; });
    starts   = Memory<int>(device, begins);
    elements = Memory<int>(device, at);
  }

  template <int dim, typename Number>
  void
  VertexMaxima<dim, Number>::exchange() const
  {
    if (vertex_exchange)
      vertex_exchange->run(at_vertices.data());
  }

  template <int dim, typename Number>
  void
  VertexMaxima<dim, Number>::run(const std::vector<const Number *> &of_elements,
                                 const std::vector<Number *>       &values) const
  {
    for (std::size_t i = 0; i < parts.size(); ++i)
      launch(device,
             at_vertices.size(),
             LargestOfElements<Number>{parts[i].starts.data(),
                                       parts[i].elements.data(),
                                       of_elements[i],
                                       i == 0,
                                       at_vertices.data()});
    exchange();
    for (std::size_t level = 1; level < first_hanging.size(); ++level)
      {
        const int first = first_hanging[level - 1];
        launch(device,
               first_hanging[level] - first,
               HangingMeans<Number>{n_numbers<dim>,
                                    hanging.data() + first * n_numbers<dim>,
                                    at_vertices.data()});
        exchange();
      }
    for (std::size_t i = 0; i < parts.size(); ++i)
      launch(device,
             static_cast<std::size_t>(parts[i].n_blocks) * block_size * parts[i].n_values,
             BetweenVertices<Number>{parts[i].n_corners,
                                     parts[i].n_values,
                                     parts[i].corners.data(),
                                     parts[i].functions.data(),
                                     at_vertices.data(),
                                     values[i]});
  }

  template class VertexMaxima<2, double>;
  template class VertexMaxima<2, float>;
  template class VertexMaxima<3, double>;
  template class VertexMaxima<3, float>;
} // namespace Saltus
