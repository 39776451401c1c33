// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_space_time_operator_h
#define saltus_operators_polytopic_space_time_operator_h

#include <saltus/operators/polytopic/kernels/space_time_records.h>
#include <saltus/operators/polytopic/polytopic_form.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/operators/polytopic/space_time_points.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// The space-time method for \f$u_t - \nabla\cdot(A\nabla u) + b\cdot\nabla u + c u = f\f$ on
  /// slabs of prisms, upwind in time: Dong, Georgoulis and Kappas, SIAM J. Sci. Comput. 43 (2021),
  /// equation 2.9. It is the method of PolytopicOperator with the velocity (b, 1) and a diffusion
  /// without a part along the time; the penalty on the sides of prisms is that of their elements.
  ///
  /// A slab is solved after the other: from the function at its bottom, which is one of the
  /// PolytopicSpace, to that at its end. Unknowns are numbered prism by prism, see SpaceTimeSlab.
  ///
  /// On several ranks each assembles the rows of the prisms of its elements; all call the functions
  /// together, but for value() and gradient().
  template <int dim>
  class SpaceTimeOperator
  {
  public:
    struct AdditionalData
    {
      /// Coefficients and data may depend on time.
      typename PolytopicOperator<dim>::AdditionalData in_space;

      FieldFunction<dim> source; ///< f; empty: 0

      /// Polynomials of a prism: of total degree in space and time, or of that degree in space
      /// times those of the same degree in time.
      LegendreFamily family = LegendreFamily::total;
    };

    /// @param space is not copied and must live as long
    /// @param n_steps `[element]` of this rank in a slab
    /// @throws dealii::ExcMessage as SpaceTimeSlab does, and for periodic boundaries
    void
    reinit(const PolytopicSpace<dim>             &space,
           const std::vector<unsigned int>       &n_steps,
           const EllipticBoundaryConditions<dim> &conditions,
           const Device                           device,
           const AdditionalData                  &data = {});

    /// Go to a slab. All that follows is about it.
    /// @return whether its matrix is not that of the slab before: it is if the length is the same
    /// and no coefficient depends on time
    /// @throws dealii::ExcMessage as PolytopicOperator::reinit() for coefficients
    bool
    begin_slab(const double begin, const double length);

    const PolytopicSpace<dim> &
    space() const
    {
      return *polytopes;
    }

    const SpaceTimeSlab<dim> &
    slab() const
    {
      return *prisms;
    }

    Device
    device() const
    {
      return where;
    }

    const std::shared_ptr<const BlockSparsity> &
    sparsity() const
    {
      return points.sparsity();
    }

    /// Of a slab, on all ranks.
    std::size_t
    n_dofs() const
    {
      return sparsity()->n_global_rows();
    }

    /// Zeros for coefficients of a slab, `[dof]`.
    void
    initialize_vector(Vector<double> &vector) const;

    /// The same by deal.II's name.
    void
    initialize_dof_vector(Vector<double> &vector) const
    {
      initialize_vector(vector);
    }

    /// Zeros for those of a function between two slabs.
    void
    initialize_trace(Vector<double> &trace) const;

    /// All blocks of a matrix with sparsity().
    void
    assemble(BlockCSRMatrix<double> &matrix) const;

    /// Of the source term, the boundary conditions and the function at the bottom.
    /// @throws dealii::ExcMessage for values that are not finite
    void
    right_hand_side(Vector<double> &b, const Vector<double> &at_bottom) const;

    /// What a function is at the end of the slab.
    void
    take_trace(Vector<double> &at_end, const Vector<double> &x) const;

    /// The function that does not change in time: a first guess.
    void
    extend_trace(Vector<double> &x, const Vector<double> &at_bottom) const;

    /// The \f$L^2\f$ projection of a function at its own time, of an expression at time 0.
    void
    project(Vector<double> &trace, const FieldFunction<dim> &function) const;

    /// The function of a slab at a place of an element.
    /// @param coefficients `[dof]`
    /// @param time in the slab, as a fraction of its length; between two steps the earlier one
    /// counts
    double
    value(const std::vector<double> &coefficients,
          const unsigned int         element,
          const dealii::Point<dim>  &x,
          const double               time) const;

    /// In space.
    dealii::Tensor<1, dim>
    gradient(const std::vector<double> &coefficients,
             const unsigned int         element,
             const dealii::Point<dim>  &x,
             const double               time) const;

    /// \f$\int |\nabla u_h - \nabla u|^2\f$ over space and the slab's interval.
    /// @param exact the components of \f$\nabla u\f$
    double
    squared_gradient_error(const Vector<double> &x, const Expression &exact) const;

  private:
    /// What components in space and time are made from those in space, see SpreadValues.
    struct Components
    {
      int                 n_in;
      std::vector<int>    from;
      std::vector<double> constants;
    };

    /// Of a tensor or a number.
    static Components
    of_diffusion(const int n_in);

    static Components
    of_velocity();

    MPI_Comm
    communicator() const
    {
      return polytopes->mesh().triangulation().get_communicator();
    }

    void
    make_form();

    PolytopicCoefficients
    coefficients(const bool on_faces) const;

    /// @param jumps on faces whether there may be two values, one a side
    PolytopicCoefficient
    coefficient(const EllipticCoefficient<dim> &coefficient,
                const bool                      on_faces,
                const bool                      jumps,
                const std::string              &name,
                const Components               &components) const;

    /// The values of a function at points in space at a time of the slab, checked.
    Memory<double>
    values_at(const PointValues<dim, double> &function,
              const double                    time,
              const std::string              &name) const;

    /// Write values of a function, or constants alone, for the points of some parts, see PrismPart.
    /// @param n_sides for each of so many, one after the other; the function has points on each
    void
    spread(const PointValues<dim, double> *function,
           const PrismPieces              &pieces,
           const int                       parts,
           const Components               &components,
           const std::string              &name,
           Memory<double>                 &out,
           const unsigned int              n_sides = 1) const;

    /// @param values at points in space
    /// @param time for which alone they are; nullptr: for all
    void
    spread(const Memory<double> &values,
           const PrismPieces    &pieces,
           const int             parts,
           const double         *time,
           const Components     &components,
           Memory<double>       &out,
           const unsigned int    n_sides = 1) const;

    void
    check(const PolytopicFailureRecord &what) const;

    /// What boundary conditions give at all points of faces, and the function at the bottom.
    Memory<double>
    boundary_data(const Vector<double> &at_bottom) const;

    void
    add_at_bottom(const Vector<double> &at_bottom, Memory<double> &data) const;

    BoxArrays<dim>
    boxes_in_space() const;

    PrismArrays<dim>
    prism_arrays() const;

    using Modes = std::vector<typename PolytopicSpace<dim>::Mode>;

    /// Call `take(factor, mode)` for the modes of the prism of an element at a time: the
    /// coefficient times the function of time, and the one in space.
    /// @param modes those of the element at the place
    template <typename Take>
    void
    for_modes(const std::vector<double> &coefficients,
              const unsigned int         element,
              const Modes               &modes,
              const double               time,
              const Take                &take) const;

    const PolytopicSpace<dim>                *polytopes = nullptr;
    std::unique_ptr<const SpaceTimeSlab<dim>> prisms;
    Device                                    where = Device::cpu();
    EllipticBoundaryConditions<dim>           boundary_conditions;
    AdditionalData                            additional_data;
    SpaceTimePoints<dim>                      points;
    PolytopicForm<dim + 1>                    form;

    double slab_begin = 0., slab_length = 0.;
    bool   is_made = false; ///< form for this length

    /// Those at which data are wanted in every slab.
    std::unique_ptr<const PointValues<dim, double>>                                       source;
    std::map<dealii::types::boundary_id, std::unique_ptr<const PointValues<dim, double>>> data;
    std::map<dealii::types::boundary_id, Memory<int>> places_of_data;

    mutable std::unique_ptr<const PolytopicPoints<dim>> points_of_errors; ///< if they are wanted

    Memory<double>        scales;
    Memory<unsigned char> powers_in_space, powers;
    std::vector<int>      numbers_in_space; ///< `[mode]`: that in the element
    Memory<int>           numbers_there;
  };
} // namespace Saltus

#endif
