// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_element_determinants_h
#define saltus_mesh_adapt_element_determinants_h

#include <saltus/mesh/element_mesh.h>

#include <vector>

namespace Saltus
{
  /// \f$ |\det J| \f$ in the elements of this rank, known also when the mesh has been adapted
  /// since.
  template <int dim>
  class ElementDeterminants
  {
  public:
    explicit ElementDeterminants(const ElementMesh<dim> &mesh);

    unsigned int
    n_elements() const
    {
      return means.size();
    }

    /// `[e][q]`, at points of the reference cell.
    std::vector<double>
    at_points(const std::vector<dealii::Point<dim>> &points) const;

    std::vector<double> means;               ///< `[e]`
    bool                has_curved_elements; ///< any rank

  private:
    dealii::ReferenceCell        cell;
    unsigned int                 map_degree;
    std::vector<unsigned int>    curved; ///< `[i]`: elements
    std::vector<ElementMap<dim>> maps;   ///< `[i]`: theirs
  };
} // namespace Saltus

#endif
