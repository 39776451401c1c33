// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Transfer between degrees against host arithmetic, with bases where modes of the lower degree are
// the first and where they are not.
#include <saltus/fe/basis.h>
#include <saltus/operators/blocks/mode_transfer.h>

#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>
#include <limits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class ModeTransferTest : public OnDevice
  {};

  template <typename Number>
  Saltus::Vector<Number>
  random_modes(const Device       device,
               const unsigned int n_elements,
               const unsigned int n_modes,
               const unsigned int seed,
               const unsigned int n_components = 1)
  {
    Saltus::Vector<Number> result(device, n_elements, n_modes, n_components);
    result.set_entries(random_vector<std::vector<Number>>(result.locally_owned_size(), seed));
    return result;
  }

  template <typename Number>
  void
  expect_near(const Saltus::Vector<Number> &x, const std::vector<double> &expected)
  {
    const std::vector<Number> entries = x.entries();
    ASSERT_EQ(entries.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(entries[i], expected[i], 100 * std::numeric_limits<Number>::epsilon());
  }

  template <typename Number, int dim>
  void
  check_transfer(const Device       device,
                 const Basis<dim>  &fine,
                 const Basis<dim>  &coarse,
                 const unsigned int n_components)
  {
    const unsigned int         n_elements = 75; // the last block is not full
    const unsigned int         n = fine.n_modes(), n_coarse = coarse.n_modes();
    std::vector<double>        matrix = fine.embedding(coarse);
    const ModeTransfer<Number> transfer(device, matrix);
    if (matrix.empty())
      for (unsigned int m = 0; m < n; ++m)
        for (unsigned int k = 0; k < n_coarse; ++k)
          matrix.push_back(m == k ? 1. : 0.);

    Saltus::Vector<Number> x = random_modes<Number>(device, n_elements, n, 1, n_components);
    Saltus::Vector<Number> y = random_modes<Number>(device, n_elements, n_coarse, 2, n_components);
    const std::vector<Number> of_x = x.entries(), of_y = y.entries();
    std::vector<double>       projected(of_y.size()), sum(of_x.begin(), of_x.end());
    for (unsigned int e = 0; e < n_elements; ++e)
      for (unsigned int m = 0; m < n; ++m)
        for (unsigned int k = 0; k < n_coarse; ++k)
          for (unsigned int c = 0; c < n_components; ++c)
            {
              const double       entry = matrix[m * n_coarse + k];
              const unsigned int in_x  = (e * n + m) * n_components + c;
              const unsigned int in_y  = (e * n_coarse + k) * n_components + c;
              projected[in_y] += entry * of_x[in_x];
              sum[in_x] += -0.7 * entry * of_y[in_y];
            }
    transfer.add_embedded(x, y, Number(-0.7));
    expect_near(x, sum);
    x.set_entries(of_x);
    y = std::numeric_limits<Number>::quiet_NaN(); // is not read
    transfer.project(y, x);
    expect_near(y, projected);
  }

  template <int dim>
  void
  check_shapes(const Device device)
  {
    for (const ReferenceCell &cell :
         {ReferenceCells::get_simplex<dim>(), ReferenceCells::get_hypercube<dim>()})
      for (const auto &[fine, coarse] :
           {std::pair(4, 2), std::pair(3, 0), std::pair(2, 1), std::pair(2, 2)})
        {
          SCOPED_TRACE(cell.to_string() + ", degrees " + std::to_string(fine) + " and " +
                       std::to_string(coarse));
          const Basis<dim> of_fine(cell, fine), of_coarse(cell, coarse);
          // Vectors of a scalar, and of a gas, whose coefficients may stand in another order.
          for (const unsigned int n_components : {1, dim + 2})
            {
              check_transfer<double>(device, of_fine, of_coarse, n_components);
              check_transfer<float>(device, of_fine, of_coarse, n_components);
            }
        }
  }

  TEST_P(ModeTransferTest, EqualsHostArithmetic)
  {
    check_shapes<2>(device());
    check_shapes<3>(device());
  }

  TEST_P(ModeTransferTest, RefusesOtherModes)
  {
    const ReferenceCell        cell = ReferenceCells::Quadrilateral;
    const ModeTransfer<double> transfer(device(), Basis<2>(cell, 3).embedding(Basis<2>(cell, 1)));
    auto                       x = random_modes<double>(device(), 5, 16, 1);
    auto                       y = random_modes<double>(device(), 5, 9, 1);
    EXPECT_THROW(transfer.project(y, x), ExceptionBase);
    EXPECT_THROW(transfer.add_embedded(x, y), ExceptionBase);
  }

  SALTUS_INSTANTIATE_ON_DEVICES(ModeTransferTest)
} // namespace
