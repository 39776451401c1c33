// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_laplace_kernels_h
#define saltus_source_operators_elliptic_kernels_laplace_kernels_h

// Kernels of the Laplace operator for one set of vector instructions.
#include <saltus/operators/elliptic/kernels/robin_terms.h>
#include <saltus/operators/elliptic/kernels/sparse_laplace_element.h>

#include "any_degree_laplace_element.h"
#include "curved_laplace_element.h"
#include "quadrature_laplace.h"

namespace
{
  using namespace Saltus;

  /// Exact integrals are compiled for these degrees, and not for registers of 16 bytes: compilers
  /// take their time. For others there are loops.
  constexpr bool
  is_compiled(const int dim, const int degree)
  {
    return vector_bytes > 16 && degree <= (dim == 2 ? 6 : 4);
  }

  /// @tparam Element SparseLaplaceElement or AnyDegreeLaplaceElement
  /// @tparam Entries of its matrices
  template <int dim, typename Number, int n_components, typename Element, typename Entries>
  class CpuKernels : public LaplaceKernels<dim, Number, n_components>
  {
    static constexpr int width = vector_bytes / sizeof(Number);

  public:
    template <typename... Arguments>
    explicit CpuKernels(Arguments &&...of_entries)
      : entries(of_entries...)
    {}

    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      if (arg.is_sparse())
        {
          for_element_groups(arg.mesh, width, [&](const int first) {
            for (int c = 0; c < n_components; ++c)
              Element(arg, entries).run(first, c);
          });
          if (n_components == 1 && arg.has_robin)
            for_element_groups(arg.mesh, 1, [&](const int element) {
              add_robin_terms<dim>(arg, element);
            });
        }
      else
        apply_by_quadrature<GeometryKind::affine, dim, QuadratureTables<dim, Number>, n_components>(
          arg);
    }

    bool
    smooths(const LaplaceArguments<Number> &arg) const override
    {
      return n_components == 1 && arg.is_sparse() && !arg.has_robin;
    }

  private:
    const Entries entries;
  };

  /// Of elements that are not affine.
  template <int dim, typename Number, int n_components>
  class CpuStoredKernels : public LaplaceKernels<dim, Number, n_components>
  {
  public:
    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      apply_by_quadrature<GeometryKind::stored, dim, QuadratureTables<dim, Number>, n_components>(
        arg);
    }

    const char *
    fallback() const override
    {
      return reads_stored_geometry;
    }
  };

  /// For a degree that is compiled.
  template <int dim, typename Number, int n_components, int degree>
  class CpuCurvedKernels : public CpuStoredKernels<dim, Number, n_components>
  {
    static constexpr int width = vector_bytes / sizeof(Number);

    using Element =
      CurvedLaplaceElement<dim, degree, Pack<Number, width>, Number, width, n_components>;

  public:
    explicit CpuCurvedKernels(const ElementTables<Number> &tables)
      : constants(tables)
    {}

    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      if (!Element::takes(arg))
        return CpuStoredKernels<dim, Number, n_components>::apply(arg);
      for_element_groups(arg.mesh, width, [&](const int first) {
        for (int c = 0; c < n_components; ++c)
          Element(arg, constants, first, c).run();
      });
    }

    const char *
    fallback() const override
    {
      return nullptr;
    }

  private:
    const typename Element::Constants constants;
  };

  template <int dim, typename Number, int n_components, int degree = 1>
  LaplaceKernels<dim, Number, n_components> *
  make_stored(const ElementTables<Number> &tables, const int wanted)
  {
    if constexpr (is_compiled(dim, degree))
      {
        if (wanted == degree)
          return new CpuCurvedKernels<dim, Number, n_components, degree>(tables);
        return make_stored<dim, Number, n_components, degree + 1>(tables, wanted);
      }
    else
      return new CpuStoredKernels<dim, Number, n_components>;
  }

  template <int dim, typename Number, int n_components, int degree = 1>
  LaplaceKernels<dim, Number, n_components> *
  make(const ElementTables<Number> &tables, const int wanted)
  {
    constexpr int width = vector_bytes / sizeof(Number);
    using T             = Pack<Number, width>;
    if constexpr (is_compiled(dim, degree))
      {
        using Entries = StoredEntries<dim, degree, Number>;
        using Element = SparseLaplaceElement<dim,
                                             degree,
                                             T,
                                             Number,
                                             width,
                                             FaceLoop::rolled,
                                             false,
                                             n_components == 1,
                                             Entries,
                                             ModesInMemory,
                                             ElementPart::all,
                                             n_components>;
        if (wanted == degree)
          return new CpuKernels<dim, Number, n_components, Element, Entries>;
        return make<dim, Number, n_components, degree + 1>(tables, wanted);
      }
    else
      {
        using Element = AnyDegreeLaplaceElement<dim, T, Number, width, n_components>;
        return new CpuKernels<dim,
                              Number,
                              n_components,
                              Element,
                              const SparseModalRows<dim, Number> &>(
          sparse_modal_rows<dim, Number>(wanted));
      }
  }

  template <int dim, typename Number, int n_components = 1>
  bool
  register_laplace_kernels()
  {
    using Kernels                                  = LaplaceKernels<dim, Number, n_components>;
    KernelRegistry<Kernels>::cpu[SALTUS_ISA_LEVEL] = {&make<dim, Number, n_components>,
                                                      1,
                                                      max_laplace_degree(dim)};
    KernelRegistry<Kernels, GeometryKind::stored>::cpu[SALTUS_ISA_LEVEL] = {
      &make_stored<dim, Number, n_components>, 1, max_laplace_degree(dim)};
    return true;
  }
} // namespace

#endif
