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
    /// Number of the unknown of each vertex of each element, `[e][v]`, and how many there are.
    template <int dim>
    std::pair<std::vector<unsigned int>, unsigned int>
    number_vertices(const ElementMesh<dim> &mesh)
    {
      // Vertices that meet at faces are one. Inside they have one number already, but not across
      // periodic boundaries.
      const ElementOrder<dim> &order = mesh.order;
      const CellShape<dim>    &shape = mesh.shape;
      DisjointSets             vertices(order.triangulation.n_vertices());
      for (unsigned int e = 0; e < order.n_elements(); ++e)
        for (unsigned int f = 0; f < shape.n_faces; ++f)
          if (const FaceRecord &across = mesh.connectivity.face(e, f);
              across.kind == FaceKind::interior && across.sub_face == 0)
            {
              const auto &permutation = shape.permutation(across.orientation);
              for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
                vertices.unite(order.vertex_index(e, shape.face_vertex(f, j)),
                               order.vertex_index(across.neighbor,
                                                  shape.face_vertex(across.face, permutation[j])));
            }

      constexpr unsigned int    unset = numbers::invalid_unsigned_int;
      std::vector<unsigned int> number(order.triangulation.n_vertices(), unset);
      std::vector<unsigned int> result;
      unsigned int              n = 0;
      for (unsigned int e = 0; e < order.n_elements(); ++e)
        for (unsigned int v = 0; v < shape.reference_cell.n_vertices(); ++v)
          {
            unsigned int &of_root = number[vertices.root(order.vertex_index(e, v))];
            if (of_root == unset)
              of_root = n++;
            result.push_back(of_root);
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
    AssertThrow(reference.degree == 1,
                ExcMessage("The continuous coarse space belongs to degree 1, not " +
                           std::to_string(reference.degree) + "."));
    partition                            = mesh.partition;
    n_elements                           = mesh.n_elements();
    std::tie(vertices, n_vertices)       = number_vertices(mesh);
    n_columns                            = n_vertices;
    n                                    = reference.n_modes;
    const FullMatrix<double> of_vertices = modes_from_vertices(reference);
    for (unsigned int m = 0; m < n; ++m)
      for (unsigned int v = 0; v < n; ++v)
        modes[m][v] = of_vertices(m, v);
    if (partition)
      connect_ranks(mesh);
  }

  template <int dim>
  void
  ContinuousCoarseSpace<dim>::connect_ranks(const ElementMesh<dim> &mesh)
  {
    const auto        counts = all_gather(partition->communicator, n_vertices);
    const auto        rank   = Utilities::MPI::this_mpi_process(partition->communicator);
    const std::size_t before =
      std::accumulate(counts.begin(), counts.begin() + rank, std::size_t(0));
    names.resize(n_vertices);
    std::iota(names.begin(), names.end(), before);

    // The smallest name wanders from rank to rank around each vertex.
    const auto              &ghosts  = mesh.connectivity.ghosts;
    const auto               shared  = vertices_at_ghosts(mesh);
    const bool               ordered = !mesh.order.vertices.empty();
    std::vector<std::size_t> of_cells; // names at the vertices of cells across, `[i][v]`
    const auto               in_cell = [&](const std::size_t i, const unsigned int v) {
      return i * n + (ordered ? ghosts[i].vertices[v] : v);
    };
    for (double changes = 1.; changes > 0.; changes = max_over_ranks(partition, changes))
      {
        of_cells.resize(ghosts.size() * n);
        for (std::size_t i = 0; i < ghosts.size(); ++i)
          for (unsigned int v = 0; v < n; ++v)
            {
              const std::size_t e = ghosts[i].element;
              of_cells[i * n + (ordered ? mesh.order.vertices[e][v] : v)] =
                names[vertices[e * n + v]];
            }
        of_cells = exchange_across(partition->communicator, mesh.ghost_ranks(), n, of_cells);
        changes  = 0.;
        for (std::size_t i = 0; i < ghosts.size(); ++i)
          for (const auto &[v, v_across] : shared[i])
            {
              std::size_t      &here  = names[vertices[ghosts[i].element * std::size_t(n) + v]];
              const std::size_t there = of_cells[in_cell(i, v_across)];
              if (there < here)
                {
                  here    = there;
                  changes = 1.;
                }
            }
      }

    std::unordered_map<std::size_t, unsigned int> known;
    for (unsigned int i = 0; i < n_vertices; ++i)
      known.emplace(names[i], i);
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      for (unsigned int v = 0; v < n; ++v)
        {
          const std::size_t name      = of_cells[in_cell(i, v)];
          const auto [vertex, is_new] = known.emplace(name, names.size());
          if (is_new)
            names.push_back(name);
          vertices.push_back(vertex->second);
        }
    n_columns = names.size();
  }

  template <int dim>
  CompressedRows
  ContinuousCoarseSpace<dim>::prolongation() const
  {
    CompressedRows result;
    result.n_columns         = n_vertices;
    const std::size_t n_rows = n_elements * n;
    result.row_starts.reserve(n_rows + 1);
    result.columns.reserve(n_rows * n);
    result.values.reserve(n_rows * n);
    for (std::size_t row = 0; row < n_rows; ++row)
      {
        const unsigned int *const ends  = vertices.data() + row / n * n;
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
  template <typename Number>
  CompressedRows
  ContinuousCoarseSpace<dim>::galerkin_rows(const ElementCouplings<Number>  &A,
                                            const std::vector<unsigned int> &starts,
                                            const std::vector<unsigned int> &corners,
                                            const unsigned int               first,
                                            const unsigned int               last,
                                            std::vector<int>                &places) const
  {
    CompressedRows result;
    result.n_columns = n_columns;
    for (unsigned int row = first; row < last; ++row)
      {
        const int begin = result.n_nonzeros();
        for (unsigned int k = starts[row]; k < starts[row + 1]; ++k)
          {
            const unsigned int e = corners[k] / n, v = corners[k] % n;
            for (unsigned int c = 0; c < A.n_couplings; ++c)
              {
                const int other = A.partner(e, c);
                if (other < 0)
                  continue;
                const Number *const       block = A.block(e, c);
                std::array<double, max_n> of_modes{};
                for (unsigned int i = 0; i < n; ++i)
                  for (unsigned int j = 0; j < n; ++j)
                    of_modes[j] += modes[i][v] * block[i * n + j];
                for (unsigned int w = 0; w < n; ++w)
                  {
                    double value = 0;
                    for (unsigned int j = 0; j < n; ++j)
                      value += of_modes[j] * modes[j][w];
                    const unsigned int column = vertices[other * n + w];
                    if (places[column] < begin)
                      {
                        places[column] = result.n_nonzeros();
                        result.add(column, value);
                      }
                    else
                      result.values[places[column]] += value;
                  }
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
    // The corners of elements, `e * n + v`, that are at each vertex.
    std::vector<unsigned int> starts(n_vertices + 1), corners(n_elements * n);
    for (unsigned int corner = 0; corner < corners.size(); ++corner)
      ++starts[vertices[corner] + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<unsigned int> next(starts.begin(), starts.end() - 1);
    for (unsigned int corner = 0; corner < corners.size(); ++corner)
      corners[next[vertices[corner]]++] = corner;

    constexpr unsigned int      n_parts = 64;
    std::vector<CompressedRows> parts(n_parts);
    parallel_for(n_parts, [&](const std::size_t begin, const std::size_t end) {
      std::vector<int> places(n_columns, -1);
      for (std::size_t part = begin; part < end; ++part)
        {
          const auto first = [&](const std::size_t p) { return n_vertices * p / n_parts; };
          parts[part] = galerkin_rows(A, starts, corners, first(part), first(part + 1), places);
          for (const int column : parts[part].columns)
            places[column] = -1;
        }
    });
    DistributedRows all;
    all.names          = names;
    all.rows.n_columns = n_columns;
    for (CompressedRows &part : parts)
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
    const ElementCouplings<float> &) const;
  SALTUS_COARSE_SPACE(2)
  SALTUS_COARSE_SPACE(3)
#undef SALTUS_COARSE_SPACE
} // namespace Saltus
