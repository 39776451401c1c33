// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_error_table_h
#define saltus_io_error_table_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/expression.h>

#include <ostream>
#include <string>
#include <vector>

namespace Saltus
{
  /// \f$ L^2 \f$ norm of the difference between component 0 of @p solution and of @p exact at time
  /// @p time, with a quadrature of degree 2p+4, or the largest that there is.
  template <int dim>
  double
  l2_error(const dealii::Mapping<dim>    &mapping,
           const dealii::DoFHandler<dim> &dof_handler,
           const dealii::Vector<double>  &solution,
           const Expression              &exact,
           const double                   time);

  /// Errors on a sequence of meshes, each refined uniformly from the one before, with their rates.
  class ErrorTable
  {
  public:
    /// Numbers, so that the table can go through a checkpoint: elements, degrees of freedom, error.
    static constexpr unsigned int row_size = 3;

    void
    add(const unsigned int n_elements, const unsigned int n_dofs, const double error);

    /// Row after row.
    const std::vector<double> &
    rows() const
    {
      return numbers;
    }

    void
    set_rows(const std::vector<double> &rows)
    {
      numbers = rows;
    }

    /// @param quantity whose errors these are
    /// @param dim dimension of the meshes, for the rates
    /// @param reference errors to print beside them, from the first row on; may be fewer
    void
    print(std::ostream              &stream,
          const std::string         &quantity,
          const unsigned int         dim,
          const std::vector<double> &reference = {}) const;

  private:
    std::vector<double> numbers;
  };
} // namespace Saltus

#endif
