// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
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
    number_vertices(const ElementOrder<dim>             &order,
                    const ReferenceElement<dim>         &reference,
                    const std::vector<PeriodicBoundary> &periodic)
    {
      // Vertices that meet at faces are one. Inside they have one number already, but not across
      // periodic boundaries.
      const FaceConnectivity<dim> connectivity(order, reference, periodic);
      const auto                  permutations = permutations_by_orientation(reference);
      DisjointSets                vertices(order.cells[0]->get_triangulation().n_vertices());
      const unsigned int          n_faces = reference.n_faces;
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
  make_continuous_coarse_space(const DoFHandler<dim>               &dof_handler,
                               const std::vector<PeriodicBoundary> &periodic,
                               TrilinosWrappers::SparseMatrix      &prolongation)
  {
    const FiniteElement<dim> &fe = dof_handler.get_fe();
    AssertThrow(dynamic_cast<const FE_SimplexDGModal<dim> *>(&fe) != nullptr && fe.degree == 1,
                ExcMessage("The continuous coarse space needs FE_SimplexDGModal(1), not " +
                           fe.get_name() + "."));
    const ReferenceElement<dim> reference(1, 1, 1);
    const ElementOrder<dim>     order(dof_handler.get_triangulation());
    const auto [vertices, n_vertices]          = number_vertices(order, reference, periodic);
    const auto                           modes = modes_from_vertices(reference);
    const unsigned int                   n     = reference.n_modes; // and vertices of an element
    std::vector<types::global_dof_index> dofs(order.n_elements() * n), of_cell(n);
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      {
        const auto                                          &cell = order.cells[e];
        const typename DoFHandler<dim>::active_cell_iterator dof_cell(&cell->get_triangulation(),
                                                                      cell->level(),
                                                                      cell->index(),
                                                                      &dof_handler);
        dof_cell->get_dof_indices(of_cell);
        std::copy(of_cell.begin(), of_cell.end(), dofs.begin() + e * n);
      }

    const auto for_entries = [&, &vertices = vertices](const auto &body) {
      for (std::size_t row = 0; row < dofs.size(); ++row)
        for (unsigned int v = 0; v < n; ++v)
          if (const double value = modes(row % n, v); std::abs(value) > 1e-14)
            body(dofs[row], vertices[row / n * n + v], value);
    };
    DynamicSparsityPattern pattern(dof_handler.n_dofs(), n_vertices);
    for_entries([&](const auto row, const auto column, double) { pattern.add(row, column); });
    prolongation.reinit(complete_index_set(dof_handler.n_dofs()),
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
    TrilinosWrappers::SparseMatrix AP;
    A.mmult(AP, P);
    P.Tmmult(result, AP);
  }

  template void
  make_continuous_coarse_space(const DoFHandler<2> &,
                               const std::vector<PeriodicBoundary> &,
                               TrilinosWrappers::SparseMatrix &);
  template void
  make_continuous_coarse_space(const DoFHandler<3> &,
                               const std::vector<PeriodicBoundary> &,
                               TrilinosWrappers::SparseMatrix &);
} // namespace Saltus
