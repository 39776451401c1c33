# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# The runs and refusals of the program `poisson`.
set(program poisson)

# add_rates(FILE L2 RATE H1 RATE [LINE expression] options): the last row of the error table, and another line.
function(add_rates file l2 l2_rate h1 h1_rate)
  cmake_parse_arguments(rates "" "LINE" "" ${ARGN})
  set(expression "${l2} *\\| ${l2_rate}[0-9]* *\\| ${h1} *\\| ${h1_rate}")
  if(rates_LINE)
    string(APPEND expression "\n${rates_LINE}")
  endif()
  add_run(${file} ${file} "${expression}" ${rates_UNPARSED_ARGUMENTS})
endfunction()

add_rates(poisson_2d 4\.029.e-08 4\.0 1\.4019e-05 3\.0 LINE "^. 2 +. 5120 +. 1[345] \nin all [0-9]+ bytes an element")
if(shortest_diagonal)
  add_rates(poisson_3d 2\.61..e-05 3\.9 1\.80..e-03 3\.0)
else()
  add_rates(poisson_3d 2\.65..e-05 3\.9 1\.81..e-03 2\.9)
endif()
add_rates(poisson_robin 5\.73[67].e-09 4\.0 1\.813[78]e-06 3\.0)
add_rates(poisson_stretched 3\\.900.e-07 3\\.9 1\\.7136e-04 2\\.9)
add_rates(poisson_jump 4\.145.e-07 4\.0 1\.4148e-04 3\.0)
add_rates(poisson_neumann 8\.784.e-09 4\.0 3\.1254e-06 3\.0)
add_rates(poisson_ring 9\\.42..e-05 3\\.9 6\\.63..e-03 2\\.9)
# Quadrilaterals and hexahedra that are curved in Gmsh's file.
set(exact "Dirichlet (as exact solution)")
set(ends "0: ${exact}, 1: ${exact}, 2: ${exact}")
set(curved_file --set Mesh/Cells=hypercubes --set Mesh/Type=file --set "Mesh/Geometry degree=1")
add_run(poisson_gmsh_quadrilaterals poisson_ring "2\\.0647e-06 *\\| 3\\.94 *\\| 2\\.3152e-04 *\\| 3\\.02"
  ${curved_file} --set Mesh/File=${curved_meshes}/annulus_quadrilaterals_4.msh
  --set Discretization/Cycles=5 --set "Functions/Boundary conditions=1: ${exact}, 2: ${exact}, 3: ${exact}")
add_run(poisson_gmsh_hexahedra poisson_ring "4\\.2227e-05 *\\| 2\\.98 *\\| 2\\.2580e-03 *\\| 2\\.01"
  ${curved_file} --set Mesh/File=${curved_meshes}/tube_hexahedra_3.msh --set Equation/Dimension=3
  --set Discretization/Cycles=4 --set Discretization/Degree=2 --set "Functions/Source term=0"
  --set "Functions/Exact solution=sin(x)*exp(z)"
  --set "Functions/Gradient of exact solution=cos(x)*exp(z)${s} 0${s} sin(x)*exp(z)"
  --set "Functions/Boundary conditions=${ends}")
add_rates(screened_poisson 1\\.1693e-06 4\\.7 5\\.3750e-04 3\\.7)
# The errors are those of the third cycle.
add_rates(taylor_vortex_pressure 8\.0...e-12 [67]\. 3\.77..e-09 [56]\. LINE "^. 3 +. 229376 +. 2[0-6] ")
add_run(poisson_seminorm poisson_2d "H1 seminorm error" --set Discretization/Cycles=1 --no-progress)
add_run(poisson_one_periodic_cell poisson_2d "1 *\\| 16 *\\| 1\\.0253e-01" --set Discretization/Cycles=1
  --set Mesh/Cells=hypercubes --set Mesh/Subdivisions=1,1 --set "Functions/Source term=4*pi^2*sin(2*pi*y)"
  --set "Functions/Exact solution=sin(2*pi*y)" --set "Functions/Gradient of exact solution="
  --set "Functions/Boundary conditions=0: periodic with 1, 2: periodic with 3")
