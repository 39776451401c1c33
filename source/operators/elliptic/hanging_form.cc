// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/elliptic/hanging_form.h>

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

  template <typename Number>
  template <int dim>
  HangingFormMemory<Number>::HangingFormMemory(
    const ElementSpace<dim, Number>                                     &space,
    const CoefficientValues<dim, Number>                                &diffusion,
    const std::function<double(const unsigned int, const unsigned int)> &penalty)
  {
    faces.emplace(space, 1 + dim, MetricForm::cross_product);
    if (empty())
      return;
    const ReferenceElement<dim>  &reference = space.reference;
    const unsigned int            nf        = reference.n_face_points();
    const ElementMetrics<dim>     metrics(reference, space.geometry, MetricForm::cross_product);
    GradientsOnParts<dim>         on_parts(reference, space.geometry);
    std::vector<Number>           numbers;
    const std::vector<LargerFace> all_larger = faces->larger_faces();
    const std::vector<FacePart>   all_parts  = faces->face_parts();
    for (const FacePart &part : all_parts)
      {
        const LargerFace &larger    = all_larger[part.larger];
        const auto        normals   = metrics.normals(part.element);
        const auto        gradients = metrics.face_gradients(part.element);
        const auto        across    = on_parts(larger.element, larger.face, part.sub_face);
        const double      of_part =
          std::max(penalty(part.element, part.face), penalty(larger.element, larger.face));
        for (unsigned int there = 0; there < nf; ++there)
          {
            // The point of the part that is this one.
            const FacePoint   *turned = reference.face_permutations.data() + part.orientation * nf;
            const unsigned int q      = std::find(turned, turned + nf, there) - turned;

            const unsigned int   point  = part.face * nf + there;
            const double         length = normals[point].norm();
            const Tensor<1, dim> normal = normals[point] / length;
            numbers.push_back(reference.face_weights[there] * length *
                              space.geometry.volume_factors[part.element]);
            numbers.push_back(of_part);
            const auto append = [&](const Tensor<2, dim> &gradient, const Tensor<1, dim> &flux) {
              for (unsigned int r = 0; r < dim; ++r)
                numbers.push_back(gradient[r] * flux);
            };
            const auto at_point = diffusion.face(part.element, part.face, there);
            append(gradients[point], at_point * normal);
            append(across[q],
                   (diffusion.varies_in_elements() ? at_point
                                                   : diffusion.volume(larger.element, 0)) *
                     normal);
          }
      }
    points                  = Memory<Number>(space.device, numbers);
    const std::size_t sides = all_larger.size() + all_parts.size();
    traces                  = Memory<Number>(space.device, sides * nf * (1 + dim));
    terms                   = Memory<Number>(space.device, all_parts.size() * nf * (1 + dim));
  }

  template <typename Number>
  HangingForm<Number>
  HangingFormMemory<Number>::arrays() const
  {
    HangingForm<Number> result;
    if (faces)
      result.faces = faces->arrays();
    result.points = points.data();
    result.traces = traces.data();
    result.terms  = terms.data();
    return result;
  }

  template <typename Number>
  std::size_t
  HangingFormMemory<Number>::memory_consumption() const
  {
    return (faces ? faces->memory_consumption() : 0) +
           (points.size() + traces.size() + terms.size()) * sizeof(Number);
  }

#define SALTUS_HANGING_FORM(dim, Number)                 \
  template HangingFormMemory<Number>::HangingFormMemory( \
    const ElementSpace<dim, Number> &,                   \
    const CoefficientValues<dim, Number> &,              \
    const std::function<double(const unsigned int, const unsigned int)> &);
#define SALTUS_HANGING_FORMS(Number)        \
  template class HangingFormMemory<Number>; \
  SALTUS_HANGING_FORM(2, Number)            \
  SALTUS_HANGING_FORM(3, Number)
  SALTUS_HANGING_FORMS(double)
  SALTUS_HANGING_FORMS(float)
#undef SALTUS_HANGING_FORMS
#undef SALTUS_HANGING_FORM
} // namespace Saltus
