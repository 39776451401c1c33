// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_checkpoint_parts_h
#define saltus_io_checkpoint_parts_h

#include <deal.II/fe/fe.h>

#include <saltus/base/time_state.h>
#include <saltus/base/vector.h>
#include <saltus/io/checkpoint.h>
#include <saltus/io/parameters.h>
#include <saltus/mesh/element_mesh.h>

#include <string>
#include <vector>

/// Parts of a checkpoint that several programs share.
namespace Saltus
{
  /// Note what the coefficients in a checkpoint belong to: the equation, the finite element, the
  /// vertices of all elements and the ids of their boundary faces. The coefficients themselves are
  /// stored as the operators have them, `[e][m][c]` (see Vector::entries()): a conversion to
  /// deal.II's numbering and back would round.
  template <int dim>
  void
  set_discretization(Checkpoint                       &checkpoint,
                     const std::string                &equation,
                     const dealii::FiniteElement<dim> &fe,
                     const ElementOrder<dim>          &order);

  /// @throws dealii::ExcMessage if @p checkpoint was not written with the same equation, element
  /// and mesh, with the elements and their vertices in the same order
  /// @param file for messages
  template <int dim>
  void
  check_discretization(const Checkpoint                 &checkpoint,
                       const std::string                &file,
                       const std::string                &equation,
                       const dealii::FiniteElement<dim> &fe,
                       const ElementOrder<dim>          &order);

  /// Coefficients as a checkpoint has them, in double precision, and back, bit by bit.
  template <typename Number>
  std::vector<double>
  to_checkpoint(const Vector<Number> &u)
  {
    const std::vector<Number> values = u.entries();
    return {values.begin(), values.end()};
  }

  template <typename Number>
  void
  from_checkpoint(Vector<Number> &u, const std::vector<double> &values)
  {
    u.set_entries({values.begin(), values.end()});
  }

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
