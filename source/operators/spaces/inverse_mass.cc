// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/inverse_mass.h>

#include <limits>

namespace Saltus
{
  template <int dim, typename Number>
  InverseMass<dim, Number>::InverseMass(const ElementSpace<dim, Number> &space)
    : space(space)
    , of_means(ElementMass<dim, Number>(space).inverse())
    , factors(space, 1, [](const ElementMetrics<dim> &metrics, const unsigned int e) {
      return metrics.inverse_masses(e);
    })
  {
    if (!factors.empty())
      before = space.make_vector();
  }

  template <int dim, typename Number>
  void
  InverseMass<dim, Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    of_means.vmult(dst, src);
    adjust(dst);
  }

  template <int dim, typename Number>
  void
  InverseMass<dim, Number>::adjust(Vector<Number> &u) const
  {
    check_layout(u.layout(), space.layout(), "inverse mass matrix");
    multiply(factors, u);
  }

  template <int dim, typename Number>
  void
  InverseMass<dim, Number>::solve(Vector<Number> &u) const
  {
    // Some elements may need more iterations, but rounding stops them.
    constexpr unsigned int max_iterations = 50;
    constexpr Number       tolerance      = 4 * std::numeric_limits<Number>::epsilon();
    const int              is_curved      = !factors.empty();
    if (dealii::Utilities::MPI::max(is_curved,
                                    space.mesh->order.triangulation.get_communicator()) == 0)
      return;
    const PointFactors<Number> determinants(
      space, 1, [](const ElementMetrics<dim> &metrics, const unsigned int e) {
        return metrics.determinants(e);
      });
    Vector<Number> residual = u, preconditioned, direction, product;
    const Number   limit    = tolerance * u.l2_norm();
    adjust(u);
    product = u;
    multiply(determinants, product);
    residual -= product;
    preconditioned = residual;
    adjust(preconditioned);
    direction      = preconditioned;
    Number squared = residual * preconditioned;
    for (unsigned int i = 0; i < max_iterations && residual.l2_norm() > limit && squared > 0; ++i)
      {
        product = direction;
        multiply(determinants, product);
        const Number length = squared / (direction * product);
        u.add(length, direction);
        residual.add(-length, product);
        preconditioned = residual;
        adjust(preconditioned);
        const Number previous = squared;
        squared               = residual * preconditioned;
        direction.sadd(squared / previous, preconditioned);
      }
  }

  template <int dim, typename Number>
  void
  InverseMass<dim, Number>::multiply(const PointFactors<Number> &factors, Vector<Number> &u) const
  {
    if (factors.empty())
      return;
    before.equ(Number(1), u);
    const ElementTables<Number> &tables = space.element_tables();
    using Multiply                      = ElementOperation::MultiplyAtPoints<Number>;
    launch(space.device,
           factors.n_elements(),
           Multiply{ElementOperation::ComponentRows::of(u.layout().coefficients()),
                    static_cast<int>(factors.first_block()),
                    tables.n_modes,
                    tables.n_volume_points,
                    tables.volume_values,
                    tables.volume_weights,
                    factors.data(),
                    before.data(),
                    u.data()});
  }

  template class InverseMass<2, double>;
  template class InverseMass<2, float>;
  template class InverseMass<3, double>;
  template class InverseMass<3, float>;
} // namespace Saltus
