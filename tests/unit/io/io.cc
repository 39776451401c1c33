// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/base/expressions/run_files.h>
#include <saltus/base/expressions/text_file.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/json.h>
#include <saltus/io/files/output_lock.h>
#include <saltus/io/files/run_times.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/io/files/solver_table.h>
#include <saltus/io/files/time_series.h>
#include <saltus/io/functions/finite_values.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/progress.h>
#include <saltus/io/parameters/run_size.h>
#include <saltus/io/parameters/stop_request.h>
#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/io/results/error_table.h>
#include <saltus/io/results/state_output.h>
#include <saltus/mesh/curve/mapping_by_shape.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <limits>
#include <malloc.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  std::vector<std::string> synced; ///< paths of the files that were, in their order
}

/// In the place of the C library's.
extern "C" int
fsync(int descriptor)
{
  synced.push_back(
    std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string());
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace
{
  /// A test with a directory of its own.
  class Files : public testing::Test
  {
  protected:
    std::string
    path(const std::string &name) const
    {
      return directory.path + '/' + name;
    }

    std::size_t
    n_files() const
    {
      const std::filesystem::directory_iterator files(directory.path);
      return std::distance(begin(files), end(files));
    }

    const TemporaryDirectory directory;
  };

  void
  declare(ParameterHandler &prm)
  {
    prm.declare_entry("Degree", "1", Patterns::Integer(0, 5));
    prm.enter_subsection("Time stepping");
    prm.declare_entry("End time", "1", Patterns::Double(0));
    prm.declare_entry("Scheme", "rk4", Patterns::Selection("rk4|ssp-rk3"));
    prm.enter_subsection("Step size");
    prm.declare_entry("CFL number", "0.5", Patterns::Double(0));
    prm.leave_subsection();
    prm.leave_subsection();
    prm.enter_subsection("Output");
    prm.declare_entry("Directory", "", Patterns::Anything());
    prm.leave_subsection();
  }

  /// The message that reading @p text as `run.prm` ends in.
  class Parameters : public Files
  {
  protected:
    std::string
    refusal(const std::string &text)
    {
      const std::string file = path("run.prm");
      write_text(file, text);
      ParameterHandler prm;
      declare(prm);
      std::string       message   = message_of([&]() { read_parameters(prm, file); });
      const std::string prefix    = file.substr(0, file.rfind('/') + 1);
      const auto        at_prefix = message.find(prefix);
      return at_prefix == message.npos ? message : message.erase(at_prefix, prefix.size());
    }

    std::string
    set_refusal(const std::string &assignment)
    {
      ParameterHandler prm;
      declare(prm);
      return message_of([&]() { set_parameter(prm, assignment); });
    }
  };
} // namespace


TEST_F(Parameters, UnknownNames)
{
  EXPECT_EQ(refusal("\nset Degre = 2\n"),
            "run.prm:2: there is no entry 'Degre'. Did you mean 'Degree'?");
  EXPECT_EQ(
    refusal("subsection Output\nend\n# a comment\n\nsubsection Time stepping\n"
            "  set Endtime = 2\nend\n"),
    "run.prm:6: there is no entry 'Endtime' in the subsection 'Time stepping'. Did you mean "
    "'End time'?");
  EXPECT_EQ(refusal("subsection Time steping\nend\n"),
            "run.prm:1: there is no subsection 'Time steping'. Did you mean 'Time stepping'?");
  EXPECT_EQ(
    refusal("subsection Time stepping\nsubsection Stepsize\nend\nend\n"),
    "run.prm:2: there is no subsection 'Stepsize' in the subsection 'Time stepping'. Did you "
    "mean 'Step size'?");
  EXPECT_EQ(refusal("subsection Output\nset CFL number = 1\nend\n"),
            "run.prm:2: there is no entry 'CFL number' in the subsection 'Output'. Did you mean "
            "'Time stepping/Step size/CFL number'?");
  EXPECT_EQ(refusal("subsection Output\nset Viscosity = 1\nend\n"),
            "run.prm:2: there is no entry 'Viscosity' in the subsection 'Output'. Known there: "
            "'Directory'.");
  // An entry that goes on over several lines is found where it begins.
  EXPECT_EQ(refusal("set Degree \\\n = 2\nset Dgeree = \\\n 1 \\\n 2\n"),
            "run.prm:3: there is no entry 'Dgeree'. Did you mean 'Degree'?");
}


TEST_F(Parameters, ValuesOutOfRange)
{
  EXPECT_EQ(
    refusal("set Degree = 9\n"),
    "run.prm:1: the value '9' of the entry 'Degree' is not accepted. Accepted is: an integer n "
    "such that 0 <= n <= 5.");
  EXPECT_EQ(refusal("subsection Time stepping\n set Scheme = euler\nend\n"),
            "run.prm:2: the value 'euler' of the entry 'Time stepping/Scheme' is not accepted. "
            "Accepted is: any one of rk4, ssp-rk3.");
  EXPECT_EQ(
    refusal("subsection Time stepping\n set End time =\nend\n"),
    "run.prm:2: the value '' of the entry 'Time stepping/End time' is not accepted. Accepted "
    "is: a floating point number v such that 0 <= v.");
}


TEST_F(Parameters, Syntax)
{
  const std::string expected =
    "Expected 'subsection NAME', 'set ENTRY = VALUE', 'end' or 'include FILE'.";
  EXPECT_EQ(refusal("set Degree = 2\nDegree 3\n"),
            "run.prm:2: 'Degree 3' is no statement. " + expected);
  EXPECT_EQ(refusal("set Degree\n"), "run.prm:1: 'set Degree' is no statement. " + expected);
  EXPECT_EQ(refusal("subsection Output\n"),
            "run.prm: the subsection 'Output/' has no 'end' (unequal numbers of 'subsection' and "
            "'end').");
  EXPECT_EQ(refusal("subsection Output\nend\nend\n"),
            "run.prm:3: there is no subsection that this 'end' could end.");
  EXPECT_EQ(refusal("set Degree = 2\nsubsection Output\n  set Directory = \xfc\nend\n"),
            "run.prm:3: this line is not UTF-8 text.");
  EXPECT_TRUE(contains(refusal(""), "' cannot be read: it is empty."));
  ParameterHandler prm;
  EXPECT_EQ(message_of([&]() { read_parameters(prm, "nowhere.prm"); }),
            "The parameter file 'nowhere.prm' cannot be read: No such file or directory.");
}


TEST_F(Parameters, Overrides)
{
  ParameterHandler prm;
  declare(prm);
  set_parameter(prm, "Degree = 3");
  set_parameter(prm, "Time stepping/Step size/CFL number=0.25");
  set_parameter(prm, "Output/Directory=a=b");
  EXPECT_EQ(prm.get_integer("Degree"), 3);
  EXPECT_EQ(prm.get_double({"Time stepping", "Step size"}, "CFL number"), 0.25);
  EXPECT_EQ(prm.get({"Output"}, "Directory"), "a=b");

  EXPECT_EQ(set_refusal("Outptu/Directory=a"),
            "--set 'Outptu/Directory=a': there is no subsection 'Outptu'. Did you mean 'Output'?");
  EXPECT_EQ(
    set_refusal("Time stepping/End tine=1"),
    "--set 'Time stepping/End tine=1': there is no entry 'End tine' in the subsection 'Time "
    "stepping'. Did you mean 'End time'?");
  EXPECT_EQ(
    set_refusal("Degree=-1"),
    "--set 'Degree=-1': the value '-1' of the entry 'Degree' is not accepted. Accepted is: an "
    "integer n such that 0 <= n <= 5.");
  EXPECT_EQ(set_refusal("Degree"), "--set 'Degree': expected 'Section/Entry=value'.");
}


TEST_F(Parameters, WhatIsAccepted)
{
  // A byte order mark, comments, line ends of Windows, lines that go on, capitals in statements.
  const std::string file = path("run.prm"), inner = path("inner.prm");
  write_text(inner, "set End time = 3\n");
  write_text(file,
             "\xEF\xBB\xBF# \xfc in a comment\nset Degree = 2 # two\r\nSubsection Time stepping\r\n"
             "  include " +
               inner + "\n  Set Scheme = ssp-\\\n    rk3\nEnd\n");
  ParameterHandler prm;
  declare(prm);
  read_parameters(prm, file);
  EXPECT_EQ(prm.get_integer("Degree"), 2);
  EXPECT_EQ(prm.get_double({"Time stepping"}, "End time"), 3.);
  EXPECT_EQ(prm.get({"Time stepping"}, "Scheme"), "ssp-rk3");

  write_text(inner, "set Ende = 3\n");
  EXPECT_EQ(message_of([&]() { read_parameters(prm, file); }),
            file + ":4: " + inner +
              ":1: there is no entry 'Ende' in the subsection 'Time stepping'. Known there: "
              "'End time', 'Scheme'.");
  write_text(file, "include " + file + "\n");
  EXPECT_MESSAGE(read_parameters(prm, file), "includes itself");
}


TEST_F(Parameters, BoundToVariables)
{
  double                    end = 0.5;
  std::vector<unsigned int> sizes;
  bool                      single = false;
  ParameterHandler          prm;
  prm.enter_subsection("Time");
  prm.add_parameter("End", end, "When the run\nstops.", Patterns::Double(0.));
  add_choice(prm, "Precision", single, {{"double", false}, {"float", true}}, "Of all numbers.");
  prm.leave_subsection();
  prm.add_parameter("Sizes", sizes, "Of the parts.", Patterns::List(Patterns::Integer(1)));

  std::ostringstream printed;
  print_parameters(prm, printed);
  EXPECT_EQ(printed.str(),
            "\nsubsection Time\n"
            "  # When the run\n"
            "  # stops.\n"
            "  # Accepted: a floating point number v such that 0 <= v.\n"
            "  set End = 0.5\n\n"
            "  # Of all numbers.\n"
            "  # Accepted: any one of double, float.\n"
            "  set Precision = double\n"
            "end\n\n"
            "# Of the parts.\n"
            "# Accepted: a list of elements where each element is [An integer n such that 1\n"
            "# <= n].\n"
            "set Sizes = \n");

  set_parameter(prm, "Time/End=2");
  set_parameter(prm, "Time/Precision=float");
  set_parameter(prm, "Sizes=3, 5");
  EXPECT_EQ(end, 2.);
  EXPECT_TRUE(single);
  EXPECT_EQ(sizes, (std::vector<unsigned int>{3, 5}));
  EXPECT_EQ(message_of([&]() { set_parameter(prm, "Sizes=3, 0"); }),
            "--set 'Sizes=3, 0': the value '3, 0' of the entry 'Sizes' is not accepted. Accepted "
            "is: a list of elements where each element is [An integer n such that 1 <= n].");
}


TEST(CommandLine, Options)
{
  const CommandLine line = parse_command_line({"--set",
                                               "A/B=1",
                                               "run.prm",
                                               "--device",
                                               "cpu",
                                               "--restart",
                                               "--no-progress",
                                               "--dry-run",
                                               "--kernels-for",
                                               "90",
                                               "--print-parameters"});
  EXPECT_EQ(line.parameter_file, "run.prm");
  EXPECT_EQ(line.assignments,
            (std::vector<std::string>{"A/B=1", "Device=cpu", "Checkpoint/Restart=true"}));
  EXPECT_TRUE(line.no_progress);
  EXPECT_TRUE(line.print_parameters);
  EXPECT_TRUE(line.dry_run);
  EXPECT_EQ(line.architecture, 90);
  EXPECT_FALSE(line.help);
  EXPECT_FALSE(line.version);
  EXPECT_TRUE(parse_command_line({"--version"}).version);

  EXPECT_EQ(message_of([]() {
              parse_command_line({"--devise", "cpu"});
            }),
            "There is no option '--devise'. Did you mean '--device'?");
  EXPECT_EQ(message_of([]() {
              parse_command_line({"a.prm", "--set"});
            }),
            "The option --set needs a value.");
  EXPECT_EQ(message_of([]() {
              parse_command_line({"a.prm", "--kernels-for", "9.0"});
            }),
            "The option --kernels-for needs a compute capability of at least 75, 90 for H100 for "
            "example, not '9.0'.");
  EXPECT_EQ(message_of([]() {
              parse_command_line({"a.prm", "b.prm"});
            }),
            "Only one parameter file can be given, but there are 'a.prm' and 'b.prm'.");
}


TEST(Json, IsPrinted)
{
  Json json;
  json["number"]         = 0.1;
  json["none"]           = std::numeric_limits<double>::quiet_NaN();
  json["object"]["text"] = "a \"b\"\n\xff";
  json["object"]["yes"]  = true;
  json["list"]           = std::vector<int>{1, 2};
  json["empty"]          = std::vector<int>();
  json["rows"].append(json["object"]);
  json["number"] = 1e300; // the last one counts
  std::ostringstream stream;
  json.print(stream);
  EXPECT_EQ(stream.str(),
            "{\n"
            "  \"number\": 1e+300,\n"
            "  \"none\": null,\n"
            "  \"object\": {\n"
            "    \"text\": \"a \\\"b\\\"\\u000a\",\n"
            "    \"yes\": true\n"
            "  },\n"
            "  \"list\": [1, 2],\n"
            "  \"empty\": [],\n"
            "  \"rows\": [\n"
            "    {\n"
            "      \"text\": \"a \\\"b\\\"\\u000a\",\n"
            "      \"yes\": true\n"
            "    }\n"
            "  ]\n"
            "}\n");
}


TEST(Json, IsRead)
{
  Json json;
  json["object"]["text"] = "a \"b\"\n\\";
  json["object"]["none"];
  json["list"]    = std::vector<double>{1.5, -2e-30};
  json["whole"]   = 3;
  json["yes"]     = true;
  json["empty"]   = std::vector<int>();
  const auto text = [](const Json &json) {
    std::ostringstream stream;
    json.print(stream);
    return stream.str();
  };
  const Json read = Json::parse(text(json));
  EXPECT_EQ(text(read), text(json));
  EXPECT_EQ(read.find("whole")->number(), 3.);
  EXPECT_EQ(read.find("list")->elements().at(1).number(), -2e-30);
  EXPECT_EQ(read.find("nothing"), nullptr);
  EXPECT_EQ(read.find("object")->members().at(1).first, "none");
  for (const std::string wrong :
       {"", "{", "[1 2]", "{\"a\" 1}", "\"a", "1x", "[1,]", "nul", "\"\\u00\"", "\"\\"})
    EXPECT_TRUE(contains(message_of([&]() { Json::parse(wrong); }), "is no JSON")) << wrong;
  EXPECT_TRUE(contains(message_of([]() { Json::parse(std::string(1000, '[')); }), "is no JSON"));
}


TEST(WithEntry, NamesTheEntry)
{
  EXPECT_EQ(message_of([]() {
              with_entry("Mesh/Type = box", []() { AssertThrow(false, ExcMessage("too small")); });
            }),
            "Mesh/Type = box: too small");
}


TEST_F(Parameters, DecimalCommas)
{
  EXPECT_EQ(set_refusal("Time stepping/End time=0,5"),
            "--set 'Time stepping/End time=0,5': the value '0,5' of the entry 'Time stepping/End "
            "time' is not accepted. Accepted is: a floating point number v such that 0 <= v. "
            "Decimals are written with a point: 0.5, not 0,5.");
  EXPECT_EQ(message_of([]() { parse_constants("a = 0,5", "Constants"); }),
            "In the entry 'Constants', '5' is no constant. Expected 'name = number'. Decimals are "
            "written with a point: 0.5, not 0,5.");
}


TEST(ParameterLists, BoundaryConditions)
{
  const std::vector<std::string> kinds = {"wall", "curved wall", "prescribed"};
  const auto                     read  = [&](const std::string &text) {
    return parse_boundary_conditions(text, "Conditions", kinds);
  };
  const auto list =
    read("0: curved wall, 2: prescribed (8; if(y > (t+1), 1, 2)), 3 : periodic with 7");
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list[0].id, 0);
  EXPECT_EQ(list[0].kind, "curved wall");
  EXPECT_EQ(list[0].data, "");
  EXPECT_EQ(list[1].id, 2);
  EXPECT_EQ(list[1].kind, "prescribed");
  EXPECT_EQ(list[1].data, "8; if(y > (t+1), 1, 2)");
  EXPECT_EQ(list[2].kind, "periodic");
  EXPECT_EQ(list[2].id, 3);
  EXPECT_EQ(list[2].partner, 7);
  EXPECT_TRUE(read(" ").empty());

  const auto refusal = [&](const std::string &text) { return message_of([&]() { read(text); }); };
  EXPECT_EQ(refusal("0: wal"),
            "In the entry 'Conditions', the kind 'wal' of boundary 0 is unknown. Did you mean "
            "'wall'?");
  EXPECT_EQ(refusal("0: wall, 0: prescribed"),
            "In the entry 'Conditions', boundary 0 has two conditions.");
  EXPECT_EQ(refusal("0: periodic with 1, 1: wall"),
            "In the entry 'Conditions', boundary 1 has two conditions.");
  EXPECT_EQ(refusal("4: periodic with 4"),
            "In the entry 'Conditions', boundary 4 is periodic with itself.");
  EXPECT_TRUE(
    contains(refusal("4: periodic with wall"), "'wall' of '4: periodic with wall' is no boundary"));
  EXPECT_TRUE(contains(refusal("left: wall"), "'left' of 'left: wall' is no boundary id"));
  EXPECT_EQ(read("4294967294: wall")[0].id, 4294967294);
  for (const std::string id : {"4294967295", "99999999999999999999"})
    EXPECT_EQ(refusal(id + ": wall"),
              "In the entry 'Conditions', '" + id + "' of '" + id +
                ": wall' is too large for a boundary id: they end at 4294967294.");
  EXPECT_TRUE(contains(refusal("1x: wall"), "'1x' of '1x: wall' is no boundary id"));
  EXPECT_TRUE(contains(refusal("wall"), "'wall' is no boundary condition"));
  EXPECT_TRUE(contains(refusal("0: wall,"), "empty item"));
  EXPECT_TRUE(contains(refusal("0: prescribed (1"), "unbalanced parentheses"));
  EXPECT_TRUE(contains(refusal("0: prescribed )1("), "unbalanced parentheses"));
  EXPECT_TRUE(contains(refusal("0: prescribed (1) 2"), "something follows"));
}


