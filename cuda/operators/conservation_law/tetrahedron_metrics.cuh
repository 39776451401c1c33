// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_tetrahedron_metrics_cuh
#define saltus_cuda_operators_conservation_law_tetrahedron_metrics_cuh

// Metrics and normals at the points of a tile, see TetrahedronStage: of affine elements, of curved
// ones from modes of the metrics or of the map's derivatives, and of curved ones from memory. Lane
// 4 g + t works on element g of a group of eight, and on point t of each of the two groups of
// points of a tile.
//
// They are called in this order:
//
//   prefetch_first()     let what ask_for() reads come into the second-level cache
//   ask_for()            let what there is at first come into shared memory
//   begin_volume()
//   begin_volume_tile()  tile after tile
//   read_rows()          the metric in one direction at the points of the tile, one after the other
//   begin_face()         face after face
//   begin_face_tile()    tile after tile
//   set_normal()         at its points

#include <saltus/mesh/face_frame.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/mesh/tetrahedron_group.h>

#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// With two vectors along each face, whose cross product is the normal.
  struct TetrahedronNormals : TensorNormals<3>
  {
    double tangents[4][2][3];

    TetrahedronNormals() = default;

    template <typename Number>
    explicit TetrahedronNormals(const Number *from)
      : TensorNormals<3>(from)
    {
      for (int f = 0; f < 4; ++f)
        {
          const double *normal = normals[f];
          int           r      = 0;
          while (normal[r] == 0.)
            ++r;
          const int s = (r + 1) % 3, t = (r + 2) % 3;
          tangents[f][0][r] = -normal[s] / normal[r];
          tangents[f][0][s] = 1.;
          tangents[f][0][t] = 0.;
          tangents[f][1][r] = -normal[t];
          tangents[f][1][s] = 0.;
          tangents[f][1][t] = normal[r];
        }
    }
  };

  /// Of affine elements: inverse Jacobians in shared memory, which come with the coefficients.
  template <typename Tables, typename T, typename Number>
  class ConstantMetrics
  {
    using Direction = Array<T, 3>;
    using Map       = AffineGeometry<3, T>;
    using Operands  = const double (&)[Tables::n_steps];

  public:
    /// Numbers in shared memory of a warp for this alone, and those for others from the first face
    /// on.
    static constexpr int room = 0, room_in_volume = 0;

    static bool
    takes(const StoredArrays<Number> & /*stored*/)
    {
      return true;
    }

    /// @param numbers `[3][3][8]`, from this lane's element on
    __device__ __forceinline__
    ConstantMetrics(const TetrahedronNormals &normals, const Number *numbers)
      : normals(normals)
      , numbers(numbers)
    {}

    __device__ __forceinline__ void
    begin_volume()
    {
      map = Map([&](const int i) { return T(numbers[8 * i]); });
    }

    __device__ __forceinline__ void
    begin_volume_tile(const int /*j*/, Operands)
    {}

    __device__ __forceinline__ void
    read_rows(const int /*j*/, const int d, Operands, Direction (&rows)[2])
    {
      rows[0] = rows[1] = map.metric(d);
    }

    __device__ __forceinline__ void
    begin_face(const int /*f*/)
    {
      begin_volume();
    }

    __device__ __forceinline__ void
    begin_face_tile(const int /*f*/, const int /*j*/, Operands)
    {}

    __device__ __forceinline__ T
    set_normal(const int f, const int /*i*/, Direction &normal) const
    {
      return map.set_normal([&](const int k) { return normals.normals[f][k]; }, normal);
    }

  private:
    const TetrahedronNormals &normals;
    const Number *const       numbers;
    Map                       map;
  };

  /// What StoredArrays::groups has of a group of elements.
  template <typename Tables, typename Number, bool of_tangents>
  class StoredGroup
  {
  public:
    static bool
    takes(const StoredArrays<Number> &stored)
    {
      return stored.groups != nullptr && stored.modes_are_of_tangents == of_tangents;
    }

    /// @param element of this lane
    __device__ __forceinline__
    StoredGroup(const StoredArrays<Number> &stored, const int element, const int lane)
      : lane(lane)
      , stored_numbers(stored.groups + (element - block_size * stored.first_block) /
                                         Group::n_elements * std::size_t(size))
    {}

    /// The inverse masses at this lane's points of tile @p j of the volume, times the weights.
    __device__ __forceinline__ void
    load_inverse_masses(const int j, double (&factors)[2]) const
    {
      const auto pair = Row<2, Number>::read(stored_numbers + masses + Group::row * j + 2 * lane);
      factors[0]      = pair.values[0].v;
      factors[1]      = pair.values[1].v;
    }

    __device__ __forceinline__ void
    prefetch_inverse_masses() const
    {
      prefetch(masses, size - masses);
    }

  protected:
    using Group                   = TetrahedronGroup;
    static constexpr Group group  = Tables::group(of_tangents);
    static constexpr int   size   = group.size();
    static constexpr int   masses = group.inverse_masses(0); ///< where they begin

    /// Let @p count numbers from number @p first on come into the second-level cache.
    __device__ __forceinline__ void
    prefetch(const int first, const int count) const
    {
      constexpr int line = in_line<Number>;
      for (int i = lane * line; i < count; i += 32 * line)
        CudaKernels::prefetch(stored_numbers + first + i);
    }

    const int           lane;
    const Number *const stored_numbers;
  };

  /// Of curved elements, with modes in shared memory of what is a polynomial there, `[r][d]`: nine
  /// components more.
  template <typename Tables, typename T, typename Number, bool of_tangents>
  class StoredModes : public StoredGroup<Tables, Number, of_tangents>
  {
    using Base                   = StoredGroup<Tables, Number, of_tangents>;
    static constexpr int n_modes = Base::group.n_modes, n_steps = divide_up(n_modes, 4);
    static constexpr int stride = Base::Group::mode_stride;

  protected:
    using Direction = Array<T, 3>;
    using Operands  = const double (&)[Tables::n_steps];
    template <int n>
    using Modes = double[n_steps][n];

    /// Whether inverse masses come to shared memory, too: if there is room, and they are many.
    static constexpr bool keeps_masses = of_tangents && Tables::n_volume_tiles > 2;

  public:
    static constexpr int room =
      n_modes * stride + (keeps_masses ? Base::Group::row * Tables::n_volume_tiles : 0);
    static constexpr int room_in_volume = 0;

    /// @param memory of the warp
    __device__ __forceinline__
    StoredModes(const TetrahedronNormals   &normals,
                const StoredArrays<Number> &stored,
                const int                   element,
                const int                   lane,
                Number                     *memory)
      : Base(stored, element, lane)
      , normals(normals)
      , t(lane % 4)
      , memory(memory)
      , numbers(memory + lane % 4 * stride + lane / 4)
    {}

    __device__ __forceinline__ void
    prefetch_first() const
    {}

    __device__ __forceinline__ void
    ask_for() const
    {
      constexpr int       in_word = 16 / sizeof(Number), n_words = n_modes * stride / in_word;
      const Number *const from = this->stored_numbers + in_word * this->lane;
      Number *const       to   = memory + in_word * this->lane;
#pragma unroll
      for (int i = 0; i < n_words; i += 32)
        if (i + 31 < n_words || i + this->lane < n_words)
          copy_async<16>(from + in_word * i, to + in_word * i);
    }

    /// Each lane copies what it reads itself. It is there after the last face.
    __device__ __forceinline__ void
    prefetch_inverse_masses() const
    {
      if constexpr (keeps_masses)
#pragma unroll
        for (int j = 0; j < Tables::n_volume_tiles; ++j)
          copy_async<2 * sizeof(Number)>(this->stored_numbers + Base::masses + at_row(j),
                                         memory + n_modes * stride + at_row(j));
      else
        Base::prefetch_inverse_masses();
    }

    __device__ __forceinline__ void
    load_inverse_masses(const int j, double (&factors)[2]) const
    {
      if constexpr (keeps_masses)
        for (int i = 0; i < 2; ++i)
          factors[i] = memory[n_modes * stride + at_row(j) + i];
      else
        Base::load_inverse_masses(j, factors);
    }

    __device__ __forceinline__ void
    begin_volume()
    {}

    __device__ __forceinline__ void
    begin_face(const int /*f*/)
    {}

    __device__ __forceinline__ T
    set_normal(const int /*f*/, const int i, Direction &normal) const
    {
      normal = normal_at[i];
      return make_unit(normal);
    }

  protected:
    /// Let numbers not stay in registers, which are for other things.
    static __device__ __forceinline__ void
    read_again()
    {
      asm volatile("" ::: "memory");
    }

    /// The modes of a sum over the rows, from number @p first on.
    template <int first, int n>
    __device__ __forceinline__ void
    add_modes(const double (&factors)[3], Modes<n> &modes) const
    {
#pragma unroll
      for (int r = 0; r < 3; ++r)
        if (const double factor = factors[r]; factor != 0.) // the same one in all lanes
#pragma unroll
          for (int k = 0; k < n_steps; ++k)
#pragma unroll
            for (int d = 0; d < 3; ++d)
              modes[k][first + d] += factor * mode(k, 3 * r + d);
    }

    /// The values of numbers from @p first on at this lane's points of a tile.
    template <int n>
    __device__ __forceinline__ void
    interpolate(Operands b, const int first, double (&values)[2][n]) const
    {
      Modes<n> modes;
      read_again();
#pragma unroll
      for (int i = 0; i < n * n_steps; ++i)
        modes[i / n][i % n] = mode(i / n, first + i % n);
      interpolate(modes, b, values);
    }

    /// The same of sums of these.
    template <int n>
    static __device__ __forceinline__ void
    interpolate(const Modes<n> &modes, Operands all, double (&values)[2][n])
    {
      double b[n_steps];
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        b[k] = all[k];
#pragma unroll
      for (int pair = 0; pair < n / 2; ++pair)
        {
          Pair d[2] = {{0., 0.}, {0., 0.}};
          multiply_add(d, b, [&](const int k, const int i) { return modes[k][2 * pair + i]; });
#pragma unroll
          for (int i = 0; i < 4; ++i)
            values[i / 2][2 * pair + i % 2] = d[i / 2][i % 2];
        }
      if constexpr (n % 2 == 1)
        {
          double d[2] = {0., 0.};
#pragma unroll
          for (int k = 0; k < n_steps; ++k)
            multiply_add(d, modes[k][n - 1], b[k]);
          values[0][n - 1] = d[0];
          values[1][n - 1] = d[1];
        }
    }

    const TetrahedronNormals &normals;
    Direction                 normal_at[2]; ///< as long as the area

  private:
    __device__ __forceinline__ bool
    has_mode(const int k) const
    {
      return 4 * k + 3 < n_modes || 4 * k + t < n_modes;
    }

    /// Number i of mode 4 k + t of this lane's element.
    __device__ __forceinline__ double
    mode(const int k, const int i) const
    {
      return has_mode(k) ? numbers[4 * k * stride + 8 * i] : 0.;
    }

    /// Where this lane's inverse masses of tile @p j are.
    __device__ __forceinline__ int
    at_row(const int j) const
    {
      return Base::Group::row * j + 2 * this->lane;
    }

    const int     t;
    Number *const memory;  ///< of the warp for these
    Number *const numbers; ///< from mode t of this lane's element on
  };

  /// Of curved elements whose metrics are polynomials of the space.
  template <typename Tables, typename T, typename Number>
  class MetricModes : public StoredModes<Tables, T, Number, false>
  {
    using Base = StoredModes<Tables, T, Number, false>;
    using typename Base::Direction;
    using typename Base::Operands;

  public:
    using Base::Base;

    __device__ __forceinline__ void
    begin_volume_tile(const int /*j*/, Operands)
    {}

    __device__ __forceinline__ void
    read_rows(const int /*j*/, const int d, Operands b, Direction (&rows)[2]) const
    {
      double values[2][3];
      this->interpolate(b, 3 * d, values);
#pragma unroll
      for (int i = 0; i < 6; ++i)
        rows[i / 3][i % 3] = T(values[i / 3][i % 3]);
    }

    __device__ __forceinline__ void
    begin_face_tile(const int f, const int /*j*/, Operands b)
    {
      this->read_again();
      typename Base::template Modes<3> modes = {};
      double                           values[2][3];
      this->template add_modes<0>(this->normals.normals[f], modes);
      this->interpolate(modes, b, values);
#pragma unroll
      for (int i = 0; i < 6; ++i)
        this->normal_at[i / 3][i % 3] = T(values[i / 3][i % 3]);
    }
  };

  /// Of curved elements whose metrics are cross products of the map's derivatives, which have modes
  /// of a lower degree.
  template <typename Tables, typename T, typename Number>
  class TangentModes : public StoredModes<Tables, T, Number, true>
  {
    using Base = StoredModes<Tables, T, Number, true>;
    using Map  = AffineGeometry<3, T>;
    using typename Base::Direction;
    using typename Base::Operands;

  public:
    using Base::Base;

    __device__ __forceinline__ void
    begin_volume_tile(const int /*j*/, Operands b)
    {
      constexpr int n_groups = Tables::n_volume_groups == 1 ? 1 : 2;
      double        values[2][9];
      this->interpolate(b, 0, values);
#pragma unroll
      for (int i = 0; i < n_groups; ++i)
        maps[i] = products(Map([&](const int l) { return T(values[i][l]); }));
    }

    __device__ __forceinline__ void
    read_rows(const int /*j*/, const int d, Operands, Direction (&rows)[2]) const
    {
      rows[0] = maps[0].metric(d);
      rows[1] = maps[1].metric(d);
    }

    __device__ __forceinline__ void
    begin_face_tile(const int f, const int /*j*/, Operands b)
    {
      this->read_again();
      typename Base::template Modes<6> modes = {};
      double                           values[2][6];
      this->template add_modes<0>(this->normals.tangents[f][0], modes);
      this->template add_modes<3>(this->normals.tangents[f][1], modes);
      this->interpolate(modes, b, values);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        {
          Direction along[2];
#pragma unroll
          for (int l = 0; l < 6; ++l)
            along[l / 3][l % 3] = T(values[i][l]);
          this->normal_at[i] = cross_product(along[0], along[1]);
#pragma unroll
          for (int d = 0; d < 3; ++d)
            this->normal_at[i][d] = side * this->normal_at[i][d];
        }
    }

  private:
    /// The metric whose rows are cross products of those of @p tangents.
    __device__ __forceinline__ Map
    products(const Map &tangents)
    {
      Direction rows[3];
#pragma unroll
      for (int r = 0; r < 3; ++r)
        rows[r] = cross_product(tangents.metric((r + 1) % 3), tangents.metric((r + 2) % 3));
      side = dot<3>(tangents.metric(0), rows[0]) < T(0.) ? T(-1.) : T(1.);
      return Map([&](const int i) { return side * rows[i / 3][i % 3]; });
    }

    Map maps[2];
    T   side; ///< the determinant's sign
  };

  /// Of any curved elements, from memory: the rows of metrics and normals at a tile's points are
  /// asked for some of them ahead. Each lane copies what it reads itself: none waits for another.
  template <typename Tables, typename T, typename Number>
  class MetricPoints : public StoredGroup<Tables, Number, false>
  {
    using Base      = StoredGroup<Tables, Number, false>;
    using Direction = Array<T, 3>;
    using Operands  = const double (&)[Tables::n_steps];

    static constexpr int three           = 3 * Base::Group::row; ///< rows in space
    static constexpr int n_ahead         = Tables::n_steps <= 5 ? 3 : 2;
    static constexpr int n_normals_ahead = Tables::n_face_tiles == 1 ? 1 : 2;

  public:
    static constexpr int room           = n_normals_ahead * three;
    static constexpr int room_in_volume = n_ahead * three;

    /// @param memory of the warp: `room` for this alone, `room_in_volume` behind all else
    __device__ __forceinline__
    MetricPoints(const TetrahedronNormals & /*normals*/,
                 const StoredArrays<Number> &stored,
                 const int                   element,
                 const int                   lane,
                 Number                     *memory)
      : Base(stored, element, lane)
      , ahead(memory + 2 * lane)
    {}

    __device__ __forceinline__ void
    prefetch_first() const
    {
      this->prefetch(0, room_in_volume);
    }

    __device__ __forceinline__ void
    ask_for() const
    {
#pragma unroll
      for (int i = 0; i < n_ahead; ++i)
        {
          ask_for_rows(i, ahead + room + i * three);
          end_group();
        }
    }

    __device__ __forceinline__ void
    begin_volume() const
    {
#pragma unroll
      for (int i = 0; i < n_normals_ahead; ++i)
        ask_for_rows(n_volume + i, ahead + i * three);
    }

    __device__ __forceinline__ void
    begin_volume_tile(const int /*j*/, Operands) const
    {}

    __device__ __forceinline__ void
    read_rows(const int j, const int d, Operands, Direction (&rows)[2]) const
    {
      Number *const here = ahead + room + (3 % n_ahead * j + d) % n_ahead * three;
      take<n_ahead>(here, rows);
      if (3 * j + d + n_ahead < n_volume)
        ask_for_rows(3 * j + d + n_ahead, here);
      end_group();
    }

    __device__ __forceinline__ void
    begin_face(const int /*f*/) const
    {}

    __device__ __forceinline__ void
    begin_face_tile(const int f, const int j, Operands)
    {
      const int     i    = f * Tables::n_face_tiles + j;
      Number *const here = ahead + i % n_normals_ahead * three;
      take<n_normals_ahead>(here, normals);
      if (i + n_normals_ahead < 4 * Tables::n_face_tiles)
        ask_for_rows(n_volume + i + n_normals_ahead, here);
      end_group();
    }

    __device__ __forceinline__ T
    set_normal(const int /*f*/, const int i, Direction &normal) const
    {
      normal = normals[i];
      return make_unit(normal);
    }

  private:
    static constexpr int n_volume = 3 * Tables::n_volume_tiles; ///< threes of rows

    __device__ __forceinline__ void
    ask_for_rows(const int i, Number *to) const
    {
      const Number *from = this->stored_numbers + i * three + 2 * this->lane;
#pragma unroll
      for (int c = 0; c < three; c += Base::Group::row)
        copy_async<2 * sizeof(Number)>(from + c, to + c);
    }

    /// Read what was asked for when @p n of them were on their way.
    template <int n>
    static __device__ __forceinline__ void
    take(const Number *from, Direction (&at_points)[2])
    {
      arrive_but<n - 1>();
#pragma unroll
      for (int d = 0; d < 3; ++d)
        {
          const auto pair = Row<2, Number>::read(from + d * Base::Group::row);
          at_points[0][d] = T(pair.values[0].v);
          at_points[1][d] = T(pair.values[1].v);
        }
    }

    Number *const ahead; ///< of this lane, `[n_normals_ahead][3][row]`, then `[n_ahead][3][row]`
    Direction     normals[2]; ///< as long as the area
  };
} // namespace Saltus::CudaKernels

#endif
