// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_polytopes_on_ranks_h
#define saltus_tests_helpers_polytopes_on_ranks_h

#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/compressed_rows.h>
#include <saltus/base/algebra/vector.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/mesh/agglomerate/polytopic_mesh.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/on_ranks.h>
#include <memory>
#include <vector>

/// Polytopic elements that are spread over the ranks, and the same ones on each of them.
namespace Saltus::Tests
{
  using namespace dealii;

  template <int dim>
  Point<dim>
  oblique(const Point<dim> &x)
  {
    Point<dim> y;
    for (unsigned int d = 0; d < dim; ++d)
      y[d] = (1. + 0.3 * d) * x[d] + 0.2 * x[(d + 1) % dim];
    return y;
  }

  enum class Cut
  {
    metis,     ///< into parts of equal size
    scattered, ///< elements by turns
    crowded    ///< at most two ranks have elements
  };

  /// Elements of simplices on the ranks; and the same cells on each of them.
  template <int dim>
  struct Simplices
  {
    Simplices(const unsigned int n, const unsigned int n_elements, const Cut cut)
      : whole(std::make_unique<Triangulation<dim>>())
      , mapping(std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1)))
    {
      const auto make = [&](Triangulation<dim> &triangulation) {
        make_box(triangulation, n, 0.2);
        GridTools::transform(oblique<dim>, triangulation);
      };
      make(*whole);
      const std::vector<unsigned int> all =
        agglomerate(*whole, Grouping::metis, n_elements).elements();
      here = spread_triangulation<dim>(
        make, MPI_COMM_WORLD, [&](const Triangulation<dim> &serial, const unsigned int n_parts) {
          if (cut == Cut::metis)
            return ranks_of_cells(Agglomeration<dim>(serial, all), n_parts);
          std::vector<unsigned int> ranks = all;
          for (unsigned int &rank : ranks)
            rank = cut == Cut::scattered ? rank % n_parts : rank == 0 ? 0 : 1;
          return ranks;
        });
      const Agglomeration<dim> elements =
        n_ranks() == 1 ? Agglomeration<dim>(*here, all) : spread_agglomeration(all, *here);
      mesh = std::make_shared<PolytopicMesh<dim>>(*mapping, elements);
      EXPECT_EQ(mesh->n_global_elements(), *std::max_element(all.begin(), all.end()) + 1);
    }

    std::unique_ptr<Triangulation<dim>>       whole, here;
    std::unique_ptr<Mapping<dim>>             mapping;
    std::shared_ptr<const PolytopicMesh<dim>> mesh;
  };

  inline std::vector<unsigned int>
  sum_of_ranks(std::vector<unsigned int> values)
  {
    Utilities::MPI::sum(values, MPI_COMM_WORLD, values);
    return values;
  }

  /// `[active cell of the whole mesh]`: number of the element among those of all ranks.
  template <int dim>
  std::vector<unsigned int>
  all_elements(const PolytopicMesh<dim> &mesh, const Triangulation<dim> &whole)
  {
    std::vector<unsigned int> result(whole.n_active_cells(), 0);
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (const unsigned int c : mesh.cells(e))
        result[whole.create_cell_iterator(mesh.cell(c)->id())->active_cell_index()] =
          mesh.first_element() + e;
    return sum_of_ranks(result);
  }

  /// A vector of which every rank has a part.
  inline std::vector<double>
  on_first(const Saltus::Vector<double> &vector)
  {
    return gather_on_first(MPI_COMM_WORLD, vector.entries()).values;
  }

  /// This rank's part of a vector that all have.
  inline void
  set_part(Saltus::Vector<double> &vector, const std::vector<double> &all)
  {
    const auto first = all.begin() + vector.layout().first_entry();
    vector.set_entries(std::vector<double>(first, first + vector.locally_owned_size()));
  }

  inline double
  largest_difference(const std::vector<double> &a, const dealii::Vector<double> &b)
  {
    double largest = 0;
    for (unsigned int i = 0; i < b.size(); ++i)
      largest = std::max(largest, std::abs(a.at(i) - b[i]));
    return largest;
  }

  /// The norm of the difference.
  inline double
  difference(FullMatrix<double> matrix, const CompressedRows &rows)
  {
    for (unsigned int i = 0; i < rows.n_rows(); ++i)
      for (std::size_t k = rows.row_starts[i]; k < rows.row_starts[i + 1]; ++k)
        matrix(i, rows.columns[k]) -= rows.values[k];
    return matrix.linfty_norm();
  }
} // namespace Saltus::Tests

#endif
