// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/results/integrals.h>

#include <cmath>
#include <memory>
#include <set>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// What stands before and after the word `where`; nothing after it means everywhere.
    std::pair<std::string, std::string>
    split_region(const std::string &text)
    {
      const auto match = match_whole(text, "(.*[^A-Za-z0-9_])where([^A-Za-z0-9_].*)");
      if (!match.empty())
        return {Utilities::trim(match[1]), Utilities::trim(match[2])};
      return {text, "1"};
    }


    Integral::Kind
    kind_of(const std::string &name)
    {
      return name == "mean" ? Integral::Kind::mean
                            : (name == "rms" ? Integral::Kind::rms : Integral::Kind::integral);
    }


    double
    result(const Integral::Kind kind, const double integral, const double volume)
    {
      switch (kind)
        {
          case Integral::Kind::mean:
            return integral / volume;
          case Integral::Kind::rms:
            return std::sqrt(integral / volume);
          default:
            return integral;
        }
    }


    /// There is no mean, which may pass if it depends on the solution or on time where it is.
    /// @throws dealii::ExcMessage if it may not
    void
    of_nothing(const Integral &integral, const bool says_so)
    {
      const std::string text = "Evaluation/Integrals, " + integral.name + ": the condition '" +
                               integral.region.text() +
                               "' holds at no quadrature point, so that there is no mean value.";
      AssertThrow(!integral.region.depends_on_position_only(), ExcMessage(text));
      if (says_so)
        say_once(text);
    }
  } // namespace


  std::vector<Integral>
  parse_integrals(const std::string                   &text,
                  const unsigned int                   dim,
                  const std::vector<std::string>      &quantities,
                  const std::map<std::string, double> &constants,
                  const std::string                   &entry)
  {
    std::vector<Integral> integrals;
    std::set<std::string> names;
    for (const std::string &item : split_list(text, entry))
      {
        const auto match = match_whole(item, "([A-Za-z_]\\w*)\\s*:\\s*(.+)");
        AssertThrow(!match.empty(),
                    ExcMessage(entry + ": '" + item +
                               "' is no integral. Expected 'name: expression' or 'name: kind "
                               "(expression where condition)', the kind being integral, mean or "
                               "rms."));
        const std::string name = match[1], rest = match[2];
        AssertThrow(names.insert(name).second,
                    ExcMessage(entry + ": the name '" + name + "' is given twice."));
        AssertThrow(name != "time",
                    ExcMessage(entry + ": the name 'time' is that of the table's first column. "
                                       "Give the integral another one."));
        const auto kind                = match_whole(rest, "(integral|mean|rms)\\s*\\((.*)\\)");
        const auto [integrand, region] = split_region(kind.empty() ? rest : kind[2]);
        const auto expression          = [&, &constants = constants](const std::string &formula) {
          return QuantityExpression(dim, formula, quantities, constants, entry + ", " + name);
        };
        integrals.push_back(
          {name, kind_of(kind.empty() ? "" : kind[1]), expression(integrand), expression(region)});
      }
    return integrals;
  }


  template <int dim>
  Integrals<dim>::Integrals(const SolutionSpace<dim> &space, const std::vector<Integral> &integrals)
    : space(space)
    , integrals(integrals)
  {}


  template <int dim>
  std::vector<std::string>
  Integrals<dim>::columns() const
  {
    std::vector<std::string> names;
    for (const Integral &integral : integrals)
      names.push_back(integral.name);
    return names;
  }


  template <int dim>
  std::string
  Integrals<dim>::definition() const
  {
    std::string text;
    for (const Integral &integral : integrals)
      text += std::to_string(static_cast<int>(integral.kind)) + ' ' + integral.integrand.text() +
              " where " + integral.region.text() + '\n';
    return text;
  }


  template <int dim>
  std::vector<std::vector<double>>
  Integrals<dim>::rows(const double time, const SolutionVector &solution) const
  {
    const auto rules    = space.quadratures(2 * space.degree() + 4);
    const auto elements = space.shapes.for_each(
      [](const ReferenceCell &shape) { return std::make_shared<FE_Nothing<dim>>(shape); });
    PointsByShape<dim> unit_points;
    for (const auto &rule : rules)
      unit_points.push_back(rule.get_points());
    const auto          shape = space.shape_values(unit_points);
    const std::size_t   n     = 2 * integrals.size();
    std::vector<double> parts(space.cells.size() * n); // [cell][integral]: of f or f^2, of 1
    parallel_for(space.cells.size(), [&](const std::size_t begin, const std::size_t end) {
      ByShape<std::unique_ptr<FEValues<dim>>> fe_values_of;
      for (unsigned int i = 0; i < rules.size(); ++i)
        fe_values_of.push_back(std::make_unique<FEValues<dim>>(
          space.mapping, *elements[i], rules[i], update_quadrature_points | update_JxW_values));
      std::vector<Integral> integrals = this->integrals;
      for (std::size_t cell = begin; cell < end; ++cell)
        {
          FEValues<dim> &fe_values = *fe_values_of[space.shapes.number(space.cells[cell])];
          fe_values.reinit(
            static_cast<typename Triangulation<dim>::cell_iterator>(space.cells[cell]));
          const auto values = space.evaluate(space.cells[cell], shape, solution);
          for (std::size_t i = 0; i < integrals.size(); ++i)
            for (const unsigned int q : fe_values.quadrature_point_indices())
              {
                const auto    point = fe_values.quadrature_point(q);
                const double *here  = values.data() + q * space.quantities.size();
                if (integrals[i].region.value(point.begin_raw(), time, here) == 0.)
                  continue;
                const double f    = integrals[i].integrand.value(point.begin_raw(), time, here);
                double      *part = parts.data() + cell * n + 2 * i;
                part[0] +=
                  fe_values.JxW(q) * (integrals[i].kind == Integral::Kind::rms ? f * f : f);
                part[1] += fe_values.JxW(q);
              }
        }
    });

    std::vector<double> sums(n), row;
    for (std::size_t i = 0; i < parts.size(); ++i)
      sums[i % n] += parts[i];
    Utilities::MPI::sum(sums, space.communicator(), sums);
    for (std::size_t i = 0; i < integrals.size(); ++i)
      {
        const Integral &integral = integrals[i];
        row.push_back(result(integral.kind, sums[2 * i], sums[2 * i + 1]));
        if (sums[2 * i + 1] == 0. && integral.kind != Integral::Kind::integral)
          of_nothing(integral, this_rank(space.communicator()) == 0);
        else if (std::isinf(row.back()) && this_rank(space.communicator()) == 0)
          say_once("Evaluation/Integrals: '" + integral.name + "' has become infinite.");
      }
    return {row};
  }


  template class Integrals<2>;
  template class Integrals<3>;
} // namespace Saltus
