// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Wings that are lofted from sections: their shape and files of them.
#include <saltus/mesh/make/bodies.h>
#include <saltus/mesh/make/lofted_wing.h>

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <helpers/message_of.h>

namespace
{
  using namespace dealii;
  using namespace Saltus;

  /// NACA 0012 as a table.
  WingSection
  section()
  {
    const NacaProfile<2> profile("0012", Point<2>(), 1.);
    std::vector<double>  x, upper, lower;
    for (unsigned int i = 0; i <= 60; ++i)
      {
        const Point<2> point = profile.at(i / 60.);
        x.push_back(i < 60 ? point[0] : 1.);
        upper.push_back(point[1]);
        lower.push_back(-point[1]);
      }
    return {x, upper, lower};
  }

  std::string
  file_with(const std::string &name, const std::string &text)
  {
    const std::string file = ::testing::TempDir() + name;
    std::ofstream(file) << text;
    return file;
  }

  std::string
  message_of_wing(const std::string &text)
  {
    return Tests::message_of([&] { LoftedWing::read(file_with("saltus_wing.txt", text)); });
  }

  TEST(LoftedWing, StraightOnesAreExtrudedProfiles)
  {
    const LoftedWing wing(
      {{Point<3>(), 1., 0., section()}, {Point<3>(0., 0., 2.), 1., 0., section()}});
    const NacaProfile<3> profile("0012", Point<3>(), 1.);
    for (const double x : {-0.02, 0.01, 0.3, 0.9})
      for (const double y : {-0.1, -0.02, 0.03})
        {
          const Point<3> point(x, y, 0.7);
          EXPECT_LT(wing.closest_point(point).distance(profile.closest_point(point)), 2e-6);
        }
    // Between corners of the upper side the other one is not taken, though it is nearer.
    const auto on = [&](const double s, const double z) {
      const Point<2> point = wing.at(s, z);
      return Point<3>(point[0], point[1], z);
    };
    const Point<3> below(0.97, -0.01, 0.5);
    EXPECT_LT(wing.closest_point(below)[1], 0.);
    EXPECT_GE(wing.closest_point(below, {on(0.98, 0.2), on(1., 0.8), on(0.96, 0.4)})[1], 0.);
  }

  TEST(LoftedWing, StationsAreJoinedByStraightLines)
  {
    const double     twist = 0.1;
    const LoftedWing wing({{Point<3>(0., 0., 1.), 2., 0., section()},
                           {Point<3>(1., 0.5, 3.), 1., twist, section()},
                           {Point<3>(3., 0.5, 4.), 0.5, twist, section()}});
    // The trailing edge of the second station, nose up, and the middle of the line to it.
    const Point<2> edge(1. + std::cos(twist), 0.5 - std::sin(twist));
    EXPECT_LT(wing.at(1., 3.).distance(edge), 1e-14);
    EXPECT_LT(wing.at(-1., 2.).distance(edge * 0.5 + Tensor<1, 2>({1., 0.})), 1e-14);
    for (const double z : {1., 1.3, 2.9, 3.6, 4.})
      for (const double s : {-0.8, -0.1, 0.2, 0.7})
        {
          const Point<2>     point   = wing.at(s, z);
          const Tensor<1, 2> along   = wing.at(s + 1e-6, z) - wing.at(s - 1e-6, z);
          const Tensor<1, 2> outward = cross_product_2d(along) / along.norm();
          for (const double distance : {-1e-3, 0., 1e-3})
            {
              const Point<3> start(point[0] + distance * outward[0],
                                   point[1] + distance * outward[1],
                                   z);
              EXPECT_LT(wing.closest_point(start).distance(Point<3>(point[0], point[1], z)), 1e-8);
            }
        }
  }

  TEST(LoftedWing, OneOfAFile)
  {
    const LoftedWing wing = LoftedWing::read(SALTUS_SOURCE_DIR "parameter_files/onera_m6_wing.txt");
    // 15.8 degrees of sweep of the trailing edge and 30 of the leading edge
    const double semi_span = 1.1963;
    const auto   sweep     = [&](const double s) {
      return std::atan((wing.at(s, semi_span) - wing.at(s, 0.))[0] / semi_span) * 180. /
             numbers::PI;
    };
    EXPECT_NEAR(sweep(0.), 30., 1e-4);
    EXPECT_NEAR(sweep(1.), 15.8, 0.05);
    EXPECT_EQ(wing.at(1., 0.)[1], 0.);
    EXPECT_NEAR(wing.at(std::sqrt(0.5032514), 0.)[1], 0.0458354 * 0.8059, 1e-12); // of the table
    double thickness = 0.;
    for (double s = 0.; s < 1.; s += 1e-3)
      thickness = std::max(thickness, wing.at(s, 0.)[1] - wing.at(-s, 0.)[1]);
    EXPECT_NEAR(thickness / 0.8059, 0.0973, 5e-4);
  }

  TEST(LoftedWing, BadFilesAreRefused)
  {
    const std::string good = "0 0 0 1 0 saltus_section.txt\n";
    file_with("saltus_section.txt", "0 0\n0.1 0.05 # upper side\n0.5 0.04\n1 0\n");
    EXPECT_EQ(message_of_wing(good + "# tip\n1 0 2 0.5 -3 saltus_section.txt"), "");
    const auto expect = [&](const std::string &text, const std::string &part) {
      EXPECT_TRUE(Tests::contains(message_of_wing(text), part));
    };
    expect(good, "at least two stations");
    expect(good + good, "z must increase");
    expect(good + "1 0 2 -0.5 0 saltus_section.txt", "a chord must be positive");
    expect(good + "1 0 2 0.5", "Line 2 of the wing");
    expect("0 0 0 1,5 0 saltus_section.txt", "'1,5' is no number");
    expect("0 0 0 1 0 saltus_none.txt", "saltus_none.txt");
    file_with("saltus_section.txt", "0 0\n0.5 0.05\n0.4 0.04\n1 0\n");
    expect(good, "x must increase from 0 to 1");
  }

  TEST(LoftedWing, PointsBeyondTheTipAreRefused)
  {
    const LoftedWing wing(
      {{Point<3>(), 1., 0., section()}, {Point<3>(0., 0., 2.), 1., 0., section()}});
    EXPECT_MESSAGE(wing.closest_point(Point<3>(0.5, 0.1, 2.1)), "beyond the stations");
  }
} // namespace
