// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_additional_fields_h
#define saltus_io_results_additional_fields_h

#include <deal.II/base/tensor.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/io/functions/quantities.h>

#include <functional>
#include <string>
#include <vector>

namespace Saltus
{
  /// A number of each cell on request, as it is when a VTU file is written.
  struct OptionalCellField
  {
    std::string                          name;
    std::function<std::vector<double>()> values; ///< see cells_in_order(). Collective.
  };

  /// Fields of VTU files in addition to the quantities of a solution: the entry `Output/Additional
  /// fields`. The names are
  /// - `NAME_gradient` of a quantity or an optional one (see Quantities::identifiers()), a vector,
  /// - `vorticity`, if there is a velocity,
  /// - the optional quantities of the equation, and the optional fields of its cells,
  /// - `rank`, the number of the rank that owns a cell.
  ///
  /// Gradients of quantities that are no components of the solution are differences over a
  /// millionth of the solution along its gradient.
  template <int dim>
  class AdditionalFields
  {
  public:
    /// Entry of the parameter file.
    static constexpr const char *entry = "Output/Additional fields";

    AdditionalFields() = default;

    /// @param space is not copied
    /// @throws dealii::ExcMessage for a name that does not exist, or comes twice
    AdditionalFields(const std::vector<std::string>       &wanted,
                     const SolutionSpace<dim>             &space,
                     const std::vector<OptionalCellField> &of_cells = {});

    /// Show the error of the first component, as `error`.
    void
    add_error(const Expression &exact);

    /// One for each number, as Quantities::names.
    const std::vector<std::string> &
    names() const
    {
      return all_names;
    }

    /// Called as `evaluate(cell, points, values)` where Table `values(point, quantity)` is to be
    /// filled from the column first on.
    using Evaluate = std::function<void(const unsigned int                     cell,
                                        const std::vector<dealii::Point<dim>> &points,
                                        dealii::Table<2, double>              &values)>;

    /// For each thread that computes values of a VTU file. Collective.
    /// @param unit_points see SolutionWriter::unit_points()
    /// @param solution is not copied
    /// @param first number of the first field in the file
    std::function<Evaluate()>
    picture(const PointsByShape<dim> &unit_points,
            const SolutionVector     &solution,
            const unsigned int        first) const;

  private:
    /// The solution at a point of a cell.
    struct At
    {
      const std::vector<dealii::Point<dim>> &points;   ///< of the cell
      unsigned int                           q;        ///< number of the point
      const double                          *solution; ///< its components
      const dealii::Tensor<1, dim> *gradients;         ///< of these; nullptr if no field needs them
    };

    /// Writes the numbers of a field. Called for the points of a cell in turn.
    using Compute = std::function<void(const At &at, double *values)>;

    struct Field
    {
      unsigned int             n_numbers;
      std::function<Compute()> make; ///< one for each thread; or
      OptionalCellField        of_cells;
      bool                     needs_gradients = false;
    };

    void
    add(const std::string &name,
        const unsigned int n_numbers,
        const bool         needs_gradients,
        const Compute     &compute);

    void
    add_gradient(const std::string &name, const unsigned int quantity);

    /// All quantities, those on request behind the others.
    static std::vector<double>
    all_quantities(const Quantities &quantities, const double *solution);

    /// Derivatives of all_quantities() if the solution changes as @p derivatives say.
    static std::vector<double>
    all_derivatives(const Quantities &quantities, const At &at, const unsigned int d);

    const SolutionSpace<dim> *space = nullptr;
    std::vector<std::string>  all_names;
    std::vector<Field>        fields;
  };
} // namespace Saltus

#endif
