// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Errors and VTU files, which are made on all host threads.
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/utilities.h>
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/results/error_table.h>
#include <saltus/io/results/solution_output.h>

#include <cstring>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/l2_error.h>
#include <helpers/meshes.h>
#include <helpers/vectors.h>
#include <zlib.h>

using namespace dealii;
using namespace Saltus;
using Saltus::Tests::contents;

namespace
{
  /// A random function on a mesh of some hundred cells.
  template <int dim>
  struct Setting : public Tests::Box<dim>
  {
    Setting(const unsigned int degree, const unsigned int n_components)
      : Tests::Box<dim>(dim == 2 ? 12 : 4, 0.2, Tests::far_corner<dim>(1.))
      , dof_handler(this->triangulation)
    {
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), n_components));
      solution = Tests::random_vector<SolutionVector>(dof_handler.n_dofs(), 1);
    }

    DoFHandler<dim> dof_handler;
    SolutionVector  solution;
  };


  /// What @p function returns on one thread and on four.
  template <typename Function>
  auto
  on_one_and_on_four_threads(const Function &function)
  {
    const unsigned int n_threads = MultithreadInfo::n_threads();
    MultithreadInfo::set_thread_limit(1);
    const auto one = function();
    MultithreadInfo::set_thread_limit(4);
    const auto four = function();
    MultithreadInfo::set_thread_limit(n_threads);
    return std::pair(one, four);
  }


  /// The numbers of the array @p name of a VTU file.
  template <typename Number>
  std::vector<Number>
  array(const std::string &vtu, const std::string &name)
  {
    const auto at    = vtu.find("Name=\"" + name + "\"");
    const auto begin = vtu.find('\n', at) + 1;
    const auto text  = vtu.substr(begin, vtu.find('\n', begin) - begin);

    const auto word = [](const std::vector<unsigned char> &bytes, const std::size_t i) {
      std::uint32_t result;
      std::memcpy(&result, bytes.data() + 4 * i, 4);
      return result;
    };
    const std::uint32_t n_blocks = word(Utilities::decode_base64(text.substr(0, 8)), 0);
    const std::size_t   n_header = (4 * (3 + n_blocks) + 2) / 3 * 4;
    const auto          header   = Utilities::decode_base64(text.substr(0, n_header));
    const auto          body     = Utilities::decode_base64(text.substr(n_header));

    std::vector<unsigned char> bytes;
    std::size_t                position = 0;
    for (std::uint32_t b = 0; b < n_blocks; ++b)
      {
        uLongf                     size = word(header, b + 1 < n_blocks ? 1 : 2);
        std::vector<unsigned char> block(size);
        EXPECT_EQ(uncompress(block.data(), &size, body.data() + position, word(header, 3 + b)),
                  Z_OK);
        EXPECT_EQ(size, block.size());
        bytes.insert(bytes.end(), block.begin(), block.end());
        position += word(header, 3 + b);
      }
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }


  /// A file with u0 as a scalar and u1, ... as a vector.
  template <int dim>
  std::string
  write_vtu(const Setting<dim> &setting, const unsigned int degree)
  {
    const Tests::TemporaryDirectory directory;
    std::vector<std::string>        names(1 + dim, "vector");
    names[0] = "scalar";
    SolutionWriter<dim> writer(
      setting.mapping, setting.triangulation, degree, names, directory.path, "run");
    const SolutionSpace<dim> space(setting.mapping,
                                   setting.dof_handler,
                                   {names, 1 + dim, [](const double *u, double *values) {
                                      std::copy(u, u + 1 + dim, values);
                                    }});
    write_quantities(writer, 0., space, setting.solution);
    return contents(directory.path + "/run-0000.vtu");
  }


  template <int dim>
  void
  check_vtu(const unsigned int degree)
  {
    const Setting<dim> setting(degree, 1 + dim);
    const auto [vtu, on_four_threads] =
      on_one_and_on_four_threads([&]() { return write_vtu<dim>(setting, degree); });
    EXPECT_EQ(vtu, on_four_threads);

    const auto points       = array<float>(vtu, "Points");
    const auto scalars      = array<float>(vtu, "scalar");
    const auto vectors      = array<float>(vtu, "vector");
    const auto connectivity = array<std::int32_t>(vtu, "connectivity");
    const auto offsets      = array<std::int32_t>(vtu, "offsets");
    const auto types        = array<std::uint8_t>(vtu, "types");

    const Subdivision<dim> subdivision = subdivide_simplex<dim>(degree);
    const std::size_t      n_cells     = setting.triangulation.n_active_cells();
    const std::size_t      n_points    = subdivision.points.size();
    const std::size_t      n_simplices = subdivision.simplices.size();
    ASSERT_EQ(points.size(), 3 * n_cells * n_points);
    ASSERT_EQ(scalars.size(), n_cells * n_points);
    ASSERT_EQ(vectors.size(), 3 * n_cells * n_points);
    ASSERT_EQ(connectivity.size(), (dim + 1) * n_cells * n_simplices);
    ASSERT_EQ(offsets.size(), n_cells * n_simplices);
    EXPECT_EQ(types, std::vector<std::uint8_t>(n_cells * n_simplices, dim == 2 ? 5 : 10));

    std::size_t                          first = 0, simplex = 0; // point, simplex
    std::vector<types::global_dof_index> dofs(setting.dof_handler.get_fe().n_dofs_per_cell());
    for (const auto &cell : setting.dof_handler.active_cell_iterators())
      {
        cell->get_dof_indices(dofs);
        for (std::size_t q = 0; q < n_points; ++q)
          {
            const Point<dim> unit       = subdivision.points[q];
            const Point<dim> p          = setting.mapping.transform_unit_to_real_cell(cell, unit);
            double           u[1 + dim] = {};
            for (unsigned int i = 0; i < dofs.size(); ++i)
              for (unsigned int c = 0; c <= dim; ++c)
                u[c] += setting.solution(dofs[i]) *
                        setting.dof_handler.get_fe().shape_value_component(i, unit, c);
            EXPECT_NEAR(scalars[first + q], u[0], 1e-5 * (1. + std::abs(u[0])));
            for (unsigned int d = 0; d < 3; ++d)
              {
                EXPECT_NEAR(points[3 * (first + q) + d], d < dim ? p[d] : 0., 1e-6);
                const double expected = d < dim ? u[1 + d] : 0.;
                EXPECT_NEAR(vectors[3 * (first + q) + d],
                            expected,
                            1e-5 * (1. + std::abs(expected)));
              }
          }
        for (const auto &piece : subdivision.simplices)
          {
            for (unsigned int v = 0; v <= dim; ++v)
              EXPECT_EQ(connectivity[(dim + 1) * simplex + v], first + piece[v]);
            EXPECT_EQ(offsets[simplex], (dim + 1) * (simplex + 1));
            ++simplex;
          }
        first += n_points;
      }
  }


  /// Against deal.II's VectorTools::integrate_difference().
  template <int dim>
  void
  check_errors(const unsigned int degree)
  {
    const Expression   exact(dim, "sin(x)*exp(y)+t; 0", 2);
    const Setting<dim> system(degree, 2);
    const auto [error, on_four_threads] = on_one_and_on_four_threads(
      [&]() { return l2_error(system.mapping, system.dof_handler, system.solution, exact, 0.5); });
    EXPECT_EQ(error, on_four_threads);
    const double expected =
      Tests::l2_error(system.mapping, system.dof_handler, system.solution, exact, 0.5);
    EXPECT_NEAR(error, expected, 1e-12 * expected);
    const dealii::Vector<double> serial(system.solution.begin(), system.solution.end());
    EXPECT_EQ(l2_error(system.mapping, system.dof_handler, serial, exact, 0.5), error);
  }
} // namespace


