// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/hanging_form.h>

#include <algorithm>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  template <typename Number>
  template <int dim>
  HangingFormMemory<Number>::HangingFormMemory(
    const ElementSpace<dim, Number>                                     &space,
    const CoefficientValues<dim, Number>                                &diffusion,
    const std::function<double(const unsigned int, const unsigned int)> &penalty)
  {
    constexpr MetricForm form = MetricForm::cross_product;
    gradients                 = HangingGradientMemory<Number>(space, 1, false, form);
    if (empty())
      return;
    std::vector<Number> numbers;
    for_hanging_points<dim, Number>(
      space, gradients.hanging_faces(), form, [&](const HangingPoint<dim> &at) {
        const FacePart       part   = at.part;
        const double         length = at.normal.norm();
        const Tensor<1, dim> normal = at.normal / length;
        numbers.push_back(space.reference.face_weights[at.point] * length *
                          space.geometry.volume_factors[part.element]);
        numbers.push_back(
          std::max(penalty(part.element, part.face), penalty(at.larger.element, at.larger.face)));
        const auto append = [&](const Tensor<2, dim> &gradient, const Tensor<1, dim> &flux) {
          for (unsigned int r = 0; r < dim; ++r)
            numbers.push_back(gradient[r] * flux);
        };
        const auto at_point = diffusion.face(part.element, part.face, at.point);
        append(at.gradients, at_point * normal);
        append(at.gradients_across,
               (diffusion.varies_in_elements() ? at_point
                                               : diffusion.volume(at.larger.element, 0)) *
                 normal);
      });
    points = Memory<Number>(space.device, numbers);
  }

  template <typename Number>
  HangingForm<Number>
  HangingFormMemory<Number>::arrays() const
  {
    HangingForm<Number> result;
    static_cast<HangingGradients<Number> &>(result) = gradients.arrays();
    if (!empty())
      result.records = records();
    result.points = points.data();
    return result;
  }

  template <typename Number>
  std::size_t
  HangingFormMemory<Number>::memory_consumption() const
  {
    return gradients.memory_consumption() + points.size() * sizeof(Number);
  }

  template <typename Number>
  HangingFormRoom<Number>::HangingFormRoom(const Device               device,
                                           const HangingForm<Number> &form,
                                           const unsigned int         n_face_points,
                                           const unsigned int         dim,
                                           const unsigned int         n_components)
  {
    const std::size_t of_side = static_cast<std::size_t>(n_face_points) * n_components * (1 + dim),
                      n_sides = form.faces.n_faces + form.faces.n_parts;
    traces                    = Memory<Number>(device, n_sides * of_side);
    fluxes                    = Memory<Number>(device, n_sides * of_side);
    terms                     = Memory<Number>(device, form.faces.n_parts * of_side);
  }

  template <typename Number>
  HangingForm<Number>
  HangingFormRoom<Number>::arrays(HangingForm<Number> form) const
  {
    form.traces       = traces.data();
    form.terms        = terms.data();
    form.faces.fluxes = fluxes.data();
    return form;
  }

#define SALTUS_HANGING_FORM(dim, Number)                 \
  template HangingFormMemory<Number>::HangingFormMemory( \
    const ElementSpace<dim, Number> &,                   \
    const CoefficientValues<dim, Number> &,              \
    const std::function<double(const unsigned int, const unsigned int)> &);
#define SALTUS_HANGING_FORMS(Number)        \
  template class HangingFormMemory<Number>; \
  template class HangingFormRoom<Number>;   \
  SALTUS_HANGING_FORM(2, Number)            \
  SALTUS_HANGING_FORM(3, Number)
  SALTUS_HANGING_FORMS(double)
  SALTUS_HANGING_FORMS(float)
#undef SALTUS_HANGING_FORMS
#undef SALTUS_HANGING_FORM
} // namespace Saltus
