// Channel with a step of height 1, from a height of 1 to 2. Ids: 1 inflow, 2 outflow, 3 walls.
//   gmsh -2 -format msh2 backward_facing_step.geo
// With -setnumber inlet 0 the fluid enters at the step, as in backward_facing_step_re800.prm:
//   gmsh -2 -format msh2 -setnumber inlet 0 -setnumber length 60 -setnumber size 0.5
//     backward_facing_step.geo -o backward_facing_step_re800.msh
If (!Exists(size)) size = 0.4; EndIf // of elements; half of it at the corner of the step
If (!Exists(inlet)) inlet = 2; EndIf // before the step
If (!Exists(length)) length = 14; EndIf // behind the step
If (inlet > 0)
  Point(1) = {-inlet, 0, 0, size};
EndIf
Point(2) = {0, 0, 0, size / 2};
Point(3) = {0, -1, 0, size};
Point(4) = {length, -1, 0, 1.5 * size};
Point(5) = {length, 1, 0, 1.5 * size};
Point(6) = {-inlet, 1, 0, size};
If (inlet > 0)
  Line(1) = {1, 2};
EndIf
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
If (inlet > 0)
  Line(6) = {6, 1};
  Curve Loop(1) = {1 : 6};
Else
  Line(6) = {6, 2};
  Curve Loop(1) = {2 : 6};
EndIf
Plane Surface(1) = {1};
Physical Curve(1) = {6};
Physical Curve(2) = {4};
If (inlet > 0)
  Physical Curve(3) = {1, 2, 3, 5};
Else
  Physical Curve(3) = {2, 3, 5};
EndIf
Physical Surface(0) = {1};
