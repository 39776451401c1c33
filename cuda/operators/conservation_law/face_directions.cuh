// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_face_directions_cuh
#define saltus_cuda_operators_conservation_law_face_directions_cuh

#include <saltus/fe/simplex.h>
#include <saltus/mesh/face_frame.h>
#include <saltus/operators/spaces/element_tables.h>

namespace Saltus::CudaKernels
{
  /// The directions of FaceFrame on the reference simplex.
  template <int dim>
  class FaceDirections
  {
    using Direction = Array<double, dim>;

    static constexpr int n_faces = Simplex<dim>::n_faces;

  public:
    explicit FaceDirections(const ElementTables<double> &host)
      : host(host)
    {
      for (int f = 0; f < n_faces; ++f)
        {
          for (int i = 0; i < dim - 1; ++i)
            of_face[f][i] = from_first_point(f, i + 1);
          for (int r = 0; r < dim; ++r)
            of_face[f][dim - 1][r] = host.face_normals[f * dim + r];
          const Direction &normal = of_face[f][dim - 1];
          // The normal is perpendicular to the others.
          areas[f] = std::abs(dot<dim>(normal, normal) / determinant<dim>(of_face[f]));
        }
    }

    /// The derivative of mode @p m in direction @p i at point @p q of face @p f.
    double
    derivative(const int f, const int q, const int i, const int m) const
    {
      double sum = 0.;
      for (int r = 0; r < dim; ++r)
        sum += of_face[f][i][r] * gradient(f, q, r, m);
      return sum;
    }

    /// The multiples of the directions along a face that lead from its first point to point @p q,
    /// then 0.
    Direction
    coordinates(const int q) const
    {
      return solve(of_face[0], from_first_point(0, q));
    }

    /// See FaceFrame::FaceFrame().
    double
    area(const int f) const
    {
      return areas[f];
    }

  private:
    double
    gradient(const int f, const int q, const int r, const int m) const
    {
      return host.face_gradients[((f * host.n_face_points + q) * dim + r) * host.n_modes + m];
    }

    /// The modes 1 to dim are linear.
    Direction
    from_first_point(const int f, const int q) const
    {
      const double *first = host.face_values + f * host.n_face_points * host.n_modes;
      Direction     gradients[dim], difference;
      for (int m = 0; m < dim; ++m)
        {
          for (int r = 0; r < dim; ++r)
            gradients[r][m] = gradient(f, 0, r, 1 + m);
          difference[m] = first[q * host.n_modes + 1 + m] - first[1 + m];
        }
      return solve(gradients, difference);
    }

    /// The x with \f$ \sum_r x_r a_r = b \f$, by Cramer's rule.
    static Direction
    solve(const Direction (&a)[dim], const Direction &b)
    {
      Direction result;
      for (int r = 0; r < dim; ++r)
        {
          Direction replaced[dim];
          for (int i = 0; i < dim; ++i)
            replaced[i] = i == r ? b : a[i];
          result[r] = determinant<dim>(replaced) / determinant<dim>(a);
        }
      return result;
    }

    const ElementTables<double> &host;
    Direction                    of_face[n_faces][dim]; ///< the last one is the normal
    double                       areas[n_faces];
  };
} // namespace Saltus::CudaKernels

#endif
