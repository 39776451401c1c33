// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>

#include <saltus/base/ranks/busy_waiting.h>

#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/lsan_interface.h>
#endif

namespace
{
  /// Runs @p action. Allocations in it that are never released are not reported as leaks: MPI keeps
  /// memory of libraries that it has unloaded when the process ends, so no suppression matches
  /// them.
  template <typename Action>
  void
  of_libraries(const Action &action)
  {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler disabler;
#endif
    action();
  }


  /// Restricts GoogleTest's filter to the tests of the files @p sources, which commas separate.
  /// @return a file without tests, if there is one
  std::optional<std::string>
  select_sources(const std::string &sources)
  {
    std::map<std::string, int> n_tests; // before the user's own filter
    std::istringstream         stream(sources + ",");
    for (std::string source; std::getline(stream, source, ',');)
      n_tests[source] = 0;
    std::string inside, outside;
    const auto &all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i)
      for (int j = 0; j < all.GetTestSuite(i)->total_test_count(); ++j)
        {
          const testing::TestInfo &test = *all.GetTestSuite(i)->GetTestInfo(j);
          const std::string        file = test.file();
          const auto               here = n_tests.find(file.substr(file.find_last_of('/') + 1));
          if (here != n_tests.end())
            ++here->second;
          (here != n_tests.end() ? inside : outside) +=
            ":" + std::string(test.test_suite_name()) + "." + test.name();
        }
    // Negative patterns follow the first '-'.
    std::string &filter = testing::GTEST_FLAG(filter);
    if (filter == "*")
      filter = inside;
    else
      filter += (filter.find('-') == std::string::npos ? "-" : "") + outside;
    for (const auto &[source, n] : n_tests)
      if (n == 0)
        return source;
    return {};
  }
} // namespace

/// Options besides GoogleTest's: `--source=FILE.cc,FILE.cc` runs the tests of these files only.
int
main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  const std::string option = "--source=", argument = argc > 1 ? argv[1] : "";
  if (argument.rfind(option, 0) == 0)
    if (const auto empty = select_sources(argument.substr(option.size())))
      {
        std::cerr << "No test is in the file '" << *empty << "'." << std::endl;
        return 1;
      }
  argc = 1; // Kokkos stops at options that it does not know
  Saltus::set_open_mpi_parameters();
  std::unique_ptr<dealii::Utilities::MPI::MPI_InitFinalize> mpi;
  of_libraries([&]() { mpi = std::make_unique<decltype(mpi)::element_type>(argc, argv); });
  const int status = RUN_ALL_TESTS();
  of_libraries([&]() { mpi.reset(); });
  return status;
}
