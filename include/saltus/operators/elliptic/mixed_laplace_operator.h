// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_mixed_laplace_operator_h
#define saltus_operators_elliptic_mixed_laplace_operator_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/block_vector.h>
#include <saltus/mesh/mixed_mesh.h>
#include <saltus/operators/blocks/mixed_couplings.h>
#include <saltus/operators/blocks/shape_diagonal.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/operators/spaces/mixed_interface.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// LaplaceOperator on meshes that mix triangles and quadrilaterals: the one of each shape on its
  /// part of the mesh, with its own kernels, and the terms on the faces where shapes meet. At the
  /// points of such a face, which are Gauss's for both, each side is told value and flux of the
  /// other; the penalty is the larger of what both would have. So the whole is symmetric, and
  /// positive as either part is.
  ///
  /// What is said there holds here, with BlockVector.
  template <int dim, typename Number = double>
  class MixedLaplaceOperator : public dealii::Subscriptor
  {
  public:
    using Part           = LaplaceOperator<dim, Number>;
    using AdditionalData = typename Part::AdditionalData;
    using value_type     = Number;
    using VectorType     = BlockVector<Number>;
    using size_type      = dealii::types::global_dof_index;

    static constexpr int dimension = dim;

    /// @param mapping MappingByShape; or any that all cells of the triangulation agree with
    /// @param dof_handler of a collection of FE_SimplexDGModal and FE_HypercubeDG of one degree
    /// @throws dealii::ExcMessage what LaplaceOperator throws, and MixedInterface
    void
    reinit(const dealii::Mapping<dim>            &mapping,
           const dealii::DoFHandler<dim>         &dof_handler,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const Device                           device          = Device::automatic(),
           const AdditionalData                  &additional_data = AdditionalData());

    void
    reinit(const MixedMesh<dim>                  &meshes,
           const dealii::DoFHandler<dim>         &dof_handler,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const Device                           device,
           const AdditionalData                  &additional_data);

    /// The same without a DoFHandler, see LaplaceOperator.
    void
    reinit(const MixedMesh<dim>                  &meshes,
           const unsigned int                     degree,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const Device                           device,
           const AdditionalData                  &additional_data);

    /// A level of a multigrid method, see LaplaceOperator.
    template <typename OtherNumber>
    void
    reinit(const MixedLaplaceOperator<dim, OtherNumber> &other, const unsigned int degree);

    void
    initialize_vector(BlockVector<Number> &vector) const;

    /// The same by deal.II's name.
    void
    initialize_dof_vector(BlockVector<Number> &vector) const
    {
      initialize_vector(vector);
    }

    template <typename VectorType>
    void
    copy_from(BlockVector<Number> &to, const VectorType &from) const
    {
      for (unsigned int i = 0; i < n_parts(); ++i)
        part(i).copy_from(to.block(i), from);
    }

    template <typename VectorType>
    void
    copy_to(VectorType &to, const BlockVector<Number> &from) const
    {
      for (unsigned int i = 0; i < n_parts(); ++i)
        part(i).copy_to(to, from.block(i));
    }

    std::size_t
    m() const;

    std::size_t
    n() const
    {
      return m();
    }

    unsigned int
    degree() const
    {
      return part(0).degree();
    }

    Device
    device() const
    {
      return part(0).element_space().device;
    }

    void
    vmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const;

    void
    vmult_add(BlockVector<Number> &dst, const BlockVector<Number> &src) const;

    void
    Tvmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const
    {
      vmult(dst, src);
    }

    void
    compute_residual(BlockVector<Number>       &dst,
                     const BlockVector<Number> &x,
                     const BlockVector<Number> &b) const;

    Number
    residual(BlockVector<Number>       &dst,
             const BlockVector<Number> &x,
             const BlockVector<Number> &b) const;

    void
    right_hand_side(BlockVector<Number>        &b,
                    const FieldFunction<dim>   &source,
                    const std::optional<double> time = {}) const;

    void
    add_boundary_data(BlockVector<Number> &b, const DataTimes &times) const;

    void
    compute_block_diagonal(ShapeDiagonal<BlockDiagonal<Number>> &blocks) const;

    void
    compute_inverse_mass(ShapeDiagonal<ElementScaling<Number>> &inverse_mass) const;

    MixedCouplings<Number>
    couplings() const;

    bool
    is_singular() const
    {
      return singular;
    }

    Number
    remove_null_space(BlockVector<Number> &b) const;

    void
    set_mean_value(BlockVector<Number> &x, const double value) const;

    std::size_t
    memory_consumption() const;

    unsigned int
    n_parts() const
    {
      return parts.size();
    }

    /// On the cells of the shape with number @p i of mixed_shapes(), without the terms on faces to
    /// other shapes.
    /// @throws dealii::ExcMessage before reinit()
    const Part &
    part(const unsigned int i) const
    {
      AssertThrow(i < parts.size(),
                  dealii::ExcMessage("The Laplace operator is not set up: call reinit() first."));
      return *parts[i];
    }

    const MixedMesh<dim> &
    meshes() const
    {
      return meshes_;
    }

    /// The terms on faces between shapes, for vectors with several components. Collective.
    std::unique_ptr<const MixedFaceForm<dim, Number>>
    make_face_form(const unsigned int n_components) const;

  private:
    template <int, typename>
    friend class MixedLaplaceOperator;

    /// A face between shapes, as this rank's element sees it.
    struct Link
    {
      unsigned int  mesh;
      unsigned int  side;     ///< its number among those of the part
      MixedFaceSide across;   ///< the element is this rank's, or its number means nothing
      bool          opposite; ///< whether the element across counts points the other way
    };

    /// @tparam Discretization DoFHandler, or the number that is a degree
    template <typename Discretization>
    void
    set_up(const MixedMesh<dim>                  &meshes,
           const Discretization                  &discretization,
           const EllipticBoundaryConditions<dim> &boundary_conditions,
           const Device                           device,
           const AdditionalData                  &additional_data);

    /// After those of all parts.
    void
    set_up_faces();

    /// What the elements across faces to other ranks say of their sides, in the order of @p faces.
    std::vector<std::pair<MixedFaceSide, bool>>
    sides_of_others(const std::vector<MixedFace> &faces) const;

    const MixedFaceSide &
    side(const Link &link) const
    {
      return parts[link.mesh]->mixed_sides[link.side];
    }

    /// Call `body(i)` for the parts that have elements on some rank.
    template <typename Body>
    void
    for_parts(const Body &body) const
    {
      for (unsigned int i = 0; i < n_parts(); ++i)
        if (part(i).m() > 0)
          body(i);
    }

    void
    add_constant(BlockVector<Number> &x, const double value) const;

    MixedMesh<dim>                                    meshes_;
    std::vector<std::unique_ptr<Part>>                parts;
    std::vector<Link>                                 links; ///< in the order of find_mixed_faces()
    std::unique_ptr<const MixedFaceForm<dim, Number>> faces; ///< between shapes
    bool                                              singular = false;
  };
} // namespace Saltus

#endif
