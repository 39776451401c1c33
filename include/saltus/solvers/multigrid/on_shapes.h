// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_on_shapes_h
#define saltus_solvers_multigrid_on_shapes_h

#include <saltus/operators/blocks/mixed_couplings.h>
#include <saltus/operators/blocks/mode_transfer.h>
#include <saltus/operators/blocks/shape_diagonal.h>
#include <saltus/solvers/multigrid/block_inverse.h>
#include <saltus/solvers/multigrid/continuous_coarse_space.h>
#include <saltus/solvers/multigrid/vertex_multigrid.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace Saltus
{
  /// ModeTransfer on a mesh that mixes shapes.
  template <typename Number>
  struct ShapeTransfer
  {
    void
    project(BlockVector<Number> &coarse, const BlockVector<Number> &fine) const
    {
      for (unsigned int i = 0; i < of_shapes.size(); ++i)
        of_shapes[i].project(coarse.block(i), fine.block(i));
    }

    void
    add_embedded(BlockVector<Number> &fine, const BlockVector<Number> &coarse) const
    {
      for (unsigned int i = 0; i < of_shapes.size(); ++i)
        of_shapes[i].add_embedded(fine.block(i), coarse.block(i));
    }

    std::size_t
    memory_consumption() const
    {
      std::size_t sum = 0;
      for (const auto &transfer : of_shapes)
        sum += transfer.memory_consumption();
      return sum;
    }

    std::vector<ModeTransfer<Number>> of_shapes;
  };


  /// What smoothers and multigrid need to know of an operator that differs between those on meshes
  /// of one shape and those on meshes that mix shapes, whose vectors are BlockVectors.
  template <typename VectorType>
  struct OnShapes;

  namespace internal
  {
    /// Where the coefficients of this rank's elements stand in the array of a vector, `[e][m]`.
    template <typename Number>
    std::vector<std::size_t>
    positions_of(const Vector<Number> &vector)
    {
      std::vector<std::size_t> positions;
      positions.reserve(vector.locally_owned_size());
      const CoefficientLayout layout = vector.layout().coefficients();
      for (unsigned int e = 0; e < vector.n_elements(); ++e)
        for (int m = 0; m < layout.n_modes; ++m)
          positions.push_back(layout.index(e, m));
      return positions;
    }
  } // namespace internal

  template <typename Number>
  struct OnShapes<Vector<Number>>
  {
    using Lines     = ElementLines;
    using Inverse   = BlockInverse<Number>;
    using Transfer  = ModeTransfer<Number>;
    using Algebraic = SpreadMultigrid<Number>;

    template <typename Operator>
    static Device
    device(const Operator &matrix)
    {
      return matrix.element_space().device;
    }

    template <typename Operator>
    static const std::shared_ptr<const ElementPartition> &
    partition(const Operator &matrix)
    {
      return matrix.element_space().mesh->partition;
    }

    /// Between an operator and one of a lower degree.
    template <typename Operator>
    static Transfer
    transfer(const Operator &fine, const Operator &coarse)
    {
      return ModeTransfer<Number>(device(fine),
                                  fine.element_space().reference.basis.embedding(
                                    coarse.element_space().reference.basis));
    }

    template <typename Operator>
    static Lines
    lines(const Operator &matrix)
    {
      return ElementLines(matrix.coupling_strengths());
    }

    /// How many there are, and of how many elements.
    static std::pair<std::size_t, std::size_t>
    line_sizes(const Lines &lines)
    {
      return {lines.size(), lines.elements.size()};
    }

    /// @param like a vector of @p matrix
    template <typename Operator>
    static void
    set_up(Inverse &inverse, const Operator &matrix, const Lines &lines, const Vector<Number> &like)
    {
      if (!lines.empty())
        inverse.reinit(matrix.couplings(), lines, like);
      else
        {
          BlockDiagonal<Number> blocks;
          matrix.compute_block_diagonal(blocks);
          inverse.reinit(blocks);
        }
    }

    /// What algebraic multigrid begins with: its matrix, and the embedding of its unknowns in the
    /// arrays of vectors.
    /// @param linear of degree 1
    /// @param like a vector of it
    /// @param continuous or the matrix of the operator itself
    /// @param aggregation what the matrix needs to be known
    template <typename Operator>
    static std::pair<GatheredMatrix, CompressedRows>
    coarse_problem(const Operator                   &linear,
                   const Vector<Number>             &like,
                   const bool                        continuous,
                   AggregationHierarchy::Parameters &aggregation)
    {
      const auto                    &space     = linear.element_space();
      const std::vector<std::size_t> positions = internal::positions_of(like);
      if (continuous)
        {
          const ContinuousCoarseSpace<Operator::dimension> coarse(*space.mesh, space.reference);
          return {coarse.galerkin_product(linear.couplings()),
                  coarse.prolongation().with_rows_at(positions, like.data_size())};
        }
      const unsigned int n_modes = space.reference.n_modes;
      aggregation.block_size     = n_modes;
      aggregation.near_null_vector.resize(linear.m());
      const std::vector<double> constant = space.reference.basis.constant(1.);
      for (std::size_t i = 0; i < linear.m(); ++i)
        aggregation.near_null_vector[i] = constant[i % n_modes];
      return {gather(space.mesh->partition, space.distributed_rows(linear.couplings())),
              CompressedRows::placement(positions, like.data_size())};
    }
  };

  template <typename Number>
  struct OnShapes<BlockVector<Number>>
  {
    using Lines     = std::vector<ElementLines>; ///< none: of no shape
    using Inverse   = ShapeDiagonal<BlockInverse<Number>>;
    using Transfer  = ShapeTransfer<Number>;
    using Algebraic = VertexMultigrid<Number>;

    template <typename Operator>
    static Device
    device(const Operator &matrix)
    {
      return matrix.device();
    }

    /// That of one shape: for its communicator.
    template <typename Operator>
    static const std::shared_ptr<const ElementPartition> &
    partition(const Operator &matrix)
    {
      return matrix.meshes()[0]->partition;
    }

    template <typename Operator>
    static Transfer
    transfer(const Operator &fine, const Operator &coarse)
    {
      Transfer result;
      for (unsigned int i = 0; i < fine.n_parts(); ++i)
        result.of_shapes.push_back(
          OnShapes<Vector<Number>>::transfer(fine.part(i), coarse.part(i)));
      return result;
    }

    /// Lines end where shapes meet.
    template <typename Operator>
    static Lines
    lines(const Operator &matrix)
    {
      Lines result;
      for (unsigned int i = 0; i < matrix.n_parts(); ++i)
        result.emplace_back(matrix.part(i).coupling_strengths());
      return result;
    }

    static std::pair<std::size_t, std::size_t>
    line_sizes(const Lines &lines)
    {
      std::pair<std::size_t, std::size_t> sum(0, 0);
      for (const ElementLines &of_shape : lines)
        {
          sum.first += of_shape.size();
          sum.second += of_shape.elements.size();
        }
      return sum;
    }

    template <typename Operator>
    static void
    set_up(Inverse                   &inverse,
           const Operator            &matrix,
           const Lines               &lines,
           const BlockVector<Number> &like)
    {
      const auto has_lines = [&](const unsigned int i) {
        return i < lines.size() && !lines[i].empty();
      };
      MixedCouplings<Number>               couplings;
      ShapeDiagonal<BlockDiagonal<Number>> blocks;
      inverse.of_shapes.resize(like.n_blocks());
      for (unsigned int i = 0; i < like.n_blocks(); ++i)
        if (has_lines(i))
          {
            if (couplings.of_shapes.empty())
              couplings = matrix.couplings();
            inverse.of_shapes[i].reinit(std::move(couplings.of_shapes[i]), lines[i], like.block(i));
          }
        else
          {
            if (blocks.of_shapes.empty())
              matrix.compute_block_diagonal(blocks);
            inverse.of_shapes[i].reinit(blocks.of_shapes[i]);
          }
    }

    template <typename Operator>
    static std::pair<GatheredMatrix, std::vector<CompressedRows>>
    coarse_problem(const Operator            &linear,
                   const BlockVector<Number> &like,
                   const bool                 continuous,
                   AggregationHierarchy::Parameters & /*aggregation*/)
    {
      AssertThrow(continuous,
                  dealii::ExcMessage("The discontinuous coarse space is for meshes of one shape: "
                                     "on those that mix shapes take the continuous one."));
      std::vector<const ReferenceElement<Operator::dimension> *> references;
      for (unsigned int i = 0; i < linear.n_parts(); ++i)
        references.push_back(&linear.part(i).element_space().reference);
      const ContinuousCoarseSpace<Operator::dimension> coarse(linear.meshes(), references);
      std::vector<CompressedRows>                      embeddings;
      for (unsigned int i = 0; i < linear.n_parts(); ++i)
        embeddings.push_back(
          coarse.prolongation(i).with_rows_at(internal::positions_of(like.block(i)),
                                              like.block(i).data_size()));
      return {coarse.galerkin_product(linear.couplings()), embeddings};
    }
  };


  namespace internal
  {
    template <typename Operator, typename = void>
    struct VectorOf
    {
      using type = Vector<typename Operator::value_type>;
    };

    template <typename Operator>
    struct VectorOf<Operator, std::void_t<typename Operator::VectorType>>
    {
      using type = typename Operator::VectorType;
    };
  } // namespace internal

  /// Of an operator: its `VectorType`, or Vector if it names none.
  template <typename Operator>
  using VectorOf = typename internal::VectorOf<Operator>::type;
} // namespace Saltus

#endif
