// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_dof_map_h
#define saltus_operators_dof_map_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/vector.h>
#include <saltus/fe/vertex_permutation.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/element_couplings.h>

#include <vector>

namespace Saltus
{
  /// The way between deal.II's degrees of freedom and the operators', for vectors and matrices.
  /// Cells have another order; and as the vertices of an element may have another order than those
  /// of its cell, the coefficients are others, see ModePermutations.
  class DoFMap
  {
  public:
    /// None: for spaces without a DoFHandler, which cannot be copied from and to deal.II's vectors.
    DoFMap() = default;

    /// @param dof_handler of FE_SimplexDGModal, or of an FESystem of copies of it, on the
    /// triangulation of @p mesh
    template <int dim>
    DoFMap(const ElementMesh<dim> &mesh, const dealii::DoFHandler<dim> &dof_handler);

    bool
    empty() const
    {
      return dof_indices.empty();
    }

    template <typename Number>
    void
    copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const;

    template <typename Number>
    void
    copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const;

    /// The matrix in deal.II's numbering.
    /// @param couplings of a space with one component
    /// @throws dealii::ExcMessage beyond \f$2^{31}-1\f$ columns
    template <typename Number>
    CompressedRows
    compressed_rows(ElementCouplings<Number> couplings) const;

  private:
    void
    check(const std::size_t size) const;

    /// `[e][m][c]`: numbers of the cell's degrees of freedom
    std::vector<dealii::types::global_dof_index> dof_indices;
    ModePermutations                             modes;
    std::vector<unsigned char>                   codes; ///< `[e]`: of the order of the vertices
  };
} // namespace Saltus

#endif
