// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_parts_of_shapes_h
#define saltus_operators_flow_parts_of_shapes_h

#include <deal.II/base/exceptions.h>
#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/block_vector.h>

#include <memory>
#include <utility>
#include <vector>

namespace Saltus
{
  /// The operators of one kind on the shapes of a mesh that mixes them, in the order of
  /// mixed_shapes().
  template <typename Part_>
  class PartsOfShapes : public dealii::Subscriptor
  {
  public:
    using Part       = Part_;
    using value_type = typename Part::value_type;
    using VectorType = BlockVector<value_type>;

    unsigned int
    n_parts() const
    {
      return parts.size();
    }

    /// On the cells of one shape, without the terms on faces to other shapes.
    /// @throws dealii::ExcMessage before reinit()
    const Part &
    part(const unsigned int i) const
    {
      check_set_up();
      return *parts.at(i);
    }

  protected:
    /// @throws dealii::ExcMessage before reinit()
    void
    check_set_up() const
    {
      AssertThrow(!parts.empty(),
                  dealii::ExcMessage(
                    "An operator on a mesh that mixes shapes is not set up: call reinit() first."));
    }

    /// Call `body(part, i)` for all of them.
    template <typename Body>
    void
    for_parts(const Body &body) const
    {
      check_set_up();
      for (unsigned int i = 0; i < n_parts(); ++i)
        body(*parts[i], i);
    }

    /// A block a shape.
    /// @param make `make(part)`
    template <typename Make>
    VectorType
    make_blocks(const Make &make) const
    {
      std::vector<Vector<value_type>> blocks;
      for_parts([&](const Part &part, const unsigned int) { blocks.push_back(make(part)); });
      return VectorType(std::move(blocks));
    }

    std::vector<std::unique_ptr<Part>> parts;
  };

  /// Symmetric matrices for velocities, as deal.II's solvers want them.
  template <typename Part>
  class VelocityMatrices : public PartsOfShapes<Part>
  {
  public:
    using size_type = dealii::types::global_dof_index;
    using typename PartsOfShapes<Part>::VectorType;

    /// Of `dim` components, like MixedFlowOperators::make_velocity() makes them.
    void
    initialize_vector(VectorType &vector) const
    {
      vector = this->make_blocks([](const Part &part) {
        Vector<typename Part::value_type> block;
        part.initialize_vector(block);
        return block;
      });
    }

    /// The same by deal.II's name.
    void
    initialize_dof_vector(VectorType &vector) const
    {
      initialize_vector(vector);
    }

    /// Number of rows, on all ranks.
    std::size_t
    m() const
    {
      std::size_t sum = 0;
      this->for_parts([&](const Part &part, const unsigned int) { sum += part.m(); });
      return sum;
    }

    std::size_t
    n() const
    {
      return m();
    }
  };
} // namespace Saltus

#endif
