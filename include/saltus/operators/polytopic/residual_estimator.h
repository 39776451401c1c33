// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_residual_estimator_h
#define saltus_operators_polytopic_residual_estimator_h

#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/operators/polytopic/values_by_rule.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// The squares of what an estimate consists of, `[element]` of this rank.
  struct ResidualEstimate
  {
    /// @param partition of the elements; none on one rank
    explicit ResidualEstimate(const std::size_t                              n_elements,
                              const std::shared_ptr<const ElementPartition> &partition = nullptr)
      : residuals(n_elements, 0.)
      , fluxes(n_elements, 0.)
      , jumps(n_elements, 0.)
      , partition(partition)
    {}

    /// The estimates of the elements, no squares.
    std::vector<double>
    of_elements() const;

    /// That of all elements of all ranks together: the root of the sum of all squares. Collective.
    double
    sum() const;

    std::vector<double> residuals; ///< of the equation in elements
    std::vector<double> fluxes;    ///< of fluxes across interfaces and through boundaries
    std::vector<double> jumps;     ///< of the solution

  private:
    std::shared_ptr<const ElementPartition> partition;
  };


  /// An estimate of the error of a PolytopicOperator's solution \f$u_h\f$ in the norm of
  /// energy_error(), from its residuals: A. Cangiani, Z. Dong and E. H. Georgoulis, A posteriori
  /// error estimates for discontinuous Galerkin methods on polygonal and polyhedral meshes, SIAM J.
  /// Numer. Anal. 61 (2023), with the powers of the degree p of P. Houston, D. Schoetzau and T. P.
  /// Wihler, Math. Models Methods Appl. Sci. 17 (2007), and for small diffusion the weights of L.
  /// Zhu and D. Schoetzau, IMA J. Numer. Anal. 31 (2011). Constants are left out, which depend on
  /// the shapes of the elements.
  ///
  /// For an element \f$\kappa\f$ whose box has the longest edge h it is the root of the sum of
  ///
  /// in the element: \f$\int\alpha (f + \nabla\cdot(A\nabla u_h) - b\cdot\nabla u_h - c u_h)^2\f$
  /// with \f$\alpha = \min(h^2/(p^2\lambda), h/(p|b|), 1/c)\f$, where \f$\lambda\f$ is the smallest
  /// diffusion in any direction;
  ///
  /// at interfaces, half of each for either side: \f$\int\beta [A\nabla u_h\cdot n]^2 + \frac hp
  /// |[A^{1/2}\nabla_T u_h]|^2 + \sigma [u_h]^2\f$, with the derivatives \f$\nabla_T\f$ along them,
  /// the penalty \f$\sigma\f$ with the share of advection as in the form, and
  /// \f$\beta = (\alpha/\lambda)^{1/2}\f$, where here \f$\lambda = n\cdot A n\f$, and only
  /// \f$b\cdot n\f$ counts of b;
  ///
  /// at boundaries where u = g: \f$\int\sigma(u_h - g)^2\f$, at others
  /// \f$\int\beta(g - a u_h - A\nabla u_h\cdot n)^2\f$.
  ///
  /// The derivatives of a tensor that is taken by point are differences over 1e-5 of the cells'
  /// sizes; such a tensor must be continuous in elements. One that is taken by cell may jump
  /// between cells: there fluxes count as at interfaces.
  ///
  /// On several ranks each has the estimates of its elements; all call the functions together.
  template <int dim>
  class ResidualEstimator
  {
  public:
    /// @param op is not copied and must live as long
    /// @param source f; empty: 0
    /// @param extra_degree of the quadrature rules: sources and coefficients are no polynomials
    /// @throws dealii::ExcMessage for values that are not finite
    ResidualEstimator(const PolytopicOperator<dim> &op,
                      const FieldFunction<dim>     &source,
                      const unsigned int            extra_degree = 2);

    /// @param coefficients `[dof]` of the solution on this rank
    ResidualEstimate
    estimate(const std::vector<double> &coefficients) const;

    /// The root of \f$\int A\nabla e\cdot\nabla e + c e^2\f$ and the integrals of
    /// \f$\sigma [u_h]^2\f$ and \f$\sigma(u_h - g)^2\f$ as in the estimate, with the error e.
    /// @param exact,gradient the solution, and the dim components of its gradient
    double
    energy_error(const std::vector<double> &coefficients,
                 const FieldFunction<dim>  &exact,
                 const FieldFunction<dim>  &gradient) const;

  private:
    using Tensor2 = dealii::SymmetricTensor<2, dim>;

    /// Values of a coefficient in host memory, see PointCoefficient.
    struct HostCoefficient
    {
      explicit HostCoefficient(const PolytopicCoefficient &coefficient)
        : arrays(coefficient.arrays())
        , values(coefficient.values.to_host())
      {}

      int
      n_components() const
      {
        return arrays.n_components;
      }

      const double *
      at(const std::size_t q, const unsigned int owner) const
      {
        PointCoefficient here = arrays;
        here.values           = values.data();
        return here.at(q, owner);
      }

      PointCoefficient    arrays;
      std::vector<double> values;
    };

    /// Points of elements or faces with their coefficients in host memory.
    struct Points
    {
      Points(const PointSet<dim> &points, const PolytopicCoefficients &coefficients);

      Tensor2
      diffusion_at(const std::size_t q, const unsigned int owner) const;

      dealii::Tensor<1, dim>
      velocity_at(const std::size_t q, const unsigned int owner) const;

      std::vector<std::size_t>        starts; ///< `[part]`
      std::vector<dealii::Point<dim>> places; ///< `[point]`
      std::vector<int>                owners; ///< `[point]`
      HostCoefficient                 diffusion, velocity, reaction;
    };

    /// `[point]` of elements: the divergence of the columns of the diffusion tensor.
    std::vector<dealii::Tensor<1, dim>>
    divergence_of_diffusion() const;

    void
    add_residuals(const unsigned int         element,
                  const std::vector<double> &coefficients,
                  ResidualEstimate          &result) const;

    /// @param known coefficients also of ghosts
    void
    add_faces(const unsigned int         element,
              const std::vector<double> &known,
              ResidualEstimate          &result) const;

    /// What there is at a point on a face, as its element sees it.
    struct FacePoint
    {
      std::size_t                               q;
      const FacetRecord                        &facet;
      double                                    weight;
      dealii::Tensor<1, dim>                    normal;
      Tensor2                                   diffusion;
      double                                    speed; ///< along the normal
      typename PolytopicSpace<dim>::Derivatives solution;
    };

    /// Of a point between elements, and at the boundary.
    void
    add_interface(const FacePoint           &point,
                  const std::vector<double> &known,
                  ResidualEstimate          &result) const;
    void
    add_boundary(const FacePoint &point, ResidualEstimate &result) const;

    /// A point between two cells of one element.
    struct CellFacePoint
    {
      dealii::Point<dim>     place;
      dealii::Tensor<1, dim> jump; ///< of \f$A n\f$, times the root of all weights
    };

    /// Where the diffusion of an element jumps between its cells, `[element]`.
    std::vector<std::vector<CellFacePoint>>
    find_cell_faces() const;

    std::vector<CellFacePoint>
    points_between(const unsigned int                                     element,
                   ValuesByRule<dim, dealii::FEFaceValues<dim>, dim - 1> &values) const;

    /// Of fluxes there.
    void
    add_cell_faces(const unsigned int         element,
                   const std::vector<double> &coefficients,
                   ResidualEstimate          &result) const;

    MPI_Comm
    communicator() const
    {
      return space.mesh().triangulation().get_communicator();
    }

    /// Of the elements; none on one rank.
    std::shared_ptr<const ElementPartition>
    partition() const
    {
      return space.mesh().ghosts() ? space.mesh().ghosts()->partition : nullptr;
    }

    /// What the square of a residual is multiplied with.
    /// @param diffusion,speed in the direction that counts
    double
    residual_weight(const unsigned int element,
                    const double       diffusion,
                    const double       speed,
                    const double       reaction) const;

    /// The same for fluxes along a normal.
    double
    flux_weight(const unsigned int element, const double diffusion, const double speed) const;

    const PolytopicOperator<dim>       &op;
    const PolytopicSpace<dim>          &space;
    std::vector<double>                 sizes;           ///< `[element]`: h
    std::vector<double>                 least_reactions; ///< `[element]`
    std::vector<FacetRecord>            facets;
    std::vector<std::size_t>            face_starts; ///< `[element]`
    std::vector<double>                 weights, source_values, boundary_values;
    std::vector<dealii::Tensor<1, dim>> normals; ///< `[point]`: with the weight as length
    std::vector<dealii::Tensor<1, dim>> diffusion_divergence; ///< empty: 0
    std::unique_ptr<const Points>       volume, faces;

    std::vector<std::vector<CellFacePoint>> cell_faces; ///< none unless it is taken by cell
  };
} // namespace Saltus

#endif
