// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/patterns.h>

#include <saltus/base/device/error_message.h>
#include <saltus/base/expressions/text_file.h>
#include <saltus/mesh/make/lofted_wing.h>
#include <saltus/mesh/make/nearest_on_profile.h>

#include <functional>
#include <sstream>
#include <stdexcept>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Second derivative of the parabola through three points of a table.
    double
    curvature_at(const std::vector<double> &x,
                 const std::vector<double> &y,
                 const std::size_t          first)
    {
      const auto slope = [&](const std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
      return 2. * (slope(first + 1) - slope(first)) / (x[first + 2] - x[first]);
    }

    /// The second derivatives at its knots of the cubic spline through a table, which has those of
    /// parabolas at its ends.
    std::vector<double>
    spline_curvatures(const std::vector<double> &x, const std::vector<double> &y)
    {
      const std::size_t   n = x.size();
      std::vector<double> result(n), factor(n, 0.); // result[i] = rest - factor[i] result[i + 1]
      result[0]     = curvature_at(x, y, 0);
      result[n - 1] = curvature_at(x, y, n - 3);
      for (std::size_t i = 1; i + 1 < n; ++i)
        {
          const double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
          const double pivot = 2. * (before + after) - before * factor[i - 1];
          const double right = 6. * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
          factor[i]          = after / pivot;
          result[i]          = (right - before * result[i - 1]) / pivot;
        }
      for (std::size_t i = n - 2; i > 0; --i)
        result[i] -= factor[i] * result[i + 1];
      return result;
    }

    /// The words of the lines of a text without comments; `body(words)` for each that has some.
    void
    for_lines(const std::string                                           &what,
              const std::string                                           &file,
              const std::function<void(const std::vector<std::string> &)> &body)
    {
      std::istringstream text(read_text(what, file));
      unsigned int       number = 0;
      for (std::string line; std::getline(text, line);)
        {
          ++number;
          std::istringstream       words(line.substr(0, line.find('#')));
          std::vector<std::string> list;
          for (std::string word; words >> word;)
            list.push_back(word);
          try
            {
              if (!list.empty())
                body(list);
            }
          catch (const std::exception &exception)
            {
              AssertThrow(false,
                          ExcMessage("Line " + std::to_string(number) + " of the " + what + " '" +
                                     file + "': " + error_message(exception)));
            }
        }
    }

    double
    number_of(const std::string &word)
    {
      std::istringstream text(word);
      double             result = 0.;
      if (!(text >> result) || text.peek() != EOF)
        throw std::runtime_error("'" + word + "' is no number.");
      return result;
    }

    WingSection
    read_section(const std::string &file)
    {
      std::vector<double> x, upper, lower;
      for_lines("wing section", file, [&](const std::vector<std::string> &words) {
        if (words.size() != 2 && words.size() != 3)
          throw std::runtime_error("expected are x, the upper side and, if it is not symmetric, "
                                   "the lower side, in chords.");
        x.push_back(number_of(words[0]));
        upper.push_back(number_of(words[1]));
        lower.push_back(words.size() == 3 ? number_of(words[2]) : -upper.back());
      });
      try
        {
          return WingSection(x, upper, lower);
        }
      catch (const std::runtime_error &error)
        {
          throw std::runtime_error("The wing section '" + file + "': " + error.what());
        }
    }
  } // namespace


  WingSection::WingSection(const std::vector<double> &x,
                           const std::vector<double> &upper,
                           const std::vector<double> &lower)
    : values{{lower, upper}}
  {
    if (x.size() < 4 || x.front() != 0. || x.back() != 1. ||
        std::adjacent_find(x.begin(), x.end(), std::greater_equal<double>()) != x.end())
      throw std::runtime_error("x must increase from 0 to 1 over at least 4 points.");
    if (upper.front() != lower.front())
      throw std::runtime_error("both sides must have the same point at x = 0.");
    for (const double value : x)
      knots.push_back(std::sqrt(value));
    for (const unsigned int side : {0, 1})
      curvatures[side] = spline_curvatures(knots, values[side]);
  }

  Point<2>
  WingSection::at(const double s) const
  {
    const double       r    = std::abs(s);
    const unsigned int side = s > 0.;
    const std::size_t  next =
      std::clamp<std::size_t>(std::upper_bound(knots.begin(), knots.end(), r) - knots.begin(),
                              1,
                              knots.size() - 1);
    const double width = knots[next] - knots[next - 1];
    const double b = (r - knots[next - 1]) / width, a = 1. - b;
    const auto  &y = values[side], &c = curvatures[side];
    return {r * r,
            a * y[next - 1] + b * y[next] +
              ((a * a * a - a) * c[next - 1] + (b * b * b - b) * c[next]) * width * width / 6.};
  }


  LoftedWing::LoftedWing(const std::vector<Station> &stations)
    : stations(stations)
  {
    if (stations.size() < 2)
      throw std::runtime_error("a wing has at least two stations.");
    for (std::size_t i = 0; i < stations.size(); ++i)
      {
        if (!(stations[i].chord > 0.))
          throw std::runtime_error("a chord must be positive.");
        if (i > 0 && !(stations[i].leading_edge[2] > stations[i - 1].leading_edge[2]))
          throw std::runtime_error("z must increase from station to station.");
      }
  }

  LoftedWing
  LoftedWing::read(const std::string &file)
  {
    const std::string    directory = file.substr(0, file.rfind('/') + 1); // "" if there is none
    std::vector<Station> stations;
    for_lines("wing", file, [&](const std::vector<std::string> &words) {
      if (words.size() != 6)
        throw std::runtime_error(
          "expected are x, y, z of the leading edge, the chord, the twist in "
          "degrees and the file of the section.");
      std::array<double, 5> numbers;
      std::transform(words.begin(), words.end() - 1, numbers.begin(), number_of);
      stations.push_back({Point<3>(numbers[0], numbers[1], numbers[2]),
                          numbers[3],
                          numbers[4] * numbers::PI / 180.,
                          read_section(directory + words[5])});
    });
    try
      {
        return LoftedWing(stations);
      }
    catch (const std::runtime_error &error)
      {
        AssertThrow(false, ExcMessage("The wing '" + file + "': " + error.what()));
        throw;
      }
  }

  Point<2>
  LoftedWing::at(const double s, const double z) const
  {
    std::size_t next = 1;
    while (next + 1 < stations.size() && z > stations[next].leading_edge[2])
      ++next;
    const double root = stations[next - 1].leading_edge[2], tip = stations[next].leading_edge[2];
    const double w     = std::clamp((z - root) / (tip - root), 0., 1.);
    const auto   place = [&](const Station &station) {
      const Point<2> point = station.section.at(s);
      const double   c = std::cos(station.twist), d = std::sin(station.twist);
      return Point<2>(station.leading_edge[0] + station.chord * (c * point[0] + d * point[1]),
                      station.leading_edge[1] + station.chord * (c * point[1] - d * point[0]));
    };
    return place(stations[next - 1]) * (1. - w) + w * Tensor<1, 2>(place(stations[next]));
  }

  Point<3>
  LoftedWing::closest_point(const Point<3> &point, const std::vector<Point<3>> &corners) const
  {
    const double first = stations.front().leading_edge[2], last = stations.back().leading_edge[2];
    const double rounding = 1e-6 * (last - first);
    AssertThrow(point[2] > first - rounding && point[2] < last + rounding,
                ExcMessage("the point (" + Patterns::Tools::to_string(point) +
                           ") is beyond the stations of the wing, from z = " +
                           std::to_string(first) + " to " + std::to_string(last) + "."));
    const auto profile_at = [this](const double z) {
      return [this, z](const double s) { return at(s, z); };
    };
    return nearest_on_profile<3>(profile_at, point, corners);
  }
} // namespace Saltus
