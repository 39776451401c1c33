// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_boundary_values_h
#define saltus_operators_spaces_boundary_values_h

#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/field_function.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace Saltus
{
  /// What is said of the boundary faces of a space by their ids, `[b]`, on its device.
  /// @param of_id `of_id(id)`
  template <int dim, typename Number, typename OfId>
  auto
  on_boundary_faces(const ElementSpace<dim, Number> &space, const OfId &of_id)
  {
    using T = std::decay_t<decltype(of_id(dealii::types::boundary_id()))>;
    std::vector<T> values;
    for (const auto &face : space.connectivity.boundary_faces)
      values.push_back(of_id(face.id));
    return Memory<T>(space.device, values);
  }

  /// Times at which boundary data is taken: the data is \f$ \sum_i f_i\, g(t_i) \f$. For one time
  /// simply a number; without terms the data is zero.
  class DataTimes
  {
  public:
    struct Term
    {
      double factor, time;

      bool
      operator==(const Term &other) const
      {
        return factor == other.factor && time == other.time;
      }
    };

    DataTimes() = default;

    DataTimes(const double time)
      : terms_({{1., time}})
    {}

    /// One time. Without a value that is the functions' own, see FieldFunction::time_at().
    DataTimes(const std::optional<double> time)
      : terms_({{1., time.value_or(0.)}})
      , is_own_(!time)
    {}

    DataTimes(std::vector<Term> terms)
      : terms_(std::move(terms))
    {}

    const std::vector<Term> &
    terms() const
    {
      return terms_;
    }

    /// Whether functions are taken at their own time.
    bool
    is_own() const
    {
      return is_own_;
    }

  private:
    std::vector<Term> terms_;
    bool              is_own_ = false;
  };

  /// Functions of position and time at the quadrature points of boundary faces, on a device. Values
  /// are kept from call to call where the functions are fixed (see FieldFunction), else computed
  /// anew.
  template <int dim, typename Number>
  class BoundaryValues
  {
  public:
    /// No data.
    BoundaryValues() = default;

    /// @param function what is given on the boundary with an id, with @p n_components; an empty
    /// function is zero
    BoundaryValues(
      const ElementSpace<dim, Number>                                              &space,
      const unsigned int                                                            n_components,
      const std::function<FieldFunction<dim>(const dealii::types::boundary_id id)> &function);

    /// `[b][q][i]`, until the next call; nullptr: zeros
    const Number *
    at(const DataTimes &times) const;

    /// Whether there is data.
    bool
    empty() const
    {
      return parts.empty();
    }

    /// @throws dealii::ExcMessage that names the boundary id and the point where the data of the
    /// last call of at() is not finite, at the last of its times
    void
    check_finite() const;

    /// The largest magnitude of the values that at() has set last, on this rank.
    Number
    largest() const;

    /// Where there is data set @p dst to `a v + b w`, all `[b][q][i]`.
    void
    combine(const Number a, const Number *v, const Number b, const Number *w, Number *dst) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return (values.size() + sum.size()) * sizeof(Number);
    }

  private:
    struct Part
    {
      dealii::types::boundary_id id;
      PointValues<dim, Number>   values;
      std::size_t                first; ///< where they stand
    };

    /// Whether what was computed for a time is still true.
    bool
    is_fixed() const;

    /// Set `values` to those at a time.
    void
    evaluate(const std::optional<double> time) const;

    std::vector<Part>      parts;
    mutable Memory<Number> values, sum;
    mutable bool           evaluated = false;
    mutable bool           is_finite = false; ///< whether the present values are known to be
    mutable double         time      = 0;     ///< of `values`, if evaluated; 0: perhaps their own

    mutable std::vector<DataTimes::Term> summed; ///< of `sum`
  };
} // namespace Saltus

#endif
