// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_residual_minimization_h
#define saltus_solvers_multigrid_residual_minimization_h

#include <saltus/base/algebra/vector.h>

#include <cstddef>
#include <vector>

namespace Saltus
{
  /// A smoother for matrices whose eigenvalues may be anywhere in the right half plane: generalised
  /// conjugate residuals (S. Eisenstat, H. Elman and M. Schultz, Variational iterative methods for
  /// nonsymmetric systems of linear equations, SIAM J. Numer. Anal. 20, 1983). No step enlarges the
  /// residual. Not linear: for flexible solvers.
  template <typename Number>
  class ResidualMinimization
  {
  public:
    ResidualMinimization() = default;

    /// @param n_steps products with the matrix a smoothing step
    /// @param shape a vector to take the shape from
    ResidualMinimization(const unsigned int n_steps, const Vector<Number> &shape)
      : directions(n_steps, shape)
      , images(n_steps, shape)
    {}

    /// Change @p x in the Krylov space of its residual so that this becomes smallest.
    /// @param residual that of x, before and afterwards
    template <typename Matrix>
    void
    smooth(const Matrix &matrix, Vector<Number> &x, Vector<Number> &residual)
    {
      std::vector<Number> norms; // of images, squared
      for (std::size_t step = 0; step < directions.size(); ++step)
        {
          Vector<Number> &direction = directions[step], &image = images[step];
          direction = residual;
          matrix.vmult(image, direction);
          for (std::size_t k = 0; k < step; ++k)
            {
              const Number part = (image * images[k]) / norms[k];
              image.add(-part, images[k]);
              direction.add(-part, directions[k]);
            }
          norms.push_back(image.norm_sqr());
          if (!(norms[step] > 0)) // the residual is zero
            return;
          const Number length = (residual * image) / norms[step];
          x.add(length, direction);
          residual.add(-length, image);
        }
    }

    std::size_t
    memory_consumption() const
    {
      std::size_t sum = 0;
      for (std::size_t k = 0; k < directions.size(); ++k)
        sum += directions[k].memory_consumption() + images[k].memory_consumption();
      return sum;
    }

  private:
    std::vector<Vector<Number>> directions, images;
  };
} // namespace Saltus

#endif