add_run(poisson_as_exact_solution poisson_2d "320 +. 1\\.6096e-04 . 7\\.2033e-03" --set
  Discretization/Cycles=1 --set
  "Functions/Boundary conditions=0: ${exact}, 1: ${exact}, 2: ${exact}, 3: ${exact}")
add_run(poisson_balance poisson_neumann "0\\.0403[0-9]* of the right-hand side's norm is removed"
  --set Discretization/Cycles=1 --set "Functions/Source term=1")
# A tensor, for which x+y has no source.
add_run(poisson_tensor poisson_2d "^. 1 +. 128 +. 1280 +. [0-9.]+e-(09|1.)"
  --set Discretization/Cycles=2 --set "Equation/Diffusion=2${s} 0.5${s} 1"
  --set "Functions/Source term=" --set "Functions/Exact solution=x+y"
  --set "Functions/Gradient of exact solution=1${s} 1" --set "Functions/Boundary conditions=\
0: Neumann (-2.5), 1: Dirichlet (1+y), 2: Robin (3${s} 3*x-1.5), 3: Neumann (1.5)")
# All ways to solve, with the same errors.
foreach(solver "Belos" "AztecOO")
  add_run(poisson_${solver} poisson_2d "6\\.427.e-07 *\\| 3\\.99" --set Discretization/Cycles=3
    --set Solver/Type=${solver})
endforeach()
foreach(preconditioner none "inverse mass" "block Jacobi" p-multigrid AMG ILU)
  string(REPLACE " " "_" name ${preconditioner})
  add_run(poisson_${name} poisson_2d "6\\.427.e-07 *\\| 3\\.99" --set Discretization/Cycles=3
    --set "Solver/Type=AztecOO" --set "Solver/Preconditioner=${preconditioner}")
endforeach()
add_run(poisson_Belos_block poisson_2d "6\\.427.e-07 *\\| 3\\.99" --set Discretization/Cycles=3
  --set Solver/Type=Belos --set "Solver/Belos variant=block")
# add_iterations(NAME EXPRESSION options): of the smooth problem's third cycle.
function(add_iterations name expression)
  add_run(poisson_${name} poisson_2d "^. 2 +. 5120 +. ${expression} " --set Discretization/Cycles=3
    ${ARGN})
endfunction()

add_iterations(double 1[345] --set Solver/Multigrid/Precision=double)
add_iterations(discontinuous 2[0-4] --set "Solver/Multigrid/Coarse space=discontinuous")
add_iterations(plain_aggregation 1[456] --set Solver/Multigrid/Aggregation=plain)
add_iterations(K_cycle 1[345] --set Solver/Multigrid/Cycle=K)
add_iterations(smoother_degree 2[0-9] --set "Solver/Multigrid/Smoother degree=2")
add_iterations(periodic 1[0-9] --set "Functions/Boundary conditions=\
0: periodic with 1, 2: Dirichlet, 3: Dirichlet (1)")
# Lines of flat triangles with all angles.
add_iterations(flat_triangles 1[2-5] --set "Mesh/Upper corner=10, 1")
# Data of any size, with levels in single precision.
foreach(unit 1 1e-45 1e-300 1e45)
  add_iterations(in_units_of_${unit} 1[78] --set "Functions/Source term=${unit}*exp(x)*y"
    --set "Functions/Boundary conditions=0: Dirichlet, 1: Dirichlet, 2: Dirichlet, 3: Dirichlet"
    --set "Functions/Exact solution=" --set "Functions/Gradient of exact solution=")
