// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_adaptivity_h
#define applications_polytopic_adaptivity_h

#include <saltus/io/files/estimate_table.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/operators/polytopic/polytopic_operator.h>

#include "../common/elliptic_problem.h"
#include "adaptivity_parameters.h"
#include <functional>
#include <optional>
#include <ostream>
#include <vector>

namespace Saltus::Polytopic
{
  /// What the section `Adaptivity` makes of a solution: estimates of its error, and elements and
  /// degrees of the next cycle on the same mesh of cells.
  template <int dim>
  class Adaptivity
  {
  public:
    /// @param functions are not copied
    Adaptivity(const AdaptivityParameters   &parameters,
               const EllipticFunctions<dim> &functions,
               const MPI_Comm                communicator);

    bool
    is_used() const
    {
      return parameters.is_used();
    }

    /// Whether there are elements already, those of the last adapt().
    bool
    has_elements() const
    {
      return next.has_value();
    }

    const PolytopicSpace<dim> &
    elements() const
    {
      return *next;
    }

    /// On these elements the solution of the last cycle; zeros if there is none.
    const std::vector<double> &
    initial_guess() const
    {
      return guess;
    }

    /// @throws dealii::ExcMessage for elements of higher degrees than the highest one
    void
    check_first(const PolytopicSpace<dim> &space) const;

    /// Estimate errors.
    void
    estimate(const PolytopicOperator<dim> &op, const std::vector<double> &coefficients);

    /// `[element]` of this rank, of the last estimate().
    const std::vector<double> &
    estimates() const
    {
      return of_elements;
    }

    /// Make the elements of the next cycle.
    /// @return whether anything has changed
    bool
    adapt(const PolytopicSpace<dim> &space,
          const std::vector<double> &coefficients,
          std::ostream              &stream);

    /// Makes the mesh again, cut in another way.
    using Remake = std::function<const MappedMesh<dim> &(const MeshCut<dim> &)>;

    /// Spread the elements of the next cycle anew, if one rank has much more to do than others.
    /// Collective.
    /// @param remake destroys the mesh on which the elements are
    void
    balance(const Remake &remake, std::ostream &stream);

    const EstimateTable &
    estimate_table() const
    {
      return table;
    }

  private:
    /// `[element]`: about what it costs.
    static std::vector<double>
    work(const PolytopicSpace<dim> &space);

    /// `[element]` of the next cycle: an element that stays on one rank with all others of the same
    /// number. Elements that may become one again stay together, so that it does not depend on the
    /// ranks whether they do.
    /// @param roots see ElementFamilies::roots()
    std::vector<unsigned int>
    groups(const std::vector<unsigned int> &roots) const;

    /// What the fullest rank has to do over the mean, and over what it must have at least, as ranks
    /// differ by single groups.
    struct Imbalance
    {
      double over_mean, over_best;
    };

    Imbalance
    imbalance() const;

    const AdaptivityParameters         parameters;
    const EllipticFunctions<dim>      &functions;
    const MPI_Comm                     communicator;
    std::vector<double>                of_elements, guess;
    std::optional<PolytopicSpace<dim>> next;
    std::optional<ElementFamilies>     families; ///< of the elements, if they have been adapted
    EstimateTable                      table;
  };
} // namespace Saltus::Polytopic

#endif
