// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/element_mesh.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::pair<ElementOrder<dim>, FaceConnectivity<dim>>
    number_elements(const Triangulation<dim>            &triangulation,
                    const std::vector<PeriodicBoundary> &periodic_boundaries,
                    const unsigned int                   matching_rounds)
    {
      const CellShape<dim>  shape;
      ElementOrder<dim>     order(triangulation);
      FaceConnectivity<dim> connectivity(order, shape, periodic_boundaries);
      connectivity.match(order, shape, matching_rounds);
      return {std::move(order), std::move(connectivity)};
    }
  } // namespace

  template <int dim>
  ElementMesh<dim>::ElementMesh(const Mapping<dim>                  &mapping,
                                const Triangulation<dim>            &triangulation,
                                const std::vector<PeriodicBoundary> &periodic_boundaries,
                                const unsigned int                   matching_rounds)
    : ElementMesh(mapping,
                  periodic_boundaries,
                  number_elements(triangulation, periodic_boundaries, matching_rounds))
  {}

  template <int dim>
  ElementMesh<dim>::ElementMesh(const Mapping<dim>                  &mapping,
                                const std::vector<PeriodicBoundary> &periodic_boundaries,
                                Numbering                          &&numbering)
    : periodic_boundaries(periodic_boundaries)
    , order(std::move(numbering.first))
    , connectivity(std::move(numbering.second))
    , geometry(order, shape, mapping)
  {}

  template <int dim>
  void
  ElementMesh<dim>::check_triangulation(const Triangulation<dim> &triangulation) const
  {
    AssertThrow(&order.cells[0]->get_triangulation() == &triangulation &&
                  triangulation.n_active_cells() == n_elements(),
                ExcMessage("The element mesh was made for another triangulation than that of the "
                           "degrees of freedom, or before this was refined. Make it anew."));
  }

  template <int dim>
  template <typename Number>
  std::shared_ptr<const MeshMemory<Number>>
  ElementMesh<dim>::on_device(const Device device) const
  {
    const std::lock_guard<std::mutex> lock(mutex);

    auto &known = std::get<Copies<Number>>(copies);
    auto  copy  = std::find_if(known.begin(), known.end(), [&](const auto &entry) {
      return entry.first == device;
    });
    if (copy == known.end())
      copy = known.insert(known.end(), {device, {}});
    auto memory = copy->second.lock();
    if (memory == nullptr)
      {
        memory       = std::make_shared<const MeshMemory<Number>>(*this, device);
        copy->second = memory;
      }
    return memory;
  }

#define SALTUS_ELEMENT_MESH(dim)                                                          \
  template class ElementMesh<dim>;                                                        \
  template std::shared_ptr<const MeshMemory<double>> ElementMesh<dim>::on_device<double>( \
    const Device) const;                                                                  \
  template std::shared_ptr<const MeshMemory<float>> ElementMesh<dim>::on_device<float>(   \
    const Device) const;
  SALTUS_ELEMENT_MESH(2)
  SALTUS_ELEMENT_MESH(3)
#undef SALTUS_ELEMENT_MESH
} // namespace Saltus
