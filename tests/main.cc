// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>

#include <gtest/gtest.h>

int
main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  argc = 1; // Kokkos stops at options that it does not know
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv);
  return RUN_ALL_TESTS();
}
