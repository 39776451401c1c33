// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_p_multigrid_templates_h
#define saltus_solvers_multigrid_p_multigrid_templates_h

#include <deal.II/base/exceptions.h>

#include <saltus/base/device/stopwatch.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <iomanip>
#include <sstream>

namespace Saltus
{
  template <typename Operator>
  template <typename OuterOperator>
  void
  PMultigrid<Operator>::initialize(const OuterOperator &A, const AdditionalData &additional_data)
  {
    using OuterShapes   = OnShapes<VectorOf<OuterOperator>>;
    const Device device = OuterShapes::device(A);
    Stopwatch    watch(device);
    data = additional_data;
    levels.clear();
    graph.clear();
    is_recordable = exchanges_on_device(OuterShapes::partition(A), device) && device.is_cuda() &&
                    additional_data.algebraic.cycle == AlgebraicMultigrid<Number>::Cycle::V;
    for (unsigned int degree = A.degree(); degree > 0; degree /= 2)
      {
        auto level = std::make_unique<Level>();
        if (levels.empty())
          {
            level->matrix.reinit(A, degree);
            lines = Shapes::lines(level->matrix);
          }
        else
          {
            Level &finer = *levels.back();
            level->matrix.reinit(finer.matrix, degree);
            finer.to_coarser = Shapes::transfer(finer.matrix, level->matrix);
          }
        level->matrix.initialize_vector(level->b);
        level->matrix.initialize_vector(level->x);
        if (!is_algebraic(*level))
          {
            level->matrix.initialize_vector(level->residual);
            level->smoother.initialize(level->matrix, data.smoother_degree, lines);
          }
        levels.push_back(std::move(level));
      }
    seconds.levels = watch.lap();
    set_up_coarse();
    if (is_recordable)
      {
        // Whatever is set up in a first cycle cannot be recorded.
        cycle(first_recorded(), Untimed());
        record();
      }
  }

  template <typename Operator>
  void
  PMultigrid<Operator>::set_up_coarse()
  {
    const Level &coarsest   = *levels.back();
    const Device device     = coarsest.b.device();
    data.algebraic.singular = coarsest.matrix.is_singular();
    Stopwatch watch(device);
    const auto [matrix, embedding] =
      Shapes::coarse_problem(coarsest.matrix,
                             coarsest.b,
                             data.coarse_space == CoarseSpace::continuous,
                             data.algebraic.aggregation);
    seconds.coarse_matrix = watch.lap();
    algebraic.initialize(
      Shapes::partition(coarsest.matrix), matrix, data.algebraic, device, embedding);
    seconds.algebraic = watch.lap();
  }

  template <typename Operator>
  const typename PMultigrid<Operator>::Level &
  PMultigrid<Operator>::finest_level() const
  {
    AssertThrow(!levels.empty(),
                dealii::ExcMessage("p-multigrid is not set up: call initialize() first."));
    return *levels.front();
  }

  template <typename Operator>
  template <typename OuterVector>
  void
  PMultigrid<Operator>::vmult(OuterVector &dst, const OuterVector &src) const
  {
    const Level &finest = finest_level();
    check_same_layout(src, finest.b, "p-multigrid");
    finest.b.convert_from(src);
    finest.b.device().make_current();
    if (first_recorded() == 0)
      replay();
    else
      visit(0, Untimed(), [&]() { replay(); });
    if (finest.matrix.is_singular())
      finest.matrix.remove_null_space(finest.x);
    dst.convert_from(finest.x);
  }

  template <typename Operator>
  unsigned int
  PMultigrid<Operator>::first_recorded() const
  {
    // On several GPUs the host needs long to launch a graph, with its messages beside elements: it
    // does so while the device smooths the finest level.
    const bool is_spread = Shapes::partition(levels.front()->matrix) != nullptr;
    return is_spread && levels.size() > 1 ? 1 : 0;
  }

  template <typename Operator>
  void
  PMultigrid<Operator>::record() const
  {
    levels.front()->b.device().make_current();
    try
      {
        graph.record([&]() { cycle(first_recorded(), Untimed()); });
      }
    catch (const std::runtime_error &)
      {
        is_recordable = false; // an operator that allocates or waits
      }
  }

