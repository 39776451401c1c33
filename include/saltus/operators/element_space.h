// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_element_space_h
#define saltus_operators_element_space_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/memory.h>
#include <saltus/base/vector.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/launcher.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// A deal.II mesh and its degrees of freedom as the operators on a device see them: element
  /// order, geometry, face connectivity, tables of the reference element, and the way between
  /// deal.II's vectors and the operators'.
  template <int dim, typename Number>
  class ElementSpace
  {
  public:
    /// @param mapping affine on simplices
    /// @param dof_handler of FE_SimplexDGModal, or an FESystem of copies of it
    /// @param periodic boundaries that are one
    /// @param volume_degree,face_degree what the quadrature integrates exactly
    /// @throws dealii::ExcMessage for another element, curved or hanging cells, and periodic
    /// boundaries that do not match
    ElementSpace(const dealii::Mapping<dim>          &mapping,
                 const dealii::DoFHandler<dim>       &dof_handler,
                 const std::vector<PeriodicBoundary> &periodic,
                 const unsigned int                   volume_degree,
                 const unsigned int                   face_degree,
                 const Device                         device);

    /// The space of another degree, and perhaps precision, on the mesh of @p other and its device.
    /// It has no numbering of deal.II's: copy_from() and copy_to() may not be called.
    template <typename OtherNumber>
    ElementSpace(const ElementSpace<dim, OtherNumber> &other,
                 const unsigned int                    degree,
                 const unsigned int                    volume_degree,
                 const unsigned int                    face_degree);

    const Device                                  device;
    const unsigned int                            n_components;
    const ReferenceElement<dim>                   reference;
    const std::shared_ptr<const ElementMesh<dim>> mesh;
    const ElementOrder<dim>                      &order        = mesh->order;
    const AffineGeometry<dim>                    &geometry     = mesh->geometry;
    const FaceConnectivity<dim>                  &connectivity = mesh->connectivity;

    unsigned int
    n_elements() const
    {
      return order.n_elements();
    }

    /// On the device.
    ElementTables<Number>
    element_tables() const
    {
      return element_tables(tables);
    }

    /// Call @p body with the tables in host memory, which live as long as the call.
    template <typename Body>
    auto
    with_host_tables(const Body &body) const
    {
      const Tables host = make_tables(Device::cpu());
      return body(element_tables(host));
    }

    /// On the device.
    MeshArrays<Number>
    mesh_arrays() const;

    /// Quadrature points `[block][q][l]`; padding repeats a point of the mesh.
    std::vector<dealii::Point<dim>>
    volume_points() const;

    /// The same on faces, `[block][f][q][l]`.
    std::vector<dealii::Point<dim>>
    face_points() const;

    /// The elements' centres, `[block][l]`; padding repeats a point of the mesh.
    std::vector<dealii::Point<dim>>
    centers() const;

    /// Zeros.
    Vector<Number>
    make_vector() const
    {
      return {device, n_elements(), reference.n_modes, n_components};
    }

    void
    copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const;

    void
    copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const;

    /// `[e][m][c]`: number in deal.II's DoFHandler.
    const std::vector<dealii::types::global_dof_index> &
    dof_numbers() const
    {
      return dof_indices;
    }

    /// Bytes on the device; the mesh arrays, which spaces of one precision share, are not counted.
    std::size_t
    table_memory() const;

  private:
    template <int, typename>
    friend class ElementSpace;

    /// The mesh on the device.
    struct MeshMemory
    {
      Memory<Number>        inverse_jacobians;
      Memory<int>           neighbors;
      Memory<unsigned char> neighbor_faces;
    };

    struct Tables
    {
      Memory<Number>        volume_values, volume_gradients, volume_weights;
      Memory<Number>        face_values, face_gradients, face_weights, face_normals, vertex_values;
      Memory<unsigned char> face_permutations;
    };

    Tables
    make_tables(const Device device) const;

    ElementTables<Number>
    element_tables(const Tables &from) const;

    void
    number_dofs(const dealii::DoFHandler<dim> &dof_handler);

    std::shared_ptr<const MeshMemory>
    upload_mesh() const;

    /// Images of the reference points @p unit_points in all elements.
    std::vector<dealii::Point<dim>>
    points(const std::vector<dealii::Point<dim>> &unit_points) const;

    std::vector<dealii::types::global_dof_index> dof_indices; ///< `[e][m][c]`, deal.II's

    Tables                            tables;
    std::shared_ptr<const MeshMemory> mesh_memory;
  };
} // namespace Saltus

#endif
