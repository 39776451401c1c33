// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/mesh/element_groups.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  namespace
  {
    /// The groups of the elements from @p first to before @p end.
    class GroupsOfWindow
    {
    public:
      GroupsOfWindow(const unsigned int             n_faces,
                     const std::vector<FaceRecord> &faces,
                     const unsigned int             first,
                     const unsigned int             end)
        : n_faces(n_faces)
        , faces(faces)
        , first(first)
        , element_at(end - first)
        , place_of(end - first)
      {
        std::iota(element_at.begin(), element_at.end(), first);
        std::iota(place_of.begin(), place_of.end(), 0U);
      }

      /// Let elements change places as long as that leaves fewer faces between groups.
      void
      improve()
      {
        constexpr unsigned int most_passes = 4; // the later ones find hardly any
        for (unsigned int i = 0; i < most_passes; ++i)
          {
            bool any = false;
            for (unsigned int place = 0; place < element_at.size(); ++place)
              any |= exchange_best(place);
            if (!any)
              return;
          }
      }

      /// In place of the elements of the window.
      void
      write_order(unsigned int *to) const
      {
        std::copy(element_at.begin(), element_at.end(), to);
      }

    private:
      static constexpr unsigned int none = -1;

      /// The group of what is across a face, if it is in the window.
      unsigned int
      group_across(const FaceRecord &face) const
      {
        if (face.kind != FaceKind::interior)
          return none;
        const unsigned int i = face.neighbor - first; // beyond the window if it is before
        return i < place_of.size() ? place_of[i] / elements_of_group : none;
      }

      const FaceRecord &
      face(const unsigned int element, const unsigned int f) const
      {
        return faces[static_cast<std::size_t>(element) * n_faces + f];
      }

      /// Faces of an element whose neighbours fulfil a condition.
      template <typename Condition>
      int
      count_faces(const unsigned int element, const Condition &condition) const
      {
        int n = 0;
        for (unsigned int f = 0; f < n_faces; ++f)
          n += condition(face(element, f)) ? 1 : 0;
        return n;
      }

      /// By how many more faces an element meets the one group than the other.
      int
      preference(const unsigned int element, const unsigned int to, const unsigned int from) const
      {
        const auto meets = [&](const unsigned int group) {
          return count_faces(element,
                             [&](const FaceRecord &f) { return group_across(f) == group; });
        };
        return meets(to) - meets(from);
      }

      /// Exchange the element at @p place with the one of another group that leaves the fewest
      /// faces, if they are fewer than now.
      /// @return whether there is one
      bool
      exchange_best(const unsigned int place)
      {
        const unsigned int element = element_at[place], own = place / elements_of_group;
        int                most = 0;
        unsigned int       best = none;
        for (unsigned int f = 0; f < n_faces; ++f)
          {
            const unsigned int group = group_across(face(element, f));
            if (group == none || group == own)
              continue;
            const int          preferred = preference(element, group, own);
            const unsigned int begin     = group * elements_of_group;
            const unsigned int end =
              std::min<unsigned int>(begin + elements_of_group, element_at.size());
            for (unsigned int other = begin; other < end; ++other)
              {
                const int gain = preferred + preference(element_at[other], own, group) -
                                 2 * n_common_faces(element, element_at[other]);
                if (gain > most)
                  {
                    most = gain;
                    best = other;
                  }
              }
          }
        if (best == none)
          return false;
        std::swap(element_at[place], element_at[best]);
        place_of[element_at[place] - first] = place;
        place_of[element_at[best] - first]  = best;
        return true;
      }

      int
      n_common_faces(const unsigned int a, const unsigned int b) const
      {
        return count_faces(a, [&](const FaceRecord &f) {
          return f.kind == FaceKind::interior && static_cast<unsigned int>(f.neighbor) == b;
        });
      }

      const unsigned int             n_faces;
      const std::vector<FaceRecord> &faces;
      const unsigned int             first;
      std::vector<unsigned int>      element_at; ///< by place in the window
      std::vector<unsigned int>      place_of;   ///< by element of the window
    };
  } // namespace

  std::vector<unsigned int>
  order_in_groups(const unsigned int               n_faces,
                  const std::vector<FaceRecord>   &faces,
                  const std::vector<ElementRange> &ranges)
  {
    constexpr unsigned int    size = 16 * elements_of_group; // few groups are at the windows' ends
    std::vector<unsigned int> order(faces.size() / n_faces);
    std::iota(order.begin(), order.end(), 0U);
    for (const ElementRange &range : ranges)
      if (range.kind == GeometryKind::stored)
        parallel_for((range.end - range.begin + size - 1) / size,
                     [&](const std::size_t begin, const std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i)
                         {
                           const unsigned int first = range.begin + i * size;
                           GroupsOfWindow     window(n_faces,
                                                 faces,
                                                 first,
                                                 std::min(range.end, first + size));
                           window.improve();
                           window.write_order(order.data() + first);
                         }
                     });
    return order;
  }
} // namespace Saltus
