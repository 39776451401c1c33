// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_element_families_h
#define saltus_operators_polytopic_element_families_h

#include <deal.II/base/mpi.h>

#include <limits>
#include <vector>

namespace Saltus
{
  /// From which divisions elements come, so that parts can become again what they were parts of. On
  /// several ranks each knows those of its elements.
  class ElementFamilies
  {
  public:
    static constexpr unsigned int none = std::numeric_limits<unsigned int>::max();

    /// Elements that are parts of nothing.
    explicit ElementFamilies(const unsigned int n_elements,
                             const MPI_Comm     communicator = MPI_COMM_SELF);

    /// `[element]`: the number of the division from which it comes, which no other has on any rank;
    /// none if there was none, or if another of its parts has been divided since.
    std::vector<unsigned int>
    whole_families() const;

    /// `[element]`: the number of the first division from which it comes; none if there was none.
    /// Parts of parts are to stay on one rank with all elements of their root, since
    /// whole_families() counts those of a rank.
    std::vector<unsigned int>
    roots() const;

    /// Go on to other elements.
    /// @param larger `[new element]`: the element of which it is a part, or one of those that it
    /// consists of
    /// @param divided,merged `[element]`: what became of it; whole families are merged
    void
    adapt(const std::vector<unsigned int> &larger,
          const std::vector<bool>         &divided,
          const std::vector<bool>         &merged);

    /// The most divisions that an element comes from.
    unsigned int
    depth() const;

    /// All that is known, as numbers that can be sent to other ranks: two a division.
    /// @param depth at least depth(), on all ranks the same
    /// @return `[element][2 depth]`
    std::vector<double>
    numbers(const unsigned int depth) const;

    /// The other way: now these are the elements of this rank.
    void
    set_numbers(const unsigned int         n_elements,
                const std::vector<double> &numbers,
                const unsigned int         depth);

  private:
    struct Division
    {
      unsigned int number, n_parts;
    };

    std::vector<std::vector<Division>> divisions;    ///< `[element]`: the last one last
    unsigned int                       next, stride; ///< numbers of this rank's new ones
  };
} // namespace Saltus

#endif
