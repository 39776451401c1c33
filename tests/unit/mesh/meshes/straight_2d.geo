// A quadrilateral. Physical ids: 1 and 2 two of its sides, 5 all.
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {1.25, 1.5, 0};
Point(4) = {0, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Curve(1) = {1};
Physical Curve(2) = {2};
Physical Surface(5) = {1};
Transfinite Curve {1:4} = 2;
Mesh.MeshSizeFactor = 10;
Mesh.SecondOrderLinear = 1; // nodes on the elements, not on the geometry: they differ by 1e-12