TEST(ParameterLists, Constants)
{
  const auto constants = parse_constants("a = 1, b_2=-2.5e-3", "Constants");
  EXPECT_EQ(constants, (std::map<std::string, double>{{"a", 1.}, {"b_2", -2.5e-3}}));
  EXPECT_TRUE(parse_constants("", "Constants").empty());

  const auto refusal = [](const std::string &text) {
    return message_of([&]() { parse_constants(text, "Constants"); });
  };
  EXPECT_EQ(refusal("a 1"),
            "In the entry 'Constants', 'a 1' is no constant. Expected 'name = number'.");
  EXPECT_EQ(refusal("a = 1x"),
            "In the entry 'Constants', the value '1x' of the constant 'a' is no number.");
  EXPECT_EQ(refusal("a = nan"),
            "In the entry 'Constants', the value 'nan' of the constant 'a' is no number.");
  EXPECT_EQ(refusal("a = 1, a = 2"), "In the entry 'Constants', the constant 'a' is given twice.");
  EXPECT_TRUE(contains(refusal(std::string(101, 'a') + " = 1"),
                       "has 101 characters. At most 100 are accepted."));
  for (const std::string name : {"x", "t", "pi", "sin"})
    EXPECT_TRUE(contains(refusal(name + " = 1"), "the constant '" + name + "' has the name of"));
}


