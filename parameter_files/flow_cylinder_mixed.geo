// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Channel of the size 2.2 x 0.41 with a circle of diameter 0.1 around (0.2, 0.2): rings of
// quadrilaterals along the circle, up to twice its radius, triangles beyond, finer behind it. The
// circle has n edges and all sizes follow from that.
//   gmsh -2 -format msh41 flow_cylinder_mixed.geo -o flow_cylinder_mixed.msh
DefineConstant[ n = 32 ]; // a multiple of 4
r = 0.05;
h = 2 * Pi / n;

Point(1) = {0, 0, 0};
Point(2) = {2.2, 0, 0};
Point(3) = {2.2, 0.41, 0};
Point(4) = {0, 0.41, 0};
Point(5) = {0.2, 0.2, 0};
For k In {0:3}
  Line(1 + k) = {1 + k, 1 + (k + 1) % 4};
EndFor
For i In {1:2}
  For k In {0:3}
    Point(10 * i + k) = {0.2 + i * r * Cos(k * Pi / 2), 0.2 + i * r * Sin(k * Pi / 2), 0};
  EndFor
  For k In {0:3}
    Circle(10 * i + k) = {10 * i + k, 5, 10 * i + (k + 1) % 4};
  EndFor
EndFor
Transfinite Curve{10:13, 20:23} = n / 4 + 1;

// Rings of similar quadrilaterals.
n_rings = Round(Log(2) / Log(1 + h));
For k In {0:3}
  Line(40 + k) = {10 + k, 20 + k};
EndFor
Transfinite Curve{40:43} = n_rings + 1 Using Progression 1 + h;
For k In {0:3}
  Curve Loop(k + 1)    = {40 + k, 20 + k, -(40 + (k + 1) % 4), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor
Transfinite Surface{1:4};
Recombine Surface{1:4};

Curve Loop(5)    = {1, 2, 3, 4};
Curve Loop(6)    = {20, 21, 22, 23};
Plane Surface(5) = {5, 6};

// The sizes of triangles, of which the smallest one holds.
Field[1]            = Distance;
Field[1].CurvesList = {20:23};
Field[2]            = Threshold; // from the rings on
Field[2].InField    = 1;
Field[2].SizeMin    = 2 * r * h;
Field[2].SizeMax    = 6 * r * h;
Field[2].DistMin    = 0;
Field[2].DistMax    = 0.15;
Field[3]            = Box; // the wake
Field[3].XMin       = 0.2;
Field[3].XMax       = 2.2;
Field[3].YMin       = 0.1;
Field[3].YMax       = 0.3;
Field[3].VIn        = 4 * r * h;
Field[3].VOut       = 6 * r * h;
Field[3].Thickness  = 0.1;
Field[4]            = Min;
Field[4].FieldsList = {2, 3};
Background Field    = 4;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints         = 0;

Physical Curve(1)   = {4};       // left
Physical Curve(2)   = {2};       // right
Physical Curve(3)   = {1, 3};    // walls below and above
Physical Curve(4)   = {10:13};   // the circle
Physical Surface(1) = {1:5};
