// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/hanging_gradient_memory.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Gradients of the reference coordinates at the points of the parts of faces, which are those
    /// of the rule in each part.
    template <int dim>
    class GradientsOnParts
    {
    public:
      GradientsOnParts(const ReferenceElement<dim> &reference, const ElementGeometry<dim> &geometry)
        : reference(reference)
        , geometry(geometry)
      {}

      /// `[q][r][d]`
      std::vector<Tensor<2, dim>>
      operator()(const unsigned int element, const unsigned int f, const unsigned int sub_face)
      {
        const ElementMap<dim> *map = geometry.curved_map(element);
        if (map == nullptr)
          return std::vector<Tensor<2, dim>>(reference.n_face_points(),
                                             geometry.inverse_jacobians[element]);
        auto &table = tables[{f, sub_face}];
        if (!table)
          table = std::make_unique<const ModeTable<dim>>(geometry.map_degree,
                                                         points(f, sub_face),
                                                         geometry.cell);
        std::vector<Tensor<2, dim>> result = map->jacobians(*table);
        for (Tensor<2, dim> &value : result)
          value = invert(value);
        return result;
      }

    private:
      std::vector<Point<dim>>
      points(const unsigned int f, const unsigned int sub_face) const
      {
        std::vector<Point<dim>> result;
        for (unsigned int q = 0; q < reference.n_face_points(); ++q)
          {
            Point<dim> point = reference.face_points[f * reference.n_face_points() + q];
            for (unsigned int t = 0; t + 1 < dim; ++t)
              {
                double &x = point[(f / 2 + 1 + t) % dim];
                x         = 0.5 * (x + (sub_face >> t & 1));
              }
            result.push_back(point);
          }
        return result;
      }

      const ReferenceElement<dim> &reference;
      const ElementGeometry<dim>  &geometry;
      std::map<std::pair<unsigned int, unsigned int>, std::unique_ptr<const ModeTable<dim>>> tables;
    };
  } // namespace

  template <int dim, typename Number>
  void
  for_hanging_points(const ElementSpace<dim, Number>                      &space,
                     const HangingFaces<Number>                           &faces,
                     const std::optional<MetricForm>                       form,
                     const std::function<void(const HangingPoint<dim> &)> &visit)
  {
    const ReferenceElement<dim>  &reference = space.reference;
    const unsigned int            nf        = reference.n_face_points();
    const ElementMetrics<dim>     metrics(reference, space.geometry, form);
    GradientsOnParts<dim>         on_parts(reference, space.geometry);
    const std::vector<LargerFace> all_larger = faces.larger_faces();
    for (const FacePart &part : faces.face_parts())
      {
        const LargerFace &larger    = all_larger[part.larger];
        const auto        normals   = metrics.normals(part.element);
        const auto        gradients = metrics.face_gradients(part.element);
        const auto        across    = on_parts(larger.element, larger.face, part.sub_face);
        const FacePoint  *turned    = reference.face_permutations.data() + part.orientation * nf;
        for (unsigned int there = 0; there < nf; ++there)
          {
            const unsigned int point = part.face * nf + there;
            // The point of the part that is this one.
            const unsigned int q = std::find(turned, turned + nf, there) - turned;
            visit({part, larger, there, normals[point], gradients[point], across[q]});
          }
      }
  }

  template <typename Number>
  template <int dim>
  HangingGradientMemory<Number>::HangingGradientMemory(const ElementSpace<dim, Number> &space,
                                                       const unsigned int              n_components,
                                                       const bool                      with_metrics,
                                                       const std::optional<MetricForm> form)
  {
    const unsigned int n = (1 + dim) * n_components;
    faces.emplace(space, n, form);
    if (empty())
      return;
    if (with_metrics)
      {
        std::vector<Number> numbers;
        for_hanging_points<dim, Number>(space, *faces, form, [&](const HangingPoint<dim> &at) {
          for (const Tensor<2, dim> &gradients : {at.gradients, at.gradients_across})
            for (unsigned int i = 0; i < dim * dim; ++i)
              numbers.push_back(gradients[i / dim][i % dim]);
        });
        metrics = Memory<Number>(space.device, numbers);
      }
    const HangingArrays<Number> sizes = faces->arrays();
    const std::size_t of_face = static_cast<std::size_t>(space.reference.n_face_points()) * n;
    traces = Memory<Number>(space.device, (sizes.n_faces + sizes.n_parts) * of_face);
    terms  = Memory<Number>(space.device, sizes.n_parts * of_face);
  }

  template <typename Number>
  HangingGradients<Number>
  HangingGradientMemory<Number>::arrays() const
  {
    HangingGradients<Number> result;
    if (faces)
      result.faces = faces->arrays();
    result.metrics = metrics.data();
    result.traces  = traces.data();
    result.terms   = terms.data();
    return result;
  }

  template <typename Number>
  std::size_t
  HangingGradientMemory<Number>::memory_consumption() const
  {
    return (faces ? faces->memory_consumption() : 0) +
           (metrics.size() + traces.size() + terms.size()) * sizeof(Number);
  }

#define SALTUS_HANGING_GRADIENTS_OF(dim, Number)                                                   \
  template HangingGradientMemory<Number>::HangingGradientMemory(const ElementSpace<dim, Number> &, \
                                                                const unsigned int,                \
                                                                const bool,                        \
                                                                const std::optional<MetricForm>);  \
  template void for_hanging_points(const ElementSpace<dim, Number> &,                              \
                                   const HangingFaces<Number> &,                                   \
                                   const std::optional<MetricForm>,                                \
                                   const std::function<void(const HangingPoint<dim> &)> &);
#define SALTUS_HANGING_GRADIENTS(Number)        \
  template class HangingGradientMemory<Number>; \
  SALTUS_HANGING_GRADIENTS_OF(2, Number)        \
  SALTUS_HANGING_GRADIENTS_OF(3, Number)
  SALTUS_HANGING_GRADIENTS(double)
  SALTUS_HANGING_GRADIENTS(float)
#undef SALTUS_HANGING_GRADIENTS
#undef SALTUS_HANGING_GRADIENTS_OF
} // namespace Saltus
