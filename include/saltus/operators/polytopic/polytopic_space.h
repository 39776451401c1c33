// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_polytopic_space_h
#define saltus_operators_polytopic_polytopic_space_h

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/dofs/dof_handler.h>

#include <saltus/base/device/mirrored_array.h>
#include <saltus/mesh/agglomerate/polytopic_mesh.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace Saltus
{
  /// Discontinuous functions on polytopic elements: in each of them polynomials of a total degree
  /// of its own, as sums of products of Legendre polynomials that are orthonormal in the element's
  /// box. There is no DoFHandler; unknowns are numbered element by element.
  ///
  /// On several ranks the coefficients of a function are those of the rank's own elements.
  template <int dim>
  class PolytopicSpace
  {
  public:
    /// Collective.
    /// @param degrees `[element]` of this rank
    /// @throws dealii::ExcMessage for degrees of 0, and beyond max_legendre_degree; for 2^31
    /// coefficients of a rank and more
    PolytopicSpace(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                   const std::vector<unsigned int>                 &degrees);

    /// The same degree in all elements.
    PolytopicSpace(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                   const unsigned int                               degree);

    const PolytopicMesh<dim> &
    mesh() const
    {
      return *polytopes;
    }

    const std::shared_ptr<const PolytopicMesh<dim>> &
    shared_mesh() const
    {
      return polytopes;
    }

    /// Also of ghosts.
    unsigned int
    degree(const unsigned int element) const
    {
      return all_degrees[element];
    }

    /// On all ranks.
    unsigned int
    max_degree() const
    {
      return highest_degree;
    }

    /// Whether an element or ghost has it.
    bool
    has_degree(const unsigned int degree) const
    {
      return present_degrees[degree];
    }

    /// The one that all elements and ghosts have; 0: they have several.
    int
    common_degree() const
    {
      const auto first = std::find(present_degrees.begin(), present_degrees.end(), true);
      return std::count(first, present_degrees.end(), true) == 1 ? first - present_degrees.begin()
                                                                 : 0;
    }

    /// On all ranks.
    std::size_t
    n_dofs() const
    {
      return n_global_dofs;
    }

    /// On this rank.
    std::size_t
    n_owned_dofs() const
    {
      return all_first_dofs[mesh().n_elements()];
    }

    /// Of an element or a ghost.
    unsigned int
    n_dofs(const unsigned int element) const
    {
      return all_first_dofs[element + 1] - all_first_dofs[element];
    }

    /// Place of an element's first coefficient among those of this rank.
    std::size_t
    first_dof(const unsigned int element) const
    {
      return all_first_dofs[element];
    }

    /// `[element or ghost]`
    const MirroredArray<int> &
    degrees() const
    {
      return all_degrees;
    }

    /// `[element or ghost]`: see first_dof(); and the number of all coefficients.
    const MirroredArray<int> &
    first_dofs() const
    {
      return all_first_dofs;
    }

    /// Coefficients of this rank's elements, and behind them those of its ghosts. Collective.
    std::vector<double>
    with_ghosts(const std::vector<double> &coefficients) const;

    /// The function with these coefficients at a place, of which the element's polynomial is taken
    /// whether it is in the element or not.
    /// @param coefficients `[dof]` of this rank, for ghosts with those of ghosts
    /// @param element of this rank, or a ghost
    double
    value(const std::vector<double> &coefficients,
          const unsigned int         element,
          const dealii::Point<dim>  &x) const;

    dealii::Tensor<1, dim>
    gradient(const std::vector<double> &coefficients,
             const unsigned int         element,
             const dealii::Point<dim>  &x) const;

    /// A function of the basis at a place.
    struct Mode
    {
      double                 value;
      dealii::Tensor<1, dim> gradient;
    };

    /// Those of an element.
    std::vector<Mode>
    modes(const unsigned int element, const dealii::Point<dim> &x) const;

    /// A function at a place.
    struct Derivatives
    {
      double                          value = 0;
      dealii::Tensor<1, dim>          gradient;
      dealii::SymmetricTensor<2, dim> hessian;
    };

    /// Those up to @p order at once; the others are zero.
    Derivatives
    derivatives(const std::vector<double> &coefficients,
                const unsigned int         element,
                const dealii::Point<dim>  &x,
                const unsigned int         order) const;

    /// Of all functions of an element.
    std::vector<double>
    mode_values(const unsigned int element, const dealii::Point<dim> &x) const;

    /// Degree of elements on cells that represent the functions: \f$pk\f$ for the highest degree p
    /// and maps of degree k, but at most max_legendre_degree. Linear functions, and with straight
    /// cells all functions, are represented exactly.
    unsigned int
    degree_on_cells() const;

    /// The same function in a space of Saltus' on the cells, whose degree is at least max_degree(),
    /// better degree_on_cells(). All code for a DoFHandler then works with it. On several ranks
    /// each sets its part.
    /// @param dof_handler of an orthonormal element, see FE_OrthonormalDG
    /// @param result a vector of deal.II's, initialised
    template <typename Result>
    void
    copy_to_cells(const std::vector<double>     &coefficients,
                  const dealii::DoFHandler<dim> &dof_handler,
                  Result                        &result) const;

  private:
    std::shared_ptr<const PolytopicMesh<dim>> polytopes;
    MirroredArray<int>                        all_degrees, all_first_dofs; ///< ghosts included
    std::vector<bool>                         present_degrees;             ///< `[degree]`
    unsigned int                              highest_degree;
    std::size_t                               n_global_dofs;
  };
} // namespace Saltus

#endif
