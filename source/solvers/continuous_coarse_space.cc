// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/solvers/continuous_coarse_space.h>

#include <algorithm>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Classes of numbers that are one: a forest whose roots stand for the classes.
    class DisjointSets
    {
    public:
      explicit DisjointSets(const unsigned int n)
        : parents(n)
      {
        std::iota(parents.begin(), parents.end(), 0);
      }

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

    /// The permutations of a face's vertices by their orientation number.
    template <int dim>
    std::vector<std::vector<unsigned int>>
    permutations_by_orientation(const ReferenceElement<dim> &reference)
    {
      std::vector<std::vector<unsigned int>> result(reference.n_orientations);
      std::vector<unsigned int>              permutation(reference.n_face_vertices);
      std::iota(permutation.begin(), permutation.end(), 0);
      do
        result[reference.orientation(permutation)] = permutation;
      while (std::next_permutation(permutation.begin(), permutation.end()));
      return result;
    }

    /// Number of the unknown of each vertex of each element, `[e][v]`, and how many there are.
    template <int dim>
    std::pair<std::vector<unsigned int>, unsigned int>
    number_vertices(const ElementMesh<dim> &mesh, const ReferenceElement<dim> &reference)
    {
      // Vertices that meet at faces are one. Inside they have one number already, but not across
      // periodic boundaries.
      const ElementOrder<dim>     &order        = mesh.order;
      const FaceConnectivity<dim> &connectivity = mesh.connectivity;
      const auto                   permutations = permutations_by_orientation(reference);
      DisjointSets                 vertices(order.cells[0]->get_triangulation().n_vertices());
      const unsigned int           n_faces = reference.n_faces;
      for (unsigned int e = 0; e < order.n_elements(); ++e)
        for (unsigned int f = 0; f < n_faces; ++f)
          if (const int neighbor = connectivity.neighbors[e * n_faces + f]; neighbor >= 0)
            {
              const unsigned int code          = connectivity.neighbor_faces[e * n_faces + f];
              const unsigned int neighbor_face = code / reference.n_orientations;
              const auto        &permutation   = permutations[code % reference.n_orientations];
              for (unsigned int j = 0; j < reference.n_face_vertices; ++j)
                vertices.unite(order.cells[e]->vertex_index(reference.face_vertex(f, j)),
                               order.cells[neighbor]->vertex_index(
                                 reference.face_vertex(neighbor_face, permutation[j])));
            }

      constexpr unsigned int    unset = numbers::invalid_unsigned_int;
      std::vector<unsigned int> number(order.cells[0]->get_triangulation().n_vertices(), unset);
      std::vector<unsigned int> result;
      unsigned int              n = 0;
      for (const auto &cell : order.cells)
        for (const unsigned int v : cell->vertex_indices())
          {
            unsigned int &of_root = number[vertices.root(cell->vertex_index(v))];
            if (of_root == unset)
              of_root = n++;
            result.push_back(of_root);
          }
      return {result, n};
    }

    /// `(m, v)`: coefficient of mode m of the linear function that is 1 at vertex v and 0 at the
    /// others.
    template <int dim>
    FullMatrix<double>
    modes_from_vertices(const ReferenceElement<dim> &reference)
    {
      const unsigned int n = reference.n_modes;
      FullMatrix<double> result(n, n, reference.vertex_values.data());
      result.gauss_jordan();
      return result;
    }
  } // namespace

  template <int dim>
  void
  make_continuous_coarse_space(const ElementMesh<dim>         &mesh,
                               const ReferenceElement<dim>    &reference,
                               TrilinosWrappers::SparseMatrix &prolongation)
  {
    AssertThrow(reference.degree == 1,
                ExcMessage("The continuous coarse space belongs to degree 1, not " +
                           std::to_string(reference.degree) + "."));
    const auto [vertices, n_vertices] = number_vertices(mesh, reference);
    const auto         modes          = modes_from_vertices(reference);
    const unsigned int n              = reference.n_modes; // and vertices of an element
    const unsigned int n_rows         = mesh.order.n_elements() * n;

    const auto for_entries = [&, &vertices = vertices](const auto &body) {
      for (std::size_t row = 0; row < n_rows; ++row)
        for (unsigned int v = 0; v < n; ++v)
          if (const double value = modes(row % n, v); std::abs(value) > 1e-14)
            body(row, vertices[row / n * n + v], value);
    };
    DynamicSparsityPattern pattern(n_rows, n_vertices);
    for_entries([&](const auto row, const auto column, double) { pattern.add(row, column); });
    prolongation.reinit(complete_index_set(n_rows),
                        complete_index_set(n_vertices),
                        pattern,
                        MPI_COMM_SELF);
    // Added, because the two ends of an element may be one vertex.
    for_entries([&](const auto row, const auto column, const double value) {
      prolongation.add(row, column, value);
    });
    prolongation.compress(VectorOperation::add);
  }

  void
  galerkin_product(const TrilinosWrappers::SparseMatrix &A,
                   const TrilinosWrappers::SparseMatrix &P,
                   TrilinosWrappers::SparseMatrix       &result)
  {
    TrilinosWrappers::SparseMatrix AP, all;
    A.mmult(AP, P);
    P.Tmmult(all, AP);

    // Fluxes through faces cancel between functions that share no element, up to rounding. What is
    // left of them goes to the diagonal, so that constants stay in the kernel.
    const auto is_rounding = [&](const auto &entry) {
      return std::abs(entry.value()) <
             1e-5 * std::sqrt(all.diag_element(entry.row()) * all.diag_element(entry.column()));
    };
    const IndexSet         rows = complete_index_set(all.m());
    DynamicSparsityPattern pattern(all.m(), all.n());
    for (const auto &entry : all)
      if (!is_rounding(entry))
        pattern.add(entry.row(), entry.column());
    result.reinit(rows, rows, pattern, MPI_COMM_SELF);
    for (const auto &entry : all)
      result.add(entry.row(), is_rounding(entry) ? entry.row() : entry.column(), entry.value());
    result.compress(VectorOperation::add);
  }

  template void
  make_continuous_coarse_space(const ElementMesh<2> &,
                               const ReferenceElement<2> &,
                               TrilinosWrappers::SparseMatrix &);
  template void
  make_continuous_coarse_space(const ElementMesh<3> &,
                               const ReferenceElement<3> &,
                               TrilinosWrappers::SparseMatrix &);
} // namespace Saltus
