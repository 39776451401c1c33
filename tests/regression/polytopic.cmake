# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# The runs and refusals of the program `polytopic`.
set(program polytopic)

add_run(polytopic_2d polytopic_2d "24450 +. 1\\.0609e-05 . 3\\.0[0-9]* +. 1\\.8521e-03 +. 2\\.0\n^. 3 +. 24450 +. 4[0-5] ")
add_run(polytopic_3d polytopic_3d "3840 +. 2\\.46..e-03 . 2\\.6" --set Discretization/Cycles=2)
# The error falls exponentially with the degree.
foreach(pair "2 1.5435e-01" "4 6.2173e-03" "6 1.4611e-04" "8 2.4903e-06")
  separate_arguments(pair)
  list(GET pair 0 degree)
  list(GET pair 1 error)
  add_run(polytopic_degenerate_${degree} polytopic_degenerate "${error}"
    --set Discretization/Degree=${degree})
endforeach()
# All ways to make elements and to solve: with a solution that all of them have.
set(linear --set Discretization/Cycles=1 --set "Functions/Exact solution=1+x-2*y"
  --set "Functions/Gradient of exact solution=1${s} -2" --set "Functions/Source term=0"
  --set "Functions/Boundary conditions=0: Dirichlet (as exact solution), 1: Neumann (1), \
2: Robin (3${s} 2+3*(1+x)), 3: Dirichlet (as exact solution)")
set(exact "[0-9] +. [0-9.]+e-(09|1.) . [0-9.]+e-(0[89]|1.) ")
foreach(method none METIS boxes couplings ancestors material)
  add_run(polytopic_${method} polytopic_2d ${exact} ${linear} --set Agglomeration/Method=${method}
    --set Mesh/Refinements=1)
endforeach()
add_run(polytopic_quadrilaterals polytopic_2d ${exact} ${linear} --set Mesh/Cells=hypercubes
  --set "Agglomeration/Boxes of elements=principal axes")
foreach(solver "deal.II CG/block Jacobi" "deal.II GMRES/multigrid" "deal.II GMRES/none"
    "Belos CG/multigrid" "Belos GMRES/block Jacobi" "Trilinos CG/ILU" "Trilinos GMRES/AMG" "Trilinos direct/none")
  string(REPLACE "/" ";" parts ${solver})
  list(GET parts 0 type)
  list(GET parts 1 preconditioner)
  string(MAKE_C_IDENTIFIER ${solver} name)
  add_run(polytopic_${name} polytopic_2d ${exact} ${linear} --set "Solver/Type=${type}"
    --set "Solver/Preconditioner=${preconditioner}" --set Solver/Tolerance=1e-11)
endforeach()
foreach(penalty cells covering)
  add_run(polytopic_penalty_${penalty} polytopic_2d ${exact} ${linear}
    --set Discretization/Penalty=${penalty} --set "Discretization/Penalty factor=10")
endforeach()
add_run(polytopic_coordinates polytopic_2d ${exact} ${linear}
  --set Discretization/Assembly=coordinates)
# Degrees of the elements' own: they are 1 and 3.
add_run(polytopic_degrees polytopic_2d "63 +. 4[0-9]+ " --set Discretization/Cycles=1
  --set "Discretization/Degrees=if(x < 0.5, 1, 3)")
# Curved cells.
add_run(polytopic_ring poisson_ring "3\\.99 +. 2\\.99..e-04 +. 3\\.00" --set Agglomeration/Method=none
  --set Discretization/Cycles=4)
foreach(cells simplices hypercubes)
  add_run(polytopic_ring_${cells} polytopic_2d ${exact} ${linear} --set Mesh/Type=annulus
    --set "Mesh/Subdivisions=2, 12" --set "Mesh/Geometry degree=5" --set Mesh/Cells=${cells}
    --set "Functions/Boundary conditions=0: Dirichlet (as exact solution), \
1: Dirichlet (as exact solution)" --set Discretization/Degree=3)
endforeach()
add_run(polytopic_w_cycle polytopic_2d "^. 3 +. 24450 +. 3[0-9] " --set Solver/Multigrid/Cycle=W)
# Where advection decides.
add_run(polytopic_advection polytopic_3d "^. 1 +. 7680 +. [0-9] +|^. 1 +. 7680 +. 1[0-2] "
  --set Discretization/Degree=3 --set Discretization/Cycles=2 --set Equation/Diffusion=0.001)
# Solvers on polyhedra.
add_run(polytopic_poisson_3d polytopic_poisson_3d "^. 1 +. 12170 +. 3[0-9] ")
add_run(polytopic_poisson_3d_AMG polytopic_poisson_3d "^. 1 +. 12170 +. [45][0-9] "
  --set "Solver/Type=Trilinos CG" --set Solver/Preconditioner=AMG)
