// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/io/functions/finite_values.h>
#include <saltus/mesh/curve/mapping_degree.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Make @p minimum the smaller one of itself and @p value, whatever other threads do to it.
    void
    lower(std::atomic<std::size_t> &minimum, const std::size_t value)
    {
      std::size_t present = minimum;
      while (value < present && !minimum.compare_exchange_weak(present, value))
        {}
    }


    /// @param where of the values, with a space before it
    [[noreturn]] void
    throw_not_finite(const Expression          &expression,
                     const std::string         &entry,
                     const std::vector<double> &values,
                     const std::string         &where)
    {
      std::ostringstream message;
      message << entry << " = '" << expression.text() << "' is ";
      for (std::size_t c = 0; c < values.size(); ++c)
        message << (c == 0 ? "" : "; ") << (std::isnan(values[c]) ? std::nan("") : values[c]);
      message << where << "; finite values are needed everywhere.";
      throw ExcMessage(message.str());
    }


    /// Of a face, in the reference cell.
    template <int dim>
    Point<dim>
    center_in_cell(const typename Triangulation<dim>::cell_iterator &cell,
                   const typename Triangulation<dim>::face_iterator &face)
    {
      Point<dim> center;
      for (const unsigned int v : cell->vertex_indices())
        for (const unsigned int w : face->vertex_indices())
          if (cell->vertex_index(v) == face->vertex_index(w))
            center += cell->reference_cell().template vertex<dim>(v) / face->n_vertices();
      return center;
    }
  } // namespace


  template <int dim>
  std::vector<Point<dim>>
  cell_centers(const Mapping<dim> &mapping, const Triangulation<dim> &triangulation)
  {
    const bool              straight = mapping_degree(mapping) == 1;
    std::vector<Point<dim>> points;
    points.reserve(triangulation.n_active_cells());
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        points.push_back(straight ? cell->center()
                                  : mapping.transform_unit_to_real_cell(
                                      cell, cell->reference_cell().template barycenter<dim>()));
    return points;
  }


  template <int dim>
  std::vector<Point<dim>>
  face_centers(const Mapping<dim>       &mapping,
               const Triangulation<dim> &triangulation,
               const types::boundary_id  id)
  {
    const bool              straight = mapping_degree(mapping) == 1;
    std::vector<Point<dim>> points;
    for (const auto &cell : triangulation.active_cell_iterators())
      for (const auto &face : cell->face_iterators())
        if (cell->is_locally_owned() && face->at_boundary() && face->boundary_id() == id)
          points.push_back(
            straight ? face->center()
                     : mapping.transform_unit_to_real_cell(cell, center_in_cell<dim>(cell, face)));
    return points;
  }


  template <int dim>
  void
  check_finite(const Expression              &expression,
               const std::string             &entry,
               const std::vector<Point<dim>> &points,
               const double                   time)
  {
    if (expression.is_constant())
      return check_constant(expression, entry);

    std::atomic<std::size_t> first = points.size(); // with a value that is not finite
    parallel_for(points.size(), [&](const auto begin, const auto end) {
      const auto             function = parsed_function<dim>(expression, time);
      dealii::Vector<double> values(expression.n_components());
      for (std::size_t i = begin; i < static_cast<std::size_t>(end) && i < first; ++i)
        {
          function->vector_value(points[i], values);
          if (!std::isfinite(values.l1_norm()))
            lower(first, i);
        }
    });
    if (first == points.size())
      return;

    dealii::Vector<double> values(expression.n_components());
    parsed_function<dim>(expression, time)->vector_value(points[first], values);
    std::ostringstream where;
    where << " at (" << points[first] << ") and time " << time;
    throw_not_finite(expression, entry, {values.begin(), values.end()}, where.str());
  }


  void
  check_constant(const Expression &expression, const std::string &entry)
  {
    const std::vector<double> &values = expression.constant_values();
    if (expression.is_constant() &&
        !std::all_of(values.begin(), values.end(), [](const double v) { return std::isfinite(v); }))
      throw_not_finite(expression, entry, values, "");
  }


#define SALTUS_INSTANTIATE(dim)                                                                    \
  template std::vector<Point<dim>> cell_centers(const Mapping<dim> &, const Triangulation<dim> &); \
  template std::vector<Point<dim>> face_centers(const Mapping<dim> &,                              \
                                                const Triangulation<dim> &,                        \
                                                const types::boundary_id);                         \
  template void                    check_finite(const Expression &,                                \
                                                const std::string &,                               \
                                                const std::vector<Point<dim>> &,                   \
                                                const double);

  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
