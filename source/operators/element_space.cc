// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/element_space.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    unsigned int
    checked_degree(const DoFHandler<dim> &dof_handler)
    {
      const FiniteElement<dim> &fe = dof_handler.get_fe();
      AssertThrow(dynamic_cast<const FE_SimplexDGModal<dim> *>(&fe.base_element(0)) != nullptr &&
                    fe.n_base_elements() == 1,
                  ExcMessage(
                    "The operators need FE_SimplexDGModal, or an FESystem of copies of it, "
                    "not " +
                    fe.get_name() + "."));
      return fe.degree;
    }
  } // namespace

  template <int dim, typename Number>
  ElementSpace<dim, Number>::ElementSpace(const Mapping<dim>                  &mapping,
                                          const DoFHandler<dim>               &dof_handler,
                                          const std::vector<PeriodicBoundary> &periodic,
                                          const unsigned int                   volume_degree,
                                          const unsigned int                   face_degree,
                                          const Device                         device)
    : device(device)
    , n_components(dof_handler.get_fe().n_components())
    , reference(checked_degree(dof_handler),
                volume_degree,
                face_degree,
                device.is_cuda() ? 1 : cpu_point_padding)
    , mesh(std::make_shared<ElementMesh<dim>>(dof_handler.get_triangulation(),
                                              reference,
                                              mapping,
                                              periodic))
    , tables(make_tables(device))
    , mesh_memory(upload_mesh())
  {
    number_dofs(dof_handler);
  }

  template <int dim, typename Number>
  template <typename OtherNumber>
  ElementSpace<dim, Number>::ElementSpace(const ElementSpace<dim, OtherNumber> &other,
                                          const unsigned int                    degree,
                                          const unsigned int                    volume_degree,
                                          const unsigned int                    face_degree)
    : device(other.device)
    , n_components(other.n_components)
    , reference(degree, volume_degree, face_degree, device.is_cuda() ? 1 : cpu_point_padding)
    , mesh(other.mesh)
    , tables(make_tables(device))
  {
    if constexpr (std::is_same_v<Number, OtherNumber>)
      mesh_memory = other.mesh_memory;
    else
      mesh_memory = upload_mesh();
  }

  template <int dim, typename Number>
  void
  ElementSpace<dim, Number>::number_dofs(const DoFHandler<dim> &dof_handler)
  {
    const FiniteElement<dim>            &fe = dof_handler.get_fe();
    std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
    for (const auto &cell : order.cells)
      {
        const typename DoFHandler<dim>::active_cell_iterator dof_cell(&cell->get_triangulation(),
                                                                      cell->level(),
                                                                      cell->index(),
                                                                      &dof_handler);
        dof_cell->get_dof_indices(indices);
        for (unsigned int m = 0; m < reference.n_modes; ++m)
          for (unsigned int c = 0; c < n_components; ++c)
            dof_indices.push_back(indices[fe.component_to_system_index(c, m)]);
      }
  }

  template <int dim, typename Number>
  typename ElementSpace<dim, Number>::Tables
  ElementSpace<dim, Number>::make_tables(const Device device) const
  {
    const auto upload = [&](const std::vector<double> &values) {
      return Memory<Number>(device, std::vector<Number>(values.begin(), values.end()));
    };
    return {upload(reference.volume_values),
            upload(reference.volume_gradients),
            upload(reference.volume_weights),
            upload(reference.face_values),
            upload(reference.face_gradients),
            upload(reference.face_weights),
            upload(reference.face_normals),
            upload(reference.vertex_values),
            Memory<unsigned char>(device, reference.face_permutations)};
  }

  template <int dim, typename Number>
  ElementTables<Number>
  ElementSpace<dim, Number>::element_tables(const Tables &from) const
  {
    ElementTables<Number> to;
    to.n_modes           = reference.n_modes;
    to.n_volume_points   = reference.n_volume_points();
    to.n_face_points     = reference.n_face_points();
    to.n_faces           = reference.n_faces;
    to.n_orientations    = reference.n_orientations;
    to.volume_values     = from.volume_values.data();
    to.volume_gradients  = from.volume_gradients.data();
    to.volume_weights    = from.volume_weights.data();
    to.face_values       = from.face_values.data();
    to.face_gradients    = from.face_gradients.data();
    to.face_weights      = from.face_weights.data();
    to.face_normals      = from.face_normals.data();
    to.vertex_values     = from.vertex_values.data();
    to.face_permutations = from.face_permutations.data();
    to.reference_volume  = reference.reference_cell.volume();
    return to;
  }

  template <int dim, typename Number>
  std::shared_ptr<const typename ElementSpace<dim, Number>::MeshMemory>
  ElementSpace<dim, Number>::upload_mesh() const
  {
    const unsigned int         n_faces  = reference.n_faces;
    const unsigned int         n_padded = n_blocks(n_elements()) * block_size;
    std::vector<Number>        jacobians(n_padded * dim * dim);
    std::vector<int>           across(n_padded * n_faces);
    std::vector<unsigned char> codes(n_padded * n_faces);
    for (unsigned int e = 0; e < n_padded; ++e)
      {
        const unsigned int source =
          std::min(e, n_elements() - 1); // padding repeats the last element
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int d = 0; d < dim; ++d)
            jacobians[point_index(e, r * dim + d, dim * dim, 1)] =
              geometry.inverse_jacobians[source][r][d];
        for (unsigned int f = 0; f < n_faces; ++f)
          {
            across[point_index(e, f, n_faces, 1)] = connectivity.neighbors[source * n_faces + f];
            codes[point_index(e, f, n_faces, 1)] =
              connectivity.neighbor_faces[source * n_faces + f];
          }
      }
    return std::make_shared<const MeshMemory>(MeshMemory{Memory<Number>(device, jacobians),
                                                         Memory<int>(device, across),
                                                         Memory<unsigned char>(device, codes)});
  }

  template <int dim, typename Number>
  MeshArrays<Number>
  ElementSpace<dim, Number>::mesh_arrays() const
  {
    MeshArrays<Number> arrays;
    arrays.n_elements        = n_elements();
    arrays.n_boundary_faces  = connectivity.boundary_faces.size();
    arrays.inverse_jacobians = mesh_memory->inverse_jacobians.data();
    arrays.neighbors         = mesh_memory->neighbors.data();
    arrays.neighbor_faces    = mesh_memory->neighbor_faces.data();
    return arrays;
  }

  template <int dim, typename Number>
  std::size_t
  ElementSpace<dim, Number>::table_memory() const
  {
    const auto bytes = [](const auto &memory) { return memory.size() * sizeof(*memory.data()); };
    return bytes(tables.volume_values) + bytes(tables.volume_gradients) +
           bytes(tables.volume_weights) + bytes(tables.face_values) + bytes(tables.face_gradients) +
           bytes(tables.face_weights) + bytes(tables.face_normals) + bytes(tables.vertex_values) +
           bytes(tables.face_permutations);
  }

  template <int dim, typename Number>
  std::vector<Point<dim>>
  ElementSpace<dim, Number>::points(const std::vector<Point<dim>> &unit_points) const
  {
    const unsigned int      n = unit_points.size();
    std::vector<Point<dim>> result(n_blocks(n_elements()) * n * block_size, geometry.origins[0]);
    for (unsigned int e = 0; e < n_elements(); ++e)
      for (unsigned int q = 0; q < n; ++q)
        result[point_index(e, q, n, 1)] = geometry.map(e, unit_points[q]);
    return result;
  }

  template <int dim, typename Number>
  std::vector<Point<dim>>
  ElementSpace<dim, Number>::volume_points() const
  {
    return points(reference.volume_points);
  }

  template <int dim, typename Number>
  std::vector<Point<dim>>
  ElementSpace<dim, Number>::face_points() const
  {
    return points(reference.face_points);
  }

  template <int dim, typename Number>
  std::vector<Point<dim>>
  ElementSpace<dim, Number>::centers() const
  {
    return points({reference.reference_cell.template barycenter<dim>()});
  }

  template <int dim, typename Number>
  void
  ElementSpace<dim, Number>::copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const
  {
    AssertDimension(from.size(), dof_indices.size());
    std::vector<Number> values(to.data_size());
    for (unsigned int e = 0, i = 0; e < n_elements(); ++e)
      for (unsigned int m = 0; m < reference.n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          values[coefficient_index(e, m, reference.n_modes, n_components) + c] =
            from[dof_indices[i]];
    to.copy_from_host(values.data());
  }

  template <int dim, typename Number>
  void
  ElementSpace<dim, Number>::copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const
  {
    to.reinit(dof_indices.size(), true);
    const std::vector<Number> values = from.to_host();
    for (unsigned int e = 0, i = 0; e < n_elements(); ++e)
      for (unsigned int m = 0; m < reference.n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          to[dof_indices[i]] = values[coefficient_index(e, m, reference.n_modes, n_components) + c];
  }

  template class ElementSpace<2, double>;
  template class ElementSpace<2, float>;
  template class ElementSpace<3, double>;
  template class ElementSpace<3, float>;

#define SALTUS_OTHER_SPACE(dim, Number, OtherNumber)                                       \
  template ElementSpace<dim, Number>::ElementSpace(const ElementSpace<dim, OtherNumber> &, \
                                                   const unsigned int,                     \
                                                   const unsigned int,                     \
                                                   const unsigned int);
  SALTUS_OTHER_SPACE(2, double, double)
  SALTUS_OTHER_SPACE(2, float, double)
  SALTUS_OTHER_SPACE(2, float, float)
  SALTUS_OTHER_SPACE(3, double, double)
  SALTUS_OTHER_SPACE(3, float, double)
  SALTUS_OTHER_SPACE(3, float, float)
#undef SALTUS_OTHER_SPACE
} // namespace Saltus