add_run(polytopic_thin_cells polytopic_2d "^. 1 +. 6144 +. [34][0-9] " --set Discretization/Cycles=2
  --set "Mesh/Upper corner=100, 1" --set Mesh/Cells=hypercubes --set Agglomeration/Method=none
  --set "Solver/Multigrid/First=larger elements")
# Long and thin elements.
add_run(polytopic_thin polytopic_2d "^. 0 +. [0-9]+ +. [34][0-9] " --set Discretization/Cycles=1
  --set "Mesh/Upper corner=100, 1")
# Elements and degrees that follow the solution: errors fall exponentially with the root of the
# unknowns, and are far below those on equal elements.
foreach(file polytopic_hp polytopic_hp_peak)
  add_regression(${file} check_hp ${here}/${file} $<TARGET_FILE:polytopic> ${files}/${file}.prm
    --device cpu)
endforeach()
add_run(polytopic_h polytopic_hp
  "^. 4 +. 1[5-7][0-9] +. 2 +. (9|10)[0-9][0-9] +. [67]\\.[0-9]*e-02 +. 2\\.[0-9]*e-02 +. 2\\."
  --set Adaptivity/Method=h --set Discretization/Cycles=5)
# Degrees that are too high at first, and elements that lose them again.
add_run(polytopic_coarsened polytopic_hp_peak
  "^  estimate: .*divided: [1-9][0-9]*, raised in degree: [1-9][0-9]*, merged: [0-9]+, lowered in degree: [1-9]"
  --set Discretization/Degree=4 --set Discretization/Cycles=4 --set "Adaptivity/Coarsened share=0.4")
# Degrees alone, on a smooth solution, up to the highest one; then there is nothing left to do.
add_run(polytopic_p polytopic_2d
  "^. 4 +. 63 +. 6 +. 1764 +. 2\\.4[0-9]*e-05 . 6\\.[0-9]*e-06 +. [34]\\."
  --set Discretization/Cycles=8 --set Adaptivity/Method=p --set "Adaptivity/Refined share=1"
  --set "Adaptivity/Highest degree=6")
add_run(polytopic_nothing_left polytopic_2d
  "divided: 0, raised in degree: 0, left, as they cannot be refined: 63"
  --set Discretization/Cycles=8 --set Adaptivity/Method=p --set "Adaptivity/Refined share=1"
  --set "Adaptivity/Highest degree=2")
# With advection and reaction, in 3D.
add_run(polytopic_hp_3d polytopic_3d
  "^. 2 +. [0-9]+ +. 2 to 3 +. [0-9]+ +. 1\\.[0-9]*e-01 . 8\\.[0-9]*e-02 +. 1\\.[67]"
  --set Discretization/Cycles=3 --set Adaptivity/Method=hp)

# On several ranks as on one, by all ways to solve and to make elements.
function(add_same_polytopes name tolerance n file)
  add_regression(polytopic_${name}_on_${n}_ranks same_on_ranks ${here}/polytopic_${name}_on_${n}_ranks
    ${tolerance} ${n} ${mpiexec} -- $<TARGET_FILE:${program}> ${files}/${file}.prm --device cpu
    --set Discretization/Cycles=2 --set "Evaluation/Integrals=a: u, b: rms (u)"
    --set "Evaluation/Points=(0.3, 0.4), (0.7, 0.1)" ${ARGN})
endfunction()
foreach(solver "deal.II CG/multigrid" "deal.II GMRES/block Jacobi" "Trilinos CG/ILU"
    "Trilinos GMRES/AMG" "Trilinos direct/none")
  string(REPLACE "/" ";" parts ${solver})
  list(GET parts 0 type)
  list(GET parts 1 preconditioner)
  string(MAKE_C_IDENTIFIER ${solver} name)
  set(cycles 1)
  if(preconditioner STREQUAL "multigrid")
    set(cycles 2)
  endif()
  add_same_polytopes(${name} 1e-8 3 polytopic_2d --set "Solver/Type=${type}"
    --set "Solver/Preconditioner=${preconditioner}" --set Discretization/Cycles=${cycles})
endforeach()
add_same_polytopes(ancestors 1e-8 2 polytopic_2d --set Agglomeration/Method=ancestors
  --set Mesh/Refinements=1 --set "Discretization/Degrees=if(x < 0.5, 1, 3)")
add_same_polytopes(degenerate 1e-8 2 polytopic_degenerate --set Discretization/Degree=3)
add_regression(polytopic_ring_on_3_ranks run "3\\.99 +. 2\\.99..e-04 +. 3\\.00" ${mpiexec} -n 3
  $<TARGET_FILE:${program}> ${files}/poisson_ring.prm --device cpu --set Agglomeration/Method=none
  --set Discretization/Cycles=4 --set Output/Directory=${here}/polytopic_ring_on_3_ranks)
