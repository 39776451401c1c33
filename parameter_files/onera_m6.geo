// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Between the ONERA M6 wing, its plane of symmetry, z = 0, and a far field R metres away, where edges are
// h + g d metres long at the distance d. Each side of the wing has n edges along the chord and m along the span.
//   gmsh -3 -format msh41 onera_m6.geo -o onera_m6.msh
DefineConstant[ n = 32, m = 32, h = 0.025, g = 0.25, R = 10 ];

span  = 1.1963;
chord = 0.8059; // at the root
taper = 0.562;
sweep = span * Tan(Pi / 6); // of the leading edge

// Points of the root, from the trailing edge along the upper side to the leading edge and back below, and
// of the tip. The section is nearly that of onera_m6_section.txt, to which the mesh is moved later.
For i In {0:2 * n - 1}
  s = Abs(1 - i / n);
  x = 0.25 * (1 - Cos(Pi * s)) + 0.5 * s^2;
  y = 0.2 * Sqrt(x) - 0.3292 * x + 0.7525 * x^2 - 1.4790 * x^3 + 1.2536 * x^4 - 0.3979 * x^5;
  If (i > n)
    y = -y;
  EndIf
  Point(1 + i)         = {chord * x, chord * y, 0};
  Point(1 + 2 * n + i) = {sweep + taper * chord * x, taper * chord * y, span};
EndFor
// Lines along the root, the tip and the span.
For i In {0:2 * n - 1}
  next = (i + 1) % (2 * n);
  Line(1 + i)         = {1 + i, 1 + next};
  Line(1 + 2 * n + i) = {1 + 2 * n + i, 1 + 2 * n + next};
  Line(1 + 4 * n + i) = {1 + i, 1 + 2 * n + i};
EndFor
Transfinite Curve {1:4 * n} = 2;
Transfinite Curve {4 * n + 1:6 * n} = m + 1;
For i In {0:2 * n - 1}
  next = (i + 1) % (2 * n);
  Curve Loop(1 + i) = {1 + i, 1 + 4 * n + next, -(1 + 2 * n + i), -(1 + 4 * n + i)};
  Surface(1 + i)    = {1 + i};
EndFor
Transfinite Surface {1:2 * n} AlternateRight;

c = 6 * n + 10;
Point(c)     = {chord, 0, 0};
Point(c + 1) = {chord + R, 0, 0};
Point(c + 2) = {chord, R, 0};
Point(c + 3) = {chord - R, 0, 0};
Point(c + 4) = {chord, -R, 0};
Point(c + 5) = {chord, 0, R};
For i In {1:4}
  Circle(c + i)     = {c + i, c, c + i % 4 + 1};
  Circle(c + 4 + i) = {c + i, c, c + 5};
EndFor
For i In {1:4}
  Curve Loop(c + i) = {c + i, c + 4 + i % 4 + 1, -(c + 4 + i)};
  Surface(c + i)    = {c + i};
EndFor

Curve Loop(c + 5)    = {c + 1:c + 4};
Curve Loop(c + 6)    = {1:2 * n};
Curve Loop(c + 7)    = {2 * n + 1:4 * n};
Plane Surface(c + 5) = {c + 5, c + 6};
Plane Surface(c + 7) = {c + 7};
Surface Loop(1)      = {1:2 * n, c + 1:c + 5, c + 7};
Volume(1)            = {1};

Field[1]            = Distance;
Field[1].CurvesList = {1:6 * n};
Field[1].NumPointsPerCurve = m;
Field[2]            = MathEval;
Field[2].F          = Sprintf("%g + %g * F1", h, g);
Background Field    = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints         = 0;
Mesh.OptimizeThreshold          = 0.5;

Physical Surface(1) = {1:2 * n};
Physical Surface(2) = {c + 7};       // tip
Physical Surface(3) = {c + 5};       // plane of symmetry
Physical Surface(4) = {c + 1:c + 4}; // far field
Physical Volume(1)  = {1};
