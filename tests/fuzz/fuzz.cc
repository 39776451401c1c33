// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// fuzz INPUTS SECONDS DIRECTORY [INPUT]
//
// Damaged parameter and mesh files are read up to the point where a run would begin to compute.
// Each is either accepted or refused with one message, within the given seconds, and ends no
// process. The inputs are the same in every run; one that fails is kept in the directory, and its
// number as the last argument tries it alone, without a process of its own.
#include <deal.II/base/multithread_info.h>
#include <deal.II/grid/tria.h>

#include <saltus/io/parameters/application.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include "mutation.h"
#include "workers.h"
#include <algorithm>
#include <applications/conservation_law/parameters.h>
#include <applications/poisson/parameters.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace
{
  using namespace Saltus;

  /// The small parameter and mesh files in a folder of the project whose names begin as given.
  std::vector<std::string>
  texts_of(const std::string &folder, const std::string &beginning = "")
  {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(SALTUS_SOURCE_DIR + folder))
      if ((entry.path().extension() == ".prm" || entry.path().extension() == ".msh") &&
          entry.path().filename().string().rfind(beginning, 0) == 0 && entry.file_size() < 10000)
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());

    std::vector<std::string> texts;
    for (const auto &path : paths)
      {
        std::ifstream      stream(path, std::ios::binary);
        std::ostringstream text;
        text << stream.rdbuf();
        texts.push_back(text.str());
      }
    return texts;
  }


  /// A mesh that a user may well ask for, but that takes long, is made smaller.
  void
  make_small(MeshParameters &mesh)
  {
    for (unsigned int &n : mesh.subdivisions)
      n = std::min(n, 3U);
    mesh.n_rings       = std::min(mesh.n_rings, 3U);
    mesh.n_triangles   = std::min(mesh.n_triangles, 500U);
    mesh.n_refinements = 0;
  }


  template <typename Parameters>
  Parameters
  read(const std::string &file)
  {
    Parameters               parameters;
    dealii::ParameterHandler prm;
    std::string              device;
    prm.add_parameter("Device", device);
    parameters.add_parameters(prm);
    read_parameters(prm, file);
    parameters.check();
    make_small(parameters.mesh);
    return parameters;
  }


  template <int dim, typename Law>
  void
  set_up(const ConservationLaw::Parameters &parameters, const std::string &file)
  {
    const FieldFunctions<dim> functions(parameters.functions,
                                        Law::n_components,
                                        boundary_kinds<Law>(),
                                        {Law::name, file});
    if (Law::n_fields > 0)
      functions.expression(parameters.equation.velocity, Law::n_fields, "Equation/Velocity");
    const auto mesh = parameters.mesh.make<dim>(0, file, MPI_COMM_SELF);
    functions.check_on(*mesh.mapping, *mesh.triangulation);
  }


  void
  read_conservation_law(const std::string &file)
  {
    const auto parameters = read<ConservationLaw::Parameters>(file);
    const bool euler      = parameters.equation.type == "Euler";
    if (parameters.equation.dim == 2)
      euler ? set_up<2, Euler<2>>(parameters, file) : set_up<2, Advection<2>>(parameters, file);
    else
      euler ? set_up<3, Euler<3>>(parameters, file) : set_up<3, Advection<3>>(parameters, file);
  }


  template <int dim>
  void
  set_up(const Poisson::Parameters &parameters, const std::string &file)
  {
    const EllipticFunctions<dim> functions(parameters.functions);
    const auto                   mesh = parameters.mesh.make<dim>(0, file, MPI_COMM_SELF);
    functions.check_on(*mesh.mapping, *mesh.triangulation);
  }


  void
  read_poisson(const std::string &file)
  {
    const auto parameters = read<Poisson::Parameters>(file);
    parameters.equation.dim == 2 ? set_up<2>(parameters, file) : set_up<3>(parameters, file);
  }


  enum class Shape
  {
    simplex,
    hypercube,
    mixed
  };

  template <int dim, Shape shape = Shape::simplex>
  void
  read_mesh(const std::string &file)
  {
    dealii::Triangulation<dim> triangulation;
    CurvedNodes<dim>           nodes;
    GridGenerator::read_mesh(triangulation,
                             file,
                             &nodes,
                             shape == Shape::mixed ? dealii::ReferenceCells::Invalid
                             : shape == Shape::hypercube
                               ? dealii::ReferenceCells::get_hypercube<dim>()
                               : dealii::ReferenceCells::get_simplex<dim>());
  }


  /// What is damaged, and what reads it.
  struct Target
  {
    std::vector<std::string> texts;
    void (*read)(const std::string &file);
  };


  /// What is wrong with the way in which @p target reads the @p file; empty if nothing is.
  std::string
  problem_with(const Target &target, const std::string &file)
  {
    try
      {
        target.read(file);
      }
    catch (const std::bad_alloc &)
      {
        return "out of memory";
      }
    catch (const std::exception &exception)
      {
        const std::string message = error_message(exception);
        if (message.empty())
          return "no message";
        if (message.find('\n') != std::string::npos)
          return "a message of several lines: " + message;
      }
    catch (...)
      {
        return "an exception that is derived from nothing";
      }
    return "";
  }
} // namespace


