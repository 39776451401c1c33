// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_operator_templates_h
#define saltus_operators_conservation_law_operator_templates_h

// Include this, and instantiate ConservationLawOperator explicitly, for an equation of your own.

#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/manifold.h>

#include <saltus/base/instruction_set.h>
#include <saltus/base/say_once.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/conservation_law_operator.h>

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
    check_arguments(dof_handler);
    this->law = law;
    device_   = device;
    degree    = dof_handler.get_fe().degree;
    reference =
      std::make_unique<ReferenceElement<dim>>(degree,
                                              2 * degree + additional_data.quadrature_increase,
                                              2 * degree + 1 + additional_data.quadrature_increase,
                                              device.is_cuda() ? 1 : cpu_point_padding);
    make_kernels();

    const ElementOrder<dim>     order(dof_handler.get_triangulation());
    const AffineGeometry<dim>   geometry(order, *reference, mapping);
    const FaceConnectivity<dim> connectivity(order, *reference, boundary_conditions.periodic());
    cells        = order.cells;
    determinants = geometry.determinants;
    number_dofs(dof_handler);
    tables = make_tables(device_);
    upload_mesh(connectivity, geometry);
    time    = Memory<TimeState>(device, {TimeState()});
    failure = Memory<Failure>(device, 1);

    volume_points.assign(n_blocks(n_elements()) * reference->n_volume_points() * block_size,
                         geometry.origins[0]);
    for (unsigned int e = 0; e < n_elements(); ++e)
      for (unsigned int q = 0; q < reference->n_volume_points(); ++q)
        volume_points[point_index(e, q, reference->n_volume_points(), 1)] =
          geometry.map(e, reference->volume_points[q]);

    fillings.clear();
    set_up_boundary(connectivity, geometry, boundary_conditions);
    set_up_fields(geometry, additional_data.fields);
    for (const Filling &filling : fillings)
      fill(filling, 0.);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::check_arguments(
    const dealii::DoFHandler<dim> &dof_handler) const
  {
    const dealii::FiniteElement<dim> &fe = dof_handler.get_fe();
    AssertThrow(dynamic_cast<const FE_SimplexDGModal<dim> *>(&fe.base_element(0)) != nullptr &&
                  fe.n_base_elements() == 1 && fe.n_components() == n_components,
                dealii::ExcMessage("The " + std::string(Law::name) + " operator needs " +
                                   std::to_string(n_components) +
                                   " components of FE_SimplexDGModal, not " + fe.get_name() + "."));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::make_kernels()
  {
    using Registry = KernelRegistry<Law, Number>;
    const auto factory =
      device_.is_cuda() ? Registry::cuda : Registry::cpu[instruction_set_level()];
    if (factory != nullptr)
      kernels.reset(factory(element_tables(make_tables(Device::cpu())), degree));
    AssertThrow(kernels != nullptr,
                dealii::ExcMessage(
                  "There are no compiled " + std::string(device_.is_cuda() ? "CUDA" : "CPU") +
                  " kernels for " + Law::name + " in " + std::to_string(dim) + "D with degree " +
                  std::to_string(degree) + ". Use a lower degree" +
                  (device_.is_cuda() ? ", or the device cpu." : ".")));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::number_dofs(const dealii::DoFHandler<dim> &dof_handler)
  {
    const dealii::FiniteElement<dim>            &fe = dof_handler.get_fe();
    std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
    dof_indices.clear();
    for (const auto &cell : cells)
      {
        const typename dealii::DoFHandler<dim>::active_cell_iterator dof_cell(
          &cell->get_triangulation(), cell->level(), cell->index(), &dof_handler);
        dof_cell->get_dof_indices(indices);
        for (unsigned int m = 0; m < reference->n_modes; ++m)
          for (unsigned int c = 0; c < n_components; ++c)
            dof_indices.push_back(indices[fe.component_to_system_index(c, m)]);
      }
  }

  template <int dim, typename Law, typename Number>
  typename ConservationLawOperator<dim, Law, Number>::Tables
  ConservationLawOperator<dim, Law, Number>::make_tables(const Device device) const
  {
    const auto upload = [&](const std::vector<double> &values) {
      return Memory<Number>(device, std::vector<Number>(values.begin(), values.end()));
    };
    return {upload(reference->volume_values),
            upload(reference->volume_gradients),
            upload(reference->volume_weights),
            upload(reference->face_values),
            upload(reference->face_weights),
            upload(reference->face_normals),
            upload(reference->vertex_values),
            Memory<unsigned char>(device, reference->face_permutations)};
  }

  template <int dim, typename Law, typename Number>
  ElementTables<Number>
  ConservationLawOperator<dim, Law, Number>::element_tables(const Tables &from) const
  {
    ElementTables<Number> to;
    to.n_modes           = reference->n_modes;
    to.n_volume_points   = reference->n_volume_points();
    to.n_face_points     = reference->n_face_points();
    to.n_faces           = reference->n_faces;
    to.n_orientations    = reference->n_orientations;
    to.volume_values     = from.volume_values.data();
    to.volume_gradients  = from.volume_gradients.data();
    to.volume_weights    = from.volume_weights.data();
    to.face_values       = from.face_values.data();
    to.face_weights      = from.face_weights.data();
    to.face_normals      = from.face_normals.data();
    to.vertex_values     = from.vertex_values.data();
    to.face_permutations = from.face_permutations.data();
    to.reference_volume  = reference->reference_cell.volume();
    return to;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::upload_mesh(const FaceConnectivity<dim> &connectivity,
                                                         const AffineGeometry<dim>   &geometry)
  {
    const unsigned int         n_faces  = reference->n_faces;
    const unsigned int         n_padded = n_blocks(n_elements()) * block_size;
    std::vector<Number>        jacobians(n_padded * dim * dim);
    std::vector<int>           across(n_padded * n_faces);
    std::vector<unsigned char> codes(n_padded * n_faces);
    for (unsigned int e = 0; e < n_padded; ++e)
      {
        const unsigned int source =
          std::min(e, n_elements() - 1); // padding repeats the last element
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int d = 0; d < dim; ++d)
            jacobians[point_index(e, r * dim + d, dim * dim, 1)] =
              geometry.inverse_jacobians[source][r][d];
        for (unsigned int f = 0; f < n_faces; ++f)
          {
            across[point_index(e, f, n_faces, 1)] = connectivity.neighbors[source * n_faces + f];
            codes[point_index(e, f, n_faces, 1)] =
              connectivity.neighbor_faces[source * n_faces + f];
          }
      }
    inverse_jacobians = Memory<Number>(device_, jacobians);
    neighbors         = Memory<int>(device_, across);
    neighbor_faces    = Memory<unsigned char>(device_, codes);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_boundary(
    const FaceConnectivity<dim>   &connectivity,
    const AffineGeometry<dim>     &geometry,
    const BoundaryConditions<dim> &boundary_conditions)
  {
    const unsigned int n_points = reference->n_face_points();
    n_boundary_faces            = connectivity.boundary_faces.size();
    boundary_states = Memory<Number>(device_, n_boundary_faces * n_points * n_components);
    outflow_        = Memory<double>(device_, n_boundary_faces * n_components);

    std::vector<BoundaryKind> kinds;
    std::vector<Number>       normals;
    // Faces in a row with the same data are filled together.
    const StateFunction<dim>       *data  = nullptr;
    std::size_t                     start = 0;
    std::vector<dealii::Point<dim>> points;
    const auto                      flush = [&]() {
      if (data != nullptr && !points.empty())
        fillings.push_back({PointValues<dim, Number>(*data, points, device_),
                            boundary_states.data() + start * n_components,
                            data->primitive});
      points.clear();
    };

    for (unsigned int b = 0; b < n_boundary_faces; ++b)
      {
        const auto &face  = connectivity.boundary_faces[b];
        const auto  found = boundary_conditions.conditions().find(face.id);
        AssertThrow(found != boundary_conditions.conditions().end(),
                    dealii::ExcMessage("Boundary id " + std::to_string(face.id) +
                                       " has no boundary condition."));
        const auto &condition = found->second;
        AssertThrow(Law::supports(condition.kind),
                    dealii::ExcMessage("Boundary id " + std::to_string(face.id) +
                                       ": this boundary condition does not exist for " + Law::name +
                                       "."));
        const StateFunction<dim> *wanted = condition.data.empty() ? nullptr : &condition.data;
        AssertThrow(wanted == nullptr || wanted->n_components() == n_components,
                    dealii::ExcMessage("Boundary id " + std::to_string(face.id) +
                                       ": the data has " + std::to_string(wanted->n_components()) +
                                       " components, but " + std::to_string(n_components) +
                                       " are needed."));
        if (wanted != data)
          {
            flush();
            data  = wanted;
            start = static_cast<std::size_t>(b) * n_points;
          }
        kinds.push_back(condition.kind);
        const auto normal =
          geometry.normal(face.element, reference->face_normals.data() + face.face * dim);
        const auto tria_face = cells[face.element]->face(face.face);
        for (unsigned int q = 0; q < n_points; ++q)
          {
            const dealii::Point<dim> point =
              geometry.map(face.element, reference->face_points[face.face * n_points + q]);
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
    boundary_kinds   = Memory<BoundaryKind>(device_, kinds);
    boundary_normals = Memory<Number>(device_, normals);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_fields(const AffineGeometry<dim> &geometry,
                                                           const StateFunction<dim>  &function)
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

    const unsigned int              n_rows = reference->n_faces * reference->n_face_points();
    std::vector<dealii::Point<dim>> face_points(n_blocks(n_elements()) * n_rows * block_size,
                                                geometry.origins[0]);
    for (unsigned int e = 0; e < n_elements(); ++e)
      for (unsigned int row = 0; row < n_rows; ++row)
        face_points[point_index(e, row, n_rows, 1)] = geometry.map(e, reference->face_points[row]);

    volume_fields = Memory<Number>(device_, volume_points.size() * Law::n_fields);
    face_fields   = Memory<Number>(device_, face_points.size() * Law::n_fields);
    fillings.push_back({{function, volume_points, device_}, volume_fields.data(), false});
    fillings.push_back({{function, face_points, device_}, face_fields.data(), false});
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
    vector = Vector<Number>(device_, n_elements(), reference->n_modes, n_components);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::copy_from(Vector<Number>               &to,
                                                       const dealii::Vector<double> &from) const
  {
    AssertDimension(from.size(), dof_indices.size());
    std::vector<Number> values(to.data_size());
    for (unsigned int e = 0, i = 0; e < n_elements(); ++e)
      for (unsigned int m = 0; m < reference->n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          values[coefficient_index(e, m, reference->n_modes, n_components) + c] =
            from[dof_indices[i]];
    to.copy_from_host(values.data());
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::copy_to(dealii::Vector<double> &to,
                                                     const Vector<Number>   &from) const
  {
    to.reinit(dof_indices.size(), true);
    const std::vector<Number> values = from.to_host();
    for (unsigned int e = 0, i = 0; e < n_elements(); ++e)
      for (unsigned int m = 0; m < reference->n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          to[dof_indices[i]] =
            values[coefficient_index(e, m, reference->n_modes, n_components) + c];
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::project(const StateFunction<dim> &function,
                                                     Vector<Number>           &u) const
  {
    AssertThrow(!function.empty() && function.n_components() == n_components,
                dealii::ExcMessage("The initial state needs " + std::to_string(n_components) +
                                   " components."));
    Memory<Number> values(device_, volume_points.size() * n_components);
    fill({{function, volume_points, device_}, values.data(), function.primitive}, 0.);
    kernels->project(arguments().tables, n_elements(), values.data(), u.data());
    if (device_.is_cuda())
      CudaRuntime::synchronize(); // before the values are freed
  }

  template <int dim, typename Law, typename Number>
  StageArguments<Law, Number>
  ConservationLawOperator<dim, Law, Number>::arguments() const
  {
    StageArguments<Law, Number> arg;
    arg.law                    = law;
    arg.tables                 = element_tables(tables);
    arg.mesh.n_elements        = n_elements();
    arg.mesh.n_boundary_faces  = n_boundary_faces;
    arg.mesh.inverse_jacobians = inverse_jacobians.data();
    arg.mesh.neighbors         = neighbors.data();
    arg.mesh.neighbor_faces    = neighbor_faces.data();
    arg.boundary.kinds         = boundary_kinds.data();
    arg.boundary.states        = boundary_states.data();
    arg.boundary.normals       = boundary_normals.data();
    arg.boundary.outflow       = outflow_.data();
    arg.fields.volume          = volume_fields.data();
    arg.fields.face            = face_fields.data();
    arg.time                   = time.data();
    arg.failure                = failure.data();
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
    // The modes are orthonormal on the reference cell, and all but the first have mean 0.
    const std::vector<Number> values   = u.to_host();
    const double              constant = reference->volume_values[0];
    const double              volume   = reference->reference_cell.volume();
    StateStatistics           result;
    for (unsigned int c = 0; c < n_components; ++c)
      {
        double integral = 0, square = 0, lowest = std::numeric_limits<double>::infinity(),
               highest = -lowest;
        for (unsigned int e = 0; e < n_elements(); ++e)
          {
            const double mean =
              constant * values[coefficient_index(e, 0, reference->n_modes, n_components) + c];
            integral += volume * determinants[e] * mean;
            if (std::isnan(mean))
              lowest = highest = mean; // and no comparison replaces it
            lowest  = mean < lowest ? mean : lowest;
            highest = mean > highest ? mean : highest;
            for (unsigned int m = 0; m < reference->n_modes; ++m)
              {
                const double coefficient =
                  values[coefficient_index(e, m, reference->n_modes, n_components) + c];
                square += determinants[e] * coefficient * coefficient;
              }
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
            << " in the cell at (" << cells[found.element]->center() << "), element "
            << found.element << ":";
    for (int c = 0; c < n_components; ++c)
      message << ' ' << Law::conserved_names[c] << " = " << found.state[c];
    message << ". Try a smaller CFL number, a finer mesh, or a limiter.";
    AssertThrow(false, dealii::ExcMessage(message.str()));
  }
} // namespace Saltus

#endif
