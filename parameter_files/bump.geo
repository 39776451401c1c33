// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A channel whose lower wall is y = 0.0625 exp(-25 x^2), with edges of 0.8/n and elements of an order that
// -order says. The curve goes through 400 points.
//   gmsh -2 -order 4 -format msh41 -setnumber n 4 bump.geo -o bump.msh
DefineConstant[ n = 4 ];
h = 0.8 / n;
m = 400;
For i In {0:m}
  x = -1.5 + 3 * i / m;
  Point(1 + i) = {x, 0.0625 * Exp(-25 * x^2), 0, h};
EndFor
Spline(1) = {1:m + 1};
Point(m + 2) = {1.5, 0.8, 0, h};
Point(m + 3) = {-1.5, 0.8, 0, h};
Line(2) = {m + 1, m + 2};
Line(3) = {m + 2, m + 3};
Line(4) = {m + 3, 1};
Transfinite Curve {1} = Round(3 / h * 1.5) + 1 Using Bump 0.5;
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Curve(1)   = {1, 3};
Physical Curve(2)   = {4};
Physical Curve(3)   = {2};
Physical Surface(1) = {1};
