// A quarter of the annulus 1 < r < 2. Physical ids: 1 inner arc, 2 outer arc, 3 the straight sides, 5 all.
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {2, 0, 0};
Point(4) = {0, 2, 0};
Point(5) = {0, 1, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Curve(1) = {4};
Physical Curve(2) = {2};
Physical Curve(3) = {1, 3};
Physical Surface(5) = {1};
Transfinite Curve {1, 3} = 2;
Transfinite Curve {2, 4} = 3;
