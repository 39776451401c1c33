// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_element_families_h
#define saltus_operators_polytopic_element_families_h

#include <limits>
#include <vector>

namespace Saltus
{
  /// From which divisions elements come, so that parts can become again what they were parts of.
  /// Divisions are counted as they are made; on several ranks each knows those of its elements.
  class ElementFamilies
  {
  public:
    static constexpr unsigned int none = std::numeric_limits<unsigned int>::max();

    /// Elements that are parts of nothing.
    explicit ElementFamilies(const unsigned int n_elements)
      : divisions(n_elements)
    {}

    /// `[element]`: the division from which it comes; none if there was none, or if another of its
    /// parts has been divided since.
    std::vector<unsigned int>
    whole_families() const;

    /// Go on to other elements.
    /// @param larger `[new element]`: the element of which it is a part, or one of those that it
    /// consists of
    /// @param divided,merged `[element]`: what became of it; whole families are merged
    void
    adapt(const std::vector<unsigned int> &larger,
          const std::vector<bool>         &divided,
          const std::vector<bool>         &merged);

  private:
    std::vector<std::vector<unsigned int>> divisions; ///< `[element]`: the last one last
    std::vector<unsigned int>              n_parts;   ///< `[division]`
  };
} // namespace Saltus

#endif
