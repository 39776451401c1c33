// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/patterns.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold_lib.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/device/stopwatch.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/files.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/manifold_list.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/mesh/adapt/periodic_levels.h>
#include <saltus/mesh/curve/coarse_cell_mapping.h>
#include <saltus/mesh/curve/manifold_nodes.h>
#include <saltus/mesh/curve/mapping_by_shape.h>
#include <saltus/mesh/curve/nodal_mapping.h>
#include <saltus/mesh/curve/refine_curved.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/make/box_cells.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/spread_mesh.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  void
  MeshParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string    of_box = used_with("Mesh/Type = box");
    const Patterns::List coordinates(Patterns::Double(), 2, 3);
    prm.enter_subsection("Mesh");
    prm.add_parameter(
      "Type",
      type,
      "A generated mesh or a Gmsh file. Boundary ids: box: 0 left, 1 right, 2 lower, "
      "3 upper, 4 back, 5 front; disc: 0; annulus: 0 inner, 1 outer circle; quarter "
      "annulus: 0 inner, 1 outer, 2 at x = 0, 3 at y = 0; double Mach reflection: 0 "
      "left, 1 right, 2 bottom to x = 1/6, 3 bottom beyond, 4 top; forward step: 0 "
      "left, 1 right, 2 walls, 3 step; file: physical ids, 0 without one.",
      Patterns::Selection("box|disc|annulus|quarter annulus|"
                          "double Mach reflection|"
                          "forward step|file"));
    prm.add_parameter("Cells",
                      cells,
                      "Triangles or tetrahedra, or quadrilaterals or hexahedra (not disc); mixed: "
                      "triangles and quadrilaterals, of generated meshes (not disc) every third "
                      "quadrilateral in two triangles.",
                      Patterns::Selection("simplices|hypercubes|mixed"));
    prm.add_parameter(
      "File",
      file,
      "Gmsh file, ASCII format 2.2 or 4.1, of order 1 to 5; relative to the working "
      "directory or to that of the parameter file. Refinements keep the shape of curved elements." +
        used_with("Mesh/Type = file"));
    prm.add_parameter("Lower corner", lower_corner, "Of the box." + of_box, coordinates);
    prm.add_parameter("Upper corner", upper_corner, "Of the box." + of_box, coordinates);
    prm.add_parameter("Subdivisions",
                      subdivisions,
                      "Cuboids a direction of the box; of an annulus, in radius and angle." +
                        used_with("Mesh/Type = box or annulus or quarter annulus"),
                      Patterns::List(Patterns::Integer(1), 2, 3));
    prm.add_parameter("Radii",
                      radii,
                      "Of an annulus, or of the disc." +
                        used_with("Mesh/Type = disc or annulus or quarter annulus"),
                      Patterns::List(Patterns::Double(0.), 1, 2));
    prm.add_parameter("Rings",
                      n_rings,
                      "Rings of triangles of the disc." + used_with("Mesh/Type = disc"),
                      Patterns::Integer(1));
    prm.add_parameter("Triangles",
                      n_triangles,
                      "Wanted number; of quadrilaterals half as "
                      "many." +
                        used_with("Mesh/Type = double Mach reflection or forward step"),
                      Patterns::Integer(500));
    prm.add_parameter(
      "Distortion",
      distortion,
      "Random displacement of interior vertices, in mesh widths." +
        used_with(
          "Mesh/Type = box or double Mach reflection or forward step or Mesh/Cells = hypercubes or mixed, and with Mesh/Type other than file"),
      Patterns::Double(0., 0.25));
    prm.add_parameter("Manifolds",
                      manifolds,
                      "ID: circle (X, Y), ... in 3D ID: sphere (X, Y, Z) or ID: cylinder (point of "
                      "the axis; its direction): true shape of boundaries, for refinement and "
                      "curved walls.");
    prm.add_parameter("Refinements",
                      n_refinements,
                      "Uniform refinements before the first cycle.",
                      Patterns::Integer(0, 12));
    prm.add_parameter(
      "Geometry degree",
      geometry_degree,
      "Of the maps of elements along manifolds, those of annulus and disc or the "
      "given ones, or along the surfaces of Curving; 1: straight. To keep the order of a method of degree p on curved "
      "walls it takes p+1. At most " +
        std::to_string(ElementMapping<2>::max_degree) + " in 2D, " +
        std::to_string(ElementMapping<3>::max_degree) + " in 3D.",
      Patterns::Integer(1, ElementMapping<2>::max_degree));
    curving.add_parameters(prm);
    prm.leave_subsection();
  }


  namespace
  {
    constexpr const char *only_in_2d = "this mesh exists in 2D only; in 3D use box or file.";

    /// @p list if it has @p n numbers.
    template <typename Number>
    const std::vector<Number> &
    checked(const std::vector<Number> &list, const std::string &entry, const unsigned int n)
    {
      AssertThrow(list.size() == n,
                  ExcMessage("the list " + entry + " = '" + Patterns::Tools::to_string(list) +
                             "' has " + std::to_string(list.size()) + " numbers; " +
                             std::to_string(n) + " are expected. Commas separate them; decimals " +
                             "are written with a point."));
      return list;
    }


    template <int dim>
    Point<dim>
    corner(const std::vector<double> &list, const std::string &entry)
    {
      Point<dim> point;
      std::copy_n(checked(list, entry, dim).begin(), dim, point.begin_raw());
      return point;
    }


    template <int dim>
    FlatMesh<dim>
    box_cells(const MeshParameters &box)
    {
      return GridGenerator::box_cells<dim>(corner<dim>(box.lower_corner, "Lower corner"),
                                           corner<dim>(box.upper_corner, "Upper corner"),
                                           checked(box.subdivisions, "Subdivisions", dim),
                                           box.distortion);
    }
  } // namespace


  template <typename Generate>
  void
  MeshParameters::make_annulus(Triangulation<2> &triangulation, const Generate &generate) const
  {
    checked(radii, "Radii", 2);
    checked(subdivisions, "Subdivisions", 2);
    generate(triangulation, radii[0], radii[1], subdivisions[0], subdivisions[1]);
  }


  template <int dim>
  void
  MeshParameters::make_coarse_mesh(Triangulation<dim> &triangulation,
                                   CurvedNodes<dim>   &nodes,
                                   const std::string  &parameter_file) const
  {
    if (type == "file")
      read_file(triangulation, nodes, parameter_file);
    else if (cells != "simplices")
      make_hypercubes(triangulation);
    else if (type == "box")
      create_triangulation(box_cells<dim>(*this), triangulation);
    else if constexpr (dim == 2)
      {
        if (type == "disc")
          GridGenerator::disc(triangulation, checked(radii, "Radii", 1)[0], n_rings);
        else if (type == "annulus" || type == "quarter annulus")
          make_annulus(triangulation,
                       type == "annulus" ? GridGenerator::annulus : GridGenerator::quarter_annulus);
        else if (type == "forward step")
          GridGenerator::forward_step(triangulation, n_triangles, distortion);
        else
          GridGenerator::double_mach_reflection(triangulation, n_triangles, distortion);
      }
    else
      AssertThrow(false, ExcMessage(only_in_2d));
  }


  template <int dim>
  void
  MeshParameters::read_file(Triangulation<dim> &triangulation,
                            CurvedNodes<dim>   &nodes,
                            const std::string  &parameter_file) const
  {
    GridGenerator::read_mesh(triangulation,
                             find_file(file, parameter_file),
                             &nodes,
                             is_mixed() ? ReferenceCells::Invalid : reference_cell<dim>());
    AssertThrow(nodes.degree == 1 ||
                  (geometry_degree == 1 && manifolds.empty() && !curving.is_used()),
                ExcMessage("the elements of the mesh file are of order " +
                           std::to_string(nodes.degree) +
                           " and say how they are curved: leave out Mesh/Geometry degree, "
                           "Mesh/Manifolds and Mesh/Curving/Surfaces."));
  }


  template <int dim>
  void
  MeshParameters::make_hypercubes(Triangulation<dim> &triangulation) const
  {
    AssertThrow(type != "disc",
                ExcMessage("this mesh consists of triangles: for Mesh/Cells = " + cells +
                           " use another one."));
    // Each rank knows a part of a mesh on p4est and would distort it in a way of its own.
    Triangulation<dim>  serial;
    Triangulation<dim> &made = distortion > 0. ? serial : triangulation;
    if (type == "box")
      dealii::GridGenerator::subdivided_hyper_rectangle(made,
                                                        checked(subdivisions, "Subdivisions", dim),
                                                        corner<dim>(lower_corner, "Lower corner"),
                                                        corner<dim>(upper_corner, "Upper corner"),
                                                        true);
    else if constexpr (dim == 2)
      {
        if (type == "annulus" || type == "quarter annulus")
          make_annulus(made,
                       type == "annulus" ? GridGenerator::annulus_quadrilaterals
                                         : GridGenerator::quarter_annulus_quadrilaterals);
        else if (type == "forward step")
          GridGenerator::forward_step_quadrilaterals(made, n_triangles / 2);
        else
          GridGenerator::double_mach_quadrilaterals(made, n_triangles / 2);
      }
    else
      AssertThrow(false, ExcMessage(only_in_2d));
    if (distortion > 0.)
      {
        GridTools::distort_random(distortion, serial);
        triangulation.copy_triangulation(serial);
      }
    // deal.II numbers the quadrants of boxes.
    for (const auto &cell : triangulation.cell_iterators())
      cell->set_material_id(0);
    if constexpr (dim == 2)
      if (is_mixed())
        GridGenerator::cut_quadrilaterals(triangulation);
  }


  template <int dim>
  void
  MeshParameters::attach_manifolds(Triangulation<dim> &triangulation) const
  {
    const auto surfaces = parse_manifolds<dim>(manifolds, "Mesh/Manifolds");
    with_entry("Mesh/Manifolds = " + manifolds, [&]() {
      for (const auto &[id, surface] : surfaces)
        attach_manifold(triangulation, id, surface);
    });
  }


  template <int dim>
  void
  MeshParameters::refine(Triangulation<dim> &triangulation,
                         CurvedNodes<dim>   &nodes,
                         const unsigned int  n_halvings,
                         const std::string  &parameter_file,
                         MappedMesh<dim>    &curved) const
  {
    if (cells != "simplices") // hypercubes are curved by their mapping
      {
        triangulation.refine_global(n_halvings);
        if (is_mixed() && geometry_degree > 1)
          nodes = manifold_nodes(triangulation, geometry_degree);
        return;
      }
    if (nodes.degree == 1)
      triangulation.refine_global(n_halvings);
    else
      for (unsigned int i = 0; i < n_halvings; ++i)
        refine_curved(triangulation, nodes);
    Stopwatch watch(Device::cpu());
    if (curving.is_used())
      nodes = curving.curve(triangulation, geometry_degree, parameter_file, curved.report);
    else
      {
        if (geometry_degree > 1)
          nodes = manifold_nodes(triangulation, geometry_degree);
        if (nodes.degree > 1)
          curving.treat_folded(triangulation, nodes, curved.report);
      }
    if (curving.is_used() || nodes.degree > 1)
      curved.curving_time = watch.lap();
  }


  template <int dim>
  MappedMesh<dim>
  MeshParameters::make(const unsigned int                   cycle,
                       const std::string                   &parameter_file,
                       const MPI_Comm                       communicator,
                       const std::function<void(double)>   &begin,
                       const bool                           on_p4est,
                       const std::vector<PeriodicBoundary> &periodic,
                       const MeshCut<dim>                  &cut,
                       const bool                           saves) const
  {
    AssertThrow(geometry_degree <= ElementMapping<dim>::max_degree,
                ExcMessage("Mesh/Geometry degree = " + std::to_string(geometry_degree) +
                           " is not accepted in " + std::to_string(dim) + "D: it must be at most " +
                           std::to_string(ElementMapping<dim>::max_degree) + '.'));
    const bool hypercubes = cells == "hypercubes";
    const bool is_spread  = n_ranks(communicator) > 1 && !on_p4est;
    AssertThrow(cells == "simplices" || !curving.is_used(),
                ExcMessage("elements are curved as elastic bodies on meshes of triangles and "
                           "tetrahedra: with Mesh/Cells = " +
                           cells + " leave Mesh/Curving/Surfaces empty, and use Mesh/Manifolds."));
    if (geometry_degree == 1 && curving.is_used())
      say_once("Mesh/Curving/Surfaces = " + curving.surfaces +
               " moves vertices only: with Mesh/Geometry degree = 1 elements stay straight. Set it "
               "to 2 or more for curved ones.");
    AssertThrow(!is_mixed() || geometry_degree <= 2,
                ExcMessage("Mesh/Geometry degree = " + std::to_string(geometry_degree) +
                           " is not accepted with Mesh/Cells = mixed: it must be at most 2, so "
                           "that triangles and quadrilaterals are curved alike at their common "
                           "faces."));
    MappedMesh<dim>  result;
    CurvedNodes<dim> nodes; // of the whole mesh, on the ranks that make it
    // Ranks refine straight cells alone: manifolds do not travel.
    const bool ranks_refine = is_spread && !cut && !curving.is_used() && manifolds.empty() &&
                              (geometry_degree == 1 || hypercubes) && type != "disc" &&
                              type != "annulus" && type != "quarter annulus";
    const int    n_halvings = n_refinements + cycle;
    unsigned int n_later    = 0; // of them, those that ranks make
    const auto   announce   = [&](const double n_cells) {
      begin(std::ldexp(n_cells, dim * n_halvings));
    };
    const auto make_mesh = [&](Triangulation<dim> &triangulation) {
      with_entry("Mesh/Type = " + type,
                 [&]() { make_coarse_mesh(triangulation, nodes, parameter_file); });
      attach_manifolds(triangulation);
      if (auto *forest = dynamic_cast<parallel::distributed::Triangulation<dim> *>(&triangulation))
        join_periodic_boundaries(*forest, periodic);
      announce(triangulation.n_global_active_cells());
      if (ranks_refine && nodes.degree == 1)
        n_later = n_halvings;
      refine(triangulation, nodes, n_halvings - n_later, parameter_file, result);
      if (saves && cycle == 0 && curving.is_used() && this_rank(communicator) == 0)
        curving.save(triangulation, nodes);
      if (hypercubes && is_spread && nodes.degree > 1) // no coarse cells will be left
        nodes = nodes_of_active_cells(triangulation, CoarseCellMapping<dim>(nodes));
    };
    if (on_p4est)
      {
        result.triangulation =
          std::make_unique<parallel::distributed::Triangulation<dim>>(communicator);
        make_mesh(*result.triangulation);
      }
    else if (ranks_refine)
      result.triangulation = spread_mesh<dim>(
        [&]() {
          FlatMesh<dim> mesh;
          if (type == "box" && cells == "simplices") // the fastest
            {
              with_entry("Mesh/Type = " + type, [&]() { mesh = box_cells<dim>(*this); });
              announce(mesh.n_cells());
              n_later = n_halvings;
            }
          else
            {
              Triangulation<dim> triangulation;
              make_mesh(triangulation);
              mesh = flatten(triangulation);
            }
          return mesh;
        },
        communicator,
        n_later);
    else
      result.triangulation = spread_triangulation<dim>(make_mesh, communicator, cut);
    if (is_spread)
      {
        if constexpr (dim == 2)
          if (type == "disc" || type == "annulus" || type == "quarter annulus")
            result.triangulation->set_manifold(0, SphericalManifold<2>());
        for (const auto &[id, surface] : parse_manifolds<dim>(manifolds, "Mesh/Manifolds"))
          reattach_manifold(*result.triangulation, id, surface);
      }
    if (Utilities::MPI::max(nodes.degree, communicator) > 1)
      {
        if (!on_p4est)
          nodes = spread_nodes(nodes, *result.triangulation);
        if (hypercubes)
          result.mapping = std::make_unique<CoarseCellMapping<dim>>(nodes);
        else
          result.mapping = std::make_unique<NodalMapping<dim>>(nodes);
      }
    else if (hypercubes)
      result.mapping = std::make_unique<MappingQ<dim>>(geometry_degree);
    else
      result.mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
    if (is_mixed())
      result.mapping =
        std::make_unique<MappingByShape<dim>>(*result.mapping, MappingQ<dim>(geometry_degree));
    return result;
  }


  template MappedMesh<2>
  MeshParameters::make(const unsigned int,
                       const std::string &,
                       const MPI_Comm,
                       const std::function<void(double)> &,
                       const bool,
                       const std::vector<PeriodicBoundary> &,
                       const MeshCut<2> &,
                       const bool) const;
  template MappedMesh<3>
  MeshParameters::make(const unsigned int,
                       const std::string &,
                       const MPI_Comm,
                       const std::function<void(double)> &,
                       const bool,
                       const std::vector<PeriodicBoundary> &,
                       const MeshCut<3> &,
                       const bool) const;
} // namespace Saltus