endforeach()
# The residual that is reported is that of the solution.
foreach(solver "deal.II CG" "Belos" "AztecOO")
  string(REPLACE " " "_" name "poisson_stagnation_${solver}")
  add_run(${name} poisson_2d "The residual stagnates at [0-9.]+e-0[89] of the right-hand side"
    --set "Solver/Type=${solver}" --set Discretization/Cycles=1
    --set "Equation/Diffusion=if((x < 0.5) == (y < 0.5), 1, 1e6)"
    --set "Equation/Coefficients=by element" --set "Functions/Source term=1"
    --set "Functions/Boundary conditions=0: Dirichlet, 1: Dirichlet, 2: Dirichlet, 3: Dirichlet"
    --set "Functions/Exact solution=" --set "Functions/Gradient of exact solution=")
endforeach()
# Without an exact solution, the table of iterations is all there is.
add_run(poisson_no_solution poisson_2d "^. 0 +. 320 +. [0-9]+ +. [0-9.]+ +. [0-9.]+ +. [0-9.]+ +. [0-9.]+e-1[01] +. $"
  --set Discretization/Cycles=1 --set "Functions/Exact solution="
  --set "Functions/Gradient of exact solution=")

add_regression(poisson_results check_poisson_results ${here}/poisson_results $<TARGET_FILE:poisson>
  ${files}/poisson_2d.prm --device cpu)

# Meshes from files. Fine ones far from the origin: their coordinates are more than 100,000 times the
# size of a cell.
set(sides "Functions/Boundary conditions=1: Dirichlet")
foreach(mesh far_from_origin map_coordinates)
  add_run(poisson_${mesh} poisson_2d "^Cycle 0: 10752 elements, 32256 degrees" --set Mesh/Type=file
    --set Mesh/File=${meshes}/${mesh}.msh --set Mesh/Refinements=4 --set Discretization/Degree=1
    --set Discretization/Cycles=1 --set "Functions/Source term=1" --set "Functions/Exact solution="
    --set "Functions/Gradient of exact solution=" --set ${sides})
endforeach()
foreach(mesh tangled tangled_outside)
  add_refusal(poisson_mesh_${mesh} "lie on the same side of their face" ${files}/poisson_2d.prm --device cpu
    --set Mesh/Type=file --set Mesh/File=${meshes}/${mesh}.msh --set ${sides})
endforeach()
# Where the cells are on two ranks.
add_regression(refuses_poisson_mesh_tangled_on_6_ranks refuse "lie on the same side of their face" ${mpiexec}
  -n 6 $<TARGET_FILE:poisson> ${files}/poisson_2d.prm --device cpu --set Mesh/Type=file
  --set Mesh/File=${meshes}/tangled.msh --set ${sides}
  --set Output/Directory=${here}/refuses_poisson_mesh_tangled_on_6_ranks)

# Materials 3 and 7, whose interface has the id 9: the solution is linear in each of them.
set(by_material "Functions/Coefficients by material")
set(bar --set Mesh/Type=file --set Mesh/Refinements=1 --set Discretization/Degree=2 --set Discretization/Cycles=1
  --set Solver/Tolerance=1e-13 --set "Functions/Source term=" --set "Functions/Gradient of exact solution="
  --set "Functions/Exact solution=if(x < 1, 10*x, 9 + x)/11"
  --set "Functions/Boundary conditions=1: Neumann, 2: Dirichlet (0), 4: Dirichlet (1)")
set(two_materials --set "${by_material}=3: diffusion (1), 7: diffusion (10)")
set(exact_bar "^. 0 +. [0-9]+ +. [0-9]+ +. [0-9.]+e-1[2-6] ")
# add_bar(NAME MESH options)
function(add_bar name mesh)
  add_run(poisson_bar_${name} poisson_2d "${exact_bar}" ${bar} --set Mesh/File=${meshes}/${mesh}.msh
    ${two_materials} ${ARGN})
endfunction()

