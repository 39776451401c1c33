// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_evaluation_parameters_h
#define saltus_io_results_evaluation_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <saltus/io/results/boundary_forces.h>
#include <saltus/io/results/integrals.h>
#include <saltus/io/results/point_samples.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace Saltus
{
  /// The section `Evaluation`: what to look at in the solutions of any equation.
  struct EvaluationParameters
  {
    /// @param of_fluid whether boundaries have a pressure and forces
    void
    add_parameters(dealii::ParameterHandler &prm, const bool of_fluid = true);

    std::set<dealii::types::boundary_id> force_ids, flux_ids, wall_ids, surface_ids;

    double              density = 1., velocity = 1., pressure = 0., area = 1.; ///< references
    double              length = 1.;
    std::vector<double> drag_direction, lift_direction, moment_point;

    std::string points, lines, integrals;
    bool        extrema = false;
  };


  /// What this section says.
  template <int dim>
  struct EvaluationRequests
  {
    /// @param quantities identifiers, for the integrals
    /// @param constants for the integrals
    /// @throws dealii::ExcMessage naming the entry for lists that cannot be read, points and
    /// directions of another dimension
    EvaluationRequests(const EvaluationParameters          &parameters,
                       const std::vector<std::string>      &quantities,
                       const std::map<std::string, double> &constants);

    /// Of the tables that Evaluation writes: what their files are called behind `OUTPUT_`.
    std::vector<std::string>
    tables() const;

    const std::set<dealii::types::boundary_id> force_ids, flux_ids, wall_ids, surface_ids;
    const ReferenceState<dim>                  reference;
    const std::vector<dealii::Point<dim>>      points;
    const std::vector<Line<dim>>               lines;
    const std::vector<Integral>                integrals;
    const bool                                 extrema;
  };


  /// Read a list of points, `(0, 0), (0.5, 1)`.
  /// @throws dealii::ExcMessage naming @p entry and the item that is no point
  template <int dim>
  std::vector<dealii::Point<dim>>
  parse_points(const std::string &text, const std::string &entry);

  /// Read a list of lines, `(0, 0) to (1, 0) with 101 points, ...`.
  /// @throws dealii::ExcMessage naming @p entry and the item that is no line
  template <int dim>
  std::vector<Line<dim>>
  parse_lines(const std::string &text, const std::string &entry);
} // namespace Saltus

#endif
