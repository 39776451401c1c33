// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_checkpoint_parts_h
#define saltus_io_results_checkpoint_parts_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/base/device/time_state.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/element_blocks.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/mesh/mixed_mesh.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

/// Parts of a checkpoint that several programs share.
namespace Saltus
{
  /// Note what the coefficients in a checkpoint belong to: the equation, the finite element, the
  /// vertices of all elements, in the order in which operators have them, and the ids of their
  /// boundary faces. The coefficients themselves are stored as the operators have them, `[m][c]`
  /// (see Vector::entries()): a conversion to deal.II's numbering and back would round.
  /// @param element its name, or several
  /// @param elements those of the meshes, one after the other
  template <int dim>
  void
  set_discretization(Checkpoint           &checkpoint,
                     const std::string    &equation,
                     const std::string    &element,
                     const MixedMesh<dim> &meshes,
                     const ElementBlocks  &elements);

  /// @return `[active cell]`: the order of the vertices of this rank's cells with which an
  /// ElementMesh gives the coefficients in @p checkpoint the meaning that they had
  /// @throws dealii::ExcMessage if @p checkpoint was not written with the same equation, element
  /// and mesh
  /// @param file for messages
  template <int dim>
  std::vector<VertexPermutation<dim>>
  check_discretization(const Checkpoint                 &checkpoint,
                       const std::string                &file,
                       const std::string                &equation,
                       const std::string                &element,
                       const dealii::Triangulation<dim> &triangulation);

  /// Note how the elements of a mesh are curved, if some are: the degree of their maps and the
  /// positions of map_nodes(), of all elements.
  /// @param elements those of the order of @p mesh
  template <int dim>
  void
  set_geometry(Checkpoint &checkpoint, const MixedMesh<dim> &meshes, const ElementBlocks &elements);

  /// @throws dealii::ExcMessage if @p checkpoint was written on elements that were curved otherwise
  /// @param file for messages
  template <int dim>
  void
  check_geometry(const Checkpoint     &checkpoint,
                 const std::string    &file,
                 const MixedMesh<dim> &meshes,
                 const ElementBlocks  &elements);

  /// Note which cells of an adapted mesh there are. Collective. Each rank needs memory for its own
  /// cells only, here and in restore_refinement().
  /// @param cells of this rank
  /// @param elements those of @p cells
  template <int dim>
  void
  set_refinement(
    Checkpoint                                                                   &checkpoint,
    const std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> &cells,
    const ElementBlocks                                                          &elements);

  /// Refine and coarsen @p triangulation, on p4est, until it has the cells that were noted.
  /// Collective.
  /// @throws dealii::ExcMessage if these are none of its coarse mesh
  /// @param file for messages
  template <int dim>
  void
  restore_refinement(const Checkpoint           &checkpoint,
                     const std::string          &file,
                     dealii::Triangulation<dim> &triangulation);

  /// Note coefficients, in double precision, and get them back bit by bit.
  /// @param elements those of the operator's ElementOrder
  template <typename Number>
  void
  set_vector(Checkpoint           &checkpoint,
             const std::string    &name,
             const ElementBlocks  &elements,
             const Vector<Number> &u)
  {
    const std::vector<Number> values = u.entries();
    checkpoint.set_by_element(name,
                              elements,
                              {values.begin(), values.end()},
                              u.layout().entries_per_element());
  }

  template <typename Number>
  void
  get_vector(const Checkpoint    &checkpoint,
             const std::string   &name,
             const ElementBlocks &elements,
             Vector<Number>      &u)
  {
    const std::vector<double> values =
      checkpoint.get_by_element(name, elements, u.layout().entries_per_element());
    u.set_entries({values.begin(), values.end()});
  }

  template <typename Number>
  std::size_t
  entries_of_longest_block(const BlockVector<Number> &u)
  {
    std::size_t n = 0;
    for (unsigned int i = 0; i < u.n_blocks(); ++i)
      n = std::max<std::size_t>(n, u.block(i).layout().entries_per_element());
    return n;
  }

