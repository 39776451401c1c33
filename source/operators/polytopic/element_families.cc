// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/ranks.h>
#include <saltus/operators/polytopic/element_families.h>

#include <algorithm>
#include <map>
#include <utility>

namespace Saltus
{
  ElementFamilies::ElementFamilies(const unsigned int n_elements, const MPI_Comm communicator)
    : divisions(n_elements)
    , next(this_rank(communicator))
    , stride(n_ranks(communicator))
  {}


  std::vector<unsigned int>
  ElementFamilies::whole_families() const
  {
    std::map<unsigned int, unsigned int> n_there;
    for (const auto &of_element : divisions)
      if (!of_element.empty())
        ++n_there[of_element.back().number];
    std::vector<unsigned int> result;
    for (const auto &of_element : divisions)
      {
        const bool is_whole =
          !of_element.empty() && n_there[of_element.back().number] == of_element.back().n_parts;
        result.push_back(is_whole ? of_element.back().number : none);
      }
    return result;
  }


  std::vector<unsigned int>
  ElementFamilies::roots() const
  {
    std::vector<unsigned int> result;
    for (const auto &of_element : divisions)
      result.push_back(of_element.empty() ? none : of_element.front().number);
    return result;
  }


  void
  ElementFamilies::adapt(const std::vector<unsigned int> &larger,
                         const std::vector<bool>         &divided,
                         const std::vector<bool>         &merged)
  {
    std::map<unsigned int, Division> made; // by the element that was divided
    for (const unsigned int element : larger)
      if (divided[element])
        {
          const auto [division, is_new] = made.insert({element, {next, 0}});
          ++division->second.n_parts;
          next += is_new ? stride : 0;
        }
    std::vector<std::vector<Division>> adapted;
    for (const unsigned int element : larger)
      {
        adapted.push_back(divisions[element]);
        if (merged[element])
          adapted.back().pop_back();
        if (divided[element])
          adapted.back().push_back(made.at(element));
      }
    divisions = std::move(adapted);
  }


  unsigned int
  ElementFamilies::depth() const
  {
    std::size_t result = 0;
    for (const auto &of_element : divisions)
      result = std::max(result, of_element.size());
    return result;
  }


  std::vector<double>
  ElementFamilies::numbers(const unsigned int depth) const
  {
    std::vector<double> result(divisions.size() * 2 * depth, 0.);
    for (std::size_t e = 0; e < divisions.size(); ++e)
      for (unsigned int i = 0; i < divisions[e].size(); ++i)
        {
          result[2 * (e * depth + i)]     = divisions[e][i].number;
          result[2 * (e * depth + i) + 1] = divisions[e][i].n_parts;
        }
    return result;
  }


  void
  ElementFamilies::set_numbers(const unsigned int         n_elements,
                               const std::vector<double> &numbers,
                               const unsigned int         depth)
  {
    divisions.assign(n_elements, {});
    for (std::size_t i = 0; i < numbers.size(); i += 2)
      if (numbers[i + 1] > 0.)
        divisions[i / (2 * depth)].push_back(
          {static_cast<unsigned int>(numbers[i]), static_cast<unsigned int>(numbers[i + 1])});
  }
} // namespace Saltus
