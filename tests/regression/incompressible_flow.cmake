# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# The runs and refusals of the program `incompressible_flow`.
set(program incompressible_flow)
set(flow $<TARGET_FILE:incompressible_flow>)

# The last row of the error table.
add_run(taylor_vortex taylor_vortex "2\\.24..e-05 *\\| 4\\.01 *\\| 2\\.60..e-04 *\\| 3\\.0"
  --set Discretization/Cycles=3 --set "Time/End time=0.1" --set "Time/Step size=0.001")
add_run(taylor_vortex_subcycles taylor_vortex "3\\.67..e-04 *\\| 3\\.7[0-9]* *\\| 2\\.08..e-03 *\\| 2\\.9"
  --set Discretization/Cycles=2 --set "Time/End time=0.1" --set Time/Subcycles=2
  --set "Time/Step size=0.002")
# A state in the space is reproduced, and that of the next run has the divergence 0 and this energy on curved cells.
set(linear "1+2*y${s} 3*x")
set(linear_flow "Functions/Boundary conditions=0: velocity (${linear}), 1: velocity (${linear})")
add_run(flow_state_on_distorted_cells taylor_vortex "16 *\\| [0-9]+ *\\| [0-9.]+e-1[4-9]" --set Mesh/Cells=hypercubes
  --set Mesh/Subdivisions=4,4 --set Mesh/Distortion=0.2 --set Discretization/Cycles=1 --set Discretization/Degree=1
  --set "Time/Start=lower orders" --set Time/Steps=0 --set "Functions/Initial velocity=${linear}"
  --set "Functions/Exact solution=${linear}${s} 0" --set "${linear_flow}, 2: velocity (${linear}), 3: velocity (${linear})")
add_run(flow_energy_on_curved_cells taylor_vortex "kinetic energy 80\\.9065" --set Mesh/Cells=hypercubes
  --set Mesh/Type=annulus --set "Mesh/Geometry degree=2" --set Mesh/Subdivisions=2,6 --set Mesh/Radii=1,2
  --set Discretization/Cycles=1 --set Discretization/Degree=2 --set "Time/Start=lower orders" --set Time/Steps=0
  --set "Functions/Initial velocity=${linear}" --set "Functions/Exact solution=" --set "${linear_flow}")
# All states with which the steps begin are projected.
add_run(flow_projected_start taylor_vortex "^  Initial velocity projected: [0-9]+, [0-9]+ iterations"
  --set Discretization/Cycles=1 --set Time/Steps=1 --set "Time/Project initial velocity=true")
# The end is a little after the last picture: a step of that length would spoil the pressure.
add_run(taylor_vortex_remainder taylor_vortex "1280 *\\| 1\\.68..e-03 *\\| 2\\.57..e-03"
  --set Discretization/Cycles=1 --set Discretization/Degree=4 --set "Time/Step size=0.005"
  --set Output/Interval=0.0314159 --set "Time/End time=0.314159265")
# One element, which finds its solution before the smoother's eigenvalues.
add_run(flow_periodic_cell lid_driven_cavity "2 steps to time [0-9.]*, kinetic energy [0-9.]+, enstrophy"
  --set Mesh/Cells=hypercubes --set "Mesh/Subdivisions=1, 1" --set Time/Steps=2 --set Discretization/Degree=3
  --set "Functions/Initial velocity=sin(2*pi*y)${s} 0.3"
  --set "Functions/Boundary conditions=0: periodic with 1, 2: periodic with 3")
add_run(beltrami_3d beltrami_3d "2\\.6[0-9]*e-05 *\\| 3\\.99 *\\| 1\\.3[0-9]*e-03 *\\| 3\\.4"
  --set Discretization/Cycles=2 --set "Time/End time=0.02")
add_run(square_cylinder square_cylinder "3 steps to time [0-9.]*, kinetic energy 903\\.1"
  --set Time/Steps=3)
add_run(flow_cylinder flow_cylinder "3 steps to time [0-9.]*, kinetic energy 0\\.5483"
  --set Time/Steps=3)
add_run(backward_facing_step_re800 backward_facing_step_re800
  "3 steps to time [0-9.]*, kinetic energy 20\\.033" --set Time/Steps=3)

# Between circles.
add_run(taylor_couette taylor_couette "768 .*1\\.8...e-06 *\\| 3\\.7[0-9]* *\\| 4\\.9...e-05 *\\| 2\\.9"
  --set "Time/End time=0.1")
