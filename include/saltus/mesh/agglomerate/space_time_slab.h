// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_space_time_slab_h
#define saltus_mesh_agglomerate_space_time_slab_h

#include <saltus/base/device/mirrored_array.h>
#include <saltus/mesh/agglomerate/polytopic_mesh.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// The prisms of a slab of space and time: polytopic elements times steps, of which each element
  /// has a number of its own, all equally long. Times are fractions of the slab's interval.
  ///
  /// Prisms are numbered element by element, and in time. On a mesh that is spread over ranks each
  /// counts its own from 0, and behind them those of its ghosts.
  template <int dim>
  class SpaceTimeSlab
  {
  public:
    /// A part of a slab's interval.
    struct Interval
    {
      double begin, end;

      double
      length() const
      {
        return end - begin;
      }
    };

    /// A prism and when one meets it.
    struct Contact
    {
      unsigned int prism;
      Interval     interval;
    };

    /// The most steps that an element may do in a slab.
    static constexpr unsigned int max_steps = 1000;

    /// Collective.
    /// @param n_steps `[element]` of this rank
    /// @throws dealii::ExcMessage for another number of them, and for elements with none or more
    /// than max_steps
    SpaceTimeSlab(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                  const std::vector<unsigned int>                 &n_steps);

    const PolytopicMesh<dim> &
    mesh() const
    {
      return *polytopes;
    }

    /// Of this rank.
    unsigned int
    n_prisms() const
    {
      return first_prisms[polytopes->n_elements()];
    }

    /// Of this rank, and those of its ghosts.
    unsigned int
    n_known_prisms() const
    {
      return elements.size();
    }

    /// Of all ranks.
    std::size_t
    n_global_prisms() const
    {
      return ghost_prisms ? ghost_prisms->partition->n_global_elements : n_prisms();
    }

    /// The prisms of ghosts; none on one rank.
    const std::shared_ptr<const GhostElements> &
    ghosts() const
    {
      return ghost_prisms;
    }

    // Elements and prisms may be ghosts in what follows.

    /// `[element]`: its first prism; and the number of all.
    const MirroredArray<int> &
    first_prisms_of_elements() const
    {
      return first_prisms;
    }

    /// `[prism]`
    const MirroredArray<int> &
    elements_of_prisms() const
    {
      return elements;
    }

    unsigned int
    n_steps(const unsigned int element) const
    {
      return first_prisms[element + 1] - first_prisms[element];
    }

    unsigned int
    prism(const unsigned int element, const unsigned int step) const
    {
      return first_prisms[element] + step;
    }

    unsigned int
    element(const unsigned int prism) const
    {
      return elements[prism];
    }

    unsigned int
    step(const unsigned int prism) const
    {
      return prism - first_prisms[elements[prism]];
    }

    Interval
    interval(const unsigned int prism) const
    {
      const double n = n_steps(elements[prism]);
      return {step(prism) / n, (step(prism) + 1) / n};
    }

    /// The prisms of another element that have a time in common with a prism, in their order. The
    /// intervals are the same to the last bit, whoever asks.
    std::vector<Contact>
    contacts(const unsigned int prism, const unsigned int other_element) const;

  private:
    void
    find_ghosts();

    std::shared_ptr<const PolytopicMesh<dim>> polytopes;
    MirroredArray<int>                        first_prisms, elements; ///< ghosts included
    std::shared_ptr<const GhostElements>      ghost_prisms;
  };
} // namespace Saltus

#endif
