// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_laplace_operator_h
#define saltus_operators_elliptic_laplace_operator_h

#include <deal.II/base/subscriptor.h>

#include <saltus/mesh/element_metrics.h>
#include <saltus/mesh/mesh_parts.h>
#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/blocks/element_couplings.h>
#include <saltus/operators/blocks/mode_transfer.h>
#include <saltus/operators/elliptic/elliptic_boundary_conditions.h>
#include <saltus/operators/elliptic/elliptic_boundary_data.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/operators/elliptic/hanging_form.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/elliptic/mixed_face_terms.h>
#include <saltus/operators/elliptic/pointwise_form.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/field_function.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Saltus
{
  template <int, typename>
  class MixedLaplaceOperator;

  /// The symmetric interior penalty discretisation of \f$ -\nabla\cdot(k \nabla u) + \lambda u \f$
  /// with the basis FE_SimplexDGModal or FE_HypercubeDG, for \f$k > 0\f$ and \f$\lambda \ge 0\f$,
  /// as a matrix for deal.II's solvers. One pass over the vectors an application; no matrix is
  /// stored.
  ///
  /// The penalty of a face is \f[ \tau = \text{factor}\; \frac{d+1}{2}\, \frac{(p+1)(p+d)}{d}\,
  /// \max\left(\frac{k_n^+ |F|}{|K^+|}, \frac{k_n^- |F|}{|K^-|}\right), \qquad
  /// k_n = \max_F (n \cdot k n) \frac{\max_K \operatorname{tr} k}{\min_K \operatorname{tr} k}, \f]
  /// twice that at Dirichlet boundaries: with the factor 1 the form is positive on every mesh, for
  /// every k that is constant in the elements or a scalar (Shahbazi, J. Comput. Phys. 205, 2005).
  /// Equation 14 of Karakus et al. is the factor 2/(d+1).
  ///
  /// On quadrilaterals and hexahedra the two numbers before the maximum are replaced by
  /// \f$ (p+1)(p+2)/2 \f$, which bounds polynomials at both ends of a line together, and a side
  /// has the factor \f$ \kappa \f$ besides: the largest eigenvalue of the matrix
  /// \f$ K_{rs} / \sqrt{K_{rr} K_{ss}} \f$, \f$ K_{rs} = \nabla \hat x_r \cdot k \nabla \hat x_s
  /// \f$, which is 1 in boxes with scalar k; d where the element is curved or k varies in it. With
  /// the points of the basis as those of all rules, integrals are exact for affine elements and
  /// coefficients that are constant in them. A hanging face has the rule, and the penalty, of each
  /// of the smaller faces.
  ///
  /// Curved elements and those beside them take integrals by rules of degree 2p, 2p + 2 with
  /// coefficients by point, and on faces 2p, with the true gradients at these points. There \f$ |F|
  /// / |K| \f$ is what bounds gradients on the face in sums over the points, see
  /// ElementMetrics::trace_areas(), so that the form is positive for every scalar k.
  template <int dim, typename Number = double>
  class LaplaceOperator : public dealii::Subscriptor
  {
  public:
    using value_type = Number;
    using VectorType = Vector<Number>;
    using size_type  = dealii::types::global_dof_index;

    static constexpr int dimension = dim;

    struct AdditionalData
    {
      EllipticCoefficient<dim> diffusion      = 1.; ///< k
      EllipticCoefficient<dim> reaction       = 0.; ///< lambda
      double                   penalty_factor = 1.;
      /// Of rules in elements where some are curved, at least: a mass matrix there depends on it,
      /// and whether the form is exact for linear functions, see curved_form_degree().
      unsigned int quadrature_degree = 0;
    };

    /// @param mapping any; where it is not affine, elements have maps of one degree more than the
    /// basis, see ElementMapping
    /// @param dof_handler of the scalar FE_SimplexDGModal on a conforming mesh, or of
    /// FE_HypercubeDG, perhaps with hanging nodes
    /// @param boundary_conditions one for every boundary id of the mesh
    /// @throws dealii::ExcMessage for anything that these do not satisfy, coefficients out of
    /// range, a degree that was not compiled, and a mesh of several parts that no face joins, if
    /// the equation leaves the solution in one of them undetermined up to a constant
    void
    reinit(const dealii::Mapping<dim>            &mapping,
           const dealii::DoFHandler<dim>         &dof_handler,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const Device                           device,
           const AdditionalData                  &additional_data);

    void
    reinit(const dealii::Mapping<dim>            &mapping,
           const dealii::DoFHandler<dim>         &dof_handler,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const Device                           device = Device::automatic())
    {
      reinit(mapping, dof_handler, boundary_conditions, device, AdditionalData());
    }

    /// The same on a mesh that several operators share; its vectors suit other operators of the
    /// same degree and number of components on it.
    /// @param mesh of the triangulation of @p dof_handler; its elements may be curved
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const dealii::DoFHandler<dim>                 &dof_handler,
           const EllipticBoundaryConditions<dim>         &boundary_conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// The same without a DoFHandler: copy_from() and copy_to() may not be called.
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const unsigned int                             degree,
           const EllipticBoundaryConditions<dim>         &boundary_conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// The same problem discretised with another degree and perhaps in another precision, on the
    /// same mesh and device: a level of a multigrid method. It has no numbering of deal.II's.
    template <typename OtherNumber>
    void
    reinit(const LaplaceOperator<dim, OtherNumber> &other, const unsigned int degree);

    void
    initialize_vector(Vector<Number> &vector) const
    {
      vector = element_space().make_vector();
    }

    /// The same by deal.II's name.
    void
    initialize_dof_vector(Vector<Number> &vector) const
    {
      initialize_vector(vector);
    }

    /// Between deal.II's numbering and the operator's.
    /// @param from one of the vectors that DoFMap knows
    template <typename VectorType>
    void
    copy_from(Vector<Number> &to, const VectorType &from) const
    {
      check_vector(to);
      space->copy_from(to, from);
    }

    template <typename VectorType>
    void
    copy_to(VectorType &to, const Vector<Number> &from) const
    {
      check_vector(from);
      space->copy_to(to, from);
    }

    /// Number of rows, on all ranks.
    std::size_t
    m() const
    {
      return element_space().layout().n_entries();
    }

    std::size_t
    n() const
    {
      return m();
    }

    unsigned int
    degree() const
    {
      return element_space().reference.degree;
    }

    const ElementSpace<dim, Number> &
    element_space() const
    {
      if (space == nullptr)
        throw_not_set_up();
      return *space;
    }

    // Vectors that initialize_vector() does not make like that are an error (dealii::ExcMessage),
    // and so is whatever needs a reinit() before.

    /// `dst = A src`, with homogeneous boundary data.
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    void
    vmult_add(Vector<Number> &dst, const Vector<Number> &src) const;

    /// The matrix is symmetric.
    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

    void
    Tvmult_add(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult_add(dst, src);
    }

    /// `dst = b - A x`; @p dst may be @p b.
    void
    compute_residual(Vector<Number> &dst, const Vector<Number> &x, const Vector<Number> &b) const;

    /// The same.
    /// @return its norm
    Number
    residual(Vector<Number> &dst, const Vector<Number> &x, const Vector<Number> &b) const;

    /// `x += weight B (b - A x)`: a step of a smoother, in one pass if there is such a kernel.
    /// @param scratch changes, and may be where @p x was
    void
    smoothing_step(Vector<Number>                     &x,
                   const Vector<Number>               &b,
                   const RoundedBlockDiagonal<Number> &B,
                   const Number                        weight,
                   Vector<Number>                     &scratch) const;

    /// One entry; indices count as in Vector::operator()(). Costs an application of the operator:
    /// for looks at single entries.
    Number
    el(const std::size_t i, const std::size_t j) const;

    /// Right-hand side for the equation with the source @p source (empty: zero) and the boundary
    /// data, both at time @p time, see FieldFunction::time_at(). The source is integrated with a
    /// rule of degree 2p+2.
    /// @throws dealii::ExcMessage that names the point where one of them is not finite
    void
    right_hand_side(Vector<Number>             &b,
                    const FieldFunction<dim>   &source,
                    const std::optional<double> time = {}) const;

    /// Add what boundary data at @p times contributes to a right-hand side.
    /// @throws dealii::ExcMessage that names the point where it is not finite
    void
    add_boundary_data(Vector<Number> &b, const DataTimes &times) const;

    void
    compute_block_diagonal(BlockDiagonal<Number> &blocks) const
    {
      compute_block_diagonal(blocks, [](const unsigned int, Vector<Number> &) {});
    }

    void
    compute_diagonal(Vector<Number> &diagonal) const;

    /// On curved elements with the mean of the determinant: a preconditioner.
    void
    compute_inverse_mass(ElementScaling<Number> &inverse_mass) const;

    /// The matrix, block by block, in host memory.
    ElementCouplings<Number>
    couplings() const;

    /// How strongly elements are coupled: \f$ \tau |F| \f$ for each face, in host memory, with
    /// ghosts as with a boundary.
    ElementCouplings<double>
    coupling_strengths() const;

    /// This rank's rows of the matrix. Its unknowns are those of deal.II's numbering, with its
    /// numbers as names; of the operator's own, element by element, if it has none of deal.II's. On
    /// one rank the rows are in the order of these numbers. See assemble() for Trilinos.
    DistributedRows
    distributed_rows() const;

    /// Whether constants are in the kernel: there is neither a reaction nor a Dirichlet or Robin
    /// condition.
    bool
    is_singular() const
    {
      return singular;
    }

    /// Make a right-hand side orthogonal to constants, so that a singular system has solutions.
    /// @return the norm of what was subtracted
    Number
    remove_null_space(Vector<Number> &b) const;

    /// Add the constant with which the function @p x has the mean value @p value.
    void
    set_mean_value(Vector<Number> &x, const double value) const;

    /// Floating-point operations of one application: sums over modes and points.
    double
    flops() const;

    /// That this rank sends to others in an application.
    std::size_t
    bytes_sent() const
    {
      if (traces == nullptr)
        throw_not_set_up();
      return traces->n_bytes();
    }

    /// Bytes on the device without the mesh: tables, of which other operators on the mesh may hold
    /// the same, coefficients, boundary data.
    std::size_t
    memory_consumption() const;

    /// What kernels are given, without vectors: for operators that use the same arrays.
    LaplaceArguments<Number>
    arguments() const;

  private:
    template <int, typename>
    friend class LaplaceOperator;
    template <int, typename>
    friend class MixedLaplaceOperator;

    using Values = CoefficientValues<dim, Number>;

    /// On a part of a mesh that mixes shapes: whether constants are in the kernel others know.
    /// Faces to other shapes have a boundary condition, too, and mixed_sides is what their terms
    /// are made of.
    /// @param discretization DoFHandler, or a degree
    template <typename Discretization>
    void
    reinit_part(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                const Discretization                          &discretization,
                const EllipticBoundaryConditions<dim>         &boundary_conditions,
                const Device                                   device,
                const AdditionalData                          &additional_data)
    {
      begin_reinit(mesh, discretization, boundary_conditions, device, additional_data);
      set_up(false);
    }

    /// Up to the space.
    void
    begin_reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const dealii::DoFHandler<dim>                 &dof_handler,
                 const EllipticBoundaryConditions<dim>         &boundary_conditions,
                 const Device                                   device,
                 const AdditionalData                          &additional_data);

    void
    begin_reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                 const unsigned int                             degree,
                 const EllipticBoundaryConditions<dim>         &boundary_conditions,
                 const Device                                   device,
                 const AdditionalData                          &additional_data);

    /// @param known_singular whether constants are in the kernel, if that is known
    void
    set_up(const std::optional<bool> known_singular = {});

    /// All that this rank sets up without the others.
    /// @return determined_elements()
    std::vector<bool>
    set_up_form();

    void
    set_up_boundary();

    /// `[e]`: whether a condition at an element's boundary or the reaction @p lambda there says
    /// what a constant must be.
    std::vector<bool>
    determined_elements(const Values &lambda) const;

    Values
    reaction_values() const
    {
      return {data.reaction, *space, "reaction coefficient", 1};
    }

    /// Whether constants are in the kernel, and that they are in the whole mesh or nowhere.
    /// @param determined of the elements of all meshes, one after the other
    static bool
    is_singular_on(const MeshParts<dim> &parts, const std::vector<bool> &determined);

    /// Of ElementCouplings.
    /// @param with_ghosts whether ghosts are partners
    std::vector<int>
    partners(const bool with_ghosts) const;

    /// A face's penalty over the larger \f$ k_n |F| / |K| \f$ of both sides, which on hypercubes
    /// have their factors.
    double
    penalty_scale() const;

    /// \f$ \kappa \f$ of an element, on simplices 1.
    double
    penalty_factor(const Values &k, const unsigned int element) const;

    /// \f$ K \f$ times \f$ |\det J| \f$ in an affine element with a constant coefficient.
    dealii::SymmetricTensor<2, dim>
    reference_diffusion(const Values &k, const unsigned int element) const;

    /// Of an affine element.
    typename ElementGeometry<dim>::Face
    face(const unsigned int element, const unsigned int f) const;

    /// With the true normals.
    ElementMetrics<dim>
    metrics() const;

    /// @return `[e][f]`: the penalties that sides would have alone, with ghosts
    std::vector<double>
    set_up_penalties(const Values &k);

    /// @param of_sides see set_up_penalties()
    void
    set_up_mixed_sides(const Values &k, const std::vector<double> &of_sides);

    /// The arrays for exact integrals, if coefficients are constant in every element.
    void
    set_up_sparse_form(const Values &k, const Values &lambda);

    void
    set_up_stiffness(const Values &k, const Values &lambda);

    /// Of simplices or of hypercubes: the numbers of an element, see LaplaceArguments.
    std::vector<double>
    stiffness_of(const Values &k, const unsigned int element) const;

    void
    set_up_face_codes();

    [[noreturn]] static void
    throw_not_set_up();

    void
    check_vector(const Vector<Number> &vector) const
    {
      check_layout(vector.layout(), element_space().layout(), "Laplace operator");
    }

    bool
    on_simplices() const
    {
      return space->reference.is_simplex();
    }

    /// Couplings of an element with others: more than faces where some hang.
    unsigned int
    n_couplings_across() const;

    /// @param add_to_column adds terms of others to a column of all blocks
    void
    compute_block_diagonal(
      BlockDiagonal<Number>                                                  &blocks,
      const std::function<void(const unsigned int column, Vector<Number> &)> &add_to_column) const;

    /// Launch the kernels for all elements.
    void
    run(LaplaceArguments<Number> arg) const;

    void
    apply(LaplaceArguments<Number> arg, Vector<Number> &dst, const Vector<Number> &src) const;

    void
    apply_on(const MeshArrays<Number> &range, LaplaceArguments<Number> &arg) const;

    /// The projection of @p x to the constants of every element, of degree 0, in a vector that the
    /// operator keeps.
    Vector<Number> &
    constants_of(const Vector<Number> &x) const;

    /// Of the constant 1 the coefficient of degree 0 in every element.
    double
    coefficient_of_one() const
    {
      return std::sqrt(space->reference.reference_cell.volume());
    }

    /// The product of coefficients with those of the constant 1.
    double
    product_with_one(const Vector<Number> &x) const;

    /// The same of the constant 1 itself.
    double
    norm_sqr_of_one() const;

    double
    volume() const;

    /// Of the function @p x.
    double
    integral(const Vector<Number> &x) const;

    /// Add a constant function, after product_with_one() or integral().
    void
    add_constant(Vector<Number> &x, const double value) const;

    AdditionalData                                   data;
    EllipticBoundaryConditions<dim>                  boundary_conditions;
    std::shared_ptr<const ElementSpace<dim, Number>> space;
    KernelsOfRanges<LaplaceKernels<dim, Number>>     kernels;
    CoefficientMemory<Number>                        diffusion, reaction;
    PointwiseFormMemory<Number>                      pointwise;
    HangingFormMemory<Number>                        hanging;
    std::vector<MixedFaceSide>                       mixed_sides; ///< of faces to other shapes
    Memory<EllipticBoundary>                         boundary_kinds;
    Memory<Number>       robin_coefficients, penalties, stiffness, reaction_mass;
    Memory<unsigned int> face_codes;
    bool                 has_robin = false;
    bool                 singular  = false;
    /// What an application needs of ghosts.
    std::shared_ptr<const GhostExchange<Number>> traces;

    // Of singular problems, when they are first asked for.
    mutable ModeTransfer<Number> constants; ///< to and from degree 0
    mutable Vector<Number>       element_constants;

    /// Made when they are first asked for: levels of multigrid have no use for them.
    mutable std::unique_ptr<EllipticBoundaryData<dim, Number>> boundary_data;
  };
} // namespace Saltus

#endif