TEST(OutputOnThreads, VtuOfTriangles)
{
  check_vtu<2>(1);
  check_vtu<2>(4);
}


TEST(OutputOnThreads, VtuOfTetrahedra)
{
  check_vtu<3>(3);
}


TEST(OutputOnThreads, L2Errors)
{
  check_errors<2>(0);
  check_errors<2>(3);
  check_errors<3>(2);
}


/// The error of zero, and a mean value, of which the exact values are known.
TEST(OutputOnThreads, GradientsAndMeans)
{
  Setting<2> setting(3, 1); // on (0,1) x (0,2)
  setting.solution = 0.;
  const Expression exact(2, "x^2/2+x*y", 1), gradient(2, "x; y^2", 2);
  const auto [errors, errors_on_four] = on_one_and_on_four_threads([&]() {
    return scalar_errors(setting.mapping, setting.dof_handler, setting.solution, exact, &gradient);
  });
  EXPECT_EQ(errors, errors_on_four);
  EXPECT_NEAR(errors[0], std::sqrt(1. / 10. + 1. / 2. + 8. / 9.), 1e-12);
  EXPECT_NEAR(errors[1], std::sqrt(2. / 3. + 32. / 5.), 1e-12);
  const auto [mean, mean_on_four] = on_one_and_on_four_threads(
    [&]() { return mean_value(setting.mapping, setting.dof_handler, Expression(2, "x*y", 1)); });
  EXPECT_EQ(mean, mean_on_four);
  EXPECT_NEAR(mean, 0.5, 1e-12);
}
