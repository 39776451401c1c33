// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_error_table_h
#define saltus_io_results_error_table_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/io/files/json.h>
#include <saltus/io/functions/quantities.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace Saltus
{
  /// Of which components an error is.
  struct ErrorComponents
  {
    unsigned int first = 0, number = 1;
    bool         up_to_constant = false; ///< whether the mean of the difference does not count
  };

  /// \f$ L^2 \f$ norm of the difference between components of @p solution and the same of @p exact
  /// at time @p time, with a quadrature of degree 2p+4.
  /// @tparam VectorType SolutionVector or, on one rank, dealii::Vector<double>
  template <int dim, typename VectorType>
  double
  l2_error(const dealii::Mapping<dim>    &mapping,
           const dealii::DoFHandler<dim> &dof_handler,
           const VectorType              &solution,
           const Expression              &exact,
           const double                   time,
           const ErrorComponents          components = {});

  /// l2_error() of a scalar @p solution at time 0 and, if @p gradient is not nullptr, the broken
  /// \f$ H^1 \f$ seminorm of its error, \f$ (\sum_K \int_K |\nabla u_h - \nabla u|^2)^{1/2} \f$,
  /// with the same quadrature.
  /// @tparam VectorType as for l2_error()
  /// @param gradient the components of \f$ \nabla u \f$
  template <int dim, typename VectorType>
  std::vector<double>
  scalar_errors(const dealii::Mapping<dim>    &mapping,
                const dealii::DoFHandler<dim> &dof_handler,
                const VectorType              &solution,
                const Expression              &exact,
                const Expression              *gradient);

  /// Mean value of a scalar @p function over the mesh, with the same quadrature.
  template <int dim>
  double
  mean_value(const dealii::Mapping<dim>    &mapping,
             const dealii::DoFHandler<dim> &dof_handler,
             const Expression              &function);

  /// By what an ErrorTable counts how fine a mesh is.
  enum class RatesBy
  {
    elements, ///< of one degree
    unknowns
  };


  /// Errors in one or several norms on a sequence of meshes, each refined uniformly from the one
  /// before, with their rates.
  class ErrorTable
  {
  public:
    /// @param norms what stands above the columns of errors
    explicit ErrorTable(const std::vector<std::string> &norms);

    /// @param errors one a norm
    void
    add(const unsigned int         cycle,
        const std::uint64_t        n_elements,
        const std::uint64_t        n_dofs,
        const std::vector<double> &errors);

    /// Row after row: cycle, elements, degrees of freedom, errors. These numbers are all there is
    /// to a table, so that it can go through a checkpoint.
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

    /// @param dim dimension of the meshes, for the rates
    /// @param reference errors to print beside those in the first norm, by the number of elements;
    /// without any of this table's numbers there is no column
    void
    print(std::ostream                          &stream,
          const unsigned int                     dim,
          const std::map<std::uint64_t, double> &reference = {},
          const RatesBy                          rates     = RatesBy::elements) const;

    /// Row by row, an object each: cycle, elements, degrees of freedom, and each error.
    Json
    json() const;

  private:
    std::vector<std::string> norms;
    std::vector<double>      numbers;
  };
} // namespace Saltus

#endif