namespace
{
  /// The small simplices have equal volumes that sum up to that of the reference simplex, and every
  /// face belongs to two of them or lies on the reference simplex's boundary.
  template <int dim>
  void
  check_subdivision(const unsigned int k)
  {
    const Subdivision<dim> pieces = subdivide_simplex<dim>(k);
    ASSERT_EQ(pieces.simplices.size(), std::lround(std::pow(k, dim)));
    const double                                   factorial = dim == 2 ? 2. : 6.;
    std::map<std::set<unsigned int>, unsigned int> faces;
    for (const auto &simplex : pieces.simplices)
      {
        Tensor<2, dim> edges;
        for (unsigned int d = 0; d < dim; ++d)
          edges[d] = pieces.points[simplex[d + 1]] - pieces.points[simplex[0]];
        EXPECT_NEAR(determinant(edges) / factorial * std::pow(k, dim), 1. / factorial, 1e-13);
        for (unsigned int omitted = 0; omitted <= dim; ++omitted)
          {
            std::set<unsigned int> face(simplex.begin(), simplex.end());
            face.erase(simplex[omitted]);
            ++faces[face];
          }
      }

    unsigned int n_outer = 0;
    for (const auto &[face, count] : faces)
      {
        Point<dim> center;
        for (const unsigned int v : face)
          center += pieces.points[v] / static_cast<double>(dim);
        double nearest = 1.;
        for (unsigned int d = 0; d < dim; ++d)
          {
            nearest -= center[d];
            EXPECT_GE(center[d], -1e-14);
          }
        EXPECT_GE(nearest, -1e-14);
        for (unsigned int d = 0; d < dim; ++d)
          nearest = std::min(nearest, center[d]);
        EXPECT_EQ(count, nearest < 1e-12 ? 1 : 2);
        n_outer += count == 1;
      }
    EXPECT_EQ(n_outer, (dim + 1) * std::lround(std::pow(k, dim - 1)));
  }
} // namespace


TEST(Subdivision, Triangle)
{
  for (const unsigned int k : {1, 2, 3, 4, 7})
    check_subdivision<2>(k);
}


TEST(Subdivision, Tetrahedron)
{
  for (const unsigned int k : {1, 2, 3, 4, 6})
    check_subdivision<3>(k);
}


namespace
{
  template <int dim>
  class Series
  {
  public:
    explicit Series(const std::string &directory, const bool double_values = false)
      : mapping(FE_SimplexP<dim>(1))
    {
      Triangulation<dim> boxes;
      dealii::GridGenerator::subdivided_hyper_cube(boxes, 2);
      dealii::GridGenerator::convert_hypercube_to_simplex_mesh(boxes, triangulation);
      std::vector<std::string> names = {"density"};
      names.insert(names.end(), dim, "momentum");
      writer = std::make_unique<SolutionWriter<dim>>(
        mapping, triangulation, 2, names, directory, "run", OpenFiles(double_values));
    }

    /// Density: number of the cell; momentum: the reference coordinates.
    std::string
    write(const double time)
    {
      return writer->write(time, [&]() {
        return [&](const unsigned int cell, const auto & /*points*/, Table<2, double> &values) {
          const auto points = writer->unit_points()[0];
          for (unsigned int q = 0; q < points.size(); ++q)
            {
              values(q, 0) = cell;
              for (unsigned int d = 0; d < dim; ++d)
                values(q, 1 + d) = points[q][d];
            }
        };
      });
    }

    const MappingFE<dim>                 mapping;
    Triangulation<dim>                   triangulation;
    std::unique_ptr<SolutionWriter<dim>> writer;
  };

  template <int dim>
  void
  check_vtu(const std::string &directory)
  {
    Series<dim>        series(directory);
    const std::string  text     = contents(series.write(0.));
    const unsigned int n_pieces = series.triangulation.n_active_cells() * (dim == 2 ? 4 : 8);
    EXPECT_TRUE(contains(text, "NumberOfCells=\"" + std::to_string(n_pieces) + '"'));
    // Neighbours do not share their points, the pieces of a cell do.
    const unsigned int n_points =
      series.triangulation.n_active_cells() * series.writer->unit_points()[0].size();
    EXPECT_TRUE(contains(text, "NumberOfPoints=\"" + std::to_string(n_points) + '"'));
    EXPECT_TRUE(contains(text, "Name=\"momentum\" NumberOfComponents=\"3\""));
    EXPECT_TRUE(contains(text, "vtkZLibDataCompressor"));
  }
} // namespace


TEST_F(Files, VtuOfTriangles)
{
  check_vtu<2>(path("made/by/writer"));
}


