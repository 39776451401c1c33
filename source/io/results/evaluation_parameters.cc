// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/io/results/evaluation_parameters.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  void
  EvaluationParameters::add_parameters(ParameterHandler &prm, const bool of_fluid)
  {
    const std::string with_forces = used_with("Evaluation/Force boundaries given");
    const std::string with_pressure =
      used_with("Evaluation/Force boundaries given or Evaluation/Wall pressure boundaries given");
    const Patterns::List ids(Patterns::Integer(0));
    prm.enter_subsection("Evaluation");
    if (of_fluid)
      {
        prm.add_parameter("Force boundaries",
                          force_ids,
                          "Boundary ids: force of the fluid on them and its coefficients go to "
                          "..._forces.csv.",
                          ids);
        prm.add_parameter("Wall pressure boundaries",
                          wall_ids,
                          "Boundary ids: pressure and its coefficient along them go to "
                          "..._wall_pressure.csv with each picture.",
                          ids);
        prm.add_parameter("Reference density",
                          density,
                          "Of the coefficients." + with_pressure,
                          positive_numbers());
        prm.add_parameter("Reference velocity",
                          velocity,
                          "Of the coefficients." + with_pressure,
                          positive_numbers());
        prm.add_parameter("Reference pressure",
                          pressure,
                          "Taken off the pressure, in forces and coefficients." + with_pressure);
        prm.add_parameter("Reference area",
                          area,
                          "Of the force coefficients; in 2D a length." + with_forces,
                          positive_numbers());
        prm.add_parameter("Drag direction",
                          drag_direction,
                          "Of any length; empty: x." + with_forces);
        prm.add_parameter("Lift direction",
                          lift_direction,
                          "Of any length; empty: y." + with_forces);
        prm.add_parameter(
          "Moment point",
          moment_point,
          "X, Y (3D: X, Y, Z): coefficients of the moment about it stand beside those "
          "of the force; empty: none." +
            with_forces);
        prm.add_parameter("Reference length",
                          length,
                          "Of the moment coefficients, beside the area." +
                            used_with("Evaluation/Moment point given"),
                          positive_numbers());
      }
    prm.add_parameter("Flux boundaries",
                      flux_ids,
                      "Boundary ids: the volume that leaves through each, for a viscous gas also "
                      "the heat, for poisson, polytopic the flux of u, go to ..._fluxes.csv.",
                      ids);
    prm.add_parameter("Surface boundaries",
                      surface_ids,
                      "Boundary ids: all quantities on them go to ..._surface.pvd with each "
                      "picture.",
                      ids);
    prm.add_parameter("Points",
                      points,
                      "(X, Y), ... (3D: (X, Y, Z)): all quantities there go to "
                      "..._points.csv. In time, this table and those of forces, fluxes, integrals "
                      "and extrema get a row every Output/Time series interval steps, or with each "
                      "picture where that is 0.");
    prm.add_parameter("Lines",
                      lines,
                      "(X, Y) to (X, Y) with N points, ...: all quantities there go to "
                      "..._line_0.csv, ... with each picture.");
    prm.add_parameter(
      "Integrals",
      integrals,
      "NAME: EXPRESSION, ... in x, y, z, t, the output quantities (momentum_x, ...) "
      "and the constants; or NAME: KIND (EXPRESSION where CONDITION) with the kinds "
      "integral, mean, rms. They go to ..._integrals.csv. Conditions are asked at quadrature points: "
      "where a cell is cut by one, the error is of first order in its size.");
    prm.add_parameter("Extrema",
                      extrema,
                      "Smallest and largest value of each quantity and where go to "
                      "..._extrema.csv.");
    prm.leave_subsection();
  }


  namespace
  {
    const std::string section      = "Evaluation/";
    const std::string drag_entry   = section + "Drag direction";
    const std::string lift_entry   = section + "Lift direction";
    const std::string moment_entry = section + "Moment point";


    /// The point that @p text gives as `(0, 1)`.
    template <int dim>
    Point<dim>
    parse_point(const std::string &text, const std::string &item, const std::string &entry)
    {
      const std::string numbers = text.size() > 1 && text.front() == '(' && text.back() == ')'
                                    ? text.substr(1, text.size() - 2)
                                    : "";
      const auto        point   = parse_coordinates<dim>(numbers);
      AssertThrow(point,
                  ExcMessage(entry + ": '" + text + "' of '" + item + "' is no point. Expected " +
                             (dim == 2 ? "(X, Y)." : "(X, Y, Z).")));
      return *point;
    }


    unsigned int
    parse_n_points(const std::string &digits, const std::string &item, const std::string &entry)
    {
      const std::string  most = "9999999";
      const bool         fits = digits.size() <= most.size();
      const unsigned int n    = fits ? std::stoul(digits) : 0;
      AssertThrow(n >= 2 && n <= std::stoul(most),
                  ExcMessage(entry + ": '" + item + "' has " + digits + " points; from 2 to " +
                             most + " are accepted."));
      return n;
    }


    /// @throws dealii::ExcMessage for another number of @p numbers than coordinates
    template <int dim>
    Point<dim>
    coordinates(const std::vector<double> &numbers, const std::string &entry)
    {
      AssertThrow(numbers.size() == dim,
                  ExcMessage(entry + " has " + std::to_string(numbers.size()) + " numbers; " +
                             std::to_string(dim) + " are expected."));
      Point<dim> result;
      std::copy(numbers.begin(), numbers.end(), result.begin_raw());
      return result;
    }


    template <int dim>
    Tensor<1, dim>
    direction(const std::vector<double> &numbers,
              const unsigned int         otherwise,
              const std::string         &entry)
    {
      Tensor<1, dim> result;
      if (numbers.empty())
        result[otherwise] = 1.;
      else
        result = coordinates<dim>(numbers, entry);
      AssertThrow(result.norm() > 0., ExcMessage(entry + " is not accepted: it is of length 0."));
      return result / result.norm();
    }


    template <int dim>
    ReferenceState<dim>
    reference_state(const EvaluationParameters &parameters)
    {
      ReferenceState<dim> state;
      state.density        = parameters.density;
      state.velocity       = parameters.velocity;
      state.pressure       = parameters.pressure;
      state.area           = parameters.area;
      state.length         = parameters.length;
      state.drag_direction = direction<dim>(parameters.drag_direction, 0, drag_entry);
      state.lift_direction = direction<dim>(parameters.lift_direction, 1, lift_entry);
      if (!parameters.moment_point.empty())
        state.moment_point = coordinates<dim>(parameters.moment_point, moment_entry);
      return state;
    }
  } // namespace


  template <int dim>
  std::vector<Point<dim>>
  parse_points(const std::string &text, const std::string &entry)
  {
    std::vector<Point<dim>> points;
    for (const std::string &item : split_list(text, entry))
      points.push_back(parse_point<dim>(item, item, entry));
    return points;
  }


  template <int dim>
  std::vector<Line<dim>>
  parse_lines(const std::string &text, const std::string &entry)
  {
    std::vector<Line<dim>> lines;
    for (const std::string &item : split_list(text, entry))
      {
        const auto match =
          match_whole(item, "(\\(.*\\))\\s*to\\s*(\\(.*\\))\\s*with\\s+0*([0-9]+)\\s+points");
        AssertThrow(!match.empty(),
                    ExcMessage(entry + ": '" + item +
                               "' is no line. Expected '(X, Y) to (X, Y) with N points'."));
        lines.push_back({parse_point<dim>(match[1], item, entry),
                         parse_point<dim>(match[2], item, entry),
                         parse_n_points(match[3], item, entry)});
      }
    return lines;
  }


  template <int dim>
  EvaluationRequests<dim>::EvaluationRequests(const EvaluationParameters          &parameters,
                                              const std::vector<std::string>      &quantities,
                                              const std::map<std::string, double> &constants)
    : force_ids(parameters.force_ids)
    , flux_ids(parameters.flux_ids)
    , wall_ids(parameters.wall_ids)
    , surface_ids(parameters.surface_ids)
    , reference(reference_state<dim>(parameters))
    , points(parse_points<dim>(parameters.points, section + "Points"))
    , lines(parse_lines<dim>(parameters.lines, section + "Lines"))
    , integrals(
        parse_integrals(parameters.integrals, dim, quantities, constants, section + "Integrals"))
    , extrema(parameters.extrema)
  {}


  template <int dim>
  std::vector<std::string>
  EvaluationRequests<dim>::tables() const
  {
    std::vector<std::string> result;
    const auto               add = [&](const bool is_wanted, const std::string &table) {
      if (is_wanted)
        result.push_back(table);
    };
    add(!force_ids.empty(), "forces");
    add(!flux_ids.empty(), "fluxes");
    add(!integrals.empty(), "integrals");
    add(extrema, "extrema");
    add(!points.empty(), "points");
    for (unsigned int l = 0; l < lines.size(); ++l)
      add(true, "line_" + std::to_string(l));
    add(!wall_ids.empty(), "wall_pressure");
    return result;
  }


  template struct EvaluationRequests<2>;
  template struct EvaluationRequests<3>;
  template std::vector<Point<2>>
  parse_points<2>(const std::string &, const std::string &);
  template std::vector<Point<3>>
  parse_points<3>(const std::string &, const std::string &);
  template std::vector<Line<2>>
  parse_lines<2>(const std::string &, const std::string &);
  template std::vector<Line<3>>
  parse_lines<3>(const std::string &, const std::string &);
} // namespace Saltus
