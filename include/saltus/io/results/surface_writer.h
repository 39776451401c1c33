// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_surface_writer_h
#define saltus_io_results_surface_writer_h

#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/open_files.h>
#include <saltus/io/files/subdivision.h>
#include <saltus/io/results/boundary_forces.h>

#include <optional>

namespace Saltus
{
  /// Writes series of VTU files of parts of the boundary with all quantities and, where there is a
  /// pressure, its coefficient `pressure_coefficient`. Each face is cut as SolutionWriter cuts
  /// cells.
  template <int dim>
  class SurfaceWriter
  {
  public:
    /// @param subdivisions of an edge
    /// @param files where the series is open, if the mesh is an adapted one
    /// @throws dealii::ExcMessage naming @p entry for ids that the mesh does not have
    SurfaceWriter(const SolutionSpace<dim>                   &space,
                  const std::set<dealii::types::boundary_id> &ids,
                  const ReferenceState<dim>                  &reference,
                  const unsigned int                          subdivisions,
                  const std::string                          &directory,
                  const std::string                          &name,
                  const std::string                          &entry,
                  const OpenFiles                            &files = OpenFiles());

    /// Note in a checkpoint which pictures there are, and of what.
    void
    save(Checkpoint &checkpoint) const;

    /// Continue the series on disk with those that @p checkpoint notes, see VtuSeries.
    /// @param times of all pictures of the run
    void
    continue_from(const Checkpoint &checkpoint, const std::vector<double> &times);

    void
    write(const double time, const SolutionVector &solution);

  private:
    const SolutionSpace<dim>                  &space;
    const std::set<dealii::types::boundary_id> ids;
    const ReferenceState<dim>                  reference;
    const std::optional<unsigned int>          pressure;
    const std::vector<SurfaceFace<dim>>        faces;
    const ShownSimplex<dim - 1>                shown;
    const std::vector<std::string>             names;
    const std::shared_ptr<VtuSeries>           series;
  };
} // namespace Saltus

#endif
