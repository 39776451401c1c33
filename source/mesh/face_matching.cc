// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/face_matching.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace Saltus
{
  namespace
  {
    bool
    contains(const unsigned int set, const unsigned int number)
    {
      return set >> number & 1;
    }

    /// The smallest number in a set that is not empty.
    unsigned int
    lowest(const unsigned int set)
    {
      unsigned int number = 0;
      while (!contains(set, number))
        ++number;
      return number;
    }

    /// The state of match_faces() while it works.
    class FaceMatching
    {
    public:
      FaceMatching(const unsigned int n_faces, const std::vector<FaceRecord> &faces)
        : n_faces(n_faces)
        , faces(faces)
        , faces_by_number(faces.size(), none)
        , is_in_strip(n_elements(), false)
      {}

      /// The first round begins, for triangles.
      void
      go_along_strips();

      /// The rest of the first round.
      void
      go_through_elements();

      /// All further rounds.
      void
      close_gaps(const unsigned int n_rounds);

      /// All faces' numbers, `[e][f]`; those that still have none get what is left in their
      /// elements.
      std::vector<unsigned char>
      numbers();

    private:
      static constexpr unsigned char none      = 255;
      static constexpr unsigned int  max_faces = 4;

      /// A face, seen from one of its elements.
      struct Side
      {
        unsigned int element;
        unsigned int face;
      };

      /// How long chains may be in a round, and how often a face is tried.
      struct Effort
      {
        std::size_t  chain_length;
        unsigned int n_attempts;
      };

      /// Numbers of some faces of an element, or none.
      struct Choice
      {
        std::array<unsigned char, max_faces> numbers;
        unsigned int                         n_chosen;
      };

      unsigned int
      n_elements() const
      {
        return faces.size() / n_faces;
      }

      /// Whether two elements meet there: one cannot give the same number to two faces of its own.
      bool
      joins(const Side &side) const;

      Side
      across(const Side &side) const;

      unsigned char &
      face_with(const unsigned int element, const unsigned int number);

      /// The numbers that no face of the element has, as a set of bits.
      unsigned int
      free_numbers(const unsigned int element);

      bool
      has_number(const Side &side);

      void
      set_number(const Side &side, const unsigned int number);

      void
      remove_number(const Side &side, const unsigned int number);

      /// Go from element to element, as far as there are such that are in no strip yet, and give
      /// the faces between them the numbers @p number and 1 - @p number in turn.
      void
      go_along_strip(const unsigned int start, unsigned int number);

      /// Elements across that a strip may go on with.
      unsigned int
      n_next(const unsigned int element) const;

      bool
      is_next(const Side &side) const;

      void
      number_faces_of(const unsigned int element);

      /// Go through all choices for the faces from @p i on, lowest numbers first.
      /// @param possible for each face, the numbers that it may have
      void
      choose(const std::array<unsigned int, max_faces> &possible,
             const unsigned int                         n,
             const unsigned int                         i,
             const unsigned int                         used,
             Choice                                    &current,
             Choice                                    &best) const;

      /// All joining faces without a number.
      std::vector<Side>
      left_over();

      /// Give the face a number. If that fails, it is perhaps another face that is left over.
      bool
      close_gap(Side &gap, const Effort &effort);

      /// Close it by exchanging two numbers along a chain. If the chain only leads from the one
      /// side to the other, its two numbers are returned in @p closed, the one free on this side
      /// first.
      bool
      exchange_at_gap(const Side &gap, const Effort &effort, std::array<unsigned int, 2> &closed);

      /// Follow the faces with the numbers @p first, @p second, @p first, ... from an element that
      /// has no face with the number @p second, and note the elements in `chain`.
      /// @return whether it ends within @p max_length elements
      bool
      follow(const unsigned int start,
             const unsigned int first,
             const unsigned int second,
             const std::size_t  max_length);

      /// Exchange two numbers in all elements of the chain.
      void
      exchange(const unsigned int a, const unsigned int b);

      /// Move the gap some faces along the chain of the numbers @p closed, which leads around it.
      void
      move_gap(Side &gap, const std::array<unsigned int, 2> &closed);

      /// Exchange two numbers, chosen at random, along a chain that begins at the gap.
      void
      exchange_at_random(const Side &gap, const Effort &effort);

      unsigned int
      random_below(const unsigned int n)
      {
        return generator() % n;
      }

      const unsigned int             n_faces;
      const std::vector<FaceRecord> &faces;
      std::vector<unsigned char>     faces_by_number; ///< `[e][number]`
      std::vector<bool>              is_in_strip;     ///< `[e]`
      std::vector<unsigned int>      chain;
      std::mt19937                   generator;
    };

    void
    FaceMatching::go_along_strips()
    {
      for (unsigned int element = 0; element < n_elements(); ++element)
        if (!is_in_strip[element])
          for (const unsigned int number : {0, 1})
            go_along_strip(element, number);
    }

    void
    FaceMatching::go_along_strip(const unsigned int start, unsigned int number)
    {
      unsigned int entrance = none, last_turn = 0;
      const auto   turn = [&](const unsigned int f) {
        return entrance == none ? 0 : (f + n_faces - entrance) % n_faces;
      };
      for (unsigned int element = start;; number = 1 - number)
        {
          is_in_strip[element] = true;
          // Elements that are left with few others to go to come first: strips become long. Left
          // and right in turn lead straight on.
          unsigned int exit   = none;
          const auto   rating = [&](const unsigned int f) {
            return std::make_pair(n_next(across({element, f}).element), turn(f) == last_turn);
          };
          for (unsigned int f = 0; f < n_faces; ++f)
            if (is_next({element, f}) && (exit == none || rating(f) < rating(exit)))
              exit = f;
          if (exit == none)
            return;
          set_number({element, exit}, number);
          last_turn       = turn(exit);
          const Side next = across({element, exit});
          element         = next.element;
          entrance        = next.face;
        }
    }

    unsigned int
    FaceMatching::n_next(const unsigned int element) const
    {
      unsigned int n = 0;
      for (unsigned int f = 0; f < n_faces; ++f)
        n += is_next({element, f});
      return n;
    }

    bool
    FaceMatching::is_next(const Side &side) const
    {
      return joins(side) && !is_in_strip[across(side).element];
    }

    void
    FaceMatching::go_through_elements()
    {
      for (unsigned int element = 0; element < n_elements(); ++element)
        number_faces_of(element);
    }

    void
    FaceMatching::close_gaps(const unsigned int n_rounds)
    {
      constexpr Effort efforts[max_matching_rounds - 1] = {
        {32, 4}, {256, 8}, {2048, 16}, {16384, 32}, {131072, 32}, {1048576, 256}};
      std::vector<Side> gaps = left_over();
      for (unsigned int round = 0; round < n_rounds; ++round)
        {
          std::vector<Side> left;
          for (Side gap : gaps)
            if (!has_number(gap) && !close_gap(gap, efforts[round]))
              left.push_back(gap);
          gaps = left;
        }
    }

    bool
    FaceMatching::joins(const Side &side) const
    {
      const FaceRecord &face = faces[static_cast<std::size_t>(side.element) * n_faces + side.face];
      return face.kind == FaceKind::interior &&
             static_cast<unsigned int>(face.neighbor) != side.element;
    }

    FaceMatching::Side
    FaceMatching::across(const Side &side) const
    {
      const FaceRecord &face = faces[static_cast<std::size_t>(side.element) * n_faces + side.face];
      return {static_cast<unsigned int>(face.neighbor), face.face};
    }

    unsigned char &
    FaceMatching::face_with(const unsigned int element, const unsigned int number)
    {
      return faces_by_number[static_cast<std::size_t>(element) * n_faces + number];
    }

    unsigned int
    FaceMatching::free_numbers(const unsigned int element)
    {
      unsigned int set = 0;
      for (unsigned int number = 0; number < n_faces; ++number)
        set |= (face_with(element, number) == none) << number;
      return set;
    }

    bool
    FaceMatching::has_number(const Side &side)
    {
      for (unsigned int number = 0; number < n_faces; ++number)
        if (face_with(side.element, number) == side.face)
          return true;
      return false;
    }

    void
    FaceMatching::set_number(const Side &side, const unsigned int number)
    {
      for (const Side &here : {side, across(side)})
        face_with(here.element, number) = here.face;
    }

    void
    FaceMatching::remove_number(const Side &side, const unsigned int number)
    {
      for (const Side &here : {side, across(side)})
        face_with(here.element, number) = none;
    }

    void
    FaceMatching::number_faces_of(const unsigned int element)
    {
      std::array<unsigned int, max_faces> without_number, possible;
      unsigned int                        n    = 0;
      const unsigned int                  free = free_numbers(element);
      for (unsigned int f = 0; f < n_faces; ++f)
        if (const Side side{element, f}; joins(side) && !has_number(side))
          {
            without_number[n] = f;
            possible[n]       = free & free_numbers(across(side).element);
            ++n;
          }
      Choice current{}, best{};
      choose(possible, n, 0, 0, current, best);
      for (unsigned int i = 0; i < n && best.n_chosen > 0; ++i)
        if (best.numbers[i] != none)
          set_number({element, without_number[i]}, best.numbers[i]);
    }

    void
    FaceMatching::choose(const std::array<unsigned int, max_faces> &possible,
                         const unsigned int                         n,
                         const unsigned int                         i,
                         const unsigned int                         used,
                         Choice                                    &current,
                         Choice                                    &best) const
    {
      if (i == n && current.n_chosen > best.n_chosen)
        best = current;
      if (i == n || best.n_chosen == n)
        return;
      for (unsigned int number = 0; number < n_faces; ++number)
        if (contains(possible[i] & ~used, number))
          {
            current.numbers[i] = number;
            ++current.n_chosen;
            choose(possible, n, i + 1, used | 1U << number, current, best);
            --current.n_chosen;
          }
      current.numbers[i] = none;
      choose(possible, n, i + 1, used, current, best);
    }

    std::vector<FaceMatching::Side>
    FaceMatching::left_over()
    {
      std::vector<Side> sides;
      for (unsigned int element = 0; element < n_elements(); ++element)
        for (unsigned int f = 0; f < n_faces; ++f)
          if (const Side side{element, f};
              joins(side) && across(side).element > element && !has_number(side))
            sides.push_back(side);
      return sides;
    }

    bool
    FaceMatching::close_gap(Side &gap, const Effort &effort)
    {
      for (unsigned int attempt = 0; attempt < effort.n_attempts; ++attempt)
        {
          const unsigned int both = free_numbers(gap.element) & free_numbers(across(gap).element);
          if (both != 0)
            {
              set_number(gap, lowest(both));
              return true;
            }
          std::array<unsigned int, 2> closed = {{none, none}};
          if (exchange_at_gap(gap, effort, closed))
            return true;
          if (closed[0] != none)
            move_gap(gap, closed);
          exchange_at_random(gap, effort);
        }
      return false;
    }

    bool
    FaceMatching::exchange_at_gap(const Side                  &gap,
                                  const Effort                &effort,
                                  std::array<unsigned int, 2> &closed)
    {
      const unsigned int here = gap.element, there = across(gap).element;
      const unsigned int free_here = free_numbers(here), free_there = free_numbers(there);
      for (unsigned int a = 0; a < n_faces; ++a)
        for (unsigned int b = 0; b < n_faces; ++b)
          if (contains(free_here, a) && contains(free_there, b))
            {
              if (follow(here, b, a, effort.chain_length))
                {
                  if (chain.back() != there)
                    {
                      exchange(a, b);
                      set_number(gap, b);
                      return true;
                    }
                  closed = {{a, b}};
                }
              else if (follow(there, a, b, effort.chain_length))
                {
                  exchange(a, b);
                  set_number(gap, a);
                  return true;
                }
            }
      return false;
    }

    bool
    FaceMatching::follow(const unsigned int start,
                         const unsigned int first,
                         const unsigned int second,
                         const std::size_t  max_length)
    {
      chain.assign(1, start);
      for (unsigned int number = first;; number ^= first ^ second)
        {
          const unsigned int f = face_with(chain.back(), number);
          if (f == none)
            return true;
          if (chain.size() > max_length)
            return false;
          chain.push_back(across({chain.back(), f}).element);
        }
    }

    void
    FaceMatching::exchange(const unsigned int a, const unsigned int b)
    {
      for (const unsigned int element : chain)
        std::swap(face_with(element, a), face_with(element, b));
    }

    void
    FaceMatching::move_gap(Side &gap, const std::array<unsigned int, 2> &closed)
    {
      follow(gap.element, closed[1], closed[0], chain.max_size());
      constexpr std::size_t farthest = 64;
      const unsigned int    n_moves  = 1 + random_below(std::min(chain.size() - 1, farthest));
      for (unsigned int i = 0; i < n_moves; ++i)
        {
          // The next face of the chain becomes the gap, and its number that of this one.
          const unsigned int number = closed[(i + 1) % 2];
          const Side         next   = {gap.element, face_with(gap.element, number)};
          remove_number(next, number);
          set_number(gap, number);
          gap = across(next);
        }
    }

    void
    FaceMatching::exchange_at_random(const Side &gap, const Effort &effort)
    {
      const unsigned int start = random_below(2) == 0 ? gap.element : across(gap).element;
      const unsigned int free  = free_numbers(start);
      const unsigned int a = random_below(n_faces), b = random_below(n_faces);
      if (contains(free, a) && !contains(free, b) && follow(start, b, a, effort.chain_length))
        exchange(a, b);
    }

    std::vector<unsigned char>
    FaceMatching::numbers()
    {
      std::vector<unsigned char> result(faces.size(), none);
      for (unsigned int element = 0; element < n_elements(); ++element)
        {
          unsigned char *const of_element = &result[static_cast<std::size_t>(element) * n_faces];
          unsigned int         free       = free_numbers(element);
          for (unsigned int number = 0; number < n_faces; ++number)
            if (!contains(free, number))
              of_element[face_with(element, number)] = number;
          for (unsigned int f = 0; f < n_faces; ++f)
            if (of_element[f] == none)
              {
                of_element[f] = lowest(free);
                free &= free - 1;
              }
        }
      return result;
    }
  } // namespace

  std::vector<unsigned char>
  match_faces(const unsigned int             n_faces,
              const std::vector<FaceRecord> &faces,
              const unsigned int             n_rounds)
  {
    if (n_rounds == 0)
      {
        std::vector<unsigned char> unchanged(faces.size());
        for (std::size_t i = 0; i < faces.size(); ++i)
          unchanged[i] = i % n_faces;
        return unchanged;
      }
    FaceMatching matching(n_faces, faces);
    if (n_faces == 3)
      matching.go_along_strips();
    matching.go_through_elements();
    matching.close_gaps(std::min(n_rounds, max_matching_rounds) - 1);
    return matching.numbers();
  }
} // namespace Saltus
