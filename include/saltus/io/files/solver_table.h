// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_solver_table_h
#define saltus_io_files_solver_table_h

#include <saltus/io/files/json.h>

#include <cstdint>
#include <ostream>
#include <vector>

namespace Saltus
{
  /// What the solution of a linear system took, on a sequence of meshes.
  class SolverTable
  {
  public:
    struct Row
    {
      std::uint64_t n_dofs;
      unsigned int  iterations;
      double set_up;    ///< seconds to make the operator, the right-hand side, the preconditioner
      double solve;     ///< seconds in the iteration
      double reduction; ///< last norm of the residual over the norm of the right-hand side
    };

    void
    add(const Row &row)
    {
      rows.push_back(row);
    }

    void
    print(std::ostream &stream) const;

    /// Row by row, an object each.
    Json
    json() const;

  private:
    std::vector<Row> rows;
  };
} // namespace Saltus

#endif
