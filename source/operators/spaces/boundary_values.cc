// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/operators/spaces/boundary_values.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  BoundaryValues<dim, Number>::BoundaryValues(
    const ElementSpace<dim, Number>                                      &space,
    const unsigned int                                                    n_components,
    const std::function<FieldFunction<dim>(const types::boundary_id id)> &function)
  {
    const auto        &reference = space.reference;
    const auto        &faces     = space.connectivity.boundary_faces;
    const unsigned int n_points  = reference.n_face_points();
    for (std::size_t b = 0; b < faces.size();)
      {
        // Neighbouring faces with one id are evaluated together.
        const auto              id    = faces[b].id;
        const std::size_t       first = b * n_points * n_components;
        std::vector<Point<dim>> points;
        for (; b < faces.size() && faces[b].id == id; ++b)
          for (unsigned int q = 0; q < n_points; ++q)
            points.push_back(
              space.geometry.map(faces[b].element,
                                 reference.face_points[faces[b].face * n_points + q]));
        const FieldFunction<dim> here = function(id);
        if (here.empty())
          continue;
        parts.push_back({id, PointValues<dim, Number>(here, points, space.device), first});
      }
    if (parts.empty())
      return;
    const std::size_t n = faces.size() * n_points * n_components;
    values              = Memory<Number>(space.device, n);
    sum                 = Memory<Number>(space.device, n);
  }

  template <int dim, typename Number>
  const Number *
  BoundaryValues<dim, Number>::at(const DataTimes &times) const
  {
    if (parts.empty() || times.terms().empty())
      return nullptr;
    if (times.terms().size() == 1 && times.terms()[0].factor == 1.)
      {
        evaluate(times.is_own() ? std::nullopt : std::optional(times.terms()[0].time));
        return values.data();
      }
    if (summed == times.terms() && is_fixed())
      return sum.data();
    Number part = 0;
    for (const DataTimes::Term &term : times.terms())
      {
        evaluate(term.time);
        VectorKernels<Number>(values.device())
          .combine(sum.size(), part, sum.data(), term.factor, values.data(), 0, nullptr);
        part = 1;
      }
    summed = times.terms();
    return sum.data();
  }

  template <int dim, typename Number>
  bool
  BoundaryValues<dim, Number>::is_fixed() const
  {
    return std::all_of(parts.begin(), parts.end(), [](const Part &part) {
      return part.values.function.is_fixed();
    });
  }

  template <int dim, typename Number>
  void
  BoundaryValues<dim, Number>::evaluate(const std::optional<double> time) const
  {
    const auto is_known = [&](const Part &part) {
      const FieldFunction<dim> &function = part.values.function;
      return evaluated && function.is_fixed() &&
             (!function.depends_on_time() || time.value_or(0.) == this->time);
    };
    if (std::all_of(parts.begin(), parts.end(), is_known))
      return;
    for (const Part &part : parts)
      if (!is_known(part))
        part.values.evaluate(time, values.data() + part.first);
    evaluated  = true;
    is_finite  = false;
    this->time = time.value_or(0.);
  }

  template <int dim, typename Number>
  void
  BoundaryValues<dim, Number>::check_finite() const
  {
    if (is_finite)
      return;
    for (const Part &part : parts)
      part.values.check_finite(values.data() + part.first,
                               "boundary data for id " + std::to_string(part.id));
    is_finite = true;
  }

  template <int dim, typename Number>
  Number
  BoundaryValues<dim, Number>::largest() const
  {
    if (values.size() == 0)
      return 0;
    values.device().make_current();
    return VectorKernels<Number>(values.device())
      .max_difference(values.size(), values.data(), nullptr);
  }

  template <int dim, typename Number>
  void
  BoundaryValues<dim, Number>::combine(const Number  a,
                                       const Number *v,
                                       const Number  b,
                                       const Number *w,
                                       Number       *dst) const
  {
    for (const Part &part : parts)
      VectorKernels<Number>(values.device())
        .combine(part.values.n_points() * part.values.function.n_components(),
                 0,
                 dst + part.first,
                 a,
                 v + part.first,
                 b,
                 w + part.first);
  }

  template class BoundaryValues<2, double>;
  template class BoundaryValues<2, float>;
  template class BoundaryValues<3, double>;
  template class BoundaryValues<3, float>;
} // namespace Saltus