  template <typename Operator>
  void
  PMultigrid<Operator>::replay() const
  {
    if (is_recordable && !graph.recorded())
      record();
    if (graph.recorded())
      graph.launch();
    else
      cycle(first_recorded(), Untimed());
  }

  template <typename Operator>
  template <typename Done>
  void
  PMultigrid<Operator>::cycle(const unsigned int l, const Done &done) const
  {
    visit(l, done, [&]() { cycle(l + 1, done); });
  }

  template <typename Operator>
  template <typename Done, typename Below>
  void
  PMultigrid<Operator>::visit(const unsigned int l, const Done &done, const Below &below) const
  {
    const Level &level = *levels[l];
    if (is_algebraic(level))
      {
        algebraic.vmult(level.x, level.b);
        done(l, Part::algebraic);
        return;
      }
    level.smoother.smooth(level.x, level.b, true);
    done(l, Part::smoother);
    level.matrix.compute_residual(level.residual, level.x, level.b);
    if (l + 1 == levels.size())
      {
        done(l, Part::transfer);
        algebraic.vmult_add(level.x, level.residual);
        done(l, Part::algebraic);
      }
    else
      {
        const Level &coarse = *levels[l + 1];
        level.to_coarser.project(coarse.b, level.residual);
        done(l, Part::transfer);
        below();
        level.to_coarser.add_embedded(level.x, coarse.x);
        done(l, Part::transfer);
      }
    level.smoother.smooth(level.x, level.b, false);
    done(l, Part::smoother);
  }

  template <typename Operator>
  std::vector<typename PMultigrid<Operator>::PartTime>
  PMultigrid<Operator>::time_parts() const
  {
    std::vector<PartTime> times;
    for (const auto &level : levels)
      {
        const std::string name = "degree " + std::to_string(level->matrix.degree());
        times.emplace_back(name + ", smoother", 0.);
        times.emplace_back(name + ", transfer", 0.);
      }
    times.emplace_back("algebraic levels", 0.);
    Stopwatch watch(finest_level().b.device());
    watch.lap();
    cycle(0, [&](const unsigned int l, const Part part) {
      times[part == Part::algebraic ? 2 * levels.size() : 2 * l + (part == Part::transfer)]
        .second += watch.lap();
    });
    graph.clear();
    times.emplace_back("the coarsest of them", algebraic.time_coarsest());
    return times;
  }

  template <typename Operator>
  std::size_t
  PMultigrid<Operator>::Level::memory_consumption() const
  {
    return matrix.memory_consumption() + smoother.memory_consumption() +
           (b.data_size() + x.data_size() + residual.data_size()) * sizeof(Number) +
           to_coarser.memory_consumption();
  }

  template <typename Operator>
  std::size_t
  PMultigrid<Operator>::memory_consumption() const
  {
    std::size_t sum = algebraic.memory_consumption();
    for (const auto &level : levels)
      sum += level->memory_consumption();
    return sum;
  }

  template <typename Operator>
  double
  PMultigrid<Operator>::memory_per_element() const
  {
    return double(memory_consumption()) / finest_level().b.n_elements();
  }

  template <typename Operator>
  void
  PMultigrid<Operator>::print(std::ostream &stream) const
  {
    const double       n_elements = finest_level().b.n_elements();
    std::ostringstream text;
    text << std::fixed << std::setprecision(0);
    for (const auto &level : levels)
      text << "  degree " << level->matrix.degree() << ": " << level->matrix.m() << " unknowns, "
           << level->memory_consumption() / n_elements << " bytes an element\n";
    if (const auto [n_lines, n_in_lines] = Shapes::line_sizes(lines); n_lines > 0)
      text << "  smoothed along lines: " << n_lines << " with " << n_in_lines << " of "
           << n_elements << " elements\n";
    const char *where = algebraic.is_spread() ? ", on all ranks" : "";
    for (const auto &size : algebraic.level_sizes())
      {
        text << "  algebraic: " << size.n_rows << " unknowns, " << size.n_nonzeros << " entries"
             << where << '\n';
        where = "";
      }
    text << "  algebraic levels: " << algebraic.memory_consumption() / n_elements
         << " bytes an element; in all " << memory_per_element() << " bytes an element\n";
    stream << text.str();
  }
} // namespace Saltus

#endif
