// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_conservation_law_operator_templates_h
#define saltus_operators_conservation_law_conservation_law_operator_templates_h

// Include this, and instantiate ConservationLawOperator explicitly, for an equation of your own.

#include <deal.II/grid/manifold.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/fe/dg_element.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/mesh/map_degree.h>
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>
#include <saltus/operators/conservation_law/kernels/gpu_kernels.h>
#include <saltus/operators/conservation_law/kernels/hanging_fluxes.h>
#include <saltus/operators/conservation_law/kernels/second_order_hanging.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace Saltus
{
  template <int dim, typename Law, typename Number>
  const bool ConservationLawOperator<dim, Law, Number>::has_gpu_kernels =
    register_gpu_kernels<Law, Number>();

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
    const unsigned int degree        = common_degree(dof_handler);
    const auto        &triangulation = dof_handler.get_triangulation();
    reinit(std::make_shared<const ElementMesh<dim>>(
             mapping,
             triangulation,
             boundary_conditions.periodic(),
             max_matching_rounds,
             typename ElementOrder<dim>::Kinds(),
             map_degree_for(mapping, common_reference_cell(triangulation), degree)),
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
    const auto &fe = element_on(dof_handler, mesh->shape.reference_cell);
    AssertThrow(fe.n_components() == n_components,
                dealii::ExcMessage("The " + std::string(Law::name) + " operator needs " +
                                   std::to_string(n_components) + " components, not " +
                                   fe.get_name() + "."));
    degree                      = fe.degree;
    const unsigned int increase = additional_data.quadrature_increase;
    space =
      std::make_shared<const ElementSpace<dim, Number>>(mesh,
                                                        dof_handler,
                                                        2 * degree + increase,
                                                        2 * degree + 1 + increase,
                                                        device,
                                                        metrics_for(*mesh, law, additional_data));
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
    space                       = ElementSpace<dim, Number>::shared(mesh,
                                              degree,
                                              n_components,
                                              2 * degree + increase,
                                              2 * degree + 1 + increase,
                                              device,
                                              metrics_for(*mesh, law, additional_data));
    set_up(law, boundary_conditions, additional_data);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up(
    const Law                     &law,
    const BoundaryConditions<dim> &boundary_conditions,
    const AdditionalData          &additional_data)
  {
    boundary_conditions.check_mesh(*space->mesh, [&](const dealii::types::boundary_id id) {
      boundary_conditions.at(id, n_components);
    });
    this->law            = law;
    artificial_viscosity = additional_data.artificial_viscosity;
    second_order         = has_second_order_flux(law, additional_data);
    AssertThrow(!second_order || degree > 0,
                dealii::ExcMessage("A second-order flux needs the gradient of the solution, which "
                                   "degree 0 has not: choose degree 1 or above."));
    AssertThrow(!(artificial_viscosity.strength > 0.) || artificial_viscosity.width > 0.,
                dealii::ExcMessage("Artificial viscosity needs a width above 0."));
    AssertThrow(space->mesh->shape.is_simplex() || additional_data.quadrature_increase == 0,
                dealii::ExcMessage("On quadrilaterals and hexahedra the quadrature has the "
                                   "points of the basis: leave Quadrature increase at 0."));
    kernels.reinit(space->order.ranges, space->reference, device(), Law::name);
    set_up_second_order(additional_data.quadrature_increase);
    one       = Memory<double>(device(), std::vector<double>(1, 1.));
    identity_ = Identity();
    at_points = Memory<unsigned char>(device(), n_elements());
    look_at_all_points();
    sums = std::make_unique<const ElementSums>(*space);
    integral_rule.reset();
    hanging           = std::make_unique<const HangingFaces<Number>>(*space, n_components);
    hanging_gradients = second_order ? HangingGradientMemory<Number>(*space, n_components, true)
                                     : HangingGradientMemory<Number>();
    set_up_given_faces();
    set_up_boundary(boundary_conditions);
    set_up_fields(additional_data.fields);
    const auto exchange = [&](const GhostData data) {
      return GhostExchange<Number>::shared(*space->mesh, degree, n_components, device(), data);
    };
    traces = exchange(second_order ? GhostData::values_and_gradients : GhostData::values);
    means  = exchange(GhostData::mean);
    set_up_to_neighbors();
    set_up_viscosities();

    prepare_kernels();

    steps    = Vector<Number>();
    residual = Vector<Number>();
    if (additional_data.local_steps)
      {
        steps = Vector<Number>(space->layout(1, 1));
        initialize_vector(residual);
      }

    set_up_source(additional_data.source);
    if (projection_of_source)
      project(*projection_of_source,
              time_of(projection_of_source->filling.values.function).data(),
              0.,
              ProjectionMass::of_scheme,
              source);
    for (const auto *fillings : all_fillings())
      for (const Filling &filling : *fillings)
        fill(filling, time_of(filling.values.function).data(), 0.);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_second_order(
    const unsigned int quadrature_increase)
  {
    second_order_space.reset();
    second_order_terms = Vector<Number>();
    if (!second_order)
      return;
    second_order_space =
      space->mesh->shape.is_simplex()
        ? ElementSpace<dim, Number>::shared(space->mesh,
                                            degree,
                                            n_components,
                                            second_order_volume_degree(degree) +
                                              quadrature_increase,
                                            second_order_face_degree(degree) + quadrature_increase,
                                            device(),
                                            StoredMetrics::for_second_order_fluxes)
        : space;
    second_order_kernels.reinit(space->order.ranges,
                                second_order_space->reference,
                                device(),
                                Law::name);
    initialize_vector(second_order_terms);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::prepare_kernels()
  {
    auto                              arg = arguments();
    SecondOrderArguments<Law, Number> second{arg, viscosity_arrays(), int(degree), {}, nullptr};
    if (second_order)
      second.stored = second_order_space->stored_arrays();
    space->for_all_ranges([&](const MeshArrays<Number> &mesh, const RangeLaunch) {
      arg.mesh = second.mesh = mesh;
      kernels[mesh].prepare(arg);
      if (second_order)
        second_order_kernels[mesh].prepare(second);
    });
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_viscosities()
  {
    vertex_maxima.reset();
    viscosity_exchange.reset();
    viscosities = viscosities_at_points = Vector<Number>();
    if (!has_artificial_viscosity())
      return;
    viscosities = Vector<Number>(space->layout(1, 1));
    if (!artificial_viscosity.continuous)
      {
        viscosity_exchange =
          GhostExchange<Number>::shared(*space->mesh, 0, 1, device(), GhostData::mean);
        return;
      }
    viscosities_at_points = Vector<Number>(space->layout(viscosity_arrays().n, 1));
    const auto &faces     = space->connectivity.boundary_faces;
    const bool  meets_other_shape =
      std::any_of(faces.begin(), faces.end(), [](const auto &face) { return face.is_inside(); });
    if (largest_of_ranks(meets_other_shape) == 0.)
      vertex_maxima = std::make_unique<const VertexMaxima<dim, Number>>(
        typename VertexMaxima<dim, Number>::Spaces{second_order_space.get()});
  }

  /// Whether a face has a manifold other than a flat one.
  template <int dim>
  bool
  is_curved(const typename dealii::Triangulation<dim>::face_iterator &face)
  {
    return dynamic_cast<const dealii::FlatManifold<dim> *>(&face->get_manifold()) == nullptr;
  }

  template <int dim, typename Law, typename Number>
  ConservationLawOperator<dim, Law, Number>::Boundary::Boundary(
    const ElementSpace<dim, Number> &space,
    const BoundaryConditions<dim>   &boundary_conditions,
    const Law                       &law,
    const unsigned int               n_numbers_inside,
    const std::optional<MetricForm>  form)
  {
    const ReferenceElement<dim> &reference        = space.reference;
    const unsigned int           n_points         = reference.n_face_points();
    const unsigned int           n_boundary_faces = space.connectivity.boundary_faces.size();
    const BoundaryCondition<dim> given_by_other_shape;

    std::vector<BoundaryFaceData> records;
    std::vector<Number>           components; // of normals
    std::size_t                   n_data = 0;
    // Faces in a row with the same data are filled together: the points of each such row.
    struct Row
    {
      const FieldFunction<dim>       *data;
      std::size_t                     start;
      std::vector<dealii::Point<dim>> points;
    };
    std::vector<Row> rows;

    const ElementMetrics<dim> metrics(reference, space.geometry, form);
    const ElementPoints<dim>  points(space.geometry, reference.face_points);
    for (unsigned int b = 0; b < n_boundary_faces; ++b)
      {
        const auto &face   = space.connectivity.boundary_faces[b];
        const bool  inside = face.is_inside();
        const auto &condition =
          inside ? given_by_other_shape : boundary_conditions.at(face.id, n_components);
        AssertThrow(Law::supports(condition.kind),
                    dealii::ExcMessage("Boundary id " + std::to_string(face.id) +
                                       ": this boundary condition does not exist for " + Law::name +
                                       "."));
        AssertThrow(!is_no_slip(condition.kind) || HasSecondOrderFlux<Law>::of(law),
                    dealii::ExcMessage("Boundary id " + std::to_string(face.id) +
                                       ": flows stick to a wall only if they are viscous. Give "
                                       "the law " +
                                       Law::name + " a viscosity, or make it a wall with slip."));
        const unsigned int n_numbers = inside ? n_numbers_inside : condition.n_data(n_components);
        records.push_back({condition.kind,
                           static_cast<unsigned char>(n_numbers),
                           static_cast<unsigned char>(face.face),
                           inside,
                           static_cast<int>(face.element),
                           n_data});
        const bool has_data = n_numbers > 0 && !inside;
        const auto end = [&](const Row &row) { return row.start + row.points.size() * n_numbers; };
        if (has_data &&
            (rows.empty() || rows.back().data != &condition.data || end(rows.back()) != n_data))
          rows.push_back({&condition.data, n_data, {}});
        first.push_back(n_data);
        n_data += n_numbers * n_points;
        const auto normals_of_element = metrics.normals(face.element);
        const auto points_of_element  = points.positions(face.element);
        const auto tria_face          = space.order.cells[face.element]->face(face.cell_face);
        AssertThrow(!condition.curved || is_curved<dim>(tria_face),
                    dealii::ExcMessage(
                      "Boundary id " + std::to_string(face.id) +
                      " is a curved wall, but its faces have no manifold that says how it is "
                      "curved. Give it one (in a parameter file by Mesh/Manifolds, in a program by "
                      "attach_manifold()), or make it a wall."));
        for (unsigned int q = 0; q < n_points; ++q)
          {
            const unsigned int           i     = face.face * n_points + q;
            const dealii::Point<dim>    &point = points_of_element[i];
            const dealii::Tensor<1, dim> normal =
              normals_of_element[i] / normals_of_element[i].norm();
            if (has_data)
              rows.back().points.push_back(point);
            dealii::Tensor<1, dim> n = normal;
            if (condition.curved)
              {
                n = tria_face->get_manifold().normal_vector(tria_face, point);
                if (n * normal < 0)
                  n *= -1.;
              }
            for (unsigned int d = 0; d < dim; ++d)
              components.push_back(n[d]);
          }
      }
    faces   = Memory<BoundaryFaceData>(space.device, records);
    data    = Memory<Number>(space.device, n_data);
    normals = Memory<Number>(space.device, components);
    for (const Row &row : rows)
      fillings.push_back({PointValues<dim, Number>(*row.data, row.points, space.device),
                          data.data() + row.start,
                          row.data->primitive});
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_boundary(
    const BoundaryConditions<dim> &conditions)
  {
    const unsigned int n_inside = second_order
                                    ? (1 + dim) * n_components + has_artificial_viscosity() + 1
                                    : BoundaryCondition<dim>().n_data(n_components);
    on_all_ranks(space->order.triangulation.get_communicator(), [&]() {
      boundary              = std::make_shared<Boundary>(*space, conditions, law, n_inside);
      second_order_boundary = boundary;
      if (second_order && second_order_space->reference.face_points != space->reference.face_points)
        second_order_boundary = std::make_shared<Boundary>(
          *second_order_space, conditions, law, n_inside, MetricForm::cross_product);
    });
    const auto make_room = [&](const std::size_t n_faces, const auto &of, const unsigned int n) {
      return Memory<Number>(device(),
                            device().is_cuda() ? n_faces * of.reference.n_face_points() * n : 0);
    };
    const std::size_t n_faces = boundary->faces.size();
    boundary_states           = make_room(n_faces + given_neighbors.size(), *space, n_components);
    boundary_terms =
      second_order ? make_room(n_faces, *second_order_space, 2 * n_components) : Memory<Number>();
  }

  template <int dim, typename Law, typename Number>
  StatesAcross<Number>
  ConservationLawOperator<dim, Law, Number>::states_across()
  {
    check_set_up();
    const ReferenceElement<dim> &reference = space->reference;
    return {boundary->data.data(),
            boundary->first,
            second_order,
            trace_constant(reference.is_simplex(), dim, degree) / reference.reference_cell.volume(),
            false,
            {},
            has_artificial_viscosity() ? viscosities.data() : nullptr};
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_given_faces()
  {
    const FaceConnectivity<dim> &connectivity = space->connectivity;
    const unsigned int           n_faces      = space->reference.n_faces;
    std::vector<FaceRecord>      neighbors, faces;
    if (!connectivity.unmatched_elements.empty() &&
        !kernels.all([](const auto &of_kind) { return !of_kind.takes_given_faces(); }))
      {
        faces.resize(static_cast<std::size_t>(space->order.first_ghost()) * n_faces);
        for (unsigned int e = 0; e < space->order.first_ghost(); ++e)
          for (unsigned int f = 0; f < n_faces; ++f)
            {
              FaceRecord &face = faces[point_index(e, f, n_faces, 1)];
              face             = connectivity.face(space->element_or_last(e), f);
              if (face.kind == FaceKind::interior && face.face != f)
                {
                  neighbors.push_back(face);
                  face.kind     = FaceKind::boundary;
                  face.neighbor = connectivity.boundary_faces.size() + neighbors.size() - 1;
                }
            }
      }
    given_neighbors  = Memory<FaceRecord>(device(), neighbors);
    faces_with_given = Memory<FaceRecord>(device(), faces);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_fields(const FieldFunction<dim> &function)
  {
    AssertThrow(function.empty()
                  ? Law::n_fields == 0
                  : function.n_components() == static_cast<unsigned int>(Law::n_fields),
                dealii::ExcMessage(
                  "The law " + std::string(Law::name) + " has " + std::to_string(Law::n_fields) +
                  " coefficient fields; " +
                  (function.empty() ? "none" : std::to_string(function.n_components())) +
                  " are given."));
    field_fillings.clear();
    if (Law::n_fields == 0)
      return;

    const auto points = space->volume_points(), face_points = space->face_points();
    volume_fields = Memory<Number>(device(), points.size() * Law::n_fields);
    face_fields   = Memory<Number>(device(), face_points.size() * Law::n_fields);
    field_fillings.push_back({{function, points, device()}, volume_fields.data(), false});
    field_fillings.push_back({{function, face_points, device()}, face_fields.data(), false});
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_source(const FieldFunction<dim> &function)
  {
    projection_of_source.reset();
    source = Vector<Number>();
    if (function.empty())
      return;
    AssertThrow(function.n_components() == n_components,
                dealii::ExcMessage("The source of " + std::string(Law::name) + " has " +
                                   std::to_string(function.n_components()) + " components, but " +
                                   std::to_string(n_components) + " are needed."));
    projection_of_source = std::make_unique<const Projection>(*space, function, false);
    initialize_vector(source);
  }

  template <int dim, typename Law, typename Number>
  ConservationLawOperator<dim, Law, Number>::Projection::Projection(
    const ElementSpace<dim, Number> &space,
    const FieldFunction<dim>        &function,
    const bool                       primitive)
    : values(space.device, space.volume_points().size() * n_components)
    , filling{{function, space.volume_points(), space.device}, values.data(), primitive}
    , volumes(space,
              n_components,
              [](const ElementMetrics<dim> &metrics, const unsigned int e) {
                return metrics.determinants(e);
              })
    , inverse_mass(space)
  {}

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::project(const Projection    &projection,
                                                     const TimeState     *time,
                                                     const double         fraction,
                                                     const ProjectionMass mass,
                                                     Vector<Number>      &u) const
  {
    Number *values = projection.filling.target;
    fill(projection.filling, time, fraction);
    projection.volumes.multiply(device(), values);
    on_device().project(arguments().tables, n_elements(), values, u.data());
    if (mass == ProjectionMass::of_scheme)
      projection.inverse_mass.adjust(u);
    else
      projection.inverse_mass.solve(u);
  }

  template <int dim, typename Law, typename Number>
  Memory<TimeState>
  ConservationLawOperator<dim, Law, Number>::time_of(const FieldFunction<dim>   &function,
                                                     const std::optional<double> time) const
  {
    TimeState state;
    state.time = function.time_at(time);
    return Memory<TimeState>(device(), std::vector<TimeState>(1, state));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::fill(const Filling   &filling,
                                                  const TimeState *time,
                                                  const double     fraction) const
  {
    filling.values.evaluate(time, fraction, filling.target);
    if (filling.primitive)
      on_device().primitive_to_conserved(law, filling.values.n_points(), filling.target);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::fill_time_dependent(
    const std::vector<Filling> &fillings,
    const TimeState            *time,
    const double                fraction) const
  {
    for (const Filling &filling : fillings)
      if (filling.values.function.depends_on_time())
        fill(filling, time, fraction);
  }

  template <int dim, typename Law, typename Number>
  bool
  ConservationLawOperator<dim, Law, Number>::runs_on_device() const
  {
    check_set_up();
    if (!traces->on_device())
      return false;
    const auto needs_host = [](const Filling &filling) {
      return filling.values.function.depends_on_time() && !filling.values.runs_on_device();
    };
    for (const auto *fillings : all_fillings())
      if (std::any_of(fillings->begin(), fillings->end(), needs_host))
        return false;
    return !(projection_of_source && needs_host(projection_of_source->filling));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::initialize_vector(Vector<Number> &vector) const
  {
    check_set_up();
    vector = space->make_vector();
  }

  template <int dim, typename Law, typename Number>
  TimeClock
  ConservationLawOperator<dim, Law, Number>::make_clock(const TimeState &start) const
  {
    check_set_up();
    return TimeClock(device(),
                     space->connectivity.boundary_faces.size(),
                     n_components,
                     start,
                     space->mesh->partition);
  }

  template <int dim, typename Law, typename Number>
  TimeClock
  ConservationLawOperator<dim, Law, Number>::make_clock(const TimeClock &other) const
  {
    check_set_up();
    TimeClock clock(other,
                    space->connectivity.boundary_faces.size(),
                    n_components,
                    space->mesh->partition);
    check_clock(clock); // that it is on the same device
    return clock;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::check_set_up() const
  {
    AssertThrow(space != nullptr,
                dealii::ExcMessage("The operator of the law " + std::string(Law::name) +
                                   " has no mesh yet: call its reinit() first."));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::check_vector(const Vector<Number> &vector,
                                                          const std::string    &name,
                                                          const bool may_be_on_host) const
  {
    check_set_up();
    VectorLayout expected = space->layout();
    if (may_be_on_host && vector.device() == Device::cpu())
      expected.device = Device::cpu();
    AssertThrow(vector.layout() == expected,
                dealii::ExcMessage("The vector '" + name + "' has " +
                                   vector.layout().description() + ", but the " + Law::name +
                                   " operator has " + expected.description() +
                                   ". Make it with initialize_vector()."));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::check_clock(const TimeClock &clock) const
  {
    check_set_up();
    AssertThrow(clock.n_components() == n_components &&
                  clock.n_boundary_faces() == space->connectivity.boundary_faces.size() &&
                  clock.device() == device(),
                dealii::ExcMessage("The clock does not fit the operator of the law " +
                                   std::string(Law::name) +
                                   ": number of components, boundary faces or device differ. Make "
                                   "it with make_clock() after the operator's reinit()."));
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::project(const FieldFunction<dim>   &function,
                                                     Vector<Number>             &u,
                                                     const std::optional<double> time,
                                                     const ProjectionMass        mass) const
  {
    check_vector(u, "u");
    AssertThrow(!function.empty() && function.n_components() == n_components,
                dealii::ExcMessage("The initial state needs " + std::to_string(n_components) +
                                   " components."));
    const Projection projection(*space, function, function.primitive);
    project(projection, time_of(function, time).data(), 0., mass, u);
    on_all_ranks(space->mesh->order.triangulation.get_communicator(), [&]() {
      projection.filling.values.check_finite(projection.filling.target, "projected function");
    });
  }

  template <int dim, typename Law, typename Number>
  StageArguments<Law, Number>
  ConservationLawOperator<dim, Law, Number>::arguments() const
  {
    StageArguments<Law, Number> arg;
    arg.law             = law;
    arg.tables          = space->element_tables();
    arg.mesh            = space->mesh_arrays();
    arg.stored          = space->stored_arrays();
    arg.boundary        = boundary->arrays();
    arg.boundary.states = boundary_states.data();
    arg.given.n         = given_neighbors.size();
    arg.given.neighbors = given_neighbors.data();
    arg.given.faces     = arg.given.n > 0 ? faces_with_given.data() : arg.mesh.faces;
    arg.hanging         = hanging->arrays();
    arg.fields.volume   = volume_fields.data();
    arg.fields.face     = face_fields.data();
    return arg;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::run_stage(TimeClock               &clock,
                                                       const StageCoefficients &coefficients,
                                                       const double            *dt,
                                                       const Vector<Number>    &u,
                                                       const Vector<Number>    &base,
                                                       Vector<Number>          &accumulator,
                                                       Vector<Number>          &out) const
  {
    check_clock(clock);
    check_vector(u, "u");
    check_vector(out, "out");
    AssertThrow(&u != &out, dealii::ExcMessage("A stage cannot work in place."));
    for (const auto *fillings : all_fillings())
      fill_time_dependent(*fillings, clock.time(), coefficients.time);
    auto arg                   = arguments();
    arg.boundary.outflow       = clock.outflow_data();
    arg.coefficients           = coefficients;
    arg.u                      = u.data();
    arg.base                   = base.data();
    arg.accumulator            = accumulator.data();
    arg.out                    = out.data();
    arg.second_order_terms     = second_order_terms.data();
    arg.time                   = clock.time();
    arg.dt                     = dt;
    arg.failure                = clock.failure();
    const auto &whole          = on_device();
    const auto  hanging_fluxes = [&](const bool with_ghosts) {
      if (!whole.set_hanging_fluxes(arg, with_ghosts))
        set_hanging_fluxes(device(), arg, with_ghosts);
    };
    const auto stage = [&](const MeshArrays<Number> &mesh, const RangeLaunch launch) {
      arg.mesh   = mesh;
      arg.launch = launch;
      if (launch.after_messages)
        hanging_fluxes(true);
      if (!hanging->empty())
        arg.mesh.faces = hanging->records();
      kernels[mesh].stage(arg);
    };
    SecondOrderArguments<Law, Number> second{
      arg, viscosity_arrays(), int(degree), hanging_gradients.arrays(), boundary_terms.data()};
    if (second_order)
      {
        second.tables           = second_order_space->element_tables();
        second.stored           = second_order_space->stored_arrays();
        second.boundary         = second_order_boundary->arrays();
        second.boundary.outflow = arg.boundary.outflow;
      }
    const auto set_second_order_terms = [&](const MeshArrays<Number> &mesh,
                                            const RangeLaunch         launch) {
      second.mesh   = mesh;
      second.launch = launch;
      if (launch.after_messages)
        set_hanging_gradients(device(), second, true);
      if (!hanging->empty())
        second.mesh.faces = hanging->records();
      second_order_kernels[mesh].apply(second);
    };
    const auto begin = [&]() {
      whole.begin_stage(arg);
      hanging_fluxes(false);
      if (second_order)
        set_hanging_gradients(device(), second, false);
    };
    if (second_order)
      {
        space->for_ranges(*traces, u, begin, set_second_order_terms);
        hanging_fluxes(true);
        space->for_all_ranges([&](const MeshArrays<Number> &mesh, const RangeLaunch) {
          stage(mesh, {false, false, false}); // it waits for the terms
        });
      }
    else
      space->for_ranges(*traces, u, begin, stage);
    whole.end_stage(arg);
    if (projection_of_source)
      add_source(clock, coefficients, dt, accumulator, out);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::add_source(TimeClock               &clock,
                                                        const StageCoefficients &coefficients,
                                                        const double            *dt,
                                                        Vector<Number>          &accumulator,
                                                        Vector<Number>          &out) const
  {
    if (projection_of_source->filling.values.function.depends_on_time())
      project(
        *projection_of_source, clock.time(), coefficients.time, ProjectionMass::of_scheme, source);
    StageCoefficients more;
    more.A = more.a = 1.;
    more.w          = coefficients.w;
    more.c          = coefficients.c + coefficients.d * coefficients.w;
    update(more, dt, nullptr, source, out, out, accumulator, out);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::update(const StageCoefficients &coefficients,
                                                    const double            *dt,
                                                    const Number            *steps,
                                                    const Vector<Number>    &r,
                                                    const Vector<Number>    &u,
                                                    const Vector<Number>    &base,
                                                    Vector<Number>          &accumulator,
                                                    Vector<Number>          &out) const
  {
    launch(device(),
           n_elements(),
           ElementOperation::UpdateStage<Number>{ElementOperation::ComponentRows::of(
                                                   u.layout().coefficients()),
                                                 {coefficients, 1.},
                                                 coefficients.has_base,
                                                 coefficients.accumulates(),
                                                 coefficients.reads_accumulator(),
                                                 dt,
                                                 steps,
                                                 r.data(),
                                                 u.data(),
                                                 base.data(),
                                                 accumulator.data(),
                                                 out.data()});
  }

  template <int dim, typename Law, typename Number>
  StepSizeArguments<Law, Number>
  ConservationLawOperator<dim, Law, Number>::step_size_arguments(TimeClock            &clock,
                                                                 const Vector<Number> &u) const
  {
    const auto                     arg = arguments();
    StepSizeArguments<Law, Number> step;
    step.law         = law;
    step.tables      = arg.tables;
    step.mesh        = arg.mesh;
    step.stored      = arg.stored;
    step.boundary    = arg.boundary;
    step.fields      = arg.fields;
    step.hanging     = arg.hanging;
    step.degree      = degree;
    step.u           = u.data();
    step.viscosities = viscosity_arrays();
    step.time        = clock.time();
    step.failure     = clock.failure();
    if (!hanging->empty())
      step.mesh.faces = hanging->records();
    return step;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::choose_viscosities(TimeClock            &clock,
                                                                const Vector<Number> &u) const
  {
    check_clock(clock);
    check_vector(u, "u");
    if (!has_artificial_viscosity())
      return;
    fill_time_dependent(field_fillings, clock.time(), 0.);
    on_device().set_viscosities(
      {step_size_arguments(clock, u), artificial_viscosity, viscosities.data()});
    if (viscosity_exchange)
      viscosity_exchange->run(viscosities);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_viscosities(TimeClock            &clock,
                                                             const Vector<Number> &u) const
  {
    choose_viscosities(clock, u);
    if (vertex_maxima)
      vertex_maxima->run({viscosities.data()}, {viscosities_at_points.data()});
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::stage(TimeClock               &clock,
                                                   const StageCoefficients &coefficients,
                                                   const Vector<Number>    &u,
                                                   const Vector<Number>    &base,
                                                   Vector<Number>          &accumulator,
                                                   Vector<Number>          &out) const
  {
    check_clock(clock);
    if (coefficients.has_base)
      check_vector(base, "base");
    if (coefficients.accumulates())
      check_vector(accumulator, "accumulator");
    if (steps.size() > 0)
      local_stage(clock, coefficients, u, base, accumulator, out);
    else
      run_stage(clock, coefficients, &clock.time()->dt, u, base, accumulator, out);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::local_stage(TimeClock               &clock,
                                                         const StageCoefficients &coefficients,
                                                         const Vector<Number>    &u,
                                                         const Vector<Number>    &base,
                                                         Vector<Number>          &accumulator,
                                                         Vector<Number>          &out) const
  {
    Vector<Number> none;
    run_stage(clock, residual_stage(coefficients.time), one.data(), u, none, none, residual);
    update(coefficients, &clock.time()->dt, steps.data(), residual, u, base, accumulator, out);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::apply(TimeClock            &clock,
                                                   const Vector<Number> &u,
                                                   Vector<Number>       &r,
                                                   const double          fraction) const
  {
    set_viscosities(clock, u);
    residual_at(clock, u, r, fraction);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::residual_at(TimeClock            &clock,
                                                         const Vector<Number> &u,
                                                         Vector<Number>       &r,
                                                         const double          fraction) const
  {
    Vector<Number> none;
    run_stage(clock, residual_stage(fraction), one.data(), u, none, none, r);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::begin_step(TimeClock            &clock,
                                                        const Vector<Number> &u,
                                                        const Limiter         limiter) const
  {
    set_viscosities(clock, u);
    set_step_size(clock, u, limiter);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_step_size(TimeClock            &clock,
                                                           const Vector<Number> &u,
                                                           const Limiter         limiter) const
  {
    check_clock(clock);
    check_vector(u, "u");
    if (!has_artificial_viscosity()) // which has filled them
      fill_time_dependent(field_fillings, clock.time(), 0.);
    auto arg  = step_size_arguments(clock, u);
    arg.steps = steps.size() > 0 ? steps.data() : nullptr;
    if (limiter == Limiter::positivity)
      arg.at_points = at_points.data();
    on_device().step_size(arg);
    clock.agree_on_step();
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::end_step(TimeClock &clock) const
  {
    check_clock(clock);
    on_device().finish_step(clock.time());
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::limit(Vector<Number> &u, const Limiter limiter) const
  {
    check_set_up();
    check_vector(u, "u");
    if (limiter == Limiter::none)
      return;
    const auto                    stage = arguments();
    LimiterArguments<Law, Number> arg{
      law, stage.tables, stage.mesh, stage.stored, stage.hanging, u.data()};
    if (limiter == Limiter::positivity)
      limit_to_positive(arg);
    else if (limiter == Limiter::barth_jespersen)
      {
        AssertThrow(degree == 1,
                    dealii::ExcMessage(
                      "The Barth-Jespersen limiter is for degree 1, not for degree " +
                      std::to_string(degree) + "."));
        AssertThrow(space->mesh->shape.is_simplex(),
                    dealii::ExcMessage("The Barth-Jespersen limiter is for triangles and "
                                       "tetrahedra: on other cells choose the one for positive "
                                       "quantities."));
        AssertThrow(!space->geometry.has_curved_elements,
                    dealii::ExcMessage("The Barth-Jespersen limiter is for affine elements, but "
                                       "the mesh has curved ones."));
        means->run(u);
        arg.to_neighbors = to_neighbors.data();
        on_device().limit(arg);
      }
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::set_up_to_neighbors()
  {
    to_neighbors                           = Memory<Number>();
    const ElementGeometry<dim>  &geometry  = space->geometry;
    const ReferenceElement<dim> &reference = space->reference;
    const dealii::ReferenceCell &cell      = reference.reference_cell;
    constexpr int                n_faces   = Simplex<dim>::n_faces;
    if (degree != 1 || !cell.is_simplex() || geometry.has_curved_elements)
      return;

    // The modes are linear.
    dealii::Tensor<1, dim> gradients[dim];
    for (int m = 0; m < dim; ++m)
      for (int r = 0; r < dim; ++r)
        gradients[m][r] = reference.vertex_values[(r + 1) * reference.n_modes + 1 + m] -
                          reference.vertex_values[1 + m];
    // In space, from the center of a face: this way needs no translation of periodic sides.
    const auto to_centroid = [&](const int element, const int face) {
      return geometry.jacobians[element] *
             (cell.template vertex<dim>(reference.opposite_vertex(face)) -
              cell.template barycenter<dim>()) /
             dim;
    };
    std::vector<Number> values(n_blocks(n_elements()) * block_size * n_faces * dim);
    parallel_for(n_elements(), [&](const int begin, const int end) {
      for (int e = begin; e < end; ++e)
        for (int f = 0; f < n_faces; ++f)
          if (const FaceRecord &across = space->connectivity.face(e, f); !across.at_boundary())
            {
              const dealii::Tensor<1, dim> vector =
                geometry.inverse_jacobians[e] *
                (to_centroid(across.neighbor, across.face) - to_centroid(e, f));
              for (int d = 0; d < dim; ++d)
                values[point_index(e, f * dim + d, n_faces * dim, 1)] = gradients[d] * vector;
            }
    });
    to_neighbors = Memory<Number>(device(), values);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::look_at_all_points() const
  {
    check_set_up();
    at_points.copy_from_host(std::vector<unsigned char>(n_elements(), 1).data());
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::limit_for_children(Vector<Number> &u) const
  {
    check_vector(u, "u");
    const ReferenceElement<dim>    &reference = space->reference;
    const dealii::ReferenceCell    &cell      = reference.reference_cell;
    std::vector<dealii::Point<dim>> points;
    AssertThrow(cell.is_hyper_cube(),
                dealii::ExcMessage("Cells that are refined in places are quadrilaterals or "
                                   "hexahedra."));
    const dealii::Quadrature<dim> rule = cell_quadrature<dim>(cell, 2 * degree);
    for (unsigned int child = 0; child < (1U << dim); ++child)
      for (const dealii::Point<dim> &point : rule.get_points())
        points.push_back(0.5 * (point + cell.template vertex<dim>(child)));
    const auto          table = values_at<dim>(reference.basis.polynomials(), points);
    std::vector<Number> values;
    for (unsigned int q = 0; q < points.size(); ++q)
      for (unsigned int m = 0; m < reference.n_modes; ++m)
        values.push_back(table(q, m));
    const Memory<Number>          on_device_of_this(device(), values);
    const auto                    stage = arguments();
    LimiterArguments<Law, Number> arg{law,
                                      stage.tables,
                                      stage.mesh,
                                      stage.stored,
                                      stage.hanging,
                                      u.data(),
                                      on_device_of_this.data(),
                                      int(points.size())};
    limit_to_positive(arg);
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::limit_to_positive(
    LimiterArguments<Law, Number> &arg) const
  {
    arg.at_points = at_points.data();
    space->for_all_ranges([&](const MeshArrays<Number> &mesh, const RangeLaunch) {
      arg.mesh = mesh;
      if (!hanging->empty())
        arg.mesh.faces = hanging->records();
      kernels[mesh].limit_to_positive(arg);
    });
  }

  template <int dim, typename Law, typename Number>
  StateStatistics
  ConservationLawOperator<dim, Law, Number>::statistics(const Vector<Number> &u) const
  {
    check_vector(u, "u");
    if (!integral_rule)
      integral_rule = std::make_unique<const IntegralRule<dim, Number>>(*space);
    return statistics_by(integral_rule->tables(), integral_rule->stored_arrays(), u);
  }

  template <int dim, typename Law, typename Number>
  StateStatistics
  ConservationLawOperator<dim, Law, Number>::statistics_by(const ElementTables<Number> &tables,
                                                           const StoredArrays<Number>  &stored,
                                                           const Vector<Number>        &u) const
  {
    check_vector(u, "u");
    Memory<double> element_means   = sums->make_array(n_components);
    Memory<double> element_squares = sums->make_array(n_components);
    launch(space->device,
           n_elements(),
           ElementOperation::MeansAndSquares<Number>{int(n_elements()),
                                                     int(space->reference.n_modes),
                                                     int(n_components),
                                                     tables.n_mean_modes,
                                                     tables.mean_weights,
                                                     stored,
                                                     tables.volume_values,
                                                     tables.volume_weights,
                                                     tables.reference_volume,
                                                     u.data(),
                                                     element_means.data(),
                                                     element_squares.data()});
    StateStatistics result;
    result.integrals = sums->sums(n_components, element_means);
    for (double &integral : result.integrals)
      integral *= space->reference.reference_cell.volume();
    result.norms = sums->sums(n_components, element_squares);
    for (double &norm : result.norms)
      norm = std::sqrt(norm);
    for (unsigned int c = 0; c < n_components; ++c)
      {
        const auto [lowest, highest] = sums->range(c, element_means);
        result.minima.push_back(lowest);
        result.maxima.push_back(highest);
      }
    return result;
  }

  template <int dim, typename Law, typename Number>
  std::vector<BoundaryFaceFluxes<Law>>
  ConservationLawOperator<dim, Law, Number>::boundary_fluxes(
    const Vector<Number>                       &u,
    const double                                time,
    const std::set<dealii::types::boundary_id> &ids,
    const FluxRule                              rule) const
  {
    check_vector(u, "u");
    using State                                = typename BoundaryFaceFluxes<Law>::State;
    const ElementSpace<dim, Number> &on_rule   = face_rule(rule);
    const ReferenceElement<dim>     &reference = on_rule.reference;
    const unsigned int               n         = reference.n_face_points();
    const unsigned int               n_modes   = reference.n_modes;
    const bool      is_second_order            = rule == FluxRule::second_order && second_order;
    const Boundary &boundary_of_rule = is_second_order ? *second_order_boundary : *boundary;

    TimeState state;
    state.time = time;
    fill_time_dependent(boundary_of_rule.fillings,
                        Memory<TimeState>(device(), std::vector<TimeState>(1, state)).data(),
                        0.);
    const auto                host         = [](const auto &values) { return values.to_host(); };
    const auto                records      = host(boundary_of_rule.faces);
    const auto                true_normals = host(boundary_of_rule.normals);
    const auto                given        = host(boundary_of_rule.data);
    const std::vector<double> data(given.begin(), given.end());

    SecondOrderArguments<Law, double> arg;
    arg.law                     = law;
    arg.degree                  = degree;
    arg.tables.n_faces          = reference.n_faces;
    arg.tables.reference_volume = reference.reference_cell.volume();
    arg.boundary.faces          = records.data();
    arg.boundary.data           = data.data();
    using Terms                 = SecondOrderTerms<Law, double, double>;
    const Terms terms(arg);

    // As the spaces store them.
    const ElementMetrics<dim> metrics(reference,
                                      space->geometry,
                                      is_second_order && reference.is_simplex()
                                        ? std::optional<MetricForm>(MetricForm::cross_product)
                                        : std::nullopt);
    const ElementPoints<dim>  points(space->geometry, reference.face_points);
    const auto                coefficients = u.entries(); // [e][m][c]

    std::vector<unsigned int>            wanted; // [b]
    std::vector<BoundaryFaceFluxes<Law>> result;
    for (unsigned int b = 0; b < records.size(); ++b)
      if (const auto &face = space->connectivity.boundary_faces[b];
          !face.is_inside() && ids.count(face.id) > 0)
        {
          wanted.push_back(b);
          result.push_back({space->order.cells[face.element], face.cell_face, records[b].kind, {}});
        }
    const auto set = [&](const unsigned int b, BoundaryFaceFluxes<Law> &fluxes) {
      const auto        &face      = space->connectivity.boundary_faces[b];
      const unsigned int e         = face.element;
      const auto         normals   = metrics.normals(e);
      const auto         gradients = metrics.face_gradients(e);
      const auto         positions = points.positions(e);
      const auto         sum       = [&](const double *values) {
        State of_modes{};
        for (unsigned int m = 0; m < n_modes; ++m)
          for (unsigned int c = 0; c < n_components; ++c)
            of_modes[c] +=
              values[m] * coefficients[(std::size_t(e) * n_modes + m) * n_components + c];
        return of_modes;
      };
      for (unsigned int q = 0; q < n; ++q)
        {
          const unsigned int    i      = face.face * n + q;
          const double          length = normals[i].norm();
          typename Terms::Trace trace;
          Array<double, dim>    normal, unit, of_wall;
          trace.value = sum(&reference.face_values[i * n_modes]);
          for (unsigned int d = 0; d < dim; ++d)
            {
              normal[d]  = normals[i][d];
              unit[d]    = normals[i][d] / length;
              of_wall[d] = true_normals[(std::size_t(b) * n + q) * dim + d];
            }
          for (unsigned int r = 0; r < dim; ++r)
            {
              trace.gradient.derivatives[r] =
                sum(&reference.face_gradients[(i * dim + r) * n_modes]);
              for (unsigned int d = 0; d < dim; ++d)
                trace.gradient.directions[r][d] = gradients[i][r][d];
            }
          typename BoundaryFaceFluxes<Law>::Point point{
            positions[i],
            normals[i] / length,
            reference.face_weights[q] * length * space->geometry.volume_factors[e],
            trace.value,
            arg.boundary.template data_at<n_components>(b, q),
            {},
            {}};
          if constexpr (Law::n_fields == 0)
            point.first_order = law.numerical_flux(
              trace.value,
              law.boundary_state(records[b].kind, trace.value, point.data, of_wall),
              Array<double, Law::n_fields>(),
              unit);
          if (second_order)
            {
              State twice_the_jump;
              terms.set_boundary(
                b, q, trace, terms.penalty_factor(1.), normal, point.second_order, twice_the_jump);
              point.second_order = Terms::times(1. / length, point.second_order);
            }
          fluxes.points.push_back(point);
        }
    };
    parallel_for(wanted.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        set(wanted[i], result[i]);
    });
    return result;
  }

  template <int dim, typename Law, typename Number>
  void
  ConservationLawOperator<dim, Law, Number>::check_states(TimeClock &clock) const
  {
    check_clock(clock);
    std::vector<double> values;
    const Failure       failure = clock.take_failure(values);
    // The ranks report the first failure of all. A step size that another rank's failure made NaN
    // comes later.
    double own = TimeState::unlimited;
    if (failure.kind != FailureKind::none)
      own = std::isnan(failure.time) ? 0.5 * TimeState::unlimited : failure.time;
    const double first = -largest_of_ranks(-own);
    if (first == TimeState::unlimited)
      return;
    std::ostringstream message;
    if (own == first)
      {
        Array<double, n_components> state;
        std::copy_n(values.begin(), n_components, &state[0]);
        message << (failure.kind == FailureKind::state ? "Inadmissible state"
                                                       : "Wave speed that is not finite")
                << " of " << Law::name << " at time " << failure.time << " in the cell at ("
                << space->order.cells[failure.element]->center() << "), element " << failure.element
                << ":" << state_text(law, state) << ".";
      }
    const std::string of_all = first_of_ranks(space->mesh->partition, message.str());
    AssertThrow(false, InadmissibleState(of_all, first));
  }
} // namespace Saltus

#endif