add_run(kovasznay kovasznay "2\\.26..e-03 *\\| 3\\.2[0-9] *\\| 1\\.80..e-03 *\\| 3\\.0"
  --set Discretization/Cycles=2 --set "Time/End time=1")
add_run(vortex_outflow vortex_outflow "steps to time 1\\.5, kinetic energy 4\\.[0-9]*, enstrophy"
  --set Discretization/Degree=3 --set "Time/End time=1.5")
# Until it is steady, and what enters a closed domain without leaving it.
add_run(flow_steady lid_driven_cavity "  [0-9]+00 steps to time [123]?[0-9][.][0-9]*, kinetic"
  --set Equation/Viscosity=1 --set Mesh/Subdivisions=2,2 --set Discretization/Degree=2
  --set "Time/Stop at steady state=1e-5" --set "Output/Time series interval=0")
set(source "velocity (x${s} 0)")
add_run(flow_net_flux taylor_vortex "the given velocities' net flux out of the domain, 1$"
  --set Discretization/Cycles=1 --set "Time/Start=lower orders" --set Time/Steps=2 --set
  "Functions/Boundary conditions=0: ${source}, 1: ${source}, 2: ${source}, 3: ${source}")

# Quadrilaterals and hexahedra, conforming ones and with a mesh that follows the vorticity.
set(hypercubes --set Mesh/Cells=hypercubes)
add_run(taylor_vortex_quadrilaterals taylor_vortex "1\\.02..e-05 *\\| 4\\.2[0-9] *\\| 1\\.35..e-04 *\\| 3\\.0"
  ${hypercubes} --set Discretization/Cycles=3 --set "Time/End time=0.1" --set "Time/Step size=0.001")
add_run(kovasznay_quadrilaterals kovasznay "2\\.9[01]..e-03 *\\| 2\\.7[0-9] *\\| 1\\.02..e-03 *\\| 3\\.2"
  ${hypercubes} --set Discretization/Cycles=2 --set "Time/End time=1")
add_run(beltrami_hexahedra beltrami_3d "1\\.11..e-05 *\\| 3\\.7[0-9] *\\| 3\\.0[0-9]*e-04 *\\| 3\\.1"
  ${hypercubes} --set Discretization/Cycles=2 --set "Time/End time=0.02")
set(adaptive_cavity ${hypercubes} --set Mesh/Subdivisions=4,4 --set Adaptivity/Interval=20
  --set Adaptivity/Indicator=vorticity --set "Time/End time=0.3")
add_run(adaptive_cavity lid_driven_cavity "94 steps to time 0\\.3, kinetic energy 0\\.00585" ${adaptive_cavity})
add_regression(adaptive_cavity_on_3_ranks run "94 steps to time 0\\.3, kinetic energy 0\\.00585" ${mpiexec} -n 3 ${flow}
  ${files}/lid_driven_cavity.prm --device cpu --set Output/Directory=${here}/adaptive_cavity_on_3_ranks
  ${adaptive_cavity})

# Triangles and quadrilaterals in one mesh.
set(mixed --set Mesh/Cells=mixed)
add_run(taylor_vortex_mixed taylor_vortex "1\\.53..e-05 *\\| 4\\.0[0-9] *\\| 1\\.70..e-04 *\\| 2\\.9"
  ${mixed} --set Discretization/Cycles=3 --set "Time/End time=0.1" --set "Time/Step size=0.001")
add_run(kovasznay_mixed kovasznay "2\\.80..e-03 *\\| 2\\.7[0-9] *\\| 1\\.22..e-03 *\\| 2\\.8"
  ${mixed} --set Discretization/Cycles=2 --set "Time/End time=1")
add_run(taylor_couette_mixed taylor_couette "512 .*3\\.9...e-06 *\\| 4\\.2[0-9]* *\\| 6\\.3...e-05 *\\| 2\\.9"
  ${mixed} --set "Mesh/Geometry degree=2" --set "Time/End time=0.1")

# What others have found.
add_regression(step check_step ${here}/step ${flow} ${files}/backward_facing_step.prm --device cpu
  --set Discretization/Degree=2 --set "Time/End time=20")
add_regression(cavity check_cavity ${here}/cavity ${flow} ${files}/lid_driven_cavity.prm --device cpu
  --set Mesh/Subdivisions=8,8 --set "Time/End time=30")
# The polygon leaves an error of 0.2 per cent in the drag, degree 2 one of 3 per cent in the lift and of
# 1 per cent in the pressure.
add_regression(steady_cylinder check_steady_cylinder ${here}/steady_cylinder ${flow}
  ${files}/flow_cylinder_steady.prm --device cpu --set Discretization/Degree=2
  --set "Time/End time=5" --set "Solver/Velocity tolerance=1e-6")
