// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_polytopic_operator_h
#define saltus_operators_polytopic_polytopic_operator_h

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/operators/elliptic/elliptic_boundary_conditions.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/operators/polytopic/polytopic_form.h>
#include <saltus/operators/polytopic/polytopic_space.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// The interior penalty method for \f$-\nabla\cdot(A\nabla u) + b\cdot\nabla u + c u = f\f$ with
  /// a positive semi-definite tensor A on polytopic elements: Dong, Georgoulis and Kappas,
  /// "GPU-accelerated discontinuous Galerkin methods on polytopic meshes", SIAM J. Sci. Comput. 43
  /// (2021), equations 2.3 to 2.5. Its matrix is assembled on the device.
  ///
  /// On several ranks each assembles the rows of its elements; all call the functions together.
  ///
  /// Where A has no diffusion along the normal, a Dirichlet boundary gives the value where b points
  /// inwards, and nothing where it points outwards.
  template <int dim>
  class PolytopicOperator
  {
  public:
    struct AdditionalData
    {
      /// A, c, and b with dim components; empty: no advection. At interfaces b is taken to be
      /// continuous, A need not be.
      EllipticCoefficient<dim> diffusion = 1., reaction = 0.;
      FieldFunction<dim>       velocity = {};

      double           penalty_factor = 4.; ///< \f$C_\sigma\f$
      PolytopicPenalty penalty        = PolytopicPenalty::perimeter;

      unsigned int extra_quadrature_degree = 0;

      PolytopicAssembly assembly = PolytopicAssembly::in_place;
    };

    /// @param space is not copied and must live as long
    /// @throws dealii::ExcMessage for boundary ids without a condition, periodic boundaries,
    /// coefficients that are not finite, diffusion that is negative in some direction, and inflow
    /// where the condition is not Dirichlet
    void
    reinit(const PolytopicSpace<dim>             &space,
           const EllipticBoundaryConditions<dim> &conditions,
           const Device                           device,
           const AdditionalData                  &data = {});

    const PolytopicSpace<dim> &
    space() const
    {
      return *polytopes;
    }

    Device
    device() const
    {
      return where;
    }

    const EllipticBoundaryConditions<dim> &
    conditions() const
    {
      return boundary_conditions;
    }

    const AdditionalData &
    data() const
    {
      return additional_data;
    }

    const std::shared_ptr<const BlockSparsity> &
    sparsity() const
    {
      return form.sparsity();
    }

    /// Zeros for coefficients `[dof]`.
    void
    initialize_vector(Vector<double> &vector) const;

    /// The same by deal.II's name.
    void
    initialize_dof_vector(Vector<double> &vector) const
    {
      initialize_vector(vector);
    }

    /// All blocks of a matrix with sparsity().
    void
    assemble(BlockCSRMatrix<double> &matrix) const;

    /// Of the source term and the boundary conditions.
    /// @param source f; empty: 0
    /// @throws dealii::ExcMessage if it is not finite
    void
    right_hand_side(Vector<double> &b, const FieldFunction<dim> &source) const;

    /// What the form consists of at points, see PolytopicForm.
    struct Terms
    {
      PolytopicPoints<dim>  points;
      Memory<FacetRecord>   facets; ///< owners of face points
      PolytopicCoefficients in_elements, on_faces;
      Memory<double>        boundary_values; ///< `[point]` of all face points; empty: 0
    };

    /// @param extra_degree of the quadrature rules
    /// @throws dealii::ExcMessage for coefficients and boundary values that are not finite
    Terms
    terms(const unsigned int extra_degree) const;

    /// What a function has at places `[point][d]`, checked.
    /// @throws dealii::ExcMessage with the @p name of one that is not finite
    Memory<double>
    evaluate(const FieldFunction<dim> &function,
             const Memory<double>     &places,
             const std::string        &name) const;

  private:
    /// @param places where it is wanted if it is sampled by point, `[point][d]`
    PolytopicCoefficient
    coefficient(const EllipticCoefficient<dim> &coefficient,
                const Memory<double>           &places,
                const std::string              &name,
                const unsigned int              max_components) const;

    /// Diffusion and velocity.
    /// @param of_diffusion,of_velocity where they are wanted if they are sampled by point
    PolytopicCoefficients
    coefficients(const Memory<double> &of_diffusion, const Memory<double> &of_velocity) const;

    MPI_Comm
    communicator() const
    {
      return polytopes->mesh().triangulation().get_communicator();
    }

    void
    make_form(Terms &&terms);

    /// `[point]` of all face points: values that boundary conditions give.
    Memory<double>
    boundary_data(const PolytopicPoints<dim> &points) const;

    const PolytopicSpace<dim>      *polytopes = nullptr;
    Device                          where     = Device::cpu();
    EllipticBoundaryConditions<dim> boundary_conditions;
    AdditionalData                  additional_data;
    PolytopicForm<dim>              form;
    Memory<double>                  boundary_values; ///< see boundary_data()
  };
} // namespace Saltus

#endif