add_bar(triangles bar)
add_bar(tensor bar --set "${by_material}=3: diffusion (1${s} 0${s} 2), 7: diffusion (10${s} 0${s} 3)")
add_bar(by_point bar --set "${by_material}=3: diffusion (1+0*x), 7: diffusion (10+0*x)")
add_bar(quadrilaterals bar_quadrilaterals --set Mesh/Cells=hypercubes)
add_bar(mixed bar_mixed --set Mesh/Cells=mixed)
add_bar(curved bar_curved)
add_bar(tetrahedra bar_tetrahedra --set Equation/Dimension=3)
# Reaction in one material only, u = 1 in the other.
add_bar(reaction bar --set "${by_material}=3: reaction (0), 7: reaction (5)"
  --set "Functions/Source term=if(x < 1, 0, 5)" --set "Functions/Exact solution=1"
  --set "Functions/Boundary conditions=1: Neumann, 2: Neumann, 4: Neumann")
# All cells of generated meshes have the material 0.
foreach(cells simplices hypercubes mixed)
  add_run(poisson_generated_material_${cells} poisson_2d "^. 0 +. [0-9]+ +. [0-9]+ +. [0-9.]+e-0[45] "
    --set Mesh/Cells=${cells} --set Discretization/Cycles=1
    --set "${by_material}=0: diffusion (1)")
endforeach()
# On the mesh of the last cycle, with hanging nodes.
add_run(poisson_bar_adaptive poisson_2d "^. 2 +. [0-9]+ +. [0-9]+ +. [0-9.]+e-1[2-6] " ${bar} ${two_materials}
  --set Mesh/File=${meshes}/bar_quadrilaterals.msh --set Mesh/Cells=hypercubes --set Adaptivity/Cells=marked
  --set Discretization/Cycles=3)
foreach(case "3 bar simplices" "2 bar_mixed mixed")
  separate_arguments(case UNIX_COMMAND "${case}")
  list(GET case 0 n)
  list(GET case 1 mesh)
  list(GET case 2 cells)
  set(name poisson_${mesh}_on_${n}_ranks)
  add_regression(${name} same_on_ranks ${here}/${name} 1e-8 ${n} ${mpiexec} -- $<TARGET_FILE:poisson>
    ${files}/poisson_2d.prm --device cpu ${bar} ${two_materials} --set Mesh/File=${meshes}/${mesh}.msh
    --set Mesh/Cells=${cells} --set "Functions/Source term=x" --set "Functions/Exact solution="
    --set "Evaluation/Integrals=a: u, b: rms (u)" --set "Evaluation/Flux boundaries=2, 4")
endforeach()
# A physical id between cells.
add_run(poisson_interior_id poisson_2d
  "^Note: the mesh file '.*/bar.msh' has faces between cells with the physical ids 9. These faces are ignored"
  ${bar} ${two_materials} --set Mesh/File=${meshes}/bar.msh)
# add_bar_refusal(NAME MESSAGE options)
function(add_bar_refusal name message)
  add_refusal(poisson_${name} "${message}" ${files}/poisson_2d.prm --device cpu ${bar}
    --set Mesh/File=${meshes}/bar.msh ${ARGN})
endfunction()

add_bar_refusal(flux_inside "Evaluation/Flux boundaries: boundary id 9 does not exist on the mesh"
  ${two_materials} --set "Evaluation/Flux boundaries=9")
add_bar_refusal(missing_material
  "${by_material}: the material 7 has no diffusion. The mesh has the materials 3, 7."
  --set "${by_material}=3: diffusion (1)")
add_bar_refusal(unknown_material "${by_material}: the material 4 does not exist. The mesh has the materials 3, 7."
  --set "${by_material}=3: diffusion (1), 4: diffusion (1), 7: diffusion (1)")
add_bar_refusal(material_kind
  "the kind 'difusion' of the material 3 is unknown. Did you mean 'diffusion'?"
  --set "${by_material}=3: difusion (1)")