add_regression(polytopic_hp_on_3_ranks run "^. 11 +. 221 +. 3 to 8 +. 5175 +. 2\\.0021e-04 . 8\\.7909e-05 "
  ${mpiexec} -n 3 $<TARGET_FILE:${program}> ${files}/polytopic_hp.prm --device cpu
  --set Output/Directory=${here}/polytopic_hp_on_3_ranks)
add_same_polytopes(hp 1e-7 5 polytopic_hp --set Discretization/Cycles=5)
add_regression(polytopic_hp_is_balanced run "^  elements are spread anew: .* had [1-3]\\.[0-9]+ .*, now 1\\.[0-3]"
  ${mpiexec} -n 5 $<TARGET_FILE:${program}> ${files}/polytopic_hp.prm --device cpu
  --set Discretization/Cycles=5 --set Output/Directory=${here}/polytopic_hp_is_balanced)
add_same_polytopes(coarsened 1e-7 3 polytopic_hp_peak --set Discretization/Degree=4
  --set Discretization/Cycles=4 --set "Adaptivity/Coarsened share=0.4")
# Parts of an element stay together when elements are spread anew: else they would not be merged.
add_same_polytopes(coarsened_and_balanced 1e-7 5 polytopic_hp_peak --set Mesh/Subdivisions=16,16
  --set "Agglomeration/Cells per element=32" --set Discretization/Cycles=4 --set Adaptivity/Method=h
  --set Adaptivity/Marking=shares --set "Adaptivity/Refined share=0.2"
  --set "Adaptivity/Coarsened share=0.5")
add_same_polytopes(h_by_cell 1e-7 3 polytopic_2d --set Discretization/Cycles=4
  --set Adaptivity/Method=h --set "Equation/Diffusion=if(x < 0.5, 1, 10)"
  --set "Equation/Coefficients=by cell")
add_regression(polytopic_iterations_on_3_ranks run "^. 3 +. 24450 +. 4[0-9] " ${mpiexec} -n 3
  $<TARGET_FILE:${program}> ${files}/polytopic_2d.prm --device cpu
  --set Output/Directory=${here}/polytopic_iterations_on_3_ranks)
add_regression(refuses_polytopic_negative_diffusion_on_3_ranks refuse
  "The diffusion is negative in some direction" ${mpiexec} -n 3 $<TARGET_FILE:${program}>
  ${files}/polytopic_2d.prm --set "Equation/Diffusion=x-0.1"
  --set Output/Directory=${here}/refuses_polytopic_negative_diffusion_on_3_ranks)
add_regression(refuses_polytopic_file_on_2_ranks refuse
  "The file of elements 'nowhere' cannot be read" ${mpiexec} -n 2 $<TARGET_FILE:${program}>
  ${files}/polytopic_2d.prm --set Agglomeration/Method=file --set Agglomeration/File=nowhere
  --set Output/Directory=${here}/refuses_polytopic_file_on_2_ranks)

# Fluxes through boundaries sum up to the source, 8, and those of a linear solution are exact.
add_regression(polytopic_fluxes check_fluxes ${here}/polytopic_fluxes 8 1e-8 $<TARGET_FILE:${program}>
  ${files}/polytopic_2d.prm --device cpu --set Discretization/Cycles=1 --set Solver/Tolerance=1e-12
  --set "Functions/Source term=8*(1+0*x)" --set "Evaluation/Flux boundaries=0, 1, 2, 3")
add_regression(polytopic_linear_fluxes check_fluxes ${here}/polytopic_linear_fluxes "2 -2 -4 4" 1e-8
  $<TARGET_FILE:${program}> ${files}/polytopic_2d.prm --device cpu ${linear} --set "Equation/Diffusion=2"
  --set Solver/Tolerance=1e-12 --set "Evaluation/Flux boundaries=0, 1, 2, 3"
  --set "Functions/Boundary conditions=0: Dirichlet (as exact solution), 1: Neumann (2), 2: Robin (3${s} 4+3*(1+x)), \
3: Dirichlet (as exact solution)")
add_same_polytopes(fluxes 1e-8 3 polytopic_2d --set "Evaluation/Flux boundaries=0, 1, 2, 3")
add_refusal(polytopic_fluxes_in_time "Evaluation/Flux boundaries is for problems without time (Time/Step size)."
  ${files}/polytopic_heat.prm --device cpu --set "Evaluation/Flux boundaries=0")
add_fields(polytopic_fields solution-0000.vtu 1e-7 "u = 1+x-2*y | u_gradient = (1, -2, 0) | rank = 0 | error = 0"
  ${files}/polytopic_2d.prm ${linear} --set Output/Precision=double --set Solver/Tolerance=1e-12
  --set "Output/Additional fields=u_gradient, rank")

