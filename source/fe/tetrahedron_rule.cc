// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/tetrahedron_rule.h>

#include <algorithm>
#include <array>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// A point with all of its images under permutations of the vertices.
    struct Orbit
    {
      double                weight; ///< of all of them; the weights' sum is 1
      std::array<double, 4> barycentric;
    };

    /// Points and weights solve the equations that the means of the 34 polynomials of degree 12 in
    /// the elementary symmetric ones of the barycentric coordinates are exact. Found by damped
    /// least squares from random orbits, and by Newton's method with 50 digits from there.
    constexpr Orbit orbits[] = {{0.083658794341553230921,
                                 {{0.17537852553760518686,
                                   0.17537852553760518686,
                                   0.17537852553760518686,
                                   0.47386442338718443941}}},
                                {0.068012220171443957839,
                                 {{0.28170703936020327782,
                                   0.28170703936020327782,
                                   0.28170703936020327782,
                                   0.15487888191939016655}}},
                                {0.02019598797490370796,
                                 {{0.33266658402026922554,
                                   0.33266658402026922554,
                                   0.33266658402026922554,
                                   0.0020002479391923233941}}},
                                {0.064602489186478581422,
                                 {{0.37485128670148305777,
                                   0.37485128670148305777,
                                   0.12514871329851694223,
                                   0.12514871329851694223}}},
                                {0.066986118121802058147,
                                 {{0.40803496673153209521,
                                   0.40803496673153209521,
                                   0.091965033268467904785,
                                   0.091965033268467904785}}},
                                {0.06103468797223524443,
                                 {{0.025684399216898148839,
                                   0.025684399216898148839,
                                   0.37113839575424622107,
                                   0.57749280581195748126}}},
                                {0.05821366122509574921,
                                 {{0.43027370003239207746,
                                   0.43027370003239207746,
                                   0.12741545871917151682,
                                   0.012037141216044328261}}},
                                {0.14378277359001119645,
                                 {{0.08002893759466390844,
                                   0.08002893759466390844,
                                   0.63647557633874685647,
                                   0.20346654847192532665}}},
                                {0.036079673039195786188,
                                 {{0.044908660500544192392,
                                   0.044908660500544192392,
                                   0.10242423589854627203,
                                   0.80775844310036534319}}},
                                {0.028632597190574601646,
                                 {{0.12507892101012633823,
                                   0.12507892101012633823,
                                   0.007898412129211880766,
                                   0.74194374585053544278}}},
                                {0.17362038436609277158,
                                 {{0.25345862048073559769,
                                   0.25345862048073559769,
                                   0.43465292947266863318,
                                   0.058429829565860171434}}},
                                {0.0088194335353550421268,
                                 {{0.011173497771787291794,
                                   0.011173497771787291794,
                                   0.91602613617689973574,
                                   0.06162686827952568067}}},
                                {0.15192084758401473681,
                                 {{0.27238012796832374724,
                                   0.1427878871859788997,
                                   0.56495790097795942924,
                                   0.019874083867737923812}}},
                                {0.034440331701243335274,
                                 {{0.041281774371622789664,
                                   0.75724510742935103315,
                                   0.0020018402985607227179,
                                   0.19947127790046545447}}}};
  } // namespace

  Quadrature<3>
  tetrahedron_rule_of_degree_12()
  {
    constexpr double      volume = 1. / 6.;
    std::vector<Point<3>> points;
    std::vector<double>   weights;
    for (const Orbit &orbit : orbits)
      {
        const std::size_t first = points.size();
        auto              image = orbit.barycentric;
        std::sort(image.begin(), image.end());
        do // each image once, also where coordinates are equal
          points.emplace_back(image[1], image[2], image[3]);
        while (std::next_permutation(image.begin(), image.end()));
        weights.resize(points.size(), volume * orbit.weight / (points.size() - first));
      }
    return {points, weights};
  }
} // namespace Saltus