TEST_F(Files, PointsFarFromTheOrigin)
{
  for (const double shift : {0., 1e6})
    {
      Series<2> series(path(""));
      GridTools::shift(Point<2>(shift, 0.), series.triangulation);
      EXPECT_TRUE(
        contains(contents(series.write(0.)),
                 shift == 0. ? "\"Float32\" Name=\"Points\"" : "\"Float64\" Name=\"Points\""));
    }
}


TEST_F(Files, ValuesInDoublePrecision)
{
  for (const bool is_double : {false, true})
    {
      const std::string type = is_double ? "\"Float64\"" : "\"Float32\"",
                        text = contents(Series<2>(path(""), is_double).write(0.));
      EXPECT_TRUE(contains(text, "\"Float32\" Name=\"Points\""));
      EXPECT_TRUE(contains(text, type + " Name=\"density\""));
      EXPECT_TRUE(contains(text, type + " Name=\"momentum\""));
    }
}


TEST_F(Files, VtuOfTetrahedra)
{
  check_vtu<3>(path(""));
}


TEST_F(Files, SeriesContinuesAfterRestart)
{
  const auto listed = [&](const std::string &entry) {
    return contents(path("run.pvd")).find(entry) != std::string::npos;
  };
  {
    Series<2> series(path(""));
    for (const double time : {0., 1. / 3., 2. / 3., 1.})
      series.write(time);
  }
  EXPECT_TRUE(listed("run-0003.vtu"));

  // The list is made anew, without what is no longer there; nothing is written over.
  std::filesystem::remove(path("run.pvd"));
  std::filesystem::remove(path("run-0000.vtu"));
  Series<2> series(path(""));
  series.writer->continue_from({0., 1. / 3.});
  EXPECT_TRUE(listed("run-0001.vtu"));
  EXPECT_EQ(series.write(0.5), path("") + "/run-0002.vtu");
  EXPECT_FALSE(listed("run-0000.vtu"));
  EXPECT_TRUE(listed("run-0001.vtu"));
  EXPECT_TRUE(listed("timestep=\"0.5\""));
  EXPECT_TRUE(listed("run-0002.vtu"));
  EXPECT_FALSE(listed("run-0003.vtu"));

  // Files of other runs are kept elsewhere.
  const auto count = [&](const std::string &directory) {
    const auto files = std::filesystem::directory_iterator(path(directory));
    return std::distance(begin(files), end(files));
  };
  VtuSeries files(path(""), "run", MPI_COMM_SELF);
  testing::internal::CaptureStderr();
  files.continue_from({0., 1. / 3., 0.5, 1.}, {1, 2});
  EXPECT_EQ(count("set_aside"), 1);
  EXPECT_TRUE(std::filesystem::exists(path("set_aside/run-0003.vtu")));
  EXPECT_FALSE(listed("run-0003.vtu"));
  EXPECT_EQ(files.numbers(), (std::set<unsigned int>{1, 2}));
  files.continue_from({0., 1. / 3.}, {});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(said, "kept in '" + path("set_aside") + "'"));
  EXPECT_EQ(count("set_aside"), 4); // with numbers 1 and 2 and the list
  EXPECT_FALSE(contains(contents(path("run.pvd")), "vtu"));
}


// One piece of a file for each shape.
TEST_F(Files, SolutionOnTrianglesAndQuadrilaterals)
{
  Triangulation<2>         mixed;
  std::vector<CellData<2>> cells(2);
  cells[0].vertices = {0, 1, 2, 3};
  cells[1].vertices = {1, 4, 3};
  mixed.create_triangulation({{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}}, cells, SubCellData());
  const MappingByShape<2> mapping(MappingFE<2>(FE_SimplexP<2>(1)), MappingQ<2>(1));
  SolutionWriter<2>       writer(mapping, mixed, 3, {"u"}, path(""), "run");
  const auto              points = writer.unit_points();
  ASSERT_EQ(points.size(), 2U);
  std::vector<double> smallest(2, 10.), largest(2, -10.);
  const std::string   text = contents(writer.write(0., [&]() {
    return [&](const unsigned int cell, const auto &at, Table<2, double> &values) {
      EXPECT_EQ(values.size(0), at.size());
      for (unsigned int q = 0; q < at.size(); ++q)
        {
          values(q, 0)   = at[q][0];
          smallest[cell] = std::min(smallest[cell], at[q][0]);
          largest[cell]  = std::max(largest[cell], at[q][0]);
        }
    };
  }));
  EXPECT_EQ(smallest, (std::vector<double>{0., 1.}));
  EXPECT_EQ(largest, (std::vector<double>{1., 2.}));
  EXPECT_TRUE(contains(text, "<Piece NumberOfPoints=\"10\" NumberOfCells=\"9\">"));
  EXPECT_TRUE(contains(text, "<Piece NumberOfPoints=\"16\" NumberOfCells=\"9\">"));
}


TEST_F(Files, SolutionWriterRefusesOtherCellsAndPlaces)
{
  Triangulation<3> wedge;
  dealii::GridGenerator::reference_cell(wedge, ReferenceCells::Wedge);
  const auto mapping = ReferenceCells::Wedge.get_default_mapping<3>(1);
  EXPECT_MESSAGE(SolutionWriter<3>(*mapping, wedge, 1, {"u"}, path(""), "run"),
                 "but the mesh has a Wedge");

  write_text(path("file"), "");
  EXPECT_MESSAGE(Series<2> series(path("file")), "cannot be made");
}


TEST_F(Files, TimeSeries)
{
  const std::string              file    = path("directory/norms.csv");
  const std::vector<std::string> columns = {"time", "mass"};
  const std::string start = "time,mass\n0,1\n0.10000000000000001,0.33333333333333331\n";
  Checkpoint        checkpoint;
  {
    Saltus::TimeSeries series(file, "mass", columns, MPI_COMM_SELF, "of all");
    series.add({0., 1.});
    series.add({0.1, 1. / 3.});
    EXPECT_EQ(contents(file), start);
    series.add({0.2, 2.}, false);
    series.save(checkpoint);
  }
  std::ofstream(file, std::ios::app) << "0.1,4"; // a line left unfinished
  {
    Saltus::TimeSeries series(file, "mass", columns, MPI_COMM_SELF, "of all", &checkpoint);
    series.add({0.3, 5.});
    series.save(checkpoint);
  }
  const std::string whole = start + "0.29999999999999999,5\n";
  EXPECT_EQ(contents(file), whole);

  // What the run has not written, or not so, is kept elsewhere.
  const auto expect_new = [&](const std::string              &name,
                              const std::vector<std::string> &columns,
                              const std::string              &definition,
                              const std::string              &place) {
    const std::string before = contents(file);
    testing::internal::CaptureStderr();
    Saltus::TimeSeries series(file, name, columns, MPI_COMM_SELF, definition, &checkpoint);
    const std::string  said = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(contains(said, "It is kept as '" + path(place) + "'; a new one begins."));
    EXPECT_EQ(contents(path(place)), before);
    EXPECT_EQ(contents(file), columns.size() == 1 ? "time\n" : "time,mass\n");
    write_text(file, whole);
  };
  expect_new("mass", columns, "of a part", "directory/set_aside/norms.csv");
  expect_new("momentum", columns, "of all", "directory/set_aside-2/norms.csv");
  expect_new("mass", {"time"}, "of all", "directory/set_aside-3/norms.csv");
  write_text(file, "time,mass\n0,1\n0.10000000000000001,0.33333333333333332\n0.3,5\n");
  expect_new("mass", columns, "of all", "directory/set_aside-4/norms.csv");
  Saltus::TimeSeries(file, "mass", columns, MPI_COMM_SELF, "of all", &checkpoint);
  EXPECT_EQ(contents(file), whole);
  std::filesystem::remove(file); // lost
  Saltus::TimeSeries(file, "mass", columns, MPI_COMM_SELF, "of all", &checkpoint);
  EXPECT_EQ(contents(file), "time,mass\n");
}


