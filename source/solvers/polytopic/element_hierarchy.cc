// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/polytopic/element_hierarchy.h>

#include <array>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The linear functions of a large box in terms of those of a small one, `[small][large]`.
    template <int dim>
    std::array<std::array<double, dim + 1>, dim + 1>
    embedding(const ElementBox<dim> &small, const ElementBox<dim> &large)
    {
      const double     scale  = std::sqrt(small.volume() / large.volume());
      const Point<dim> center = large.reference_point(small.center);
      // Derivatives of the places in the large box by those in the small one.
      const Tensor<2, dim> slopes = large.to_reference * invert(small.to_reference);

      std::array<std::array<double, dim + 1>, dim + 1> block{};
      block[0][0] = scale;
      for (unsigned int k = 0; k < dim; ++k)
        {
          block[0][k + 1] = scale * std::sqrt(3.) * center[k];
          for (unsigned int r = 0; r < dim; ++r)
            block[r + 1][k + 1] = scale * slopes[k][r];
        }
      return block;
    }

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
      mesh.mapping(),
      agglomerate(mesh.cells_of_elements(), grouping, mesh.n_elements() / ratio),
      mesh.axes());
    if (coarse->n_global_elements() == mesh.n_global_elements())
      return nullptr; // each alone on its rank, or in its part of the domain
    return coarse;
  }


  template <int dim>
  CompressedRows
  linear_prolongation(const PolytopicMesh<dim> &fine, const PolytopicMesh<dim> &coarse)
  {
    constexpr unsigned int n = dim + 1;
    CompressedRows         rows;
    rows.n_columns = n * coarse.n_elements();
    for (unsigned int e = 0; e < fine.n_elements(); ++e)
      {
        const unsigned int large = coarse.element_of(*fine.cells(e).begin());
        const auto         block = embedding(fine.box(e), coarse.box(large));
        for (unsigned int i = 0; i < n; ++i)
          {
            for (unsigned int j = 0; j < n; ++j)
              rows.add(n * large + j, block[i][j]);
            rows.finish_row();
          }
      }
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
    GatheredMatrix                            finest   = matrix_of(op);
    std::vector<CompressedRows>               matrices = {std::move(finest.rows)}, prolongations;
    std::shared_ptr<const PolytopicMesh<dim>> fine     = op.space().shared_mesh();
    while ((dim + 1) * fine->n_global_elements() > coarse_size)
      {
        const auto coarse = coarser_mesh(*fine, grouping, ratio);
        if (!coarse)
          break;
        const PolytopicSpace<dim> space(coarse, 1);
        PolytopicOperator<dim>    coarse_op;
        coarse_op.reinit(space, op.conditions(), op.device(), data_of_coarse_levels(op));
        matrices.push_back(matrix_of(coarse_op).rows);
        CompressedRows prolongation = linear_prolongation(*fine, *coarse);
        for (int &column : prolongation.columns)
          column += (dim + 1) * coarse->first_element();
        prolongation.n_columns = (dim + 1) * coarse->n_global_elements();
        prolongations.push_back(gather_rows(partition_of(fine->ghosts()), std::move(prolongation)));
        fine = coarse;
      }
    return {{std::move(matrices), std::move(prolongations)}, std::move(finest)};
  }


#define SALTUS_INSTANTIATE(dim)                                                                       \
  template std::shared_ptr<const PolytopicMesh<dim>> coarser_mesh(const PolytopicMesh<dim> &,         \
                                                                  const Grouping,                     \
                                                                  const unsigned int);                \
  template CompressedRows                            linear_prolongation(const PolytopicMesh<dim> &,  \
                                                                         const PolytopicMesh<dim> &); \
  template ElementHierarchy element_hierarchy(const PolytopicOperator<dim> &,                         \
                                              const Grouping,                                         \
                                              const unsigned int,                                     \
                                              const unsigned int);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
