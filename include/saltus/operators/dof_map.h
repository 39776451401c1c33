// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_dof_map_h
#define saltus_operators_dof_map_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/vector.h>
#include <saltus/mesh/element_mesh.h>

#include <vector>

namespace Saltus
{
  /// The way between deal.II's numbering of degrees of freedom and the operators'.
  class DoFMap
  {
  public:
    /// None: for spaces without a DoFHandler, which cannot be copied from and to deal.II's vectors.
    DoFMap() = default;

    /// @param dof_handler of FE_SimplexDGModal, or of an FESystem of copies of it, on the
    /// triangulation of @p mesh
    template <int dim>
    DoFMap(const ElementMesh<dim> &mesh, const dealii::DoFHandler<dim> &dof_handler);

    /// `[e][m][c]`: number in deal.II's DoFHandler. Empty if there is none.
    const std::vector<dealii::types::global_dof_index> &
    numbers() const
    {
      return dof_indices;
    }

    template <typename Number>
    void
    copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const;

    template <typename Number>
    void
    copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const;

  private:
    void
    check(const std::size_t size) const;

    std::vector<dealii::types::global_dof_index> dof_indices; ///< `[e][m][c]`
  };
} // namespace Saltus

#endif