namespace
{
  /// The cells of each line of a table, without the blanks around them.
  template <typename Table, typename... Arguments>
  std::vector<std::vector<std::string>>
  printed(const Table &table, const Arguments &...arguments)
  {
    std::ostringstream stream;
    table.print(stream, arguments...);
    std::vector<std::vector<std::string>> lines;
    for (const std::string &line : Utilities::split_string_list(stream.str(), '\n'))
      lines.push_back(Utilities::split_string_list(line, '|'));
    return lines;
  }
} // namespace


TEST(ErrorTable, SeveralNorms)
{
  ErrorTable table({"L2 error", "H1 error"});
  table.add(1, 8, 48, {1e-2, 4e-1});
  table.add(2, 32, 192, {1.25e-3, 1e-1});
  EXPECT_EQ(table.rows(), (std::vector<double>{1, 8, 48, 1e-2, 4e-1, 2, 32, 192, 1.25e-3, 1e-1}));

  ErrorTable copy({"L2 error", "H1 error"});
  copy.set_rows(table.rows());
  const auto lines = printed(copy, 2);
  EXPECT_EQ(lines.at(1).at(4), "1.0000e-02");
  const std::vector<std::string> expected = {
    "", "2", "32", "192", "1.2500e-03", "3.00", "1.0000e-01", "2.00"};
  EXPECT_EQ(std::vector<std::string>(lines.at(2).begin(), lines.at(2).begin() + 8), expected);
  // The same mesh again: no rate.
  copy.add(3, 32, 192, {1.25e-3, 5e-2});
  EXPECT_EQ(printed(copy, 2).at(3).at(5), "-");
  EXPECT_EQ(printed(copy, 2).at(3).at(7), "-");
  // References stand beside the first norm.
  EXPECT_EQ(printed(copy, 2, std::map<std::uint64_t, double>{{8, 2e-2}}).at(1).at(6), "2.0000e-02");
}


TEST(ErrorTable, ReferencesByNumberOfElements)
{
  const ReferenceErrors errors =
    parse_reference_errors("degree 2: 3.7e-4 on 180, 6e-5 on 720; degree 3 : 1.2e-5 on 180", "E");
  EXPECT_EQ(errors, (ReferenceErrors{{2, {{180, 3.7e-4}, {720, 6e-5}}}, {3, {{180, 1.2e-5}}}}));
  EXPECT_TRUE(parse_reference_errors("", "E").empty());
  for (const std::string item : {"3.7e-4, 6e-5",
                                 "degree 2",
                                 "degree 2: 1e-3",
                                 "degree 2: x on 3",
                                 "degree 2: 1 on 3, 2 on 3"})
    EXPECT_TRUE(contains(message_of([&]() { parse_reference_errors(item, "E"); }),
                         "Expected are errors by degree and number of elements"))
      << item;

  ErrorTable table({"L2 error"});
  table.add(0, 180, 1080, {4e-4});
  table.add(1, 720, 4320, {5e-5});
  const auto lines = printed(table, 2, std::map<std::uint64_t, double>{{720, 6e-5}});
  EXPECT_EQ(lines[1].at(6), "-");
  EXPECT_EQ(lines[2].at(6), "6.0000e-05");
  for (const auto &line : printed(table, 2, std::map<std::uint64_t, double>{{719, 6e-5}}))
    EXPECT_EQ(std::count(line.begin(), line.end(), "reference"), 0);
}


TEST(SolverTable, TimePerIteration)
{
  SolverTable table;
  table.add({320, 50, 0.25, 0.1, 3.2e-11});
  const auto                     lines    = printed(table);
  const std::vector<std::string> expected = {
    "", "0", "320", "50", "0.250", "0.100", "2.000", "3.20e-11"};
  EXPECT_EQ(std::vector<std::string>(lines.at(1).begin(), lines.at(1).begin() + 8), expected);
}


TEST(TimeTable, SectionsOfCycles)
{
  TimeTable table;
  table.begin_cycle(2);
  table.add("solve", 1.);
  table.add("solve", 0.5);
  table.begin_cycle(3);
  table.add("output", 0.25);
  table.add("solve", 2.);
  const auto lines = printed(table);
  const auto row   = [&](const unsigned int line) {
    return std::vector<std::string>(lines.at(line).begin(), lines.at(line).begin() + 4);
  };
  EXPECT_EQ(row(1), (std::vector<std::string>{"", "part", "cycle 2", "cycle 3"}));
  EXPECT_EQ(row(2), (std::vector<std::string>{"", "solve", "1.500", "2.000"}));
  EXPECT_EQ(row(3), (std::vector<std::string>{"", "output", "0.000", "0.250"}));
  EXPECT_EQ(row(4), (std::vector<std::string>{"", "sum", "1.500", "2.250"}));
}


TEST(RunTimes, PartsAddUp)
{
  const auto begin = std::chrono::steady_clock::now() - std::chrono::seconds(20);
  RunTimes   times(Device::cpu(), begin);
  times.begin_cycle(0);
  times.take("curving", 5.);
  times.take("nothing", 0.);
  const double seconds = times.end("mesh");
  times.is_adapting    = true;
  times.end("transfer");
  const Json row    = times.parts.json().elements().at(0);
  const auto number = [](const Json &object, const std::string &name) {
    return object.find(name)->number().value();
  };
  EXPECT_GE(seconds, 20.);
  EXPECT_EQ(number(row, "curving"), 5.);
  EXPECT_EQ(number(row, "mesh"), seconds - 5.);
  EXPECT_EQ(row.find("nothing"), nullptr);
  EXPECT_EQ(row.find("transfer"), nullptr);
  EXPECT_EQ(number(times.parts_of_adaptions.json().elements().at(0), "transfer"),
            number(row, "adaption"));
}


TEST(Progress, Line)
{
  const Progress progress(100, 1., 3.);
  EXPECT_EQ(progress.line(200, 1.5, 0.005, 12.5, 30.),
            "step 200, t = 1.5, dt = 0.005, 12.5 steps/s, 1:30 left");
  const Progress by_steps(0, 0., std::numeric_limits<double>::infinity(), 1000);
  EXPECT_EQ(by_steps.line(100, 0.5, 0.005, 10., 1000.),
            "step 100, t = 0.5, dt = 0.005, 10 steps/s, 2:30:00 left");
  const Progress endless(0, 0., std::numeric_limits<double>::infinity());
  EXPECT_EQ(endless.line(1, 0.5, 0.5, 1., 1.), "step 1, t = 0.5, dt = 0.5, 1 steps/s");
}


TEST(OutputParameters, NextMultiple)
{
  const auto next = [](const double time, const double interval) {
    return next_multiple(time, interval, "Output/Interval");
  };
  EXPECT_EQ(next(0., 0.), std::numeric_limits<double>::infinity());
  EXPECT_EQ(next(0., 0.25), 0.25);
  EXPECT_EQ(next(0.3, 0.25), 0.5);
  // Multiples follow one another whatever their rounding.
  for (const double interval : {0.1, 0.3, 0.7, 1. / 3.})
    {
      double time = 0;
      for (unsigned int k = 1; k < 1000; ++k)
        {
          time = next(time, interval);
          EXPECT_DOUBLE_EQ(time, k * interval);
        }
    }
  EXPECT_MESSAGE(next(1., 1e-17), "Output/Interval = 1e-17 is lost in the rounding of the time 1");
}


// Steps end at the earlier multiple of two intervals. No multiple of the later one is passed over
// if the two differ in the last bit.
TEST(OutputParameters, NoMultipleIsMissed)
{
  constexpr int n    = 40;
  const auto    next = [](const double time, const double interval) {
    return next_multiple(time, interval, "");
  };
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j)
      {
        const double intervals[] = {0.1 * i, 0.1 * j};
        const double end         = 0.1 * i * j;
        int          counts[]    = {0, 0};
        double       time        = 0.;
        while (!is_reached(end, time))
          {
            const double due[] = {next(time, intervals[0]), next(time, intervals[1])};
            time               = std::min({due[0], due[1], end});
            for (const int k : {0, 1})
              counts[k] += next(time, intervals[k]) > due[k];
          }
        EXPECT_EQ(counts[0], j) << "intervals " << i << " and " << j;
        EXPECT_EQ(counts[1], i) << "intervals " << i << " and " << j;
      }
}