add_regression(steady_cylinder_mixed check_steady_cylinder ${here}/steady_cylinder_mixed ${flow}
  ${files}/flow_cylinder_mixed.prm --device cpu --set "Time/End time=5"
  --set "Solver/Velocity tolerance=1e-6")
set(strouhal ${PROJECT_SOURCE_DIR}/applications/strouhal)
add_gpu_regression(flow_cylinder check_vortex_street circle ${here}/gpu_flow_cylinder ${strouhal}
  ${flow} ${files}/flow_cylinder.prm)
add_gpu_regression(square_cylinder check_vortex_street square ${here}/gpu_square_cylinder ${strouhal}
  ${flow} ${files}/square_cylinder.prm)
# On quadrilaterals, too.
set(square_of_quadrilaterals with_mesh ${files}/square_cylinder.geo)
add_gpu_regression(square_cylinder_quadrilaterals ${square_of_quadrilaterals}
  ${here}/gpu_square_cylinder_quadrilaterals.msh "-setnumber quadrilaterals 1"
  ${CMAKE_CURRENT_SOURCE_DIR}/check_vortex_street "square of quadrilaterals"
  ${here}/gpu_square_cylinder_quadrilaterals ${strouhal} ${flow} ${files}/square_cylinder.prm ${hypercubes})
add_gpu_regression(cavity_quadrilaterals check_cavity ${here}/gpu_cavity_quadrilaterals ${flow}
  ${files}/lid_driven_cavity.prm ${hypercubes})
add_regression(square_cylinder_quadrilaterals ${square_of_quadrilaterals}
  ${here}/square_cylinder_quadrilaterals.msh "-setnumber quadrilaterals 1"
  ${CMAKE_CURRENT_SOURCE_DIR}/run "3 steps to time [0-9.]*, kinetic energy 903\\.1" ${flow}
  ${files}/square_cylinder.prm --device cpu --set Output/Directory=${here}/square_cylinder_quadrilaterals
  --set Time/Steps=3 ${hypercubes})
set_tests_properties(regression/square_cylinder_quadrilaterals PROPERTIES SKIP_RETURN_CODE 77)
add_gpu_regression(step_re800 check_step_re800 ${here}/gpu_step_re800 ${flow}
  ${files}/backward_facing_step_re800.prm)
add_regression(taylor_green check_taylor_green ${here}/taylor_green ${flow}
  ${files}/taylor_green_3d.prm --device cpu --set Mesh/Subdivisions=5,5,5 --set "Time/End time=2")
# What the theory of small disturbances says. 6 x 14 has the growth rate 0.18554, 8 x 18 0.18543, the
# theory 0.18559.
add_regression(kelvin_helmholtz check_kelvin_helmholtz ${here}/kelvin_helmholtz ${flow}
  ${files}/kelvin_helmholtz.prm --device cpu --set Mesh/Subdivisions=6,14 --set "Time/End time=20"
  --set Output/Interval=0 --set "Functions/Constants=nu=0.002, a=0.4446, e=0.0001")
# 3 x 8 has 0.002235, 3 x 12 0.002236, the theory 0.002235.
add_regression(tollmien_schlichting check_tollmien_schlichting ${here}/tollmien_schlichting ${flow}
  ${files}/tollmien_schlichting.prm --device cpu --set Mesh/Subdivisions=3,8 --set Output/Interval=0)

add_regression(flow_documentation documented ${flow})

# add_flow_restart(NAME STEPS FILE options): as add_restart.
function(add_flow_restart name steps file)
  foreach(device cpu cuda)
    add_regression(restart_${name}_${device} restart ${here}/restart_${name}_${device} ${steps}
      ${flow} ${files}/${file}.prm --device ${device} --set "Output/Time series interval=3"
      --set Checkpoint/Interval=5 ${ARGN})
  endforeach()
endfunction()

add_flow_restart(flow 17 taylor_vortex --set Discretization/Cycles=2 --set "Time/End time=0.012"
  --set Output/Interval=0.005 --set "Evaluation/Force boundaries=0, 2"
  --set "Evaluation/Flux boundaries=0, 1, 2, 3" --set "Evaluation/Points=(0.1, 0.2)"
  --set "Average/Kind=mean and rms" --set Average/Interval=2)
add_flow_restart(subcycles 7 lid_driven_cavity --set Time/Subcycles=2 --set Time/Order=3
  --set "Time/CFL number=0.3" --set "Time/Step size=0.01" --set "Time/End time=0.1"
  --set "Discretization/Divergence penalty=1")
