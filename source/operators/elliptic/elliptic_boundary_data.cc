// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/operators/elliptic/elliptic_boundary_data.h>
#include <saltus/operators/spaces/gpu_range_kernels.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim, typename Number, int n_components = 1>
    bool
    register_boundary_data()
    {
      using Family             = BoundaryDataFamily<dim, Number, n_components>;
      constexpr auto hypercube = ElementShape::hypercube;
      return register_gpu_ranges<Family>() &&
             register_gpu_ranges<Family, hypercube>(max_laplace_degree(dim, hypercube));
    }

    [[maybe_unused]] const bool boundary_data_registered =
      register_boundary_data<2, double>() && register_boundary_data<2, float>() &&
      register_boundary_data<3, double>() && register_boundary_data<3, float>() &&
      register_boundary_data<2, double, 2>() && register_boundary_data<3, double, 3>();
  } // namespace

  template <int dim, typename Number, int n_components>
  EllipticBoundaryData<dim, Number, n_components>::EllipticBoundaryData(
    const ElementSpace<dim, Number>                                      &space,
    const std::function<FieldFunction<dim>(const types::boundary_id id)> &function)
    : space(&space)
    , values(space, n_components, function)
  {
    kernels.reinit(space.order.ranges, space.reference, space.device, "boundary data");
  }

  template <int dim, typename Number, int n_components>
  void
  EllipticBoundaryData<dim, Number, n_components>::add(Vector<Number>                 &b,
                                                       const LaplaceArguments<Number> &of_operator,
                                                       const DataTimes                &times) const
  {
    b.device().make_current();
    Arguments arg{of_operator, nullptr};
    on_all_ranks(space->order.triangulation.get_communicator(), [&]() {
      arg.data = values.at(times);
      values.check_finite();
    });
    arg.out = b.data();
    if (arg.data != nullptr)
      space->for_all_ranges([&](const MeshArrays<Number> &mesh, const RangeLaunch) {
        arg.mesh = mesh;
        kernels[mesh].apply(arg);
      });
  }

  template class EllipticBoundaryData<2, double>;
  template class EllipticBoundaryData<2, float>;
  template class EllipticBoundaryData<3, double>;
  template class EllipticBoundaryData<3, float>;
  template class EllipticBoundaryData<2, double, 2>;
  template class EllipticBoundaryData<3, double, 3>;
} // namespace Saltus
