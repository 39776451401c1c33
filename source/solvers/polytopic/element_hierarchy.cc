// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/base/device/threads.h>
#include <saltus/fe/legendre.h>
#include <saltus/solvers/polytopic/element_hierarchy.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Functions that are orthonormal in a box, at the points of a rule in its reference element
    /// times the roots of the weights there.
    template <int dim>
    class BoxFunctions
    {
    public:
      /// @param highest degree of all that is projected
      explicit BoxFunctions(const unsigned int highest)
        : rule(highest + 1)
      {
        for (unsigned int q = 0; q < rule.size(); ++q)
          {
            Point<dim> xi;
            for (unsigned int d = 0; d < dim; ++d)
              xi[d] = 2. * rule.point(q)[d] - 1.;
            points.push_back(xi);
            add_values(of_small, xi, highest, std::sqrt(rule.weight(q)));
          }
        n_small = of_small.size() / rule.size();
      }

      /// Those of a large box in terms of those of a small one, `[small][large]`.
      std::vector<double>
      embed(const ElementBox<dim> &small,
            const unsigned int     n_of_small,
            const ElementBox<dim> &large,
            const unsigned int     degree_of_large) const
      {
        const Point<dim> center = large.reference_point(small.center);
        // Derivatives of the places in the large box by those in the small one.
        const Tensor<2, dim> slopes = large.to_reference * invert(small.to_reference);
        const double         scale  = std::sqrt(small.volume() / large.volume());
        std::vector<double>  of_large;
        for (unsigned int q = 0; q < points.size(); ++q)
          add_values(of_large,
                     center + slopes * points[q],
                     degree_of_large,
                     scale * std::sqrt(rule.weight(q)));
        const std::size_t   n_large = of_large.size() / points.size();
        std::vector<double> result(n_of_small * n_large, 0.);
        for (unsigned int q = 0; q < points.size(); ++q)
          for (unsigned int i = 0; i < n_of_small; ++i)
            for (unsigned int j = 0; j < n_large; ++j)
              result[i * n_large + j] += of_small[q * n_small + i] * of_large[q * n_large + j];
        return result;
      }

    private:
      static void
      add_values(std::vector<double> &values,
                 const Point<dim>    &xi,
                 const unsigned int   degree,
                 const double         factor)
      {
        std::array<std::array<double, max_legendre_degree + 1>, dim> factors;
        for (unsigned int d = 0; d < dim; ++d)
          legendre(degree, xi[d], [&](const int k, const double value, const double) {
            factors[d][k] = value;
          });
        for_legendre_modes<dim>(degree, [&](const int, const Array<int, dim> &powers) {
          double value = factor;
          for (unsigned int d = 0; d < dim; ++d)
            value *= factors[d][powers[d]];
          values.push_back(value);
        });
      }

      const QGauss<dim>       rule;
      std::vector<Point<dim>> points;
      std::vector<double>     of_small; ///< `[point][mode]`
      std::size_t             n_small;
    };

    std::shared_ptr<const ElementPartition>
    partition_of(const std::shared_ptr<const GhostElements> &ghosts)
    {
      return ghosts ? ghosts->partition : nullptr;
    }

    template <int dim>
    GatheredMatrix
    matrix_of(const PolytopicOperator<dim> &op)
    {
      BlockCSRMatrix<double> matrix(op.sparsity(), op.device());
      op.assemble(matrix);
      return gather(op.sparsity()->partition, matrix.distributed_rows());
    }
  } // namespace


  template <int dim>
  std::shared_ptr<const PolytopicMesh<dim>>
  coarser_mesh(const PolytopicMesh<dim> &mesh, const Grouping grouping, const unsigned int ratio)
  {
    if (mesh.n_global_elements() <= ratio)
      return nullptr;
    const auto coarse = std::make_shared<const PolytopicMesh<dim>>(
      mesh, agglomerate(mesh.cells_of_elements(), grouping, mesh.n_elements() / ratio));
    if (coarse->n_global_elements() == mesh.n_global_elements())
      return nullptr; // each alone on its rank, or in its part of the domain
    return coarse;
  }


  template <int dim>
  CompressedRows
  prolongation(const PolytopicSpace<dim> &fine, const PolytopicSpace<dim> &coarse)
  {
    const BoxFunctions<dim>         functions(std::max(fine.max_degree(), coarse.max_degree()));
    const std::vector<unsigned int> larger =
      parents(fine.mesh().cells_of_elements(), coarse.mesh().cells_of_elements());
    std::vector<std::size_t> sizes;
    for (unsigned int e = 0; e < larger.size(); ++e)
      sizes.insert(sizes.end(), fine.n_dofs(e), coarse.n_dofs(larger[e]));
    CompressedRows rows = CompressedRows::with_row_sizes(sizes, coarse.n_owned_dofs());
    parallel_for(larger.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        {
          const std::vector<double> block = functions.embed(fine.mesh().box(e),
                                                            fine.n_dofs(e),
                                                            coarse.mesh().box(larger[e]),
                                                            coarse.degree(larger[e]));
          const std::size_t         first = rows.row_starts[fine.first_dof(e)];
          std::copy(block.begin(), block.end(), rows.values.begin() + first);
          for (std::size_t i = 0; i < block.size(); ++i)
            rows.columns[first + i] = coarse.first_dof(larger[e]) + i % coarse.n_dofs(larger[e]);
        }
    });
    return rows;
  }


  template <int dim>
  ElementHierarchy
  element_hierarchy(const PolytopicOperator<dim> &op,
                    const Grouping                grouping,
                    const unsigned int            ratio,
                    const unsigned int            coarse_size)
  {
    AssertThrow(op.space().max_degree() == 1, ExcMessage("Levels are made of linear functions."));
    AssertThrow(op.data().velocity.empty(),
                ExcMessage("A hierarchy of matrices must be symmetric, without advection."));
    GatheredMatrix              finest   = matrix_of(op);
    std::vector<CompressedRows> matrices = {std::move(finest.rows)}, prolongations;
    PolytopicSpace<dim>         fine     = op.space();
    while (fine.n_dofs() > coarse_size)
      {
        const auto mesh = coarser_mesh(fine.mesh(), grouping, ratio);
        if (!mesh)
          break;
        const PolytopicSpace<dim> coarse(mesh, 1);
        PolytopicOperator<dim>    coarse_op;
        coarse_op.reinit(coarse, op.conditions(), op.device(), data_of_coarse_levels(op));
        matrices.push_back(matrix_of(coarse_op).rows);
        CompressedRows embedding = prolongation(fine, coarse);
        for (int &column : embedding.columns)
          column += (dim + 1) * mesh->first_element();
        embedding.n_columns = coarse.n_dofs();
        prolongations.push_back(
          gather_rows(partition_of(fine.mesh().ghosts()), std::move(embedding)));
        fine = coarse;
      }
    return {{std::move(matrices), std::move(prolongations)}, std::move(finest)};
  }


#define SALTUS_INSTANTIATE(dim)                                                                     \
  template std::shared_ptr<const PolytopicMesh<dim>> coarser_mesh(const PolytopicMesh<dim> &,       \
                                                                  const Grouping,                   \
                                                                  const unsigned int);              \
  template CompressedRows   prolongation(const PolytopicSpace<dim> &, const PolytopicSpace<dim> &); \
  template ElementHierarchy element_hierarchy(const PolytopicOperator<dim> &,                       \
                                              const Grouping,                                       \
                                              const unsigned int,                                   \
                                              const unsigned int);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