# The average of u = t, also through a checkpoint.
set(ramp ${files}/polytopic_heat.prm --device cpu --set Discretization/Cycles=1 --set "Time/End time=1"
  --set "Time/Step size=0.125" --set Average/Interval=1 --set "Functions/Source term=1" --set "Functions/Exact solution=t"
  --set "Functions/Gradient of exact solution=" --set "Functions/Boundary conditions=0: Neumann, 1: Neumann, 2: Neumann, 3: Neumann")
foreach(kind "mean" "mean and rms")
  string(MAKE_C_IDENTIFIER "polytopic_${kind}" name)
  add_fields(${name} solution_0_average-0001.vtu 1e-6 "mean_u = 0.5" ${ramp} --set "Average/Kind=${kind}")
  add_regression(restart_${name} restart ${here}/restart_${name} 3 $<TARGET_FILE:${program}> ${ramp}
    --set "Average/Kind=${kind}" --set Checkpoint/Interval=1 --set Output/Interval=0.25)
endforeach()
add_refusal(polytopic_average_without_time "Average/Kind is given, but there is no time"
  ${files}/polytopic_2d.prm --device cpu --set Average/Kind=mean)

# Slabs of space and time: errors and rates, and their bases.
set(direct --set "Solver/Type=Trilinos direct")
add_run(polytopic_heat polytopic_heat "325 +. 3250 +. 3\\.9213e-04 . 2\\.59 +. 4\\.8558e-03 +. 1\\.89")
add_run(polytopic_heat_gmres polytopic_heat "325 +. 3250 +. 3\\.9213e-04 . 2\\.59 +. 4\\.8558e-03 +. 1\\.89"
  --set "Solver/Type=deal.II GMRES")
# Solvers and preconditioners where the other one, or none, is given.
foreach(line "heat///Trilinos direct, preconditioner: none" "heat/deal.II GMRES//deal.II GMRES, preconditioner: block Jacobi"
    "heat//block Jacobi/deal.II GMRES, preconditioner: block Jacobi" "heat//ILU/Trilinos GMRES, preconditioner: ILU"
    "heat/Trilinos GMRES//Trilinos GMRES, preconditioner: ILU" "2d///deal.II CG, preconditioner: multigrid"
    "2d//AMG/Trilinos CG, preconditioner: AMG" "2d/Trilinos direct//Trilinos direct, preconditioner: none"
    "3d/automatic//deal.II GMRES, preconditioner: multigrid")
  string(REGEX MATCH "^([^/]*)/([^/]*)/([^/]*)/([^/]*)$" unused ${line})
  set(choice)
  if(CMAKE_MATCH_2)
    list(APPEND choice --set "Solver/Type=${CMAKE_MATCH_2}")
  endif()
  if(CMAKE_MATCH_3)
    list(APPEND choice --set "Solver/Preconditioner=${CMAKE_MATCH_3}")
  endif()
  string(MAKE_C_IDENTIFIER "${CMAKE_MATCH_1}_${CMAKE_MATCH_2}_${CMAKE_MATCH_3}" name)
  add_run(polytopic_automatic_${name} polytopic_${CMAKE_MATCH_1} "^  solver +${CMAKE_MATCH_4}," ${choice} --dry-run)
endforeach()
foreach(line "total degree/1/1300 .*4\\.7349e-02 +. 0\\.99" "total degree/3/6500 .*3\\.3612e-04 +. 3\\.02"
    "tensor/1/1950 .*4\\.2048e-02 +. 0\\.99" "tensor/2/5850 .*8\\.2352e-05 . 3\\.32")
  string(REPLACE "/" ";" parts ${line})
  list(GET parts 0 basis)
  list(GET parts 1 degree)
  list(GET parts 2 expression)
  string(MAKE_C_IDENTIFIER "${basis}_${degree}" name)
  add_run(polytopic_heat_${name} polytopic_heat ${expression} ${direct} --set "Time/Basis=${basis}"
    --set Discretization/Degree=${degree})
endforeach()
# A solution that all bases have, with all kinds of boundaries, and coefficients that depend on time.
set(linear_in_time --set Discretization/Cycles=1 --set "Functions/Exact solution=1+x-2*y+3*t"
  --set "Functions/Gradient of exact solution=1${s} -2" --set "Equation/Diffusion=1+t"
  --set "Equation/Velocity=1${s} 2" --set "Equation/Reaction=t"
  --set "Functions/Source term=3+1-4+t*(1+x-2*y+3*t)" --set "Functions/Boundary conditions=\
0: Dirichlet (as exact solution), 1: Neumann (1+t), \
2: Dirichlet (as exact solution), 3: Robin (3${s} -2*(1+t)+3*(1+x-2*y+3*t))")
set(exact_in_time "18 +. [0-9]+ +. [0-9.]+e-1[0-9] . [0-9.]+e-(09|1[0-9]) ")
foreach(basis "total degree" tensor)
  foreach(steps "1" "if(x < 0.5, 1, 3)")
    string(MAKE_C_IDENTIFIER "${basis}_${steps}" name)
    add_run(polytopic_linear_${name} polytopic_heat ${exact_in_time} ${linear_in_time}
      ${direct} --set "Time/Basis=${basis}" --set "Time/Local steps=${steps}")
  endforeach()
