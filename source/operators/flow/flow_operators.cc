// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/dg_element.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/flow/flow_quadrature.h>
#include <saltus/operators/flow/kernels/flow_element_operations.h>
#include <saltus/operators/spaces/inverse_mass.h>

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

    /// On faces of simplices the rules must be symmetric, of which there are not as many.
    template <int dim>
    unsigned int
    on_faces(const ElementMesh<dim> &mesh, const unsigned int degree)
    {
      return mesh.shape.is_simplex() ? std::min(degree, max_symmetric_degree<dim - 1>()) : degree;
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
    const ReferenceCell       cell = mesh->shape.reference_cell;
    const FiniteElement<dim> &u = element_on(velocity, cell), &p = element_on(pressure, cell);
    AssertThrow(u.n_components() == dim && p.n_components() == 1 && u.degree >= p.degree,
                ExcMessage("Incompressible flow needs " + std::to_string(dim) + " components of " +
                           (mesh->shape.is_simplex() ? "FE_SimplexDGModal" : "FE_HypercubeDG") +
                           " for the velocity and one, of the same degree or a lower one, for the "
                           "pressure, not " +
                           u.get_name() + " and " + p.get_name() + "."));
    const unsigned int of_convection =
      convection_degree(u.degree, additional_data.convection_degree);
    const unsigned int linear = linear_degree(*mesh, u.degree);
    using Space               = ElementSpace<dim, Number>;
    this->velocity            = std::make_shared<const Space>(mesh,
                                                   velocity,
                                                   of_convection,
                                                   on_faces(*mesh, of_convection),
                                                   device,
                                                   StoredMetrics::for_curved_elements);
    const bool same_degree    = u.degree == p.degree;
    this->pressure            = std::make_shared<const Space>(mesh,
                                                   pressure,
                                                   linear,
                                                   on_faces(*mesh, linear),
                                                   device,
                                                   same_degree ? StoredMetrics::for_curved_elements
                                                                          : StoredMetrics::none);
    scalar                    = same_degree ? this->pressure : scalar_space(mesh, u.degree, device);
    set_up(conditions, additional_data);
  }

  template <int dim, typename Number>
  std::shared_ptr<const ElementSpace<dim, Number>>
  FlowOperators<dim, Number>::scalar_space(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                           const unsigned int                             degree,
                                           const Device                                   device)
  {
    const unsigned int linear = linear_degree(*mesh, degree);
    return ElementSpace<dim, Number>::shared(
      mesh, degree, 1, linear, on_faces(*mesh, linear), device, StoredMetrics::for_curved_elements);
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
    velocity                         = ElementSpace<dim, Number>::shared(mesh,
                                                 degree,
                                                 dim,
                                                 of_convection,
                                                 on_faces(*mesh, of_convection),
                                                 device,
                                                 StoredMetrics::for_curved_elements);
    pressure = scalar = scalar_space(mesh, degree, device);
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
    outflows.clear();
    for (const auto &[id, condition] : conditions.conditions())
      if (condition.kind == FlowBoundary::outflow)
        outflows.insert(id);
    conditions.check_mesh(*velocity->mesh, [&](const types::boundary_id id) { conditions.at(id); });
    const auto make_faces = [&](const auto &space, const unsigned int n_components) {
      return std::make_shared<const FlowFaces<dim, Number>>(space, conditions, n_components);
    };
    gradient_.reinit(make_faces(scalar, 1), {}, "pressure gradient");
    divergence_.reinit(make_faces(scalar, dim), {}, "velocity divergence");
    const auto of_velocity = make_faces(velocity, dim);
    convection_.reinit(of_velocity, {backflow}, "convection");
    transport_.reinit(of_velocity, {backflow}, "transport");
    inflow   = std::make_unique<InflowAcceleration<dim, Number>>(*velocity, conditions);
    embedded = derivative = pressure_is_lower() ? scalar->make_vector() : Vector<Number>();
    transfer =
      pressure_is_lower()
        ? ModeTransfer<Number>(scalar->device,
                               scalar->reference.basis.embedding(pressure->reference.basis))
        : ModeTransfer<Number>();
  }

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::embed(const VectorSum<Number> &sum) const
  {
    embedded = Number(0);
    for (const auto &term : sum.terms())
      {
        check_layout(term.vector->layout(), pressure->layout(), "pressure gradient");
        transfer.add_embedded(embedded, *term.vector, term.factor);
      }
  }

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::gradient(Vector<Number>           &dst,
                                       const VectorSum<Number>  &p,
                                       const DataTimes          &times,
                                       const FlowUpdate<Number> &update) const
  {
    check_set_up();
    if (!pressure_is_lower())
      return gradient_.apply(dst, {{p}}, times, update);
    embed(p);
    gradient_.apply(dst, {{embedded}}, times, update);
  }

  template <int dim, typename Number>
  void
  FlowOperators<dim, Number>::divergence(Vector<Number>           &dst,
                                         const VectorSum<Number>  &u,
                                         const DataTimes          &times,
                                         const FlowUpdate<Number> &update) const
  {
    check_set_up();
    if (!pressure_is_lower())
      return divergence_.apply(dst, {{u}}, times, update);
    AssertThrow(update.accumulator == nullptr,
                ExcMessage("The velocity divergence has no accumulator where pressures are of a "
                           "lower degree than velocities."));
    check_layout(dst.layout(), pressure->layout(), "velocity divergence");
    FlowUpdate<Number> in_derivative = update;
    in_derivative.base               = {};
    if (update.times_mass || !scalar->geometry.has_curved_elements)
      {
        if (!update.base.terms().empty())
          {
            embed(update.base);
            in_derivative.base = embedded;
          }
        divergence_.apply(derivative, {{u}}, times, in_derivative);
        transfer.project(dst, derivative);
        return;
      }
    // The modes of lower degree are a projection of the form, not of the derivative.
    in_derivative.times_mass = true;
    divergence_.apply(derivative, {{u}}, times, in_derivative);
    Vector<Number> form = pressure->make_vector(), result = form;
    transfer.project(form, derivative);
    InverseMass<dim, Number>(*pressure).vmult(result, form);
    for (const auto &term : update.base.terms())
      result.add(term.factor, *term.vector);
    dst.swap(result);
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
    const auto                                 &reference = scalar->reference;
    ElementOperation::CrossingRate<dim, Number> work{static_cast<int>(
                                                       reference.reference_cell.n_vertices()),
                                                     scalar->element_tables(),
                                                     scalar->stored_arrays(),
                                                     scalar->mesh_arrays().inverse_jacobians,
                                                     u.data(),
                                                     nullptr};
    Vector<Number>                              rates(scalar->layout(work.n_rows(), 1));
    work.rates = rates.data();
    launch(scalar->device, scalar->n_elements(), work);
    const double p = reference.degree;
    const double factor =
      reference.is_simplex() ? (2. * p + 1.) / (2 * dim) : (p + 1.) * (p + 2.) / 4.;
    return factor / reference.reference_cell.volume() * rates.linfty_norm();
  }

  template <int dim, typename Number>
  typename FlowOperators<dim, Number>::OutflowRates
  FlowOperators<dim, Number>::outflow_rates(const Vector<Number> &u) const
  {
    check_set_up();
    check_layout(u.layout(), velocity->layout(), "outflow rates");
    const auto               &reference = velocity->reference;
    const unsigned int        n_modes = reference.n_modes, n_points = reference.n_face_points();
    const CoefficientLayout   layout = u.layout().coefficients();
    const std::vector<Number> modes  = u.to_host();
    std::vector<double>       rates(2);
    const ElementMetrics<dim> metrics(reference, velocity->geometry, MetricForm::cross_product);
    for (const auto &face : velocity->connectivity.boundary_faces)
      if (outflows.count(face.id) > 0)
        {
          const auto   normals = metrics.normals(face.element);
          const double scale   = velocity->geometry.volume_factors[face.element];
          for (unsigned int q = 0; q < n_points; ++q)
            {
              const unsigned int point = face.face * n_points + q;
              double             rate  = 0.;
              for (unsigned int m = 0; m < n_modes; ++m)
                for (unsigned int c = 0; c < dim; ++c)
                  rate += reference.face_values[point * n_modes + m] *
                          modes[layout.index(face.element, m, c)] * normals[point][c];
              rates[rate > 0. ? 0 : 1] += std::abs(rate) * scale * reference.face_weights[q];
            }
        }
    rates = sum_over_ranks(velocity->mesh->partition, rates);
    return {rates[0], rates[1]};
  }

  template <int dim, typename Number>
  std::size_t
  FlowOperators<dim, Number>::memory_consumption() const
  {
    check_set_up();
    return ElementSpace<dim, Number>::table_memory({velocity.get(), pressure.get(), scalar.get()}) +
           (embedded.data_size() + derivative.data_size()) * sizeof(Number) +
           gradient_.memory_consumption() + divergence_.memory_consumption() +
           convection_.memory_consumption(); // transport has the same faces
  }

  template class FlowOperators<2>;
  template class FlowOperators<3>;
} // namespace Saltus
