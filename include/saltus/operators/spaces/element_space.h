// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_element_space_h
#define saltus_operators_spaces_element_space_h

#include <saltus/base/algebra/vector.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/spaces/dof_map.h>
#include <saltus/operators/spaces/ghost_exchange.h>
#include <saltus/operators/spaces/table_memory.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace Saltus
{
  template <int dim>
  class ElementMetrics;

  template <int dim, typename Number>
  class ElementSpace;

  /// What an operator needs of the metrics of elements that are not affine, see StoredArrays.
  enum class StoredMetrics
  {
    none,                    ///< who needs some finds them himself
    in_volume,               ///< of the true map
    in_volume_and_on_faces,  ///< for gradients there, of the true map
    for_second_order_fluxes, ///< the same, on both sides of faces
    for_curved_elements,     ///< with inverse masses, of the form that keeps constant states
    for_all_fluxes           ///< the same, and for gradients on both sides of faces
  };

  /// Whether constant fluxes are to have no residual; else gradients are those of the true map.
  constexpr bool
  keeps_constant_states(const StoredMetrics metrics)
  {
    return metrics >= StoredMetrics::for_curved_elements;
  }

  /// The geometry of elements that are not affine at the points of a space, on its device.
  template <typename Number>
  struct StoredMemory
  {
    /// @param space of which mesh and quadrature matter
    template <int dim>
    StoredMemory(const ElementSpace<dim, Number> &space, const StoredMetrics where);

    std::size_t
    memory_consumption() const
    {
      return (factors.size() + metrics.size() + normals.size() + inverse_masses.size() +
              face_metrics.size() + face_metrics_across.size() + metric_modes.size() +
              groups.size()) *
             sizeof(Number);
    }

    // See StoredArrays.
    unsigned int   first_block = 0, n_blocks = 0;
    Memory<Number> factors, metrics, normals, inverse_masses, face_metrics, face_metrics_across;
    Memory<Number> metric_modes, groups;
    int            n_metric_modes        = 0;
    bool           modes_are_of_tangents = false, has_face_frames = false;

  private:
    /// Numbers `[block][i][l][c]` of these blocks.
    /// @param set `(element, put)` calls `put(i n_components + c, value)`, i < n, for an element
    template <int dim, typename Set>
    std::vector<Number>
    numbers_of_blocks(const ElementSpace<dim, Number> &space,
                      const unsigned int               n,
                      const Set                       &set,
                      const unsigned int               n_components = 1) const;

    /// The same on the device.
    template <int dim, typename Set>
    Memory<Number>
    of_blocks(const ElementSpace<dim, Number> &space,
              const unsigned int               n,
              const Set                       &set,
              const unsigned int               n_components = 1) const
    {
      return Memory<Number>(space.device, numbers_of_blocks(space, n, set, n_components));
    }

    template <int dim>
    void
    set_up_metrics(const ElementSpace<dim, Number> &space,
                   const ElementMetrics<dim>       &of_element,
                   const StoredMetrics              where);

    template <int dim>
    void
    set_up_metric_modes(const ElementSpace<dim, Number> &space,
                        const ElementMetrics<dim>       &of_element);

    void
    set_up_groups(const ElementSpace<3, Number> &space, const ElementMetrics<3> &of_element);

    template <int dim>
    void
    set_up_face_metrics(const ElementSpace<dim, Number> &space,
                        const ElementMetrics<dim>       &of_element,
                        const StoredMetrics              where);

    /// The numbers of FaceFrame.
    template <int dim>
    std::vector<Number>
    face_frames(const ElementSpace<dim, Number> &space,
                const ElementMetrics<dim>       &of_element) const;
  };

  /// What a space is on a range of elements.
  struct SpaceOnRange
  {
    unsigned int      degree;
    CoefficientLayout layout; ///< elements are counted from the first one of the range
  };

  /// Polynomials of one degree on the elements of a mesh, as the operators on a device see them:
  /// the mesh, which many spaces share, the tables of the reference element, and the way to
  /// deal.II's numbering. Spaces on one mesh share what they have in common.
  template <int dim, typename Number>
  class ElementSpace
  {
  public:
    /// The space of a DoFHandler.
    /// @param dof_handler of the FE_OrthonormalDG for the mesh's shape, FE_SimplexDGModal or
    /// FE_HypercubeDG, or an FESystem of copies of it, on the triangulation of @p mesh
    /// @param volume_degree,face_degree what the quadrature integrates exactly
    /// @throws dealii::ExcMessage for another element or triangulation
    ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const dealii::DoFHandler<dim>                 &dof_handler,
                 const unsigned int                             volume_degree,
                 const unsigned int                             face_degree,
                 const Device                                   device,
                 const StoredMetrics                            metrics = StoredMetrics::in_volume);

    /// A space without a numbering of deal.II's: copy_from() and copy_to() may not be called.
    ElementSpace(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const unsigned int                             degree,
                 const unsigned int                             n_components,
                 const unsigned int                             volume_degree,
                 const unsigned int                             face_degree,
                 const Device                                   device,
                 const StoredMetrics                            metrics = StoredMetrics::in_volume);

    /// The same: one space for all who ask, kept as long as one of them holds it.
    static std::shared_ptr<const ElementSpace>
    shared(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const unsigned int                             degree,
           const unsigned int                             n_components,
           const unsigned int                             volume_degree,
           const unsigned int                             face_degree,
           const Device                                   device,
           const StoredMetrics                            metrics = StoredMetrics::in_volume);

    const Device                                  device;
    const unsigned int                            n_components;
    const std::shared_ptr<const ElementMesh<dim>> mesh;

    const std::shared_ptr<const ReferenceElement<dim>> shared_reference;
    const ReferenceElement<dim>                       &reference = *shared_reference;

    const ElementOrder<dim>     &order        = mesh->order;
    const ElementGeometry<dim>  &geometry     = mesh->geometry;
    const FaceConnectivity<dim> &connectivity = mesh->connectivity;

    unsigned int
    n_elements() const
    {
      return order.n_elements();
    }

    /// On the device.
    const ElementTables<Number> &
    element_tables() const
    {
      return tables->arrays();
    }

    /// On the device.
    MeshArrays<Number>
    mesh_arrays() const
    {
      return mesh_memory->arrays();
    }

    /// The geometry of elements that are not affine at the points of this space, on the device.
    StoredArrays<Number>
    stored_arrays() const
    {
      StoredArrays<Number> arrays;
      arrays.first_block           = stored->first_block;
      arrays.n_blocks              = stored->n_blocks;
      arrays.n_volume_points       = reference.n_volume_points();
      arrays.n_face_points         = reference.n_face_points();
      arrays.n_faces               = reference.n_faces;
      arrays.factors               = stored->factors.data();
      arrays.metrics               = stored->metrics.data();
      arrays.normals               = stored->normals.data();
      arrays.inverse_masses        = stored->inverse_masses.data();
      arrays.metric_modes          = stored->metric_modes.data();
      arrays.n_metric_modes        = stored->n_metric_modes;
      arrays.groups                = stored->groups.data();
      arrays.has_face_frames       = stored->has_face_frames;
      arrays.modes_are_of_tangents = stored->modes_are_of_tangents;
      if (stored->face_metrics.size() > 0)
        {
          arrays.face_metrics        = stored->face_metrics.data();
          arrays.face_metrics_across = stored->face_metrics_across.data();
        }
      return arrays;
    }

    /// Call @p launch(mesh arrays, RangeLaunch) for all ranges of elements, without waiting for
    /// ghosts.
    template <typename Launch>
    void
    for_all_ranges(const Launch &launch) const
    {
      device.make_current();
      const auto &ranges = mesh_memory->joined_ranges();
      for (const MeshArrays<Number> &range : ranges)
        launch(range, RangeLaunch{true, false, false, ranges.size() == 1});
    }

    /// Call @p launch(mesh arrays, RangeLaunch) for all ranges of elements; on several ranks first
    /// for those that need no ghosts, while these travel, then for the others. On GPUs the latter
    /// do not wait for the former.
    /// @param u whose ghosts are set by @p exchange
    /// @param begin launches what all ranges wait for, which need not wait for ghosts
    template <typename Begin, typename Launch>
    void
    for_ranges(const GhostExchange<Number> &exchange,
               const Vector<Number>        &u,
               const Begin                 &begin,
               const Launch                &launch) const
    {
      device.make_current();
      bool       is_first      = true;
      const auto launch_ranges = [&](const bool need_ghosts, const bool beside_messages) {
        bool is_first_of_these = true;
        for (std::size_t i = 0; i < order.ranges.size(); ++i)
          if (order.ranges[i].needs_ghosts == need_ghosts)
            {
              launch(mesh_memory->ranges()[i],
                     RangeLaunch{is_first,
                                 beside_messages,
                                 need_ghosts && is_first_of_these,
                                 order.ranges.size() == 1});
              is_first = is_first_of_these = false;
            }
      };
      if (mesh->partition == nullptr)
        {
          begin();
          launch_ranges(false, false);
          return;
        }
      const auto fork = [&]() {
        if (device.is_cuda())
          CudaRuntime::fork();
      };
      const auto beside = [&](const auto &action) {
        device.is_cuda() ? CudaRuntime::beside(action) : action();
      };
      fork();
      beside([&]() { exchange.start(u); });
      begin();
      fork();
      launch_ranges(false, true);
      beside([&]() {
        exchange.finish(u);
        is_first = false;
        launch_ranges(true, false);
      });
      if (device.is_cuda())
        CudaRuntime::join();
    }

    /// Elements, ghosts and what fills up their last blocks.
    std::size_t
    n_padded_elements() const
    {
      return (n_blocks(n_elements()) + n_blocks(connectivity.ghosts.size())) *
             static_cast<std::size_t>(block_size);
    }

    /// Element @p i of the padded ones, or the element that padding repeats there.
    unsigned int
    element_or_last(const std::size_t i) const
    {
      return i < order.first_ghost() ? std::min<std::size_t>(i, n_elements() - 1)
                                     : std::min(i, geometry.jacobians.size() - 1);
    }

    /// Quadrature points `[block][q][l]`, those of ghosts as well; padding repeats a point of the
    /// mesh.
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

    VectorLayout
    layout() const
    {
      return layout(reference.n_modes, n_components);
    }

    /// On range @p i of the mesh. All ranges have the degree of the space, and stand one after the
    /// other in its vectors.
    SpaceOnRange
    on_range(const unsigned int i) const
    {
      AssertIndexRange(i, order.ranges.size());
      CoefficientLayout of_range = layout().coefficients();
      of_range.first             = of_range.index(order.ranges[i].begin, 0);
      return {reference.degree, of_range};
    }

    /// Of vectors with other modes and components on the same elements.
    VectorLayout
    layout(const unsigned int n_modes, const unsigned int n_components) const
    {
      return {device, n_elements(), n_modes, n_components, mesh->partition};
    }

    /// Zeros.
    Vector<Number>
    make_vector() const
    {
      return Vector<Number>(layout());
    }

    /// Between deal.II's numbering and the operators', see DoFMap.
    template <typename VectorType>
    void
    copy_from(Vector<Number> &to, const VectorType &from) const
    {
      dof_map.copy_from(to, from);
    }

    template <typename VectorType>
    void
    copy_to(VectorType &to, const Vector<Number> &from) const
    {
      dof_map.copy_to(to, from);
    }

    /// This rank's rows of the matrix of an operator on this space, see ElementCouplings: in
    /// deal.II's numbering, without one in the operators' own.
    DistributedRows
    distributed_rows(ElementCouplings<Number> couplings) const
    {
      return dof_map.empty()
               ? DoFMap::of_elements(*mesh, reference.degree).distributed_rows(std::move(couplings))
               : dof_map.distributed_rows(std::move(couplings));
    }

    /// Bytes on the device; the mesh arrays, which spaces of one precision share, are not counted.
    std::size_t
    table_memory() const
    {
      return table_memory({this});
    }

    /// Those of several spaces, what they share once.
    static std::size_t
    table_memory(const std::vector<const ElementSpace *> &spaces)
    {
      std::map<const void *, std::size_t> bytes;
      for (const ElementSpace *space : spaces)
        {
          bytes[space->tables.get()] = space->tables->memory_consumption();
          bytes[space->stored.get()] = space->stored->memory_consumption();
        }
      std::size_t sum = 0;
      for (const auto &[object, size] : bytes)
        sum += size;
      return sum;
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

    const std::shared_ptr<const TableMemory<Number>>  tables;
    const std::shared_ptr<const MeshMemory<Number>>   mesh_memory;
    const std::shared_ptr<const StoredMemory<Number>> stored;
    DoFMap                                            dof_map;
  };
} // namespace Saltus

#endif
