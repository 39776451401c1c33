// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>

#include <gtest/gtest.h>
#include <memory>
#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/lsan_interface.h>
#endif

namespace
{
  /// Do what @p action does. What is allocated in it and never released is no leak of ours: MPI
  /// keeps memory whose owners it has unloaded when the process ends, so that no list of
  /// suppressions could name them.
  template <typename Action>
  void
  of_libraries(const Action &action)
  {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler disabler;
#endif
    action();
  }
} // namespace

int
main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  argc = 1; // Kokkos stops at options that it does not know
  std::unique_ptr<dealii::Utilities::MPI::MPI_InitFinalize> mpi;
  of_libraries([&]() { mpi = std::make_unique<decltype(mpi)::element_type>(argc, argv); });
  const int status = RUN_ALL_TESTS();
  of_libraries([&]() { mpi.reset(); });
  return status;
}
