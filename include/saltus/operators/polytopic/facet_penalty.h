// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_facet_penalty_h
#define saltus_operators_polytopic_facet_penalty_h

#include <saltus/operators/polytopic/polytopic_space.h>

#include <vector>

namespace Saltus
{
  /// What \f$C_\sigma p^2\, n\cdot A n\f$ is multiplied with in the penalty on a facet F of an
  /// element \f$\kappa\f$; the larger one of two neighbours counts. \f$K_F\f$ is the largest
  /// simplex with the face F in the cell of the element at F.
  enum class PolytopicPenalty
  {
    /// \f$\min(|F| / |K_F|, |\partial\kappa| / |\kappa|)\f$: however many facets there are.
    perimeter,
    /// \f$|F| / |K_F|\f$: safe for elements of any shape, large where cells are small.
    cells,
    /// \f$\min(|F| / |K_F|, p^{2(dim-1)} |F| / |\kappa|)\f$, as Dong, Georgoulis and Kappas in
    /// appendix A for elements that simplices of their size nearly cover. The factor must grow with
    /// the number of small facets.
    covering
  };


  /// What facets multiply the diffusion along their normals with.
  template <int dim>
  class FacetPenalty
  {
  public:
    /// @param space,areas are not copied
    /// @param areas `[facet]`, counted through all elements
    FacetPenalty(const PolytopicSpace<dim> &space,
                 const std::vector<double> &areas,
                 const PolytopicPenalty     kind,
                 const double               factor);

    /// For an element at one of its facets.
    /// @param cell of the element there
    double
    operator()(const unsigned int element, const unsigned int cell, const double area) const;

  private:
    const PolytopicSpace<dim> &space;
    const PolytopicPenalty     kind;
    const double               factor;
    std::vector<double>        perimeters; ///< `[element]`
  };
} // namespace Saltus

#endif