int
main(int argc, char **argv)
{
  if (argc < 4)
    {
      std::cerr << "usage: fuzz INPUTS SECONDS DIRECTORY [INPUT]\n";
      return 2;
    }
  const std::size_t  n_inputs  = std::stoull(argv[1]);
  const unsigned int seconds   = std::stoul(argv[2]);
  const std::string  directory = argv[3];
  dealii::MultithreadInfo::set_thread_limit(1);
  dealii::deal_II_exceptions::disable_abort_on_exception();

  std::vector<std::string> meshes_2d = texts_of("tests/fuzz/meshes", "square");
  for (const std::string &text : texts_of("tests/regression/meshes"))
    meshes_2d.push_back(text);
  std::vector<std::string> meshes_3d = texts_of("tests/fuzz/meshes", "cube");
  for (const std::string beginning : {"annulus", "straight_2d"})
    for (const std::string &text : texts_of("tests/unit/mesh/meshes", beginning))
      meshes_2d.push_back(text);
  for (const std::string beginning : {"ball", "straight_3d"})
    for (const std::string &text : texts_of("tests/unit/mesh/meshes", beginning))
      meshes_3d.push_back(text);
  std::vector<std::string> quadrilaterals = texts_of("parameter_files", "l_shape.msh");
  for (const std::string beginning : {"annulus_quadrilaterals", "straight_quadrilaterals"})
    for (const std::string &text : texts_of("tests/unit/mesh/meshes", beginning))
      quadrilaterals.push_back(text);
  std::vector<std::string> hexahedra;
  for (const std::string beginning : {"tube_hexahedra_2", "straight_hexahedra_2"})
    for (const std::string &text : texts_of("tests/unit/mesh/meshes", beginning))
      hexahedra.push_back(text);
  const std::vector<std::string> parameter_files = texts_of("parameter_files");
  const std::vector<Target>      targets         = {{parameter_files, read_conservation_law},
                                                    {parameter_files, read_poisson},
                                                    {meshes_2d, read_mesh<2>},
                                                    {meshes_3d, read_mesh<3>},
                                                    {quadrilaterals, read_mesh<2, Shape::hypercube>},
                                                    {hexahedra, read_mesh<3, Shape::hypercube>},
                                                    {texts_of("tests/unit/mesh/meshes", "mixed"),
                                                     read_mesh<2, Shape::mixed>}};

  const auto attempt = [&](const std::size_t input, const std::string &file) {
    const Target &target = targets[input % targets.size()];
    Fuzz::Random  random(input);
    std::ofstream(file, std::ios::binary) << Fuzz::mutate(target.texts, random);
    return problem_with(target, file);
  };

  if (argc > 4)
    {
      std::filesystem::create_directories(directory);
      const std::string problem = attempt(std::stoull(argv[4]), directory + "/input");
      std::cout << (problem.empty() ? "nothing is wrong" : problem) << std::endl;
      return problem.empty() ? 0 : 1;
    }

  const std::size_t n_failures = Fuzz::try_inputs(n_inputs, attempt, seconds, directory);
  std::cout << n_inputs << " inputs, " << n_failures << " failures" << std::endl;
  return n_failures == 0 ? 0 : 1;
}
