// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/patterns.h>
#include <deal.II/base/utilities.h>

#include <saltus/io/files/files.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/curving_parameters.h>
#include <saltus/io/parameters/manifold_list.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/mesh/curve/curve_mesh.h>
#include <saltus/mesh/make/write_gmsh.h>

#include <filesystem>

namespace Saltus
{
  using namespace dealii;

  void
  CurvingParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string used = used_with("Mesh/Curving/Surfaces given");
    prm.enter_subsection("Curving");
    prm.add_parameter(
      "Surfaces",
      surfaces,
      "ID: circle (X, Y; radius), ID: NACA 0012 (leading edge; chord), ... in 3D ID: sphere "
      "(X, Y, Z; radius), ID: cylinder (point of the axis; its direction; radius), ID: NACA 0012 "
      "(...) extruded along z, ID: wing (file with its stations); in both ID: CAD (STEP or IGES "
      "file; what its millimetres are multiplied with): boundaries that are moved there, "
      "with the mesh around them as an elastic body, after the refinements. Maps have the Geometry "
      "degree.");
    prm.add_parameter(
      "Sliding boundaries",
      sliding,
      "IDs of planes of symmetry, in which the mesh may slide; the other boundaries "
      "stay." +
        used,
      Patterns::List(Patterns::Integer(0)));
    prm.add_parameter("Box",
                      box,
                      "Lower corner; upper corner: only cells with their centre in it are moved. "
                      "Empty: all." +
                        used);
    prm.add_parameter("Poisson ratio",
                      poisson_ratio,
                      "Of the elastic body, above -1 and below 0.5." + used,
                      Patterns::Double(-1., 0.5));
    prm.add_parameter("Folded cells",
                      folded,
                      "What is done if cells are folded in a mesh file or along Manifolds: the run "
                      "stops and names them, or they and what their neighbors share with them are "
                      "curved less, by halves, until they are not. Cells that Surfaces would fold "
                      "are always curved less.",
                      Patterns::Selection("stop|straighten"));
    prm.add_parameter(
      "Save as",
      file,
      "Gmsh file (.msh, format 2.2) for the curved mesh of the first cycle, of degree "
      "at most 5. Empty: no file." +
        used);
    prm.leave_subsection();
  }

  namespace
  {
    template <int dim>
    std::pair<Point<dim>, Point<dim>>
    parse_box(const std::string &text)
    {
      if (text.empty())
        return Curving<dim>::everything();
      const auto corners = split_at_semicolon(text, 1);
      const auto lower   = parse_coordinates<dim>(corners.first);
      const auto upper   = parse_coordinates<dim>(corners.second);
      bool       is_box  = lower && upper;
      for (unsigned int d = 0; d < dim && is_box; ++d)
        is_box = (*lower)[d] < (*upper)[d];
      AssertThrow(is_box,
                  ExcMessage("Mesh/Curving/Box = " + text + " is no box: the " +
                             std::to_string(dim) +
                             " coordinates of its lower corner, a semicolon, and those of its "
                             "upper corner are expected, each of which is the larger one."));
      return {*lower, *upper};
    }
  } // namespace

  template <int dim>
  CurvedNodes<dim>
  CurvingParameters::curve(Triangulation<dim> &triangulation,
                           const unsigned int  degree,
                           const std::string  &parameter_file,
                           std::string        &report) const
  {
    AssertThrow(file.empty() || std::filesystem::path(file).extension() == ".msh",
                ExcMessage("Mesh/Curving/Save as = " + file +
                           " is not accepted: meshes are written to Gmsh files, whose names end "
                           "with .msh."));
    AssertThrow(file.empty() || degree <= max_gmsh_order,
                ExcMessage("Mesh/Curving/Save as = " + file +
                           ": Gmsh files have elements of order 1 to " +
                           std::to_string(max_gmsh_order) +
                           ", but Mesh/Geometry degree = " + std::to_string(degree) + "."));
    Curving<dim> curving;
    curving.degree        = degree;
    curving.surfaces      = parse_surfaces<dim>(surfaces, "Mesh/Curving/Surfaces", parameter_file);
    curving.box           = parse_box<dim>(box);
    curving.poisson_ratio = poisson_ratio;
    for (const std::string &id : split_list(sliding, "Mesh/Curving/Sliding boundaries"))
      curving.sliding.insert(Utilities::string_to_int(id));

    with_entry("Mesh/Curving/Poisson ratio", [&]() { curving.check_poisson_ratio(); });
    with_entry("Mesh/Curving/Sliding boundaries = " + sliding,
               [&]() { curving.check_sliding(triangulation); });
    with_entry("Mesh/Curving/Box = " + box, [&]() { curving.check_box(triangulation); });

    CurvedNodes<dim> nodes;
    with_entry("Mesh/Curving/Surfaces = " + surfaces,
               [&]() { nodes = curve_mesh(triangulation, curving); });
    treat_folded(triangulation, nodes, report);
    report += table_of_scaled_jacobians(scaled_jacobians(nodes));
    return nodes;
  }

  template <int dim>
  void
  CurvingParameters::save(const Triangulation<dim> &triangulation,
                          const CurvedNodes<dim>   &nodes) const
  {
    if (!file.empty())
      with_entry("Mesh/Curving/Save as = " + file, [&]() {
        replace_file(file, [&](std::ostream &out) { write_gmsh(out, triangulation, nodes); });
      });
  }

  template <int dim>
  void
  CurvingParameters::treat_folded(const Triangulation<dim> &triangulation,
                                  CurvedNodes<dim>         &nodes,
                                  std::string              &report) const
  {
    with_entry("Mesh/Curving/Folded cells = " + folded, [&]() {
      if (is_used() || folded == "straighten")
        if (const unsigned int n = straighten_folded(triangulation, nodes); n > 0)
          report += "Folded cells that were curved less: " + std::to_string(n) + "\n";
      check_not_folded(triangulation, nodes);
    });
  }

#define SALTUS_CURVING_PARAMETERS(dim)                                                        \
  template CurvedNodes<dim> CurvingParameters::curve(Triangulation<dim> &,                    \
                                                     const unsigned int,                      \
                                                     const std::string &,                     \
                                                     std::string &) const;                    \
  template void CurvingParameters::save(const Triangulation<dim> &, const CurvedNodes<dim> &) \
    const;                                                                                    \
  template void CurvingParameters::treat_folded(const Triangulation<dim> &,                   \
                                                CurvedNodes<dim> &,                           \
                                                std::string &) const;
  SALTUS_CURVING_PARAMETERS(2)
  SALTUS_CURVING_PARAMETERS(3)
#undef SALTUS_CURVING_PARAMETERS
} // namespace Saltus
