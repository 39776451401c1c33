// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_cpu_kernels_h
#define saltus_operators_conservation_law_kernels_cpu_kernels_h

// The CPU back end: include this in a file of its own that holds nothing but
// SALTUS_INSTANTIATE_CPU lines, and compile it through saltus_add_equations().

#include <saltus/base/algebra/pack.h>
#include <saltus/base/device/threads.h>
#include <saltus/operators/conservation_law/kernels/barth_jespersen.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/conservation_law/kernels/positive_element.h>
#include <saltus/operators/conservation_law/kernels/second_order_element.h>
#include <saltus/operators/conservation_law/kernels/wave_speed_sum.h>
#include <saltus/operators/spaces/hypercube_tables.h>
#include <saltus/operators/spaces/step_size.h>
#include <saltus/physics/check_law.h>

#include <algorithm>
#include <type_traits>

#ifndef SALTUS_ISA_LEVEL
#  error "compile CPU kernels through saltus_add_equations()"
#endif

#define SALTUS_CONCATENATE_(a, b) a##b
#define SALTUS_CONCATENATE(a, b) SALTUS_CONCATENATE_(a, b)
#define SALTUS_ISA_NAMESPACE SALTUS_CONCATENATE(isa_level_, SALTUS_ISA_LEVEL)

#include <saltus/operators/conservation_law/kernels/cpu_stage.h>
#include <saltus/operators/conservation_law/kernels/cpu_tensor_stage.h>

/// Everything below exists once an instruction set, under a name of its own.
namespace Saltus::SALTUS_ISA_NAMESPACE
{
  /// Loops that cost little beside the stage: they move one mode an element, or run once.
  template <typename Law, typename Number>
  class SmallKernels : public ConservationLawKernels<Law, Number>
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_fields     = Law::n_fields;
    static constexpr int width        = vector_bytes / sizeof(Number);

  public:
    void
    step_size(const StepSizeArguments<Law, Number> &arg) const override
    {
      long long largest = ordered_bits(0.);
      parallel_for(n_blocks(arg.mesh.n_elements), [&](const int begin, const int end) {
        long long largest_here = ordered_bits(0.);
        const int last =
          arg.mesh.n_elements < end * block_size ? arg.mesh.n_elements : end * block_size;
        for (int e = begin * block_size; e < last; ++e)
          {
            const long long bits = ordered_bits(step_rate(arg, e));
            largest_here         = bits > largest_here ? bits : largest_here;
          }
        raise(largest, largest_here);
      });
      set_step(*arg.time,
               step_from_rate(*arg.time,
                              from_ordered_bits(largest),
                              arg.degree,
                              dim,
                              arg.tables.reference_volume));
    }

    void
    set_viscosities(const ViscosityArguments<Law, Number> &arg) const override
    {
      parallel_for(arg.mesh.n_elements, [&](const int begin, const int end) {
        for (int e = begin; e < end; ++e)
          set_viscosity(arg, e);
      });
    }

    void
    finish_step(TimeState *time) const override
    {
      advance(*time);
    }

    void
    limit(const LimiterArguments<Law, Number> &arg) const override
    {
      parallel_for(n_blocks(arg.mesh.n_elements), [&](const int begin, const int end) {
        const int last =
          arg.mesh.n_elements < end * block_size ? arg.mesh.n_elements : end * block_size;
        for (int first = begin * block_size; first < last; first += width)
          limit_group(arg, first);
      });
    }

    void
    project(const ElementTables<Number> &tables,
            const int                    n_elements,
            const Number                *values,
            Number                      *u) const override
    {
      parallel_for(n_elements, [&](const int begin, const int end) {
        for (int e = begin; e < end; ++e)
          for (int m = 0; m < tables.n_modes; ++m)
            for (int c = 0; c < n_components; ++c)
              {
                Number sum = 0;
                for (int q = 0; q < tables.n_volume_points; ++q)
                  sum += tables.volume_weights[q] * tables.volume_values[q * tables.n_modes + m] *
                         values[point_index(e, q, tables.n_volume_points, n_components) + c];
                u[CoefficientLayout{tables.n_modes, n_components}.index(e, m, c)] = sum;
              }
      });
    }

