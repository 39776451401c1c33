// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_element_space_h
#define saltus_operators_element_space_h

#include <saltus/base/vector.h>
#include <saltus/operators/dof_map.h>
#include <saltus/operators/table_memory.h>

#include <memory>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Polynomials of one degree on the elements of a mesh, as the operators on a device see them:
  /// the mesh, which many spaces share, the tables of the reference element, and the way to
  /// deal.II's numbering.
  template <int dim, typename Number>
  class ElementSpace
  {
  public:
    /// The space of a DoFHandler.
    /// @param dof_handler of FE_SimplexDGModal, or an FESystem of copies of it, on the
    /// triangulation of @p mesh
    /// @param volume_degree,face_degree what the quadrature integrates exactly
    /// @throws dealii::ExcMessage for another element or triangulation
    ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const dealii::DoFHandler<dim>                 &dof_handler,
                 const unsigned int                             volume_degree,
                 const unsigned int                             face_degree,
                 const Device                                   device);

    /// A space without a numbering of deal.II's: copy_from() and copy_to() may not be called.
    ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const unsigned int                             degree,
                 const unsigned int                             n_components,
                 const unsigned int                             volume_degree,
                 const unsigned int                             face_degree,
                 const Device                                   device);

    const Device                                  device;
    const unsigned int                            n_components;
    const std::shared_ptr<const ElementMesh<dim>> mesh;
    const ReferenceElement<dim>                   reference;
    const ElementOrder<dim>                      &order        = mesh->order;
    const ElementGeometry<dim>                   &geometry     = mesh->geometry;
    const FaceConnectivity<dim>                  &connectivity = mesh->connectivity;

    unsigned int
    n_elements() const
    {
      return order.n_elements();
    }

    /// On the device.
    const ElementTables<Number> &
    element_tables() const
    {
      return tables.arrays();
    }

    /// On the device.
    MeshArrays<Number>
    mesh_arrays() const
    {
      return mesh_memory->arrays();
    }

    /// Quadrature points `[block][q][l]`; padding repeats a point of the mesh.
    std::vector<dealii::Point<dim>>
    volume_points() const
    {
      return points(reference.volume_points);
    }

    /// The same on faces, `[block][f][q][l]`.
    std::vector<dealii::Point<dim>>
    face_points() const
    {
      return points(reference.face_points);
    }

    /// The elements' centres, `[block][l]`; padding repeats a point of the mesh.
    std::vector<dealii::Point<dim>>
    centers() const
    {
      return points({reference.reference_cell.template barycenter<dim>()});
    }

    /// Zeros.
    Vector<Number>
    make_vector() const
    {
      return {device, n_elements(), reference.n_modes, n_components};
    }

    void
    copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const
    {
      dof_map.copy_from(to, from);
    }

    void
    copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const
    {
      dof_map.copy_to(to, from);
    }

    /// The matrix of an operator on this space, see ElementCouplings: in deal.II's numbering,
    /// without one with row `e * n_modes + m` for mode m of element e.
    CompressedRows
    compressed_rows(ElementCouplings<Number> couplings) const
    {
      return dof_map.empty() ? couplings.compressed_rows()
                             : dof_map.compressed_rows(std::move(couplings));
    }

    /// Bytes on the device; the mesh arrays, which spaces of one precision share, are not counted.
    std::size_t
    table_memory() const
    {
      return tables.memory_consumption();
    }

    /// Bytes on the device of the mesh, which spaces share.
    std::size_t
    mesh_memory_consumption() const
    {
      return mesh_memory->memory_consumption();
    }

  private:
    /// Images of the reference points @p unit_points in all elements.
    std::vector<dealii::Point<dim>>
    points(const std::vector<dealii::Point<dim>> &unit_points) const;

    const TableMemory<Number>                       tables;
    const std::shared_ptr<const MeshMemory<Number>> mesh_memory;
    DoFMap                                          dof_map;
  };
} // namespace Saltus

#endif
