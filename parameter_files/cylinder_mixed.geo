// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Between a circle with n edges and a far field of 20 radii with n / 2: n / 8 rings of
// quadrilaterals along the circle, up to two radii, triangles beyond.
//   gmsh -2 -format msh41 -setnumber n 32 cylinder_mixed.geo -o cylinder_mixed.msh
DefineConstant[ n = 32, R = 20 ];
r = 2;
h = 2 * Pi / n;
radii[] = {1, r, R};

Point(1) = {0, 0, 0, h};
For i In {0:2}
  For k In {0:3}
    Point(10 * (i + 1) + k) = {radii[i] * Cos(k * Pi / 2), radii[i] * Sin(k * Pi / 2), 0, radii[i] * h};
  EndFor
  For k In {0:3}
    Circle(10 * (i + 1) + k) = {10 * (i + 1) + k, 1, 10 * (i + 1) + (k + 1) % 4};
  EndFor
EndFor
Transfinite Curve{10:13, 20:23} = n / 4 + 1;
Transfinite Curve{30:33} = n / 8 + 1;

// Rings of similar quadrilaterals.
n_rings = Round(Log(r) / Log(1 + h));
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

Curve Loop(5)    = {30, 31, 32, 33};
Curve Loop(6)    = {20, 21, 22, 23};
Plane Surface(5) = {5, 6};

// Gmsh has no physical id 0: an edge without an id gets it, here those of the circle.
Physical Curve(1)   = {30:33}; // far field
Physical Surface(1) = {1:5};
