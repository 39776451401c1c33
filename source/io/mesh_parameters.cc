// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/io/application.h>
#include <saltus/io/mesh_parameters.h>
#include <saltus/mesh/grid_generator.h>

namespace Saltus
{
  using namespace dealii;

  void
  declare_mesh_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Mesh");
    prm.declare_entry("Type",
                      "box",
                      Patterns::Selection("box|disc|quarter annulus|double Mach reflection|file"),
                      "A generated mesh (boundary ids: see GridGenerator) or a Gmsh file.");
    prm.declare_entry("File",
                      "",
                      Patterns::Anything(),
                      "Gmsh file, ASCII format 2.2 or 4.1 (file).");
    prm.declare_entry("Lower corner",
                      "0, 0",
                      Patterns::List(Patterns::Double(), 2, 3),
                      "Of the box.");
    prm.declare_entry("Upper corner",
                      "1, 1",
                      Patterns::List(Patterns::Double(), 2, 3),
                      "Of the box.");
    prm.declare_entry(
      "Subdivisions",
      "8, 8",
      Patterns::List(Patterns::Integer(1), 2, 3),
      "Cuboids a direction of the box; of the quarter annulus, in radius and angle.");
    prm.declare_entry("Radii",
                      "1, 1.384",
                      Patterns::List(Patterns::Double(0.), 1, 2),
                      "Of the quarter annulus, or of the disc.");
    prm.declare_entry("Rings", "6", Patterns::Integer(1), "Rings of triangles of the disc.");
    prm.declare_entry("Triangles",
                      "2000",
                      Patterns::Integer(500),
                      "Wanted number (double Mach reflection).");
    prm.declare_entry(
      "Distortion",
      "0",
      Patterns::Double(0., 0.25),
      "Random displacement of interior vertices, in mesh widths (box, double Mach reflection).");
    prm.declare_entry("Refinements",
                      "0",
                      Patterns::Integer(0, 12),
                      "Uniform refinements before the first cycle.");
    prm.leave_subsection();
  }


  namespace
  {
    /// The @p n numbers of a list.
    template <typename Number>
    std::vector<Number>
    list(const ParameterHandler &prm, const std::string &entry, const unsigned int n)
    {
      const auto words = Utilities::split_string_list(prm.get(entry));
      AssertThrow(words.size() == n,
                  ExcMessage("the list " + entry + " = '" + prm.get(entry) + "' has " +
                             std::to_string(words.size()) + " numbers; " + std::to_string(n) +
                             " are expected."));
      std::vector<Number> numbers;
      for (const std::string &word : words)
        numbers.push_back(static_cast<Number>(Utilities::string_to_double(word)));
      return numbers;
    }


    template <int dim>
    Point<dim>
    corner(const ParameterHandler &prm, const std::string &entry)
    {
      const auto numbers = list<double>(prm, entry, dim);
      Point<dim> point;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] = numbers[d];
      return point;
    }


    template <int dim>
    void
    make_coarse_mesh(const ParameterHandler &prm, Triangulation<dim> &triangulation)
    {
      const std::string type = prm.get("Type");
      if (type == "box")
        GridGenerator::box<dim>(triangulation,
                                corner<dim>(prm, "Lower corner"),
                                corner<dim>(prm, "Upper corner"),
                                list<unsigned int>(prm, "Subdivisions", dim),
                                prm.get_double("Distortion"));
      else if (type == "file")
        GridGenerator::read_mesh(triangulation, prm.get("File"));
      else if constexpr (dim == 2)
        {
          if (type == "disc")
            GridGenerator::disc(triangulation,
                                list<double>(prm, "Radii", 1)[0],
                                prm.get_integer("Rings"));
          else if (type == "quarter annulus")
            {
              const auto radii = list<double>(prm, "Radii", 2);
              const auto n     = list<unsigned int>(prm, "Subdivisions", 2);
              GridGenerator::quarter_annulus(triangulation, radii[0], radii[1], n[0], n[1]);
            }
          else
            GridGenerator::double_mach_reflection(triangulation,
                                                  prm.get_integer("Triangles"),
                                                  prm.get_double("Distortion"));
        }
      else
        AssertThrow(false, ExcMessage("this mesh exists in 2D only; in 3D use box or file."));
    }
  } // namespace


  template <int dim>
  void
  make_mesh(ParameterHandler &prm, Triangulation<dim> &triangulation)
  {
    prm.enter_subsection("Mesh");
    const std::string  type          = prm.get("Type");
    const unsigned int n_refinements = prm.get_integer("Refinements");
    with_entry("Mesh/Type = " + type, [&]() { make_coarse_mesh(prm, triangulation); });
    prm.leave_subsection();
    triangulation.refine_global(n_refinements);
  }


  template void
  make_mesh(ParameterHandler &, Triangulation<2> &);
  template void
  make_mesh(ParameterHandler &, Triangulation<3> &);
} // namespace Saltus