endforeach()
add_run(polytopic_heat_ilu polytopic_heat ${exact_in_time} ${linear_in_time}
  --set "Solver/Type=Trilinos GMRES" --set Solver/Preconditioner=ILU --set Solver/Tolerance=1e-13)
add_run(polytopic_heat_steady polytopic_heat
  "^The solution is steady after 100 steps, at time 50: cycle 0 ends before Time/End time = 100" --set Discretization/Cycles=1
  --set "Time/End time=100" --set "Time/Step size=0.5" --set "Time/Stop at steady state=1e-6"
  --set "Functions/Source term=0" --set "Functions/Exact solution=0"
  --set "Functions/Gradient of exact solution=" --set "Functions/Initial condition=sin(pi*x)")
foreach(device cpu cuda)
  add_regression(restart_polytopic_${device} restart ${here}/restart_polytopic_${device} 5
    $<TARGET_FILE:polytopic> ${files}/polytopic_heat.prm --device ${device}
    --set Discretization/Cycles=2 --set Output/Interval=0.03 --set "Output/Time series interval=3"
    --set Checkpoint/Interval=4 --set "Evaluation/Points=(0.5, 0.5)"
    --set "Time/Local steps=if(x < 0.5, 1, 2)")
endforeach()

# On several ranks as on one, and from the checkpoint of three ranks on two and on one.
set(slabs --set "Solver/Type=deal.II GMRES" --set "Time/Local steps=if(x < 0.5, 1, 2)" --set "Discretization/Degrees=if(y < 0.5, 1, 2)"
  --set Output/Interval=0.03 --set "Output/Time series interval=3" --set Solver/Tolerance=1e-11)
add_same_polytopes(slabs 1e-8 3 polytopic_heat ${slabs} --set Discretization/Cycles=1)
add_same_polytopes(slabs_direct 1e-8 2 polytopic_heat ${slabs} ${direct} --set Time/Basis=tensor
  --set Discretization/Cycles=1)
add_regression(polytopic_pictures_of_slabs same_pictures ${here}/polytopic_pictures_of_slabs
  solution_0-0001.vtu u,element,degree,steps 3 ${PROJECT_SOURCE_DIR}/applications/plot ${mpiexec} --
  $<TARGET_FILE:${program}> ${files}/polytopic_heat.prm --device cpu --set Discretization/Cycles=1
  ${slabs})
add_regression(polytopic_pictures_of_hp same_pictures ${here}/polytopic_pictures_of_hp
  solution-0004.vtu u,element,degree,estimate,error 3 ${PROJECT_SOURCE_DIR}/applications/plot
  ${mpiexec} -- $<TARGET_FILE:${program}> ${files}/polytopic_hp.prm --device cpu
  --set Discretization/Cycles=5)
set_tests_properties(regression/polytopic_pictures_of_slabs regression/polytopic_pictures_of_hp
  PROPERTIES SKIP_RETURN_CODE 77)
add_regression(restart_polytopic_on_ranks restart_on_ranks ${here}/restart_polytopic_on_ranks 1e-8 5
  ${mpiexec} -- $<TARGET_FILE:${program}> ${files}/polytopic_heat.prm --device cpu
  --set Discretization/Cycles=1 ${slabs} --set Checkpoint/Interval=4
  --set "Evaluation/Points=(0.5, 0.5)")

add_refusal(polytopic_direct_with_multigrid "Solver/Type = Trilinos direct needs Solver/Preconditioner = none."
  ${files}/polytopic_2d.prm --set "Solver/Type=Trilinos direct" --set Solver/Preconditioner=multigrid)
add_refusal(polytopic_slabs_in_3d "matrices in four dimensions are not compiled"
  ${files}/polytopic_3d.prm --set "Time/Step size=0.1")
add_refusal(polytopic_slabs_by_cg "is for symmetric matrices" ${files}/polytopic_heat.prm
  --set "Solver/Type=deal.II CG")
add_refusal(polytopic_slabs_by_multigrid "multigrid is not for slabs" ${files}/polytopic_heat.prm
  --set Solver/Preconditioner=multigrid)
