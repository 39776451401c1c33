// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_expression_steps_h
#define saltus_base_expressions_expression_steps_h

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace Saltus
{
  /// The steps that compute expressions. A step follows its arguments, and no two steps are equal:
  /// expressions share their common parts.
  class ExpressionSteps
  {
  public:
    /// `result[i] = f(arguments[0][i], arguments[1][i], arguments[2][i])` for i < n.
    using Loop = void (*)(std::size_t n, const double *const *arguments, double *result);

    struct Step
    {
      Loop               loop; ///< nullptr: a variable or a number
      std::array<int, 3> arguments;
      std::string        variable; ///< its name, empty for a number
      double             number;
    };

    /// @return the place of a step that equals @p step
    int
    add(const Step &step)
    {
      std::uint64_t bits; // also of numbers that do not equal themselves
      std::memcpy(&bits, &step.number, sizeof(bits));
      const auto [place, is_new] =
        places.emplace(std::tuple(reinterpret_cast<std::uintptr_t>(step.loop),
                                  step.arguments,
                                  step.variable,
                                  bits),
                       list.size());
      if (is_new)
        list.push_back(step);
      return place->second;
    }

    int
    literal(const double number)
    {
      return add({nullptr, {0, 0, 0}, "", number});
    }

    const std::vector<Step> &
    steps() const
    {
      return list;
    }

  private:
    std::vector<Step> list;
    std::map<std::tuple<std::uintptr_t, std::array<int, 3>, std::string, std::uint64_t>, int>
      places;
  };
} // namespace Saltus

#endif
