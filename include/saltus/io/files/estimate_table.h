// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_estimate_table_h
#define saltus_io_files_estimate_table_h

#include <saltus/io/files/json.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

namespace Saltus
{
  /// Estimates of errors on a sequence of adapted meshes, beside the errors where they are known.
  class EstimateTable
  {
  public:
    struct Row
    {
      std::uint64_t         n_elements;
      unsigned int          lowest_degree, highest_degree;
      std::uint64_t         n_dofs;
      double                estimate;
      std::optional<double> error; ///< in the norm that is estimated; of all rows or none
    };

    void
    add(const Row &row)
    {
      rows.push_back(row);
    }

    const Row &
    last() const
    {
      return rows.back();
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
