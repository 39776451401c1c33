// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_extrema_h
#define saltus_io_results_extrema_h

#include <saltus/io/functions/quantities.h>

namespace Saltus
{
  /// The smallest and the largest value of each quantity at the quadrature points (of degree 2p)
  /// and vertices of all cells, with their positions: where there are several, that in the cell
  /// with the smallest of cell_numbers(). Where a quantity is not a number, that is its extremum.
  template <int dim>
  class Extrema : public ResultTable<dim>
  {
  public:
    explicit Extrema(const SolutionSpace<dim> &space);

    std::vector<std::string>
    columns() const override;

    std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const override;

  private:
    const SolutionSpace<dim> &space;
    const PointsByShape<dim>  unit_points;
  };
} // namespace Saltus

#endif
