// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/fe/dg_element.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/mesh/face_coordinates.h>
#include <saltus/mesh/second_order_group.h>
#include <saltus/mesh/tetrahedron_group.h>
#include <saltus/operators/spaces/element_space.h>

#include <array>
#include <optional>
#include <string>
#include <type_traits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    unsigned int
    checked_degree(const ElementMesh<dim> &mesh, const DoFHandler<dim> &dof_handler)
    {
      const FiniteElement<dim> &fe        = element_on(dof_handler, mesh.shape.reference_cell);
      const bool                simplices = mesh.shape.is_simplex();
      AssertThrow(dynamic_cast<const FE_OrthonormalDG<dim> *>(&fe.base_element(0)) != nullptr &&
                    fe.n_base_elements() == 1 && fe.reference_cell() == mesh.shape.reference_cell,
                  ExcMessage(std::string("On this mesh the operators need ") +
                             (simplices ? "FE_SimplexDGModal" : "FE_HypercubeDG") +
                             ", or an FESystem of copies of it, not " + fe.get_name() + "."));
      return fe.degree;
    }

    /// Where the points of a face are on the other side.
    template <int dim>
    struct ElementAcross
    {
      const ReferenceElement<dim> &reference;
      unsigned int                 element, face, orientation;

      /// Point @p q of the face among those of all faces there.
      unsigned int
      point(const unsigned int q) const
      {
        const unsigned int nf = reference.n_face_points();
        return face * nf + reference.face_permutations[orientation * nf + q];
      }
    };

    /// Across face @p f of element @p e, which stands in where there is none. Hanging faces have
    /// HangingGradients.
    template <int dim, typename Number>
    ElementAcross<dim>
    element_across(const ElementSpace<dim, Number> &space,
                   const unsigned int               e,
                   const unsigned int               f)
    {
      const FaceRecord &face = space.connectivity.face(e, f);
      if (face.at_boundary() || face.kind == FaceKind::hanging || face.sub_face > 0)
        return {space.reference, e, f, 0};
      return {space.reference,
              static_cast<unsigned int>(face.neighbor),
              static_cast<unsigned int>(face.face),
              static_cast<unsigned int>(face.orientation)};
    }

    /// FaceGeometry at a point of face @p f as SecondOrderGroup has it.
    template <int dim, typename Direction, typename Gradients>
    std::array<double, SecondOrderGroup<dim>::on_face>
    face_numbers(const ReferenceElement<dim> &reference,
                 const unsigned int           f,
                 const Direction             &normal,
                 const Gradients             &gradients)
    {
      using Geometry              = FaceGeometry<dim, double>;
      const auto reference_normal = [&](const int r) {
        return reference.face_normals[f * dim + r];
      };
      Array<Array<double, dim>, dim> of_reference;
      Array<double, dim>             n, last{};
      for (int r = 0; r < dim; ++r)
        {
          n[r] = normal[r];
          for (int d = 0; d < dim; ++d)
            {
              of_reference[r][d] = gradients[r][d];
              last[d] += reference_normal(r) * gradients[r][d];
            }
        }
      const Geometry geometry(
        FaceCoordinates<dim>(reference_normal),
        n,
        [&](const int r) { return of_reference[r]; },
        last);
      std::array<double, SecondOrderGroup<dim>::on_face> numbers;
      for (int i = 0; i < Geometry::size; ++i)
        numbers[i] = Geometry::number(geometry, i);
      return numbers;
    }

    /// See SecondOrderGroup.
    /// @param memory of which blocks
    template <int dim, typename Number>
    std::vector<Number>
    second_order_groups(const ElementSpace<dim, Number> &space,
                        const ElementMetrics<dim>       &of_element,
                        const StoredMemory<Number>      &memory)
    {
      using Group                            = SecondOrderGroup<dim>;
      const ReferenceElement<dim> &reference = space.reference;
      const int                    nv = reference.n_volume_points(), nf = reference.n_face_points();
      const Group                  layout   = {nv, nf};
      const int                    together = layout.faces_together();
      const std::size_t   n_stored = static_cast<std::size_t>(memory.n_blocks) * block_size;
      std::vector<Number> numbers(n_stored / Group::n_elements * layout.size());
      parallel_for(n_stored, [&](const unsigned int begin, const unsigned int end) {
        for (unsigned int i = begin; i < end; ++i)
          {
            const unsigned int e  = space.element_or_last(memory.first_block * block_size + i);
            Number *const      to = &numbers[std::size_t(i / Group::n_elements) * layout.size()];
            // Numbers of point @p q of a list.
            const auto put =
              [&](const int list, const int n_points, const int q, const auto &numbers) {
                const int     n = numbers.size(), group = q / Group::points_of_group;
                Number *const at = to + list + Group::begin(n, group);
                for (int c = 0; c < n; ++c)
                  at[Group::place(Group::points_of(n_points, group),
                                  c,
                                  q % Group::points_of_group,
                                  i % Group::n_elements)] = numbers[c];
              };
            const auto determinants = of_element.determinants(e);
            const auto metrics      = of_element.metrics(e);
            for (int q = 0; q < nv; ++q)
              {
                std::array<double, Group::in_volume> at_point;
                at_point[0] = reference.volume_weights[q] / determinants[q];
                for (int i = 0; i < dim * dim; ++i)
                  at_point[1 + i] = metrics[q][i / dim][i % dim];
                put(Group::volume(), nv, q, at_point);
              }
            const auto normals = of_element.normals(e);
            const auto here    = of_element.face_gradients(e);
            for (int f = 0; f <= dim; ++f)
              {
                const auto  across  = element_across(space, e, f);
                const auto  there   = of_element.face_gradients(across.element);
                const auto &volumes = space.mesh->geometry.volume_factors;
                to[Group::n_elements * f + i % Group::n_elements] =
                  volumes[e] / volumes[across.element];
                for (int q = 0; q < nf; ++q)
                  {
                    const auto &normal = normals[f * nf + q];
                    const int   point  = across.point(q);
                    put(layout.across(f),
                        nf,
                        point % nf,
                        face_numbers<dim>(reference, across.face, normal, there[point]));
                    put(layout.own(f / together * together),
                        together * nf,
                        f % together * nf + q,
                        face_numbers<dim>(reference, f, normal, here[f * nf + q]));
                  }
              }
          }
      });
      return numbers;
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
                                                        face_degree,
                                                        mesh->shape.reference_cell))
    , tables(mesh->cache.template get<TableMemory<Number>>(device,
                                                           {degree, volume_degree, face_degree},
                                                           reference,
                                                           device))
    , mesh_memory(mesh->template on_device<Number>(device))
    , stored(mesh->cache.template get<StoredMemory<Number>>(
        device,
        {stored_metrics >= StoredMetrics::for_second_order_fluxes ? degree : 0, // else any
         volume_degree,
         face_degree,
         static_cast<unsigned int>(stored_metrics)},
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
  std::vector<Number>
  StoredMemory<Number>::numbers_of_blocks(const ElementSpace<dim, Number> &space,
                                          const unsigned int               n,
                                          const Set                       &set,
                                          const unsigned int               n_components) const
  {
    const std::size_t   n_stored = static_cast<std::size_t>(n_blocks) * block_size;
    std::vector<Number> values(n_stored * n * n_components);
    parallel_for(n_stored, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        set(space.element_or_last(first_block * block_size + e),
            [&](const unsigned int i, const double value) {
              values[point_index(e, i / n_components, n, n_components) + i % n_components] = value;
            });
    });
    return values;
  }

  template <typename Number>
  template <int dim>
  StoredMemory<Number>::StoredMemory(const ElementSpace<dim, Number> &space,
                                     const StoredMetrics              where)
  {
    if (where == StoredMetrics::none)
      return;
    for (const ElementRange &range : space.order.ranges)
      if (range.kind == GeometryKind::stored)
        {
          if (n_blocks == 0)
            first_block = range.begin / block_size;
          n_blocks = Saltus::n_blocks(range.end) - first_block;
        }
    if (n_blocks == 0)
      return;
    // Elliptic operators need the true gradients, others that constant fluxes have no residual.
    const bool                exact = !keeps_constant_states(where);
    const ElementMetrics<dim> of_element(space.reference,
                                         space.geometry,
                                         exact ? std::optional(MetricForm::cross_product)
                                               : std::nullopt);
    set_up_metrics(space, of_element, where);
    if (where != StoredMetrics::in_volume && where != StoredMetrics::for_curved_elements)
      set_up_face_metrics(space, of_element, where);
  }

  template <typename Number>
  template <int dim>
  void
  StoredMemory<Number>::set_up_metrics(const ElementSpace<dim, Number> &space,
                                       const ElementMetrics<dim>       &of_element,
                                       const StoredMetrics              where)
  {
    const ReferenceElement<dim> &reference = space.reference;
    const unsigned int           nv        = reference.n_volume_points();
    factors = of_blocks(space, nv, [&](const unsigned int e, const auto &put) {
      const auto values = of_element.determinants(e);
      for (unsigned int q = 0; q < nv; ++q)
        put(q, values[q]);
    });
    metrics = of_blocks(space, nv * dim * dim, [&](const unsigned int e, const auto &put) {
      const auto values = of_element.metrics(e);
      for (unsigned int i = 0; i < nv * dim * dim; ++i)
        put(i, values[i / (dim * dim)][i / dim % dim][i % dim]);
    });
    const unsigned int n_normals = reference.n_faces * reference.n_face_points();
    normals = of_blocks(space, n_normals * dim, [&](const unsigned int e, const auto &put) {
      const auto values = of_element.normals(e);
      for (unsigned int i = 0; i < n_normals * dim; ++i)
        put(i, values[i / dim][i % dim]);
    });
    if (keeps_constant_states(where))
      inverse_masses = of_blocks(space, nv, [&](const unsigned int e, const auto &put) {
        const auto values = of_element.inverse_masses(e);
        for (unsigned int q = 0; q < nv; ++q)
          put(q, values[q]);
      });
    if (keeps_constant_states(where) && space.device.is_cuda())
      {
        if constexpr (dim == 2)
          set_up_metric_modes(space, of_element);
        else if (reference.n_faces == dim + 1)
          set_up_groups(space, of_element);
      }
  }

  template <typename Number>
  template <int dim>
  void
  StoredMemory<Number>::set_up_metric_modes(const ElementSpace<dim, Number> &space,
                                            const ElementMetrics<dim>       &of_element)
  {
    constexpr unsigned int n_entries = dim * dim;
    const unsigned int     n_modes   = space.reference.n_modes;
    if (!of_element.has_metric_modes())
      return;
    n_metric_modes = of_element.n_metric_modes();
    metric_modes   = of_blocks(
      space,
      n_modes,
      [&](const unsigned int e, const auto &put) {
        const auto values = of_element.metric_modes(e);
        for (unsigned int i = 0; i < n_modes * n_entries; ++i)
          put(i, values[i / n_entries][i / dim % dim][i % dim]);
      },
      n_entries);
  }

  template <typename Number>
  void
  StoredMemory<Number>::set_up_groups(const ElementSpace<3, Number> &space,
                                      const ElementMetrics<3>       &of_element)
  {
    using Group                          = TetrahedronGroup;
    const ReferenceElement<3> &reference = space.reference;
    const int                  degree = reference.degree, nv = reference.n_volume_points(),
              nf = reference.n_face_points();
    modes_are_of_tangents =
      Group::may_be_of_tangents(degree) && of_element.has_tangent_modes() &&
      static_cast<int>(space.geometry.map_degree) - 1 <= Group::tangent_degree(degree);
    const Group layout = Group::of_degree(degree, modes_are_of_tangents, nv, nf);
    if (layout.n_modes > 0 && !of_element.has_metric_modes() && !modes_are_of_tangents)
      return;
    const std::size_t   n_stored = static_cast<std::size_t>(n_blocks) * block_size;
    std::vector<Number> numbers(n_stored / Group::n_elements * layout.size());
    parallel_for(n_stored, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end; ++i)
        {
          const unsigned int e  = space.element_or_last(first_block * block_size + i);
          Number *const      to = &numbers[std::size_t(i / Group::n_elements) * layout.size()];
          const int          g  = i % Group::n_elements;
          // Numbers `value(q, c)`, c < n, at points, beyond the last of which q goes on.
          const auto put =
            [&](const int first, const int n_points, const int n, const auto &value) {
              for (int q = 0; q < Group::n_tiles(n_points) * Group::points_of_tile; ++q)
                for (int c = 0; c < n; ++c)
                  to[first + Group::row * (q / Group::points_of_tile * n + c) +
                     Group::in_row(g, q % Group::points_of_tile)] = value(q, c);
            };
          if (layout.n_modes > 0)
            {
              const auto modes =
                modes_are_of_tangents ? of_element.tangent_modes(e) : of_element.metric_modes(e);
              for (int m = 0; m < layout.n_modes; ++m)
                for (int c = 0; c < 9; ++c)
                  to[Group::mode_stride * m + Group::n_elements * c + g] = modes[m][c / 3][c % 3];
            }
          else
            {
              const auto metrics = of_element.metrics(e);
              const auto normals = of_element.normals(e);
              put(0, nv, 9, [&](const int q, const int c) {
                return metrics[std::min(q, nv - 1)][c / 3][c % 3];
              });
              for (int f = 0; f < 4; ++f)
                put(layout.normals(f, 0), nf, 3, [&](const int q, const int c) {
                  return normals[f * nf + std::min(q, nf - 1)][c];
                });
            }
          const auto masses = of_element.inverse_masses(e);
          put(layout.inverse_masses(0), nv, 1, [&](const int q, const int) {
            return q < nv ? reference.volume_weights[q] * masses[q] : 0.;
          });
        }
    });
    groups = Memory<Number>(space.device, numbers);
  }

  template <typename Number>
  template <int dim>
  void
  StoredMemory<Number>::set_up_face_metrics(const ElementSpace<dim, Number> &space,
                                            const ElementMetrics<dim>       &of_element,
                                            const StoredMetrics              where)
  {
    const ReferenceElement<dim> &reference = space.reference;
    const unsigned int           nf = reference.n_face_points(), n = reference.n_faces * nf;
    constexpr unsigned int       n_entries = dim * dim;
    const auto put_point = [](const auto &put, const unsigned int point, const auto &metric) {
      for (unsigned int i = 0; i < n_entries; ++i)
        put(point * n_entries + i, metric[i / dim][i % dim]);
    };
    face_metrics = of_blocks(space, n * n_entries, [&](const unsigned int e, const auto &put) {
      const auto values = of_element.face_gradients(e);
      for (unsigned int point = 0; point < n; ++point)
        put_point(put, point, values[point]);
    });
    if (where == StoredMetrics::in_volume_and_on_faces)
      return;
    std::vector<Number> across =
      numbers_of_blocks(space, n * n_entries, [&](const unsigned int e, const auto &put) {
        for (unsigned int f = 0; f < reference.n_faces; ++f)
          {
            const auto across = element_across(space, e, f);
            const auto values = of_element.face_gradients(across.element);
            for (unsigned int q = 0; q < nf; ++q)
              put_point(put, f * nf + q, values[across.point(q)]);
          }
      });
    // Kernels in single precision do without.
    const bool is_fast = space.device.is_cuda() && std::is_same_v<Number, double>;
    if (is_fast && reference.is_simplex())
      groups = Memory<Number>(space.device, second_order_groups(space, of_element, *this));
    has_face_frames = is_fast && of_element.has_face_frames();
    if (has_face_frames)
      {
        const std::vector<Number> frames = face_frames(space, of_element);
        across.insert(across.end(), frames.begin(), frames.end());
      }
    face_metrics_across = Memory<Number>(space.device, across);
  }

  template <typename Number>
  template <int dim>
  std::vector<Number>
  StoredMemory<Number>::face_frames(const ElementSpace<dim, Number> &space,
                                    const ElementMetrics<dim>       &of_element) const
  {
    const ReferenceElement<dim> &reference = space.reference;
    using Frame                            = FaceFrame<dim, Number>;
    const unsigned int     nf = reference.n_face_points(), n_points = Frame::n_points(nf);
    constexpr unsigned int n      = Frame::n_derivatives;
    const auto             normal = [&](const unsigned int f) {
      return Tensor<1, dim>(ArrayView<const double>(&reference.face_normals[f * dim], dim));
    };
    const auto set_face = [&](const unsigned int e, const unsigned int f, const auto &put) {
      const auto across = element_across(space, e, f);
      const auto here   = of_element.face_jacobians(e), there =
                                                        of_element.face_jacobians(across.element);
      const Point<dim> *points = &reference.face_points[f * nf];
      for (unsigned int q = 0; q < n_points; ++q)
        {
          const auto put_derivative = [&](const unsigned int i, const Tensor<1, dim> &derivative) {
            for (unsigned int d = 0; d < dim; ++d)
              put(((f * n_points + q) * n + i) * dim + d, derivative[d]);
          };
          // In 3D, the differences to the first point are derivatives along the face.
          auto J = here[f * nf + q], J_across = there[across.point(q)];
          if (dim == 3 && q > 0)
            {
              J -= here[f * nf];
              J_across -= there[across.point(0)];
            }
          for (unsigned int i = 0; i + 1 < dim; ++i)
            put_derivative(i, J * (points[i + 1] - points[0]));
          put_derivative(dim - 1, J * normal(f));
          put_derivative(dim, J_across * normal(across.face));
        }
    };
    return numbers_of_blocks(space,
                             reference.n_faces * n_points * n * dim,
                             [&](const unsigned int e, const auto &put) {
                               for (unsigned int f = 0; f < reference.n_faces; ++f)
                                 set_face(e, f, put);
                             });
  }

  template <int dim, typename Number>
  ElementSpace<dim, Number>::ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                          const DoFHandler<dim> &dof_handler,
                                          const unsigned int     volume_degree,
                                          const unsigned int     face_degree,
                                          const Device           device,
                                          const StoredMetrics    stored_metrics)
    : ElementSpace(mesh,
                   checked_degree(*mesh, dof_handler),
                   dof_handler.get_fe_collection().n_components(),
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
    const unsigned int       n = unit_points.size();
    const ElementPoints<dim> in_element(geometry, unit_points);
    std::vector<Point<dim>>  result(n_padded_elements() * n,
                                   geometry.origins.empty() ? Point<dim>() : geometry.origins[0]);
    parallel_for(geometry.origins.size(), [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        {
          const auto positions = in_element.positions(e);
          for (unsigned int q = 0; q < n; ++q)
            result[point_index(e, q, n, 1)] = positions[q];
        }
    });
    return result;
  }

  template class ElementSpace<2, double>;
  template class ElementSpace<2, float>;
  template class ElementSpace<3, double>;
  template class ElementSpace<3, float>;
} // namespace Saltus
