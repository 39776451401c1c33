// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/spaces/element_space.h>

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
  ElementSpace<dim, Number>::ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                          const unsigned int                             degree,
                                          const unsigned int n_components,
                                          const unsigned int volume_degree,
                                          const unsigned int face_degree,
                                          const Device       device)
    : device(device)
    , n_components(n_components)
    , mesh(mesh)
    , reference(degree, volume_degree, face_degree)
    , tables(reference, device)
    , mesh_memory(mesh->template on_device<Number>(device))
  {
    mesh->check_up_to_date();
    set_up_stored_geometry();
  }

  template <int dim, typename Number>
  void
  ElementSpace<dim, Number>::set_up_stored_geometry()
  {
    unsigned int n_stored_blocks = 0;
    for (const ElementRange &range : order.ranges)
      if (range.kind == GeometryKind::stored)
        {
          if (n_stored_blocks == 0)
            first_stored_block = range.begin / block_size;
          n_stored_blocks = n_blocks(range.end) - first_stored_block;
        }
    const unsigned int  nv = reference.n_volume_points(), nf = reference.n_face_points();
    const std::size_t   n_stored = static_cast<std::size_t>(n_stored_blocks) * block_size;
    std::vector<Number> of_volume(n_stored * nv * dim * dim);
    std::vector<Number> of_faces(n_stored * reference.n_faces * nf * dim);
    parallel_for(n_stored, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end; ++i)
        {
          const unsigned int e = element_or_last(first_stored_block * block_size + i);
          for (unsigned int q = 0; q < nv; ++q)
            for (unsigned int j = 0; j < dim * dim; ++j)
              of_volume[point_index(i, q * dim * dim + j, nv * dim * dim, 1)] =
                geometry.inverse_jacobians[e][j / dim][j % dim];
          for (unsigned int f = 0; f < reference.n_faces; ++f)
            {
              const auto face = geometry.face(e, reference.face_normals.data() + f * dim);
              for (unsigned int q = 0; q < nf; ++q)
                for (unsigned int d = 0; d < dim; ++d)
                  of_faces[point_index(
                    i, (f * nf + q) * dim + d, reference.n_faces * nf * dim, 1)] =
                    face.area * face.normal[d];
            }
        }
    });
    metrics = Memory<Number>(device, of_volume);
    normals = Memory<Number>(device, of_faces);
  }

  template <int dim, typename Number>
  ElementSpace<dim, Number>::ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                          const DoFHandler<dim> &dof_handler,
                                          const unsigned int     volume_degree,
                                          const unsigned int     face_degree,
                                          const Device           device)
    : ElementSpace(mesh,
                   checked_degree(dof_handler),
                   dof_handler.get_fe().n_components(),
                   volume_degree,
                   face_degree,
                   device)
  {
    dof_map = DoFMap(*mesh, dof_handler);
  }

  template <int dim, typename Number>
  std::vector<Point<dim>>
  ElementSpace<dim, Number>::points(const std::vector<Point<dim>> &unit_points) const
  {
    const unsigned int      n = unit_points.size();
    std::vector<Point<dim>> result(n_padded_elements() * n,
                                   geometry.origins.empty() ? Point<dim>() : geometry.origins[0]);
    parallel_for(geometry.origins.size(), [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        for (unsigned int q = 0; q < n; ++q)
          result[point_index(e, q, n, 1)] = geometry.map(e, unit_points[q]);
    });
    return result;
  }

  template class ElementSpace<2, double>;
  template class ElementSpace<2, float>;
  template class ElementSpace<3, double>;
  template class ElementSpace<3, float>;
} // namespace Saltus
