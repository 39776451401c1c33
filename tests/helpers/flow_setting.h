// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_flow_setting_h
#define saltus_tests_helpers_flow_setting_h

#include <deal.II/base/function_parser.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/dg_element.h>
#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/spaces/function_moments.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/vectors.h>
#include <map>
#include <memory>

/// Meshes, conditions and the oracle with which operators of incompressible flow are compared.
namespace Saltus::Tests
{
  using dealii::FESystem;

  /// The operators, so that tests run through them.
  enum class FlowTerm
  {
    gradient,
    divergence,
    convection,
    transport
  };

  const std::vector<FlowTerm> all_flow_terms = {FlowTerm::gradient,
                                                FlowTerm::divergence,
                                                FlowTerm::convection,
                                                FlowTerm::transport};

  inline std::string
  to_string(const FlowTerm term)
  {
    return term == FlowTerm::gradient     ? "gradient"
           : term == FlowTerm::divergence ? "divergence"
           : term == FlowTerm::convection ? "convection"
                                          : "transport";
  }

  /// What an operator reads and what it gives, of a pair that belongs to velocity and pressure.
  template <typename T>
  const T &
  input(const FlowTerm term, const T &velocity, const T &pressure)
  {
    return term == FlowTerm::gradient ? pressure : velocity;
  }

  template <typename T>
  const T &
  output(const FlowTerm term, const T &velocity, const T &pressure)
  {
    return term == FlowTerm::divergence ? pressure : velocity;
  }

  /// Degrees of freedom of velocities and pressures.
  template <int dim>
  struct FlowDoFs
  {
    static constexpr int dimension = dim;

    explicit FlowDoFs(const Triangulation<dim> &triangulation)
      : velocity(triangulation)
      , pressure(triangulation)
    {}

    dealii::Vector<double>
    random_velocity(const unsigned int seed) const
    {
      return random_vector(velocity.n_dofs(), seed);
    }

    dealii::Vector<double>
    random_pressure(const unsigned int seed) const
    {
      return random_vector(pressure.n_dofs(), seed);
    }

    DoFHandler<dim> velocity, pressure;
  };

  /// The same of one degree on a mesh.
  template <int dim, typename Mesh>
  struct FlowSpaces
    : public Mesh
    , public FlowDoFs<dim>
  {
    using Mesh::mapping, Mesh::triangulation;
    using FlowDoFs<dim>::velocity, FlowDoFs<dim>::pressure;

    using InverseMap = UnitPoints<dim>;

    /// @param of_mesh what the mesh is made from
    template <typename... OfMesh>
    explicit FlowSpaces(const unsigned int degree, const OfMesh &...of_mesh)
      : Mesh(of_mesh...)
      , FlowDoFs<dim>(triangulation)
    {
      const auto fe = dg_element<dim>(triangulation.begin()->reference_cell(), degree);
      velocity.distribute_dofs(FESystem<dim>(*fe, dim));
      pressure.distribute_dofs(*fe);
    }
  };

  template <int dim>
  struct FlowSetting : public FlowSpaces<dim, Box<dim>>
  {
    /// @param n subdivisions of the box in each direction
    explicit FlowSetting(const unsigned int degree,
                         const unsigned int n        = dim == 2 ? 4 : 2,
                         const Vertices     vertices = Vertices::ordered)
      : FlowSpaces<dim, Box<dim>>(degree, n, 0.2, far_corner<dim>(), vertices)
    {}
  };

  /// On a box that is curved at its side 1.
  template <int dim>
  struct CurvedFlowSetting : public FlowSpaces<dim, CurvedBox<dim>>
  {
    explicit CurvedFlowSetting(const unsigned int degree, const unsigned int map_degree = 2)
      : FlowSpaces<dim, CurvedBox<dim>>(degree, dim == 2 ? 5U : 3U, bump_at_side<dim>(), map_degree)
    {}
  };

  /// On quadrilaterals or hexahedra.
  template <int dim>
  struct FlowHypercubes : public FlowSpaces<dim, HypercubeBox<dim>>
  {
    /// @param n subdivisions of the box in each direction
    FlowHypercubes(const unsigned int degree,
                   const Cells        cells,
                   const unsigned int n          = dim == 2 ? 4 : 2,
                   const double       distortion = 0.2)
      : FlowSpaces<dim, HypercubeBox<dim>>(degree, n, cells, far_corner<dim>(), distortion)
    {}
  };

