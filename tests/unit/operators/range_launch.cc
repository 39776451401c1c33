// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Launch decisions: a kernel may begin while the previous one still runs.
#include <saltus/operators/spaces/ghost_exchange.h>

#include <helpers/curved_box.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// The launches on all ranges of a mesh, by for_ranges() and by for_all_ranges().
  std::vector<RangeLaunch>
  launches(const std::shared_ptr<const ElementMesh<2>> &mesh, const bool with_ghosts)
  {
    const ElementSpace<2, double> space(mesh, 1, 1, 2, 3, Device::cpu());
    std::vector<RangeLaunch>      result;
    const auto                    note = [&](const MeshArrays<double> &, const RangeLaunch launch) {
      result.push_back(launch);
    };
    if (with_ghosts)
      space.for_ranges(
        GhostExchange<double>(*mesh, 1, 1, Device::cpu(), GhostData::values),
        space.make_vector(),
        []() {},
        note);
    else
      space.for_all_ranges(note);
    return result;
  }

  class RangeLaunchTest : public OnDevice
  {};
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(RangeLaunchTest)

TEST(RangeLaunches, EarlyOnAllElements)
{
  const Setting<2, Euler<2>> setting(1);
  const auto                 mesh = make_mesh(setting.mapping, setting.triangulation);
  for (const bool with_ghosts : {false, true})
    {
      const auto all = launches(mesh, with_ghosts);
      ASSERT_EQ(all.size(), 1u);
      EXPECT_TRUE(all[0].may_begin_early());
    }
}

/// Affine elements without a boundary face need nothing of the kernel for the boundary and may end
/// before it, but curved elements need its states.
TEST(RangeLaunches, NotEarlyOnSome)
{
  const CurvedBox<2> box(16, bump_at_side<2>(), 2);
  const auto         mesh = box.mesh();
  for (const bool with_ghosts : {false, true})
    {
      const auto all = launches(mesh, with_ghosts);
      ASSERT_GT(all.size(), 1u);
      for (const RangeLaunch &launch : all)
        EXPECT_FALSE(launch.may_begin_early());
    }
}

TEST(RangeLaunches, NotEarlyBesideMessages)
{
  RangeLaunch launch;
  EXPECT_TRUE(launch.may_begin_early());
  launch.beside_messages = true;
  EXPECT_FALSE(launch.may_begin_early());
}

/// All boundary faces belong to elements of the second range, as on a curved disc.
TEST_P(RangeLaunchTest, StatesOfTheBoundaryAreThere)
{
  using Law = Euler<2>;
  for (const unsigned int degree : {1, 2, 3})
    {
      const Setting<2, Law> setting(degree, Law(), 16);
      const auto            conditions = all_conditions<2, Law>();
      const auto            state      = setting.random_state(0.02);
      const auto            at_sides   = [](const ElementOrder<2>::Cell &cell) {
        return cell->at_boundary() ? GeometryKind::stored : GeometryKind::affine;
      };
      const auto expected = residual<2, Law, double>(setting, conditions, state, Device::cpu());
      for (unsigned int i = 0; i < 5; ++i)
        EXPECT_LT(relative_difference(
                    residual<2, Law, double>(
                      setting, conditions, state, device(), 0, max_matching_rounds, at_sides),
                    expected),
                  1e-12);
    }
}
