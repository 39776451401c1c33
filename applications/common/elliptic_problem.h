// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_common_elliptic_problem_h
#define applications_common_elliptic_problem_h

#include <saltus/io/elliptic/elliptic_function_parameters.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/parameters/run_summary.h>
#include <saltus/io/results/error_table.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/solvers/krylov/solve_report.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/// What programs for elliptic problems have in common.
namespace Saltus
{
  /// The one quantity: u.
  inline Quantities
  scalar_quantities()
  {
    return {{"u"}, 1, [](const double *u, double *values) { *values = *u; }};
  }

  /// Of the table of errors.
  template <int dim>
  std::vector<std::string>
  error_norms(const EllipticFunctions<dim> &functions)
  {
    std::vector<std::string> norms = {"L2 error"};
    if (functions.has_exact_gradient())
      norms.emplace_back("H1 seminorm error");
    return norms;
  }

  /// The errors of a row of this table. Collective.
  template <int dim>
  std::vector<double>
  elliptic_errors(const dealii::Mapping<dim>    &mapping,
                  const dealii::DoFHandler<dim> &dof_handler,
                  const SolutionVector          &solution,
                  const EllipticFunctions<dim>  &functions)
  {
    return scalar_errors(mapping,
                         dof_handler,
                         solution,
                         functions.exact_solution(),
                         functions.has_exact_gradient() ? &functions.exact_gradient() : nullptr);
  }

  /// How linear systems will be solved.
  inline void
  add_solver(RunSummary           &summary,
             const std::string    &type,
             const std::string    &preconditioner,
             const SolverSettings &settings)
  {
    std::ostringstream text;
    text << type << ", preconditioner: " << preconditioner << ", to " << settings.tolerance
         << ", at most " << settings.max_iterations << " iterations";
    Json value;
    value["type"]               = type;
    value["preconditioner"]     = preconditioner;
    value["tolerance"]          = settings.tolerance;
    value["maximum iterations"] = settings.max_iterations;
    summary.add("solver", text.str(), value);
  }

  /// The picture of a mesh and all tables.
  /// @param degree,quantities as SolutionWriter takes them
  /// @param tables see EvaluationRequests::tables()
  template <int dim>
  void
  add_files(RunSummary                     &summary,
            const MappedMesh<dim>          &mesh,
            const unsigned int              degree,
            const std::vector<std::string> &quantities,
            const OutputFiles              &files,
            const std::vector<std::string> &tables)
  {
    add_pictures(summary,
                 files.path(".pvd"),
                 1.,
                 false,
                 largest_picture(*mesh.mapping,
                                 *mesh.triangulation,
                                 degree,
                                 quantities.size(),
                                 files.double_values));
    add_tables(summary, paths_of_tables(files, tables));
  }

  /// A coefficient from the expressions @p text of a number, or of @p n_components where there is a
  /// semicolon.
  /// @param sampling if it varies
  /// @param entry path of the parameter, for messages
  template <int dim>
  EllipticCoefficient<dim>
  elliptic_coefficient(const EllipticFunctions<dim> &functions,
                       const std::string            &text,
                       const unsigned int            n_components,
                       const Sampling                sampling,
                       const std::string            &entry)
  {
    const unsigned int n          = text.find(';') != std::string::npos ? n_components : 1;
    const Expression   expression = functions.expression(text, n, entry);
    if (n == 1 && expression.is_constant())
      return expression.constant_values()[0];
    return {expression, expression.is_constant() ? Sampling::by_element : sampling};
  }

  /// The same from `Functions/Coefficients by material` where that lists this coefficient.
  /// @param kind in that entry
  /// @param default_text of the other entry
  /// @throws dealii::ExcMessage if both entries are given
  template <int dim>
  EllipticCoefficient<dim>
  elliptic_coefficient(const EllipticFunctions<dim> &functions,
                       const std::string            &text,
                       const unsigned int            n_components,
                       const Sampling                sampling,
                       const std::string            &entry,
                       const std::string            &kind,
                       const std::string            &default_text)
  {
    const auto texts = functions.by_material(kind);
    if (texts.empty())
      return elliptic_coefficient(functions, text, n_components, sampling, entry);
    const std::string by_material = "Functions/Coefficients by material";
    AssertThrow(text == default_text,
                dealii::ExcMessage(entry + " = " + text + " and the kind " + kind + " of " +
                                   by_material + " are both given. Give one of them."));
    const bool has_tensors = std::any_of(texts.begin(), texts.end(), [](const auto &item) {
      return item.second.find(';') != std::string::npos;
    });
    std::map<dealii::types::material_id, FieldFunction<dim>> fields;
    bool                                                     is_constant = true;
    for (const auto &[id, of_material] : texts)
      {
        const Expression expression =
          functions.expression(of_material,
                               has_tensors ? n_components : 1,
                               by_material + ", material " + std::to_string(id) + ", " + kind);
        is_constant = is_constant && expression.is_constant();
        fields.emplace(id, expression);
      }
    return {fields, is_constant ? Sampling::by_element : sampling};
  }
} // namespace Saltus

#endif
