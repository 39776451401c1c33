// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_mapping_by_shape_h
#define saltus_mesh_curve_mapping_by_shape_h

#include <deal.II/fe/mapping.h>
#include <deal.II/hp/q_collection.h>

#include <algorithm>
#include <memory>

namespace Saltus
{
  /// A mapping of deal.II for meshes that mix shapes: each cell has the one of its shape. It is for
  /// all that takes a mapping, as FEValues, DataOut and integrate_difference() do.
  template <int dim>
  class MappingByShape : public dealii::Mapping<dim>
  {
    using Base       = dealii::Mapping<dim>;
    using Cell       = typename dealii::Triangulation<dim>::cell_iterator;
    using Data       = typename Base::InternalDataBase;
    using OutputData = dealii::internal::FEValuesImplementation::MappingRelatedData<dim>;

  public:
    /// Copies both.
    /// @param of_simplices for triangles or tetrahedra, as MappingFE and NodalMapping
    /// @param of_hypercubes for quadrilaterals or hexahedra, as MappingQ
    MappingByShape(const Base &of_simplices, const Base &of_hypercubes);

    const Base &
    of(const dealii::ReferenceCell &shape) const
    {
      return *(shape.is_hyper_cube() ? of_hypercubes : of_simplices);
    }

    std::unique_ptr<Base>
    clone() const override;

    boost::container::small_vector<dealii::Point<dim>, dealii::GeometryInfo<dim>::vertices_per_cell>
    get_vertices(const Cell &cell) const override;

    dealii::Point<dim>
    get_center(const Cell &cell, const bool map_center_of_reference_cell = true) const override;

    dealii::BoundingBox<dim>
    get_bounding_box(const Cell &cell) const override;

    bool
    preserves_vertex_locations() const override;

    bool
    is_compatible_with(const dealii::ReferenceCell &shape) const override;

    dealii::Point<dim>
    transform_unit_to_real_cell(const Cell &cell, const dealii::Point<dim> &p) const override;

    dealii::Point<dim>
    transform_real_to_unit_cell(const Cell &cell, const dealii::Point<dim> &p) const override;

    void
    transform_points_real_to_unit_cell(
      const Cell                                        &cell,
      const dealii::ArrayView<const dealii::Point<dim>> &real_points,
      const dealii::ArrayView<dealii::Point<dim>>       &unit_points) const override;

    void
    transform(const dealii::ArrayView<const dealii::Tensor<1, dim>> &input,
              const dealii::MappingKind                              kind,
              const Data                                            &internal,
              const dealii::ArrayView<dealii::Tensor<1, dim>>       &output) const override;

    void
    transform(const dealii::ArrayView<const dealii::DerivativeForm<1, dim, dim>> &input,
              const dealii::MappingKind                                           kind,
              const Data                                                         &internal,
              const dealii::ArrayView<dealii::Tensor<2, dim>> &output) const override;

    void
    transform(const dealii::ArrayView<const dealii::Tensor<2, dim>> &input,
              const dealii::MappingKind                              kind,
              const Data                                            &internal,
              const dealii::ArrayView<dealii::Tensor<2, dim>>       &output) const override;

    void
    transform(const dealii::ArrayView<const dealii::DerivativeForm<2, dim, dim>> &input,
              const dealii::MappingKind                                           kind,
              const Data                                                         &internal,
              const dealii::ArrayView<dealii::Tensor<3, dim>> &output) const override;

    void
    transform(const dealii::ArrayView<const dealii::Tensor<3, dim>> &input,
              const dealii::MappingKind                              kind,
              const Data                                            &internal,
              const dealii::ArrayView<dealii::Tensor<3, dim>>       &output) const override;

  protected:
    dealii::UpdateFlags
    requires_update_flags(const dealii::UpdateFlags flags) const override;

    std::unique_ptr<Data>
    get_data(const dealii::UpdateFlags      flags,
             const dealii::Quadrature<dim> &quadrature) const override;

    std::unique_ptr<Data>
    get_face_data(const dealii::UpdateFlags               flags,
                  const dealii::hp::QCollection<dim - 1> &quadrature) const override;

    std::unique_ptr<Data>
    get_subface_data(const dealii::UpdateFlags          flags,
                     const dealii::Quadrature<dim - 1> &quadrature) const override;

    dealii::CellSimilarity::Similarity
    fill_fe_values(const Cell                              &cell,
                   const dealii::CellSimilarity::Similarity similarity,
                   const dealii::Quadrature<dim>           &quadrature,
                   const Data                              &internal,
                   OutputData                              &output) const override;

    void
    fill_fe_face_values(const Cell                             &cell,
                        const unsigned int                      face,
                        const dealii::hp::QCollection<dim - 1> &quadrature,
                        const Data                             &internal,
                        OutputData                             &output) const override;

    void
    fill_fe_subface_values(const Cell                        &cell,
                           const unsigned int                 face,
                           const unsigned int                 subface,
                           const dealii::Quadrature<dim - 1> &quadrature,
                           const Data                        &internal,
                           OutputData                        &output) const override;

  private:
    struct OfBoth;

    template <typename Make>
    std::unique_ptr<Data>
    make_data(const Make &make) const;

    template <typename Input, typename Output>
    void
    transform_any(const Input              &input,
                  const dealii::MappingKind kind,
                  const Data               &internal,
                  const Output             &output) const;

    const std::unique_ptr<const Base> of_simplices, of_hypercubes;
  };

  /// @p mapping as it is on cells of a shape.
  template <int dim>
  const dealii::Mapping<dim> &
  mapping_of(const dealii::Mapping<dim> &mapping, const dealii::ReferenceCell &shape)
  {
    const auto *by_shape = dynamic_cast<const MappingByShape<dim> *>(&mapping);
    return by_shape != nullptr ? by_shape->of(shape) : mapping;
  }

  /// @throws dealii::ExcMessage on all ranks if the mesh has cells of a shape that @p mapping
  /// cannot map
  template <int dim>
  void
  check_mapping(const dealii::Mapping<dim>       &mapping,
                const dealii::Triangulation<dim> &triangulation,
                const dealii::ReferenceCell      &shape)
  {
    const auto &shapes = triangulation.get_reference_cells();
    AssertThrow(std::find(shapes.begin(), shapes.end(), shape) == shapes.end() ||
                  mapping_of(mapping, shape).is_compatible_with(shape),
                dealii::ExcMessage("The mesh has cells of the shape " + shape.to_string() +
                                   ", for which the mapping is not made. Simplices need MappingFE, "
                                   "hypercubes MappingQ, meshes of both a MappingByShape."));
  }
} // namespace Saltus

#endif
