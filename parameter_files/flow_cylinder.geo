// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Channel of the size 2.2 x 0.41 with a circle of diameter 0.1 around (0.2, 0.2), finer around the
// circle and behind it. The circle has n edges and all sizes follow from that: 32 give 840 triangles,
// 64 3,200 and 220 37,000.
//   gmsh -2 -format msh2 flow_cylinder.geo -o flow_cylinder.msh
//   gmsh -2 -format msh2 -setnumber n 220 flow_cylinder.geo -o flow_cylinder_fine.msh
// The vertices lie a little outside of the circle: the polygon has its area.
DefineConstant[ n = 64 ]; // a multiple of 4
r = 0.05 * Sqrt((2 * Pi / n) / Sin(2 * Pi / n));
h = 2 * Pi * r / n;

Point(1) = {0, 0, 0};
Point(2) = {2.2, 0, 0};
Point(3) = {2.2, 0.41, 0};
Point(4) = {0, 0.41, 0};
Point(5) = {0.2, 0.2, 0};
Point(6) = {0.2 + r, 0.2, 0};
Point(7) = {0.2, 0.2 + r, 0};
Point(8) = {0.2 - r, 0.2, 0};
Point(9) = {0.2, 0.2 - r, 0};

Line(1)   = {1, 2};
Line(2)   = {2, 3};
Line(3)   = {3, 4};
Line(4)   = {4, 1};
Circle(5) = {6, 5, 7};
Circle(6) = {7, 5, 8};
Circle(7) = {8, 5, 9};
Circle(8) = {9, 5, 6};
Transfinite Curve{5:8} = n / 4 + 1;

Curve Loop(1)    = {1, 2, 3, 4};
Curve Loop(2)    = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};

// The sizes, of which the smallest one holds.
Field[1]            = Distance;
Field[1].CurvesList = {5, 6, 7, 8};
Field[2]            = Threshold; // from the circle on
Field[2].InField    = 1;
Field[2].SizeMin    = h;
Field[2].SizeMax    = 8 * h;
Field[2].DistMin    = 0;
Field[2].DistMax    = 0.2;
Field[3]            = Box; // the wake
Field[3].XMin       = 0.2;
Field[3].XMax       = 2.2;
Field[3].YMin       = 0.1;
Field[3].YMax       = 0.3;
Field[3].VIn        = 6 * h;
Field[3].VOut       = 8 * h;
Field[3].Thickness  = 0.1;
Field[4]            = Min;
Field[4].FieldsList = {2, 3};
Background Field    = 4;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints         = 0;

Physical Curve(1)   = {4};          // left
Physical Curve(2)   = {2};          // right
Physical Curve(3)   = {1, 3};       // walls below and above
Physical Curve(4)   = {5, 6, 7, 8}; // the circle
Physical Surface(1) = {1};
