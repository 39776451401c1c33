// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/sparse_matrix.h>
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/launch.h>

#include <string>

namespace Saltus
{
  namespace
  {
    std::vector<int>
    narrow_row_starts(const CompressedRows &rows)
    {
      CompressedRows::check_32_bit(rows.n_rows(),
                                   rows.n_columns,
                                   rows.n_nonzeros(),
                                   "A sparse matrix on a device");
      return {rows.row_starts.begin(), rows.row_starts.end()};
    }

    /// Entries of a vector's array for @p n rows or columns.
    std::size_t
    array_size(const std::size_t n)
    {
      return (n + block_size - 1) / block_size * block_size;
    }

    template <typename Number>
    void
    check(const Device device, const Vector<Number> &vector, const std::size_t n, const char *what)
    {
      AssertThrow(vector.device() == device,
                  dealii::ExcMessage("A sparse matrix on " + device.name() +
                                     " cannot work on a vector on " + vector.device().name() +
                                     "."));
      AssertThrow(vector.data_size() == array_size(n),
                  dealii::ExcMessage(std::string("A vector of ") +
                                     std::to_string(vector.data_size()) +
                                     " entries (with padding) does not fit a sparse matrix with " +
                                     std::to_string(n) + " " + what + "."));
    }
  } // namespace

  template <typename Number>
  SparseMatrix<Number>::SparseMatrix(const Device device, const CompressedRows &rows)
    : n_rows(rows.n_rows())
    , n_columns(rows.n_columns)
    , row_starts(device, narrow_row_starts(rows))
    , columns(device, rows.columns)
    , values(device, std::vector<Number>(rows.values.begin(), rows.values.end()))
  {
    if (n_nonzeros() == 0)
      return;
    prepare_launch(device, n_rows, product(nullptr, RowSum::Combine<Number>{}, nullptr));
    if (n_rows == n_columns)
      prepare_launch(device, n_rows, product(nullptr, RowSum::Smooth<Number>{}, nullptr));
  }

  template <typename Number>
  template <typename Result>
  SparseProduct<Number, Result>
  SparseMatrix<Number>::product(const Number *src, const Result &result, Number *dst) const
  {
    return {{n_nonzeros(), row_starts.data(), columns.data(), values.data()}, src, result, dst};
  }

  template <typename Number>
  void
  SparseMatrix<Number>::apply(const Number          alpha,
                              const Vector<Number> &src,
                              const Number          beta,
                              const Vector<Number> &other,
                              Vector<Number>       &dst) const
  {
    AssertThrow(&dst != &src,
                dealii::ExcMessage("A product with a sparse matrix cannot work in place."));
    check(device(), src, n_columns, "columns");
    check(device(), other, n_rows, "rows");
    check(device(), dst, n_rows, "rows");
    device().make_current();
    if (n_nonzeros() > 0)
      launch(device(),
             n_rows,
             product(src.data(), RowSum::Combine<Number>{alpha, beta, other.data()}, dst.data()));
    else
      VectorKernels<Number>(dst.device())
        .combine(dst.data_size(), 0, dst.data(), beta, other.data(), 0, nullptr);
  }

  template <typename Number>
  void
  SparseMatrix<Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(1, src, 0, dst, dst);
  }

  template <typename Number>
  void
  SparseMatrix<Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(1, src, 1, dst, dst);
  }

  template <typename Number>
  void
  SparseMatrix<Number>::residual(Vector<Number>       &dst,
                                 const Vector<Number> &x,
                                 const Vector<Number> &b) const
  {
    apply(-1, x, 1, b, dst);
  }

  template <typename Number>
  void
  SparseMatrix<Number>::smoothing_step(Vector<Number>       &dst,
                                       const Vector<Number> &x,
                                       const Number          weight,
                                       const Vector<Number> &b) const
  {
    AssertThrow(n_rows == n_columns,
                dealii::ExcMessage("Only a square matrix can be that of a smoother."));
    AssertThrow(&dst != &x && &dst != &b,
                dealii::ExcMessage("A step of a smoother cannot work in place."));
    for (const Vector<Number> *vector : {&x, &b, static_cast<const Vector<Number> *>(&dst)})
      check(device(), *vector, n_rows, "rows");
    device().make_current();
    if (n_nonzeros() > 0)
      launch(device(),
             n_rows,
             product(x.data(), RowSum::Smooth<Number>{x.data(), weight, b.data()}, dst.data()));
    else
      VectorKernels<Number>(device()).combine(
        dst.data_size(), 0, dst.data(), 1, x.data(), weight, b.data());
  }

  template <typename Number>
  std::size_t
  SparseMatrix<Number>::memory_consumption() const
  {
    return (row_starts.size() + columns.size()) * sizeof(int) + values.size() * sizeof(Number);
  }

  template class SparseMatrix<double>;
  template class SparseMatrix<float>;
} // namespace Saltus