add_bar_refusal(material_twice "the material 3 has two coefficients of the kind 'diffusion'"
  --set "${by_material}=3: diffusion (1), 3: diffusion (2)")
add_bar_refusal(material_and_entry "Equation/Diffusion = 2 and the kind diffusion of ${by_material} are both given"
  ${two_materials} --set Equation/Diffusion=2)
add_bar_refusal(material_negative "The diffusion coefficient must be positive, but it is -1 at ("
  --set "${by_material}=3: diffusion (1), 7: diffusion (-1)")
add_bar_refusal(material_components "${by_material}, material 7, diffusion: '10' has 1 components, but 3 are expected"
  --set "${by_material}=3: diffusion (1${s} 0${s} 1), 7: diffusion (10)")

set(smooth ${files}/poisson_2d.prm --device cpu)
set(boundary "Functions/Boundary conditions")

# add_poisson_refusal(NAME MESSAGE ENTRY=VALUE): with one entry of the smooth problem changed.
function(add_poisson_refusal name message assignment)
  add_refusal(poisson_${name} "${message}" ${smooth} --set "${assignment}")
endfunction()

# add_boundary_refusal(NAME MESSAGE CONDITION): of side 0; the others have Dirichlet conditions.
function(add_boundary_refusal name message condition)
  add_poisson_refusal(${name} "${message}"
    "${boundary}=0: ${condition}, 1: Dirichlet, 2: Dirichlet, 3: Dirichlet")
endfunction()

add_poisson_refusal(missing_condition "Boundary id 3 has no boundary condition"
  "${boundary}=0: Dirichlet, 1: Dirichlet, 2: Dirichlet")
add_boundary_refusal(unknown_id "Boundary id 7 does not exist on the mesh"
  "Dirichlet, 7: Dirichlet")
add_boundary_refusal(unknown_kind
  "the kind 'Dirichle' of boundary 0 is unknown. Did you mean 'Dirichlet'?" "Dirichle")
add_boundary_refusal(data "id 0: '1${s} 2' has 2 components, but 1 are expected"
  "Dirichlet (1${s} 2)")
add_boundary_refusal(robin_data "id 0: '1' has 1 components, but 2 are expected" "Robin (1)")
add_boundary_refusal(robin_without_data "id 0 is empty${s} give 2 expressions" "Robin")
add_boundary_refusal(negative_robin "the Robin coefficient -1.000000 is negative" "Robin (-1${s} 0)")
add_boundary_refusal(variable_robin "the Robin coefficient 'x' must not depend on the position"
  "Robin (x${s} 0)")
add_boundary_refusal(time "id 0 = 'sin(t)' depends on t" "Neumann (sin(t))")
add_poisson_refusal(data_of_periodic "the kind 'periodic' takes no data"
  "${boundary}=0: periodic with 1 (3), 2: Dirichlet, 3: Dirichlet")

set(positive "The diffusion coefficient must be positive")
add_poisson_refusal(diffusion_0 "${positive}, not 0" Equation/Diffusion=0)
add_poisson_refusal(negative_diffusion "${positive}, not -1" Equation/Diffusion=-1)
add_poisson_refusal(diffusion_at_point "${positive}, but it is -" "Equation/Diffusion=x - 0.5")
add_refusal(poisson_diffusion_of_element "${positive}, but it is -" ${smooth}
  --set "Equation/Coefficients=by element" --set "Equation/Diffusion=x - 0.5")
add_poisson_refusal(indefinite_diffusion "${positive} definite, but it has the eigenvalue -"
  "Equation/Diffusion=1${s} 2${s} 1")
add_poisson_refusal(diffusion_nan "nan at (" "Equation/Diffusion=sqrt(x-2)")
add_poisson_refusal(diffusion_infinite "The diffusion coefficient must be finite, but it is inf at ("
  "Equation/Diffusion=exp(1000+x)")
