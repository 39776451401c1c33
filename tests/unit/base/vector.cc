// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Vector against deal.II's, and as the vector of deal.II's solvers.
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/solver_gmres.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/vector.h>
#include <saltus/base/algebra/vector_kernels.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <limits>
#include <random>

using namespace dealii;

namespace
{
  /// A last block that is not full, and more entries than one thread block sums.
  constexpr unsigned int n_elements = 3001, n_modes = 3, n_components = 2;

  template <typename Number>
  Saltus::Vector<Number>
  upload(const Saltus::Device device, const dealii::Vector<Number> &from)
  {
    Saltus::Vector<Number> to(device, n_elements, n_modes, n_components);
    std::vector<Number>    values(to.data_size());
    for (unsigned int e = 0, i = 0; e < n_elements; ++e)
      for (unsigned int m = 0; m < n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          values[to.layout().coefficients().index(e, m, c)] = from(i);
    to.copy_from_host(values.data());
    return to;
  }

  /// Back to deal.II; the padding must be zero.
  template <typename Number>
  dealii::Vector<Number>
  download(const Saltus::Vector<Number> &from)
  {
    dealii::Vector<Number>    to(n_elements * n_modes * n_components);
    const std::vector<Number> values = from.to_host();
    double                    stored = 0;
    for (unsigned int e = 0, i = 0; e < n_elements; ++e)
      for (unsigned int m = 0; m < n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          to(i) = values[from.layout().coefficients().index(e, m, c)];
    for (const Number value : values)
      stored += std::abs(value);
    EXPECT_NEAR(stored, to.l1_norm(), 1e-5 * stored) << "The padding is not zero.";
    return to;
  }

  template <typename Number>
  dealii::Vector<Number>
  random_vector(const unsigned int seed)
  {
    std::mt19937                           generator(seed);
    std::uniform_real_distribution<Number> random(-1, 1);
    dealii::Vector<Number>                 v(n_elements * n_modes * n_components);
    for (Number &value : v)
      value = random(generator);
    return v;
  }

  class VectorTest : public Saltus::Tests::OnDevice
  {
  protected:
    template <typename Number>
    void
    compare()
    {
      const double tolerance = 200 * std::numeric_limits<Number>::epsilon();
      auto x = random_vector<Number>(1), y = random_vector<Number>(2), z = random_vector<Number>(3);
      auto u = upload(device(), x), v = upload(device(), y), w = upload(device(), z);
      const auto same = [&](const char *what) {
        auto difference = download(u);
        difference -= x;
        EXPECT_LT(difference.linfty_norm(), tolerance * (1 + x.linfty_norm())) << what;
      };
      EXPECT_EQ(u.size(), x.size());
      EXPECT_EQ(u(1234), x(1234));
      u(1234) = 0.5;
      x(1234) = 0.5;
      same("one entry");
      EXPECT_NEAR(u * v, x * y, tolerance * x.l2_norm() * y.l2_norm());
      EXPECT_NEAR(u.l2_norm(), x.l2_norm(), tolerance * x.l2_norm());
      EXPECT_NEAR(u.l1_norm(), x.l1_norm(), tolerance * x.l1_norm());
      EXPECT_EQ(u.linfty_norm(), x.linfty_norm());
      EXPECT_NEAR(u.mean_value(), x.mean_value(), tolerance);
      u.add(0.5, v);
      x.add(0.5, y);
      same("add");
      u.add(0.5, v, -2, w);
      x.add(0.5, y, -2, z);
      same("add two");
      u.sadd(0.25, 3, w);
      x.sadd(0.25, 3, z);
      same("sadd");
      u.sadd(-1, w);
      x.sadd(-1, 1, z);
      same("sadd one");
      u.add(0.75);
      x.add(0.75);
      same("add a number");
      u.scale(v);
      x.scale(y);
      same("scale");
      u *= 3;
      x *= 3;
      same("times");
      u /= 7;
      x /= 7;
      same("over");
      u += v;
      x += y;
      same("plus");
      u -= w;
      x -= z;
      same("minus");
      EXPECT_NEAR(u.add_and_dot(0.3, v, w),
                  x.add_and_dot(0.3, y, z),
                  tolerance * x.l2_norm() * z.l2_norm());
      same("add and dot");
      EXPECT_NEAR(u.add_and_dot(0.3, v, u), x.add_and_dot(0.3, y, x), tolerance * x.norm_sqr());
      u.equ(2, v);
      x.equ(2, y);
      same("equ");
      u = 0.125;
      x = 0.125;
      same("a number");
      EXPECT_FALSE(u.all_zero());
      u = w;
      x = z;
      same("copy");
      u.swap(v);
      x.swap(y);
      same("swap");
      dealii::Vector<Number> difference(x);
      difference -= z;
      EXPECT_EQ(u.max_difference(w), difference.linfty_norm());
      Saltus::Vector<double> converted;
      converted.convert_from(u);
      EXPECT_EQ(converted.linfty_norm(), u.linfty_norm());
      u.reinit(v);
      EXPECT_TRUE(u.all_zero());
      EXPECT_EQ(u.size(), v.size());

      x(77) = std::numeric_limits<Number>::quiet_NaN();
      u     = upload(device(), x);
      EXPECT_TRUE(std::isnan(u.linfty_norm()));
      EXPECT_TRUE(std::isnan(u.max_difference(v)));
    }

    /// Of arrays of all lengths: with chunks and thread blocks that are not full, and without any.
    template <typename Number>
    void
    test_range()
    {
      const Saltus::VectorKernels<Number> kernels(device());
      constexpr Number                    none = std::numeric_limits<Number>::infinity();
      std::vector<Number>                 values(20000);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = -7 - std::cos(Number(i) / 3000); // all of one sign
      for (const std::size_t n : {0, 1, 5, 300, 9001, 20000})
        {
          const Saltus::Memory<Number> x(device(), values);
          const auto [lowest, highest] = kernels.range(n, x.data());
          EXPECT_EQ(lowest, n == 0 ? none : *std::min_element(values.begin(), values.begin() + n));
          EXPECT_EQ(highest,
                    n == 0 ? -none : *std::max_element(values.begin(), values.begin() + n));
          EXPECT_EQ(kernels.max_difference(n, x.data(), x.data()), 0);
        }
      values[1234] = std::numeric_limits<Number>::quiet_NaN();
      const Saltus::Memory<Number> x(device(), values);
      EXPECT_TRUE(std::isnan(kernels.range(values.size(), x.data()).first));
      EXPECT_TRUE(std::isnan(kernels.range(values.size(), x.data()).second));
    }
  };

  /// More products at once than one launch takes, some of them of an array with itself.
  template <typename Number>
  void
  compare_dots(const Saltus::Device device)
  {
    constexpr unsigned int              n_vectors = 10, count = n_vectors * n_vectors;
    std::vector<Saltus::Vector<Number>> vectors;
    for (unsigned int i = 0; i < n_vectors; ++i)
      vectors.push_back(upload(device, random_vector<Number>(i)));
    std::vector<const Number *> x, y;
    for (const auto &a : vectors)
      for (const auto &b : vectors)
        {
          x.push_back(a.data());
          y.push_back(b.data());
        }
    std::vector<Number>                 results(count);
    const Saltus::VectorKernels<Number> kernels(device);
    kernels.dots(count, vectors[0].data_size(), x.data(), y.data(), results.data());
    for (unsigned int i = 0; i < count; ++i)
      {
        const auto &a = vectors[i / n_vectors], &b = vectors[i % n_vectors];
        EXPECT_NEAR(results[i],
                    a * b,
                    10 * std::numeric_limits<Number>::epsilon() * a.l2_norm() * b.l2_norm())
          << "product " << i;
      }
  }

  /// A diagonal matrix with condition number 100.
  struct Diagonal : public Subscriptor
  {
    using value_type = double;

    explicit Diagonal(const Saltus::Device device)
    {
      auto values = random_vector<double>(5);
      for (double &value : values)
        value = std::pow(10., value);
      diagonal = upload(device, values);
    }

    void
    vmult(Saltus::Vector<double> &to, const Saltus::Vector<double> &from) const
    {
      to = from;
      to.scale(diagonal);
    }

    void
    Tvmult(Saltus::Vector<double> &to, const Saltus::Vector<double> &from) const
    {
      vmult(to, from);
    }

    std::size_t
    m() const
    {
      return diagonal.size();
    }

    double
    el(const unsigned int, const unsigned int) const
    {
      return 1.;
    }

    Saltus::Vector<double> diagonal;
  };

  template <typename Solver, typename Preconditioner>
  void
  solve(const Saltus::Device device, const Diagonal &matrix, const Preconditioner &preconditioner)
  {
    const auto             b = upload(device, random_vector<double>(6));
    Saltus::Vector<double> x, residual;
    x.reinit(b);
    SolverControl control(200, 1e-10 * b.l2_norm());
    Solver        solver(control);
    solver.solve(matrix, x, b, preconditioner);
    residual.reinit(b);
    matrix.vmult(residual, x);
    residual -= b;
    EXPECT_LT(residual.l2_norm(), 2e-10 * b.l2_norm());
    download(x);
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(VectorTest)

TEST_P(VectorTest, DoubleLikeDealii)
{
  compare<double>();
}

TEST_P(VectorTest, FloatLikeDealii)
{
  compare<float>();
}

TEST_P(VectorTest, Range)
{
  test_range<double>();
  test_range<float>();
}

TEST_P(VectorTest, SeveralProductsAtOnce)
{
  compare_dots<double>(device());
  compare_dots<float>(device());
}

/// Also in a release build: everything that would read beyond the end of an array.
TEST_P(VectorTest, OtherShapesAreRefused)
{
  using Vector = Saltus::Vector<double>;
  const Vector shape(device(), n_elements, n_modes, n_components);
  const auto   refuses = [&](const Vector &other) {
    Vector     v(shape);
    const auto refused = [&](const auto &operation) {
      const std::string message = Saltus::Tests::message_of(operation);
      EXPECT_TRUE(Saltus::Tests::contains(message, "vector"));
    };
    refused([&]() { v *other; });
    refused([&]() { v.max_difference(other); });
    refused([&]() { v.add(1., other); });
    refused([&]() { v.add(1., v, 1., other); });
    refused([&]() { v.sadd(1., other); });
    refused([&]() { v.equ(1., other); });
    refused([&]() { v.add_and_dot(1., other, v); });
    refused([&]() { v.add_and_dot(1., v, other); });
    refused([&]() { v.scale(other); });
    refused([&]() { v += other; });
  };
  refuses(Vector());
  refuses(Vector(device(), n_elements + 1, n_modes, n_components));
  refuses(Vector(device(), n_elements, n_modes * n_components, 1)); // the same number of entries
  if (device().is_cuda())
    refuses(Vector(Saltus::Device::cpu(), n_elements, n_modes, n_components));
}

/// A smaller vector takes the place of a larger one, which may come back.
// The memory of a copy stays in its place, which makes further copies fast.
TEST_P(VectorTest, CopyInHostMemory)
{
  Saltus::Vector<double> copy;
  const double          *place = nullptr;
  for (const unsigned int seed : {1, 2})
    {
      const auto values = random_vector<double>(seed);
      const auto vector = upload(device(), values);
      vector.copy_to_host(copy);
      EXPECT_TRUE(copy.device() == Saltus::Device::cpu());
      EXPECT_EQ(download(copy), values);
      EXPECT_TRUE(place == nullptr || copy.data() == place);
      place = copy.data();
    }
  Saltus::Vector<double>(device(), 5, n_modes, n_components).copy_to_host(copy);
  EXPECT_EQ(copy.n_elements(), 5U);
}

TEST_P(VectorTest, OtherLayoutInTheSameArray)
{
  const Saltus::Vector<double> small(device(), 70, 3, 1);
  Saltus::Vector<double>       large(device(), 70, 6, 2), x = large;
  const double *const          array = x.data();
  x                                  = 2.;
  x.reinit(small, true);
  EXPECT_EQ(x.data(), array);
  EXPECT_EQ(x.size(), small.size());
  x = 3.;
  EXPECT_EQ(x.l1_norm(), 3. * x.size()); // padding is zero
  Saltus::Vector<double> copy = x, other = small;
  other = x;
  EXPECT_EQ(copy.max_difference(x), 0.);
  EXPECT_EQ(other.max_difference(x), 0.);
  EXPECT_EQ(other.size(), small.size());
  x.reinit(large);
  EXPECT_EQ(x.data(), array);
  EXPECT_EQ(x.size(), large.size());
  EXPECT_TRUE(x.all_zero());
}

TEST_P(VectorTest, NotInitialised)
{
  Saltus::Vector<double> empty, other, moved(device(), n_elements, n_modes, n_components);
  const auto             target = std::move(moved);
  for (auto *v : {&empty, &moved})
    {
      EXPECT_EQ(v->size(), 0U);
      EXPECT_THROW(v->l1_norm(), ExceptionBase);
      EXPECT_THROW(v->l2_norm(), ExceptionBase);
      EXPECT_THROW(v->linfty_norm(), ExceptionBase);
      EXPECT_THROW(v->mean_value(), ExceptionBase);
      EXPECT_THROW(*v * other, ExceptionBase);
      EXPECT_THROW(*v = 1., ExceptionBase);
      EXPECT_THROW(v->add(1.), ExceptionBase);
      EXPECT_THROW(v->add(1., other), ExceptionBase);
      EXPECT_THROW(*v *= 2., ExceptionBase);
    }
  other = empty; // nothing is read
  EXPECT_EQ(other.size(), 0U);
}

TEST_P(VectorTest, SolverCG)
{
  solve<SolverCG<Saltus::Vector<double>>>(device(), Diagonal(device()), PreconditionIdentity());
}

TEST_P(VectorTest, SolverGMRES)
{
  solve<SolverGMRES<Saltus::Vector<double>>>(device(), Diagonal(device()), PreconditionIdentity());
}

TEST_P(VectorTest, PreconditionChebyshev)
{
  using Chebyshev = PreconditionChebyshev<Diagonal, Saltus::Vector<double>, PreconditionIdentity>;
  const Diagonal            matrix(device());
  Chebyshev::AdditionalData data;
  data.degree              = 3;
  data.smoothing_range     = 200;
  data.eig_cg_n_iterations = 30;
  data.preconditioner      = std::make_shared<PreconditionIdentity>();
  Chebyshev chebyshev;
  chebyshev.initialize(matrix, data);
  solve<SolverCG<Saltus::Vector<double>>>(device(), matrix, chebyshev);
}

// The three orders of coefficients, written out, and that they fill their blocks.
TEST(CoefficientLayout, Orders)
{
  using Place = std::function<std::size_t(unsigned int, unsigned int, unsigned int)>;
  struct Case
  {
    int   n_modes, n_components;
    Place place; ///< of element, mode and component
  };
  const auto in_blocks = [](const unsigned int nm, const unsigned int nc) -> Place {
    return [=](const unsigned int e, const unsigned int m, const unsigned int c) {
      return ((std::size_t(e / 32) * nm + m) * 32 + e % 32) * nc + c;
    };
  };
  const auto mode_by_mode = [](const unsigned int nm, const unsigned int nc) -> Place {
    return [=](const unsigned int e, const unsigned int m, const unsigned int c) {
      return (std::size_t(e) * nm + m) * nc + c;
    };
  };
  const auto component_by_component = [](const unsigned int nm, const unsigned int nc) -> Place {
    return [=](const unsigned int e, const unsigned int m, const unsigned int c) {
      return (std::size_t(e) * nc + c) * nm + m;
    };
  };
  for (const Case &test : {Case{10, 4, in_blocks(10, 4)},
                           Case{4, 4, in_blocks(4, 4)},
                           Case{16, 1, in_blocks(16, 1)},
                           Case{27, 3, in_blocks(27, 3)},
                           Case{9, 4, mode_by_mode(9, 4)},
                           Case{49, 4, mode_by_mode(49, 4)},
                           Case{10, 5, mode_by_mode(10, 5)},
                           Case{1, 5, mode_by_mode(1, 5)},
                           Case{8, 5, component_by_component(8, 5)},
                           Case{216, 5, component_by_component(216, 5)}})
    {
      const Saltus::CoefficientLayout layout{test.n_modes, test.n_components};
      for (int e = 0; e < 64; ++e)
        for (int m = 0; m < test.n_modes; ++m)
          for (int c = 0; c < test.n_components; ++c)
            {
              const std::size_t place = layout.index(e, m, c);
              ASSERT_EQ(place, test.place(e, m, c)) << test.n_modes << ", " << test.n_components;
              ASSERT_EQ(place,
                        layout.index(e / 32 * 32, 0) + e % 32 * layout.element_stride() +
                          m * layout.mode_stride() + c * layout.component_stride());
            }
    }
}
