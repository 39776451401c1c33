// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/io/results/time_average.h>

#include <algorithm>
#include <cmath>

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


  template <int dim>
  void
  QuantityMoments<dim>::add(const double sample_weight, const SolutionVector &solution)
  {
    weight += sample_weight;
    parallel_for(space.cells.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t cell = begin; cell < end; ++cell)
        {
          std::size_t i = cell * n_points * space.quantities.size();
          for (const double value : space.evaluate(space.cells[cell], shape, solution))
            {
              const double difference = value - means[i];
              means[i] += sample_weight / weight * difference;
              squares[i] += sample_weight * difference * (value - means[i]);
              ++i;
            }
        }
    });
  }


  template <int dim>
  void
  QuantityMoments<dim>::evaluate(const unsigned int cell, dealii::Table<2, double> &values) const
  {
    const std::size_t n_quantities = space.quantities.size();
    for (unsigned int point = 0; point < values.size(0); ++point)
      for (unsigned int q = 0; q < n_quantities; ++q)
        {
          const std::size_t i             = (cell * n_points + point) * n_quantities + q;
          values(point, q)                = means[i];
          values(point, n_quantities + q) = weight > 0. ? std::sqrt(squares[i] / weight) : 0.;
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
                      "Steps between samples; each has the time since the last one as weight.",
                      dealii::Patterns::Integer(1));
    prm.add_parameter("From time", from, "Samples before do not count.", Double(0.));
    prm.leave_subsection();
  }


  template <int dim, typename VectorType>
  TimeAverages<dim, VectorType>::TimeAverages(const AverageParameters        &parameters,
                                              const SolutionSpace<dim>       &space,
                                              const std::string              &directory,
                                              const std::string              &name,
                                              const double                    time,
                                              ShownSolution<dim, VectorType> &solution,
                                              const OpenFiles                &files)
    : parameters(parameters)
    , space(space)
    , solution(solution)
    , previous(time)
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
  TimeAverages<dim, VectorType>::sample_if_due(
    const long                                     step,
    const double                                   time,
    const std::function<const SolutionVector &()> &present)
  {
    const long interval = parameters.sampling_interval();
    if (interval == 0 || step % interval != 0)
      return;
    const double sample_weight = time - previous;
    if (is_reached(parameters.from, previous) && sample_weight > 0.)
      {
        if (on_host())
          moments->add(sample_weight, present());
        else
          mean.add(sample_weight, solution.coefficients());
      }
    previous = time;
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::write(const double time, const SolutionVector &present)
  {
    if (!writer)
      return;
    if (on_host() && moments->weight > 0.)
      {
        writer->write(time, [&]() {
          return [&](const unsigned int cell, const auto & /*points*/, auto &values) {
            moments->evaluate(cell, values);
          };
        });
        return;
      }
    const SolutionVector state = mean.weight > 0. ? solution.to_host(mean.mean) : present;
    const auto           shape = space.shape_values(writer->unit_points());
    writer->write(time, [&]() {
      return [&](const unsigned int cell, const auto & /*points*/, auto &values) {
        const std::size_t n          = space.quantities.size();
        const auto        quantities = space.evaluate(space.cells[cell], shape, state);
        for (unsigned int point = 0; point < values.size(0); ++point)
          for (unsigned int q = 0; q < values.size(1); ++q)
            values(point, q) = q < n ? quantities[point * n + q] : 0.;
      };
    });
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::note(Checkpoint &checkpoint) const
  {
    if (!writer)
      return;
    checkpoint.set("average time", previous);
    checkpoint.set("average weight", on_host() ? moments->weight : mean.weight);
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::save(Checkpoint &checkpoint, const ElementBlocks &elements) const
  {
    if (!writer)
      return;
    note(checkpoint);
    if (on_host())
      {
        const ElementBlocks cells(cell_numbers(space.cells), space.communicator());
        const std::size_t   n = moments->n_values_of_cell();
        checkpoint.set_by_element("average means", cells, moments->means, n);
        checkpoint.set_by_element("average squares", cells, moments->squares, n);
      }
    else if (mean.weight > 0.)
      set_vector(checkpoint, "average means", elements, mean.mean);
  }


  template <int dim, typename VectorType>
  void
  TimeAverages<dim, VectorType>::restore(const Checkpoint    &checkpoint,
                                         const ElementBlocks &elements)
  {
    if (!writer)
      return;
    previous            = checkpoint.get_double("average time");
    const double weight = checkpoint.get_double("average weight");
    if (on_host())
      {
        const ElementBlocks cells(cell_numbers(space.cells), space.communicator());
        const std::size_t   n = moments->n_values_of_cell();
        moments->weight       = weight;
        moments->means        = checkpoint.get_by_element("average means", cells, n);
        moments->squares      = checkpoint.get_by_element("average squares", cells, n);
      }
    else if (weight > 0.)
      {
        mean.weight = weight;
        mean.mean   = solution.coefficients(); // a vector of the right shape
        if (checkpoint.has("average means"))
          get_vector(checkpoint, "average means", elements, mean.mean);
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
