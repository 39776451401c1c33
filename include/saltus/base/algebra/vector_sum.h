// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_vector_sum_h
#define saltus_base_algebra_vector_sum_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/base/algebra/combination.h>

#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// \f$ \sum_i f_i x_i \f$, which is not formed but read by kernels term by term. Refers to the
  /// vectors.
  /// @tparam VectorType Vector, or BlockVector
  template <typename Number, typename VectorType = Vector<Number>>
  class VectorSum
  {
  public:
    struct Term
    {
      double            factor;
      const VectorType *vector;
      /// Whether update_ghosts() has been called since the vector was changed.
      bool has_ghosts = false;
    };

    VectorSum() = default;

    VectorSum(const VectorType &vector)
      : terms_({{1., &vector}})
    {}

    VectorSum(std::vector<Term> terms)
      : terms_(std::move(terms))
    {}

    const std::vector<Term> &
    terms() const
    {
      return terms_;
    }

  private:
    std::vector<Term> terms_;
  };

  /// The sum of the blocks number @p i.
  template <typename Number>
  VectorSum<Number>
  block_of(const VectorSum<Number, BlockVector<Number>> &sum, const unsigned int i)
  {
    std::vector<typename VectorSum<Number>::Term> terms;
    for (const auto &term : sum.terms())
      terms.push_back({term.factor, &term.vector->block(i), term.has_ghosts});
    return terms;
  }

  /// For kernels.
  /// @param where for the message
  /// @throws dealii::ExcMessage for more terms than these take
  template <typename Number>
  Combination<Number>
  combination(const VectorSum<Number> &sum, const std::string &where)
  {
    Combination<Number> result;
    AssertThrow(sum.terms().size() <= Combination<Number>::max_terms,
                dealii::ExcMessage("The " + where + " takes sums of at most " +
                                   std::to_string(Combination<Number>::max_terms) +
                                   " vectors, not " + std::to_string(sum.terms().size()) + "."));
    for (const auto &term : sum.terms())
      {
        result.factors[result.n_terms] = term.factor;
        result.vectors[result.n_terms] = term.vector->data();
        ++result.n_terms;
      }
    return result;
  }
} // namespace Saltus

#endif
