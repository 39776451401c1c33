// Parallelograms, turned against each other.
Point(1) = {0, 0, 0};
Point(2) = {2, 0.5, 0};
Point(3) = {2.5, 1.7, 0};
Point(4) = {0.5, 1.2, 0};
Point(5) = {4, 1, 0};
Point(6) = {4.5, 2.2, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Line(5) = {2, 5};
Line(6) = {5, 6};
Line(7) = {6, 3};
Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {-2, 5, 6, 7};
Plane Surface(1) = {1};
Plane Surface(2) = {-2};
Transfinite Curve {1, 3, 5, 7} = 3;
Transfinite Curve {2, 4, 6} = 2;
Transfinite Surface {1};
Transfinite Surface {2};
Recombine Surface {1, 2};
Mesh.SecondOrderLinear = 1; // nodes on the elements, not on the geometry: they differ by 1e-12
