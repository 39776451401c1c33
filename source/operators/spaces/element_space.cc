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
                                          const unsigned int  n_components,
                                          const unsigned int  volume_degree,
                                          const unsigned int  face_degree,
                                          const Device        device,
                                          const StoredMetrics stored_metrics)
    : device(device)
    , n_components(n_components)
    , mesh(mesh)
    , shared_reference(
        mesh->cache.template get<ReferenceElement<dim>>(Device::cpu(),
                                                        {degree, volume_degree, face_degree},
                                                        degree,
                                                        volume_degree,
                                                        face_degree))
    , tables(mesh->cache.template get<TableMemory<Number>>(device,
                                                           {degree, volume_degree, face_degree},
                                                           reference,
                                                           device))
    , mesh_memory(mesh->template on_device<Number>(device))
    , stored(mesh->cache.template get<StoredMemory<Number>>(
        device,
        {volume_degree, face_degree, static_cast<unsigned int>(stored_metrics)},
        *this,
        stored_metrics))
  {
    mesh->check_up_to_date();
  }

  template <int dim, typename Number>
  std::shared_ptr<const ElementSpace<dim, Number>>
  ElementSpace<dim, Number>::shared(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                    const unsigned int                             degree,
                                    const unsigned int                             n_components,
                                    const unsigned int                             volume_degree,
                                    const unsigned int                             face_degree,
                                    const Device                                   device,
                                    const StoredMetrics                            metrics)
  {
    mesh->check_up_to_date(); // a space that is found was made before
    return mesh->cache.template get<ElementSpace>(
      device,
      {degree, n_components, volume_degree, face_degree, static_cast<unsigned int>(metrics)},
      mesh,
      degree,
      n_components,
      volume_degree,
      face_degree,
      device,
      metrics);
  }

  template <typename Number>
  template <int dim, typename Set>
  Memory<Number>
  StoredMemory<Number>::of_blocks(const ElementSpace<dim, Number> &space,
                                  const unsigned int               n,
                                  const Set                       &set) const
  {
    const std::size_t   n_stored = static_cast<std::size_t>(n_blocks) * block_size;
    std::vector<Number> values(n_stored * n);
    parallel_for(n_stored, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        set(space.element_or_last(first_block * block_size + e),
            [&](const unsigned int i, const double value) {
              values[point_index(e, i, n, 1)] = value;
            });
    });
    return Memory<Number>(space.device, values);
  }

  template <typename Number>
  template <int dim>
  StoredMemory<Number>::StoredMemory(const ElementSpace<dim, Number> &space,
                                     const StoredMetrics              where)
  {
    const ReferenceElement<dim> &reference    = space.reference;
    const ElementGeometry<dim>  &geometry     = space.geometry;
    const FaceConnectivity<dim> &connectivity = space.connectivity;
    for (const ElementRange &range : space.order.ranges)
      if (range.kind == GeometryKind::stored)
        {
          if (n_blocks == 0)
            first_block = range.begin / block_size;
          n_blocks = Saltus::n_blocks(range.end) - first_block;
        }
    if (n_blocks == 0)
      return;
    constexpr unsigned int n_metrics = dim * dim;
    const unsigned int     nv = reference.n_volume_points(), nf = reference.n_face_points();
    const unsigned int     n_on_faces = reference.n_faces * nf;
    const auto             put_metrics =
      [](const auto &tangent, const double factor, const unsigned int point, const auto &put) {
        for (unsigned int i = 0; i < n_metrics; ++i)
          put(point * n_metrics + i, factor * tangent.metric(i / dim)[i % dim]);
      };
    const auto factor = [&](const unsigned int e, const auto &tangent) {
      return tangent.volume_factor() / geometry.volume_factors[e];
    };
    factors = of_blocks(space, nv, [&](const unsigned int e, const auto &put) {
      for (unsigned int q = 0; q < nv; ++q)
        put(q, factor(e, geometry.tangent(e, reference.volume_points[q])));
    });
    metrics = of_blocks(space, nv * n_metrics, [&](const unsigned int e, const auto &put) {
      for (unsigned int q = 0; q < nv; ++q)
        {
          const auto tangent = geometry.tangent(e, reference.volume_points[q]);
          put_metrics(tangent, factor(e, tangent), q, put);
        }
    });
    normals = of_blocks(space, n_on_faces * dim, [&](const unsigned int e, const auto &put) {
      for (unsigned int point = 0; point < n_on_faces; ++point)
        {
          const auto         tangent = geometry.tangent(e, reference.face_points[point]);
          const double      *of_cell = reference.face_normals.data() + point / nf * dim;
          Array<double, dim> normal;
          const double       area =
            factor(e, tangent) *
            tangent.set_normal([&](const unsigned int r) { return of_cell[r]; }, normal);
          for (unsigned int d = 0; d < dim; ++d)
            put(point * dim + d, area * normal[d]);
        }
    });
    if (where == StoredMetrics::in_volume)
      return;
    const auto on_faces = [&](const bool across) {
      return of_blocks(space, n_on_faces * n_metrics, [&](unsigned int e, const auto &put) {
        for (unsigned int point = 0; point < n_on_faces; ++point)
          {
            const FaceRecord &face = connectivity.face(e, point / nf);
            unsigned int      of = e, there = point;
            if (across && !face.at_boundary())
              {
                of = face.neighbor;
                there =
                  face.face * nf + reference.face_permutations[face.orientation * nf + point % nf];
              }
            put_metrics(geometry.tangent(of, reference.face_points[there]), 1., point, put);
          }
      });
    };
    face_metrics        = on_faces(false);
    face_metrics_across = on_faces(true);
  }

  template <int dim, typename Number>
  ElementSpace<dim, Number>::ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                          const DoFHandler<dim> &dof_handler,
                                          const unsigned int     volume_degree,
                                          const unsigned int     face_degree,
                                          const Device           device,
                                          const StoredMetrics    stored_metrics)
    : ElementSpace(mesh,
                   checked_degree(dof_handler),
                   dof_handler.get_fe().n_components(),
                   volume_degree,
                   face_degree,
                   device,
                   stored_metrics)
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
