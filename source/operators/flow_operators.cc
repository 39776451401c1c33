// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/element_kernels.h>
#include <saltus/operators/flow_operators.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// What integrates convection exactly, unless another degree is asked for.
    unsigned int
    convection_degree(const unsigned int degree, const unsigned int wanted)
    {
      return wanted > 0 ? wanted : 3 * degree;
    }

    /// On faces the rules must be symmetric, of which there are not as many.
    template <int dim>
    unsigned int
    on_faces(const unsigned int degree)
    {
      return std::min(degree, max_symmetric_degree<dim - 1>());
    }

    /// What integrates gradient and divergence exactly, on faces, too.
    unsigned int
    linear_degree(const unsigned int degree)
    {
      return 2 * degree;
    }
  } // namespace

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                     const DoFHandler<dim>                         &velocity,
                                     const DoFHandler<dim>                         &pressure,
                                     const FlowBoundaryConditions<dim>             &conditions,
                                     const Device                                   device,
                                     const AdditionalData                          &additional_data)
  {
    const FiniteElement<dim> &u = velocity.get_fe(), &p = pressure.get_fe();
    AssertThrow(u.n_components() == dim && p.n_components() == 1 && u.degree == p.degree,
                ExcMessage("Incompressible flow needs " + std::to_string(dim) +
                           " components of FE_SimplexDGModal for the velocity and one, of the same "
                           "degree, for the pressure, not " +
                           u.get_name() + " and " + p.get_name() + "."));
    const unsigned int of_convection =
      convection_degree(u.degree, additional_data.convection_degree);
    const unsigned int linear = linear_degree(u.degree);
    using Space               = ElementSpace<dim, Number>;
    this->velocity            = std::make_shared<const Space>(
      mesh, velocity, of_convection, on_faces<dim>(of_convection), device);
    this->pressure = std::make_shared<const Space>(mesh, pressure, linear, linear, device);
    set_up(conditions, additional_data);
  }

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                     const unsigned int                             degree,
                                     const FlowBoundaryConditions<dim>             &conditions,
                                     const Device                                   device,
                                     const AdditionalData                          &additional_data)
  {
    const unsigned int of_convection = convection_degree(degree, additional_data.convection_degree);
    const unsigned int linear        = linear_degree(degree);
    using Space                      = ElementSpace<dim, Number>;
    velocity                         = std::make_shared<const Space>(
      mesh, degree, dim, of_convection, on_faces<dim>(of_convection), device);
    pressure = std::make_shared<const Space>(mesh, degree, 1, linear, linear, device);
    set_up(conditions, additional_data);
  }

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::set_up(const FlowBoundaryConditions<dim> &conditions,
                                     const AdditionalData              &additional_data)
  {
    const double backflow = additional_data.backflow_stabilization;
    AssertThrow(std::isfinite(backflow) && backflow >= 0.,
                ExcMessage("The stabilisation against backflow must not be negative, but is " +
                           std::to_string(backflow) + "."));
    gradient_.reinit(pressure, conditions, {}, "pressure gradient");
    divergence_.reinit(pressure, conditions, {}, "velocity divergence");
    convection_.reinit(velocity, conditions, {backflow}, "convection");
    transport_.reinit(velocity, conditions, {backflow}, "transport");
  }

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::check_set_up() const
  {
    AssertThrow(velocity != nullptr,
                ExcMessage("The operators of incompressible flow are not set up: call reinit() "
                           "first."));
  }

  template <int dim, typename Number>
  double
  FlowOperators<dim, Number>::convection_rate(const Vector<Number> &u) const
  {
    check_set_up();
    check_layout(u.layout(), velocity->layout(), "convection rate");
    const auto    &reference = velocity->reference;
    const auto    &tables    = velocity->element_tables();
    Vector<Number> rates(velocity->layout(1, 1));
    apply_to_elements(
      velocity->device,
      velocity->n_elements(),
      ElementOperation::CrossingRate<dim, Number>{tables.n_modes,
                                                  dim + 1,
                                                  tables.n_faces,
                                                  tables.vertex_values,
                                                  velocity->mesh_arrays().inverse_jacobians,
                                                  tables.face_normals,
                                                  u.data(),
                                                  rates.data()});
    return (2. * reference.degree + 1.) / (2. * dim * reference.reference_cell.volume()) *
           rates.linfty_norm();
  }

  template <int dim, typename Number>
  std::size_t
  FlowOperators<dim, Number>::memory_consumption() const
  {
    check_set_up();
    return velocity->table_memory() + pressure->table_memory() + gradient_.memory_consumption() +
           divergence_.memory_consumption() + convection_.memory_consumption() +
           transport_.memory_consumption();
  }

  template class FlowOperators<2>;
  template class FlowOperators<3>;
} // namespace Saltus
