// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/compressed_rows.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/solvers/krylov/epetra_operator.h>

#include <algorithm>
#include <Epetra_MultiVector.h>

namespace Saltus
{
  EpetraAdaptor::EpetraAdaptor(const std::string  &label,
                               const VectorLayout &layout,
                               const HostMap      &host_map)
    : label(label)
    , communicator(with_mpi(layout.partition ? layout.partition->communicator : MPI_COMM_SELF))
    , map((CompressedRows::check_32_bit(layout.n_entries(), layout.n_entries(), 0, label), -1),
          static_cast<int>(layout.n_owned_entries()),
          0,
          communicator)
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