TEST(OutputParameters, StepsToMultiple)
{
  EXPECT_EQ(steps_to_multiple(0, 10, 5), 10);
  EXPECT_EQ(steps_to_multiple(7, 10, 5), 3);
  EXPECT_EQ(steps_to_multiple(10, 10, 5), 10);
  EXPECT_EQ(steps_to_multiple(7, 0, 5), 5);
}


TEST_F(Files, CheckpointRoundTrip)
{
  // Values whose bits a text file would lose or change.
  const std::vector<double> values = {1. / 3.,
                                      -0.,
                                      std::numeric_limits<double>::denorm_min(),
                                      std::numeric_limits<double>::max(),
                                      std::nan("7")};
  const std::vector<float>  floats = {0.1f, -1e-42f};
  const std::string         file   = path("run/state.checkpoint");

  Checkpoint checkpoint;
  checkpoint.set("equation", std::string("Euler \0 2D", 10));
  checkpoint.set("time", 0.1 + 0.2);
  checkpoint.set("step", std::int64_t(1) << 60);
  checkpoint.set_array("solution", values.data(), values.size());
  checkpoint.set_array("limiter", floats.data(), floats.size());
  checkpoint.set_array<double>("nothing", nullptr, 0);
  checkpoint.write(file);

  const Checkpoint copy = Checkpoint::read(file);
  EXPECT_EQ(copy.get_string("equation"), std::string("Euler \0 2D", 10));
  EXPECT_EQ(copy.get_double("time"), 0.1 + 0.2);
  EXPECT_EQ(copy.get_integer("step"), std::int64_t(1) << 60);
  EXPECT_TRUE(copy.get_array<double>("nothing").empty());
  const auto read_values = copy.get_array<double>("solution");
  const auto read_floats = copy.get_array<float>("limiter");
  ASSERT_EQ(read_values.size(), values.size());
  ASSERT_EQ(read_floats.size(), floats.size());
  EXPECT_EQ(std::memcmp(read_values.data(), values.data(), values.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(read_floats.data(), floats.data(), floats.size() * sizeof(float)), 0);

  EXPECT_EQ(copy.get_array<double>("solution", values.size()).size(), values.size());
  EXPECT_EQ(message_of([&]() { copy.get_array<double>("nothing", 3); }),
            "In the checkpoint file '" + file +
              "' the array 'nothing' has 0 numbers, but this run needs 3.");
  EXPECT_EQ(message_of([&]() { copy.get_double("tmie"); }),
            "The checkpoint file '" + file + "' has no entry 'tmie'.");
  EXPECT_EQ(message_of([&]() { copy.get_array<float>("solution"); }),
            "In the checkpoint file '" + file +
              "' the entry 'solution' is an array of double, not an array of float.");
}


TEST_F(Files, DamagedCheckpoints)
{
  const std::string file = path("state.checkpoint");
  Checkpoint        checkpoint;
  checkpoint.set("time", 0.5);
  const std::vector<double> values(20, 1.);
  checkpoint.set_array("u", values.data(), values.size());
  checkpoint.write(file);
  const std::string whole = contents(file);

  const auto refusal = [&](const std::string &bytes) {
    write_text(file, bytes);
    return message_of([&]() { Checkpoint::read(file); });
  };
  EXPECT_EQ(refusal(whole), "");
  // Every byte counts, wherever it is changed or missing.
  for (std::size_t i = 0; i < whole.size(); ++i)
    {
      std::string changed = whole;
      changed[i] ^= 0x10;
      EXPECT_NE(refusal(changed), "") << "changed byte " << i;
      EXPECT_NE(refusal(whole.substr(0, i)), "") << "truncated to " << i << " bytes";
    }
  EXPECT_TRUE(contains(refusal("set Degree = 1, which is no checkpoint"), "is no checkpoint"));
  EXPECT_TRUE(contains(refusal(whole.substr(0, whole.size() - 30)), "truncated or damaged"));
  std::string newer = whole;
  ++newer[8];
  EXPECT_TRUE(contains(refusal(newer), "has version 8; this program reads version 7"));
  EXPECT_EQ(refusal(whole + '\0'), "The checkpoint file '" + file + "' goes on after its end.");
  EXPECT_EQ(message_of([&]() { Checkpoint::read(path("nowhere")); }),
            "The checkpoint file '" + path("nowhere") + "' cannot be read.");
}


namespace
{
  /// The bytes of a record of a checkpoint, with its checksum.
  std::string
  record(const char type, const std::string &name, const std::string &values)
  {
    const auto bytes_of = [](const auto value) {
      return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
    };
    const std::string text = type + bytes_of(static_cast<std::uint32_t>(name.size())) + name +
                             bytes_of(static_cast<std::uint64_t>(values.size())) + values;
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    return text + bytes_of(static_cast<std::uint32_t>(crc.checksum()));
  }
} // namespace

// Records whose checksums are good, but that cannot be what they say.
TEST_F(Files, CraftedCheckpoints)
{
  const std::string file = path("state.checkpoint");
  Checkpoint().write(file);
  const std::string end   = record('.', "", "");
  const std::string start = contents(file).substr(0, contents(file).size() - end.size());
  const auto        read  = [&](const std::string &crafted) {
    write_text(file, start + crafted + end);
    return Checkpoint::read(file);
  };
  const auto refusal = [&](const char type, const std::size_t size) {
    return message_of([&]() { read(record(type, "r", std::string(size, 'x'))); });
  };
  for (std::size_t size = 0; size < 20; ++size)
    {
      EXPECT_EQ(refusal('s', size), "");
      EXPECT_EQ(refusal('i', size).empty(), size == 8) << size;
      EXPECT_EQ(refusal('d', size).empty(), size == 8) << size;
      EXPECT_EQ(refusal('D', size).empty(), size % 8 == 0) << size;
      EXPECT_EQ(refusal('F', size).empty(), size % 4 == 0) << size;
      EXPECT_NE(refusal('q', size), "");
    }

  // By element: their number, then as many values for each.
  const auto by_element = [](const std::uint64_t n, const std::size_t n_bytes) {
    return record('E',
                  "r",
                  std::string(reinterpret_cast<const char *>(&n), sizeof(n)) +
                    std::string(n_bytes, '\0'));
  };
  EXPECT_EQ(read(by_element(2, 32)).place_of("r").n_values, 4U);
  EXPECT_EQ(read(by_element(0, 0)).place_of("r").n_values, 0U);
  EXPECT_EQ(read(by_element(5, 0)).place_of("r").n_values, 0U);
  for (const auto &[n, n_bytes] :
       {std::make_pair(0, 8), std::make_pair(2, 24), std::make_pair(2, 3), std::make_pair(-1, 16)})
    EXPECT_NE(message_of([&, &n = n, &n_bytes = n_bytes]() { read(by_element(n, n_bytes)); }), "")
      << n << ' ' << n_bytes;
  const ElementBlocks elements({0, 1}, MPI_COMM_SELF);
  EXPECT_MESSAGE(read(by_element(0, 0)).get_by_element("r", elements, 1),
                 "is of 0 elements, but the mesh of this run has 2");

  // Values that no run has.
  const auto bytes = [](const auto value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  EXPECT_EQ(read(record('i', "n", bytes(std::int64_t{1}))).get_integer("n", 0, 1), 1);
  EXPECT_MESSAGE(read(record('i', "n", bytes(std::int64_t{1}))).get_integer("n", 0, 0),
                 "the entry 'n' is 1; this run accepts values from 0 to 0.");
  EXPECT_EQ(read(record('d', "x", bytes(0.5))).get_double("x", 0.), 0.5);
  for (const double value : {-1., std::nan(""), std::numeric_limits<double>::infinity()})
    {
      EXPECT_MESSAGE(read(record('d', "x", bytes(value))).get_double("x", 0.), "the entry 'x' is ");
    }
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()})
    {
      EXPECT_MESSAGE(read(record('E', "r", bytes(std::uint64_t{2}) + bytes(1.) + bytes(value)))
                       .get_by_element("r", elements, 1),
                     "the entry 'r' has infinite values or NaNs");
    }

  // Parameters that are none.
  const Checkpoint checkpoint = read(record('s', "parameters", "no entry"));
  EXPECT_MESSAGE(check_parameters(checkpoint, file, {}, {}), "'no entry'");
}