add_flow_restart(flow_3d 6 taylor_green_3d --set Mesh/Subdivisions=2,2,2 --set "Time/End time=0.2")
add_flow_restart(flow_quadrilaterals 12 taylor_vortex ${hypercubes} --set Discretization/Cycles=2
  --set "Time/End time=0.008" --set "Evaluation/Points=(0.1, 0.2)")
add_flow_restart(flow_mixed 12 taylor_vortex ${mixed} --set Discretization/Cycles=2
  --set "Time/End time=0.008" --set "Evaluation/Force boundaries=0, 2" --set "Evaluation/Points=(0.1, 0.2)"
  --set "Average/Kind=mean and rms" --set Average/Interval=2)
add_flow_restart(flow_adaptive 37 lid_driven_cavity ${adaptive_cavity} --set "Time/End time=0.3"
  --set Output/Interval=0 --set Average/Kind=mean --set Average/Interval=3)
# The order of cells in a picture tells of all adaptions before it.
set_tests_properties(regression/restart_flow_adaptive_cpu regression/restart_flow_adaptive_cuda PROPERTIES
  ENVIRONMENT "NOT_COMPARED=*.vtu")
add_changed_restart(flow_pictures solution_0.csv Time/Steps=12,Output/Interval=0
  Time/Steps=18,Output/Interval=0.05 ${flow} ${files}/taylor_vortex.prm
  --set "Time/Step size=0.01" --set "Output/Time series interval=1")

# On several ranks as on one, but for the tolerances of the solvers.
add_regression(curved_flow_on_3_ranks same_on_ranks ${here}/curved_flow_on_3_ranks 1e-7 3 ${mpiexec} --
  ${flow} ${files}/taylor_couette.prm --device cpu --set Discretization/Cycles=1 --set Time/Steps=4
  --set "Output/Time series interval=1")
add_regression(flow_on_3_ranks same_on_ranks ${here}/flow_on_3_ranks 1e-7 3 ${mpiexec} -- ${flow}
  ${files}/taylor_vortex.prm --device cpu --set Discretization/Cycles=1 --set Mesh/Subdivisions=6,6
  --set "Time/End time=0.005" --set "Output/Time series interval=5"
  --set "Evaluation/Force boundaries=0, 2" --set "Evaluation/Flux boundaries=0, 1"
  --set "Evaluation/Points=(0.1, 0.21)" --set "Solver/Penalty tolerance=1e-10")

add_regression(mixed_flow_on_3_ranks same_on_ranks ${here}/mixed_flow_on_3_ranks 1e-7 3 ${mpiexec} --
  ${flow} ${files}/taylor_vortex.prm --device cpu ${mixed} --set Discretization/Cycles=1
  --set Mesh/Subdivisions=6,6 --set "Time/End time=0.005" --set "Output/Time series interval=5"
  --set "Evaluation/Force boundaries=0, 2" --set "Evaluation/Points=(0.1, 0.21)"
  --set "Solver/Penalty tolerance=1e-10")
add_regression(flow_of_quadrilaterals_on_3_ranks same_on_ranks
  ${here}/flow_of_quadrilaterals_on_3_ranks 1e-7 3 ${mpiexec} -- ${flow} ${files}/taylor_vortex.prm
  --device cpu ${hypercubes} --set Discretization/Cycles=1 --set Mesh/Subdivisions=6,6
  --set "Time/End time=0.005" --set "Output/Time series interval=5"
  --set "Evaluation/Force boundaries=0, 2" --set "Evaluation/Points=(0.1, 0.21)"
  --set "Solver/Penalty tolerance=1e-10")

# Bad input.
set(vortices ${files}/taylor_vortex.prm --device cpu --set Discretization/Cycles=1
  --set Mesh/Subdivisions=2,2)
set(boundary "Functions/Boundary conditions")
function(add_flow_refusal name message assignment)
  add_refusal(flow_${name} "${message}" ${vortices} --set "${assignment}" ${ARGN})
endfunction()
function(add_flow_condition_refusal name message condition)
  add_flow_refusal(${name} "${message}" "${boundary}=0: ${condition}, 1: outflow, 2: slip, 3: slip")
endfunction()

add_flow_refusal(viscosity "'Equation/Viscosity' is not accepted. Accepted is: a floating point number v such that 0 < v." Equation/Viscosity=0)
add_flow_refusal(degree "an integer n such that 1 <= n <= 8" Discretization/Degree=9)
add_refusal(flow_one_cell "Multigrid has no smoother: the matrix of an element is singular"
  ${files}/lid_driven_cavity.prm --set Mesh/Cells=hypercubes --set "Mesh/Subdivisions=1, 1")
