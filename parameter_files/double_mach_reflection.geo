// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Domain of the double Mach reflection, [0,4]x[0,1] with the wedge beginning at x = 1/6.
// Triangles of side h: 0.07 gives about 2,000, 0.0117 69,000, 0.00627 237,000, 0.0031 964,000.
//   gmsh -2 -format msh2 -setnumber h 0.02 double_mach_reflection.geo -o double_mach_reflection.msh
DefineConstant[ h = 0.07 ];

Point(1) = {0,   0, 0, h};
Point(2) = {1/6, 0, 0, h};
Point(3) = {4,   0, 0, h};
Point(4) = {4,   1, 0, h};
Point(5) = {0,   1, 0, h};

Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 1};

Curve Loop(1)    = {1, 2, 3, 4, 5};
Plane Surface(1) = {1};

// Gmsh has no physical id 0: it is lost in the mesh file, and an edge without an id gets 0.
Physical Curve(1) = {3}; // right
Physical Curve(2) = {1}; // bottom up to x = 1/6: post-shock state
Physical Curve(3) = {2}; // bottom beyond: wall
Physical Curve(4) = {4}; // top
// left: 0
Physical Surface(1) = {1};