add_refusal(polytopic_initial_condition "there is no Functions/Exact solution to take it from"
  ${files}/polytopic_heat.prm --set "Functions/Exact solution="
  --set "Functions/Gradient of exact solution=" --set "Functions/Boundary conditions=\
0: Dirichlet, 1: Dirichlet, 2: Dirichlet, 3: Dirichlet")
add_refusal(polytopic_initial_time "depends on t, but it is of time 0" ${files}/polytopic_heat.prm
  --set "Functions/Initial condition=t")
add_refusal(polytopic_local_steps "Time/Local steps is 0.000000 at" ${files}/polytopic_heat.prm
  --set "Time/Local steps=if(x < 0.5, 0, 1)")
add_refusal(polytopic_local_steps_in_time "must not depend on t" ${files}/polytopic_heat.prm
  --set "Time/Local steps=1+t")
add_refusal(polytopic_no_time "Output/Interval is given, but there is no time"
  ${files}/polytopic_2d.prm --set Output/Interval=0.1)
add_refusal(polytopic_time_in_source "depends on t, but an elliptic problem has no time"
  ${files}/polytopic_2d.prm --set "Functions/Source term=t")
add_refusal(polytopic_slabs_inflow "The velocity points inwards at boundary 1"
  ${files}/polytopic_heat.prm --set "Equation/Velocity=0.05-t${s} 0"
  --set "Functions/Boundary conditions=0: Dirichlet, 1: Neumann, 2: Dirichlet, 3: Dirichlet")

add_refusal(polytopic_negative_diffusion "The diffusion is negative in some direction"
  ${files}/polytopic_2d.prm --set "Equation/Diffusion=1${s} 2${s} 1")
add_refusal(polytopic_inflow "The velocity points inwards at boundary 0"
  ${files}/polytopic_2d.prm --set Solver/Type=Trilinos\ direct --set Solver/Preconditioner=none
  --set "Equation/Velocity=1${s} 0"
  --set "Functions/Boundary conditions=0: Neumann, 1: Dirichlet, 2: Dirichlet, 3: Dirichlet")
add_refusal(polytopic_cg_with_velocity "is for symmetric matrices: with an Equation/Velocity or a"
  ${files}/polytopic_2d.prm --set "Solver/Type=deal.II CG" --set "Equation/Velocity=1${s} 0")
set(little ${CMAKE_COMMAND} -E env SALTUS_MEMORY_LIMIT=0.0001)
set(much "The matrix of 378 rows with what its solver makes of it needs 0.51 MiB of")
add_regression(refuses_polytopic_matrix refuse "${much} memory, but the host has only 0.10 MiB left"
  ${little} $<TARGET_FILE:${program}> ${files}/polytopic_2d.prm --device cpu
  --set "Solver/Type=Trilinos CG" --set Solver/Preconditioner=ILU
  --set Output/Directory=${here}/refuses_polytopic_matrix)
add_regression(refuses_polytopic_matrix_on_2_ranks refuse "${much} memory on 2 ranks, but"
  ${mpiexec} -n 2 ${little} $<TARGET_FILE:${program}> ${files}/polytopic_2d.prm --device cpu
  --set "Solver/Type=Trilinos CG" --set Solver/Preconditioner=ILU
  --set Output/Directory=${here}/refuses_polytopic_matrix_on_2_ranks)
add_refusal(polytopic_w_with_velocity "W and K are for symmetric matrices" ${files}/polytopic_3d.prm
  --set Solver/Multigrid/Cycle=W)
add_refusal(polytopic_preconditioner "ILU is not for Solver/Type = deal.II CG"
  ${files}/polytopic_2d.prm --set "Solver/Type=deal.II CG" --set Solver/Preconditioner=ILU)
add_run(polytopic_unused_entries polytopic_2d
  "does not use Time/Steps = 5 .used with Time/Step size above 0., Time/Wall time limit = 9"
  --dry-run --set Time/Steps=5 --set "Time/Wall time limit=9")
file(WRITE ${here}/beside/elements.txt "0 0 0 0 1 1 1 1")
file(WRITE ${here}/beside/polytopic.prm "include ${files}/polytopic_2d.prm\n")
add_regression(polytopic_elements_beside run "2 elements" $<TARGET_FILE:polytopic>
  ${here}/beside/polytopic.prm --dry-run --device cpu --set Agglomeration/Method=file
  --set "Mesh/Subdivisions=2, 2" --set Agglomeration/File=elements.txt
  --set Discretization/Cycles=1)
add_refusal(polytopic_no_file "Agglomeration/Method = file needs Agglomeration/File"
  ${files}/polytopic_2d.prm --set Agglomeration/Method=file)
add_refusal(polytopic_small_covering_penalty "Discretization/Penalty factor = 4 is too small"
  ${files}/polytopic_2d.prm --set Discretization/Penalty=covering)
