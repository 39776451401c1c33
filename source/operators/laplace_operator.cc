// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/instruction_set.h>
#include <saltus/operators/laplace_operator.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set(const types::boundary_id id, const Condition &condition)
  {
    AssertThrow(by_id.emplace(id, condition).second,
                ExcMessage("Boundary id " + std::to_string(id) + " has two boundary conditions."));
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_dirichlet(const types::boundary_id  id,
                                                 const StateFunction<dim> &data)
  {
    set(id, {EllipticBoundary::dirichlet, 0., data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_neumann(const types::boundary_id  id,
                                               const StateFunction<dim> &data)
  {
    set(id, {EllipticBoundary::neumann, 0., data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_robin(const types::boundary_id  id,
                                             const double              coefficient,
                                             const StateFunction<dim> &data)
  {
    AssertThrow(coefficient >= 0.,
                ExcMessage("Boundary id " + std::to_string(id) + ": the Robin coefficient " +
                           std::to_string(coefficient) + " is negative."));
    set(id, {EllipticBoundary::robin, coefficient, data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_periodic(const types::boundary_id first,
                                                const types::boundary_id second)
  {
    periodic_pairs.push_back({first, second});
  }

  template <int dim>
  const typename EllipticBoundaryConditions<dim>::Condition &
  EllipticBoundaryConditions<dim>::at(const types::boundary_id id) const
  {
    const auto found = by_id.find(id);
    AssertThrow(found != by_id.end(),
                ExcMessage("Boundary id " + std::to_string(id) + " has no boundary condition."));
    AssertThrow(found->second.data.empty() || found->second.data.n_components() == 1,
                ExcMessage("Boundary id " + std::to_string(id) + ": the data has " +
                           std::to_string(found->second.data.n_components()) +
                           " components, but 1 is needed."));
    return found->second;
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::reinit(const Mapping<dim>                    &mapping,
                                       const DoFHandler<dim>                 &dof_handler,
                                       const EllipticBoundaryConditions<dim> &boundary_conditions,
                                       const AdditionalData                  &additional_data,
                                       const Device                           device)
  {
    data = additional_data;
    AssertThrow(data.diffusion > 0. && data.reaction >= 0. && data.penalty_factor > 0.,
                ExcMessage("The Laplace operator needs a diffusion and a penalty factor > 0 and a "
                           "reaction >= 0, not " +
                           std::to_string(data.diffusion) + ", " +
                           std::to_string(data.penalty_factor) + " and " +
                           std::to_string(data.reaction) + "."));
    const unsigned int p = dof_handler.get_fe().degree;
    AssertThrow(dof_handler.get_fe().n_components() == 1 && p >= 1,
                ExcMessage("The Laplace operator needs a scalar element of degree 1 or more, not " +
                           dof_handler.get_fe().get_name() + "."));
    // Products of gradients have degree 2p-2; products of values on faces have degree 2p.
    space = std::make_unique<ElementSpace<dim, Number>>(
      mapping, dof_handler, boundary_conditions.periodic(), 2 * p - 2, 2 * p, device);

    using Registry     = LaplaceRegistry<dim, Number>;
    const auto factory = device.is_cuda() ? Registry::cuda : Registry::cpu[instruction_set_level()];
    kernels.reset();
    if (factory != nullptr)
      space->with_host_tables([&](const auto &tables) { kernels.reset(factory(tables, p)); });
    AssertThrow(kernels != nullptr,
                ExcMessage("There are no compiled " +
                           std::string(device.is_cuda() ? "CUDA" : "CPU") +
                           " kernels of the Laplace operator in " + std::to_string(dim) +
                           "D with degree " + std::to_string(p) + "."));
    set_up_boundary(boundary_conditions);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up_boundary(
    const EllipticBoundaryConditions<dim> &boundary_conditions)
  {
    const ReferenceElement<dim>  &reference = space->reference;
    const unsigned int            n_points  = reference.n_face_points();
    std::vector<EllipticBoundary> kinds;
    std::vector<Number>           robin, values;
    for (const auto &face : space->connectivity.boundary_faces)
      {
        const auto &condition = boundary_conditions.at(face.id);
        kinds.push_back(condition.kind);
        robin.push_back(condition.robin);
        std::vector<Point<dim>> points;
        for (unsigned int q = 0; q < n_points; ++q)
          points.push_back(
            space->geometry.map(face.element, reference.face_points[face.face * n_points + q]));
        std::vector<Number> here(n_points, 0);
        const TimeState     start;
        if (!condition.data.empty())
          PointValues<dim, Number>(condition.data, points, Device::cpu())
            .evaluate(&start, 0., here.data());
        values.insert(values.end(), here.begin(), here.end());
      }
    boundary_kinds     = Memory<EllipticBoundary>(space->device, kinds);
    robin_coefficients = Memory<Number>(space->device, robin);
    boundary_data      = Memory<Number>(space->device, values);
  }

  template <int dim, typename Number>
  LaplaceArguments<Number>
  LaplaceOperator<dim, Number>::arguments(const Vector<Number> &src, Vector<Number> &dst) const
  {
    Assert(&src != &dst, ExcMessage("The operator cannot work in place."));
    const double             p = space->reference.degree;
    LaplaceArguments<Number> arg;
    arg.tables    = space->element_tables();
    arg.mesh      = space->mesh_arrays();
    arg.kinds     = boundary_kinds.data();
    arg.robin     = robin_coefficients.data();
    arg.diffusion = data.diffusion;
    arg.reaction  = data.reaction;
    arg.penalty   = data.penalty_factor * 0.5 * (dim + 1) * (p + 1) * (p + dim) / dim;
    arg.u         = src.data();
    arg.out       = dst.data();
    return arg;
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    kernels->apply(arguments(src, dst));
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    auto arg = arguments(src, dst);
    arg.add  = true;
    kernels->apply(arg);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::right_hand_side(Vector<Number>           &b,
                                                const StateFunction<dim> &source) const
  {
    AssertThrow(source.empty() || source.n_components() == 1,
                ExcMessage("The source has " + std::to_string(source.n_components()) +
                           " components, but 1 is needed."));
    // The form with boundary data is affine: its value at 0 belongs to the other side.
    Vector<Number> zero;
    initialize_vector(zero);
    initialize_vector(b);
    auto arg = arguments(zero, b);
    arg.data = boundary_data.data();
    kernels->apply(arg);
    b *= -1;
    if (source.empty())
      return;

    // A rule of degree 2p for the source.
    const unsigned int          p = space->reference.degree;
    const ReferenceElement<dim> rule(p, 2 * p, 2 * p);
    const unsigned int          n_points = rule.n_volume_points(), n_modes = rule.n_modes;
    std::vector<Point<dim>>     points;
    for (unsigned int e = 0; e < space->n_elements(); ++e)
      for (const Point<dim> &point : rule.volume_points)
        points.push_back(space->geometry.map(e, point));
    std::vector<Number> values(points.size());
    const TimeState     start;
    PointValues<dim, Number>(source, points, Device::cpu()).evaluate(&start, 0., values.data());
    std::vector<Number> integrals(b.data_size());
    for (unsigned int e = 0; e < space->n_elements(); ++e)
      for (unsigned int m = 0; m < n_modes; ++m)
        {
          double sum = 0;
          for (unsigned int q = 0; q < n_points; ++q)
            sum += rule.volume_weights[q] * rule.volume_values[q * n_modes + m] *
                   values[e * n_points + q];
          integrals[coefficient_index(e, m, n_modes, 1)] = sum * space->geometry.determinants[e];
        }
    zero.copy_from_host(integrals.data());
    b += zero;
  }

  template class EllipticBoundaryConditions<2>;
  template class EllipticBoundaryConditions<3>;
  template class LaplaceOperator<2, double>;
  template class LaplaceOperator<2, float>;
  template class LaplaceOperator<3, double>;
  template class LaplaceOperator<3, float>;
} // namespace Saltus
