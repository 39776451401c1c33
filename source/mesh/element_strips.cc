// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/mesh/element_groups.h>
#include <saltus/mesh/element_strips.h>

#include <algorithm>
#include <array>
#include <utility>

namespace Saltus
{
  namespace
  {
    /// Elements from `first` to before `second`.
    using Window = std::pair<unsigned int, unsigned int>;

    std::vector<Window>
    windows_of(const std::vector<ElementRange> &ranges)
    {
      std::vector<Window> windows;
      for (const ElementRange &range : ranges)
        {
          // Longer strips have fewer ends, but neighbours far away.
          const unsigned int size = range.kind == GeometryKind::stored ? elements_of_group : 512;
          for (unsigned int begin = range.begin; begin < range.end;)
            {
              const unsigned int end = std::min(range.end, begin + size);
              windows.emplace_back(begin, end);
              begin = end;
            }
        }
      return windows;
    }

    /// The strips of a window.
    class WindowStrips
    {
    public:
      WindowStrips(const unsigned int             n_faces,
                   const std::vector<FaceRecord> &faces,
                   const Window                  &window)
        : n_faces(n_faces)
        , faces(faces)
        , window(window)
        , is_taken(window.second - window.first, false)
      {
        for (unsigned int e = window.first; e < window.second; ++e)
          if (!is_taken[e - window.first])
            add_strip(e);
      }

      /// In place of the elements of the window.
      void
      write_order(unsigned int *to) const
      {
        constexpr std::size_t group = 8;
        for (std::size_t i = 0; i < std::max(halves[0].size(), halves[1].size()); i += group)
          for (const auto &half : halves)
            for (std::size_t j = i; j < std::min(i + group, half.size()); ++j)
              *to++ = half[j];
      }

    private:
      /// The element that @p e meets by a face with this number on both sides; @p e itself where
      /// there is none, or none that is not taken yet.
      unsigned int
      next(const unsigned int e, const unsigned int number) const
      {
        const FaceRecord  &face = faces[static_cast<std::size_t>(e) * n_faces + number];
        const unsigned int next = face.neighbor;
        return face.kind == FaceKind::interior && face.face == number && next >= window.first &&
                   next < window.second && !is_taken[next - window.first]
                 ? next
                 : e;
      }

      /// The elements after @p e, the first of them across its face with this number.
      std::vector<unsigned int>
      chain(unsigned int e, unsigned int number)
      {
        std::vector<unsigned int> elements;
        for (;; number = 1 - number)
          {
            is_taken[e - window.first] = true;
            const unsigned int after   = next(e, number);
            if (after == e)
              return elements;
            elements.push_back(after);
            e = after;
          }
      }

      /// The strip through @p e.
      void
      add_strip(const unsigned int e)
      {
        const std::vector<unsigned int> after = chain(e, 0);
        std::vector<unsigned int>       strip = chain(e, 1);
        std::reverse(strip.begin(), strip.end());
        strip.push_back(e);
        strip.insert(strip.end(), after.begin(), after.end());
        // Halves as long as each other, so that what meets stays side by side.
        const unsigned int first = halves[0].size() > halves[1].size() ? 1 : 0;
        for (std::size_t i = 0; i < strip.size(); ++i)
          halves[(first + i) % 2].push_back(strip[i]);
      }

      const unsigned int                       n_faces;
      const std::vector<FaceRecord>           &faces;
      const Window                             window;
      std::vector<bool>                        is_taken;
      std::array<std::vector<unsigned int>, 2> halves; ///< every other element of all strips
    };
  } // namespace

  std::vector<unsigned int>
  order_in_strips(const unsigned int               n_faces,
                  const std::vector<FaceRecord>   &faces,
                  const std::vector<ElementRange> &ranges)
  {
    const std::vector<Window> windows = windows_of(ranges);
    std::vector<unsigned int> order(faces.size() / n_faces);
    parallel_for(windows.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        WindowStrips(n_faces, faces, windows[i]).write_order(order.data() + windows[i].first);
    });
    return order;
  }
} // namespace Saltus
