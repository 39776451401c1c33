// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/base/device/launch.h>
#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/operators/polytopic/coefficient_checks.h>
#include <saltus/operators/polytopic/space_time_operator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    constexpr int in_prisms = static_cast<int>(PrismPart::volume);

    /// Powers of all modes up to a degree, `[mode][direction]`.
    template <int dim>
    std::vector<unsigned char>
    powers_of_modes(const unsigned int degree, const LegendreFamily family)
    {
      std::vector<unsigned char> powers;
      for_legendre_modes<dim>(degree, family, [&](const int, const Array<int, dim> &of_mode) {
        for (unsigned int d = 0; d < dim; ++d)
          powers.push_back(of_mode[d]);
      });
      return powers;
    }

    /// `[mode of a prism]`: the mode of its element with the same powers in space.
    template <int dim>
    std::vector<int>
    modes_in_space(const unsigned int degree, const LegendreFamily family)
    {
      std::map<std::vector<int>, int> numbers;
      const auto                      key = [](const auto &powers) {
        std::vector<int> result;
        for (unsigned int d = 0; d < dim; ++d)
          result.push_back(powers[d]);
        return result;
      };
      for_legendre_modes<dim>(degree, [&](const int m, const Array<int, dim> &powers) {
        numbers[key(powers)] = m;
      });
      std::vector<int> result;
      for_legendre_modes<dim + 1>(degree,
                                  family,
                                  [&](const int, const Array<int, dim + 1> &powers) {
                                    result.push_back(numbers.at(key(powers)));
                                  });
      return result;
    }

    /// Centres of the cells, ordered by elements and ghosts.
    template <int dim>
    std::vector<Point<dim>>
    centers_by_elements(const PolytopicMesh<dim> &mesh)
    {
      std::vector<Point<dim>> result;
      for (unsigned int e = 0; e < mesh.n_known_elements(); ++e)
        for (const unsigned int c : mesh.cells(e))
          result.push_back(mesh.cell_center(c));
      return result;
    }

    template <int dim>
    std::unique_ptr<const PointValues<dim, double>>
    at_places(const FieldFunction<dim> &function, const Memory<double> &places)
    {
      auto copy = Memory<double>::uninitialized(places.device(), places.size());
      copy.copy_from(places);
      return std::make_unique<const PointValues<dim, double>>(function, std::move(copy));
    }
  } // namespace


  template <int dim>
  void
  SpaceTimeOperator<dim>::reinit(const PolytopicSpace<dim>             &space,
                                 const std::vector<unsigned int>       &n_steps,
                                 const EllipticBoundaryConditions<dim> &conditions,
                                 const Device                           device,
                                 const AdditionalData                  &all_data)
  {
    AssertThrow(conditions.periodic().empty(),
                ExcMessage("Polytopic elements know no periodic boundaries."));
    polytopes           = &space;
    prisms              = std::make_unique<SpaceTimeSlab<dim>>(space.shared_mesh(), n_steps);
    where               = device;
    boundary_conditions = conditions;
    additional_data     = all_data;
    is_made             = false;
    points_of_errors.reset();
    points = SpaceTimePoints<dim>(
      *prisms, space, all_data.family, all_data.in_space.extra_quadrature_degree, device);
    source =
      all_data.source.empty() ? nullptr : at_places(all_data.source, points.in_space.volume.places);
    data.clear();
    places_of_data.clear();
    const Memory<int> on_boundary = points_on_boundary(points.in_space);
    for (std::size_t part = 0; part < points.in_space.boundary_ids.size(); ++part)
      {
        const types::boundary_id  id    = points.in_space.boundary_ids[part];
        const FieldFunction<dim> &given = conditions.at(id, 1).data;
        if (given.empty())
          continue;
        Memory<int> there = points_on_boundary(points.in_space, on_boundary, part);
        data[id]          = std::make_unique<const PointValues<dim, double>>(
          given, places_of_points(points.in_space.faces, there));
        places_of_data[id] = std::move(there);
      }

    const unsigned int degree = space.max_degree(), n_elements = space.mesh().n_elements();
    scales = Memory<double>::uninitialized(device, n_elements);
    launch(device, n_elements, MakeScales<dim>{boxes_in_space(), scales.data()});
    numbers_in_space = modes_in_space<dim>(degree, all_data.family);
    numbers_there    = Memory<int>(device, numbers_in_space);
    powers = Memory<unsigned char>(device, powers_of_modes<dim + 1>(degree, all_data.family));
    powers_in_space =
      Memory<unsigned char>(device, powers_of_modes<dim>(degree, LegendreFamily::total));
  }


  template <int dim>
  bool
  SpaceTimeOperator<dim>::begin_slab(const double begin, const double length)
  {
    AssertThrow(length > 0.,
                ExcMessage("A slab of space and time cannot have the length " +
                           std::to_string(length) + "."));
    const auto &of_form = additional_data.in_space;
    const bool  varies =
      (!of_form.diffusion.field.empty() && of_form.diffusion.field.depends_on_time()) ||
      (!of_form.reaction.field.empty() && of_form.reaction.field.depends_on_time()) ||
      (!of_form.velocity.empty() && of_form.velocity.depends_on_time());
    const bool is_same = is_made && length == slab_length && !varies;
    slab_begin         = begin;
    slab_length        = length;
    if (!is_same)
      on_all_ranks(communicator(), [&]() { make_form(); });
    is_made = true;
    return !is_same;
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::make_form()
  {
    form.release();
    const PolytopicCoefficients in_elements = coefficients(false), on_faces = coefficients(true);
    const Memory<FacetRecord>   facets    = facet_records(*polytopes,
                                                     points.in_space,
                                                     boundary_conditions,
                                                     additional_data.in_space.penalty,
                                                     additional_data.in_space.penalty_factor);
    PolytopicPoints<dim + 1>    numbers   = points.numbering();
    const auto                  in_cells  = points.in_cells(slab_length, numbers);
    const auto                  on_facets = points.on_facets(slab_length, facets, numbers);
    check(form.reinit(points.boxes(slab_length),
                      points.degrees(),
                      polytopes->common_degree(),
                      std::move(numbers),
                      in_cells,
                      on_facets,
                      in_elements,
                      on_faces,
                      additional_data.family));
  }


  template <int dim>
  typename SpaceTimeOperator<dim>::Components
  SpaceTimeOperator<dim>::of_diffusion(const int n_in)
  {
    Components result{n_in, {}, {}};
    int        i = 0;
    for (int d = 0; d <= dim; ++d)
      for (int e = d; e <= dim; ++e)
        {
          const bool in_space = e < dim;
          const int  tensor   = in_space ? i++ : -1;
          result.from.push_back(n_in > 1 ? tensor : in_space && d == e ? 0 : -1);
          result.constants.push_back(0.);
        }
    return result;
  }


  template <int dim>
  typename SpaceTimeOperator<dim>::Components
  SpaceTimeOperator<dim>::of_velocity()
  {
    Components result{dim, std::vector<int>(dim + 1), std::vector<double>(dim + 1, 0.)};
    std::iota(result.from.begin(), result.from.end(), 0);
    result.from[dim]      = -1;
    result.constants[dim] = 1.;
    return result;
  }


  template <int dim>
  PolytopicCoefficients
  SpaceTimeOperator<dim>::coefficients(const bool on_faces) const
  {
    const auto           &of_form     = additional_data.in_space;
    constexpr int         n_diffusion = VolumePoint<dim, double>::n_diffusion;
    PolytopicCoefficients result;
    result.evolves = true;
    result.diffusion =
      coefficient(of_form.diffusion,
                  on_faces,
                  on_faces,
                  "diffusion",
                  of_diffusion(
                    of_form.diffusion.field.empty()
                      ? 1
                      : check_components(of_form.diffusion.field, "diffusion", n_diffusion)));
    if (!on_faces)
      {
        if (!of_form.reaction.field.empty())
          check_components(of_form.reaction.field, "reaction", 1);
        result.reaction =
          coefficient(of_form.reaction, on_faces, false, "reaction", {1, {0}, {0.}});
      }
    if (of_form.velocity.empty())
      result.velocity = {dim + 1,
                         PointCoefficient::Place::everywhere,
                         Memory<double>(where, of_velocity().constants)};
    else
      {
        check_velocity(of_form.velocity);
        result.velocity =
          coefficient(EllipticCoefficient<dim>(of_form.velocity, Sampling::by_point),
                      on_faces,
                      false,
                      "velocity",
                      of_velocity());
      }
    return result;
  }


  template <int dim>
  PolytopicCoefficient
  SpaceTimeOperator<dim>::coefficient(const EllipticCoefficient<dim> &coefficient,
                                      const bool                      on_faces,
                                      const bool                      jumps,
                                      const std::string              &name,
                                      const Components               &components) const
  {
    using Place     = PointCoefficient::Place;
    const int n_out = components.from.size();
    coefficient.check_no_materials(name);
    PolytopicCoefficient result;
    result.n_components = n_out;
    if (coefficient.field.empty())
      {
        check_constant(coefficient.constant, name);
        std::vector<double> values(components.constants);
        for (int c = 0; c < n_out; ++c)
          if (components.from[c] >= 0)
            values[c] = coefficient.constant;
        result.values = Memory<double>(where, values);
      }
    else if (coefficient.sampling == Sampling::by_element)
      {
        result.place  = Place::cells;
        result.values = Memory<double>::uninitialized(where, points.n_cells() * n_out);
        const PointValues<dim, double> function(coefficient.field,
                                                centers_by_elements(polytopes->mesh()),
                                                where);
        spread(&function,
               points.middles,
               static_cast<int>(PrismPart::middles),
               components,
               name,
               result.values);
      }
    else if (on_faces)
      {
        const unsigned int n_sides  = jumps ? 2 : 1;
        const std::size_t  n        = points.faces.size();
        result.place                = Place::points;
        result.outside              = jumps ? n : 0;
        result.values               = Memory<double>::uninitialized(where, n_sides * n * n_out);
        const Memory<double> beside = jumps ? places_beside(points.in_space) : Memory<double>();
        const auto           function =
          at_places(coefficient.field, jumps ? beside : points.in_space.faces.places);
        spread(function.get(),
               points.faces,
               PrismPart::interfaces | PrismPart::boundary,
               components,
               name,
               result.values,
               n_sides);
        // Where prisms begin, only the velocity in time counts.
        spread(nullptr,
               points.faces,
               PrismPart::ends | PrismPart::bottom,
               {1, std::vector<int>(n_out, -1), components.constants},
               name,
               result.values,
               n_sides);
      }
    else
      {
        result.place        = Place::points;
        result.values       = Memory<double>::uninitialized(where, points.volume.size() * n_out);
        const auto function = at_places(coefficient.field, points.in_space.volume.places);
        spread(function.get(), points.volume, in_prisms, components, name, result.values);
      }
    return result;
  }


  template <int dim>
  Memory<double>
  SpaceTimeOperator<dim>::values_at(const PointValues<dim, double> &function,
                                    const double                    time,
                                    const std::string              &name) const
  {
    TimeState state;
    state.time = slab_begin;
    state.dt   = slab_length;
    const Memory<TimeState> there(where, std::vector<TimeState>(1, state));
    auto                    values =
      Memory<double>::uninitialized(where, function.n_points() * function.function.n_components());
    if (function.n_points() == 0)
      return values;
    function.evaluate(there.data(), time, values.data());
    function.check_finite(values.data(), name);
    return values;
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::spread(const PointValues<dim, double> *function,
                                 const PrismPieces              &pieces,
                                 const int                       parts,
                                 const Components               &components,
                                 const std::string              &name,
                                 Memory<double>                 &out,
                                 const unsigned int              n_sides) const
  {
    if (function == nullptr)
      spread(Memory<double>(), pieces, parts, nullptr, components, out, n_sides);
    else if (!function->function.depends_on_time())
      spread(values_at(*function, 0., name), pieces, parts, nullptr, components, out, n_sides);
    else
      for (const double time : pieces.times(parts))
        spread(values_at(*function, time, name), pieces, parts, &time, components, out, n_sides);
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::spread(const Memory<double> &values,
                                 const PrismPieces    &pieces,
                                 const int             parts,
                                 const double         *time,
                                 const Components     &components,
                                 Memory<double>       &out,
                                 const unsigned int    n_sides) const
  {
    SpreadValues<dim> work;
    work.pieces    = pieces.arrays();
    work.parts     = parts;
    work.each_time = time != nullptr;
    work.time      = time != nullptr ? *time : 0.;
    work.n_in      = components.n_in;
    work.n_out     = components.from.size();
    std::copy(components.from.begin(), components.from.end(), work.from);
    std::copy(components.constants.begin(), components.constants.end(), work.constants);
    for (unsigned int side = 0; side < n_sides; ++side)
      {
        work.values = values.data() + side * (values.size() / n_sides);
        work.out    = out.data() + side * (out.size() / n_sides);
        launch(where, pieces.size(), work);
      }
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::check(const PolytopicFailureRecord &what) const
  {
    check_values<dim>(
      what,
      polytopes->mesh(),
      points.in_space.facets,
      points.in_space.boundary_ids,
      [&](const unsigned int owner) { return points.cell_in_space(owner); },
      [&](const unsigned int owner) { return points.facet_in_space(owner); });
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::initialize_vector(Vector<double> &vector) const
  {
    vector = sparsity()->template vector<double>(where);
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::initialize_trace(Vector<double> &trace) const
  {
    trace = points.in_space.sparsity->template vector<double>(where);
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::assemble(BlockCSRMatrix<double> &matrix) const
  {
    form.assemble(matrix, additional_data.in_space.assembly);
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::right_hand_side(Vector<double> &b, const Vector<double> &at_bottom) const
  {
    Memory<double> values, on_faces;
    on_all_ranks(communicator(), [&]() {
      if (source)
        {
          values = Memory<double>::uninitialized(where, points.volume.size());
          spread(source.get(), points.volume, in_prisms, {1, {0}, {0.}}, "source term", values);
        }
      on_faces = boundary_data(at_bottom);
    });
    form.load(b, values, on_faces);
  }


  template <int dim>
  Memory<double>
  SpaceTimeOperator<dim>::boundary_data(const Vector<double> &at_bottom) const
  {
    Memory<double> result(where, points.faces.size());
    add_at_bottom(at_bottom, result);
    if (data.empty())
      return result;
    constexpr int  on_boundary = static_cast<int>(PrismPart::boundary);
    const bool     each_time   = std::any_of(data.begin(), data.end(), [](const auto &of_id) {
      return of_id.second->function.depends_on_time();
    });
    Memory<double> in_space(where, points.in_space.faces.size()); // of all faces
    const auto     add_at = [&](const double time, const bool each_time) {
      for (const auto &[id, function] : data)
        {
          const Memory<double> values =
            values_at(*function, time, "boundary value on boundary " + std::to_string(id));
          launch(where,
                 values.size(),
                 PutValues{places_of_data.at(id).data(), values.data(), in_space.data()});
        }
      spread(
        in_space, points.faces, on_boundary, each_time ? &time : nullptr, {1, {0}, {0.}}, result);
    };
    if (!each_time)
      add_at(0., false);
    else
      for (const double time : points.faces.times(on_boundary))
        add_at(time, true);
    return result;
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::add_at_bottom(const Vector<double> &at_bottom,
                                        Memory<double>       &result) const
  {
    const PointSet<dim> &in_space = points.in_space.volume;
    auto                 values   = Memory<double>::uninitialized(where, in_space.size());
    launch(where,
           in_space.size(),
           ValuesAtPoints<dim>{
             boxes_in_space(),
             {polytopes->degrees().on(where).data(), scales.data(), powers_in_space.data()},
             polytopes->first_dofs().on(where).data(),
             points.in_space.elements.data(),
             in_space.owners.data(),
             in_space.places.data(),
             at_bottom.data(),
             values.data()});
    spread(
      values, points.faces, static_cast<int>(PrismPart::bottom), nullptr, {1, {0}, {0.}}, result);
  }


  template <int dim>
  BoxArrays<dim>
  SpaceTimeOperator<dim>::boxes_in_space() const
  {
    return {polytopes->mesh().box_numbers().on(where).data()};
  }


  template <int dim>
  PrismArrays<dim>
  SpaceTimeOperator<dim>::prism_arrays() const
  {
    return {polytopes->degrees().on(where).data(),
            polytopes->first_dofs().on(where).data(),
            sparsity()->first_rows.on(where).data(),
            prisms->first_prisms_of_elements().on(where).data(),
            numbers_there.data(),
            powers.data(),
            additional_data.family,
            slab_length};
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::take_trace(Vector<double> &at_end, const Vector<double> &x) const
  {
    initialize_trace(at_end);
    launch(where,
           polytopes->mesh().n_elements(),
           TakeTrace<dim>{prism_arrays(), x.data(), at_end.data()});
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::extend_trace(Vector<double> &x, const Vector<double> &at_bottom) const
  {
    initialize_vector(x);
    launch(where,
           polytopes->mesh().n_elements(),
           ExtendTrace<dim>{prism_arrays(), at_bottom.data(), x.data()});
  }


  template <int dim>
  void
  SpaceTimeOperator<dim>::project(Vector<double> &trace, const FieldFunction<dim> &function) const
  {
    EllipticBoundaryConditions<dim> no_conditions; // without diffusion and velocity
    for (const auto id : polytopes->mesh().triangulation().get_boundary_ids())
      no_conditions.set_dirichlet(id);
    typename PolytopicOperator<dim>::AdditionalData identity;
    identity.diffusion               = 0.;
    identity.reaction                = 1.;
    identity.extra_quadrature_degree = additional_data.in_space.extra_quadrature_degree;
    PolytopicOperator<dim> op;
    op.reinit(*polytopes, no_conditions, where, identity);
    BlockCSRMatrix<double> mass(op.sparsity(), where);
    op.assemble(mass);
    const BlockCSRMatrix<double> inverse = inverse_diagonal_blocks(mass);
    Vector<double>               projection, b, correction;
    op.right_hand_side(b, function);
    op.initialize_vector(projection);
    op.initialize_vector(correction);
    // Twice, since polynomials of high degrees are nearly dependent in parts of their boxes.
    for (unsigned int i = 0; i < 2; ++i)
      {
        inverse.vmult(correction, b);
        projection.add(1., correction);
        mass.apply(-1., correction, 1., b, b);
      }
    initialize_trace(trace);
    trace.set_entries(projection.entries());
  }


  template <int dim>
  template <typename Take>
  void
  SpaceTimeOperator<dim>::for_modes(const std::vector<double> &coefficients,
                                    const unsigned int         element,
                                    const Modes               &modes,
                                    const double               time,
                                    const Take                &take) const
  {
    const int n_steps = prisms->n_steps(element), degree = polytopes->degree(element);
    const int step =
      std::max(0, std::min(n_steps - 1, static_cast<int>(std::ceil(time * n_steps)) - 1));
    const auto   interval = prisms->interval(prisms->prism(element, step));
    const double scale    = 1. / std::sqrt(interval.length() * slab_length);
    std::array<double, max_legendre_degree + 1> in_time;
    legendre(degree,
             2. * (time - interval.begin) / interval.length() - 1.,
             [&](const int k, const double value, const double) { in_time[k] = scale * value; });
    const double *first =
      coefficients.data() + sparsity()->first_rows[prisms->prism(element, step)];
    for_legendre_modes<dim + 1>(degree,
                                additional_data.family,
                                [&](const int m, const Array<int, dim + 1> &mode) {
                                  take(first[m] * in_time[mode[dim]], modes[numbers_in_space[m]]);
                                });
  }


  template <int dim>
  double
  SpaceTimeOperator<dim>::value(const std::vector<double> &coefficients,
                                const unsigned int         element,
                                const Point<dim>          &x,
                                const double               time) const
  {
    double sum = 0;
    for_modes(coefficients,
              element,
              polytopes->modes(element, x),
              time,
              [&](const double factor, const auto &mode) { sum += factor * mode.value; });
    return sum;
  }


  template <int dim>
  Tensor<1, dim>
  SpaceTimeOperator<dim>::gradient(const std::vector<double> &coefficients,
                                   const unsigned int         element,
                                   const Point<dim>          &x,
                                   const double               time) const
  {
    Tensor<1, dim> sum;
    for_modes(coefficients,
              element,
              polytopes->modes(element, x),
              time,
              [&](const double factor, const auto &mode) { sum += factor * mode.gradient; });
    return sum;
  }


  template <int dim>
  double
  SpaceTimeOperator<dim>::squared_gradient_error(const Vector<double> &x,
                                                 const Expression     &exact) const
  {
    if (points_of_errors == nullptr)
      {
        points_of_errors = std::make_unique<const PolytopicPoints<dim>>(quadrature_points(
          *polytopes, additional_data.in_space.extra_quadrature_degree + 4, Device::cpu()));
      }
    const PointSet<dim>       &in_space     = points_of_errors->volume;
    const std::vector<double>  coefficients = x.entries();
    const ParsedFunctions<dim> functions(exact);
    const unsigned int         n_elements = polytopes->mesh().n_elements();
    std::vector<double>        sums(n_elements, 0.);
    parallel_for(n_elements, [&](const std::size_t first, const std::size_t last) {
      dealii::Vector<double> there(dim);
      for (std::size_t e = first; e < last; ++e)
        {
          const QGauss<1> rule(polytopes->degree(e) + 2);
          const auto      for_times = [&](const auto &visit) {
            for (unsigned int step = 0; step < prisms->n_steps(e); ++step)
              for (unsigned int i = 0; i < rule.size(); ++i)
                {
                  const auto interval = prisms->interval(prisms->prism(e, step));
                  visit(interval.begin + interval.length() * rule.point(i)[0],
                        slab_length * interval.length() * rule.weight(i));
                }
          };
          for (std::size_t q = in_space.starts.data()[e]; q < in_space.starts.data()[e + 1]; ++q)
            {
              Point<dim> place;
              for (unsigned int d = 0; d < dim; ++d)
                place[d] = in_space.places.data()[q * dim + d];
              const auto modes = polytopes->modes(e, place);
              double     sum   = 0;
              for_times([&](const double time, const double weight) {
                Tensor<1, dim> error;
                for_modes(coefficients, e, modes, time, [&](const double factor, const auto &mode) {
                  error += factor * mode.gradient;
                });
                functions.at(slab_begin + slab_length * time).vector_value(place, there);
                for (unsigned int d = 0; d < dim; ++d)
                  error[d] -= there[d];
                sum += weight * error.norm_square();
              });
              sums[e] += points_of_errors->weights.data()[q] * sum;
            }
        }
    });
    return sum_over_ranks(sparsity()->partition, std::accumulate(sums.begin(), sums.end(), 0.));
  }


  template class SpaceTimeOperator<2>;
} // namespace Saltus
