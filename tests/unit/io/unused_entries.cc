// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/parameters/unused_entries.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// An entry `E` that is used with @p condition, beside a kind, its exponent, a number and a text.
  std::vector<std::string>
  unused(const std::string &condition, const std::vector<std::string> &assignments)
  {
    ParameterHandler prm;
    prm.enter_subsection("S");
    prm.declare_entry("Kind", "a", Patterns::Selection("a|b and c|d"), "");
    prm.declare_entry("Exponent", "2", Patterns::Double(), "Of d." + used_with("S/Kind = d"));
    prm.declare_entry("Number", "0", Patterns::Double(), "");
    prm.declare_entry("Text", "", Patterns::Anything(), "");
    prm.leave_subsection();
    prm.declare_entry("E", "1", Patterns::Double(), "It." + used_with(condition));
    for (const std::string &assignment : assignments)
      set_parameter(prm, assignment);
    return unused_entries(parameter_entries(prm));
  }
} // namespace

TEST(UnusedEntries, DifferFromDefaults)
{
  using List = std::vector<std::string>;
  EXPECT_EQ(unused("S/Kind = d", {}), List());
  EXPECT_EQ(unused("S/Kind = d", {"E=1.00"}), List());
  EXPECT_EQ(unused("S/Kind = d", {"E=3"}), List({"E = 3 (used with S/Kind = d)"}));
  EXPECT_EQ(unused("S/Kind = d", {"E=3", "S/Kind=d"}), List());
  EXPECT_EQ(unused("S/Kind = b and c or d", {"E=3", "S/Kind=d"}), List());
  EXPECT_EQ(unused("S/Kind = b and c or d", {"E=3", "S/Kind=b and c"}), List());
  EXPECT_EQ(unused("S/Kind = b and c or d", {"E=3"}).size(), 1);
  EXPECT_EQ(unused("S/Kind other than a", {"E=3"}).size(), 1);
  EXPECT_EQ(unused("S/Number above 0", {"E=3"}).size(), 1);
  EXPECT_EQ(unused("S/Number above 0", {"E=3", "S/Number=0.1"}), List());
  EXPECT_EQ(unused("S/Number above 0 or S/Text given", {"E=3"}).size(), 1);
  EXPECT_EQ(unused("S/Number above 0 or S/Text given", {"E=3", "S/Text=x"}), List());
  const std::string both = "S/Kind = a or d, and with S/Text given";
  EXPECT_EQ(unused(both, {"E=3", "S/Text=x"}), List());
  EXPECT_EQ(unused(both, {"E=3", "S/Text=x", "S/Kind=b and c"}).size(), 1);
  EXPECT_EQ(unused(both, {"E=3"}).size(), 1);
  // An unused entry counts with its default.
  EXPECT_EQ(unused("S/Exponent above 2", {"E=3", "S/Exponent=3"}).size(), 2);
  EXPECT_EQ(unused("S/Exponent above 2", {"E=3", "S/Exponent=3", "S/Kind=d"}), List());
}

TEST(UnusedEntries, ConditionsNameEntriesAndValues)
{
  EXPECT_MESSAGE(unused("S/Kinds = a", {}), "unknown entry 'S/Kinds'");
  EXPECT_MESSAGE(unused("S/Kind = a or e", {}), "names the value 'e' of the entry 'S/Kind'");
}