  /// An operator on velocities, which derived classes set up, and the space that knows deal.II's
  /// numbering.
  template <int dim, typename Operator>
  struct VelocityOperator
  {
    VelocityOperator(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                     const DoFHandler<dim>                         &velocity,
                     const Device                                   device)
      : mesh(mesh)
      , degree(velocity.get_fe().degree)
      , space(mesh, velocity, 2 * degree, 2 * degree, device)
    {}

    dealii::Vector<double>
    vmult(const dealii::Vector<double> &u) const
    {
      auto dst = zeros(A);
      A.vmult(dst, copied(space, u));
      return to_dealii(space, dst);
    }

    const std::shared_ptr<const ElementMesh<dim>> mesh;
    const unsigned int                            degree;
    const ElementSpace<dim, double>               space;
    Operator                                      A;
  };

  /// All kinds of conditions on the sides of the box; perhaps its left and right side are one. So
  /// many sets that every kind appears. Data depends on time on the sides up to 3.
  /// @param first_kind with which they begin
  template <int dim>
  std::vector<FlowBoundaryConditions<dim>>
  all_flow_conditions(const bool periodic = false, const unsigned int first_kind = 0)
  {
    constexpr unsigned int                   n_kinds = 4;
    const unsigned int                       begin   = periodic ? 2 : 0;
    std::vector<FlowBoundaryConditions<dim>> result;
    for (unsigned int kind = 0; kind < n_kinds;)
      {
        FlowBoundaryConditions<dim> &conditions = result.emplace_back();
        if (periodic)
          conditions.set_periodic(0, 1);
        for (unsigned int id = begin; id < 2 * dim; ++id, ++kind)
          {
            const std::string t = id < 4 ? "t" : "0.5";
            switch ((first_kind + kind) % n_kinds)
              {
                case 0:
                  conditions.set_velocity(id,
                                          Expression(dim,
                                                     "(1+" + t + ")*cos(x+2*y); y-x*" + t +
                                                       (dim == 3 ? "; x*z+" + t : ""),
                                                     dim));
                  break;
                case 1:
                  conditions.set_outflow(id, Expression(dim, "1+x*y-sin(x+" + t + ")", 1));
                  break;
                case 2:
                  conditions.set_slip(id);
                  break;
                case 3:
                  conditions.set_no_slip(id);
              }
          }
      }
    return result;
  }

  /// Values on the faces of cells, or on parts of them where smaller cells are across.
  template <int dim>
  class PartsOfFaces
  {
    using Cell = typename Triangulation<dim>::active_cell_iterator;

    const dealii::UpdateFlags flags = dealii::update_values | dealii::update_JxW_values |
                                      dealii::update_quadrature_points |
                                      dealii::update_normal_vectors;

  public:
    PartsOfFaces(const dealii::Mapping<dim>        &mapping,
                 const dealii::FiniteElement<dim>  &fe,
                 const dealii::Quadrature<dim - 1> &rule)
      : whole(mapping, fe, rule, flags)
      , rule(rule)
    {}

    /// Call @p body(values, neighbour) for a face, or for its parts.
    template <typename Body>
    void
    for_parts(const Triangulation<dim>            &triangulation,
              const std::vector<PeriodicBoundary> &periodic,
              const Cell                          &cell,
              const unsigned int                   f,
              const Body                          &body)
    {
      if (cell->at_boundary(f) || !cell->neighbor(f)->has_children())
        {
          whole.reinit(cell, f);
          return body(whole, neighbor(triangulation, periodic, cell, f));
        }
      if (!part) // only hypercubes have parts
        part = std::make_unique<dealii::FESubfaceValues<dim>>(whole.get_mapping(),
                                                              whole.get_fe(),
                                                              rule,
                                                              flags);
      for (unsigned int i = 0; i < cell->face(f)->n_children(); ++i)
        {
          part->reinit(cell, f, i);
          body(*part,
               std::optional(
                 Neighbor<dim, Cell>{cell->neighbor_child_on_subface(f, i), 0, Tensor<1, dim>()}));
        }
    }

  private:
    dealii::FEFaceValues<dim>                     whole;
    std::unique_ptr<dealii::FESubfaceValues<dim>> part;
    const dealii::Quadrature<dim - 1>             rule;
  };

