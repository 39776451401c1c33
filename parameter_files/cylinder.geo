// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Between a circle with n edges and a far field of 20 radii with as many.
//   gmsh -2 -format msh41 -setnumber n 32 cylinder.geo -o cylinder.msh
DefineConstant[ n = 32, R = 20 ];
h = 2 * Pi / n;

Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};
Point(3) = {0, 1, 0, h};
Point(4) = {-1, 0, 0, h};
Point(5) = {0, -1, 0, h};
Point(6) = {R, 0, 0, R * h};
Point(7) = {0, R, 0, R * h};
Point(8) = {-R, 0, 0, R * h};
Point(9) = {0, -R, 0, R * h};

Circle(1) = {2, 1, 3};
Circle(2) = {3, 1, 4};
Circle(3) = {4, 1, 5};
Circle(4) = {5, 1, 2};
Circle(5) = {6, 1, 7};
Circle(6) = {7, 1, 8};
Circle(7) = {8, 1, 9};
Circle(8) = {9, 1, 6};
Transfinite Curve{1:8} = n / 4 + 1;

Curve Loop(1)    = {5, 6, 7, 8};
Curve Loop(2)    = {1, 2, 3, 4};
Plane Surface(1) = {1, 2};

// Gmsh has no physical id 0: an edge without an id gets it, here those of the circle.
Physical Curve(1)   = {5, 6, 7, 8}; // far field
Physical Surface(1) = {1};
