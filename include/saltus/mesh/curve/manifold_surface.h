// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_manifold_surface_h
#define saltus_mesh_curve_manifold_surface_h

#include <deal.II/base/array_view.h>
#include <deal.II/grid/manifold.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <saltus/mesh/curve/surface.h>

#include <memory>

namespace Saltus
{
  /// A manifold of deal.II, on which the vertices of the boundary lie already: points between them
  /// are those that the manifold makes of them with the weights that they have in the straight edge
  /// or face.
  template <int dim>
  class ManifoldSurface : public Surface<dim>
  {
  public:
    explicit ManifoldSurface(const std::shared_ptr<const dealii::Manifold<dim>> &manifold)
      : manifold(manifold)
    {}

    dealii::Point<dim>
    closest_point(const dealii::Point<dim>              &point,
                  const std::vector<dealii::Point<dim>> &corners = {}) const override
    {
      if (corners.size() < 2)
        return point;
      // The weights w with sum_i w_i (c_i - c_0) nearest to the point.
      const unsigned int         n = corners.size() - 1;
      dealii::FullMatrix<double> products(n);
      dealii::Vector<double>     moments(n), weights(n);
      for (unsigned int i = 0; i < n; ++i)
        {
          moments(i) = (corners[i + 1] - corners[0]) * (point - corners[0]);
          for (unsigned int j = 0; j < n; ++j)
            products(i, j) = (corners[i + 1] - corners[0]) * (corners[j + 1] - corners[0]);
        }
      products.gauss_jordan();
      products.vmult(weights, moments);
      std::vector<double> all(n + 1, 1.);
      for (unsigned int i = 0; i < n; ++i)
        {
          all[i + 1] = weights(i);
          all[0] -= weights(i);
        }
      return manifold->get_new_point(dealii::make_array_view(corners),
                                     dealii::make_array_view(all));
    }

  private:
    const std::shared_ptr<const dealii::Manifold<dim>> manifold;
  };
} // namespace Saltus

#endif