// A checkpoint is on the disk before it takes the place of the one before, which stays beside it.
TEST_F(Files, GenerationsOfCheckpoints)
{
  const std::string file = path("state.checkpoint"), older = path("state.checkpoint.old");
  const auto        write = [&](const int step) {
    Checkpoint checkpoint;
    checkpoint.set("parameters", std::string());
    checkpoint.set("steps", std::int64_t{step});
    checkpoint.set("time", 0.5 * step);
    checkpoint.write(file);
  };
  const auto step_in = [](const std::string &name) {
    return Checkpoint::read(name).get_integer("steps");
  };
  write(1);
  EXPECT_FALSE(std::filesystem::exists(older));
  synced.clear();
  write(2);
  EXPECT_EQ(step_in(file), 2);
  EXPECT_EQ(step_in(older), 1);
  ASSERT_EQ(synced.size(), 2U);
  EXPECT_EQ(synced[0].substr(0, file.size()), file);
  EXPECT_EQ(synced[0].size(), file.size() + std::string(".XXXXXX.tmp").size());
  EXPECT_EQ(synced[1] + '/', path(""));
  write(3);
  EXPECT_EQ(step_in(file), 3);
  EXPECT_EQ(step_in(older), 2);

  const auto read_run = [&]() {
    std::ostringstream nobody;
    return message_of([&]() { read_checkpoint_of_run(file, {}, {}, nobody, MPI_COMM_SELF); });
  };
  EXPECT_EQ(read_run(), "");
  const std::string offer = "The one before it, '" + older + "', is whole: rename it to '" + file +
                            "' to go on after 2 steps at time 1.";
  write_text(file, contents(file).substr(0, 60));
  EXPECT_TRUE(contains(read_run(), "truncated or damaged"));
  EXPECT_TRUE(contains(read_run(), offer));
  std::filesystem::remove(file);
  EXPECT_TRUE(contains(read_run(), "cannot be read. " + offer));
  write_text(older, "");
  EXPECT_EQ(read_run(), "The checkpoint file '" + file + "' cannot be read.");
}


TEST(CheckpointParts, Parameters)
{
  const auto entry = [](const std::string &path, const std::string &value) {
    return ParameterEntry{path, value, "default", "", ""};
  };
  Checkpoint checkpoint;
  set_parameters(checkpoint,
                 {entry("Equation/Gamma", "1.4"),
                  entry("Mesh/Corner", "0.5, 1e3"),
                  entry("Time/End", "1"),
                  entry("Functions/Initial", "a = b; 2"),
                  entry("Checkpoint/Restart", "false")});
  const auto check = [&](std::vector<ParameterEntry> entries) {
    entries.push_back(entry("Checkpoint/Restart", "true"));
    return check_parameters(checkpoint, "file", entries, {"Time/End", "Output/"});
  };
  // Blanks and the spelling of numbers do not matter, and an entry that is new has its default.
  EXPECT_TRUE(check({entry("Equation/Gamma", "1.40"),
                     entry("Mesh/Corner", ".5,1000"),
                     entry("Time/End", "1.0"),
                     entry("Functions/Initial", "a=b ;2"),
                     entry("Equation/New", "default")})
                .empty());
  const std::vector<ParameterEntry> same = {entry("Equation/Gamma", "1.4"),
                                            entry("Mesh/Corner", "0.5, 1e3"),
                                            entry("Functions/Initial", "a = b; 2")};
  const auto                        with = [&](std::vector<ParameterEntry> others) {
    others.insert(others.end(), same.begin(), same.end());
    return others;
  };
  EXPECT_EQ(check(with({entry("Time/End", "2"), entry("Output/Name", "x")})),
            (std::vector<std::string>{"Time/End = '1' there, '2' now",
                                      "Output/Name = 'default' there, 'x' now"}));
  EXPECT_EQ(message_of([&]() {
              check({entry("Equation/Gamma", "1.6"),
                     entry("Mesh/Corner", "0.5"),
                     entry("Time/End", "2"),
                     entry("Equation/New", "x")});
            }),
            "The checkpoint file 'file' does not fit this run: Equation/Gamma = '1.4' there, '1.6' "
            "now; Mesh/Corner = '0.5, 1e3' there, '0.5' now; Equation/New = 'default' there, 'x' "
            "now; Functions/Initial = 'a = b; 2' there, '' now. Restart with the values of the "
            "checkpoint, or start anew.");
}


TEST_F(Files, FindFile)
{
  std::filesystem::create_directories(path("inputs"));
  write_text(path("inputs/saltus_mesh.msh"), "");
  EXPECT_EQ(find_file("saltus_mesh.msh", path("inputs/run.prm")), path("inputs/saltus_mesh.msh"));
  EXPECT_EQ(find_file(path("inputs/saltus_mesh.msh"), "run.prm"), path("inputs/saltus_mesh.msh"));
  EXPECT_EQ(find_file("saltus_mesh.msh", path("run.prm")), "saltus_mesh.msh");
}


TEST_F(Files, OutputLock)
{
  const std::string place = path("made/by/lock");
  {
    const OutputLock lock(place);
    EXPECT_TRUE(std::filesystem::exists(place + "/.lock"));
    // Another process is kept out, and told by which.
    const pid_t child = fork();
    if (child == 0)
      {
        const std::string message = message_of([&]() { OutputLock other(place); });
        _exit(message == "Another run writes to the output directory '" + place + "' (process " +
                           std::to_string(getppid()) +
                           "). Wait for its end, or choose another Output/Directory."
                ? 0
                : 1);
      }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(place + "/.lock"));
  EXPECT_EQ(message_of([&]() { OutputLock again(place); }), "");
  std::filesystem::create_directories(place + "/.lock");
  EXPECT_MESSAGE(OutputLock again(place), "cannot be written to: Is a dir");
}


TEST(StopRequest, SignalsAndTime)
{
  for (const auto &[signal, name] : {std::make_pair(SIGTERM, "SIGTERM"),
                                     std::make_pair(SIGHUP, "SIGHUP"),
                                     std::make_pair(SIGXCPU, "SIGXCPU"),
                                     std::make_pair(SIGUSR1, "SIGUSR1")})
    {
      const StopRequest stop;
      EXPECT_FALSE(stop.made());
      raise(signal);
      EXPECT_TRUE(stop.made());
      EXPECT_EQ(stop.reason(), std::string("the signal ") + name);
    }
  const auto usual = std::signal(SIGINT, SIG_IGN);
  {
    const StopRequest stop;
    raise(SIGINT);
    EXPECT_FALSE(stop.made());
    raise(SIGTERM);
    EXPECT_TRUE(stop.made());
    raise(SIGINT); // a second signal, still ignored
  }
  EXPECT_EQ(std::signal(SIGINT, usual), SIG_IGN);

  const StopRequest none;
  EXPECT_FALSE(none.made());
  const StopRequest at_once(0.);
  EXPECT_TRUE(at_once.made());
  EXPECT_EQ(at_once.reason(), "the wall time limit");
}


TEST(RunSize, IsSaidAndChecked)
{
  const RunSize      size(2, {{10}, "", 3, 8}, Device::cpu(), MPI_COMM_SELF);
  std::ostringstream stream;
  size.announce(stream, "Cycle 0", 1024);
  EXPECT_EQ(stream.str(),
            "Cycle 0: 1024 elements, 10240 degrees of freedom, at least 0.65 MiB of memory\n");

  const auto refusal = [&](const ElementNeeds &needs, const double n_elements) {
    const RunSize of(2, needs, Device::cpu(), MPI_COMM_SELF);
    return message_of([&]() { of.announce(stream, "Cycle 3", n_elements); });
  };
  EXPECT_TRUE(contains(refusal({{20, 10}, " of both", 3, 8}, 1e9),
                       "Cycle 3: 1000000000 elements, 20000000000 + 10000000000 degrees of freedom "
                       "of both, at least "));
  EXPECT_TRUE(
    contains(refusal({{10}, "", 3, 8}, 1e9),
             "the elements of a mesh cannot be numbered beyond 536870912. Use a coarser"));
  if (sizeof(types::global_dof_index) == 4)
    {
      EXPECT_TRUE(contains(refusal({{10}, "", 3, 8}, 5e8),
                           "degrees of freedom cannot be numbered beyond 4294967294."));
    }
  EXPECT_TRUE(contains(refusal({{10}, "", 1000000, 8}, 1e8), "the host has only "));
}