    void
    primitive_to_conserved(const Law        &law,
                           const std::size_t n_points,
                           Number           *states) const override
    {
      parallel_for(n_points, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          {
            auto &state =
              *reinterpret_cast<Array<Number, n_components> *>(states + i * n_components);
            const auto copy = state;
            state           = law.conserved(copy);
          }
      });
    }

  private:
    /// Limit the elements from @p first on, one a SIMD lane. Lanes beyond the last element repeat
    /// it and store nothing.
    static void
    limit_group(const LimiterArguments<Law, Number> &arg, const int first)
    {
      constexpr int                                    n_modes = Simplex<dim>::n_modes(1);
      ElementLimiter<Law, Pack<Number, width>, Number> limiter;
      const int n_lanes = arg.mesh.n_elements - first < width ? arg.mesh.n_elements - first : width;
      const auto mode   = [&](const int e, const int m) {
        return arg.u + CoefficientLayout{n_modes, n_components}.index(e, m);
      };
      for (int l = 0; l < width; ++l)
        {
          const int    e    = first + (l < n_lanes ? l : n_lanes - 1);
          const Number phi0 = arg.tables.mean_weights[0];
          for (int c = 0; c < n_components; ++c)
            limiter.mean[c].v[l] = phi0 * mode(e, 0)[c];
          for (int f = 0; f < limiter.n_faces; ++f)
            {
              const int across =
                read_face(arg.mesh.faces + point_index(e, f, limiter.n_faces, 1)).element_across(e);
              for (int c = 0; c < n_components; ++c)
                limiter.neighbor_means[f][c].v[l] = phi0 * mode(across, 0)[c];
              for (int d = 0; d < dim; ++d)
                limiter.to_neighbors[f][d].v[l] =
                  arg.to_neighbors[point_index(e, f * dim + d, limiter.n_faces * dim, 1)];
            }
          for (int d = 0; d < dim; ++d)
            for (int c = 0; c < n_components; ++c)
              limiter.slopes[d][c].v[l] = mode(e, 1 + d)[c];
        }
      limiter.run(arg.law,
                  arg.tables.face_values,
                  limiter.n_faces * arg.tables.n_face_points,
                  arg.tables.vertex_values);
      if (any(limiter.factor < Pack<Number, width>(1)))
        for (int d = 0; d < dim; ++d)
          for (int l = 0; l < n_lanes; ++l)
            for (int c = 0; c < n_components; ++c)
              mode(first + l, 1 + d)[c] = limiter.slopes[d][c].v[l];
    }

    /// Raise @p maximum to @p value unless it is larger; the result does not depend on the order.
    static void
    raise(long long &maximum, const long long value)
    {
      long long current = __atomic_load_n(&maximum, __ATOMIC_RELAXED);
      while (current < value &&
             !__atomic_compare_exchange_n(
               &maximum, &current, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        {}
    }
  };

  /// `stage().run(block)` for all blocks of a range, in each thread with a stage of its own.
  template <typename Number, typename MakeStage>
  void
  run_blocks(const MeshArrays<Number> &mesh, const MakeStage &make_stage)
  {
    parallel_for(n_blocks(mesh.end - mesh.begin), [&](const int begin, const int end) {
      auto stage = make_stage();
      for (int block = begin; block < end; ++block)
        stage.run(mesh.begin / block_size + block);
    });
  }

  /// The largest degree that is compiled of quadrilaterals and hexahedra.
  constexpr int
  max_tensor_degree(const int dim)
  {
    return dim == 2 ? 6 : 5;
  }

  /// The tables of elements of any degree.
  template <ElementShape shape, int dim, typename Number>
  using TablesOfShape =
    std::conditional_t<shape == ElementShape::simplex,
                       QuadratureTables<dim, Number>,
                       HypercubeTables<dim, Number, max_tensor_degree(dim), true>>;

  /// `Element(arg, tables, first).run()` for groups of elements of the mesh's range.
  template <template <GeometryKind, typename, typename, typename, int, typename> class Element,
            GeometryKind kind,
            ElementShape shape,
            typename Law,
            typename Number,
            typename Arguments>
  void
  run_groups(const Arguments &arg)
  {
    constexpr int width      = vector_bytes / sizeof(Number);
    using T                  = Pack<Number, width>;
    using Tables             = TablesOfShape<shape, Law::dimension, Number>;
    const int begin_of_range = arg.mesh.begin, end_of_range = arg.mesh.end;
    parallel_for(n_blocks(end_of_range - begin_of_range), [&](const int begin, const int end) {
      const int last = std::min(begin_of_range + end * block_size, end_of_range);
      for (int first = begin_of_range + begin * block_size; first < last; first += width)
        {
          const Tables tables(arg.tables);
          Element<kind, Law, T, Number, width, Tables>(arg, tables, first).run();
        }
    });
  }

  /// Loops over groups.
  template <typename Law, typename Number, GeometryKind kind, ElementShape shape>
  class QuadratureKernels : public SmallKernels<Law, Number>
  {
  public:
    void
    limit_to_positive(const LimiterArguments<Law, Number> &arg) const override
    {
      if constexpr (Law::n_positive > 0)
        run_groups<PositiveElement, kind, shape, Law, Number>(arg);
    }
  };

  /// Second-order fluxes.
  template <typename Law, typename Number, GeometryKind kind, ElementShape shape>
  class SecondOrderGroups : public SecondOrderKernels<Law, Number>
  {
  public:
    void
    apply(const SecondOrderArguments<Law, Number> &arg) const override
    {
      run_groups<SecondOrderElement, kind, shape, Law, Number>(arg);
    }
  };

  /// All kernels of simplices of one degree with the default quadrature, or of any_degree.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CpuConservationLaw : public QuadratureKernels<Law, Number, kind, ElementShape::simplex>
  {
  public:
    /// @param is_fallback whether a degree that is compiled has another quadrature
    explicit CpuConservationLaw(const bool is_fallback = false)
      : is_fallback(is_fallback)
    {}

    void
    stage(const StageArguments<Law, Number> &arguments) const override
    {
      run_blocks(arguments.mesh, [&]() { return CpuStage<Law, Number, degree, kind>(arguments); });
    }

    const char *
    fallback() const override
    {
      return is_fallback ? "they are compiled for the default quadrature" : nullptr;
    }

  private:
    const bool is_fallback;
  };

  /// All kernels of quadrilaterals or hexahedra of one degree with the points of their basis.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CpuTensorLaw : public QuadratureKernels<Law, Number, kind, ElementShape::hypercube>
  {
    using Stage = CpuTensorStage<Law, Number, degree, kind>;
    using Lines = typename Stage::Lines;

  public:
    explicit CpuTensorLaw(const ElementTables<Number> &tables)
      : lines(Lines::template make<Law::dimension>(tables))
    {}

    void
    stage(const StageArguments<Law, Number> &arguments) const override
    {
      run_blocks(arguments.mesh, [&]() { return Stage(arguments, lines); });
    }

  private:
    const Lines lines;
  };

  /// The largest degree that is compiled as such. The general stage takes at most 4% longer for the
  /// degrees above.
  constexpr int
  max_fixed_degree(const int dim)
  {
    return dim == 2 ? 3 : 2;
  }

  /// @tparam kind of the elements' geometry
  template <typename Law, typename Number, GeometryKind kind, int degree = 0>
  ConservationLawKernels<Law, Number> *
  make_kernels(const ElementTables<Number> &tables, const int wanted)
  {
    if constexpr (!check_law<Law>())
      return nullptr;
    else if constexpr (degree <= max_fixed_degree(Law::dimension))
      {
        if (wanted == degree && StageSizes<Law::dimension, degree>::fit(tables))
          return new CpuConservationLaw<Law, Number, degree, kind>;
        return make_kernels<Law, Number, kind, degree + 1>(tables, wanted);
      }
    else
      return new CpuConservationLaw<Law, Number, any_degree, kind>(
        wanted <= max_fixed_degree(Law::dimension));
  }

  template <typename Law, typename Number, GeometryKind kind, int degree = 0>
  ConservationLawKernels<Law, Number> *
  make_tensor_kernels(const ElementTables<Number> &tables, const int wanted)
  {
    constexpr int dim = Law::dimension;
    if constexpr (check_law<Law>() && degree <= max_tensor_degree(dim))
      {
        if (wanted != degree)
          return make_tensor_kernels<Law, Number, kind, degree + 1>(tables, wanted);
        if (LineTables<Number, degree + 1>::template fit<dim>(tables))
          return new CpuTensorLaw<Law, Number, degree, kind>(tables);
      }
    return nullptr;
  }

  /// The largest degree that max_modes allows.
  constexpr int
  max_degree(const int dim)
  {
    int degree = 0;
    while ((dim == 2 ? Simplex<2>::n_modes(degree + 1) : Simplex<3>::n_modes(degree + 1)) <=
           max_modes)
      ++degree;
    return degree;
  }

  template <typename Law, typename Number, GeometryKind kind, ElementShape shape>
  SecondOrderKernels<Law, Number> *
  make_second_order(const ElementTables<Number> &, const int)
  {
    if constexpr (check_law<Law>())
      return new SecondOrderGroups<Law, Number, kind, shape>;
    else
      return nullptr;
  }

  template <typename Law, typename Number, GeometryKind kind>
  void
  register_kernels_of_kind()
  {
    constexpr auto simplex = ElementShape::simplex, hypercube = ElementShape::hypercube;
    constexpr int  dim = Law::dimension, level = SALTUS_ISA_LEVEL;
    using Kernels                                        = ConservationLawKernels<Law, Number>;
    KernelRegistry<Kernels, kind, simplex>::cpu[level]   = {&make_kernels<Law, Number, kind>,
                                                            0,
                                                            max_degree(dim)};
    KernelRegistry<Kernels, kind, hypercube>::cpu[level] = {&make_tensor_kernels<Law, Number, kind>,
                                                            0,
                                                            max_tensor_degree(dim)};
    // Degree 0 has no gradients.
    using SecondOrder                                      = SecondOrderKernels<Law, Number>;
    KernelRegistry<SecondOrder, kind, simplex>::cpu[level] = {
      &make_second_order<Law, Number, kind, simplex>, 1, max_degree(dim)};
    KernelRegistry<SecondOrder, kind, hypercube>::cpu[level] = {
      &make_second_order<Law, Number, kind, hypercube>, 1, max_tensor_degree(dim)};
  }

  /// Enter the kernels of a law in the table.
  template <typename Law, typename Number>
  bool
  register_kernels()
  {
    register_kernels_of_kind<Law, Number, GeometryKind::affine>();
    register_kernels_of_kind<Law, Number, GeometryKind::stored>();
    return true;
  }
} // namespace Saltus::SALTUS_ISA_NAMESPACE

/// Compile the CPU kernels of a law in one precision, for the instruction set of this pass.
#define SALTUS_INSTANTIATE_CPU(Number, ...)                                         \
  namespace                                                                         \
  {                                                                                 \
    [[maybe_unused]] const bool SALTUS_CONCATENATE(registered_, __COUNTER__) = [] { \
      using namespace Saltus;                                                       \
      return SALTUS_ISA_NAMESPACE::register_kernels<__VA_ARGS__, Number>();         \
    }();                                                                            \
  }

#endif
