// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/full_matrix.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/mesh/disjoint_sets.h>
#include <saltus/solvers/multigrid/continuous_coarse_space.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Number of the unknown of each vertex of each element, `[part][e][v]`, and how many there
    /// are.
    template <int dim>
    std::pair<std::vector<std::vector<unsigned int>>, unsigned int>
    number_vertices(const std::vector<const ElementMesh<dim> *> &meshes)
    {
      // Vertices that meet at faces are one. Inside they have one number already, but not across
      // periodic boundaries.
      const unsigned int n_all = meshes[0]->order.triangulation.n_vertices();
      DisjointSets       vertices(n_all);
      for (const auto *mesh : meshes)
        {
          const ElementOrder<dim> &order = mesh->order;
          const CellShape<dim>    &shape = mesh->shape;
          for (unsigned int e = 0; e < order.n_elements(); ++e)
            for (unsigned int f = 0; f < shape.n_faces; ++f)
              if (const FaceRecord &across = mesh->connectivity.face(e, f);
                  across.kind == FaceKind::interior && across.sub_face == 0)
                {
                  const auto &permutation = shape.permutation(across.orientation);
                  for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
                    vertices.unite(order.vertex_index(e, shape.face_vertex(f, j)),
                                   order.vertex_index(across.neighbor,
                                                      shape.face_vertex(across.face,
                                                                        permutation[j])));
                }
        }

      constexpr unsigned int                 unset = numbers::invalid_unsigned_int;
      std::vector<unsigned int>              number(n_all, unset);
      std::vector<std::vector<unsigned int>> result;
      unsigned int                           n = 0;
      for (const auto *mesh : meshes)
        {
          result.emplace_back();
          for (unsigned int e = 0; e < mesh->n_elements(); ++e)
            for (unsigned int v = 0; v < mesh->shape.reference_cell.n_vertices(); ++v)
              {
                unsigned int &of_root = number[vertices.root(mesh->order.vertex_index(e, v))];
                if (of_root == unset)
                  of_root = n++;
                result.back().push_back(of_root);
              }
        }
      return {result, n};
    }

    /// `(m, v)`: coefficient of mode m of the function of degree 1 that is 1 at vertex v and 0 at
    /// the others.
    template <int dim>
    FullMatrix<double>
    modes_from_vertices(const ReferenceElement<dim> &reference)
    {
      FullMatrix<double> inverse(reference.n_modes,
                                 reference.n_modes,
                                 reference.vertex_values.data());
      inverse.gauss_jordan();
      return inverse;
    }

    /// Of each ghost which vertices, of the element on this side and of the ghost, are the same.
    template <int dim>
    std::vector<std::vector<std::pair<unsigned int, unsigned int>>>
    vertices_at_ghosts(const ElementMesh<dim> &mesh)
    {
      const CellShape<dim>                                           &shape = mesh.shape;
      std::vector<std::vector<std::pair<unsigned int, unsigned int>>> result(
        mesh.connectivity.ghosts.size());
      // Where sizes differ, part s of a face has vertex s of it.
      const auto add = [&](const unsigned int f, const FaceRecord &across, const int part) {
        if (across.kind != FaceKind::ghost)
          return;
        auto       &of_ghost    = result[across.neighbor - mesh.order.first_ghost()];
        const auto &permutation = shape.permutation(across.orientation);
        for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
          if ((part < 0 || static_cast<int>(j) == part) &&
              (across.sub_face == 0 || permutation[j] + 1u == across.sub_face))
            of_ghost.emplace_back(shape.face_vertex(f, j),
                                  shape.face_vertex(across.face, permutation[j]));
      };
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        for (unsigned int f = 0; f < shape.n_faces; ++f)
          add(f, mesh.connectivity.face(e, f), -1);
      for (const auto &hanging : mesh.connectivity.hanging_faces)
        for (unsigned int s = 0; s < shape.n_sub_faces; ++s)
          add(hanging.face, hanging.parts[s], s);
      return result;
    }

    /// Fluxes through faces cancel between functions that share no element, up to rounding. What is
    /// left of them goes to the diagonal, so that constants stay in the kernel.
    CompressedRows
    without_rounding_errors(const CompressedRows &matrix)
    {
      const std::vector<double> diagonal = matrix.diagonal();
      CompressedRows            result;
      result.n_columns = matrix.n_columns;
      result.row_starts.reserve(matrix.row_starts.size());
      for (std::size_t row = 0; row < matrix.n_rows(); ++row)
        {
          double         rounding = 0;
          std::ptrdiff_t place    = -1;
          for (std::size_t k = matrix.row_starts[row]; k < matrix.row_starts[row + 1]; ++k)
            {
              const int column = matrix.columns[k];
              if (std::abs(matrix.values[k]) < 1e-5 * std::sqrt(diagonal[row] * diagonal[column]))
                rounding += matrix.values[k];
              else
                {
                  if (static_cast<std::size_t>(column) == row)
                    place = result.n_nonzeros();
                  result.add(column, matrix.values[k]);
                }
            }
          if (place >= 0)
            result.values[place] += rounding;
          result.finish_row();
        }
      return result;
    }
  } // namespace

  template <int dim>
  ContinuousCoarseSpace<dim>::ContinuousCoarseSpace(const ElementMesh<dim>      &mesh,
                                                    const ReferenceElement<dim> &reference)
  {
    reinit({&mesh}, {&reference}, {});
  }

  template <int dim>
  ContinuousCoarseSpace<dim>::ContinuousCoarseSpace(
    const MixedMesh<dim>                             &meshes,
    const std::vector<const ReferenceElement<dim> *> &references)
  {
    Meshes pointers;
    for (const auto &mesh : meshes)
      pointers.push_back(mesh.get());
    reinit(pointers, references, find_mixed_faces(meshes));
  }

  template <int dim>
  void
  ContinuousCoarseSpace<dim>::reinit(const Meshes                                     &meshes,
                                     const std::vector<const ReferenceElement<dim> *> &references,
                                     const std::vector<MixedFace>                     &mixed)
  {
    std::vector<std::vector<unsigned int>> vertices;
    std::tie(vertices, n_vertices) = number_vertices(meshes);
    n_columns                      = n_vertices;
    partition                      = meshes[0]->partition;
    std::size_t n_corners          = 0;
    for (unsigned int i = 0; i < meshes.size(); ++i)
      {
        AssertThrow(references[i]->degree == 1,
                    ExcMessage("The continuous coarse space belongs to degree 1, not " +
                               std::to_string(references[i]->degree) + "."));
        Part part;
        part.n            = references[i]->n_modes;
        part.n_elements   = meshes[i]->n_elements();
        part.first_corner = n_corners;
        part.vertices     = std::move(vertices[i]);
        n_corners += part.n_elements * part.n;
        const FullMatrix<double> of_vertices = modes_from_vertices(*references[i]);
        for (unsigned int m = 0; m < part.n; ++m)
          for (unsigned int v = 0; v < part.n; ++v)
            part.modes[m][v] = of_vertices(m, v);
        parts.push_back(std::move(part));
      }
    for (const MixedFace &face : mixed)
      links.push_back({face.mesh,
                       meshes[face.mesh]->connectivity.boundary_faces[face.boundary_face].element,
                       1 - face.mesh,
                       {}});
    if (partition)
      connect_ranks(meshes, mixed);
    else
      {
        std::unordered_map<std::size_t, unsigned int> none;
        connect_links(mixed, none);
      }
  }

  template <int dim>
  void
  ContinuousCoarseSpace<dim>::connect_ranks(const Meshes                 &meshes,
                                            const std::vector<MixedFace> &mixed)
  {
    const auto        counts = all_gather(partition->communicator, n_vertices);
    const auto        rank   = Utilities::MPI::this_mpi_process(partition->communicator);
    const std::size_t before =
      std::accumulate(counts.begin(), counts.begin() + rank, std::size_t(0));
    names.resize(n_vertices);
    std::iota(names.begin(), names.end(), before);

    double     changes = 1.;
    const auto take    = [&](const unsigned int vertex, const std::size_t name) {
      if (name < names[vertex])
        {
          names[vertex] = name;
          changes       = 1.;
        }
    };
    // Names at the vertices of cells across, `[part][i][v]`.
    std::vector<std::vector<std::size_t>> of_cells(parts.size());
    const auto in_cell = [&](const unsigned int p, const std::size_t i, const unsigned int v) {
      const bool ordered = !meshes[p]->order.vertices.empty();
      return i * parts[p].n + (ordered ? meshes[p]->connectivity.ghosts[i].vertices[v] : v);
    };
    const auto exchange_ghosts = [&](const unsigned int p) {
      const unsigned int n       = parts[p].n;
      const auto        &ghosts  = meshes[p]->connectivity.ghosts;
      const auto        &order   = meshes[p]->order;
      const bool         ordered = !order.vertices.empty();
      of_cells[p].resize(ghosts.size() * n);
      for (std::size_t i = 0; i < ghosts.size(); ++i)
        for (unsigned int v = 0; v < n; ++v)
          {
            const std::size_t e = ghosts[i].element;
            of_cells[p][i * n + (ordered ? order.vertices[e][v] : v)] =
              names[parts[p].vertices[e * n + v]];
          }
      of_cells[p] =
        exchange_across(partition->communicator, meshes[p]->ghost_ranks(), n, of_cells[p]);
    };
    // The two vertices of faces between shapes and ranks, in an order that both sides have.
    std::vector<unsigned int> mixed_ranks, mixed_vertices;
    for (const MixedFace &face : mixed)
      if (face.across == numbers::invalid_unsigned_int)
        {
          const auto &there = meshes[face.mesh]->connectivity.boundary_faces[face.boundary_face];
          const Part &part  = parts[face.mesh];
          mixed_ranks.push_back(face.rank);
          for (const unsigned int j : {0u, 1u})
            mixed_vertices.push_back(
              part.vertices[there.element * part.n + meshes[face.mesh]->shape.face_vertex(
                                                       there.face, face.turned ? 1 - j : j)]);
        }

    // The smallest name wanders from rank to rank around each vertex.
    std::vector<std::vector<std::vector<std::pair<unsigned int, unsigned int>>>> shared;
    for (const auto *mesh : meshes)
      shared.push_back(vertices_at_ghosts(*mesh));
    while (changes > 0.)
      {
        changes = 0.;
        for (unsigned int p = 0; p < parts.size(); ++p)
          {
            exchange_ghosts(p);
            const auto &ghosts = meshes[p]->connectivity.ghosts;
            for (std::size_t i = 0; i < ghosts.size(); ++i)
              for (const auto &[v, v_across] : shared[p][i])
                take(parts[p].vertices[ghosts[i].element * std::size_t(parts[p].n) + v],
                     of_cells[p][in_cell(p, i, v_across)]);
          }
        if (meshes.size() > 1)
          {
            std::vector<std::size_t> at_faces;
            for (const unsigned int vertex : mixed_vertices)
              at_faces.push_back(names[vertex]);
            at_faces = exchange_across(partition->communicator, mixed_ranks, 2, at_faces);
            for (std::size_t i = 0; i < at_faces.size(); ++i)
              take(mixed_vertices[i], at_faces[i]);
          }
        changes = max_over_ranks(partition, changes);
      }

    std::unordered_map<std::size_t, unsigned int> known;
    for (unsigned int i = 0; i < n_vertices; ++i)
      known.emplace(names[i], i);
    for (unsigned int p = 0; p < parts.size(); ++p)
      for (std::size_t i = 0; i < meshes[p]->connectivity.ghosts.size(); ++i)
        for (unsigned int v = 0; v < parts[p].n; ++v)
          parts[p].vertices.push_back(number_of(of_cells[p][in_cell(p, i, v)], known));
    if (meshes.size() > 1)
      connect_links(mixed, known);
    n_columns = names.size();
  }

  template <int dim>
  unsigned int
  ContinuousCoarseSpace<dim>::number_of(const std::size_t                              name,
                                        std::unordered_map<std::size_t, unsigned int> &known)
  {
    const auto [vertex, is_new] = known.emplace(name, names.size());
    if (is_new)
      names.push_back(name);
    return vertex->second;
  }

  template <int dim>
  void
  ContinuousCoarseSpace<dim>::connect_links(const std::vector<MixedFace>                  &mixed,
                                            std::unordered_map<std::size_t, unsigned int> &known)
  {
    std::vector<unsigned int> ranks;
    std::vector<std::size_t>  of_elements;
    for (unsigned int i = 0; i < mixed.size(); ++i)
      {
        const auto vertex_of = [&](const Link &link, const unsigned int v) {
          return parts[link.part].vertices[std::size_t(link.element) * parts[link.part].n + v];
        };
        if (mixed[i].across != numbers::invalid_unsigned_int)
          for (unsigned int v = 0; v < parts[links[i].part_across].n; ++v)
            links[i].vertices[v] = vertex_of(links[mixed[i].across], v);
        else
          {
            ranks.push_back(mixed[i].rank);
            for (unsigned int v = 0; v < max_n; ++v)
              of_elements.push_back(v < parts[links[i].part].n ? names[vertex_of(links[i], v)] : 0);
          }
      }
    if (partition == nullptr)
      return;
    of_elements      = exchange_across(partition->communicator, ranks, max_n, of_elements);
    std::size_t from = 0;
    for (unsigned int i = 0; i < mixed.size(); ++i)
      if (mixed[i].across == numbers::invalid_unsigned_int)
        {
          for (unsigned int v = 0; v < parts[links[i].part_across].n; ++v)
            links[i].vertices[v] = number_of(of_elements[from + v], known);
          from += max_n;
        }
  }

  template <int dim>
  CompressedRows
  ContinuousCoarseSpace<dim>::prolongation(const unsigned int shape) const
  {
    const Part        &part  = parts[shape];
    const unsigned int n     = part.n;
    const auto        &modes = part.modes;
    CompressedRows     result;
    result.n_columns         = n_vertices;
    const std::size_t n_rows = part.n_elements * n;
    result.row_starts.reserve(n_rows + 1);
    result.columns.reserve(n_rows * n);
    result.values.reserve(n_rows * n);
    for (std::size_t row = 0; row < n_rows; ++row)
      {
        const unsigned int *const ends  = part.vertices.data() + row / n * n;
        const std::size_t         begin = result.n_nonzeros();
        for (unsigned int v = 0; v < n; ++v)
          if (const double value = modes[row % n][v]; std::abs(value) > 1e-14)
            {
              // The two ends of an element may be one vertex.
              const auto found = std::find(result.columns.begin() + begin,
                                           result.columns.end(),
                                           static_cast<int>(ends[v]));
              if (found == result.columns.end())
                result.add(ends[v], value);
              else
                result.values[found - result.columns.begin()] += value;
            }
        result.finish_row();
      }
    return result;
  }

  template <int dim>
  typename ContinuousCoarseSpace<dim>::Corners
  ContinuousCoarseSpace<dim>::find_corners() const
  {
    Corners result;
    result.starts.resize(n_vertices + 1);
    for (const Part &part : parts)
      for (std::size_t i = 0; i < part.n_elements * part.n; ++i)
        ++result.starts[part.vertices[i] + 1];
    std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
    result.corners.resize(result.starts.back());
    std::vector<unsigned int> next(result.starts.begin(), result.starts.end() - 1);
    for (const Part &part : parts)
      for (std::size_t i = 0; i < part.n_elements * part.n; ++i)
        result.corners[next[part.vertices[i]]++] = part.first_corner + i;

    // The links of element after element.
    result.links.resize(links.size());
    std::iota(result.links.begin(), result.links.end(), 0);
    const auto key = [&](const unsigned int i) {
      return std::make_tuple(links[i].part, links[i].element, i);
    };
    std::sort(result.links.begin(),
              result.links.end(),
              [&](const unsigned int i, const unsigned int j) { return key(i) < key(j); });
    unsigned int place = 0;
    for (unsigned int p = 0; p < parts.size() && !links.empty(); ++p)
      {
        result.first_links.emplace_back();
        for (unsigned int e = 0; e <= parts[p].n_elements; ++e)
          {
            result.first_links[p].push_back(place);
            while (place < links.size() && links[result.links[place]].part == p &&
                   links[result.links[place]].element == e)
              ++place;
          }
      }
    return result;
  }

  template <int dim>
  template <typename Number>
  CompressedRows
  ContinuousCoarseSpace<dim>::galerkin_rows(const MatrixView<Number> &A,
                                            const Corners            &corners,
                                            const unsigned int        first,
                                            const unsigned int        last,
                                            std::vector<int>         &places) const
  {
    CompressedRows result;
    result.n_columns = n_columns;
    for (unsigned int row = first; row < last; ++row)
      {
        const int begin = result.n_nonzeros();
        // A block of element of the part @p from and one of the part @p to, with its vertices.
        const auto add = [&](const Part         &from,
                             const unsigned int  v,
                             const Part         &to,
                             const unsigned int *vertices,
                             const Number       *block) {
          std::array<double, max_n> of_modes{};
          for (unsigned int i = 0; i < from.n; ++i)
            for (unsigned int j = 0; j < to.n; ++j)
              of_modes[j] += from.modes[i][v] * block[i * to.n + j];
          for (unsigned int w = 0; w < to.n; ++w)
            {
              double value = 0;
              for (unsigned int j = 0; j < to.n; ++j)
                value += of_modes[j] * to.modes[j][w];
              const unsigned int column = vertices[w];
              if (places[column] < begin)
                {
                  places[column] = result.n_nonzeros();
                  result.add(column, value);
                }
              else
                result.values[places[column]] += value;
            }
        };
        for (unsigned int k = corners.starts[row]; k < corners.starts[row + 1]; ++k)
          {
            unsigned int p = parts.size() - 1;
            while (corners.corners[k] < parts[p].first_corner)
              --p;
            const Part        &part   = parts[p];
            const std::size_t  corner = corners.corners[k] - part.first_corner;
            const unsigned int e = corner / part.n, v = corner % part.n;
            const auto        &of_shape = *A.of_shapes[p];
            for (unsigned int c = 0; c < of_shape.n_couplings; ++c)
              if (const int other = of_shape.partner(e, c); other >= 0)
                add(part,
                    v,
                    part,
                    part.vertices.data() + std::size_t(other) * part.n,
                    of_shape.block(e, c));
            if (corners.first_links.empty())
              continue;
            for (unsigned int l = corners.first_links[p][e]; l < corners.first_links[p][e + 1]; ++l)
              {
                const unsigned int i = corners.links[l];
                add(part,
                    v,
                    parts[links[i].part_across],
                    links[i].vertices.data(),
                    (*A.across)[i].data());
              }
          }
        result.finish_row();
      }
    return result;
  }

  template <int dim>
  template <typename Number>
  GatheredMatrix
  ContinuousCoarseSpace<dim>::galerkin_product(const ElementCouplings<Number> &A) const
  {
    return galerkin_product(MatrixView<Number>{{&A}, nullptr});
  }

  template <int dim>
  template <typename Number>
  GatheredMatrix
  ContinuousCoarseSpace<dim>::galerkin_product(const MixedCouplings<Number> &A) const
  {
    MatrixView<Number> view;
    for (const auto &of_shape : A.of_shapes)
      view.of_shapes.push_back(&of_shape);
    view.across = &A.across;
    return galerkin_product(view);
  }

  template <int dim>
  template <typename Number>
  GatheredMatrix
  ContinuousCoarseSpace<dim>::galerkin_product(const MatrixView<Number> &A) const
  {
    const Corners corners = find_corners();

    constexpr unsigned int      n_parts = 64;
    std::vector<CompressedRows> rows(n_parts);
    parallel_for(n_parts, [&](const std::size_t begin, const std::size_t end) {
      std::vector<int> places(n_columns, -1);
      for (std::size_t part = begin; part < end; ++part)
        {
          const auto first = [&](const std::size_t p) { return n_vertices * p / n_parts; };
          rows[part]       = galerkin_rows(A, corners, first(part), first(part + 1), places);
          for (const int column : rows[part].columns)
            places[column] = -1;
        }
    });
    DistributedRows all;
    all.names          = names;
    all.rows.n_columns = n_columns;
    for (CompressedRows &part : rows)
      all.rows.append(std::exchange(part, {}));
    GatheredMatrix whole = gather(partition, std::move(all));
    whole.rows           = without_rounding_errors(whole.rows);
    return whole;
  }

#define SALTUS_COARSE_SPACE(dim)                                        \
  template class ContinuousCoarseSpace<dim>;                            \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const ElementCouplings<double> &) const;                            \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const ElementCouplings<float> &) const;                             \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const MixedCouplings<double> &) const;                              \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const MixedCouplings<float> &) const;
  SALTUS_COARSE_SPACE(2)
  SALTUS_COARSE_SPACE(3)
#undef SALTUS_COARSE_SPACE
} // namespace Saltus
