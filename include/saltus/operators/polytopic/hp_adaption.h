// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_hp_adaption_h
#define saltus_operators_polytopic_hp_adaption_h

#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/element_families.h>
#include <saltus/operators/polytopic/polytopic_space.h>

#include <vector>

/// Elements and degrees that follow a solution, on one mesh of cells: elements are divided into
/// parts of their cells, or their degrees are raised; or the other way. On several ranks each has
/// what belongs to its elements, and all call the functions together: what becomes of elements does
/// not depend on the ranks.
namespace Saltus
{
  /// What becomes of marked elements.
  enum class HpMethod
  {
    h, ///< they are divided
    p, ///< their degrees are raised by one
    /// The latter where the solution is smooth in them, else the former; where one cannot be done,
    /// the other.
    hp
  };

  struct HpRules
  {
    HpMethod method = HpMethod::hp;
    /// Whether so many elements are marked that they have a share of the sum of the squares of all
    /// estimates (W. Doerfler, SIAM J. Numer. Anal. 33, 1996), or a share of the elements.
    bool   by_bulk       = false;
    double refined_share = 0.2; ///< those with the largest estimates
    /// Of the elements those with the smallest estimates, which get fewer unknowns.
    double       coarsened_share = 0.;
    double       smooth_decay    = 0.3; ///< a solution with a decay below is smooth
    unsigned int highest_degree  = max_legendre_degree;
    Grouping     grouping        = Grouping::metis;
    unsigned int n_parts         = 4; ///< of a divided element
  };

  /// What is to be done with elements. Those of one cell cannot be divided.
  struct HpPlan
  {
    std::vector<bool>         divided;
    std::vector<bool>         merged;  ///< with their whole families, see ElementFamilies
    std::vector<unsigned int> degrees; ///< also of the parts of those that are divided
    // On all ranks.
    unsigned int n_divided = 0, n_raised = 0;
    unsigned int n_merged = 0, n_lowered = 0;
    unsigned int n_left = 0; ///< marked ones of which nothing can become
  };

  /// The elements with the largest estimates, and all whose estimates are equal to the least of
  /// these but for a millionth: which of them comes first would depend on rounding.
  /// @param estimates `[element]` of this rank
  /// @param share of the elements, rounded up, or of the sum of the squares
  std::vector<bool>
  mark_largest(const std::vector<double> &estimates,
               const double               share,
               const bool                 by_bulk,
               const MPI_Comm             communicator = MPI_COMM_SELF);

  /// The elements with the smallest estimates, none of which is equal to one that is not among
  /// them.
  /// @param estimates `[element]` of this rank
  /// @param share of the elements, rounded down
  std::vector<bool>
  mark_smallest(const std::vector<double> &estimates,
                const double               share,
                const MPI_Comm             communicator = MPI_COMM_SELF);

  /// @param marked `[element]`
  /// @param decay `[element]`: how smooth the solution is, see legendre_decay(); for HpMethod::hp
  template <int dim>
  HpPlan
  plan_adaption(const PolytopicSpace<dim> &space,
                const std::vector<bool>   &marked,
                const std::vector<double> &decay,
                const HpRules             &rules);

  /// Add to a plan what becomes of the elements with the smallest estimates, of which it has
  /// nothing so far. Whole families become one element with the highest of their degrees: with
  /// HpMethod::hp where the solution is smooth in all of them, or no degree can be lowered. Else
  /// degrees are lowered by one. Nothing is done to elements whose estimates would then be expected
  /// to be as large as the least of those that are refined: they grow by the inverse of the decay
  /// if a degree is lowered, and like \f$h^p\f$ in larger elements.
  /// @param estimates `[element]`
  template <int dim>
  void
  plan_coarsening(HpPlan                    &plan,
                  const PolytopicSpace<dim> &space,
                  const ElementFamilies     &families,
                  const std::vector<double> &estimates,
                  const std::vector<double> &decay,
                  const HpRules             &rules);

  /// @param families those of the elements become those of the new ones
  template <int dim>
  PolytopicSpace<dim>
  adapt(const PolytopicSpace<dim> &space,
        const HpPlan              &plan,
        const HpRules             &rules,
        ElementFamilies           &families);

  /// The same function on elements that are parts of its own, or by projection in their boxes where
  /// degrees are lower. In elements that consist of several ones the projection.
  /// @param coefficients `[dof of from]` of this rank
  /// @return `[dof of to]`
  template <int dim>
  std::vector<double>
  transfer(const PolytopicSpace<dim> &from,
           const std::vector<double> &coefficients,
           const PolytopicSpace<dim> &to);
} // namespace Saltus

#endif
