// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_vector_h
#define saltus_base_algebra_vector_h

#include <deal.II/base/index_set.h>
#include <deal.II/lac/vector_operation.h>

#include <saltus/base/algebra/vector_layout.h>
#include <saltus/base/device/memory.h>

namespace Saltus
{
  template <typename>
  class VectorKernels;

  /// Coefficients of a discrete function in the operators' own order (see CoefficientLayout), on
  /// a device. It has what deal.II's solvers and preconditioners ask of a vector, so that these run
  /// on either device unchanged.
  ///
  /// Sums are formed in an order that does not depend on the number of threads. Vectors that are
  /// combined must have one layout on one device, and whatever reads or writes entries needs an
  /// initialised vector: otherwise dealii::ExcMessage is thrown.
  ///
  /// On a mesh that is spread over several ranks, sums, products and norms are those of all ranks'
  /// entries, and all ranks call them together. Entries that a rank reads or writes are its own.
  template <typename Number>
  class Vector
  {
  public:
    using value_type = Number;
    using real_type  = Number;
    using size_type  = dealii::types::global_dof_index; // which deal.II's preconditioners ask for

    Vector() = default;

    /// Zeros: @p n_modes modes of @p n_components components for each element.
    Vector(const Device       device,
           const unsigned int n_elements,
           const unsigned int n_modes,
           const unsigned int n_components);

    explicit Vector(const VectorLayout &layout);

    Vector(const Vector &other);
    Vector(Vector &&other) noexcept;

    /// A copy, on the device of @p other.
    Vector &
    operator=(const Vector &other);

    Vector &
    operator=(Vector &&other) noexcept;

    /// All entries are @p value.
    Vector &
    operator=(const Number value);

    /// The layout of @p other on its device; zeros unless @p omit_zeroing.
    template <typename OtherNumber>
    void
    reinit(const Vector<OtherNumber> &other, const bool omit_zeroing = false);

    /// For deal.II's templates that know a size alone: 0 makes the vector empty, the present size
    /// keeps the layout.
    /// @throws dealii::ExcMessage for another size, from which no layout follows
    void
    reinit(const size_type n, const bool omit_zeroing = false);

    void
    swap(Vector &other) noexcept;

    /// Number of degrees of freedom, on all ranks. (The array behind is padded to whole blocks:
    /// data_size().)
    std::size_t
    size() const
    {
      return layout_.n_entries();
    }

    /// Number of those that this rank owns.
    std::size_t
    locally_owned_size() const
    {
      return layout_.n_owned_entries();
    }

    const VectorLayout &
    layout() const
    {
      return layout_;
    }

    unsigned int
    n_elements() const
    {
      return layout_.n_elements;
    }

    unsigned int
    n_modes() const
    {
      return layout_.n_modes;
    }

    unsigned int
    n_components() const
    {
      return layout_.n_components;
    }

    Device
    device() const
    {
      return layout_.device;
    }

    /// On the device. Padding is zero, and whoever writes keeps it so. Ghosts follow.
    Number *
    data()
    {
      return memory.data();
    }

    const Number *
    data() const
    {
      return memory.data();
    }

    /// Of the array, padding included, ghosts left out.
    std::size_t
    data_size() const
    {
      return layout_.owned_array_size();
    }

    /// The array, padding included, ghosts left out.
    std::vector<Number>
    to_host() const
    {
      std::vector<Number> values(data_size());
      memory.copy_to_host(values.data(), values.size());
      return values;
    }

    /// Make @p copy one in host memory. It keeps its memory if its layout is the same otherwise.
    void
    copy_to_host(Vector &copy) const
    {
      VectorLayout on_host = layout_;
      on_host.device       = Device::cpu();
      if (!(copy.layout_ == on_host))
        copy = Vector(on_host);
      memory.copy_to_host(copy.memory.data(), data_size());
    }

    /// The array from host memory.
    void
    copy_from_host(const Number *values)
    {
      memory.copy_from_host(values, data_size());
    }

    /// This rank's entries, without padding, in the order of elements, modes and components.
    std::vector<Number>
    entries() const;

