// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The two back ends give the same residual, for every law, shape, degree and precision.
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Fine enough for more than one block of elements, the last of them not full.
  template <int dim>
  constexpr unsigned int n_subdivisions = dim == 2 ? 11 : 5;

  template <int dim, typename Law, typename Number>
  double
  difference(const Setting<dim, Law> &setting)
  {
    const auto conditions = all_conditions<dim, Law>();
    // Modes so large that the residual is not mostly cancellation, which single precision feels.
    const auto u = setting.random_state(0.08);
    return relative_difference(residual<dim, Law, Number>(setting, conditions, u, Device::cuda()),
                               residual<dim, Law, Number>(setting, conditions, u, Device::cpu()));
  }

  template <int dim, typename Law>
  void
  compare(const unsigned int degree, const Law &law, const unsigned int n)
  {
    SCOPED_TRACE("degree " + std::to_string(degree));
    const Setting<dim, Law> setting(degree, law, n, Vertices::shuffled);
    EXPECT_LT((difference<dim, Law, double>(setting)), 1e-12);
    EXPECT_LT((difference<dim, Law, float>(setting)), 1e-5);
  }

  template <int dim, typename Law>
  void
  compare(const Law &law = Law())
  {
    SALTUS_SKIP_WITHOUT_GPU();
    for (unsigned int degree = 0; degree <= (dim == 2 ? 5 : 4); ++degree)
      compare<dim>(degree, law, n_subdivisions<dim>);
  }
} // namespace

TEST(CpuAndCuda, AdvectionTriangles)
{
  compare<2, Advection<2>>();
}

TEST(CpuAndCuda, AdvectionTetrahedra)
{
  compare<3, Advection<3>>();
}

TEST(CpuAndCuda, EulerTrianglesHllc)
{
  compare<2, Euler<2>>();
}

TEST(CpuAndCuda, EulerTrianglesLaxFriedrichs)
{
  compare<2>(euler<2>(RiemannSolver::lax_friedrichs));
}

TEST(CpuAndCuda, EulerTrianglesHybrid)
{
  compare<2>(euler<2>(RiemannSolver::hybrid));
}

TEST(CpuAndCuda, EulerTetrahedraHllc)
{
  compare<3, Euler<3>>();
}

TEST(CpuAndCuda, EulerTetrahedraLaxFriedrichs)
{
  compare<3>(euler<3>(RiemannSolver::lax_friedrichs));
}

TEST(CpuAndCuda, EulerTetrahedraHybrid)
{
  compare<3>(euler<3>(RiemannSolver::hybrid));
}

/// More elements than a GPU works on at a time: there, some groups of threads take several.
TEST(CpuAndCuda, ManyElements)
{
  SALTUS_SKIP_WITHOUT_GPU();
  compare<2>(3, Euler<2>(), 100);
  compare<3>(1, Euler<3>(), 16);
}
