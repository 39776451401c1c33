// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_vertex_maxima_h
#define saltus_operators_spaces_vertex_maxima_h

#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/vertex_exchange.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Makes of numbers of elements, which are not negative, a continuous function: at each vertex
  /// the largest of the elements around it, in between linear, or bilinear and trilinear on
  /// hypercubes, in the elements' own coordinates. Vertices that hang have what the larger element
  /// has there. Vertices that periodic boundaries make one are one; on several ranks elements of
  /// all count.
  template <int dim, typename Number>
  class VertexMaxima
  {
  public:
    using Spaces = std::vector<const ElementSpace<dim, Number> *>;

    /// Collective.
    /// @param spaces on a mesh, or on the parts of one that mixes shapes, on one device
    explicit VertexMaxima(const Spaces &spaces);

    /// How many values an element has: at the points of the volume, `[q]`, at those of the faces,
    /// `[f][q]`, and the largest of all.
    static unsigned int
    n_values(const ReferenceElement<dim> &reference)
    {
      return reference.volume_points.size() + reference.face_points.size() + 1;
    }

    /// Collective.
    /// @param of_elements `[space]`: as vectors with one mode
    /// @param values `[space]`: as vectors with n_values() modes; of ghosts nothing is written
    void
    run(const std::vector<const Number *> &of_elements, const std::vector<Number *> &values) const;

  private:
    /// The elements of one space.
    struct Part
    {
      Part(const ElementSpace<dim, Number> &space,
           const std::vector<unsigned int> &vertices,
           const std::vector<Number>       &levels);

      int            n_corners, n_values, n_blocks;
      Memory<int>    corners;          ///< `[block][v][l]`
      Memory<Number> functions;        ///< see BetweenVertices
      Memory<int>    starts, elements; ///< see LargestOfElements; vertices that hang have none
    };

    /// Of each vertex: 0; of those that hang 1, or one more than the largest of its ends.
    std::vector<Number>
    levels_of(const std::vector<typename VertexNumbers<dim>::Hanging> &hanging,
              const std::size_t                                        n_vertices) const;

    void
    exchange() const;

    const Device                                  device;
    const std::shared_ptr<const ElementPartition> partition;
    std::vector<Part>                             parts;
    Memory<int>                                   hanging;       ///< see HangingMeans
    std::vector<int>                              first_hanging; ///< `[level - 1]`; the end
    mutable Memory<Number>                        at_vertices;

    std::unique_ptr<const VertexExchange<Number>> vertex_exchange; ///< on several ranks
  };
} // namespace Saltus

#endif
