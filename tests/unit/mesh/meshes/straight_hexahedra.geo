// Parallelepipeds.
Merge "straight_quadrilaterals.geo";
Extrude {0.2, 0.3, 1} { Surface {1}; Layers {2}; Recombine; }
