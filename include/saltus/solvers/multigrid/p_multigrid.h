// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_p_multigrid_h
#define saltus_solvers_multigrid_p_multigrid_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/solvers/multigrid/block_jacobi_smoother.h>
#include <saltus/solvers/multigrid/on_shapes.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// One V cycle of hybrid multigrid for a symmetric positive operator on scalar functions, as a
  /// preconditioner for CG (Karakus et al., section 3). The levels have the degrees N, N/2, ..., 1,
  /// are matrix-free, and transfer by projection to the lower degree; each is smoothed by a
  /// Chebyshev polynomial with block Jacobi inside. The blocks are elements or, where elements are
  /// stretched, lines of elements along the strongest couplings (ElementLines). Below degree 1 an
  /// algebraic hierarchy continues: on the continuous linear functions, or on the discontinuous
  /// ones.
  ///
  /// With AlgebraicMultigrid's V cycle this is a fixed symmetric operator; for a singular problem
  /// results are orthogonal to constants. On GPUs, if ranks exchange messages without their hosts
  /// and the operator neither allocates nor waits, the cycle is replayed as a graph, on several
  /// ranks what is below the finest level.
  ///
  /// @tparam Operator of the levels. LaplaceOperator is one; another must have, by the same names,
  /// - `value_type`, the precision of the levels (that of the vectors outside may be another), and
  ///   `dimension`;
  /// - `reinit(other, degree)`: the same problem discretised with another degree, from the operator
  ///   that initialize() is given and from the level above;
  /// - `degree()`, `m()`, `element_space()`, `memory_consumption()`, `initialize_vector(v)`;
  /// - `vmult(dst, src)` and `compute_residual(dst, x, b)`, which is b - A x;
  /// - `compute_block_diagonal(blocks)`: of A, a BlockDiagonal, positive definite;
  /// - `couplings()`: A itself as ElementCouplings, asked for with degree 1, and with every degree
  ///   if there are lines;
  /// - `coupling_strengths()`: what ElementLines wants to know;
  /// - `is_singular()`: whether constants are in the kernel, and then `remove_null_space(x)`.
  ///
  /// MixedLaplaceOperator is another: on a mesh that mixes shapes vectors are BlockVectors, and all
  /// of the above is done shape by shape but for the operator itself and the algebraic hierarchy,
  /// which is then that of the continuous functions.
  ///
  /// The members are defined in p_multigrid.templates.h, which one file of a program includes that
  /// has an operator of its own; those for LaplaceOperator are compiled.
  template <typename Operator>
  class PMultigrid : public dealii::Subscriptor
  {
    using Number     = typename Operator::value_type;
    using VectorType = VectorOf<Operator>;
    using Shapes     = OnShapes<VectorType>;

  public:
    enum class CoarseSpace
    {
      continuous,
      discontinuous
    };

    struct AdditionalData
    {
      AdditionalData()
      {
        // They cost little next to the levels above, and keep the iterations independent of the
        // mesh.
        algebraic.n_cycles = 2;
      }

      unsigned int smoother_degree = 4; ///< applications of the operator a smoothing step
      CoarseSpace  coarse_space    = CoarseSpace::continuous;
      /// Near-null vector, block size and `singular` are set here.
      typename SpreadMultigrid<Number>::AdditionalData algebraic;
    };

    /// Seconds that the parts of initialize() took.
    struct SetUpTimes
    {
      double levels        = 0; ///< matrix-free levels with their smoothers
      double coarse_matrix = 0;
      double algebraic     = 0; ///< the hierarchy below
    };

    /// @param A of a type from which `Operator::reinit` makes the finest level; is not needed
    /// afterwards
    /// @throws dealii::ExcMessage for settings out of range
    template <typename OuterOperator>
    void
    initialize(const OuterOperator &A, const AdditionalData &additional_data);

    /// @param src with entries within the range of the levels' precision. Solvers divide their
    /// systems accordingly, see unit_of_system().
    template <typename OuterVector>
    void
    vmult(OuterVector &dst, const OuterVector &src) const;

    const SetUpTimes &
    set_up_times() const
    {
      return seconds;
    }

    /// A part of the work and its seconds.
    using PartTime = std::pair<std::string, double>;

    /// Do a cycle for the vector of the last one, waiting for the device after every part.
    std::vector<PartTime>
    time_parts() const;

    /// Degrees, sizes and memory of the levels.
    void
    print(std::ostream &stream) const;

    /// Bytes on the device in addition to the operator, its mesh and CG's vectors.
    std::size_t
    memory_consumption() const;

    /// The same for each element.
    double
    memory_per_element() const;

  private:
    struct Level
    {
      Operator                      matrix;
      BlockJacobiSmoother<Operator> smoother;
      typename Shapes::Transfer     to_coarser; ///< level

      /// Scratch: right-hand side, solution, residual.
      mutable VectorType b, x, residual;

      std::size_t
      memory_consumption() const;
    };

    /// @throws dealii::ExcMessage before initialize()
    const Level &
    finest_level() const;

    void
    set_up_coarse();

    /// Whether the algebraic hierarchy begins with this level's matrix.
    bool
    is_algebraic(const Level &level) const
    {
      return data.coarse_space == CoarseSpace::discontinuous && level.matrix.degree() == 1;
    }

    enum class Part
    {
      smoother,
      transfer, ///< with the residual
      algebraic
    };

    /// `x = B b` on a level and those below.
    /// @param done is called after each part, with the number of the level
    template <typename Done>
    void
    cycle(const unsigned int level, const Done &done) const;

    /// The same, where @p below makes the next level's x from its b.
    template <typename Done, typename Below>
    void
    visit(const unsigned int level, const Done &done, const Below &below) const;

    struct Untimed
    {
      void
      operator()(const unsigned int, const Part) const
      {}
    };

    /// The level with which the cycle that is recorded begins.
    unsigned int
    first_recorded() const;

    void
    record() const;

    /// That cycle, as a graph if it is recordable.
    void
    replay() const;

    AdditionalData                      data;
    SetUpTimes                          seconds;
    typename Shapes::Lines              lines;
    std::vector<std::unique_ptr<Level>> levels; ///< the finest first
    typename Shapes::Algebraic          algebraic;
    /// Of a cycle. Levels swap their arrays in a cycle: it is valid until another one is done
    /// without it.
    mutable CudaRuntime::Graph graph;
    mutable bool               is_recordable = false;
  };
} // namespace Saltus

#endif
