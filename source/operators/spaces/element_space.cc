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
