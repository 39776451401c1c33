// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_polytopic_rows_h
#define saltus_operators_polytopic_kernels_polytopic_rows_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/device/launch.h>
#include <saltus/fe/legendre.h>

#include <cstddef>

/// The form of advection, diffusion and reaction on polytopic elements, and the rows of its matrix.
///
/// For the trial function w and the test function v, with \f$n\f$ outward of the element of v
/// (Dong, Georgoulis and Kappas, eq. 2.4):
///
/// in elements: \f$\int A\nabla w\cdot\nabla v + (b\cdot\nabla w + c w) v\f$;
/// at interfaces, with the jump \f$[w] = w - w'\f$ to the function across:
/// \f$\int (\sigma - \min(b\cdot n, 0)) [w] v - \tfrac12(A\nabla w + A'\nabla w')\cdot n\,v
/// - \tfrac12 A\nabla v\cdot n\,[w]\f$;
/// the same at Dirichlet boundaries, where w' is 0 and the halves are ones.
///
/// All that matrices need to know is in numbers at quadrature points, in the coordinates of the
/// elements' boxes and with the weights in them, so that nothing else knows of shapes, maps and
/// boundary conditions.
namespace Saltus
{
  /// Numbers at points: `[number][point]`.
  struct PointRecords
  {
    std::size_t   n_points = 0;
    const double *values   = nullptr;

    /// The numbers @p first to first + n - 1 at point @p q; of as many points from there on as T
    /// has lanes.
    template <int n, typename T>
    SALTUS_HOST_DEVICE
    Array<T, n>
    read(const int first, const std::size_t q) const
    {
      Array<T, n> result;
      for (int i = 0; i < n; ++i)
        load(result[i], values + (first + i) * n_points + q);
      return result;
    }
  };

  /// The form at a point in an element.
  template <int dim, typename T>
  struct VolumePoint
  {
    /// Components xx, xy, yy in 2D, xx, xy, xz, yy, yz, zz in 3D.
    static constexpr int n_diffusion = dim * (dim + 1) / 2;
    static constexpr int n_numbers   = 2 * dim + n_diffusion + 1;
    static constexpr int n_products  = dim + 1; ///< of trial() and test(), added

    Array<T, dim>         xi;        ///< place in the element's box
    Array<T, dim>         velocity;  ///< \f$w J b\f$ with the weight w
    Array<T, n_diffusion> diffusion; ///< \f$w J A J^T\f$
    Array<T, 1>           reaction;  ///< \f$w c\f$

    VolumePoint() = default;

    SALTUS_HOST_DEVICE
    VolumePoint(const PointRecords &records, const std::size_t q)
      : xi(records.read<dim, T>(0, q))
      , velocity(records.read<dim, T>(dim, q))
      , diffusion(records.read<n_diffusion, T>(2 * dim, q))
      , reaction(records.read<1, T>(2 * dim + n_diffusion, q))
    {}

    /// Of a function with a value and derivatives in the box.
    SALTUS_HOST_DEVICE
    Array<T, n_products>
    trial(const T &value, const Array<T, dim> &gradient) const
    {
      Array<T, n_products> result;
      result[0] = reaction[0] * value + dot<dim>(velocity, gradient);
      for (int d = 0; d < dim; ++d)
        result[1 + d] = gradient[d];
      return result;
    }

    SALTUS_HOST_DEVICE
    Array<T, n_products>
    test(const T &value, const Array<T, dim> &gradient) const
    {
      Array<T, n_products> result;
      result[0] = value;
      int i     = 0;
      for (int d = 0; d < dim; ++d)
        result[1 + d] = T(0.);
      for (int d = 0; d < dim; ++d)
        for (int e = d; e < dim; ++e, ++i)
          {
            result[1 + d] = result[1 + d] + diffusion[i] * gradient[e];
            if (e != d)
              result[1 + e] = result[1 + e] + diffusion[i] * gradient[d];
          }
      return result;
    }
  };

  /// The form at a point of an interface or of the boundary.
  template <int dim, typename T>
  struct FacetPoint
  {
    static constexpr int n_numbers = 4 * dim + 1, n_products = 2;

    Array<T, dim> xi, xi_across;     ///< places in the boxes of the two elements
    Array<T, dim> flux, flux_across; ///< \f$\tfrac12 w J A n\f$ of each, at the boundary the whole
    Array<T, 1>   jump;              ///< \f$w (\sigma - \min(b \cdot n, 0))\f$

    FacetPoint() = default;

