// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/compressed_rows.h>
#include <saltus/solvers/epetra_operator.h>

#include <algorithm>
#include <Epetra_MultiVector.h>

namespace Saltus
{
  EpetraAdaptor::EpetraAdaptor(const std::string &label,
                               const std::size_t  n_rows,
                               const HostMap     &host_map)
    : label(label)
    , map((CompressedRows::check_32_bit(n_rows, n_rows, 0, label), static_cast<int>(n_rows)),
          0,
          dealii::Utilities::Trilinos::comm_self())
    , host_map(host_map)
  {}

  int
  EpetraAdaptor::apply(const Epetra_MultiVector &x, Epetra_MultiVector &y) const
  {
    const int n = map.NumMyElements();
    if (x.MyLength() != n || y.MyLength() != n || x.NumVectors() != y.NumVectors())
      return unsupported;
    dealii::Vector<double> src(n), dst(n);
    for (int column = 0; column < x.NumVectors(); ++column)
      {
        std::copy_n(x[column], n, src.begin());
        host_map(dst, src);
        std::copy_n(dst.begin(), n, y[column]);
      }
    return 0;
  }
} // namespace Saltus