add_refusal(polytopic_many_ancestors "with Method = ancestors needs a mesh that is refined as often"
  ${files}/polytopic_2d.prm --set Agglomeration/Method=ancestors --set Agglomeration/Levels=9)
add_refusal(polytopic_large_shares "their sum must be at most 1" ${files}/polytopic_hp_peak.prm
  --set Adaptivity/Marking=shares --set "Adaptivity/Refined share=0.8" --set "Adaptivity/Coarsened share=0.8")
add_refusal(polytopic_tiny_diffusion "has entries that are too small" ${files}/polytopic_2d.prm
  --set Equation/Diffusion=1e-320)
add_refusal(polytopic_tangled "overlap: both lie on the same side of their face with center (0.712937265 0.320015488)"
  ${files}/polytopic_2d.prm --set Mesh/Type=file --set Mesh/File=${meshes}/tangled_outside.msh
  --set "Functions/Boundary conditions=1: Dirichlet (as exact solution)")
add_refusal(polytopic_inverted "is not positive everywhere: the cell is degenerate or inverted"
  ${files}/polytopic_2d.prm --set Mesh/Type=annulus --set "Mesh/Subdivisions=4, 4" --set
  "Functions/Boundary conditions=0: Dirichlet (as exact solution), 1: Dirichlet (as exact solution)")
add_refusal(polytopic_file "The file of elements 'nowhere' cannot be read"
  ${files}/polytopic_2d.prm --set Agglomeration/Method=file --set Agglomeration/File=nowhere)
add_refusal(polytopic_degree "Discretization/Degree" ${files}/polytopic_2d.prm
  --set Discretization/Degree=9)
add_refusal(polytopic_degrees "Discretization/Degrees is 9.000000 at"
  ${files}/polytopic_2d.prm --set Discretization/Degrees=9)
add_refusal(polytopic_highest_degree "Adaptivity/Highest degree = 2 is not accepted"
  ${files}/polytopic_hp.prm --set "Adaptivity/Highest degree=2" --set Discretization/Degree=3)
add_refusal(polytopic_adaptivity_method "Adaptivity/Method" ${files}/polytopic_hp.prm
  --set Adaptivity/Method=r)
add_refusal(polytopic_refined_share "Adaptivity/Refined share" ${files}/polytopic_hp.prm
  --set "Adaptivity/Refined share=1.5")
add_refusal(polytopic_neumann "The solution is determined up to a constant only"
  ${files}/polytopic_2d.prm
  --set "Functions/Boundary conditions=0: Neumann, 1: Neumann, 2: Neumann, 3: Neumann")
add_refusal(polytopic_periodic "Polytopic elements know no periodic boundaries"
  ${files}/polytopic_2d.prm
  --set "Functions/Boundary conditions=0: periodic with 1, 2: Dirichlet, 3: Dirichlet")
# Coefficients that are not finite, whether they vary or not.
foreach(line "reaction|Reaction|1/0|inf" "diffusion|Diffusion|1/0|inf" "no_diffusion|Diffusion|log(-1)|nan"
    "tensor|Diffusion|1${s} 0${s} 1/0|1${s} 0${s} inf" "velocity|Velocity|1${s} 0/0|1${s} nan")
  string(REPLACE "|" ";" parts ${line})
  list(GET parts 0 name)
  list(GET parts 1 entry)
  list(GET parts 2 text)
  list(GET parts 3 value)
  add_refusal(polytopic_infinite_${name}
    "Equation/${entry} = '${text}' is ${value}${s} finite values are needed everywhere"
    ${files}/polytopic_2d.prm --set "Equation/${entry}=${text}" --set "Solver/Type=deal.II GMRES")
endforeach()
add_refusal(polytopic_infinite_by_point "The reaction must be finite, but is inf at ("
  ${files}/polytopic_2d.prm --set "Equation/Reaction=if(x > 0.5, 1/0, 1)")
add_refusal(polytopic_huge_reaction "The matrix has entries that are not finite"
  ${files}/polytopic_2d.prm --set Equation/Reaction=1e308)
add_refusal(polytopic_nothing_left "Equation/Diffusion and Equation/Reaction are 0"
  ${files}/polytopic_2d.prm --set Equation/Diffusion=0)
add_refusal(polytopic_stationary_local_steps "Time/Local steps is given, but there is no time"
  ${files}/polytopic_2d.prm --set "Time/Local steps=2")
add_refusal(polytopic_no_ancestors "with Method = ancestors needs a mesh that is refined as often"
  ${files}/polytopic_2d.prm --set Agglomeration/Method=ancestors)
add_regression(refuses_polytopic_no_ancestors_on_2_ranks refuse "needs a mesh that is refined"
  ${mpiexec} -n 2 $<TARGET_FILE:${program}> ${files}/polytopic_2d.prm
  --set Agglomeration/Method=ancestors
  --set Output/Directory=${here}/refuses_polytopic_no_ancestors_on_2_ranks)
