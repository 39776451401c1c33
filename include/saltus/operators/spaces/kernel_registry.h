// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_kernel_registry_h
#define saltus_operators_spaces_kernel_registry_h

#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/spaces/element_tables.h>

namespace Saltus
{
  /// The kernels of an operator on one kind of element, in one precision, on one back end.
  class KernelSet
  {
  public:
    virtual ~KernelSet() = default;

    /// Why slower kernels than usual were taken; nullptr if these are the fastest.
    virtual const char *
    fallback() const
    {
      return nullptr;
    }
  };

  /// For KernelSet::fallback().
  constexpr const char *reads_stored_geometry =
    "they read the geometry of the elements at quadrature points";

  /// Kernels that do one thing on every element of a range, given a struct of @p Arguments with a
  /// member `mesh`, whose range it is, and the type `value_type`.
  template <typename Arguments_>
  class RangeKernels : public KernelSet
  {
  public:
    using Arguments  = Arguments_;
    using value_type = typename Arguments::value_type;

    virtual void
    apply(const Arguments &arguments) const = 0;

    /// Begin to compile the kernels for such arguments, where a run compiles kernels.
    virtual void
    prepare(const Arguments & /*arguments*/) const
    {}
  };

  /// The kernels of one back end.
  template <typename Kernels>
  struct KernelBackEnd
  {
    /// Receives the tables in host memory, to choose by them and to copy from, and returns nullptr
    /// for an element that was not compiled. The caller owns the result. (A plain pointer: files
    /// compiled for different instruction sets must not share instantiated templates.)
    using Factory = Kernels *(*)(const ElementTables<typename Kernels::value_type> &host_tables,
                                 const int                                          degree);

    Factory make       = nullptr;
    int     min_degree = 0;
    int     max_degree = -1;
  };

  /// The table of compiled kernels: for each class of them (an operator, its dimension and
  /// precision), shape and kind of elements one entry a back end, which knows the degrees and
  /// chooses by them. Set by the instantiation lines of each back end, read by make_kernels().
  ///
  /// @tparam Kernels derived from KernelSet, with the number type `value_type`
  /// @tparam kind of the elements' geometry
  template <typename Kernels,
            GeometryKind kind  = GeometryKind::affine,
            ElementShape shape = ElementShape::simplex>
  struct KernelRegistry
  {
    using BackEnd = KernelBackEnd<Kernels>;

    static inline BackEnd cuda;
    /// By level of the vector instruction set, see base/device/instruction_set.h.
    static inline BackEnd cpu[5];
  };
} // namespace Saltus

#endif
