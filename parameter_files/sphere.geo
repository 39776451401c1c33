// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Between a sphere of radius 1, with edges h long, and a far field R away, where they are H long.
//   gmsh -3 -format msh41 sphere.geo -o sphere.msh
DefineConstant[ h = 0.18, H = 2.15, R = 12 ];

SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, R};
Sphere(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };

Field[1]         = MathEval;
Field[1].F       = Sprintf("%g + %g * (Sqrt(x^2 + y^2 + z^2) - 1)", h, (H - h) / (R - 1));
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints         = 0;
Mesh.OptimizeThreshold          = 0.5; // no slivers

wall() = Surface In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
far()  = Boundary{ Volume{3}; };
far()  -= wall();
Physical Surface(1) = {wall()};
Physical Surface(2) = {far()};
Physical Volume(1)  = {3};
