// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/affine_constraints.templates.h>
#include <deal.II/lac/vector_memory.templates.h>

#include <saltus/base/algebra/block_vector.h>
#include <saltus/base/algebra/vector_kernels.h>

#include <cmath>

namespace Saltus
{
  template <typename Number>
  Vector<Number>::Vector(const VectorLayout &layout)
    : memory(layout.device, layout.array_size())
    , layout_(layout)
  {}

  template <typename Number>
  Vector<Number>::Vector(const Device       device,
                         const unsigned int n_elements,
                         const unsigned int n_modes,
                         const unsigned int n_components)
    : Vector(VectorLayout{device, n_elements, n_modes, n_components})
  {}

  template <typename Number>
  Vector<Number>::Vector(const Vector &other)
  {
    *this = other;
  }

  template <typename Number>
  Vector<Number>::Vector(Vector &&other) noexcept
  {
    swap(other);
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator=(Vector &&other) noexcept
  {
    swap(other);
    return *this;
  }

  template <typename Number>
  VectorKernels<Number>
  Vector<Number>::kernels(const VectorLayout &other, const char *operation) const
  {
    check_layout(other, layout_, operation);
    return VectorKernels<Number>(device());
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator=(const Vector &other)
  {
    if (this != &other)
      {
        reinit(other, true);
        memory.copy_from(other.memory, layout_.array_size()); // arrays may be larger
      }
    return *this;
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator=(const Number value)
  {
    if (value == Number(0) && n_modes() == 0)
      return *this; // asked for by solvers of deal.II before they know the size
    kernels(layout_, "assigning a number").set(data_size(), value, data());
    if (value != Number(0))
      zero_padding();
    return *this;
  }

  template <typename Number>
  template <typename OtherNumber>
  void
  Vector<Number>::reinit(const Vector<OtherNumber> &other, const bool omit_zeroing)
  {
    if (layout_ == other.layout())
      {
        if (!omit_zeroing)
          memory.fill_zero();
      }
    else if (layout_.device == other.device() && memory.size() >= other.layout().array_size())
      {
        // Solvers take their vectors from one pool, for one space after the other.
        layout_ = other.layout();
        memory.fill_zero();
      }
    else
      *this = Vector(other.layout());
  }

  template <typename Number>
  void
  Vector<Number>::reinit(const size_type n, const bool omit_zeroing)
  {
    if (n == 0)
      *this = Vector();
    AssertThrow(n == size(),
                dealii::ExcMessage("No vector of Saltus can be made from the number " +
                                   std::to_string(n) +
                                   " of its entries. Make it with an operator's "
                                   "initialize_vector(), and give a preconditioner of deal.II a "
                                   "diagonal from compute_diagonal()."));
    if (!omit_zeroing)
      memory.fill_zero();
  }

  template <typename Number>
  void
  Vector<Number>::swap(Vector &other) noexcept
  {
    memory.swap(other.memory);
    std::swap(layout_, other.layout_);
  }

  template <typename Number>
  std::size_t
  Vector<Number>::position(const std::size_t i) const
  {
    AssertIndexRange(i, locally_owned_size());
    const unsigned int n       = n_components();
    const unsigned int element = i / layout_.entries_per_element();
    const unsigned int entry   = i % layout_.entries_per_element();
    return layout_.coefficients().index(element, entry / n, entry % n);
  }

  template <typename Number>
  std::vector<Number>
  Vector<Number>::entries() const
  {
    const std::vector<Number> values = to_host();
    std::vector<Number>       result(locally_owned_size());
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = values[position(i)];
    return result;
  }

  template <typename Number>
  void
  Vector<Number>::set_entries(const std::vector<Number> &entries)
  {
    AssertThrow(entries.size() == locally_owned_size(),
                dealii::ExcMessage("A vector with " + layout_.description() + " has " +
                                   std::to_string(locally_owned_size()) + " entries, not " +
                                   std::to_string(entries.size()) + "."));
    std::vector<Number> values(data_size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      values[position(i)] = entries[i];
    copy_from_host(values.data());
  }

  template <typename Number>
  Vector<Number>::Reference::operator Number() const
  {
    Number value;
    vector.device().make_current();
    if (vector.device().is_cuda())
      CudaRuntime::copy_to_host(&value, entry, sizeof(Number));
    else
      value = *entry;
    return value;
  }

  template <typename Number>
  typename Vector<Number>::Reference &
  Vector<Number>::Reference::operator=(const Number value)
  {
    VectorKernels<Number>(vector.device()).set(1, value, entry);
    return *this;
  }

  template <typename Number>
  typename Vector<Number>::Reference
  Vector<Number>::operator()(const std::size_t i)
  {
    return {*this, data() + position(i - layout_.first_entry())};
  }

  template <typename Number>
  Number
  Vector<Number>::operator()(const std::size_t i) const
  {
    return Reference(*this, const_cast<Number *>(data()) + position(i - layout_.first_entry()));
  }

  template <typename Number>
  Number
  Vector<Number>::operator*(const Vector &other) const
  {
    return sum_over_ranks(
      layout_.partition,
      kernels(other.layout_, "product of vectors").dot(data_size(), data(), other.data()));
  }

  template <typename Number>
  Number
  Vector<Number>::norm_sqr() const
  {
    return *this * *this;
  }

  template <typename Number>
  Number
  Vector<Number>::l2_norm() const
  {
    return std::sqrt(norm_sqr());
  }

  template <typename Number>
  Number
  Vector<Number>::l1_norm() const
  {
    return sum_over_ranks(
      layout_.partition,
      kernels(layout_, "norm of a vector").sum_of_magnitudes(data_size(), data()));
  }

  template <typename Number>
  Number
  Vector<Number>::linfty_norm() const
  {
    return max_over_ranks(
      layout_.partition,
      kernels(layout_, "norm of a vector").max_difference(data_size(), data(), nullptr));
  }

  template <typename Number>
  Number
  Vector<Number>::mean_value() const
  {
    return sum_over_ranks(layout_.partition,
                          kernels(layout_, "mean value of a vector").sum(data_size(), data())) /
           size();
  }

  template <typename Number>
  bool
  Vector<Number>::all_zero() const
  {
    return linfty_norm() == Number(0);
  }

  template <typename Number>
  Number
  Vector<Number>::max_difference(const Vector &other) const
  {
    return max_over_ranks(layout_.partition,
                          kernels(other.layout_, "difference of vectors")
                            .max_difference(data_size(), data(), other.data()));
  }

  template <typename Number>
  void
  Vector<Number>::add(const Number value)
  {
    kernels(layout_, "adding a number").shift(data_size(), value, data());
    zero_padding();
  }

  template <typename Number>
  void
  Vector<Number>::combine(const Number  s,
                          const Number  a,
                          const Vector &v,
                          const Number  b,
                          const Vector &w)
  {
    check_layout(w.layout_, layout_, "sum of vectors");
    kernels(v.layout_, "sum of vectors").combine(data_size(), s, data(), a, v.data(), b, w.data());
  }

  template <typename Number>
  void
  Vector<Number>::add(const Number a, const Vector &v)
  {
    combine(1, a, v, 0, v);
  }

  template <typename Number>
  void
  Vector<Number>::add(const Number a, const Vector &v, const Number b, const Vector &w)
  {
    combine(1, a, v, b, w);
  }

  template <typename Number>
  void
  Vector<Number>::sadd(const Number s, const Vector &v)
  {
    combine(s, 1, v, 0, v);
  }

  template <typename Number>
  void
  Vector<Number>::sadd(const Number s, const Number a, const Vector &v)
  {
    combine(s, a, v, 0, v);
  }

  template <typename Number>
  void
  Vector<Number>::equ(const Number a, const Vector &v)
  {
    combine(0, a, v, 0, v);
  }

  template <typename Number>
  Number
  Vector<Number>::add_and_dot(const Number a, const Vector &v, const Vector &w)
  {
    check_layout(w.layout_, layout_, "product of vectors");
    return sum_over_ranks(
      layout_.partition,
      kernels(v.layout_, "sum of vectors").add_and_dot(data_size(), a, v.data(), data(), w.data()));
  }

  template <typename Number>
  void
  Vector<Number>::scale(const Vector &factors)
  {
    kernels(factors.layout_, "product of vectors").scale(data_size(), factors.data(), data());
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator+=(const Vector &v)
  {
    add(1, v);
    return *this;
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator-=(const Vector &v)
  {
    add(-1, v);
    return *this;
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator*=(const Number factor)
  {
    combine(factor, 0, *this, 0, *this);
    return *this;
  }

  template <typename Number>
  Vector<Number> &
  Vector<Number>::operator/=(const Number factor)
  {
    return *this *= Number(1) / factor;
  }

  template <typename Number>
  template <typename OtherNumber>
  void
  Vector<Number>::convert_from(const Vector<OtherNumber> &other)
  {
    reinit(other, true);
    kernels(layout_, "conversion of a vector").convert(data_size(), other.data(), data());
  }

  template <typename Number>
  void
  Vector<Number>::zero_padding()
  {
    const unsigned int used = n_elements() % block_size;
    if (used == 0)
      return;
    const auto set_zero = [&](const std::size_t first, const std::size_t last) {
      VectorKernels<Number>(device()).set(last - first, Number(0), data() + first);
    };
    const CoefficientLayout layout = layout_.coefficients();
    const unsigned int      last   = n_elements() - used + block_size - 1; // of the block
    if (layout.element_by_element())
      set_zero(layout.index(n_elements(), 0), data_size());
    else
      for (unsigned int m = 0; m < n_modes(); ++m)
        set_zero(layout.index(n_elements(), m), layout.index(last, m) + n_components());
  }

  template class Vector<double>;
  template class Vector<float>;

#define SALTUS_CONVERSION(To, From)                                   \
  template void Vector<To>::reinit(const Vector<From> &, const bool); \
  template void Vector<To>::convert_from(const Vector<From> &);
  SALTUS_CONVERSION(double, double)
  SALTUS_CONVERSION(double, float)
  SALTUS_CONVERSION(float, double)
  SALTUS_CONVERSION(float, float)
#undef SALTUS_CONVERSION
} // namespace Saltus

// What deal.II instantiates for its own vectors only.
namespace dealii
{
  // Since 9.5 every vector that is kept is asked for its memory; those of blocks ask their blocks.
  template <typename Kept>
  static std::size_t
  memory_of(const Kept &kept)
  {
    std::size_t sum = 0;
    for (const auto &[in_use, vector] : kept)
      for (unsigned int i = 0; vector && i < vector->n_blocks(); ++i)
        sum += vector->block(i).memory_consumption();
    return sum;
  }

  template <>
  std::size_t
  GrowingVectorMemory<Saltus::BlockVector<double>>::memory_consumption() const
  {
    return memory_of(*get_pool().data);
  }

  template <>
  std::size_t
  GrowingVectorMemory<Saltus::BlockVector<float>>::memory_consumption() const
  {
    return memory_of(*get_pool().data);
  }

  template class GrowingVectorMemory<Saltus::Vector<double>>;
  template class GrowingVectorMemory<Saltus::Vector<float>>;
  template class GrowingVectorMemory<Saltus::BlockVector<double>>;
  template class GrowingVectorMemory<Saltus::BlockVector<float>>;

  namespace internal::AffineConstraintsImplementation
  {
    template void
    set_zero_all(const std::vector<types::global_dof_index> &, Saltus::Vector<double> &);
    template void
    set_zero_all(const std::vector<types::global_dof_index> &, Saltus::Vector<float> &);
  } // namespace internal::AffineConstraintsImplementation
} // namespace dealii
