// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_shape_diagonal_h
#define saltus_operators_blocks_shape_diagonal_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/block_vector.h>

#include <vector>

namespace Saltus
{
  /// A matrix on a mesh that mixes shapes which couples no two elements of different shapes: one
  /// matrix a shape, e.g. a BlockDiagonal.
  template <typename Matrix>
  class ShapeDiagonal : public dealii::Subscriptor
  {
  public:
    using value_type = typename Matrix::value_type;
    using VectorType = BlockVector<value_type>;

    void
    vmult(VectorType &dst, const VectorType &src) const
    {
      for (unsigned int i = 0; i < of_shapes.size(); ++i)
        of_shapes[i].vmult(dst.block(i), src.block(i));
    }

    /// `dst = factor A src`
    void
    vmult(VectorType &dst, const value_type factor, const VectorType &src) const
    {
      for (unsigned int i = 0; i < of_shapes.size(); ++i)
        of_shapes[i].vmult(dst.block(i), factor, src.block(i));
    }

    /// `dst += factor A src`
    void
    vmult_add(VectorType &dst, const value_type factor, const VectorType &src) const
    {
      for (unsigned int i = 0; i < of_shapes.size(); ++i)
        of_shapes[i].vmult_add(dst.block(i), factor, src.block(i));
    }

    void
    Tvmult(VectorType &dst, const VectorType &src) const
    {
      for (unsigned int i = 0; i < of_shapes.size(); ++i)
        of_shapes[i].Tvmult(dst.block(i), src.block(i));
    }

    void
    invert()
    {
      for (Matrix &matrix : of_shapes)
        matrix.invert();
    }

    std::size_t
    memory_consumption() const
    {
      std::size_t sum = 0;
      for (const Matrix &matrix : of_shapes)
        sum += matrix.memory_consumption();
      return sum;
    }

    std::vector<Matrix> of_shapes;
  };

  /// What is written once for meshes of one shape and of several sees a matrix for the former as
  /// the only part of itself; the matrix of several gets as many parts as are asked for.
  template <typename Matrix>
  Matrix &
  part_of(Matrix &matrix, const unsigned int /*i*/)
  {
    return matrix;
  }

  template <typename Matrix>
  Matrix &
  part_of(ShapeDiagonal<Matrix> &matrix, const unsigned int i)
  {
    if (matrix.of_shapes.size() <= i)
      matrix.of_shapes.resize(i + 1);
    return matrix.of_shapes[i];
  }
} // namespace Saltus

#endif
