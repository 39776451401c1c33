// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/expressions/batch_function.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/results/additional_fields.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    const std::string gradient_ending = "_gradient";

    /// Number of the first component of the velocity, if there is one.
    template <int dim>
    std::optional<unsigned int>
    first_velocity(const Quantities &quantities)
    {
      const auto &names = quantities.names;
      const auto  first = std::find(names.begin(), names.end(), "velocity");
      if (std::count(names.begin(), names.end(), "velocity") != dim)
        return {};
      return first - names.begin();
    }
  } // namespace


  template <int dim>
  AdditionalFields<dim>::AdditionalFields(const std::vector<std::string>       &wanted,
                                          const SolutionSpace<dim>             &space,
                                          const std::vector<OptionalCellField> &of_cells)
    : space(&space)
  {
    const Quantities              &quantities  = space.quantities;
    const std::vector<std::string> identifiers = quantities.identifiers();
    std::vector<std::string>       all         = identifiers;
    all.insert(all.end(), quantities.optional_names.begin(), quantities.optional_names.end());
    const auto velocity = first_velocity<dim>(quantities);
    const bool has_vorticity =
      velocity && std::find(quantities.names.begin(), quantities.names.end(), "vorticity") ==
                    quantities.names.end();

    std::vector<std::string> known = quantities.optional_names;
    for (const std::string &name : all)
      known.push_back(name + gradient_ending);
    if (has_vorticity)
      known.emplace_back("vorticity");
    for (const OptionalCellField &field : of_cells)
      known.push_back(field.name);
    known.emplace_back("rank");

    for (auto item = wanted.begin(); item != wanted.end(); ++item)
      {
        const std::string &name = *item;
        AssertThrow(std::find(known.begin(), known.end(), name) != known.end(),
                    ExcMessage(std::string(entry) + ": the field '" + name + "' is unknown. " +
                               suggestion(name, known)));
        AssertThrow(std::find(wanted.begin(), item, name) == item,
                    ExcMessage(std::string(entry) + ": the field '" + name + "' is given twice."));
        const auto cell_field = std::find_if(of_cells.begin(), of_cells.end(), [&](const auto &f) {
          return f.name == name;
        });
        if (cell_field != of_cells.end())
          {
            all_names.push_back(name);
            fields.push_back({1, {}, *cell_field});
          }
        else if (name == "rank")
          add(name, 1, false, [rank = this_rank(space.communicator())](const At &, double *values) {
            *values = rank;
          });
        else if (name == "vorticity")
          add(name,
              dim == 2 ? 1 : dim,
              true,
              [&quantities, v = *velocity](const At &at, double *values) {
                std::array<std::vector<double>, dim> derivatives; // [d][quantity]
                for (unsigned int d = 0; d < dim; ++d)
                  derivatives[d] = all_derivatives(quantities, at, d);
                for (unsigned int i = 0; i < (dim == 2 ? 1 : dim); ++i)
                  {
                    const unsigned int j = (i + 1) % dim, k = (i + 2) % dim;
                    values[i] = dim == 2 ? derivatives[0][v + 1] - derivatives[1][v]
                                         : derivatives[j][v + k] - derivatives[k][v + j];
                  }
              });
        else if (const auto optional = std::find(all.begin(), all.end(), name);
                 optional != all.end())
          add(name,
              1,
              false,
              [&quantities, i = optional - all.begin()](const At &at, double *values) {
                *values = all_quantities(quantities, at.solution)[i];
              });
        else
          add_gradient(name,
                       std::find(all.begin(),
                                 all.end(),
                                 name.substr(0, name.size() - gradient_ending.size())) -
                         all.begin());
      }
  }


  template <int dim>
  void
  AdditionalFields<dim>::add(const std::string &name,
                             const unsigned int n_numbers,
                             const bool         needs_gradients,
                             const Compute     &compute)
  {
    all_names.insert(all_names.end(), n_numbers, name);
    fields.push_back({n_numbers, [compute]() { return compute; }, {}, needs_gradients});
  }


  template <int dim>
  void
  AdditionalFields<dim>::add_gradient(const std::string &name, const unsigned int quantity)
  {
    add(name, dim, true, [&quantities = space->quantities, quantity](const At &at, double *values) {
      for (unsigned int d = 0; d < dim; ++d)
        values[d] = all_derivatives(quantities, at, d)[quantity];
    });
  }


  template <int dim>
  void
  AdditionalFields<dim>::add_error(const Expression &exact)
  {
    all_names.emplace_back("error");
    fields.push_back({1,
                      [exact]() -> Compute {
                        BatchFunction function;
                        function.add(exact, 0, 1);
                        return [function](const At &at, double *values) mutable {
                          if (at.q == 0)
                            function.evaluate(at.points, 0.);
                          *values = at.solution[0] - function.values(0)[at.q];
                        };
                      },
                      {}});
  }


  template <int dim>
  std::vector<double>
  AdditionalFields<dim>::all_quantities(const Quantities &quantities, const double *solution)
  {
    std::vector<double> result(quantities.size() + quantities.optional_names.size());
    quantities.compute(solution, result.data());
    if (quantities.compute_optional)
      quantities.compute_optional(solution, result.data() + quantities.size());
    return result;
  }


  template <int dim>
  std::vector<double>
  AdditionalFields<dim>::all_derivatives(const Quantities  &quantities,
                                         const At          &at,
                                         const unsigned int d)
  {
    const unsigned int n    = quantities.n_components;
    double             size = 0., change = 0.;
    for (unsigned int c = 0; c < n; ++c)
      {
        size   = std::hypot(size, at.solution[c]);
        change = std::hypot(change, at.gradients[c][d]);
      }
    if (change == 0.)
      return std::vector<double>(quantities.size() + quantities.optional_names.size());
    const double step    = size > 0. ? 1e-6 * size / change : 1.;
    const auto   shifted = [&](const double by) {
      std::vector<double> solution(n);
      for (unsigned int c = 0; c < n; ++c)
        solution[c] = at.solution[c] + by * at.gradients[c][d];
      return all_quantities(quantities, solution.data());
    };
    std::vector<double>       result = shifted(step);
    const std::vector<double> below  = shifted(-step);
    for (unsigned int i = 0; i < result.size(); ++i)
      result[i] = (result[i] - below[i]) / (2. * step);
    return result;
  }


  template <int dim>
  std::function<typename AdditionalFields<dim>::Evaluate()>
  AdditionalFields<dim>::picture(const PointsByShape<dim> &unit_points,
                                 const SolutionVector     &solution,
                                 const unsigned int        first) const
  {
    if (fields.empty())
      return []() { return [](const unsigned int, const auto &, Table<2, double> &) {}; };
    const auto of_cells = std::make_shared<std::vector<std::vector<double>>>();
    for (const Field &field : fields)
      of_cells->push_back(field.make ? std::vector<double>() : field.of_cells.values());
    const bool with_gradients =
      std::any_of(fields.begin(), fields.end(), [](const auto &f) { return f.needs_gradients; });
    const auto shape_values = space->shape_values(unit_points);
    return
      [this, of_cells, unit_points, &solution, first, with_gradients, shape_values]() -> Evaluate {
        unsigned int i         = 0;
        const auto   of_shapes = std::make_shared<ByShape<std::unique_ptr<FEValues<dim>>>>();
        if (with_gradients)
          *of_shapes = space->shapes.for_each([&](const ReferenceCell &shape) {
            return std::make_unique<FEValues<dim>>(space->mapping,
                                                   space->element(shape),
                                                   Quadrature<dim>(unit_points[i++]),
                                                   update_gradients);
          });
        std::vector<Compute> compute;
        for (const Field &field : fields)
          compute.push_back(field.make ? field.make() : Compute());
        return
          [=, &solution](const unsigned int cell, const auto &points, Table<2, double> &values) {
            const unsigned int n     = space->quantities.n_components;
            const unsigned int shape = space->shapes.number(space->cells[cell]);
            const auto states = space->states(space->cells[cell], shape_values[shape], solution);
            std::vector<std::vector<Tensor<1, dim>>> gradients;
            if (with_gradients)
              {
                gradients.assign(points.size(), std::vector<Tensor<1, dim>>(n));
                FEValues<dim> &fe_values = *(*of_shapes)[shape];
                fe_values.reinit(space->cells[cell]);
                fe_values.get_function_gradients(solution, gradients);
              }
            for (unsigned int q = 0; q < points.size(); ++q)
              {
                double *number = &values(q, first);
                for (unsigned int f = 0; f < fields.size(); ++f)
                  {
                    if (compute[f])
                      compute[f](
                        {points, q, &states[q * n], with_gradients ? gradients[q].data() : nullptr},
                        number);
                    else
                      *number = (*of_cells)[f][cell];
                    number += fields[f].n_numbers;
                  }
              }
          };
      };
  }


  template class AdditionalFields<2>;
  template class AdditionalFields<3>;
} // namespace Saltus
