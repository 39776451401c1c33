// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_lofted_wing_h
#define saltus_mesh_make_lofted_wing_h

#include <saltus/mesh/curve/surface.h>

#include <array>
#include <string>
#include <vector>

namespace Saltus
{
  /// A section of a wing from a table: upper and lower side, in chords, are cubic splines in
  /// \f$ |s| = \sqrt{x} \f$, in which round leading edges are smooth.
  class WingSection
  {
  public:
    /// @param x in chords, increasing from 0 to 1
    /// @param upper,lower the sides there
    /// @throws std::runtime_error for less than 4 points, other x, and sides that begin apart
    WingSection(const std::vector<double> &x,
                const std::vector<double> &upper,
                const std::vector<double> &lower);

    /// The point with a parameter between -1 and 1, as nearest_parameter() has them.
    dealii::Point<2>
    at(const double s) const;

  private:
    std::vector<double>                knots;      ///< \f$ \sqrt{x} \f$
    std::array<std::vector<double>, 2> values;     ///< of the lower and the upper side
    std::array<std::vector<double>, 2> curvatures; ///< their second derivatives
  };

  /// A wing with its span along z and its chords along x, lofted linearly: between two stations
  /// points with the same parameter of the sections are joined by straight lines. Trailing edges
  /// are sharp or blunt as the sections are; tips are no part of it.
  class LoftedWing : public Surface<3>
  {
  public:
    struct Station
    {
      dealii::Point<3> leading_edge;
      double           chord;
      double           twist; ///< of the section about its leading edge, nose up, in radians
      WingSection      section;
    };

    /// @param stations with increasing z
    /// @throws std::runtime_error for less than two, other z, and chords that are not positive
    explicit LoftedWing(const std::vector<Station> &stations);

    /// Read the stations from a text file, one a line: x, y, z of the leading edge, chord, twist in
    /// degrees, and the name of a file beside it with the section: a line for each point with x,
    /// the upper and, if it is not symmetric, the lower side. What follows a # is a comment.
    /// @throws dealii::ExcMessage naming the file and line for all else, and for what the
    /// constructors refuse
    static LoftedWing
    read(const std::string &file);

    /// The nearest point with the same z, so that planes of symmetry remain plane.
    /// @throws dealii::ExcMessage for points beyond the first or last station
    dealii::Point<3>
    closest_point(const dealii::Point<3>              &point,
                  const std::vector<dealii::Point<3>> &corners = {}) const override;

    /// The point of the section at @p z with the parameter @p s.
    dealii::Point<2>
    at(const double s, const double z) const;

  private:
    std::vector<Station> stations;
  };
} // namespace Saltus

#endif
