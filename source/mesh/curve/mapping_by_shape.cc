// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/mapping_by_shape.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Members of other mappings that a mapping may name through a class derived from theirs only.
    template <int dim>
    struct Members : public Mapping<dim>
    {
      using Base = Mapping<dim>;

      static constexpr auto required = &Members::requires_update_flags;

      static constexpr std::unique_ptr<typename Base::InternalDataBase> (
        Base::*data)(UpdateFlags, const Quadrature<dim> &) const = &Members::get_data;

      static constexpr std::unique_ptr<typename Base::InternalDataBase> (Base::*face_data)(
        UpdateFlags,
        const hp::QCollection<dim - 1> &) const = &Members::get_face_data;

      static constexpr auto subface_data = &Members::get_subface_data;

      static constexpr auto fill = &Members::fill_fe_values;

      static constexpr void (Base::*fill_face)(
        const typename Triangulation<dim>::cell_iterator &,
        unsigned int,
        const hp::QCollection<dim - 1> &,
        const typename Base::InternalDataBase &,
        internal::FEValuesImplementation::MappingRelatedData<dim> &) const =
        &Members::fill_fe_face_values;

      static constexpr auto fill_subface = &Members::fill_fe_subface_values;
    };

    // What is transformed, by names without commas.
    template <int dim>
    using Vector = Tensor<1, dim>;
    template <int dim>
    using Matrix = Tensor<2, dim>;
    template <int dim>
    using Third = Tensor<3, dim>;
    template <int dim>
    using Gradient = DerivativeForm<1, dim, dim>;
    template <int dim>
    using Hessian = DerivativeForm<2, dim, dim>;
  } // namespace

  /// What both mappings keep between calls, and which of them the last cell has asked for:
  /// transform() is not told of a cell.
  template <int dim>
  struct MappingByShape<dim>::OfBoth : public Data
  {
    std::unique_ptr<Data> of_simplices, of_hypercubes;
    mutable bool          at_hypercube = false;

    static const OfBoth &
    of_cell(const Data &data, const Cell &cell)
    {
      const auto &both  = static_cast<const OfBoth &>(data);
      both.at_hypercube = cell->reference_cell().is_hyper_cube();
      return both;
    }

    const Data &
    present() const
    {
      return *(at_hypercube ? of_hypercubes : of_simplices);
    }
  };

  template <int dim>
  MappingByShape<dim>::MappingByShape(const Base &of_simplices, const Base &of_hypercubes)
    : of_simplices(of_simplices.clone())
    , of_hypercubes(of_hypercubes.clone())
  {}

  template <int dim>
  std::unique_ptr<Mapping<dim>>
  MappingByShape<dim>::clone() const
  {
    return std::make_unique<MappingByShape>(*of_simplices, *of_hypercubes);
  }

  template <int dim>
  boost::container::small_vector<Point<dim>, GeometryInfo<dim>::vertices_per_cell>
  MappingByShape<dim>::get_vertices(const Cell &cell) const
  {
    return of(cell->reference_cell()).get_vertices(cell);
  }

  template <int dim>
  Point<dim>
  MappingByShape<dim>::get_center(const Cell &cell, const bool map_center_of_reference_cell) const
  {
    return of(cell->reference_cell()).get_center(cell, map_center_of_reference_cell);
  }

  template <int dim>
  BoundingBox<dim>
  MappingByShape<dim>::get_bounding_box(const Cell &cell) const
  {
    return of(cell->reference_cell()).get_bounding_box(cell);
  }

  template <int dim>
  bool
  MappingByShape<dim>::preserves_vertex_locations() const
  {
    return of_simplices->preserves_vertex_locations() &&
           of_hypercubes->preserves_vertex_locations();
  }

  template <int dim>
  bool
  MappingByShape<dim>::is_compatible_with(const ReferenceCell &shape) const
  {
    return of(shape).is_compatible_with(shape);
  }

  template <int dim>
  Point<dim>
  MappingByShape<dim>::transform_unit_to_real_cell(const Cell &cell, const Point<dim> &p) const
  {
    return of(cell->reference_cell()).transform_unit_to_real_cell(cell, p);
  }

  template <int dim>
  Point<dim>
  MappingByShape<dim>::transform_real_to_unit_cell(const Cell &cell, const Point<dim> &p) const
  {
    return of(cell->reference_cell()).transform_real_to_unit_cell(cell, p);
  }

  template <int dim>
  void
  MappingByShape<dim>::transform_points_real_to_unit_cell(
    const Cell                        &cell,
    const ArrayView<const Point<dim>> &real_points,
    const ArrayView<Point<dim>>       &unit_points) const
  {
    of(cell->reference_cell()).transform_points_real_to_unit_cell(cell, real_points, unit_points);
  }

  template <int dim>
  template <typename Input, typename Output>
  void
  MappingByShape<dim>::transform_any(const Input      &input,
                                     const MappingKind kind,
                                     const Data       &internal,
                                     const Output     &output) const
  {
    const auto &both = static_cast<const OfBoth &>(internal);
    (both.at_hypercube ? of_hypercubes : of_simplices)
      ->transform(input, kind, both.present(), output);
  }

