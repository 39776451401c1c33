// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/sparse_modal_tables.h>

#include <iterator>

namespace Saltus
{
  namespace
  {
    template <int dim, int degree = 1>
    std::vector<double>
    tables_of_degree(const int wanted)
    {
      if (wanted == degree)
        {
          const auto tables = SparseModalTables<dim, degree>();
          return {std::begin(tables.entries), std::end(tables.entries)};
        }
      if constexpr (Simplex<dim>::n_modes(degree) < ModeList<dim>::max_size)
        return tables_of_degree<dim, degree + 1>(wanted);
      return {};
    }
  } // namespace

  template <int dim>
  std::vector<double>
  sparse_modal_tables(const int degree)
  {
    return tables_of_degree<dim>(degree);
  }

  template std::vector<double>
  sparse_modal_tables<2>(const int);
  template std::vector<double>
  sparse_modal_tables<3>(const int);
} // namespace Saltus
