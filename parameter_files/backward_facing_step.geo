// Channel with a step of height 1, from a height of 1 to 2. Ids: 1 inflow, 2 outflow, 3 walls.
//   gmsh -2 -format msh2 backward_facing_step.geo
If (!Exists(size)) size = 0.4; EndIf // of elements
If (!Exists(length)) length = 14; EndIf // behind the step
Point(1) = {-2, 0, 0, size};
Point(2) = {0, 0, 0, size / 2};
Point(3) = {0, -1, 0, size};
Point(4) = {length, -1, 0, 1.5 * size};
Point(5) = {length, 1, 0, 1.5 * size};
Point(6) = {-2, 1, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Curve Loop(1) = {1 : 6};
Plane Surface(1) = {1};
Physical Curve(1) = {6};
Physical Curve(2) = {4};
Physical Curve(3) = {1, 2, 3, 5};
Physical Surface(0) = {1};
