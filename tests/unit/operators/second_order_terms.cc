// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// SecondOrderTerms at a face of a law that has no forms of its own for that, as one of a user's may
// be, against a law with the same flux that has them.
#include <saltus/operators/conservation_law/kernels/second_order_terms.h>
#include <saltus/physics/euler.h>

#include <gtest/gtest.h>
#include <random>

using namespace Saltus;

namespace
{
  template <int dim>
  struct WithoutForms : public Euler<dim>
  {
    using NormalGradient = void;
  };

  template <typename Law>
  struct Fluxes
  {
    static constexpr int dim = Law::dimension, n = Law::n_components;

    using Terms = SecondOrderTerms<Law, double, double>;
    using State = typename Terms::State;

    State normal, of_jump;
    State tangential[dim - 1];

    Fluxes(const State                        &u,
           const FaceGradient<double, dim, n> &gradient,
           const State                        &jump,
           const Array<double, dim>           &normal_direction)
    {
      SecondOrderArguments<Law, double> arg;
      arg.law.transport.viscosity = 0.3;
      arg.tables.reference_volume = 1.;
      const Terms terms(arg);
      const auto  medium = terms.medium(u, 0.);
      normal             = terms.normal_flux(medium, gradient, normal_direction);
      of_jump            = terms.normal_flux(medium, Terms::across(jump), normal_direction);
      for (int k = 0; k < dim - 1; ++k)
        tangential[k] = terms.tangential_flux(medium, jump, normal_direction, gradient.tangents[k]);
    }
  };

  template <int dim>
  void
  compare()
  {
    static_assert(HasNormalGradient<Euler<dim>>::value);
    static_assert(!HasNormalGradient<WithoutForms<dim>>::value);
    static_assert(HasSecondOrderFlux<WithoutForms<dim>>::value);
    constexpr int                          n = dim + 2;
    std::mt19937                           generator(17);
    std::uniform_real_distribution<double> number(-1., 1.);
    for (int i = 0; i < 20; ++i)
      {
        Array<double, n>             u, jump;
        FaceGradient<double, dim, n> gradient;
        Array<double, dim>           normal;
        for (int d = 0; d < dim; ++d)
          normal[d] = number(generator);
        for (int c = 0; c < n; ++c)
          {
            u[c]               = number(generator);
            jump[c]            = number(generator);
            gradient.across[c] = number(generator);
          }
        u[0] += 2.;
        u[n - 1] += 6.;
        for (int k = 0; k < dim - 1; ++k)
          {
            for (int c = 0; c < n; ++c)
              gradient.derivatives[k][c] = number(generator);
            Array<double, dim> &tangent = gradient.tangents[k];
            for (int d = 0; d < dim; ++d)
              tangent[d] = number(generator);
            const double part = dot<dim>(tangent, normal) / dot<dim>(normal, normal);
            for (int d = 0; d < dim; ++d)
              tangent[d] -= part * normal[d];
          }
        const Fluxes<Euler<dim>>        with(u, gradient, jump, normal);
        const Fluxes<WithoutForms<dim>> without(u, gradient, jump, normal);
        for (int c = 0; c < n; ++c)
          {
            EXPECT_NEAR(without.normal[c], with.normal[c], 1e-12);
            EXPECT_NEAR(without.of_jump[c], with.of_jump[c], 1e-12);
            for (int k = 0; k < dim - 1; ++k)
              EXPECT_NEAR(without.tangential[k][c], with.tangential[k][c], 1e-12);
          }
      }
  }
} // namespace

TEST(SecondOrderTerms, NeedNoFormsOfTheLawAtFaces)
{
  compare<2>();
  compare<3>();
}
