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

/// Averages over time of what is seen at samples \f$ k \f$, each with the weight \f$ w_k = t_k -
/// t_{k-1} \f$: with a sample a step, the length of the step.
namespace Saltus
{
  /// Mean of vectors of coefficients, \f$ \bar u = \sum_k w_k u_k / \sum_k w_k \f$, on their
  /// device. A sample costs one pass over the data (it reads two vectors and writes one) and no
  /// transfer.
  template <typename VectorType>
  class VectorMean
  {
  public:
    void
    add(const double sample_weight, const VectorType &u)
    {
      weight += sample_weight;
      if (weight == sample_weight)
        mean = u;
      else
        mean.sadd(1. - sample_weight / weight, sample_weight / weight, u);
    }

    double     weight = 0.; ///< sum of the weights; there is a mean if it is not 0
    VectorType mean;
  };


  /// Mean \f$ \bar q = \sum_k w_k q_k / W \f$ and root mean square of the fluctuation, \f$
  /// (\sum_k w_k (q_k - \bar q)^2 / W)^{1/2} \f$ with \f$ W = \sum_k w_k \f$, of each quantity at
  /// the points of the pictures, updated sample by sample in the form that does not cancel (D. H.
  /// D. West, Comm. ACM 22, 1979).
  ///
  /// A sample needs the solution on the host and costs an evaluation of all quantities, about as
  /// much as a picture that is not written; memory: two numbers a quantity and point.
  template <int dim>
  class QuantityMoments
  {
  public:
    /// @param unit_points those of the SolutionWriter that is to draw them
    QuantityMoments(const SolutionSpace<dim> &space, const PointsByShape<dim> &unit_points);

    void
    add(const double sample_weight, const SolutionVector &solution);

    /// For SolutionWriter::write(): the means of all quantities, then the roots.
    void
    evaluate(const unsigned int cell, dealii::Table<2, double> &values) const;

    std::size_t
    n_values_of_cell() const
    {
      return n_points * space.quantities.size();
    }

    double weight = 0.; ///< sum of the weights

    /// `[cell][point][quantity]`: means, and sums of weighted squares of the fluctuations.
    std::vector<double> means, squares;

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
    /// @param time at which the run begins
    /// @param files where the series is open, if the mesh is an adapted one
    TimeAverages(const AverageParameters        &parameters,
                 const SolutionSpace<dim>       &space,
                 const std::string              &directory,
                 const std::string              &name,
                 const double                    time,
                 ShownSolution<dim, VectorType> &solution,
                 const OpenFiles                &files);

    /// Continue the series of pictures on disk, see SolutionWriter.
    void
    continue_from(const std::vector<double> &times)
    {
      if (writer)
        writer->continue_from(times);
    }

    /// Take the sample that is due after step number @p step, if one is.
    /// @param present gives the solution on the host, if that is where samples are taken
    void
    sample_if_due(const long                                     step,
                  const double                                   time,
                  const std::function<const SolutionVector &()> &present);

    /// Write the next picture: before the first sample the @p present solution, without
    /// fluctuations.
    void
    write(const double time, const SolutionVector &present);

    /// Into a checkpoint and back, bit by bit. Collective.
    /// @param elements in the order of the vectors
    void
    save(Checkpoint &checkpoint, const ElementBlocks &elements) const;

    /// The same without what belongs to the elements, for averages that go on on an adapted mesh:
    /// means() there are still to be set.
    void
    note(Checkpoint &checkpoint) const;

    void
    restore(const Checkpoint &checkpoint, const ElementBlocks &elements);

    /// Of the coefficients, the samples so far; nullptr: there are none.
    VectorType *
    means()
    {
      return mean.weight > 0. ? &mean.mean : nullptr;
    }

  private:
    bool
    on_host() const
    {
      return parameters.is_at_points();
    }

    const AverageParameters             parameters;
    const SolutionSpace<dim>           &space;
    ShownSolution<dim, VectorType>     &solution;
    double                              previous; ///< time of the last sample
    VectorMean<VectorType>              mean;     ///< used on the device,
    std::optional<QuantityMoments<dim>> moments;  ///< or this on the host
    std::optional<SolutionWriter<dim>>  writer;
  };
} // namespace Saltus

#endif
