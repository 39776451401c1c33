// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/io/results/time_average.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace Saltus
{
  namespace
  {
    /// `mean_NAME` of all quantities, then perhaps `rms_NAME`.
    std::vector<std::string>
    prefixed(const std::vector<std::string> &names, const bool with_rms)
    {
      std::vector<std::string> result;
      for (const char *prefix : {"mean_", "rms_"})
        if (with_rms || result.empty())
          for (const std::string &name : names)
            result.push_back(prefix + name);
      return result;
    }
  } // namespace


  template <int dim>
  QuantityMoments<dim>::QuantityMoments(const SolutionSpace<dim> &space,
                                        const PointsByShape<dim> &unit_points)
    : space(space)
    , n_points(std::max_element(unit_points.begin(),
                                unit_points.end(),
                                [](const auto &a, const auto &b) { return a.size() < b.size(); })
                 ->size())
    , shape(space.shape_values(unit_points))
  {
    means.resize(space.cells.size() * n_points * space.quantities.size());
    squares.resize(means.size());
  }


  namespace
  {
    /// West's update of a mean and a sum of squares.
    /// @param weight of all samples, with this one's @p sample_weight
    void
    update(double      &mean,
           double      &square,
           const double weight,
           const double sample_weight,
           const double value)
    {
      const double difference = value - mean;
      mean += sample_weight / weight * difference;
      square += sample_weight * difference * (value - mean);
    }

    /// The same by two samples at the ends of an interval.
    void
    update_by_interval(double      &mean,
                       double      &square,
                       const double weight_before,
                       const double interval,
                       const double first,
                       const double second)
    {
      if (!(interval > 0.))
        return;
      const double half = 0.5 * interval;
      update(mean, square, weight_before + half, half, first);
      update(mean, square, weight_before + interval, half, second);
    }
  } // namespace


  template <int dim>
  void
  QuantityMoments<dim>::add(const double interval, const SolutionVector &solution)
  {
    const bool is_first = is_empty();
    last.resize(means.size());
    parallel_for(space.cells.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t cell = begin; cell < end; ++cell)
        {
          std::size_t i = cell * n_values_of_cell();
          for (const double value : space.evaluate(space.cells[cell], shape, solution))
            {
              if (is_first)
                means[i] = value;
              else
                update_by_interval(means[i], squares[i], weight, interval, last[i], value);
              last[i++] = value;
            }
        }
    });
    if (!is_first)
      weight += interval;
  }


  template <int dim>
  void
  QuantityMoments<dim>::evaluate(const unsigned int        cell,
                                 const double              interval,
                                 const SolutionVector     &solution,
                                 dealii::Table<2, double> &values) const
  {
    const std::size_t n_quantities = space.quantities.size();
    const double      total        = weight + interval;
    const auto        present      = space.evaluate(space.cells[cell], shape, solution);
    for (unsigned int point = 0; point < values.size(0); ++point)
      for (unsigned int q = 0; q < n_quantities; ++q)
        {
          const std::size_t of_cell = point * n_quantities + q,
                            i       = cell * n_values_of_cell() + of_cell;
          double mean = means[i], square = squares[i];
          update_by_interval(mean, square, weight, interval, last[i], present[of_cell]);
          values(point, q)                = mean;
          values(point, n_quantities + q) = total > 0. ? std::sqrt(square / total) : 0.;
        }
  }


  void
  AverageParameters::add_parameters(dealii::ParameterHandler &prm)
  {
    using dealii::Patterns::Double;
    prm.enter_subsection("Average");
    add_choice(prm,
               "Kind",
               kind,
               {{"none", Kind::none}, {"mean", Kind::mean}, {"mean and rms", Kind::mean_and_rms}},
               "Over time, to ..._average.pvd with the pictures. mean: of the conserved "
               "variables, on the device; other quantities are those of the mean state. mean and "
               "rms: of all quantities, and of their fluctuations, on the host.");
    prm.add_parameter("Interval",
                      interval,
                      "Steps between samples, which are weighted by the trapezoidal rule." +
                        used_with("Average/Kind other than none"),
                      dealii::Patterns::Integer(1));
    prm.add_parameter("From time",
                      from,
                      "Begin of the average; a step ends there." +
                        used_with("Average/Kind other than none"),
                      Double(0.));
    prm.leave_subsection();
  }


  template <int dim, typename VectorType>
  TimeAverages<dim, VectorType>::TimeAverages(const AverageParameters        &parameters,
                                              const SolutionSpace<dim>       &space,
                                              const std::string              &directory,
                                              const std::string              &name,
                                              ShownSolution<dim, VectorType> &solution,
                                              const OpenFiles                &files)
    : parameters(parameters)
    , space(space)
    , solution(solution)
  {
    if (parameters.kind == AverageParameters::Kind::none)
      return;
    writer.emplace(space.mapping,
                   space.dof_handler.get_triangulation(),
                   space.degree(),
                   prefixed(space.quantities.names, on_host()),
                   directory,
                   name + "_average",
                   files);
    if (on_host())
      moments.emplace(space, writer->unit_points());
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::continue_from(const Checkpoint          &checkpoint,
                                               const std::vector<double> &times)
  {
    if (!writer)
      return;
    std::set<unsigned int> own;
    for (const double number : checkpoint.get_array<double>("average pictures"))
      if (number < times.size()) // what was not due is written anew
        own.insert(static_cast<unsigned int>(number));
    writer->continue_from(times, own);
  }


  template <int dim, typename VectorType>
  double
  TimeAverages<dim, VectorType>::next_begin(const double time) const
  {
    return writer && !is_reached(parameters.from, time) ? parameters.from
                                                        : std::numeric_limits<double>::infinity();
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::sample_if_due(
    const long                                     step,
    const double                                   time,
    const std::function<const SolutionVector &()> &present)
  {
    if (!writer || !is_reached(parameters.from, time) ||
        (!is_empty() && step % parameters.interval != 0))
      return;
    if (on_host())
      moments->add(time - last_time, present());
    else
      mean.add(time - last_time, solution.coefficients());
    last_time = time;
  }


  template <int dim, typename VectorType>
  std::optional<double>
  TimeAverages<dim, VectorType>::averaged_time(const double time) const
  {
    if (is_empty())
      return {};
    return (on_host() ? moments->weight : mean.weight) + std::max(0., time - last_time);
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::write(const double time, const SolutionVector &present)
  {
    if (!writer)
      return;
    if (is_empty())
      return writer->skip();
    const double interval = std::max(0., time - last_time);
    if (on_host())
      {
        writer->write(time, [&]() {
          return [&](const unsigned int cell, const auto & /*points*/, auto &values) {
            moments->evaluate(cell, interval, present, values);
          };
        });
        return;
      }
    VectorMean<VectorType> to_present = mean;
    to_present.add(interval, solution.coefficients());
    const SolutionVector state = solution_vector(space.dof_handler, solution, to_present.mean);
    const auto           shape = space.shape_values(writer->unit_points());
    writer->write(time, [&]() {
      return [&](const unsigned int cell, const auto & /*points*/, auto &values) {
        const auto quantities = space.evaluate(space.cells[cell], shape, state);
        std::copy_n(quantities.begin(), values.n_elements(), &values(0, 0));
      };
    });
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::note(Checkpoint &checkpoint) const
  {
    if (!writer)
      return;
    const std::set<unsigned int> numbers = writer->numbers();
    const std::vector<double>    list(numbers.begin(), numbers.end());
    checkpoint.set_array("average pictures", list.data(), list.size());
    if (is_empty())
      return;
    checkpoint.set("average time", last_time);
    checkpoint.set("average weight", on_host() ? moments->weight : mean.weight);
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::save(Checkpoint &checkpoint, const ElementBlocks &elements) const
  {
    note(checkpoint);
    if (is_empty())
      return;
    if (on_host())
      {
        const ElementBlocks cells(cell_numbers(space.cells), space.communicator());
        const std::size_t   n = moments->n_values_of_cell();
        checkpoint.set_by_element("average means", cells, moments->means, n);
        checkpoint.set_by_element("average squares", cells, moments->squares, n);
        checkpoint.set_by_element("average last", cells, moments->last, n);
      }
    else
      {
        solution.save_coefficients(checkpoint, "average means", elements, mean.mean);
        solution.save_coefficients(checkpoint, "average last", elements, mean.last);
      }
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::restore(const Checkpoint    &checkpoint,
                                         const ElementBlocks &elements)
  {
    if (!writer || !checkpoint.has("average weight"))
      return;
    last_time = checkpoint.get_double("average time", -std::numeric_limits<double>::max());
    const double weight = checkpoint.get_double("average weight", 0.);
    if (on_host())
      {
        const ElementBlocks cells(cell_numbers(space.cells), space.communicator());
        const std::size_t   n = moments->n_values_of_cell();
        moments->weight       = weight;
        moments->means        = checkpoint.get_by_element("average means", cells, n);
        moments->squares      = checkpoint.get_by_element("average squares", cells, n);
        moments->last         = checkpoint.get_by_element("average last", cells, n);
      }
    else
      {
        mean.restore(weight, solution.coefficients());
        if (checkpoint.has("average means"))
          {
            solution.load_coefficients(checkpoint, "average means", elements, mean.mean);
            solution.load_coefficients(checkpoint, "average last", elements, mean.last);
          }
      }
  }


  template class QuantityMoments<2>;
  template class QuantityMoments<3>;
  template class TimeAverages<2, Vector<double>>;
  template class TimeAverages<3, Vector<double>>;
  template class TimeAverages<2, Vector<float>>;
  template class TimeAverages<3, Vector<float>>;
  template class TimeAverages<2, BlockVector<double>>;
  template class TimeAverages<2, BlockVector<float>>;
} // namespace Saltus
