// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Pictures that several MPI processes write together. Run on one and on several of them.
#include <deal.II/distributed/shared_tria.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/background_work.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <stdexcept>
#include <thread>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  unsigned int
  count(const std::string &text, const std::string &part)
  {
    unsigned int n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
      ++n;
    return n;
  }

  const auto nothing = []() {};

  void
  fail()
  {
    throw std::runtime_error("the disk is full");
  }

  bool
  is_alone()
  {
    return n_ranks(MPI_COMM_WORLD) == 1;
  }
} // namespace

TEST(OutputOnRanks, OneFileHoldsThePartsOfAll)
{
  const unsigned int                 n_ranks = Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
  parallel::shared::Triangulation<2> triangulation(
    MPI_COMM_WORLD,
    Triangulation<2>::none,
    false,
    parallel::shared::Triangulation<2>::partition_metis);
  Saltus::GridGenerator::box<2>(
    triangulation, Point<2>(), Point<2>(1., 1.), std::vector<unsigned int>{4, 4}, 0.);
  const MappingFE<2> mapping(FE_SimplexP<2>(1));
  const std::string  directory = "output_on_" + std::to_string(n_ranks) + "_ranks";
  if (Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
    std::filesystem::remove_all(directory);
  MPI_Barrier(MPI_COMM_WORLD);
  SolutionWriter<2> writer(mapping, triangulation, 2, {"u"}, directory, "u");

  const auto write = [&](const double time) {
    // Several threads write, and elements of vector<bool> share words.
    std::vector<char> seen(triangulation.n_locally_owned_active_cells());
    const std::string file = writer.write(time, [&]() {
      return [&](const unsigned int cell, const auto & /*points*/, Table<2, double> &values) {
        seen[cell] = true;
        values.fill(1. + time);
      };
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 0), 0);
    return contents(file);
  };
  for (const double time : {0., 0.5})
    {
      const std::string text = write(time);
      EXPECT_EQ(text.find("<?xml"), 0U);
      EXPECT_EQ(count(text, "<VTKFile"), 1U);
      EXPECT_EQ(count(text, "<Piece"), n_ranks);
      EXPECT_EQ(count(text, "</Piece>"), n_ranks);
      EXPECT_EQ(text.substr(text.size() - 11), "</VTKFile>\n");
      unsigned int n_points = 0;
      for (std::size_t at = 0; (at = text.find("NumberOfPoints=\"", at)) != text.npos; ++at)
        n_points += std::stoul(text.substr(at + 16));
      EXPECT_EQ(n_points, triangulation.n_active_cells() * 6);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  const std::string list = contents(directory + "/u.pvd");
  EXPECT_EQ(count(list, "<DataSet"), 2U);
  EXPECT_TRUE(contains(list, "u-0001.vtu"));
}


TEST(BackgroundWork, GoesOnBesideTheCaller)
{
  std::vector<std::string> done;
  std::thread::id          writer;
  {
    BackgroundWork     work(MPI_COMM_WORLD);
    std::promise<void> is_started;
    work.start(
      [&]() {
        is_started.get_future().wait();
        done.emplace_back("prepared");
      },
      [&]() {
        done.emplace_back("written");
        writer = std::this_thread::get_id();
      });
    is_started.set_value(); // a start that waits for the work would not come here
    work.start([&]() { done.emplace_back("prepared"); }, [&]() { done.emplace_back("written"); });
    work.finish();
    EXPECT_EQ(writer == std::this_thread::get_id(), !is_alone());
    EXPECT_EQ(done, (std::vector<std::string>{"prepared", "written", "prepared", "written"}));
    work.finish();
    EXPECT_EQ(done.size(), 4U);
    work.start([&]() { done.emplace_back("prepared"); }, nothing);
  }
  EXPECT_EQ(done.size(), 5U); // the end waits, too
}


TEST(BackgroundWork, ErrorsAreThrownByTheNextCall)
{
  BackgroundWork work(MPI_COMM_WORLD);
  bool           is_written = false;
  work.start(this_rank(MPI_COMM_WORLD) == 0 ? std::function<void()>(fail) : nothing,
             [&]() { is_written = true; });
  EXPECT_MESSAGE(work.finish(), "the disk is full");
  EXPECT_FALSE(is_written);
  EXPECT_FALSE(work.has_failed());

  work.start(nothing, fail);
  if (is_alone())
    while (!work.has_failed())
      std::this_thread::yield();
  EXPECT_MESSAGE(work.start(nothing, nothing), "the disk is full");

  work.start(nothing, [&]() { is_written = true; });
  work.finish();
  EXPECT_TRUE(is_written);
}