add_poisson_refusal(source_not_finite "Functions/Source term = 'sqrt(x-2)' is nan at ("
  "Functions/Source term=sqrt(x-2)")
add_boundary_refusal(data_not_finite "id 0 = 'sqrt(x-2)' is nan at ("
  "Dirichlet (sqrt(x-2))")
add_poisson_refusal(diffusion_components
  "Equation/Diffusion: '1${s} 2' has 2 components, but 3 are expected" "Equation/Diffusion=1${s} 2")
add_poisson_refusal(diffusion_time "Equation/Diffusion = '1+t' depends on t" "Equation/Diffusion=1+t")
add_poisson_refusal(negative_reaction "The reaction coefficient must be not negative, not -1"
  Equation/Reaction=-1)
add_poisson_refusal(reaction_at_point "The reaction coefficient must be not negative, but it is -"
  Equation/Reaction=x-0.5)

add_poisson_refusal(source "Functions/Source term: '1${s} 2' has 2 components"
  "Functions/Source term=1${s} 2")
add_poisson_refusal(gradient "but 2 are expected" "Functions/Gradient of exact solution=1")
add_poisson_refusal(gradient_alone "Functions/Exact solution is not. Give both or none"
  "Functions/Exact solution=")
add_poisson_refusal(exact_time "Functions/Exact solution = 't' depends on t"
  "Functions/Exact solution=t")
add_refusal(poisson_gradient_expression "Functions/Gradient of exact solution: cannot use the expression" ${smooth}
  --set "Functions/Gradient of exact solution=1${s} foo(x)" --set "Solver/Maximum iterations=1")
add_refusal(poisson_directory "The directory '/dev/null/output' cannot be made" ${smooth}
  --set Output/Directory=/dev/null/output --set "Solver/Maximum iterations=1")
add_poisson_refusal(penalty "such that 0 < v."
  "Discretization/Penalty factor=0")
add_poisson_refusal(small_penalty "Penalty factor = 0.05 is perhaps too small"
  "Discretization/Penalty factor=0.05")
add_poisson_refusal(large_penalty "Penalty factor = 1e+12 is perhaps too large"
  "Discretization/Penalty factor=1e12")
add_refusal(poisson_single_precision "Rounding in Solver/Multigrid/Precision = float may be the cause: try double."
  ${smooth} --device cpu --set Discretization/Cycles=1 --set Equation/Diffusion=1e18 --set "Functions/Source term=1e18"
  --set "Functions/Exact solution=" --set "Functions/Gradient of exact solution=")
add_poisson_refusal(degree "an integer n such that 1 <= n <= 8" Discretization/Degree=9)
add_refusal(poisson_degree_3d "in 3D with degree 7, only with 1 to 6" ${files}/poisson_3d.prm
  --device cpu --set Discretization/Degree=7)
add_poisson_refusal(degree_0 "an integer n such that 1 <= n" "Discretization/Degree=0")
add_poisson_refusal(tolerance "such that 0 < v <= 1." "Solver/Tolerance=0")
add_poisson_refusal(tolerance_1 "Solver/Tolerance = 1 is not accepted" "Solver/Tolerance=1")
add_poisson_refusal(unknown_solver "Accepted is: any one of deal.II CG, Belos, AztecOO"
  "Solver/Type=GMRES")
add_poisson_refusal(unknown_preconditioner "is not accepted" "Solver/Preconditioner=Jacobi")
add_poisson_refusal(smoother_degree "an integer n such that 1 <= n <= 20"
  "Solver/Multigrid/Smoother degree=0")
add_poisson_refusal(coarse_space "any one of continuous, discontinuous"
  "Solver/Multigrid/Coarse space=linear")
add_refusal(poisson_k_cycle "is for Solver/Type = deal.II CG, not for Solver/Type = Belos" ${smooth}
  --set Solver/Type=Belos --set Solver/Multigrid/Cycle=K)
