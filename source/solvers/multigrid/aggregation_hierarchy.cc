// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/multigrid/aggregation_hierarchy.h>

#include <cmath>
#include <ml_MultiLevelPreconditioner.h>
#include <ml_utils.h>
#include <Teuchos_ParameterList.hpp>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    CompressedRows
    compressed_rows(ML_Operator *matrix)
    {
      CompressedRows result;
      result.n_columns = matrix->invec_leng;
      std::vector<int>    columns(64);
      std::vector<double> values(64);
      for (int row = 0; row < matrix->outvec_leng; ++row)
        {
          int n_entries = 0;
          while (ML_Operator_Getrow(
                   matrix, 1, &row, columns.size(), columns.data(), values.data(), &n_entries) == 0)
            {
              columns.resize(2 * columns.size()); // the row did not fit
              values.resize(columns.size());
            }
          for (int k = 0; k < n_entries; ++k)
            if (values[k] != 0.)
              result.add(columns[k], values[k]);
          result.finish_row();
        }
      return result;
    }

    /// \f$ d^{-1/2} \f$
    std::vector<double>
    scaling(const CompressedRows &matrix)
    {
      std::vector<double> factors = matrix.diagonal();
      for (double &factor : factors)
        {
          AssertThrow(factor > 0.,
                      ExcMessage("Algebraic multigrid needs a matrix with a positive diagonal; "
                                 "one entry is " +
                                 std::to_string(factor) + "."));
          factor = 1. / std::sqrt(factor);
        }
      return factors;
    }

    std::vector<double>
    inverse(std::vector<double> factors)
    {
      for (double &factor : factors)
        factor = 1. / factor;
      return factors;
    }

    /// Only the aggregation: smoothers and the coarse solver are none of ML's business here.
    Teuchos::ParameterList
    ml_parameters(const AggregationHierarchy::Parameters &parameters,
                  std::vector<double>                    &near_null_vector)
    {
      Teuchos::ParameterList list;
      ML_Epetra::SetDefaults("SA", list);
      list.set("ML output", 0);
      list.set("max levels", static_cast<int>(parameters.max_levels));
      list.set("coarse: max size", static_cast<int>(parameters.coarse_size));
      list.set("increasing or decreasing", "increasing"); // level 0 is the finest
      list.set("PDE equations", static_cast<int>(parameters.block_size));
      list.set("aggregation: type", "Uncoupled");
      list.set("aggregation: threshold", parameters.drop_threshold);
      if (!parameters.smoothed)
        list.set("aggregation: damping factor", 0.);
      list.set("null space: type", "pre-computed");
      list.set("null space: dimension", 1);
      list.set("null space: vectors", near_null_vector.data());
      list.set("smoother: type", "do-nothing");
      list.set("coarse: type", "do-nothing");
      return list;
    }
  } // namespace

  AggregationHierarchy::AggregationHierarchy(std::vector<CompressedRows> matrices,
                                             std::vector<CompressedRows> prolongations)
    : matrices(std::move(matrices))
    , prolongations(std::move(prolongations))
  {}

  AggregationHierarchy::AggregationHierarchy(const Epetra_CrsMatrix &A,
                                             const Parameters       &parameters)
  {
    const std::size_t n_rows = A.NumGlobalRows64();
    AssertThrow(n_rows > 0 && n_rows == static_cast<std::size_t>(A.NumGlobalCols64()),
                ExcMessage("Algebraic multigrid needs a square matrix with at least one row."));
    AssertThrow(parameters.block_size > 0 && n_rows % parameters.block_size == 0,
                ExcMessage("The number of rows of the matrix, " + std::to_string(n_rows) +
                           ", must be a multiple of the block size, " +
                           std::to_string(parameters.block_size) + "."));
    std::vector<double> near_null_vector = parameters.near_null_vector;
    if (near_null_vector.empty())
      near_null_vector.assign(n_rows, 1.);
    AssertThrow(near_null_vector.size() == n_rows,
                ExcMessage("The near-null vector must have one entry for each of the " +
                           std::to_string(n_rows) + " rows of the matrix, not " +
                           std::to_string(near_null_vector.size()) + "."));

    matrices.push_back(Saltus::compressed_rows(A));
    if (parameters.max_levels < 2 || n_rows <= parameters.coarse_size)
      return;
    ML_Epetra::MultiLevelPreconditioner preconditioner(A,
                                                       ml_parameters(parameters, near_null_vector),
                                                       false);
    // For ML's estimates of eigenvalues: else what it makes depended on what it made before.
    ML_set_random_seed(1);
    AssertThrow(preconditioner.ComputePreconditioner() == 0,
                ExcMessage("Trilinos ML could not set up a hierarchy for the matrix."));
    const ML *const ml = preconditioner.GetML();
    for (int level = 1; level < ml->ML_num_actual_levels; ++level)
      {
        matrices.push_back(compressed_rows(&ml->Amat[level]));
        prolongations.push_back(compressed_rows(&ml->Pmat[level]));
        AssertDimension(prolongations.back().n_columns, matrices.back().n_rows());
        AssertDimension(prolongations.back().n_rows(), matrices[level - 1].n_rows());
      }
  }

  std::vector<double>
  AggregationHierarchy::scale(const bool singular)
  {
    std::vector<std::vector<double>> factors;
    for (CompressedRows &matrix : matrices)
      {
        // A singular problem leaves one row, the kernel: zero but for rounding.
        factors.push_back(singular && matrix.n_rows() == 1 ? std::vector<double>{1.}
                                                           : scaling(matrix));
        matrix.scale(factors.back(), factors.back());
      }
    for (unsigned int l = 0; l + 1 < n_levels(); ++l)
      prolongations[l].scale(inverse(factors[l]), factors[l + 1]);
    return factors[0];
  }
} // namespace Saltus