    /// Set them. @throws dealii::ExcMessage for another number of entries
    void
    set_entries(const std::vector<Number> &entries);

    /// One entry of this rank, counted through the elements of all ranks, modes and components in
    /// this order. Each access is a transfer from or to the device: for initial guesses and looks
    /// at single numbers.
    class Reference
    {
    public:
      Reference(const Vector &vector, Number *entry)
        : vector(vector)
        , entry(entry)
      {}

      operator Number() const;

      Reference &
      operator=(const Number value);

    private:
      const Vector &vector;
      Number       *entry;
    };

    Reference
    operator()(const std::size_t i);

    Number
    operator()(const std::size_t i) const;

    /// Scalar product.
    Number
    operator*(const Vector &other) const;

    Number
    norm_sqr() const;

    Number
    l2_norm() const;

    Number
    l1_norm() const;

    /// Not a number if an entry is not.
    Number
    linfty_norm() const;

    Number
    mean_value() const;

    bool
    all_zero() const;

    /// `max |this - other|`; not a number if an entry is not.
    Number
    max_difference(const Vector &other) const;

    /// `this += value` in every entry.
    void
    add(const Number value);

    /// `this += a v`
    void
    add(const Number a, const Vector &v);

    /// `this += a v + b w`
    void
    add(const Number a, const Vector &v, const Number b, const Vector &w);

    /// `this = s this + v`
    void
    sadd(const Number s, const Vector &v);

    /// `this = s this + a v`
    void
    sadd(const Number s, const Number a, const Vector &v);

    /// `this = a v`
    void
    equ(const Number a, const Vector &v);

    /// `this += a v`, then the product of this with @p w, in one pass.
    Number
    add_and_dot(const Number a, const Vector &v, const Vector &w);

    /// Multiply entry by entry.
    void
    scale(const Vector &factors);

    Vector &
    operator+=(const Vector &v);

    Vector &
    operator-=(const Vector &v);

    Vector &
    operator*=(const Number factor);

    Vector &
    operator/=(const Number factor);

    /// Every entry converted from another precision, on the same device.
    template <typename OtherNumber>
    void
    convert_from(const Vector<OtherNumber> &other);

    dealii::IndexSet
    locally_owned_elements() const
    {
      dealii::IndexSet indices(size());
      indices.add_range(layout_.first_entry(), layout_.first_entry() + locally_owned_size());
      return indices;
    }

    /// Nothing to do, but asked for by deal.II: every entry is owned.
    void
    compress(const dealii::VectorOperation::values) const
    {}

    /// Ghosts are the operators' own business.
    bool
    has_ghost_elements() const
    {
      return false;
    }

    std::size_t
    memory_consumption() const
    {
      return sizeof(*this) + memory.size() * sizeof(Number);
    }

  private:
    /// `this = s this + a v + b w`; what has the factor 0 is not read.
    void
    combine(const Number s, const Number a, const Vector &v, const Number b, const Vector &w);

    void
    zero_padding();

    std::size_t
    position(const std::size_t i) const;

    /// The kernels of the device, after a look at the layouts.
    /// @param other that of the other operand
    VectorKernels<Number>
    kernels(const VectorLayout &other, const char *operation) const;

    Memory<Number> memory;
    VectorLayout   layout_;
  };

  template <typename Number>
  void
  swap(Vector<Number> &a, Vector<Number> &b) noexcept
  {
    a.swap(b);
  }
} // namespace Saltus

namespace dealii::internal::LinearOperatorImplementation
{
  template <typename>
  class ReinitHelper;

  /// Vectors of dealii::linear_operator() come from the matrix.
  template <typename Number>
  class ReinitHelper<Saltus::Vector<Number>>
  {
  public:
    template <typename Matrix>
    static void
    reinit_range_vector(const Matrix &matrix, Saltus::Vector<Number> &vector, const bool)
    {
      matrix.initialize_dof_vector(vector);
    }

    template <typename Matrix>
    static void
    reinit_domain_vector(const Matrix &matrix, Saltus::Vector<Number> &vector, const bool)
    {
      matrix.initialize_dof_vector(vector);
    }
  };
} // namespace dealii::internal::LinearOperatorImplementation

#endif