foreach(preconditioner AMG ILU)
  add_poisson_refusal(${preconditioner}_without_aztecoo "it is for Solver/Type = AztecOO"
    "Solver/Preconditioner=${preconditioner}")
endforeach()
foreach(solver "deal.II CG" "Belos" "AztecOO")
  string(REPLACE " " "_" name "${solver}")
  add_refusal(poisson_no_convergence_${name} "found no solution in 2 iterations" ${smooth}
    --set "Solver/Type=${solver}" --set "Solver/Maximum iterations=2")
endforeach()

# Two squares that nothing joins, one of them with Neumann conditions only.
set(two_squares --set Mesh/Type=file --set Mesh/File=${meshes}/two_squares.msh
  --set Discretization/Cycles=1)
add_refusal(poisson_undetermined_part
  "in the part from (3 0) to (4 1) with the boundary ids 2: it needs a Dirichlet" ${smooth}
  ${two_squares} --set "${boundary}=1: Dirichlet, 2: Neumann (0)")
add_run(poisson_two_parts poisson_2d "4 elements, 40 degrees of freedom" ${two_squares}
  --set "${boundary}=1: Dirichlet, 2: Robin (1${s} 0)")

# On several ranks as on one, by all ways to solve. (Preconditioners of a rank's own rows differ with
# the number of ranks, solutions by the tolerance.)
foreach(solver "deal.II CG" Belos AztecOO)
  string(REPLACE " " "_" name "poisson_${solver}_on_3_ranks")
  add_regression(${name} same_on_ranks ${here}/${name} 1e-8 3 ${mpiexec} -- $<TARGET_FILE:poisson> ${files}/poisson_2d.prm --device cpu
    --set Discretization/Cycles=2 --set Solver/Type=${solver}
    --set "Evaluation/Integrals=a: u, b: rms (u)" --set "Evaluation/Points=(0.3, 0.4), (0.7, 0.1)")
endforeach()
foreach(preconditioner none "inverse mass" "block Jacobi" AMG ILU)
  string(REPLACE " " "_" name "poisson_${preconditioner}_on_2_ranks")
  add_regression(${name} same_on_ranks ${here}/${name} 1e-8 2 ${mpiexec} -- $<TARGET_FILE:poisson> ${files}/poisson_2d.prm --device cpu
    --set Discretization/Cycles=2 --set Solver/Type=AztecOO
    --set "Solver/Preconditioner=${preconditioner}" --set "Evaluation/Integrals=a: u, b: rms (u)")
endforeach()
add_regression(poisson_neumann_on_2_ranks same_on_ranks ${here}/poisson_neumann_on_2_ranks 1e-7 2
  ${mpiexec} -- $<TARGET_FILE:poisson> ${files}/poisson_neumann.prm --device cpu
  --set Discretization/Cycles=1 --set "Evaluation/Integrals=a: u^2")

# Quadrilaterals and hexahedra, uniform, and refined where the solution needs it.
set(hypercubes --set Mesh/Cells=hypercubes)
add_run(poisson_quadrilaterals poisson_2d "6\\.842.e-07 *\\| 3\\.97 *\\| 1\\.0088e-04 *\\| 3\\.0\n^. 2 +. 4096 +. (8|9|10) "
  ${hypercubes} --set Discretization/Cycles=3)
add_run(poisson_hexahedra poisson_3d "2\\.718.e-05 *\\| 3\\.92 *\\| 1\\.624[67]e-03 *\\| 3\\.0"
  ${hypercubes})
add_fields(poisson_fields solution-0000.vtu 1e-7 "u = 1+x-2*y | u_gradient = (1, -2, 0) | rank = 0 | error = 0"
  ${files}/poisson_2d.prm --set Discretization/Cycles=1 --set "Functions/Source term=0" --set Solver/Tolerance=1e-13
  --set "Functions/Exact solution=1+x-2*y" --set "Functions/Gradient of exact solution=" --set Output/Precision=double
  --set "Functions/Boundary conditions=0: ${exact}, 1: ${exact}, 2: ${exact}, 3: ${exact}"
  --set "Output/Additional fields=u_gradient, rank")
