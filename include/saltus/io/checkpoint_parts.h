// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_checkpoint_parts_h
#define saltus_io_checkpoint_parts_h

#include <deal.II/dofs/dof_handler.h>

#include <saltus/base/time_state.h>
#include <saltus/io/checkpoint.h>
#include <saltus/io/parameters.h>

#include <string>
#include <vector>

/// Parts of a checkpoint that several programs share.
namespace Saltus
{
  /// Note what the coefficients in a checkpoint belong to: the equation, the finite element, the
  /// vertices of all cells and the ids of their boundary faces.
  template <int dim>
  void
  set_discretization(Checkpoint                    &checkpoint,
                     const std::string             &equation,
                     const dealii::DoFHandler<dim> &dof_handler);

  /// @throws dealii::ExcMessage if @p checkpoint was not written with the same equation, element
  /// and mesh
  /// @param file for messages
  template <int dim>
  void
  check_discretization(const Checkpoint              &checkpoint,
                       const std::string             &file,
                       const std::string             &equation,
                       const dealii::DoFHandler<dim> &dof_handler);

  /// Note the values of all entries but `Checkpoint/Restart`.
  void
  set_parameters(Checkpoint &checkpoint, const std::vector<ParameterEntry> &entries);

  /// Compare the entries of this run with those in @p checkpoint; an entry that stands in one of
  /// the two only has its default value, or none, in the other. Blanks, and the spelling of
  /// numbers, make no difference.
  /// @param file for messages
  /// @param may_differ entries, and sections as `Section/`, that do not change what was computed so
  /// far nor the way in which the run goes on
  /// @return what differs of these, a line each: entry, value in the checkpoint, value now
  /// @throws dealii::ExcMessage with all others that differ
  std::vector<std::string>
  check_parameters(const Checkpoint                  &checkpoint,
                   const std::string                 &file,
                   const std::vector<ParameterEntry> &entries,
                   const std::vector<std::string>    &may_differ);

  /// Time, step size and number of steps.
  void
  set_time_state(Checkpoint &checkpoint, const TimeState &state);

  /// Restore them in @p state, whose other members stay.
  void
  get_time_state(const Checkpoint &checkpoint, TimeState &state);
} // namespace Saltus

#endif
