// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_legendre_decay_h
#define saltus_operators_polytopic_legendre_decay_h

#include <saltus/operators/polytopic/polytopic_space.h>

#include <vector>

/// How smooth a function is in an element, by the decay of its Legendre coefficients (C. Mavriplis,
/// Adaptive mesh strategies for the spectral element method, Comput. Methods Appl. Mech. Eng. 116,
/// 1994). The polynomials are those that are orthonormal in the element itself, not in its box,
/// which elements fill in part only: what a polynomial does outside says nothing.
namespace Saltus
{
  /// The norms \f$\|\Pi_k u - \Pi_{k-1} u\|_{L^2(\kappa)}\f$, with the projections \f$\Pi_k\f$ onto
  /// polynomials of total degree k, `[k]` for k = 0 to p.
  /// @param coefficients `[dof]`
  /// @param points,weights of a rule in the element that integrates products of two of its
  /// functions
  template <int dim>
  std::vector<double>
  degree_norms(const PolytopicSpace<dim>             &space,
               const std::vector<double>             &coefficients,
               const unsigned int                     element,
               const std::vector<dealii::Point<dim>> &points,
               const std::vector<double>             &weights);

  /// The number \f$e^{-\sigma}\f$ of the line \f$\log a_k = C - \sigma k\f$ that fits the last four
  /// of degree_norms() best, without the mean, which says nothing if there are others: for p = 1 it
  /// is the ratio of the two. Where functions are even or odd, every other norm is small: therefore
  /// the largest one of k or more counts as that of k.
  double
  decay_of_norms(std::vector<double> norms);

  /// The same of all elements: the smaller, the smoother is the function. Where it is analytic this
  /// is a number below 1 for every degree; else it grows to 1 with the degree.
  template <int dim>
  std::vector<double>
  legendre_decay(const PolytopicSpace<dim> &space, const std::vector<double> &coefficients);
} // namespace Saltus

#endif
