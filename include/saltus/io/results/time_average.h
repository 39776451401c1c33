// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_time_average_h
#define saltus_io_results_time_average_h

#include <deal.II/base/parameter_handler.h>

#include <saltus/base/algebra/block_vector.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/io/results/shown_solution.h>

#include <functional>
#include <optional>
#include <vector>

/// Averages over time by the trapezoidal rule, of samples at times \f$ t_0 < t_1 < \dots \f$: half
/// of the interval between two samples is the weight of each.
namespace Saltus
{
  /// Mean \f$ \bar u = \sum_k (t_k - t_{k-1}) (u_{k-1} + u_k) / (2 \sum_k (t_k - t_{k-1})) \f$ of
  /// vectors of coefficients, on their device. A sample costs two passes over the data (they read
  /// two vectors and write one), a copy, and no transfer.
  template <typename VectorType>
  class VectorMean
  {
  public:
    /// @param interval since the last sample; that of the first one is ignored
    void
    add(const double interval, const VectorType &u)
    {
      if (is_empty())
        mean = u;
      else if (interval > 0.)
        {
          weight += interval;
          const double share = interval / weight;
          mean.sadd(1. - share, 0.5 * share, last);
          mean.add(0.5 * share, u);
        }
      last  = u;
      empty = false;
    }

    bool
    is_empty() const
    {
      return empty;
    }

    /// Continue from samples whose mean() and last_sample() are still to be set.
    /// @param u of their size
    void
    restore(const double weight_of_samples, const VectorType &u)
    {
      weight = weight_of_samples;
      mean = last = u;
      empty       = false;
    }

    double     weight = 0.; ///< time from the first sample to the last one
    VectorType mean, last;  ///< the last sample

  private:
    bool empty = true;
  };


  /// Mean \f$ \bar q \f$ and root mean square of the fluctuation \f$ q - \bar q \f$ of each
  /// quantity at the points of the pictures, updated sample by sample in the form that does not
  /// cancel (D. H. D. West, Comm. ACM 22, 1979).
  ///
  /// A sample needs the solution on the host and costs an evaluation of all quantities, about as
  /// much as a picture that is not written; memory: three numbers a quantity and point.
  template <int dim>
  class QuantityMoments
  {
  public:
    /// @param unit_points those of the SolutionWriter that is to draw them
    QuantityMoments(const SolutionSpace<dim> &space, const PointsByShape<dim> &unit_points);

    /// @param interval since the last sample; that of the first one is ignored
    void
    add(const double interval, const SolutionVector &solution);

    bool
    is_empty() const
    {
      return last.empty();
    }

    /// For SolutionWriter::write(): the means of all quantities, then the roots, after a further
    /// sample that is not kept.
    void
    evaluate(const unsigned int        cell,
             const double              interval,
             const SolutionVector     &solution,
             dealii::Table<2, double> &values) const;

    std::size_t
    n_values_of_cell() const
    {
      return n_points * space.quantities.size();
    }

    double weight = 0.; ///< time from the first sample to the last one

    /// `[cell][point][quantity]`: means, sums of weighted squares of the fluctuations, and the last
    /// sample, empty without one.
    std::vector<double> means, squares, last;

  private:
    const SolutionSpace<dim>               &space;
    const std::size_t                       n_points; ///< of a cell, at most
    const ByShape<dealii::Table<2, double>> shape;
  };


  /// What is averaged over time: the section `Average`.
  struct AverageParameters
  {
    enum class Kind
    {
      none,
      mean,
      mean_and_rms
    };

    void
    add_parameters(dealii::ParameterHandler &prm);

    /// Steps from one sample to the next; 0: none are taken.
    long
    sampling_interval() const
    {
      return kind == Kind::none ? 0 : interval;
    }

    /// Or else of coefficients, if at all.
    bool
    is_at_points() const
    {
      return kind == Kind::mean_and_rms;
    }

    Kind   kind     = Kind::none;
    long   interval = 10; ///< steps between samples
    double from     = 0.; ///< simulated time
  };


  /// The averages of a run, from the samples to the series of pictures `NAME_average.pvd` and
  /// through checkpoints.
  template <int dim, typename VectorType>
  class TimeAverages
  {
  public:
    /// @param space that of @p solution; neither is copied
    /// @param name of the run's files, without directory
    /// @param files where the series is open, if the mesh is an adapted one
    TimeAverages(const AverageParameters        &parameters,
                 const SolutionSpace<dim>       &space,
                 const std::string              &directory,
                 const std::string              &name,
                 ShownSolution<dim, VectorType> &solution,
                 const OpenFiles                &files);

    /// Continue the series of pictures on disk, see VtuSeries.
    /// @param times of the pictures of the solution, of the same numbers
    void
    continue_from(const Checkpoint &checkpoint, const std::vector<double> &times);

    /// When samples begin, so that a step ends there; infinity if that is not after @p time.
    double
    next_begin(const double time) const;

    /// Take the sample that is due after step number @p step, if one is: the first one at the time
    /// `From time`.
    /// @param present gives the solution on the host, if that is where samples are taken
    void
    sample_if_due(const long                                     step,
                  const double                                   time,
                  const std::function<const SolutionVector &()> &present);

    /// Write the next picture if there is a sample, else skip its number. The average extends to
    /// the @p present solution, which is no sample by that: a restart finds the same ones.
    void
    write(const double time, const SolutionVector &present);

    /// Time from the first sample to @p time; nothing without samples.
    std::optional<double>
    averaged_time(const double time) const;

    /// Into a checkpoint and back, bit by bit. Collective.
    /// @param elements in the order of the vectors
    void
    save(Checkpoint &checkpoint, const ElementBlocks &elements) const;

    /// The same without what belongs to the elements, for averages that go on on an adapted mesh:
    /// vectors() there are still to be set.
    void
    note(Checkpoint &checkpoint) const;

    void
    restore(const Checkpoint &checkpoint, const ElementBlocks &elements);

    /// Vectors of coefficients that go on on an adapted mesh; none without a sample.
    std::vector<VectorType *>
    vectors()
    {
      if (mean.is_empty())
        return {};
      return {&mean.mean, &mean.last};
    }

  private:
    bool
    on_host() const
    {
      return parameters.is_at_points();
    }

    bool
    is_empty() const
    {
      return on_host() ? !moments || moments->is_empty() : mean.is_empty();
    }

    const AverageParameters             parameters;
    const SolutionSpace<dim>           &space;
    ShownSolution<dim, VectorType>     &solution;
    double                              last_time = 0.; ///< of the last sample
    VectorMean<VectorType>              mean;           ///< used on the device,
    std::optional<QuantityMoments<dim>> moments;        ///< or this on the host
    std::optional<SolutionWriter<dim>>  writer;
  };
} // namespace Saltus

#endif