  /// Of a vector on a mesh that mixes shapes, whose blocks have as many numbers an element as the
  /// longest one, filled up by zeros.
  /// @param elements of the blocks one after the other
  template <typename Number>
  void
  set_vector(Checkpoint                &checkpoint,
             const std::string         &name,
             const ElementBlocks       &elements,
             const BlockVector<Number> &u)
  {
    const std::size_t   n = entries_of_longest_block(u);
    std::vector<double> values;
    for (unsigned int i = 0; i < u.n_blocks(); ++i)
      {
        const std::vector<Number> block      = u.block(i).entries();
        const std::size_t         n_of_block = u.block(i).layout().entries_per_element();
        for (std::size_t e = 0; e < u.block(i).n_elements(); ++e)
          {
            const auto first = block.begin() + e * n_of_block;
            values.insert(values.end(), first, first + n_of_block);
            values.resize(values.size() + n - n_of_block);
          }
      }
    checkpoint.set_by_element(name, elements, values, n);
  }

  template <typename Number>
  void
  get_vector(const Checkpoint    &checkpoint,
             const std::string   &name,
             const ElementBlocks &elements,
             BlockVector<Number> &u)
  {
    const std::size_t         n      = entries_of_longest_block(u);
    const std::vector<double> values = checkpoint.get_by_element(name, elements, n);
    auto                      from   = values.begin();
    for (unsigned int i = 0; i < u.n_blocks(); ++i)
      {
        std::vector<Number> block;
        for (std::size_t e = 0; e < u.block(i).n_elements(); ++e, from += n)
          block.insert(block.end(), from, from + u.block(i).layout().entries_per_element());
        u.block(i).set_entries(block);
      }
  }

  /// Note values of the boundary faces of a mesh, `[face][c]` in the order of this rank's faces,
  /// and get them back. Collective.
  template <int dim>
  void
  set_by_boundary_face(Checkpoint                &checkpoint,
                       const std::string         &name,
                       const MixedMesh<dim>      &meshes,
                       const std::vector<double> &values);

  template <int dim>
  std::vector<double>
  get_by_boundary_face(const Checkpoint     &checkpoint,
                       const std::string    &name,
                       const MixedMesh<dim> &meshes,
                       const unsigned int    n_components);

  /// Note the values of all entries but `Checkpoint/Restart`.
  void
  set_parameters(Checkpoint &checkpoint, const std::vector<ParameterEntry> &entries);

  /// Compare the entries of this run with those in @p checkpoint; an entry that stands in one of
  /// the two only has its default value, or none, in the other. Blanks, and the spelling of
  /// numbers, make no difference.
  /// @param file for messages
  /// @param may_differ entries, and sections as `Section/`, that do not change what was computed so
  /// far
  /// @return what differs of these, a line each: entry, value in the checkpoint, value now
  /// @throws dealii::ExcMessage with all others that differ
  std::vector<std::string>
  check_parameters(const Checkpoint                  &checkpoint,
                   const std::string                 &file,
                   const std::vector<ParameterEntry> &entries,
                   const std::vector<std::string>    &may_differ);

  /// Read the checkpoint of a run that is to go on, with check_parameters(); what differs, and may,
  /// is told on @p stream. Collective.
  /// @throws dealii::ExcMessage as Checkpoint::read() does; it says if older_checkpoint() can be
  /// read
  Checkpoint
  read_checkpoint_of_run(const std::string                 &file,
                         const std::vector<ParameterEntry> &entries,
                         const std::vector<std::string>    &may_differ,
                         std::ostream                      &stream,
                         const MPI_Comm                     communicator);

  /// The integer `cycle` of a checkpoint.
  /// @throws dealii::ExcMessage if it is none of the @p n_cycles cycles of this run
  /// @param file for messages
  unsigned int
  checked_cycle(const Checkpoint &checkpoint, const std::string &file, const unsigned int n_cycles);

  /// Time, step size and number of steps.
  void
  set_time_state(Checkpoint &checkpoint, const TimeState &state);

  /// Restore them in @p state, whose other members stay.
  void
  get_time_state(const Checkpoint &checkpoint, TimeState &state);
} // namespace Saltus

#endif