/// That what fits is not refused, and that most of what does not is.
TEST(RunSize, IsTheLeastThatIsNeeded)
{
  const auto taken = []() {
    const auto memory = mallinfo2();
    return static_cast<double>(memory.uordblks + memory.hblkhd);
  };
  if (taken() == 0.)
    GTEST_SKIP() << "the memory that is taken is not known";
  const double     before = taken();
  Triangulation<2> triangulation;
  Saltus::GridGenerator::box<2>(triangulation, {0., 0.}, {1., 1.}, {50, 50});
  triangulation.refine_global(2);
  DoFHandler<2> dof_handler(triangulation);
  dof_handler.distribute_dofs(FE_SimplexDGModal<2>(3));
  const ElementMesh<2>                mesh(MappingFE<2>(FE_SimplexP<2>(1)), triangulation);
  const auto                          on_device = mesh.on_device<double>(Device::cpu());
  std::vector<Saltus::Vector<double>> vectors;
  for (unsigned int i = 0; i < 3; ++i)
    vectors.emplace_back(Device::cpu(), mesh.n_elements(), 10, 1);
  const double needed = taken() - before;

  const RunSize     size(2, {{10}, "", 3, 8}, Device::cpu(), MPI_COMM_SELF);
  const std::string text = size.text(triangulation.n_active_cells()), words = "at least ";
  const double      said = std::stod(text.substr(text.find(words) + words.size())) * (1 << 20);
  EXPECT_LT(said, needed);
  EXPECT_GT(said, 0.7 * needed);
}

TEST(FiniteValues, NamesThePoint)
{
  const std::vector<Point<2>> points = {{0.5, 0.}, {2., 1.}, {-1., 3.}};
  const auto                  check  = [&](const std::string &text) {
    return message_of([&]() { check_finite<2>({2, text, 2}, "Initial", points, 0.5); });
  };
  EXPECT_EQ(check("x; 1/(x+t)"), "");
  EXPECT_EQ(check("1; sqrt(x)"),
            "Initial = '1; sqrt(x)' is 1; nan at (-1 3) and time 0.5; finite values are needed "
            "everywhere.");
  EXPECT_EQ(check("y/0; 1"), // 0/0 comes first
            "Initial = 'y/0; 1' is nan; 1 at (0.5 0) and time 0.5; finite values are needed "
            "everywhere.");
}

TEST(FiniteValues, CentersOfFacesOfHexahedra)
{
  Triangulation<3> cube;
  dealii::GridGenerator::subdivided_hyper_cube(cube, 2, 0., 1., true);
  const std::vector<Point<3>> straight = face_centers(MappingQ<3>(1), cube, 1),
                              curved   = face_centers(MappingQ<3>(2), cube, 1);
  ASSERT_EQ(curved.size(), 4U);
  for (unsigned int i = 0; i < curved.size(); ++i)
    EXPECT_NEAR(curved[i].distance(straight[i]), 0., 1e-14);
}


TEST_F(Files, NoRoom)
{
  const std::string            file = path("state");
  std::optional<FileSizeLimit> full_disk(1000);
  const std::string            message     = message_of([&]() {
    replace_file(file, [](std::ostream &stream) { stream << std::string(100000, 'x'); });
  });
  const std::string            row_message = message_of([&]() {
    Saltus::TimeSeries series(path("series.csv"), "series", {"time"});
    for (unsigned int i = 0; i < 1000; ++i)
      series.add({1. / 3.});
  });
  full_disk.reset();
  EXPECT_EQ(message, "The file '" + file + "' cannot be written: File too large.");
  EXPECT_EQ(row_message,
            "The file '" + path("series.csv") + "' cannot be written: File too large.");
  EXPECT_EQ(n_files(), 1U); // the series
}


TEST_F(Files, FailedWriteKeepsTheOldFile)
{
  const std::string file = path("state");
  write_text(file, "old");
  const auto fail = [&]() {
    replace_file(file, [](std::ostream &stream) {
      stream << "half of the new";
      stream.setstate(std::ios::failbit); // what a full disk does
    });
  };
  EXPECT_TRUE(contains(message_of(fail), "cannot be written"));
  EXPECT_EQ(contents(file), "old");
  EXPECT_EQ(n_files(), 1U);
}


// A killed run leaves temporary files, which the next one removes, and no others.
TEST_F(Files, TemporaryFilesThatAreLeft)
{
  for (const char *name : {"run.vtu.abc123.tmp", "run.tmp", "other.vtu.abc123.tmp", "run.vtu"})
    write_text(path(name), "");
  remove_temporary_files(path(""), "run");
  EXPECT_FALSE(std::filesystem::exists(path("run.vtu.abc123.tmp")));
  EXPECT_EQ(n_files(), 3U);
}


// No link is followed, whatever it is called.
TEST_F(Files, LinksAreReplaced)
{
  const std::string precious = path("precious"), file = path("state");
  write_text(precious, "old");
  for (const char *name : {"state", "state.tmp"})
    std::filesystem::create_symlink(precious, path(name));
  replace_file(file, [](std::ostream &stream) { stream << "new"; });
  EXPECT_EQ(contents(precious), "old");
  EXPECT_EQ(contents(file), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(file));
}

// No output replaces an input, whatever name it has there, unless it may succeed it.
TEST_F(Files, InputsAreKept)
{
  const std::string input = path("input"), link = path("link"), checkpoint = path("checkpoint");
  write_text(input, "old");
  write_text(checkpoint, "old");
  std::filesystem::create_hard_link(input, link);
  const auto refusal = [](const std::string &file) {
    return message_of([&]() { replace_file(file, [](std::ostream &stream) { stream << "new"; }); });
  };
  EXPECT_EQ(read_text("table", input), "old");
  note_input(checkpoint, checkpoint);
  for (const std::string &output : {input, link, path("./input")})
    EXPECT_EQ(refusal(output),
              "The output '" + output + "' would replace '" + input +
                "', an input of this run. Give the output another name or directory.");
  EXPECT_EQ(contents(input), "old");
  EXPECT_EQ(refusal(checkpoint), "");
  EXPECT_EQ(refusal(path("other")), "");
}


// An output directory that vanishes while a run writes there is not made again.
TEST_F(Files, OutputDirectoryThatVanishes)
{
  const std::string place = path("run"), other = path("moved");
  const auto        refusal = [&]() {
    return message_of([&]() { replace_file(place + "/state", [](std::ostream &) {}); });
  };
  {
    const OutputLock   lock(place);
    Saltus::TimeSeries series(place + "/series.csv", "series", {"time"});
    EXPECT_EQ(refusal(), "");
    std::filesystem::rename(place, other);
    const std::string message =
      "The output directory '" + place + "' was renamed or removed while the run writes to it.";
    EXPECT_EQ(refusal(), message);
    EXPECT_FALSE(std::filesystem::exists(place));
    EXPECT_EQ(message_of([&]() { series.add({1.}); }), message);
    std::filesystem::create_directory(place); // by another run
    EXPECT_EQ(refusal(), message);
  }
  EXPECT_EQ(refusal(), "");
}


TEST(SeriesColumns, OfVectorsAreNamedAsQuantities)
{
  const auto columns =
    series_columns(Quantities{{"density", "momentum", "momentum"}, 3, nullptr}.identifiers());
  ASSERT_EQ(columns.size(), 3U + 3U * 5U);
  EXPECT_EQ(columns[3], "density integral");
  EXPECT_EQ(columns[6], "density minimum mean");
  EXPECT_EQ(columns[8], "momentum_x integral");
  EXPECT_EQ(columns[14], "momentum_y outflow");
  const auto without = series_columns({"u"}, false);
  EXPECT_EQ(without.size(), 3U + 4U);
  StateStatistics of_one;
  of_one.integrals = of_one.norms = of_one.minima = of_one.maxima = {2.};
  EXPECT_EQ(series_row(TimeState(), of_one, {}).size(), without.size());
}
