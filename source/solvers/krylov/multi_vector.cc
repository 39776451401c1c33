// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector_memory.h>

#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/solvers/krylov/multi_vector.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

namespace Saltus
{
  namespace
  {
    /// A vector of the shape of @p shape that goes back to deal.II's pool when it is not used any
    /// more.
    template <typename Number>
    std::shared_ptr<Vector<Number>>
    from_pool(const Vector<Number> &shape, const bool omit_zeroing)
    {
      static dealii::GrowingVectorMemory<Vector<Number>>     pool;
      typename dealii::VectorMemory<Vector<Number>>::Pointer vector(pool);
      vector->reinit(shape, omit_zeroing);
      return std::move(vector);
    }

    template <typename Number>
    std::vector<Number>
    dots(const std::vector<const Vector<Number> *> &x, const std::vector<const Vector<Number> *> &y)
    {
      std::vector<Number> results(x.size());
      if (x.empty())
        return results;
      std::vector<const Number *> x_data, y_data;
      for (std::size_t i = 0; i < x.size(); ++i)
        {
          check_layout(x[i]->layout(), x[0]->layout(), "products of vectors");
          check_layout(y[i]->layout(), x[0]->layout(), "products of vectors");
          x_data.push_back(x[i]->data());
          y_data.push_back(y[i]->data());
        }
      VectorKernels<Number>(x[0]->device())
        .dots(x.size(), x[0]->data_size(), x_data.data(), y_data.data(), results.data());
      return sum_over_ranks(x[0]->layout().partition, results);
    }
  } // namespace

  template <typename Number>
  MultiVector<Number>::MultiVector(const Vector<Number> &shape, const unsigned int n_columns)
  {
    for (unsigned int i = 0; i < n_columns; ++i)
      columns.push_back(from_pool(shape, false));
  }

  template <typename Number>
  MultiVector<Number>::MultiVector(const std::vector<Vector<Number> *> &vectors)
  {
    for (Vector<Number> *vector : vectors)
      columns.emplace_back(vector, [](Vector<Number> *) {});
  }

  template <typename Number>
  MultiVector<Number>
  MultiVector<Number>::view(const std::vector<int> &indices) const
  {
    MultiVector result;
    for (const int i : indices)
      result.columns.push_back(columns.at(i));
    return result;
  }

  template <typename Number>
  MultiVector<Number>
  MultiVector<Number>::copy() const
  {
    MultiVector result;
    for (const auto &column : columns)
      {
        result.columns.push_back(from_pool(*column, true));
        *result.columns.back() = *column;
      }
    return result;
  }

  template <typename Number>
  void
  MultiVector<Number>::assign(const MultiVector &other)
  {
    for (unsigned int j = 0; j < n_columns(); ++j)
      *columns[j] = *other.columns.at(j);
  }

  template <typename Number>
  void
  MultiVector<Number>::equ(const Number       a,
                           const MultiVector &A,
                           const Number       b,
                           const MultiVector &B)
  {
    AssertDimension(A.n_columns(), n_columns());
    AssertDimension(B.n_columns(), n_columns());
    for (unsigned int j = 0; j < n_columns(); ++j)
      {
        Vector<Number> &y = *columns[j];
        check_layout(A.column(j).layout(), y.layout(), "sum of vectors");
        check_layout(B.column(j).layout(), y.layout(), "sum of vectors");
        VectorKernels<Number>(y.device())
          .combine(y.data_size(), 0, y.data(), a, A.column(j).data(), b, B.column(j).data());
      }
  }

  template <typename Number>
  void
  MultiVector<Number>::multiply(const Number s, const MultiVector &A, const std::vector<Number> &C)
  {
    AssertDimension(C.size(), A.n_columns() * n_columns());
    for (unsigned int j = 0; j < n_columns(); ++j)
      {
        // Two columns a pass; often C is diagonal.
        std::vector<std::pair<Number, const Number *>> terms;
        for (unsigned int i = 0; i < A.n_columns(); ++i)
          if (check_layout(A.column(i).layout(), columns[j]->layout(), "sum of vectors");
              C[i * n_columns() + j] != Number(0))
            terms.emplace_back(C[i * n_columns() + j], A.column(i).data());
        while (terms.empty() || terms.size() % 2 != 0)
          terms.emplace_back(0, nullptr);
        Vector<Number> &y = *columns[j];
        for (std::size_t i = 0; i < terms.size(); i += 2)
          VectorKernels<Number>(y.device())
            .combine(y.data_size(),
                     i == 0 ? s : Number(1),
                     y.data(),
                     terms[i].first,
                     terms[i].second,
                     terms[i + 1].first,
                     terms[i + 1].second);
      }
  }

  template <typename Number>
  void
  MultiVector<Number>::scale(const std::vector<Number> &factors)
  {
    for (unsigned int j = 0; j < n_columns(); ++j)
      *columns[j] *= factors.at(j);
  }

  template <typename Number>
  std::vector<Number>
  MultiVector<Number>::dots(const MultiVector &other) const
  {
    AssertDimension(n_columns(), other.n_columns());
    std::vector<const Vector<Number> *> x, y;
    for (unsigned int j = 0; j < n_columns(); ++j)
      {
        x.push_back(&column(j));
        y.push_back(&other.column(j));
      }
    return Saltus::dots(x, y);
  }

  template <typename Number>
  std::vector<Number>
  MultiVector<Number>::products(const MultiVector &other) const
  {
    std::vector<const Vector<Number> *> x, y;
    for (unsigned int i = 0; i < n_columns(); ++i)
      for (unsigned int j = 0; j < other.n_columns(); ++j)
        {
          x.push_back(&column(i));
          y.push_back(&other.column(j));
        }
    return Saltus::dots(x, y);
  }

  template <typename Number>
  std::vector<Number>
  MultiVector<Number>::norms() const
  {
    std::vector<Number> result = dots(*this);
    for (Number &value : result)
      value = std::sqrt(value);
    return result;
  }

  template <typename Number>
  void
  MultiVector<Number>::randomize()
  {
    static std::mt19937                    generator;
    std::uniform_real_distribution<Number> random(-1, 1);
    for (auto &column : columns)
      {
        const CoefficientLayout layout = column->layout().coefficients();
        std::vector<Number>     values(column->data_size());
        for (unsigned int e = 0; e < column->n_elements(); ++e)
          for (int m = 0; m < layout.n_modes; ++m)
            for (int c = 0; c < layout.n_components; ++c)
              values[layout.index(e, m, c)] = random(generator);
        column->copy_from_host(values.data());
      }
  }

  template <typename Number>
  void
  MultiVector<Number>::print(std::ostream &out) const
  {
    for (const auto &column : columns)
      {
        for (const Number value : column->to_host())
          out << value << ' ';
        out << '\n';
      }
  }

  template class MultiVector<double>;
  template class MultiVector<float>;
} // namespace Saltus
