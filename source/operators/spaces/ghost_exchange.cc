// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/fe/reference_element.h>
#include <saltus/operators/spaces/ghost_exchange.h>

#include <cmath>
#include <map>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Orthonormal vectors `[k][m]` of coefficients: polynomials that are orthogonal to all of them
    /// have, on face @p face of the cell, nothing of what @p data asks for.
    template <int dim>
    std::vector<std::vector<double>>
    basis_of_traces(const ReferenceElement<dim> &reference,
                    const unsigned int           face,
                    const GhostData              data)
    {
      if (data == GhostData::mean)
        return {reference.basis.constant(1. / std::sqrt(reference.reference_cell.volume()))};
      return reference.basis.traces(face, data == GhostData::values_and_gradients);
    }

    /// Matrices for cells' faces seen from elements with their vertices in another order.
    template <int dim>
    class TraceMatrices
    {
    public:
      TraceMatrices(const ReferenceElement<dim> &reference, const GhostData data)
        : modes(ModePermutations::make<dim>(reference.reference_cell, reference.degree))
      {
        for (unsigned int f = 0; f < reference.n_faces; ++f)
          bases.push_back(basis_of_traces(reference, f, data));
      }

      unsigned int
      n_numbers() const
      {
        return bases[0].size();
      }

      /// Number of a matrix, which is made if it is new.
      int
      number(const VertexPermutation<dim> &vertices, const unsigned int cell_face)
      {
        const unsigned char code = ModePermutations::code<dim>(vertices);
        const auto [known, is_new] =
          numbers.insert({{code, cell_face}, static_cast<int>(numbers.size())});
        if (is_new)
          for (const std::vector<double> &of_cell : bases[cell_face])
            {
              std::vector<double> of_element(of_cell.size());
              modes.to_element(code, 1, of_cell.data(), of_element.data());
              entries.insert(entries.end(), of_element.begin(), of_element.end());
            }
        return known->second;
      }

      std::vector<double> entries; ///< `[matrix][k][m]`

    private:
      const ModePermutations                                modes;
      std::vector<std::vector<std::vector<double>>>         bases; ///< `[cell face][k][m]`
      std::map<std::pair<unsigned char, unsigned int>, int> numbers;
    };
  } // namespace

  template <typename Number>
  template <int dim>
  GhostExchange<Number>::GhostExchange(const ElementMesh<dim> &mesh,
                                       const unsigned int      degree,
                                       const unsigned int      n_components,
                                       const Device            device,
                                       const GhostData         data)
    : device(device)
  {
    if (mesh.partition == nullptr)
      return;
    const ReferenceElement<dim> reference(degree, 0, 0, mesh.shape.reference_cell);
    TraceMatrices<dim>          all(reference, data);
    std::vector<int>            elements, to_pack, to_unpack;
    for (const auto &ghost : mesh.connectivity.ghosts)
      {
        const VertexPermutation<dim> own = mesh.order.vertices_of(ghost.element);
        elements.push_back(ghost.element);
        to_pack.push_back(
          all.number(own, mesh.order.cell_face(mesh.shape, ghost.element, ghost.face)));
        to_unpack.push_back(all.number(ghost.vertices, ghost.cell_face));
      }
    sizes.n_ghosts    = elements.size();
    sizes.first_ghost = mesh.order.first_ghost();
    sizes.n_numbers   = all.n_numbers();
    sizes.layout      = {static_cast<int>(reference.n_modes), static_cast<int>(n_components)};
    this->elements    = Memory<int>(device, elements);
    this->to_pack     = Memory<int>(device, to_pack);
    this->to_unpack   = Memory<int>(device, to_unpack);
    matrices = Memory<Number>(device, std::vector<Number>(all.entries.begin(), all.entries.end()));

    const auto n     = static_cast<std::size_t>(sizes.n_numbers) * n_components;
    const auto parts = rank_parts(mesh.ghost_ranks(), n);
    sent             = Memory<Number>(device, elements.size() * n);
    received         = Memory<Number>(device, elements.size() * n);
    messages         = std::make_unique<RankMessages<Number>>(
      mesh.partition, device, sent.data(), parts, received.data(), parts);
  }

  template <typename Number>
  GhostArrays<Number>
  GhostExchange<Number>::arrays(const Vector<Number> &vector) const
  {
    GhostArrays<Number> result = sizes;
    result.elements            = elements.data();
    result.to_pack             = to_pack.data();
    result.to_unpack           = to_unpack.data();
    result.matrices            = matrices.data();
    result.sent                = sent.data();
    result.received            = received.data();
    result.coefficients        = const_cast<Number *>(vector.data());
    result.peers               = messages->in_kernels();
    return result;
  }

  namespace
  {
    template <typename Number>
    KernelSource
    source_of_sending()
    {
      return {instance_name("SendGhostsProgram", {type_name<Number>()}),
              {KernelSource::Argument::of<GhostArrays<Number>>()}};
    }

    template <typename Number>
    KernelSource
    source_of_receiving()
    {
      return {instance_name("ReceiveGhostsProgram", {type_name<Number>()}),
              {KernelSource::Argument::of<GhostArrays<Number>>()}};
    }

    /// Where ranks send to each other's memory, with @p n_a_ghost threads for each ghost.
    template <typename Number>
    void
    launch_for_peers(const GpuKernel                 &kernel,
                     const CudaRuntime::PeerMessages &messages,
                     const int                        n_a_ghost,
                     const GhostArrays<Number>       &arg)
    {
      const std::size_t  size = arg.n_numbers * arg.layout.n_components * sizeof(Number);
      GpuKernel::Options options;
      options.n_rows = messages.n;
      kernel.launch(messages.largest / size * n_a_ghost, options, arg);
    }
  } // namespace

  template <typename Number>
  void
  GhostExchange<Number>::start(const Vector<Number> &vector) const
  {
    if (!is_needed())
      return;
    const GhostArrays<Number> arg = arrays(vector);
    device.make_current();
    if (arg.peers.to.n > 0)
      launch_for_peers(kernel_on<source_of_sending<Number>>(device.ordinal()),
                       arg.peers.to,
                       arg.n_numbers,
                       arg);
    else
      {
        launch(device,
               static_cast<std::size_t>(arg.n_ghosts) * arg.n_numbers,
               PackGhosts<Number>{arg});
        messages->start();
      }
  }

  template <typename Number>
  void
  GhostExchange<Number>::finish(const Vector<Number> &vector) const
  {
    if (!is_needed())
      return;
    const GhostArrays<Number> arg = arrays(vector);
    device.make_current();
    if (arg.peers.from.n > 0)
      launch_for_peers(kernel_on<source_of_receiving<Number>>(device.ordinal()),
                       arg.peers.from,
                       arg.layout.n_modes,
                       arg);
    else
      {
        messages->finish();
        launch(device,
               static_cast<std::size_t>(arg.n_ghosts) * arg.layout.n_modes,
               UnpackGhosts<Number>{arg});
      }
  }

#define SALTUS_GHOST_EXCHANGE(Number)                                   \
  template class GhostExchange<Number>;                                 \
  template GhostExchange<Number>::GhostExchange(const ElementMesh<2> &, \
                                                const unsigned int,     \
                                                const unsigned int,     \
                                                const Device,           \
                                                const GhostData);       \
  template GhostExchange<Number>::GhostExchange(const ElementMesh<3> &, \
                                                const unsigned int,     \
                                                const unsigned int,     \
                                                const Device,           \
                                                const GhostData);
  SALTUS_GHOST_EXCHANGE(double)
  SALTUS_GHOST_EXCHANGE(float)
#undef SALTUS_GHOST_EXCHANGE
} // namespace Saltus
