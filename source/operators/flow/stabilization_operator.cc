// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element_operations.h>
#include <saltus/operators/flow/kernels/gpu_flow.h>
#include <saltus/operators/flow/kernels/hanging_flow.h>
#include <saltus/operators/flow/stabilization_operator.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    [[maybe_unused]] const bool stabilization_registered =
      register_gpu_flow<StabilizationFamily<2, double>>() &&
      register_gpu_flow<StabilizationFamily<3, double>>();
  } // namespace

  template <int dim, typename Number>
  void
  StabilizationOperator<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                             const unsigned int                             degree,
                                             const Device                                   device,
                                             const AdditionalData &additional_data)
  {
    data = additional_data;
    dt   = 0.;
    for (const double factor : {data.divergence, data.continuity})
      AssertThrow(std::isfinite(factor) && factor >= 0.,
                  ExcMessage("The penalties on divergence and jumps must be finite and not "
                             "negative, but one is " +
                             std::to_string(factor) + "."));
    // Exact for squares of divergences and of jumps, and where elements may be curved for the mass
    // matrix. Derivatives on hypercubes are of no lower degree in the other directions.
    const bool         is_lower    = mesh->shape.is_simplex() && mesh->order.all_affine();
    const unsigned int in_elements = is_lower ? 2 * std::max(1U, degree) - 2 : 2 * degree;
    space = ElementSpace<dim, Number>::shared(mesh, degree, 1, in_elements, 2 * degree, device);
    kernels.reinit(space->order.ranges, space->reference, device, "stabilization");
    for (const ElementRange &range : space->order.ranges)
      kernels[range].prepare({});
    hanging = std::make_unique<const HangingFaces<Number>>(*space, dim, MetricForm::cross_product);
    const auto exchange = [&](const GhostData data) {
      return GhostExchange<Number>::shared(*mesh, degree, dim, device, data);
    };
    traces = exchange(GhostData::values);
    means  = exchange(GhostData::mean);

    speeds = Vector<Number>(space->layout(1, 1));
    std::vector<Number> values(speeds.data_size());
    for (unsigned int e = 0; e < space->n_elements(); ++e)
      values[point_index(e, 0, 1, 1)] =
        std::pow(space->reference.reference_cell.volume() * space->geometry.volume_factors[e],
                 1. / dim) /
        (degree + 1);
    lengths = Memory<Number>(device, values);
  }

  template <int dim, typename Number>
  void
  StabilizationOperator<dim, Number>::set_penalties(const Vector<Number> &w, const double dt)
  {
    check_layout(w.layout(), layout(), "stabilization operator");
    AssertThrow(std::isfinite(dt) && dt >= 0.,
                ExcMessage("The time step of penalties must not be negative, but is " +
                           std::to_string(dt) + "."));
    this->dt = dt;
    means->run(w);
    const ElementTables<Number> &tables = space->element_tables();
    // Those of ghosts as well.
    launch(space->device,
           space->n_padded_elements(),
           ElementOperation::MeanSpeed<dim, Number>{
             tables.n_modes, tables.n_mean_modes, tables.mean_weights, w.data(), speeds.data()});
  }

  template <int dim, typename Number>
  void
  StabilizationOperator<dim, Number>::apply(Vector<Number>       &dst,
                                            const Vector<Number> &src,
                                            const double          dt) const
  {
    AssertThrow(&src != &dst, ExcMessage("The stabilization operator cannot work in place."));
    check_layout(src.layout(), layout(), "stabilization operator");
    check_layout(dst.layout(), layout(), "stabilization operator");
    space->device.make_current();
    StabilizationArguments<dim, Number> arg;
    arg.tables             = space->element_tables();
    arg.stored             = space->stored_arrays();
    arg.speeds             = speeds.data();
    arg.lengths            = lengths.data();
    arg.divergence_factor  = dt * data.divergence;
    arg.jump_factor        = dt * data.continuity;
    arg.u                  = src.data();
    arg.out                = dst.data();
    arg.hanging            = hanging->arrays();
    const auto set_hanging = [&](const bool with_ghosts) {
      set_hanging_flow(space->device,
                       JumpFlux<dim, Number>(arg),
                       space->order.n_elements(),
                       with_ghosts);
    };
    const auto launch = [&](const MeshArrays<Number> &mesh, const RangeLaunch range) {
      if (range.after_messages)
        set_hanging(true);
      arg.mesh   = mesh;
      arg.launch = range;
      if (!hanging->empty())
        arg.mesh.faces = hanging->records();
      if (mesh.begin < mesh.end)
        kernels[mesh].apply(arg);
    };
    if (arg.jump_factor > 0)
      space->for_ranges(
        *traces, src, [&]() { set_hanging(false); }, launch);
    else
      space->for_all_ranges(launch);
  }

  template <int dim, typename Number>
  double
  StabilizationOperator<dim, Number>::flops() const
  {
    // A value or a test function at a point costs a multiplication and an addition for each mode
    // and component; on faces there are normal components alone.
    const auto &reference = set_up_space().reference;
    if (!reference.is_simplex())
      {
        // Derivatives of all components in all directions, and traces of these, along lines.
        const double n      = reference.degree + 1;
        const double volume = data.divergence > 0 ? 2. * dim * dim * n : 0.;
        const double faces  = data.continuity > 0 ? 3. * dim * reference.n_faces : 0.;
        return 2. * reference.n_modes * (volume + faces) * space->n_elements();
      }
    const double volume = data.divergence > 0 ? 2. * dim * reference.n_volume_points() : 0.;
    const double faces =
      data.continuity > 0 ? 3. * reference.n_faces * reference.n_face_points() : 0.;
    return 2. * reference.n_modes * (volume + faces) * space->n_elements();
  }

  template class StabilizationOperator<2>;
  template class StabilizationOperator<3>;
} // namespace Saltus