add_refusal(flow_degree_3d "in 3D with degree 7" ${files}/taylor_green_3d.prm --device cpu
  --set Discretization/Degree=7)
add_flow_refusal(penalty "such that 0 < v."
  "Discretization/Penalty factor=0")
add_flow_refusal(small_penalty "Discretization/Penalty factor = 0.001 is perhaps too small: below 1"
  "Discretization/Penalty factor=0.001")
add_flow_refusal(large_penalty "Discretization/Penalty factor = 1e+06 is perhaps too large"
  "Discretization/Penalty factor=1e6")
add_flow_refusal(mixed_belos "Solver/Type = Belos is for meshes of one shape" Solver/Type=Belos ${mixed})
add_refusal(flow_mixed_in_space "Mesh/Cells = mixed is for Equation/Dimension = 2"
  ${files}/beltrami_3d.prm --device cpu ${mixed})
add_flow_refusal(mixed_adaptive "need a mesh that p4est" Adaptivity/Interval=5 ${mixed})
add_flow_refusal(order "an integer n such that 1 <= n <= 3" Time/Order=4)
add_flow_refusal(step_size "such that 0 < v." "Time/Step size=0")
add_flow_refusal(tolerance "such that 0 < v <= 1."
  "Solver/Velocity tolerance=0")
add_flow_refusal(no_exact_solution "Functions/Exact solution" "Functions/Exact solution=")
add_flow_refusal(exact_solution "1${s} 2' has 2 components, but 3 are expected"
  "Functions/Exact solution=1${s} 2")
add_flow_refusal(initial_velocity "1' has 1 components, but 2 are expected"
  "Functions/Initial velocity=1")
add_flow_refusal(initial_velocity_with_time "${s} t' depends on t, but it is of time 0"
  "Functions/Initial velocity=x${s} t")
add_flow_refusal(body_force "1' has 1 components, but 2 are expected" "Functions/Body force=1")
add_flow_refusal(missing_condition "Boundary id 3 has no boundary condition"
  "${boundary}=0: no-slip, 1: outflow, 2: slip")
add_flow_condition_refusal(kind "the kind 'no_slip' of boundary 0 is unknown" "no_slip")
add_flow_condition_refusal(data "the kind 'no-slip' takes no data" "no-slip (0${s} 0)")
add_flow_condition_refusal(velocity "1' has 1 components, but 2 are expected" "velocity (1)")
add_flow_condition_refusal(no_velocity "id 0 is empty${s} give 2 expressions" "velocity")
add_flow_refusal(as_no_exact_solution
  "id 0: the data are to be those of Functions/Exact solution, which is not given"
  "${boundary}=0: velocity (as exact solution), 1: outflow, 2: slip, 3: slip"
  --set "Functions/Exact solution=" --set "Time/Start=lower orders")
add_flow_condition_refusal(outflow "id 0, normal derivatives" "outflow (1${s} 2)")
add_flow_refusal(adaptive_triangles "need a mesh that p4est can refine in places"
  Adaptivity/Interval=10)
add_flow_refusal(adaptive_averages "rms is of points of one mesh" Adaptivity/Interval=10 ${hypercubes}
  --set "Average/Kind=mean and rms")
add_flow_refusal(degree_8_on_quadrilaterals "on quadrilaterals with degree 8, only with 1 to 7"
  Discretization/Degree=8 ${hypercubes})
add_flow_refusal(reference_density "Evaluation/Reference density = 1.200000 is not accepted: the pressure of an incompressible"
  "Evaluation/Reference density=1.2")
add_flow_refusal(unstable "take shorter steps or subcycles" "Time/Step size=0.5"
  --set "Time/Start=lower orders")
add_refusal(flow_backflow "comes in: a backflow stabilization of 0.5" ${files}/vortex_outflow.prm
  --device cpu --set Mesh/Subdivisions=12,6 --set Discretization/Degree=3 --set "Discretization/Backflow stabilization=0"
  --set "Discretization/Divergence penalty=0" --set "Discretization/Continuity penalty=0")
# The velocity grows until hardly any time passes.
add_refusal(flow_unstable_cfl "so much has the velocity grown" ${files}/square_cylinder.prm --device cpu
  --set Discretization/Degree=2 --set Time/Subcycles=0 --set "Time/CFL number=1.5"
  --set "Time/Step size=1" --set Output/Interval=0)
