// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Between an airfoil with edges of 1/n chord, shorter at its nose, and a far field R chords away.
//   gmsh -2 -format msh41 -setnumber n 80 naca0012.geo -o naca0012.msh
// With a span, the airfoil is extruded along z, and cut into layers of tetrahedra:
//   gmsh -3 -format msh41 -setnumber n 32 -setnumber span 0.1 naca0012.geo -o naca0012_3d.msh
DefineConstant[ n = 80, R = 50, span = 0, layers = 1 ];

// The upper side from the leading to the trailing edge, then the lower one back.
k = Round(n / 16);
m = k + Round(0.97 * n);
For i In {0:m}
  If (i < k)
    x = (0.175 * i / k)^2;
  Else
    x = 0.030625 + 0.969375 * (i - k) / (m - k);
  EndIf
  y = 0.6 * (0.2969 * Sqrt(x) - 0.1260 * x - 0.3516 * x^2 + 0.2843 * x^3 - 0.1036 * x^4);
  Point(1 + i) = {x, y, 0};
  If (i > 0 && i < m)
    Point(2 * m + 1 - i) = {x, -y, 0};
  EndIf
EndFor
For i In {1:2 * m - 1}
  Line(i) = {i, i + 1};
EndFor
Line(2 * m) = {2 * m, 1};
Transfinite Curve {1:2 * m} = 2;

c = 2 * m + 10;
Point(c)     = {0.5, 0, 0};
Point(c + 1) = {0.5 + R, 0, 0};
Point(c + 2) = {0.5, R, 0};
Point(c + 3) = {0.5 - R, 0, 0};
Point(c + 4) = {0.5, -R, 0};
Circle(c + 1) = {c + 1, c, c + 2};
Circle(c + 2) = {c + 2, c, c + 3};
Circle(c + 3) = {c + 3, c, c + 4};
Circle(c + 4) = {c + 4, c, c + 1};

Curve Loop(1)    = {c + 1:c + 4};
Curve Loop(2)    = {1:2 * m};
Plane Surface(1) = {1, 2};

Field[1]            = Distance;
Field[1].CurvesList = {1:2 * m};
Field[2]            = MathEval;
Field[2].F          = Sprintf("%g + %g * F1", 1.08 / n, 9.6 / n);
Background Field    = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints         = 0;

If (span > 0)
  out() = Extrude{0, 0, span}{ Surface{1}; Layers{layers}; }; // end, volume, sides
  Physical Surface(1) = {out(6):out(5 + 2 * m)};
  Physical Surface(2) = {out(2):out(5)};
  Physical Surface(3) = {1, out(0)};
  Physical Volume(1)  = {out(1)};
Else
  Physical Curve(1)   = {1:2 * m};
  Physical Curve(2)   = {c + 1:c + 4};
  Physical Surface(1) = {1};
EndIf
