// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_kernel_dispatch_h
#define saltus_operators_spaces_kernel_dispatch_h

#include <deal.II/base/exceptions.h>

#include <saltus/base/device/device.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/base/device/say_once.h>
#include <saltus/mesh/element_range.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/operators/spaces/table_memory.h>

#include <memory>
#include <string>

namespace Saltus
{
  /// The compiled kernels of an operator for an element on a device. Notes on standard error if
  /// they are a slower, general form.
  /// @param name of the operator, for messages
  /// @tparam kind of the geometry of the elements
  /// @tparam shape of the elements
  /// @throws dealii::ExcMessage, which names the degrees that there are, if none were compiled
  template <typename Kernels,
            GeometryKind kind  = GeometryKind::affine,
            ElementShape shape = ElementShape::simplex,
            int          dim>
  std::unique_ptr<Kernels>
  make_kernels(const ReferenceElement<dim> &reference, const Device device, const std::string &name)
  {
    using Registry = KernelRegistry<Kernels, kind, shape>;
    const auto &compiled =
      device.is_cuda() ? Registry::cuda : Registry::cpu[instruction_set_level()];
    const std::string of = std::string(device.is_cuda() ? "CUDA" : "CPU") + " kernels of the " +
                           name + " operator in " + std::to_string(dim) + "D" +
                           (shape == ElementShape::simplex ? ""
                            : dim == 2                     ? " on quadrilaterals"
                                                           : " on hexahedra") +
                           (kind == GeometryKind::affine ? "" : " for elements of any geometry");

    std::unique_ptr<Kernels> kernels;
    if (const int degree = reference.degree;
        compiled.make != nullptr && degree >= compiled.min_degree && degree <= compiled.max_degree)
      {
        const TableMemory<typename Kernels::value_type> host(reference, Device::cpu());
        device.make_current();
        kernels.reset(compiled.make(host.arrays(), degree));
      }
    AssertThrow(kernels != nullptr,
                dealii::ExcMessage("There are no compiled " + of +
                                   (compiled.make == nullptr
                                      ? "."
                                      : " with degree " + std::to_string(reference.degree) +
                                          ", only with " + std::to_string(compiled.min_degree) +
                                          " to " + std::to_string(compiled.max_degree) + ".") +
                                   (device.is_cuda() ? " The device cpu may have them." : "")));
    if (const char *reason = kernels->fallback())
      say_once("the " + of + " with degree " + std::to_string(reference.degree) +
               " are slower: " + reason);
    return kernels;
  }

  /// Those for all ranges of a mesh, by the shape and the kind of geometry of their elements. There
  /// are always those for affine elements of the shape of the reference element.
  template <typename Kernels>
  class KernelsOfRanges
  {
  public:
    /// @param ranges those for which there are to be kernels
    template <int dim>
    void
    reinit(const std::vector<ElementRange> &ranges,
           const ReferenceElement<dim>     &reference,
           const Device                     device,
           const std::string               &name)
    {
      using Make            = std::unique_ptr<Kernels> (*)(const ReferenceElement<dim> &,
                                                const Device,
                                                const std::string &);
      constexpr auto affine = GeometryKind::affine, stored = GeometryKind::stored;
      constexpr auto hypercube                                = ElementShape::hypercube;
      const Make     make[n_element_shapes][n_geometry_kinds] = {
            {make_kernels<Kernels, affine>, make_kernels<Kernels, stored>},
            {make_kernels<Kernels, affine, hypercube>, make_kernels<Kernels, stored, hypercube>}};

      for (auto &of_shape : kernels)
        for (auto &of_kind : of_shape)
          of_kind.reset();
      const auto add = [&](const ElementRange &range) {
        const auto shape = static_cast<int>(range.shape), kind = static_cast<int>(range.kind);
        if (!kernels[shape][kind])
          kernels[shape][kind] = make[shape][kind](reference, device, name);
      };
      of_mesh.shape = reference.is_simplex() ? ElementShape::simplex : ElementShape::hypercube;
      add(of_mesh);
      for (const ElementRange &range : ranges)
        add(range);
    }

    /// Whether `condition(kernels)` holds for those of every shape and kind.
    template <typename Condition>
    bool
    all(const Condition &condition) const
    {
      for (const auto &of_shape : kernels)
        for (const auto &of_kind : of_shape)
          if (of_kind && !condition(*of_kind))
            return false;
      return true;
    }

    /// For what is done on all elements together, whatever their kinds.
    const Kernels &
    whole() const
    {
      return (*this)[of_mesh];
    }

    /// @param range of elements: an ElementRange, or the MeshArrays of one
    template <typename Range>
    const Kernels &
    operator[](const Range &range) const
    {
      return *kernels[static_cast<int>(range.shape)][static_cast<int>(range.kind)];
    }

  private:
    ElementRange             of_mesh;
    std::unique_ptr<Kernels> kernels[n_element_shapes][n_geometry_kinds]; ///< or nullptr
  };
} // namespace Saltus

#endif
