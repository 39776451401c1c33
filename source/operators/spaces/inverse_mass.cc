// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/inverse_mass.h>

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
