// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_dof_map_h
#define saltus_operators_spaces_dof_map_h

#include <deal.II/base/memory_space.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/base/algebra/vector.h>
#include <saltus/fe/vertex_permutation.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/blocks/element_couplings.h>

#include <type_traits>
#include <vector>

namespace dealii
{
  namespace LinearAlgebra::distributed
  {
    template <typename, typename>
    class Vector;
  }
  namespace TrilinosWrappers::MPI
  {
    class Vector;
  }
} // namespace dealii

namespace Saltus
{
  /// Whether a DoFMap copies from and to a type of vectors.
  template <typename VectorType>
  constexpr bool is_vector_of_dofs =
    std::is_same_v<VectorType, dealii::Vector<double>> ||
    std::is_same_v<VectorType,
                   dealii::LinearAlgebra::distributed::Vector<double, dealii::MemorySpace::Host>> ||
    std::is_same_v<VectorType, dealii::TrilinosWrappers::MPI::Vector>;

  /// The way between deal.II's degrees of freedom and the operators', for vectors and matrices.
  /// Cells have another order; and as the vertices of an element may have another order than those
  /// of its cell, the coefficients are others, see ModePermutations.
  class DoFMap
  {
  public:
    /// None: for spaces without a DoFHandler, which cannot be copied from and to deal.II's vectors.
    DoFMap() = default;

    /// @param dof_handler of an FE_OrthonormalDG, or of an FESystem of copies of it, on the
    /// triangulation of @p mesh; or of a collection of those for the shapes that are mixed there
    /// @throws dealii::ExcMessage on all ranks if the degrees of freedom are not those of the cells
    /// as they are now
    template <int dim>
    DoFMap(const ElementMesh<dim> &mesh, const dealii::DoFHandler<dim> &dof_handler);

    /// In place of deal.II's numbering the operators' own, for spaces with one component: mode m of
    /// element e, counted through all ranks, has the number `e * n_modes + m`.
    template <int dim>
    static DoFMap
    of_elements(const ElementMesh<dim> &mesh, const unsigned int degree);

    bool
    empty() const
    {
      return is_empty;
    }

    /// @param from a deal.II vector with the partition of the DoFHandler. Possible types are
    /// LinearAlgebra::distributed::Vector and TrilinosWrappers::MPI::Vector, with or without
    /// ghosts, and dealii::Vector with the entries of this rank.
    template <typename Number, typename VectorType>
    void
    copy_from(Vector<Number> &to, const VectorType &from) const
    {
      check_type<VectorType>();
      copy_entries_from(to, from);
    }

    /// @param to is given its size if it is a dealii::Vector; others must have it. Entries of cells
    /// of other shapes stay as they are. Ghosts follow: then the call is collective.
    template <typename Number, typename VectorType>
    void
    copy_to(VectorType &to, const Vector<Number> &from) const
    {
      check_type<VectorType>();
      copy_entries_to(to, from);
    }

    /// This rank's rows of a matrix in deal.II's numbering: on one rank in its order, on several
    /// element by element with deal.II's numbers as names.
    /// @param couplings of a space with one component
    /// @throws dealii::ExcMessage beyond \f$2^{31}-1\f$ columns
    template <typename Number>
    DistributedRows
    distributed_rows(ElementCouplings<Number> couplings) const;

  private:
    template <typename VectorType>
    static void
    check_type()
    {
      static_assert(
        is_vector_of_dofs<VectorType>,
        "Coefficients are copied from and to dealii::Vector<double>, "
        "LinearAlgebra::distributed::Vector<double> and TrilinosWrappers::MPI::Vector.");
    }

    static void
    check(const std::size_t size, const std::size_t expected);

    /// The entries of this rank in a vector of deal.II, in the order of their numbers.
    template <typename VectorType>
    auto
    owned_entries(VectorType &vector) const;

    template <typename Number, typename VectorType>
    void
    copy_entries_from(Vector<Number> &to, const VectorType &from) const;

    template <typename Number, typename VectorType>
    void
    copy_entries_to(VectorType &to, const Vector<Number> &from) const;

    /// Set numbers and codes of this rank's elements.
    template <int dim>
    void
    read_numbers(const ElementMesh<dim> &mesh, const dealii::DoFHandler<dim> &dof_handler);

    /// Append those of ghosts.
    /// @param codes_of_ghosts `[i]`
    template <int dim>
    void
    set_up_ghosts(const ElementMesh<dim> &mesh, const std::vector<unsigned char> &codes_of_ghosts);

    /// `[e][m][c]`: numbers of the cell's degrees of freedom; then of ghosts' cells
    std::vector<dealii::types::global_dof_index> dof_indices;
    std::size_t                                  n_owned = 0; ///< of them
    /// Of a DoFHandler's vector on this rank: more than that where the mesh mixes shapes.
    std::size_t                     n_in_vector = 0;
    dealii::types::global_dof_index first_dof   = 0; ///< that this rank owns
    ModePermutations                modes;
    std::vector<unsigned char>      codes; ///< `[e]`: of the order of the vertices; then of ghosts
    bool                            is_distributed = false; ///< whether there are other ranks
    bool                            is_empty       = true;
  };
} // namespace Saltus

#endif
