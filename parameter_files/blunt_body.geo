// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Before a cylinder, up to a circle of radius R around it: n edges a quarter, m across.
//   gmsh -2 -format msh2 -setnumber n 16 blunt_body.geo -o blunt_body.msh
DefineConstant[ n = 16, m = 12, R = 2.5 ];

Point(1) = {0, 0, 0};
Point(2) = {0, 1, 0};
Point(3) = {-1, 0, 0};
Point(4) = {0, -1, 0};
Point(5) = {0, R, 0};
Point(6) = {-R, 0, 0};
Point(7) = {0, -R, 0};

Circle(1) = {2, 1, 3};
Circle(2) = {3, 1, 4};
Circle(3) = {5, 1, 6};
Circle(4) = {6, 1, 7};
Line(5)   = {2, 5};
Line(6)   = {3, 6};
Line(7)   = {4, 7};

Curve Loop(1)    = {1, 6, -3, -5};
Curve Loop(2)    = {2, 7, -4, -6};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Transfinite Curve{1:4} = n + 1;
Transfinite Curve{5:7} = m + 1;
Transfinite Surface{1, 2} Alternate; // the same above and below the axis

Physical Curve(1) = {1, 2}; // cylinder
Physical Curve(2) = {3, 4}; // stream
Physical Curve(3) = {5, 7}; // where it leaves
Physical Surface(1) = {1, 2};
