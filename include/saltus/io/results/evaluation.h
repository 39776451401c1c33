// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_evaluation_h
#define saltus_io_results_evaluation_h

#include <saltus/io/files/open_files.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/results/evaluation_parameters.h>
#include <saltus/io/results/surface_writer.h>

#include <memory>
#include <optional>

namespace Saltus
{
  /// With what the files of a run that was stopped are to be continued.
  struct EvaluationRestart
  {
    const Checkpoint   &checkpoint; ///< with what Evaluation::save() notes
    std::vector<double> pictures;   ///< times of all of them
    /// Whether all that is asked for was there on the mesh before this one, and all files are open.
    /// Points are then searched when they are needed: a mesh that is adapted often has rows of few
    /// of them.
    bool is_checked = false;
  };


  /// Looks at solutions during a run as the section `Evaluation` asks for it and writes what it
  /// sees: tables as CSV files, `OUTPUT_forces.csv`, `_fluxes`, `_points`, `_integrals` and
  /// `_extrema` with each call of write_rows(), `_line_0`, ... and `_wall_pressure` with each
  /// picture, where the first column is the time; and parts of the boundary as pictures,
  /// `OUTPUT_surface.pvd`.
  ///
  /// A restart continues the files of its run, as far as they evaluate the same; others that lie
  /// there are kept elsewhere, see TimeSeries and VtuSeries.
  ///
  /// All is computed on the host, by all ranks together, on deal.II's threads where it concerns the
  /// whole domain.
  template <int dim>
  class Evaluation
  {
  public:
    /// Searches elements, but see EvaluationRestart::is_checked, and opens the files.
    /// @param space is not copied
    /// @param name of the files, without directory
    /// @param files that are open, if the mesh is an adapted one
    /// @throws dealii::ExcMessage for points outside the mesh, ids that it does not have,
    /// quantities that the equation does not have and files that cannot be written
    Evaluation(const EvaluationRequests<dim>          &requests,
               const SolutionSpace<dim>               &space,
               const std::string                      &directory,
               const std::string                      &name,
               const std::optional<EvaluationRestart> &restart = {},
               const OpenFiles                        &files   = OpenFiles());

    /// Whether all that is asked for is there, without files.
    /// @throws dealii::ExcMessage as the constructor does
    static void
    check(const EvaluationRequests<dim> &requests, const SolutionSpace<dim> &space);

    /// Whether there is anything to write with the rows, or with the pictures.
    bool
    has_rows() const
    {
      return !row_tables.empty();
    }

    bool
    has_pictures() const
    {
      return !picture_tables.empty() || surface;
    }

    /// @param is_due whether a restart is to keep them
    void
    write_rows(const double time, const SolutionVector &solution, const bool is_due = true);

    void
    write_pictures(const double time, const SolutionVector &solution, const bool is_due = true);

    /// What a restart needs. Collective.
    void
    save(Checkpoint &checkpoint) const;

    /// The last rows of the tables that have_rows() is about, by their names, see
    /// TimeSeries::last(); null if there are none.
    Json
    last_rows() const;

  private:
    using Table = std::unique_ptr<const ResultTable<dim>>;

    /// Makes what is to be seen, one after the other.
    /// @param at_once whether points are searched here
    /// @param add called as `add(whether it comes with the rows, ending of the file, table)`
    template <typename Add>
    static void
    make_tables(const EvaluationRequests<dim> &requests,
                const SolutionSpace<dim>      &space,
                const bool                     at_once,
                const Add                     &add);

    struct File
    {
      std::string                 ending;
      Table                       table;
      std::shared_ptr<TimeSeries> series;
    };

    static void
    write(std::vector<File>    &files,
          const double          time,
          const SolutionVector &solution,
          const bool            is_due);

    const SolutionSpace<dim>         &space;
    std::vector<File>                 row_tables, picture_tables;
    std::optional<SurfaceWriter<dim>> surface;
  };
} // namespace Saltus

#endif
