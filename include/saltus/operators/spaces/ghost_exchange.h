// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_ghost_exchange_h
#define saltus_operators_spaces_ghost_exchange_h

#include <saltus/base/algebra/vector.h>
#include <saltus/base/ranks/rank_messages.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/spaces/ghost_arrays.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// What operators need to know of the polynomial across a face.
  enum class GhostData
  {
    mean,                ///< in the element
    values,              ///< on the face
    values_and_gradients ///< on the face
  };

  /// Sets the ghosts of vectors to what other ranks have computed. What travels is the least that
  /// determines what is needed: of `mean` one number, otherwise as many as the values (and
  /// gradients) of the space's polynomials on a face have dimensions, which is less than the number
  /// of modes from some degree on. A ghost's polynomial has the values (and gradients) of the true
  /// one there, and is the smallest of this kind.
  ///
  /// All ranks use an exchange together. On a mesh without ghosts it does nothing.
  ///
  /// Operators share exchanges although these have one place for what travels: a rank's thread
  /// finishes one before it starts another, and what both launch on a GPU, directly or from graphs,
  /// waits for what was launched before.
  template <typename Number>
  class GhostExchange
  {
  public:
    /// Collective.
    /// @param degree,n_components,device of the vectors
    template <int dim>
    GhostExchange(const ElementMesh<dim> &mesh,
                  const unsigned int      degree,
                  const unsigned int      n_components,
                  const Device            device,
                  const GhostData         data);

    /// The same: one exchange for all who ask, kept as long as one of them holds it. Collective.
    template <int dim>
    static std::shared_ptr<const GhostExchange>
    shared(const ElementMesh<dim> &mesh,
           const unsigned int      degree,
           const unsigned int      n_components,
           const Device            device,
           const GhostData         data)
    {
      return mesh.cache.template get<GhostExchange>(device,
                                                    {degree,
                                                     n_components,
                                                     static_cast<unsigned int>(data)},
                                                    mesh,
                                                    degree,
                                                    n_components,
                                                    device,
                                                    data);
    }

    /// Send this rank's part of @p vector, which may not change until finish() returns.
    void
    start(const Vector<Number> &vector) const;

    /// Wait for the ghosts of @p vector and set them. (They are no part of its value.)
    void
    finish(const Vector<Number> &vector) const;

    void
    run(const Vector<Number> &vector) const
    {
      start(vector);
      finish(vector);
    }

    /// Whether nobody on the host waits for messages, so that exchanges can be recorded in a graph.
    bool
    on_device() const
    {
      return !is_needed() || messages->on_device();
    }

    /// That this rank sends each time.
    std::size_t
    n_bytes() const
    {
      return is_needed() ? messages->n_bytes() : 0;
    }

  private:
    bool
    is_needed() const
    {
      return messages != nullptr;
    }

    GhostArrays<Number>
    arrays(const Vector<Number> &vector) const;

    Device                 device = Device::cpu();
    GhostArrays<Number>    sizes; ///< without arrays
    Memory<int>            elements, to_pack, to_unpack;
    Memory<Number>         matrices;
    mutable Memory<Number> sent, received; ///< what messages carry

    std::unique_ptr<RankMessages<Number>> messages;
  };
} // namespace Saltus

#endif
