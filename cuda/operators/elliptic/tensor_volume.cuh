// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_tensor_volume_cuh
#define saltus_cuda_operators_elliptic_tensor_volume_cuh

// The volume term of the Laplace operator on tetrahedra with tensor cores in double precision: of
// many modes the sums of an element fill the registers of a warp, but not those of a thread.
//
// A warp works on 16 elements at a time; operands are as in tensor_core.cuh, but with elements in
// place of the two components: rows g are eight of them, rows g + 8 the others. Modes are sorted by
// the parity of their first index, which derivatives keep or change, and come in groups of eight:
//
//   coefficients, sums   u[j][i][c]      mode 8 j + 2 t + i of the lane's element g + 8 c
//   derivatives          d[a][i][c]      mode 2 t + i of one group of the modes of a degree less
//
// Of the tables, groups of eight by eight entries that are all zero are left out.

#include <saltus/fe/sparse_modal_tables.h>
#include <saltus/operators/elliptic/kernels/laplace_forms.h>

#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// Modes up to a degree in groups of eight of the same parity of the first index; -1 fills up.
  struct ModeGroups
  {
    static constexpr int max_size = 96;

    constexpr explicit ModeGroups(const int degree)
    {
      for (int parity = 0; parity < 2; ++parity)
        {
          for (int m = 0; m < Simplex<3>::n_modes(degree); ++m)
            if (mode_indices<3>(m).n[0] % 2 == parity)
              modes[size++] = m;
          while (size % 8 != 0)
            modes[size++] = -1;
        }
    }

    int modes[max_size] = {};
    int size            = 0;
  };

  /// Which products of groups are to be done, and where their operands are in the table.
  template <int degree>
  struct VolumePlan
  {
    static constexpr ModeGroups columns{degree}, rows{degree - 1};
    static constexpr int        n_columns = columns.size / 8, n_rows = rows.size / 8; ///< groups

    constexpr VolumePlan()
    {
      for (int i = 0; i < n_rows; ++i)
        {
          add<0>(i);
          add<1>(i);
          add<2>(i);
        }
    }

    /// Place of the product for the derivatives, then those of that for the sums; -1: none.
    int places[n_rows][3][n_columns] = {};
    int n                            = 0;

  private:
    template <int a>
    constexpr void
    add(const int row)
    {
      for (int column = 0; column < n_columns; ++column)
        {
          bool couples = false;
          for (int i = 8 * row; i < 8 * row + 8; ++i)
            for (int j = 8 * column; j < 8 * column + 8; ++j)
              couples =
                couples ||
                (rows.modes[i] >= 0 && columns.modes[j] >= 0 &&
                 entry_at<DerivativeMatrix<3, a>, 3, degree>(rows.modes[i], columns.modes[j]) >= 0);
          places[row][a][column] = couples ? n++ : -1;
        }
    }
  };

  template <int degree>
  inline constexpr VolumePlan<degree> volume_plan;

  // A function, since code for GPUs may not name the object.

  template <int degree>
  constexpr int
  place_in_plan(const int row, const int a, const int column)
  {
    return volume_plan<degree>.places[row][a][column];
  }

  template <int degree>
  class TensorVolume
  {
    using Plan = VolumePlan<degree>;

    static constexpr int n_columns = Plan::n_columns, n_rows = Plan::n_rows;
    static constexpr int n_modes = Simplex<3>::n_modes(degree);

    /// Of a product: `[lane][k step]`.
    static constexpr int n_operands = 64;

  public:
    static constexpr int n_threads  = 256;
    static constexpr int n_elements = 16 * n_threads / 32; ///< at a time

    /// Operands `[place][for derivatives, for sums]`, then the modes.
    static constexpr int size = 2 * volume_plan<degree>.n * n_operands + 8 * n_columns;

    static void
    make_table(double *table)
    {
      const auto fill = [&](const auto a) {
        constexpr int direction = decltype(a)::value;
        const auto    entry     = [&](const int row, const int column) {
          if (row < 0 || column < 0)
            return 0.;
          const int number = entry_at<DerivativeMatrix<3, direction>, 3, degree>(row, column);
          return number < 0
                          ? 0.
                          : compiled_modal_tables<3, degree>.entries[layout.derivative[direction] +
                                                              number];
        };
        for (int row = 0; row < n_rows; ++row)
          for (int column = 0; column < n_columns; ++column)
            if (const int place = volume_plan<degree>.places[row][direction][column]; place >= 0)
              for (int lane = 0; lane < 32; ++lane)
                for (int i = 0; i < 2; ++i)
                  {
                    // row k of the operand in step i is the mode 2 k + i, its column is n
                    const int n = lane / 4, k = 2 * (lane % 4) + i;
                    double   *to = table + 2 * place * n_operands + 2 * lane + i;
                    to[0] =
                      entry(Plan::rows.modes[8 * row + n], Plan::columns.modes[8 * column + k]);
                    to[n_operands] =
                      entry(Plan::rows.modes[8 * row + k], Plan::columns.modes[8 * column + n]);
                  }
      };
      static_for<3>(fill);
      for (int i = 0; i < 8 * n_columns; ++i)
        table[size - 8 * n_columns + i] = Plan::columns.modes[i];
    }

    __device__
    TensorVolume(const LaplaceArguments<double> &arg, const double *table)
      : arg(arg)
      , table(table)
      , lane(threadIdx.x % 32)
    {}

    __device__ void
    run()
    {
      const int step = gridDim.x * n_elements;
      for (int first = arg.mesh.begin + (blockIdx.x * (n_threads / 32) + threadIdx.x / 32) * 16;
           first < arg.mesh.end;
           first += step)
        {
          element = first + lane / 4;
          start   = CoefficientLayout{n_modes, 1}.index(element, 0);
          load();
          prefetch_modes(first + step);
          static_for<n_rows>([&](const auto row) { add<row.value>(); });
          store();
        }
    }

  private:
    static constexpr SparseModalLayout<3> layout = SparseModalLayout<3>(degree);

    /// Where a coefficient of this lane is, seen from the element's first one; negative: none.
    __device__ int
    offset(const int j, const int i, const int c) const
    {
      const int mode = static_cast<int>(table[size - 8 * n_columns + 8 * j + 2 * (lane % 4) + i]);
      return mode < 0 ? -1 : mode * block_size + 8 * c;
    }

    __device__ void
    load()
    {
      double reaction[2] = {0., 0.};
      for (int c = 0; c < 2; ++c)
        {
          if (arg.reaction_mass != nullptr)
            reaction[c] = arg.reaction_mass[element + 8 * c];
          set_metric<3>(arg.stiffness +
                          point_index(element + 8 * c, 0, Simplex<3>::n_vertex_pairs, 1),
                        metric[c]);
        }
      static_for<n_columns>([&](const auto j) {
        for (int i = 0; i < 2; ++i)
          for (int c = 0; c < 2; ++c)
            {
              const int at        = offset(j.value, i, c);
              u[j.value][i][c]    = at < 0 ? 0. : arg.u[start + at];
              sums[j.value][i][c] = reaction[c] * u[j.value][i][c];
            }
      });
    }

    /// Of 16 elements, each mode a line of memory.
    __device__ void
    prefetch_modes(const int first) const
    {
      if (first < arg.mesh.end)
        for (int m = lane; m < n_modes; m += 32)
          prefetch(arg.u + CoefficientLayout{n_modes, 1}.index(first, m));
    }

    /// What one group of derivatives contributes.
    template <int row>
    __device__ void
    add()
    {
      Pair derivatives[3][2] = {};
      for_products<row>([&](const int a, const auto column, const double2 *operands) {
        const double2 b = operands[lane];
        multiply_add(derivatives[a], u[column.value][0], u[column.value][1], b.x, b.y);
      });
      Pair fluxes[3][2];
      for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 2; ++i)
          for (int c = 0; c < 2; ++c)
            fluxes[a][i][c] = metric[c][a][0] * derivatives[0][i][c] +
                              metric[c][a][1] * derivatives[1][i][c] +
                              metric[c][a][2] * derivatives[2][i][c];
      for_products<row>([&](const int a, const auto column, const double2 *operands) {
        const double2 b = operands[n_operands / 2 + lane];
        multiply_add(sums[column.value], fluxes[a][0], fluxes[a][1], b.x, b.y);
      });
    }

    template <int row, typename Body>
    __device__ void
    for_products(const Body &body) const
    {
      static_for<3 * n_columns>([&](const auto product) {
        constexpr int a     = decltype(product)::value / n_columns;
        constexpr int j     = decltype(product)::value % n_columns;
        constexpr int place = place_in_plan<degree>(row, a, j);
        if constexpr (place >= 0)
          body(a,
               StaticNumber<j>(),
               reinterpret_cast<const double2 *>(table + 2 * place * n_operands));
      });
    }

    __device__ void
    store() const
    {
      static_for<n_columns>([&](const auto j) {
        for (int i = 0; i < 2; ++i)
          for (int c = 0; c < 2; ++c)
            if (const int at = offset(j.value, i, c);
                at >= 0 && element + 8 * c < arg.mesh.n_elements)
              arg.out[start + at] =
                (arg.base == nullptr ? 0. : arg.base[start + at]) + arg.scale * sums[j.value][i][c];
      });
    }

    const LaplaceArguments<double> &arg;
    const double *const             table;
    const int                       lane;
    int                             element; ///< the first of this lane's two
    std::size_t                     start;   ///< of its coefficients
    Array<double, 3>                metric[2][3];
    Pair                            u[n_columns][2], sums[n_columns][2];
  };
} // namespace Saltus::CudaKernels

#endif
