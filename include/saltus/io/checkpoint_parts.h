// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_checkpoint_parts_h
#define saltus_io_checkpoint_parts_h

#include <deal.II/dofs/dof_handler.h>

#include <saltus/base/time_state.h>
#include <saltus/io/checkpoint.h>

/// Parts of a checkpoint that several programs share.
namespace Saltus
{
  /// Note what the coefficients in a checkpoint belong to: the equation, the finite element and the
  /// vertices of all cells.
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

  /// Time, step size and number of steps.
  void
  set_time_state(Checkpoint &checkpoint, const TimeState &state);

  /// Restore them in @p state, whose other members stay.
  void
  get_time_state(const Checkpoint &checkpoint, TimeState &state);
} // namespace Saltus

#endif
