// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// [-16,25]x[-22,22] around a square of side 1 at the origin, finer around the square, towards its
// corners and in its wake: 2,300 triangles; of half the size 8,800.
//   gmsh -2 -format msh2 square_cylinder.geo -o square_cylinder.msh
//   gmsh -2 -format msh2 -setnumber size 0.5 square_cylinder.geo -o square_cylinder_fine.msh
// and on quadrilaterals:
//   gmsh -2 -format msh2 -setnumber quadrilaterals 1 square_cylinder.geo -o square_cylinder_quadrilaterals.msh
DefineConstant[ size = 1, quadrilaterals = 0 ]; // size: of all triangles

Point(1) = {-16, -22, 0};
Point(2) = {25, -22, 0};
Point(3) = {25, 22, 0};
Point(4) = {-16, 22, 0};
Point(5) = {-0.5, -0.5, 0};
Point(6) = {0.5, -0.5, 0};
Point(7) = {0.5, 0.5, 0};
Point(8) = {-0.5, 0.5, 0};

Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Line(5) = {5, 6};
Line(6) = {6, 7};
Line(7) = {7, 8};
Line(8) = {8, 5};

Curve Loop(1)    = {1, 2, 3, 4};
Curve Loop(2)    = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};

// The sizes, of which the smallest one holds.
Field[1]            = Distance;
Field[1].PointsList = {5, 6, 7, 8};
Field[2]            = Threshold; // from the corners on
Field[2].InField    = 1;
Field[2].SizeMin    = 0.08 * size;
Field[2].SizeMax    = 4 * size;
Field[2].DistMin    = 0;
Field[2].DistMax    = 16;
Field[3]            = Box; // the wake
Field[3].XMin       = -1;
Field[3].XMax       = 25;
Field[3].YMin       = -2;
Field[3].YMax       = 2;
Field[3].VIn        = 0.67 * size;
Field[3].VOut       = 4 * size;
Field[3].Thickness  = 16;
Field[4]            = Min;
Field[4].FieldsList = {2, 3};
Background Field    = 4;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints         = 0;
If (quadrilaterals)
  Recombine Surface {1};
  Mesh.RecombinationAlgorithm = 3; // no triangle is left
EndIf

Physical Curve(1)   = {4};          // left
Physical Curve(2)   = {2};          // right
Physical Curve(3)   = {1, 3};       // below and above
Physical Curve(4)   = {5, 6, 7, 8}; // the square
Physical Surface(1) = {1};
