// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_operator_templates_h
#define saltus_operators_conservation_law_operator_templates_h

// Include this, and instantiate ConservationLawOperator explicitly, for an equation of your own.

#include <deal.II/grid/manifold.h>

#include <saltus/operators/conservation_law_operator.h>
#include <saltus/operators/element_mass.h>
#include <saltus/operators/kernel_dispatch.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace Saltus
{
  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::reinit(
    const dealii::Mapping<dim>    &mapping,
    const dealii::DoFHandler<dim> &dof_handler,
    const Law                     &law,
    const BoundaryConditions<dim> &boundary_conditions,
    const Device                   device,
    const AdditionalData          &additional_data)
  {
    reinit(std::make_shared<const ElementMesh<dim>>(mapping,
                                                    dof_handler.get_triangulation(),
                                                    boundary_conditions.periodic()),
           dof_handler,
           law,
           boundary_conditions,
           device,
           additional_data);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::reinit(
    const std::shared_ptr<const ElementMesh<dim>> &mesh,
    const dealii::DoFHandler<dim>                 &dof_handler,
    const Law                                     &law,
    const BoundaryConditions<dim>                 &boundary_conditions,
    const Device                                   device,
    const AdditionalData                          &additional_data)
  {
    const dealii::FiniteElement<dim> &fe = dof_handler.get_fe();
    AssertThrow(fe.n_components() == n_components,
                dealii::ExcMessage("The " + std::string(Law::name) + " operator needs " +
                                   std::to_string(n_components) +
                                   " components of FE_SimplexDGModal, not " + fe.get_name() + "."));
    degree                      = fe.degree;
    const unsigned int increase = additional_data.quadrature_increase;
    space                       = std::make_unique<ElementSpace<dim, Number>>(
      mesh, dof_handler, 2 * degree + increase, 2 * degree + 1 + increase, device);
    set_up(law, boundary_conditions, additional_data);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::reinit(
    const std::shared_ptr<const ElementMesh<dim>> &mesh,
    const unsigned int                             degree,
    const Law                                     &law,
    const BoundaryConditions<dim>                 &boundary_conditions,
    const Device                                   device,
    const AdditionalData                          &additional_data)
  {
    this->degree                = degree;
    const unsigned int increase = additional_data.quadrature_increase;
    space                       = std::make_unique<ElementSpace<dim, Number>>(
      mesh, degree, n_components, 2 * degree + increase, 2 * degree + 1 + increase, device);
    set_up(law, boundary_conditions, additional_data);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up(
    const Law                     &law,
    const BoundaryConditions<dim> &boundary_conditions,
    const AdditionalData          &additional_data)
  {
    boundary_conditions.check_mesh(*space->mesh);
    this->law = law;
    kernels =
      make_kernels<ConservationLawKernels<Law, Number>>(space->reference, device(), Law::name);
    time    = Memory<TimeState>(device(), {TimeState()});
    failure = Memory<Failure>(device(), 1);

    fillings.clear();
    set_up_boundary(boundary_conditions);
    set_up_fields(additional_data.fields);
    for (const Filling &filling : fillings)
      fill(filling, 0.);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_boundary(
    const BoundaryConditions<dim> &boundary_conditions)
  {
    const ReferenceElement<dim> &reference        = space->reference;
    const unsigned int           n_points         = reference.n_face_points();
    const unsigned int           n_boundary_faces = space->connectivity.boundary_faces.size();
    boundary_states = Memory<Number>(device(), n_boundary_faces * n_points * n_components);
    outflow_        = Memory<double>(device(), n_boundary_faces * n_components);

    std::vector<BoundaryKind> kinds;
    std::vector<Number>       normals;
    // Faces in a row with the same data are filled together.
    const StateFunction<dim>       *data  = nullptr;
    std::size_t                     start = 0;
    std::vector<dealii::Point<dim>> points;
    const auto                      flush = [&]() {
      if (data != nullptr && !points.empty())
        fillings.push_back({PointValues<dim, Number>(*data, points, device()),
                            boundary_states.data() + start * n_components,
                            data->primitive});
      points.clear();
    };

    for (unsigned int b = 0; b < n_boundary_faces; ++b)
      {
        const auto &face      = space->connectivity.boundary_faces[b];
        const auto &condition = boundary_conditions.at(face.id, n_components);
        AssertThrow(Law::supports(condition.kind),
                    dealii::ExcMessage("Boundary id " + std::to_string(face.id) +
                                       ": this boundary condition does not exist for " + Law::name +
                                       "."));
        const StateFunction<dim> *wanted = condition.data.empty() ? nullptr : &condition.data;
        if (wanted != data)
          {
            flush();
            data  = wanted;
            start = static_cast<std::size_t>(b) * n_points;
          }
        kinds.push_back(condition.kind);
        const auto normal =
          space->geometry.normal(face.element, reference.face_normals.data() + face.face * dim);
        const auto tria_face = space->order.cells[face.element]->face(face.face);
        for (unsigned int q = 0; q < n_points; ++q)
          {
            const dealii::Point<dim> point =
              space->geometry.map(face.element, reference.face_points[face.face * n_points + q]);
            points.push_back(point);
            dealii::Tensor<1, dim> n = normal;
            if (condition.curved)
              {
                n = tria_face->get_manifold().normal_vector(tria_face, point);
                if (n * normal < 0)
                  n *= -1.;
              }
            for (unsigned int d = 0; d < dim; ++d)
              normals.push_back(n[d]);
          }
      }
    flush();
    boundary_kinds   = Memory<BoundaryKind>(device(), kinds);
    boundary_normals = Memory<Number>(device(), normals);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_fields(const StateFunction<dim> &function)
  {
    AssertThrow(function.empty()
                  ? Law::n_fields == 0
                  : function.n_components() == static_cast<unsigned int>(Law::n_fields),
                dealii::ExcMessage(
                  "The law " + std::string(Law::name) + " has " + std::to_string(Law::n_fields) +
                  " coefficient fields; " +
                  (function.empty() ? "none" : std::to_string(function.n_components())) +
                  " are given."));
    if (Law::n_fields == 0)
      return;

    const auto points = space->volume_points(), face_points = space->face_points();
    volume_fields = Memory<Number>(device(), points.size() * Law::n_fields);
    face_fields   = Memory<Number>(device(), face_points.size() * Law::n_fields);
    fillings.push_back({{function, points, device()}, volume_fields.data(), false});
    fillings.push_back({{function, face_points, device()}, face_fields.data(), false});
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::fill(const Filling &filling,
                                                  const double   fraction) const
  {
    filling.values.evaluate(time.data(), fraction, filling.target);
    if (filling.primitive)
      kernels->primitive_to_conserved(law, filling.values.n_points(), filling.target);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::fill_time_dependent(const double fraction) const
  {
    for (const Filling &filling : fillings)
      if (filling.values.function.depends_on_time())
        fill(filling, fraction);
  }

  template <int dim, typename Law, typename Number>
  bool
  ConservationLawOperator<dim, Law, Number>::runs_on_device() const
  {
    for (const Filling &filling : fillings)
      if (filling.values.function.depends_on_time() && !filling.values.runs_on_device())
        return false;
    return true;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::initialize_vector(Vector<Number> &vector) const
  {
    vector = space->make_vector();
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::copy_from(Vector<Number>               &to,
                                                       const dealii::Vector<double> &from) const
  {
    space->copy_from(to, from);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::copy_to(dealii::Vector<double> &to,
                                                     const Vector<Number>   &from) const
  {
    space->copy_to(to, from);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::project(const StateFunction<dim> &function,
                                                     Vector<Number>           &u) const
  {
    AssertThrow(!function.empty() && function.n_components() == n_components,
                dealii::ExcMessage("The initial state needs " + std::to_string(n_components) +
                                   " components."));
    const auto     points = space->volume_points();
    Memory<Number> values(device(), points.size() * n_components);
    fill({{function, points, device()}, values.data(), function.primitive}, 0.);
    kernels->project(arguments().tables, n_elements(), values.data(), u.data());
    if (device().is_cuda())
      CudaRuntime::synchronize(); // before the values are freed
  }

  template <int dim, typename Law, typename Number>
  StageArguments<Law, Number>
  ConservationLawOperator<dim, Law, Number>::arguments() const
  {
    StageArguments<Law, Number> arg;
    arg.law              = law;
    arg.tables           = space->element_tables();
    arg.mesh             = space->mesh_arrays();
    arg.boundary.kinds   = boundary_kinds.data();
    arg.boundary.states  = boundary_states.data();
    arg.boundary.normals = boundary_normals.data();
    arg.boundary.outflow = outflow_.data();
    arg.fields.volume    = volume_fields.data();
    arg.fields.face      = face_fields.data();
    arg.time             = time.data();
    arg.failure          = failure.data();
    return arg;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::stage(const StageCoefficients &coefficients,
                                                   const Vector<Number>    &u,
                                                   const Vector<Number>    &base,
                                                   Vector<Number>          &accumulator,
                                                   Vector<Number>          &out) const
  {
    Assert(&u != &out, dealii::ExcMessage("A stage cannot work in place."));
    fill_time_dependent(coefficients.time);
    auto arg         = arguments();
    arg.coefficients = coefficients;
    arg.u            = u.data();
    arg.base         = base.data();
    arg.accumulator  = accumulator.data();
    arg.out          = out.data();
    kernels->stage(arg);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::apply(const Vector<Number> &u, Vector<Number> &r) const
  {
    // The residual itself is a stage with a step of length 1 that keeps nothing else.
    const TimeState before = time_state();
    TimeState       unit   = before;
    unit.dt                = 1.;
    time.copy_from_host(&unit);
    StageCoefficients residual_only;
    residual_only.c = 1.;
    Vector<Number> none;
    stage(residual_only, u, none, none, r);
    time.copy_from_host(&before);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::begin_step(const Vector<Number> &u) const
  {
    const auto                     arg = arguments();
    StepSizeArguments<Law, Number> step;
    step.law    = law;
    step.tables = arg.tables;
    step.mesh   = arg.mesh;
    step.fields = arg.fields;
    step.degree = degree;
    step.u      = u.data();
    step.time   = time.data();
    kernels->step_size(step);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::end_step() const
  {
    kernels->finish_step(time.data());
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::limit(Vector<Number> &u) const
  {
    AssertThrow(degree == 1,
                dealii::ExcMessage("The Barth-Jespersen limiter is for degree 1, not for degree " +
                                   std::to_string(degree) + "."));
    const auto                    arg = arguments();
    LimiterArguments<Law, Number> limiter;
    limiter.law    = law;
    limiter.tables = arg.tables;
    limiter.mesh   = arg.mesh;
    limiter.u      = u.data();
    kernels->limit(limiter);
  }

  template <int dim, typename Law, typename Number>
  TimeState
  ConservationLawOperator<dim, Law, Number>::time_state() const
  {
    return time.to_host()[0];
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_time_state(const TimeState &state)
  {
    time.copy_from_host(&state);
  }

  template <int dim, typename Law, typename Number>
  std::vector<double>
  ConservationLawOperator<dim, Law, Number>::outflow() const
  {
    const std::vector<double> by_face = outflow_by_face();
    std::vector<double>       sum(n_components, 0.);
    for (std::size_t i = 0; i < by_face.size(); ++i)
      sum[i % n_components] += by_face[i];
    return sum;
  }

  template <int dim, typename Law, typename Number>
  std::vector<double>
  ConservationLawOperator<dim, Law, Number>::outflow_by_face() const
  {
    return outflow_.to_host();
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_outflow_by_face(const std::vector<double> &outflow)
  {
    AssertDimension(outflow.size(), outflow_.size());
    outflow_.copy_from_host(outflow.data());
  }

  template <int dim, typename Law, typename Number>
  StateStatistics
  ConservationLawOperator<dim, Law, Number>::statistics(const Vector<Number> &u) const
  {
    const std::vector<Number>      values  = u.to_host();
    const unsigned int             n_modes = space->reference.n_modes;
    const ElementMass<dim, Number> mass(*space);
    StateStatistics                result;
    for (unsigned int c = 0; c < n_components; ++c)
      {
        double integral = 0, square = 0, lowest = std::numeric_limits<double>::infinity(),
               highest = -lowest;
        for (unsigned int e = 0; e < n_elements(); ++e)
          {
            const auto coefficient = [&](const unsigned int m) -> double {
              return values[coefficient_index(e, m, n_modes, n_components) + c];
            };
            const double mean = mass.mean(coefficient(0));
            integral += mass.integral(e, coefficient(0));
            if (std::isnan(mean))
              lowest = highest = mean; // and no comparison replaces it
            lowest     = mean < lowest ? mean : lowest;
            highest    = mean > highest ? mean : highest;
            double sum = 0;
            for (unsigned int m = 0; m < n_modes; ++m)
              sum += coefficient(m) * coefficient(m);
            square += mass.square_integral(e, sum);
          }
        result.integrals.push_back(integral);
        result.norms.push_back(std::sqrt(square));
        result.minima.push_back(lowest);
        result.maxima.push_back(highest);
      }
    return result;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::check_states() const
  {
    const Failure found = failure.to_host()[0];
    if (found.found == 0)
      return;
    std::ostringstream message;
    message << "Inadmissible state of " << Law::name << " at time " << found.time
            << " in the cell at (" << space->order.cells[found.element]->center() << "), element "
            << found.element << ":";
    for (int c = 0; c < n_components; ++c)
      message << ' ' << Law::conserved_names[c] << " = " << found.state[c];
    message << ". Try a smaller CFL number, a finer mesh, or a limiter.";
    AssertThrow(false, dealii::ExcMessage(message.str()));
  }
} // namespace Saltus

#endif
