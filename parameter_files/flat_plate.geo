// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A plate of length 1.5 with a plane of symmetry before it: n edges along the first unit of the plate,
// shorter at its beginning, and as many layers over it, thinner below.
//   gmsh -2 -format msh41 -setnumber n 16 flat_plate.geo -o flat_plate.msh
DefineConstant[ n = 16 ];
H = 1;
m = Round(0.5 * n);

Point(1) = {-0.5, 0, 0};
Point(2) = {0, 0, 0};
Point(3) = {1.5, 0, 0};
Point(4) = {-0.5, H, 0};
Point(5) = {0, H, 0};
Point(6) = {1.5, H, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {4, 5};
Line(4) = {5, 6};
Line(5) = {1, 4};
Line(6) = {2, 5};
Line(7) = {3, 6};
Transfinite Curve {-1, -3}    = m + 1 Using Progression 1.4^(16 / n);
Transfinite Curve {2, 4}      = Round(1.5 * n) + 1 Using Progression 1.12^(16 / n);
Transfinite Curve {5, 6, 7}   = n + 1 Using Progression 1.35^(16 / n);

Curve Loop(1) = {1, 6, -3, -5};
Curve Loop(2) = {2, 7, -4, -6};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Transfinite Surface {1, 2};

Physical Curve(1)   = {2};       // plate
Physical Curve(2)   = {1};       // plane of symmetry
Physical Curve(3)   = {5, 3, 4}; // far field
Physical Curve(4)   = {7};       // outlet
Physical Surface(1) = {1, 2};