#define SALTUS_TRANSFORM(Input, Output)                                       \
  template <int dim>                                                          \
  void MappingByShape<dim>::transform(const ArrayView<const Input> &input,    \
                                      const MappingKind             kind,     \
                                      const Data                   &internal, \
                                      const ArrayView<Output>      &output) const  \
  {                                                                           \
    transform_any(input, kind, internal, output);                             \
  }
  SALTUS_TRANSFORM(Vector<dim>, Vector<dim>)
  SALTUS_TRANSFORM(Gradient<dim>, Matrix<dim>)
  SALTUS_TRANSFORM(Matrix<dim>, Matrix<dim>)
  SALTUS_TRANSFORM(Hessian<dim>, Third<dim>)
  SALTUS_TRANSFORM(Third<dim>, Third<dim>)
#undef SALTUS_TRANSFORM

  template <int dim>
  UpdateFlags
  MappingByShape<dim>::requires_update_flags(const UpdateFlags flags) const
  {
    return (*of_simplices.*Members<dim>::required)(flags) |
           (*of_hypercubes.*Members<dim>::required)(flags);
  }

  template <int dim>
  template <typename Make>
  std::unique_ptr<typename Mapping<dim>::InternalDataBase>
  MappingByShape<dim>::make_data(const Make &make) const
  {
    auto result           = std::make_unique<OfBoth>();
    result->of_simplices  = make(*of_simplices);
    result->of_hypercubes = make(*of_hypercubes);
    result->update_each   = result->of_simplices->update_each | result->of_hypercubes->update_each;
    return result;
  }

  template <int dim>
  std::unique_ptr<typename Mapping<dim>::InternalDataBase>
  MappingByShape<dim>::get_data(const UpdateFlags flags, const Quadrature<dim> &quadrature) const
  {
    return make_data(
      [&](const Base &mapping) { return (mapping.*Members<dim>::data)(flags, quadrature); });
  }

  template <int dim>
  std::unique_ptr<typename Mapping<dim>::InternalDataBase>
  MappingByShape<dim>::get_face_data(const UpdateFlags               flags,
                                     const hp::QCollection<dim - 1> &quadrature) const
  {
    return make_data(
      [&](const Base &mapping) { return (mapping.*Members<dim>::face_data)(flags, quadrature); });
  }

  template <int dim>
  std::unique_ptr<typename Mapping<dim>::InternalDataBase>
  MappingByShape<dim>::get_subface_data(const UpdateFlags          flags,
                                        const Quadrature<dim - 1> &quadrature) const
  {
    return make_data([&](const Base &mapping) {
      return (mapping.*Members<dim>::subface_data)(flags, quadrature);
    });
  }

  template <int dim>
  CellSimilarity::Similarity
  MappingByShape<dim>::fill_fe_values(const Cell                      &cell,
                                      const CellSimilarity::Similarity similarity,
                                      const Quadrature<dim>           &quadrature,
                                      const Data                      &internal,
                                      OutputData                      &output) const
  {
    return (of(cell->reference_cell()).*Members<dim>::fill)(
      cell, similarity, quadrature, OfBoth::of_cell(internal, cell).present(), output);
  }

  template <int dim>
  void
  MappingByShape<dim>::fill_fe_face_values(const Cell                     &cell,
                                           const unsigned int              face,
                                           const hp::QCollection<dim - 1> &quadrature,
                                           const Data                     &internal,
                                           OutputData                     &output) const
  {
    (of(cell->reference_cell()).*Members<dim>::fill_face)(
      cell, face, quadrature, OfBoth::of_cell(internal, cell).present(), output);
  }

  template <int dim>
  void
  MappingByShape<dim>::fill_fe_subface_values(const Cell                &cell,
                                              const unsigned int         face,
                                              const unsigned int         subface,
                                              const Quadrature<dim - 1> &quadrature,
                                              const Data                &internal,
                                              OutputData                &output) const
  {
    (of(cell->reference_cell()).*Members<dim>::fill_subface)(
      cell, face, subface, quadrature, OfBoth::of_cell(internal, cell).present(), output);
  }

  template class MappingByShape<2>;
  template class MappingByShape<3>;
} // namespace Saltus
