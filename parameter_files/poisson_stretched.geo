// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Unit square with triangles that become thin towards the wall y = 0: 100:1 there.
//   gmsh -2 -format msh2 poisson_stretched.geo -o poisson_stretched.msh
nx     = 4;        // edges along the wall
ny     = 10;       // layers, the first of them 1/400 thick
growth = 1.775411; // of the layers

Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {1, 1, 0};
Point(4) = {0, 1, 0};

Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {4, 3};
Line(4) = {1, 4};

Curve Loop(1)    = {1, 2, -3, -4};
Plane Surface(1) = {1};

Transfinite Curve{1, 3}   = nx + 1;
Transfinite Curve{2, 4}   = ny + 1 Using Progression growth;
Transfinite Surface{1}    = {1, 2, 3, 4} Alternated;

Physical Curve(1)   = {1}; // wall
Physical Curve(2)   = {2};
Physical Curve(3)   = {3};
Physical Curve(4)   = {4};
Physical Surface(1) = {1};
