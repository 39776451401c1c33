// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// GPUs with less shared memory for a block of threads than compute capability 9.0 has. Other
// kernels replace those that need more, and the results equal those of the CPU.
#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/flow/viscous_operator.h>

#include <cstdlib>
#include <helpers/elliptic_hypercubes.h>
#include <helpers/elliptic_setting.h>
#include <helpers/flow_setting.h>
#include <helpers/hypercubes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  struct Gpu
  {
    std::string name;
    std::string shared_memory; ///< of a block
    bool        has_double_tensor_cores;
  };

  class SmallerGpus : public testing::TestWithParam<Gpu>
  {
  protected:
    void
    SetUp() override
    {
      SALTUS_SKIP_WITHOUT_GPU();
      setenv("SALTUS_SHARED_MEMORY", GetParam().shared_memory.c_str(), 1);
      if (!GetParam().has_double_tensor_cores)
        setenv("SALTUS_DOUBLE_TENSOR_CORES", "0", 1);
    }

    void
    TearDown() override
    {
      unsetenv("SALTUS_SHARED_MEMORY");
      unsetenv("SALTUS_DOUBLE_TENSOR_CORES");
    }

    /// @param values on a device
    template <typename Values>
    static void
    compare(const Values &values)
    {
      EXPECT_LT(relative_difference(values(Device::cuda()), values(Device::cpu())), 1e-11);
    }

    template <int dim, typename AnySetting>
    static void
    compare_gas(const AnySetting &setting, const typename ElementOrder<dim>::Kinds &kinds = {})
    {
      const auto state = setting.random_state(0.02);
      compare([&](const Device device) {
        return residual<dim, Euler<dim>, double>(
          setting, all_conditions<dim, Euler<dim>>(), state, device, 0, max_matching_rounds, kinds);
      });
    }

    template <int dim, template <int> class AnySetting>
    static void
    compare_laplace(const AnySetting<dim> &setting)
    {
      const auto x = setting.random_vector(1);
      compare([&](const Device device) {
        LaplaceOperator<dim> A;
        A.reinit(setting.mesh(), setting.dof_handler, dirichlet_conditions<dim>(), device, {});
        auto y = zeros(A);
        A.vmult(y, copied(A, x));
        return to_dealii(A, y);
      });
    }
  };

  template <int dim>
  Euler<dim>
  viscous_gas()
  {
    Euler<dim> gas;
    gas.transport.viscosity = 0.3;
    return gas;
  }
} // namespace

INSTANTIATE_TEST_SUITE_P(Models,
                         SmallerGpus,
                         testing::Values(Gpu{"A100", "166912", true},
                                         Gpu{"RTX4090", "101376", false},
                                         Gpu{"T4", "65536", false}),
                         [](const auto &info) { return info.param.name; });

TEST_P(SmallerGpus, GasOnSimplices)
{
  for (const unsigned int degree : {2, 5})
    for (const bool is_viscous : {false, true})
      {
        const Setting<2, Euler<2>> setting(degree, is_viscous ? viscous_gas<2>() : Euler<2>());
        compare_gas<2>(setting);
        compare_gas<2>(setting, all_are_stored<2>);
      }
  for (const unsigned int degree : {1, 3, 4})
    for (const bool is_viscous : {false, true})
      {
        const Setting<3, Euler<3>> setting(degree, is_viscous ? viscous_gas<3>() : Euler<3>());
        compare_gas<3>(setting);
        compare_gas<3>(setting, all_are_stored<3>);
      }
}

TEST_P(SmallerGpus, GasOnHypercubes)
{
  for (const bool is_viscous : {false, true})
    for (const Cells cells : {Cells::parallelepipeds, Cells::turned})
      {
        compare_gas<2>(
          HypercubeSetting<2, Euler<2>>(6, cells, is_viscous ? viscous_gas<2>() : Euler<2>()));
        compare_gas<3>(
          HypercubeSetting<3, Euler<3>>(5, cells, is_viscous ? viscous_gas<3>() : Euler<3>()));
      }
}

TEST_P(SmallerGpus, Laplace)
{
  compare_laplace(EllipticSetting<2>(8));
  for (const unsigned int degree : {4, 6})
    compare_laplace(EllipticSetting<3>(degree));
  for (const unsigned int degree : {4, 5})
    for (const Cells cells : {Cells::parallelepipeds, Cells::refined})
      compare_laplace(EllipticHypercubes<3>(degree, cells));
}

TEST_P(SmallerGpus, FlowsOnHexahedra)
{
  const unsigned int degree = 5;
  for (const Cells cells : {Cells::parallelepipeds, Cells::refined})
    {
      const FlowHypercubes<3> setting(degree, cells);
      const auto              conditions = all_flow_conditions<3>()[0];
      const auto              u          = setting.random_velocity(1);
      compare([&](const Device device) {
        FlowOperators<3> flow;
        flow.reinit(
          setting.mesh(), setting.velocity, setting.pressure, conditions, device, {0, 0.4});
        const auto &space  = flow.velocity_space();
        auto        result = space.make_vector();
        const auto  from   = copied(space, u);
        flow.convection(result, from, 0.7);
        return to_dealii(space, result);
      });
      compare([&](const Device device) {
        ViscousOperator<3> viscous;
        viscous.reinit(setting.mesh(), degree, conditions, device, {});
        const ElementSpace<3, double> space(
          viscous.of_component().element_space().mesh, setting.velocity, 10, 10, device);
        auto result = space.make_vector();
        viscous.vmult(result, copied(space, u));
        return to_dealii(space, result);
      });
    }
}

/// A run reports each kernel that replaces a faster one.
TEST_P(SmallerGpus, FallbacksAreReported)
{
  // A process prints each message once, and no other test has these degrees.
  const bool has_cores = GetParam().has_double_tensor_cores;
  testing::internal::CaptureStderr();
  if (has_cores)
    compare_gas<3>(Setting<3, Euler<3>>(2, Euler<3>()), all_are_stored<3>);
  else
    compare_gas<2>(Setting<2, Euler<2>>(GetParam().name == "T4" ? 4 : 3, Euler<2>()));
  EXPECT_TRUE(contains(testing::internal::GetCapturedStderr(),
                       has_cores ? "more shared memory" : "tensor cores for double precision"));
  setenv("SALTUS_SHARED_MEMORY", "many", 1);
  EXPECT_MESSAGE(compare_gas<3>(Setting<3, Euler<3>>(1, Euler<3>())),
                 "SALTUS_SHARED_MEMORY = 'many' is not a number");
}