foreach(condition "Neumann (as exact solution)" "Robin (1${s} as exact solution)")
  string(SUBSTRING ${condition} 0 5 kind)
  add_refusal(polytopic_${kind}_as_exact_solution
    "id 1: 'as exact solution' is for Dirichlet conditions only" ${files}/polytopic_2d.prm --set
    "Functions/Boundary conditions=0: Dirichlet, 1: ${condition}, 2: Dirichlet, 3: Dirichlet")
endforeach()
add_refusal(polytopic_mean_of_nothing
  "Evaluation/Integrals, a: the condition 'x < -1' holds at no quadrature point"
  ${files}/polytopic_2d.prm --set "Evaluation/Integrals=a: mean (u where x < -1)")

# Residuals that rounding errors make no smaller: of all solvers accepted where they are small, else
# an error.
function(set_checkerboard variable jump)
  set(${variable} --set "Equation/Diffusion=if((x < 0.5) == (y < 0.5), 1, ${jump})"
    --set "Equation/Coefficients=by cell" --set "Functions/Source term=1"
    --set "Functions/Exact solution=" --set "Functions/Gradient of exact solution="
    --set Discretization/Cycles=1 --set Agglomeration/Method=none --set Mesh/Distortion=0
    --set Mesh/Subdivisions=8,8 PARENT_SCOPE)
endfunction()
set_checkerboard(small 1e6)
set_checkerboard(large 1e11)
foreach(solver "deal.II CG/multigrid" "Belos CG/multigrid" "Trilinos CG/ILU" "Trilinos direct/none")
  string(REPLACE "/" ";" parts ${solver})
  list(GET parts 0 type)
  list(GET parts 1 preconditioner)
  string(MAKE_C_IDENTIFIER ${type} name)
  add_run(polytopic_stagnation_${name} polytopic_2d
    "^  The residual stagnates at [0-9.]+e-(08|09|10) of the right-hand side" ${small}
    --set "Solver/Type=${type}" --set "Solver/Preconditioner=${preconditioner}")
  if(NOT name STREQUAL Trilinos_CG)
    add_refusal(polytopic_stagnation_${name} "the residual of the solution stagnates at 0.00"
      ${files}/polytopic_2d.prm ${large} --set "Solver/Type=${type}"
      --set "Solver/Preconditioner=${preconditioner}")
  endif()
endforeach()
# Nearly dependent functions are noted, those of other boxes are not.
add_run(polytopic_dependent polytopic_2d
  "^  note: polynomials are nearly dependent .* Take Agglomeration/Boxes of elements = principal axes"
  --set Discretization/Cycles=1 --set Discretization/Degree=8 --set Mesh/Subdivisions=8,8)
add_regression(polytopic_independent run "^0 notes" bash -c
  "\"$@\" | awk '/^  note:/ {++n} /^. 0 / {done = 1} END {print n + 0, \"notes\"${s} exit !done}'" bash
  $<TARGET_FILE:${program}> ${files}/polytopic_2d.prm --device cpu --set Discretization/Cycles=1
  --set Discretization/Degree=8 --set Mesh/Subdivisions=8,8
  --set "Agglomeration/Boxes of elements=principal axes"
  --set Output/Directory=${here}/polytopic_independent)

# Diffusion that jumps at facets, whatever it is at their points: the solution is in the space, also in
# slabs. Where there is none on one side the solution may jump.
set(exact "if(x < 0.5, x, 0.45 + x/10)")
set(across --set "Equation/Diffusion=if(x < 0.5, 1, 10)" --set "Functions/Source term=0"
  --set "Functions/Exact solution=${exact}"
  --set "Functions/Gradient of exact solution=if(x < 0.5, 1, 0.1)${s} 0"
  --set "Functions/Boundary conditions=0: Dirichlet (as exact solution), 1: Dirichlet (as exact solution), 2: Neumann, 3: Neumann"
  --set Agglomeration/Method=none --set Mesh/Distortion=0 --set "Solver/Type=Trilinos direct"
  --set Solver/Preconditioner=none --set Discretization/Cycles=1)
set(rounding "[|] [0-9.]+e-1[0-9] +")
add_run(polytopic_jump polytopic_2d "^[|] 0 .*${rounding}${rounding}[|]" ${across})
add_run(polytopic_jump_in_slabs polytopic_heat "^[|] 0 .*${rounding}${rounding}[|]" ${across}
  --set "Functions/Initial condition=${exact}")
add_run(polytopic_degenerate_facets polytopic_degenerate "6\\.2173e-03" --set
  "Equation/Diffusion=0${s} 0${s} if(y >= 0, x^2, 0)")
