// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Belos' own tests of vectors and operators.
#include <saltus/solvers/krylov/belos_traits.h>

#include <BelosMVOPTester.hpp>
#include <BelosOutputManager.hpp>
#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <helpers/poisson.h>
#include <sstream>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class BelosTest : public OnDevice
  {};

  /// What Belos complains about.
  template <typename Number>
  struct Output
  {
    Output()
      : manager(Teuchos::rcp(new Belos::OutputManager<Number>(Belos::Errors | Belos::Warnings,
                                                              Teuchos::rcpFromRef(text))))
    {}

    std::ostringstream                         text;
    Teuchos::RCP<Belos::OutputManager<Number>> manager;
  };

  /// A last block that is not full.
  template <typename Number>
  void
  test_vectors(const Device device)
  {
    Output<Number> output;
    using MV = MultiVector<Number>;
    const Vector<Number> shape(device, 77, 10, 1);
    const bool           passed =
      Belos::TestMultiVecTraits<Number, MV>(output.manager, Teuchos::rcp(new MV(shape, 3)));
    EXPECT_TRUE(passed) << output.text.str();
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(BelosTest)

TEST_P(BelosTest, MultiVecTraits)
{
  test_vectors<double>(device());
  test_vectors<float>(device());
}

TEST_P(BelosTest, OperatorTraits)
{
  using MV = MultiVector<double>;
  using OP = LinearMap<double>;
  const Poisson  problem(2, 0, device());
  Output<double> output;
  const bool     passed =
    Belos::TestOperatorTraits<double, MV, OP>(output.manager,
                                              Teuchos::rcp(new MV(problem.zero(), 3)),
                                              Teuchos::rcp(new OP(problem.matrix)));
  EXPECT_TRUE(passed) << output.text.str();
}

TEST_P(BelosTest, Norms)
{
  using Traits = Belos::MultiVecTraits<double, MultiVector<double>>;
  const Vector<double> shape(device(), 77, 10, 1);
  MultiVector<double>  mv(shape, 2);
  mv.column(0) = -2.;
  std::vector<double> norms(2);
  Traits::MvNorm(mv, norms, Belos::OneNorm);
  EXPECT_NEAR(norms[0], 2 * 770., 1e-9);
  Traits::MvNorm(mv, norms, Belos::TwoNorm);
  EXPECT_NEAR(norms[0], 2 * std::sqrt(770.), 1e-9);
  Traits::MvNorm(mv, norms, Belos::InfNorm);
  EXPECT_EQ(norms[0], 2.);
  EXPECT_EQ(norms[1], 0.);
}
