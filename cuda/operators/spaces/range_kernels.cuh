// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_range_kernels_cuh
#define saltus_cuda_operators_spaces_range_kernels_cuh

// RangeKernels of families, see FlowFamily, on GPUs: one thread an element, or a faster form.
#include <saltus/operators/spaces/kernel_registry.h>

#include <cuda/base/device/context.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <memory>

namespace Saltus
{
  namespace
  {
    /// @tparam kind of the elements' geometry
    /// @tparam Tables the reference element, see QuadratureTables
    /// @tparam Fast launches faster kernels for double precision on tensor cores
    template <typename Family, GeometryKind kind, typename Tables, typename Fast>
    class CudaRangeKernels : public RangeKernels<typename Family::Arguments>
    {
      using Arguments = typename Family::Arguments;
      using Number    = typename Arguments::value_type;
      using Element   = typename Family::template Element<kind, Number, 1, Tables>;

    public:
      explicit CudaRangeKernels(const ElementTables<Number> &host)
      {
        if (!Fast::is_faster() || !Fast::fits(host))
          return;
        lack = CudaRuntime::lack_for_kernels(Fast::shared_bytes(host), true);
        if (lack == nullptr)
          fast = std::make_unique<Fast>(host);
      }

      void
      apply(const Arguments &arg) const override
      {
        if (fast)
          (*fast)(arg);
        else
          run_element_threads<Element, Tables>(arg);
        CudaRuntime::check_launch(Family::name);
      }

      const char *
      fallback() const override
      {
        if (kind == GeometryKind::stored)
          return reads_stored_geometry;
        return fast || !Fast::is_faster() || lack != nullptr
                 ? lack
                 : "the faster ones have the default quadrature";
      }

    private:
      const char           *lack = nullptr; ///< see fallback()
      std::unique_ptr<Fast> fast;
    };

    /// Of CudaRangeKernels without faster ones.
    template <typename Arguments>
    struct NoFastKernels
    {
      explicit NoFastKernels(const ElementTables<typename Arguments::value_type> &)
      {}

      static constexpr bool
      is_faster()
      {
        return false;
      }

      static bool
      fits(const ElementTables<typename Arguments::value_type> &)
      {
        return false;
      }

      static int
      shared_bytes(const ElementTables<typename Arguments::value_type> &)
      {
        return 0;
      }

      void
      operator()(const Arguments &) const
      {}
    };

    /// One kernel for all degrees.
    template <typename Family, GeometryKind kind, ElementShape shape = ElementShape::simplex>
    void
    enrol_of_any_degree(const int max_degree = Family::max_degree)
    {
      using Arguments                            = typename Family::Arguments;
      using Kernels                              = RangeKernels<Arguments>;
      using Number                               = typename Kernels::value_type;
      KernelRegistry<Kernels, kind, shape>::cuda = {
        [](const ElementTables<Number> &host, const int) -> Kernels * {
          using Tables = QuadratureTables<Family::dim, Number>;
          return new CudaRangeKernels<Family, kind, Tables, NoFastKernels<Arguments>>(host);
        },
        1,
        max_degree};
    }

    /// The same for elements of every kind.
    template <typename Family, ElementShape shape = ElementShape::simplex>
    bool
    enrol_of_any_degree(const int max_degree = Family::max_degree)
    {
      enrol_of_any_degree<Family, GeometryKind::affine, shape>(max_degree);
      enrol_of_any_degree<Family, GeometryKind::stored, shape>(max_degree);
      return true;
    }

    /// Kernels of each degree, and general ones for elements that are not affine.
    /// @tparam Fast `Fast<Family, degree>`, see CudaRangeKernels
    template <typename Family, template <typename, int> class Fast>
    bool
    enrol()
    {
      using Kernels                 = RangeKernels<typename Family::Arguments>;
      using Number                  = typename Kernels::value_type;
      KernelRegistry<Kernels>::cuda = {
        [](const ElementTables<Number> &host, const int wanted) {
          return make_for_degree<Family::max_degree>(wanted, [&](const auto number) -> Kernels * {
            constexpr int degree = decltype(number)::value;
            using Tables         = DegreeTables<Family::dim, Number, degree>;
            return new CudaRangeKernels<Family, GeometryKind::affine, Tables, Fast<Family, degree>>(
              host);
          });
        },
        1,
        Family::max_degree};
      enrol_of_any_degree<Family, GeometryKind::stored>();
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