    SALTUS_HOST_DEVICE
    FacetPoint(const PointRecords &records, const std::size_t q)
      : xi(records.read<dim, T>(0, q))
      , xi_across(records.read<dim, T>(dim, q))
      , flux(records.read<dim, T>(2 * dim, q))
      , flux_across(records.read<dim, T>(3 * dim, q))
      , jump(records.read<1, T>(4 * dim, q))
    {}

    SALTUS_HOST_DEVICE
    Array<T, n_products>
    trial(const T &value, const Array<T, dim> &gradient) const
    {
      return {{value, dot<dim>(flux, gradient)}};
    }

    SALTUS_HOST_DEVICE
    Array<T, n_products>
    trial_across(const T &value, const Array<T, dim> &gradient) const
    {
      return {{-value, dot<dim>(flux_across, gradient)}};
    }

    SALTUS_HOST_DEVICE
    Array<T, n_products>
    test(const T &value, const Array<T, dim> &gradient) const
    {
      return {{jump[0] * value - dot<dim>(flux, gradient), -value}};
    }
  };

  /// Elements with their polynomials: products of Legendre polynomials in their boxes.
  template <int dim>
  struct PolytopicElements
  {
    const int           *degrees = nullptr; ///< `[element]`
    const double        *scales  = nullptr; ///< `[element]`: \f$|box|^{-1/2}\f$, of all values
    const unsigned char *powers  = nullptr; ///< `[mode][direction]`, see for_legendre_modes()
    LegendreFamily       family  = LegendreFamily::total;

    SALTUS_HOST_DEVICE
    int
    n_modes(const int element) const
    {
      return n_legendre_modes<dim>(degrees[element], family);
    }
  };

  /// Elements by the highest degree among them and their neighbours, for kernels that know it.
  struct ElementsByDegree
  {
    const int *elements                 = nullptr;
    int starts[max_legendre_degree + 2] = {}; ///< `[degree]`: of its elements; and their number
  };

  /// All values of a matrix of dense blocks, work for launch() that block rows do.
  template <int dim>
  struct AssembleRows
  {
    /// One launch for each degree: kernels take the elements from `by_degree.elements` on.
    template <typename Launch>
    void
    launch_on_gpu(const std::size_t, const Launch &launch) const
    {
      for (int degree = 1; degree <= max_legendre_degree; ++degree)
        {
          const int   *starts    = by_degree.starts + degree;
          AssembleRows of_degree = *this;
          of_degree.by_degree.elements += starts[0];
          launch("AssembleRowsProgram", starts[1] - starts[0], of_degree, degree, elements.family);
        }
    }

    PolytopicElements<dim> elements;
    const int             *row_starts   = nullptr; ///< see BlockSparsity
    const int             *columns      = nullptr;
    const std::size_t     *block_starts = nullptr;
    PointRecords           volume;                  ///< see VolumePoint
    const std::size_t     *volume_starts = nullptr; ///< `[element]`, and the number of points
    PointRecords           faces;                   ///< see FacetPoint
    const std::size_t     *face_starts =
      nullptr;                       ///< `[block]`, and the number of points: those on the
                                     ///< interface with the column, the boundary for itself
    const int *face_steps = nullptr; ///< `[block]`: steps of four points before it; and of all
    ElementsByDegree by_degree;
    double          *values  = nullptr; ///< see BlockCSRMatrix
    bool             evolves = false;   ///< the last direction is time, in which nothing diffuses
  };

  /// The right-hand side, work for launch() that elements do:
  /// \f$\int f v + \int r_0 v - r_1 A\nabla v\cdot n\f$ over the element and its boundary.
  template <int dim>
  struct LoadRows
  {
    template <typename Launch>
    void
    launch_on_gpu(const std::size_t n_elements, const Launch &launch) const
    {
      launch("LoadRowsProgram", n_elements, *this);
    }

    PolytopicElements<dim> elements;
    const int             *first_rows = nullptr; ///< `[element]`
    const int             *row_starts = nullptr;
    PointRecords           volume;
    const std::size_t     *volume_starts = nullptr;
    PointRecords           faces;
    const std::size_t     *face_starts = nullptr;
    const double          *source      = nullptr; ///< `[point]`: w f; nullptr: none
    PointRecords           boundary; ///< `[r_0, r_1][point]` of all face points, for values of 1
    const double          *data = nullptr; ///< `[point]`: values of boundary conditions; nullptr: 0
    double                *dst  = nullptr; ///< `[row]`
  };

  template <int dim>
  using PolytopicRowWork = WorkList<AssembleRows<dim>, LoadRows<dim>>;
} // namespace Saltus

#endif