# Four times as many unknowns divide the error by eight.
add_run(l_shape l_shape "^. 11 +. 24[0-9][0-9] +. 22[0-9]* +. 1\\.3[0-9]*e-06\n^. 11 +. 22[0-9]* +. [6-9] ")
add_run(l_shape_degree_5 l_shape "^. 11 +. 390 +. 14040 +. 1\\.2[0-9]*e-07"
  --set Discretization/Degree=5 --set "Adaptivity/Refined share=0.1")
# Where nothing is to be refined any more a cycle is the last one.
add_run(l_shape_highest_level l_shape "No cell was to be refined or coarsened: cycle 2, counted from 0"
  --set "Adaptivity/Highest level=2")
add_refusal(poisson_adaptive_level "Adaptivity/Highest level = 2 is not accepted" ${files}/l_shape.prm
  --device cpu --set "Adaptivity/Highest level=2" --set Mesh/Refinements=3)
add_refusal(poisson_adaptive_triangles "set Mesh/Cells = hypercubes, or Adaptivity/Cells = all"
  ${files}/poisson_2d.prm --device cpu --set Adaptivity/Cells=marked)
# Triangles and quadrilaterals in one mesh.
add_rates(poisson_mixed 9\.740.e-05 3\.0 1\.9008e-03 1\.9 LINE "^. 2 +. 51648 +. ([89]|10) ")
add_run(poisson_mixed_box poisson_2d "8\\.17[0-9]*e-08 *\\| 3\\.9[0-9]* *\\| 2\\.07[0-9]*e-05 *\\| 3\\.0"
  --set Mesh/Cells=mixed --set Mesh/Subdivisions=7,7 --set Discretization/Cycles=3)
foreach(preconditioner none "inverse mass" "block Jacobi")
  string(REPLACE " " "_" name "poisson_mixed_${preconditioner}")
  add_run(${name} poisson_mixed "5\\.763[01]e-03 *\\| 2\\.8076e-02" --set Discretization/Cycles=1
    --set "Solver/Preconditioner=${preconditioner}")
endforeach()
add_run(poisson_mixed_neumann poisson_neumann "1\\.890.e-06 *\\| 3\\.9" --set Mesh/Cells=mixed
  --set Discretization/Cycles=2)
add_regression(poisson_mixed_on_3_ranks same_on_ranks ${here}/poisson_mixed_on_3_ranks 1e-8 3
  ${mpiexec} -- $<TARGET_FILE:poisson> ${files}/poisson_mixed.prm --device cpu
  --set Discretization/Cycles=2 --set "Evaluation/Integrals=a: u^2, b: rms (u)")
set(mixed ${files}/poisson_mixed.prm --device cpu)
add_refusal(poisson_mixed_Belos "Solver/Type = Belos is for meshes of one shape" ${mixed}
  --set Solver/Type=Belos)
add_refusal(poisson_mixed_discontinuous "Coarse space = discontinuous is for meshes of one" ${mixed}
  --set "Solver/Multigrid/Coarse space=discontinuous")
add_refusal(poisson_mixed_in_space "Mesh/Cells = mixed is for Equation/Dimension = 2" ${mixed}
  --set Equation/Dimension=3)
add_refusal(poisson_AMG_on_hypercubes "Solver/Preconditioner = AMG is for Mesh/Cells = simplices"
  ${files}/poisson_2d.prm --device cpu ${hypercubes} --set Solver/Type=AztecOO
  --set Solver/Preconditioner=AMG)
add_refusal(poisson_degree_8_on_quadrilaterals "only with 1 to 7" ${files}/poisson_2d.prm
  --device cpu ${hypercubes} --set Discretization/Degree=8 --set Discretization/Cycles=1)