  /// The coefficients of a function with at most `dim` components, `[cell][m][c]`, and back.
  template <int dim>
  std::vector<std::vector<Tensor<1, dim>>>
  modes_of_cells(const DoFHandler<dim> &dof_handler, const dealii::Vector<double> &vector)
  {
    std::vector<std::vector<Tensor<1, dim>>> result(
      dof_handler.get_triangulation().n_active_cells());
    for_entries(dof_handler, [&](const auto i, const auto e, const auto m, const auto c) {
      result[e].resize(std::max<std::size_t>(result[e].size(), m + 1));
      result[e][m][c] = vector(i);
    });
    return result;
  }

  template <int dim>
  dealii::Vector<double>
  vector_of_modes(const DoFHandler<dim>                          &dof_handler,
                  const std::vector<std::vector<Tensor<1, dim>>> &modes)
  {
    dealii::Vector<double> vector(dof_handler.n_dofs());
    for_entries(dof_handler, [&](const auto i, const auto e, const auto m, const auto c) {
      vector(i) = modes[e][m][c];
    });
    return vector;
  }

  /// Call @p body(cell, number) for the active cells of one shape.
  template <int dim, typename Body>
  void
  for_cells_of_shape(const Triangulation<dim>    &triangulation,
                     const dealii::ReferenceCell &shape,
                     const Body                  &body)
  {
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->reference_cell() == shape)
        body(cell, cell->active_cell_index());
  }

  /// The oracle: the operators by FEValues, with the other side's values computed at real points.
  /// Gradient and divergence are in strong form, the library's in weak form.
  ///
  /// Integrands over elements are polynomials that the default quadrature integrates exactly. Over
  /// faces they are not, for there are boundary data and, in the local Lax-Friedrichs flux,
  /// absolute values and maxima. But the rules on faces are symmetric, so that the points are the
  /// library's whatever the order of the vertices, and everything agrees up to rounding. (For less
  /// quadrature in elements this holds up to max_symmetric_degree().)
  ///
  /// @tparam Setting FlowSpaces, or the same on a mesh that mixes shapes
  template <int dim, typename Setting = FlowSetting<dim>>
  class FlowAssembly
  {
    using Cell  = typename Triangulation<dim>::active_cell_iterator;
    using Value = Tensor<1, dim>; ///< a velocity, or a pressure and zeros

  public:
    /// @param linear_degree of the rules for gradient and divergence; 0: 2p
    FlowAssembly(const Setting                                     &setting,
                 const FlowBoundaryConditions<dim>                 &conditions,
                 const typename FlowOperators<dim>::AdditionalData &additional_data,
                 const unsigned int                                 linear_degree = 0)
      : setting(setting)
      , unit_points(setting.mapping)
      , conditions(conditions)
      , backflow(additional_data.backflow_stabilization)
      , degree(setting.pressure.get_fe(0).degree)
      , convection_degree(additional_data.convection_degree > 0 ? additional_data.convection_degree
                                                                : 3 * degree)
      , linear_degree(linear_degree > 0 ? linear_degree : 2 * degree)
    {
      for (const auto &[id, condition] : conditions.conditions())
        if (!condition.data.empty())
          {
            auto &parser = data[id];
            parser = std::make_unique<dealii::FunctionParser<dim>>(condition.data.n_components());
            parser->initialize(dealii::FunctionParser<dim>::default_variable_names() + ",t",
                               condition.data.expression->text(),
                               {},
                               true);
          }
      inverse_mass = inverse_masses();
    }

    /// @param u pressure or velocity that is differentiated
    /// @param w velocity that carries it, of transport
    /// @param as_form without the inverse of the mass matrix
    dealii::Vector<double>
    apply(const FlowTerm                term,
          const DataTimes              &times,
          const dealii::Vector<double> &u_vector,
          const dealii::Vector<double> &w_vector,
          const bool                    as_form = false) const
    {
      const Modes u = modes_of_cells(input(term, setting.velocity, setting.pressure), u_vector);
      const Modes w = term == FlowTerm::transport ? modes_of_cells(setting.velocity, w_vector) : u;
      Modes       result(u.size());
      for (const auto &fe : setting.pressure.get_fe_collection())
        add(fe, term, times, u, w, as_form, result);
      return vector_of_modes(output(term, setting.velocity, setting.pressure), result);
    }

  private:
    using Modes = std::vector<std::vector<Value>>; ///< `[cell][m]`

    struct Side
    {
      Value u, w;
    };

    /// Set what becomes of cells with the element @p fe.
    void
    add(const dealii::FiniteElement<dim> &fe,
        const FlowTerm                    term,
        const DataTimes                  &times,
        const Modes                      &u,
        const Modes                      &w,
        const bool                        as_form,
        Modes                            &result) const
    {
      const bool            linear = term == FlowTerm::gradient || term == FlowTerm::divergence;
      const unsigned int    degree = linear ? linear_degree : convection_degree;
      const unsigned int    n      = fe.n_dofs_per_cell();
      dealii::FEValues<dim> volume(setting.mapping,
                                   fe,
                                   cell_quadrature<dim>(fe.reference_cell(), degree),
                                   dealii::update_values | dealii::update_gradients |
                                     dealii::update_JxW_values);
      PartsOfFaces<dim>     faces(setting.mapping, fe, quadrature_on_faces(fe, degree));
      for_cells_of_shape(
        setting.triangulation, fe.reference_cell(), [&](const auto &cell, const auto e) {
          std::vector<Value> sums(n);
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              const Side here = at_point(volume, q, u[e], w[e]);
              Value      strong;
              if (linear)
                {
                  const Tensor<2, dim> slope = gradient(volume, q, u[e]);
                  if (term == FlowTerm::gradient)
                    strong = slope[0];
                  else
                    strong[0] = trace(slope);
                }
              for (unsigned int i = 0; i < n; ++i)
                sums[i] += volume.JxW(q) * (linear ? volume.shape_value(i, q) * strong
                                                   : -(volume.shape_grad(i, q) * here.w) * here.u);
            }
          const auto add_face = [&](const auto &values, const auto &other, const auto id) {
            for (const unsigned int q : values.quadrature_point_indices())
              {
                const Point<dim> x      = values.quadrature_point(q);
                const Value      normal = values.normal_vector(q);
                const Side       inside = at_point(values, q, u[e], w[e]);
                const Value flux = other ? inner_flux(term, inside, at(*other, x, u, w), normal)
                                         : boundary_flux(term, inside, id, x, times, normal);
                for (unsigned int i = 0; i < n; ++i)
                  sums[i] += values.JxW(q) * values.shape_value(i, q) * flux;
              }
          };
          for (const unsigned int f : cell->face_indices())
            faces.for_parts(setting.triangulation,
                            conditions.periodic(),
                            cell,
                            f,
                            [&](const auto &values, const auto &other) {
                              add_face(values, other, cell->face(f)->boundary_id());
                            });
          result[e] = as_form ? sums : times_inverse_mass(e, sums);
        });
    }

    /// Symmetric rules on triangles end before the degree 3p of tetrahedra with p = 5 and 6.
    dealii::Quadrature<dim - 1>
    quadrature_on_faces(const dealii::FiniteElement<dim> &fe, const unsigned int degree) const
    {
      return fe.reference_cell().is_hyper_cube()
               ? dealii::Quadrature<dim - 1>(dealii::QGauss<dim - 1>(degree / 2 + 1))
               : simplex_quadrature<dim - 1>(std::min(degree, max_symmetric_degree<dim - 1>()));
    }

    /// Of one component.
    std::vector<dealii::FullMatrix<double>>
    inverse_masses() const
    {
      std::vector<dealii::FullMatrix<double>> result(setting.triangulation.n_active_cells());
      for (const auto &fe : setting.pressure.get_fe_collection())
        {
          const unsigned int    n = fe.n_dofs_per_cell();
          dealii::FEValues<dim> volume(setting.mapping,
                                       fe,
                                       cell_quadrature<dim>(fe.reference_cell(), 2 * degree),
                                       dealii::update_values | dealii::update_JxW_values);
          for_cells_of_shape(setting.triangulation,
                             fe.reference_cell(),
                             [&](const auto &cell, const auto e) {
                               dealii::FullMatrix<double> &mass = result[e];
                               mass.reinit(n, n);
                               volume.reinit(cell);
                               for (const unsigned int q : volume.quadrature_point_indices())
                                 for (unsigned int i = 0; i < n; ++i)
                                   for (unsigned int j = 0; j < n; ++j)
                                     mass(i, j) += volume.shape_value(i, q) *
                                                   volume.shape_value(j, q) * volume.JxW(q);
                               mass.gauss_jordan();
                             });
        }
      return result;
    }

    std::vector<Value>
    times_inverse_mass(const unsigned int e, const std::vector<Value> &sums) const
    {
      std::vector<Value> result(sums.size());
      for (unsigned int i = 0; i < sums.size(); ++i)
        for (unsigned int j = 0; j < sums.size(); ++j)
          result[i] += inverse_mass[e](i, j) * sums[j];
      return result;
    }

    Side
    at(const Neighbor<dim, Cell> &other, const Point<dim> &x, const Modes &u, const Modes &w) const
    {
      const Point<dim>   unit = unit_points(other.cell, x + other.shift);
      const unsigned int e    = other.cell->active_cell_index();
      const auto        &fe   = element_on(setting.pressure, other.cell->reference_cell());
      Side               side;
      for (unsigned int m = 0; m < u[e].size(); ++m)
        {
          const double phi = fe.shape_value(m, unit);
          side.u += phi * u[e][m];
          side.w += phi * w[e][m];
        }
      return side;
    }

    /// The same in a cell at one of its quadrature points.
    template <typename Values>
    static Side
    at_point(const Values             &values,
             const unsigned int        q,
             const std::vector<Value> &u,
             const std::vector<Value> &w)
    {
      Side side;
      for (unsigned int m = 0; m < u.size(); ++m)
        {
          side.u += values.shape_value(m, q) * u[m];
          side.w += values.shape_value(m, q) * w[m];
        }
      return side;
    }

    /// `[c][d]`
    static Tensor<2, dim>
    gradient(const dealii::FEValues<dim> &values, const unsigned int q, const std::vector<Value> &u)
    {
      Tensor<2, dim> result;
      for (unsigned int m = 0; m < u.size(); ++m)
        result += outer_product(u[m], values.shape_grad(m, q));
      return result;
    }

    /// In strong form its difference from that of the inside.
    static Value
    inner_flux(const FlowTerm term, const Side &inside, const Side &outside, const Value &normal)
    {
      const Value half_jump = 0.5 * (outside.u - inside.u);
      Value       result;
      switch (term)
        {
          case FlowTerm::gradient:
            return half_jump[0] * normal;
          case FlowTerm::divergence:
            result[0] = half_jump * normal;
            return result;
          case FlowTerm::convection:
          case FlowTerm::transport:
            const double speed = inside.w * normal, beyond = outside.w * normal;
            const double lambda = (term == FlowTerm::convection ? 2. : 1.) *
                                  std::max(std::abs(speed), std::abs(beyond));
            return 0.5 * (speed * inside.u + beyond * outside.u) - lambda * half_jump;
        }
      return result;
    }

    Value
    boundary_flux(const FlowTerm                   term,
                  const Side                      &inside,
                  const dealii::types::boundary_id id,
                  const Point<dim>                &x,
                  const DataTimes                 &times,
                  const Value                     &normal) const
    {
      const FlowBoundary kind  = conditions.at(id).kind;
      const Value        given = given_at(id, x, times);
      Value              result;
      switch (term)
        {
          case FlowTerm::gradient:
            return kind == FlowBoundary::outflow ? (given[0] - inside.u[0]) * normal : result;
          case FlowTerm::divergence:
            result[0] = kind == FlowBoundary::velocity ? (given - inside.u) * normal
                        : kind == FlowBoundary::slip   ? -inside.u * normal
                                                       : 0.;
            return result;
          case FlowTerm::convection:
          case FlowTerm::transport:
            if (kind == FlowBoundary::outflow)
              {
                const double speed = inside.w * normal;
                return (speed - backflow * std::min(speed, 0.)) * inside.u;
              }
            const auto mirrored = [&](const Value &u) { return u - 2. * (u * normal) * normal; };
            return inner_flux(term,
                              inside,
                              kind == FlowBoundary::slip
                                ? Side{mirrored(inside.u), mirrored(inside.w)}
                                : Side{given, given},
                              normal);
        }
      return result;
    }

    Value
    given_at(const dealii::types::boundary_id id, const Point<dim> &x, const DataTimes &times) const
    {
      Value result;
      if (const auto function = data.find(id); function != data.end())
        for (const DataTimes::Term &term : times.terms())
          {
            function->second->set_time(term.time);
            for (unsigned int c = 0; c < function->second->n_components; ++c)
              result[c] += term.factor * function->second->value(x, c);
          }
      return result;
    }

    const Setting                     &setting;
    const typename Setting::InverseMap unit_points;
    const FlowBoundaryConditions<dim>  conditions;
    const double                       backflow;
    const unsigned int                 degree, convection_degree, linear_degree;

    std::map<dealii::types::boundary_id, std::unique_ptr<dealii::FunctionParser<dim>>> data;
    std::vector<dealii::FullMatrix<double>> inverse_mass; ///< `[cell]`
  };

  /// One of the operators.
  /// @tparam Operators FlowOperators, or MixedFlowOperators
  /// @param w the velocity that carries u, of transport
  template <typename Operators, typename VectorType = typename Operators::VectorType>
  void
  apply(const Operators                                          &flow,
        const FlowTerm                                            term,
        VectorType                                               &dst,
        const std::common_type_t<VectorSum<double, VectorType>>  &u,
        const std::common_type_t<VectorSum<double, VectorType>>  &w,
        const DataTimes                                          &times  = {},
        const std::common_type_t<FlowUpdate<double, VectorType>> &update = {})
  {
    switch (term)
      {
        case FlowTerm::gradient:
          return flow.gradient(dst, u, times, update);
        case FlowTerm::divergence:
          return flow.divergence(dst, u, times, update);
        case FlowTerm::convection:
          return flow.convection(dst, u, times, update);
        case FlowTerm::transport:
          return flow.transport(dst, u, w, times, update);
      }
  }

  /// FlowOperators::convection_rate() with the velocities at the vertices and the points of the
  /// quadrature of degree 2p of each affine cell.
  template <typename Setting, int dim = Setting::dimension>
  double
  assembled_rate(const Setting &setting, const dealii::Vector<double> &u)
  {
    const dealii::FiniteElement<dim> &fe    = setting.velocity.get_fe();
    const auto                        shape = fe.reference_cell();
    std::vector<Point<dim>> points = cell_quadrature<dim>(shape, 2 * fe.degree).get_points();
    for (const unsigned int v : shape.vertex_indices())
      points.push_back(shape.template vertex<dim>(v));
    dealii::FEValues<dim>       of_cell(setting.mapping,
                                  fe,
                                  dealii::Quadrature<dim>(points),
                                  dealii::update_values);
    dealii::FEFaceValues<dim>   of_face(setting.mapping,
                                      fe,
                                      cell_quadrature<dim - 1>(shape.face_reference_cell(0), 1),
                                      dealii::update_normal_vectors | dealii::update_JxW_values);
    std::vector<Tensor<1, dim>> values(of_cell.n_quadrature_points);
    double                      largest = 0;
    for (const auto &cell : setting.velocity.active_cell_iterators())
      {
        of_cell.reinit(cell);
        of_cell[dealii::FEValuesExtractors::Vector(0)].get_function_values(u, values);
        for (const Tensor<1, dim> &value : values)
          {
            double sum = 0;
            for (const unsigned int f : cell->face_indices())
              {
                of_face.reinit(cell, f);
                sum += std::abs(value * of_face.normal_vector(0)) * of_face.JxW(0);
              }
            largest = std::max(largest, sum / cell->measure());
          }
      }
    const double p = fe.degree;
    return (shape.is_simplex() ? (2. * p + 1.) / (2. * dim) : (p + 1.) * (p + 2.) / 4.) * largest;
  }

  /// A uniform stream and a constant pressure through a box.
  template <int dim>
  struct UniformStream
  {
    FieldFunction<dim> velocity =
                         FieldFunction<dim>(Expression(dim, dim == 2 ? "1;2" : "1;2;-1", dim)),
                       pressure = FieldFunction<dim>(Expression(dim, "3", 1));
    FlowBoundaryConditions<dim> conditions;

    UniformStream()
    {
      for (unsigned int id = 0; id < 2 * dim; ++id)
        if (id == 1)
          conditions.set_outflow(id, pressure);
        else
          conditions.set_velocity(id, velocity);
    }

    /// Neither has a derivative.
    /// @param tolerance relative to both
    /// @return the velocity
    Saltus::Vector<double>
    check_derivatives(const FlowOperators<dim> &flow, const double tolerance) const
    {
      const auto projected = [](const auto &space, const FieldFunction<dim> &function) {
        auto result = space.make_vector();
        FunctionMoments<dim, double>(space, function, "stream").project(result, 0.);
        return result;
      };
      const auto u = projected(flow.velocity_space(), velocity),
                 p = projected(flow.pressure_space(), pressure);
      auto v = u, q = p;
      flow.gradient(v, p, 0.);
      EXPECT_LT(v.linfty_norm(), tolerance * p.linfty_norm());
      flow.divergence(q, u, 0.);
      EXPECT_LT(q.linfty_norm(), tolerance * u.linfty_norm());
      flow.convection(v, u, 0.);
      EXPECT_LT(v.linfty_norm(), tolerance * u.linfty_norm());
      return u;
    }
  };
} // namespace Saltus::Tests

#endif
