// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Indicators of cells against formulas, on meshes with hanging nodes, and which cells are adapted.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/mesh/adapt/mesh_adaptor.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/hypercubes.h>
#include <helpers/message_of.h>
#include <helpers/on_elements.h>
#include <string>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using HostVector = LinearAlgebra::distributed::Vector<double>;

  /// Squares or cubes of several sizes, and functions on them.
  template <int dim>
  class Boxes
  {
  public:
    using Cell = typename DoFHandler<dim>::active_cell_iterator;

    /// @param turned cells against each other, all of one size, or not, of several sizes
    explicit Boxes(const unsigned int degree,
                   const unsigned int n_components = 1,
                   const bool         turned       = false)
      : dof_handler(triangulation)
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3);
      if (turned) // deal.II refines few of such meshes
        turn_cells(triangulation);
      else
        refine_some(triangulation);
      dof_handler.distribute_dofs(FESystem<dim>(FE_HypercubeDG<dim>(degree), n_components));
    }

    /// @param value `(cell, point of the reference cell, component)`
    HostVector
    projected(const std::function<double(const Cell &, const Point<dim> &, unsigned int)> &value)
    {
      const FiniteElement<dim>            &fe = dof_handler.get_fe();
      const QGauss<dim>                    rule(fe.degree + 2);
      HostVector                           result(dof_handler.n_dofs());
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            for (unsigned int q = 0; q < rule.size(); ++q)
              result(indices[i]) +=
                rule.weight(q) * fe.shape_value(i, rule.point(q)) *
                value(cell, rule.point(q), fe.system_to_component_index(i).first);
        }
      return result;
    }

    /// Compare the indicators with `wanted(cell)`.
    void
    expect(const AdaptionIndicator                    kind,
           const HostVector                          &solution,
           const std::function<double(const Cell &)> &wanted) const
    {
      const ElementMesh<dim> mesh(mapping, triangulation);
      const auto             found =
        adaption_indicators(kind, mapping, mesh, on_elements(mesh, dof_handler, solution), 1);
      double largest = 0.;
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          EXPECT_NEAR(found[cell->active_cell_index()], wanted(cell), 1e-6);
          largest = std::max(largest, wanted(cell));
        }
      EXPECT_GT(largest, 1e-2);
    }

    Triangulation<dim>  triangulation;
    const MappingQ<dim> mapping{1};
    DoFHandler<dim>     dof_handler;
  };

  /// Some number of a cell.
  template <int dim>
  double
  number_of(const typename Boxes<dim>::Cell &cell)
  {
    return std::sin(17. * cell->center()[0] + 5. * cell->center()[1]);
  }

  /// The area of the face that two boxes have in common.
  template <int dim>
  double
  common_area(const typename Boxes<dim>::Cell &a, const typename Boxes<dim>::Cell &b)
  {
    double       area      = 1.;
    unsigned int n_touched = 0;
    for (unsigned int d = 0; d < dim; ++d)
      {
        const auto   lower  = [&](const auto &cell) { return cell->vertex(0)[d]; };
        const auto   upper  = [&](const auto &cell) { return cell->vertex((1 << dim) - 1)[d]; };
        const double common = std::min(upper(a), upper(b)) - std::max(lower(a), lower(b));
        if (common < -1e-12)
          return 0.;
        if (common < 1e-12)
          ++n_touched;
        else
          area *= common;
      }
    return n_touched == 1 ? area : 0.;
  }

  template <int dim>
  void
  check_jumps()
  {
    Boxes<dim> boxes(2, 2);
    const auto u = boxes.projected([](const auto &cell, const auto &, const unsigned int c) {
      return c == 0 ? number_of<dim>(cell) : 3.;
    });
    boxes.expect(AdaptionIndicator::jump, u, [&](const auto &cell) {
      double sum = 0.;
      for (const auto &other : boxes.dof_handler.active_cell_iterators())
        if (other != cell)
          sum += common_area<dim>(cell, other) *
                 std::pow(number_of<dim>(cell) - number_of<dim>(other), 2);
      return std::sqrt(sum);
    });
  }

  /// Jumps of normal derivatives through the faces of a cell, by deal.II's values on faces.
  template <int dim>
  class NormalDerivatives
  {
  public:
    using Cell = typename Boxes<dim>::Cell;

    explicit NormalDerivatives(const Boxes<dim> &boxes, const HostVector &solution)
      : solution(solution)
      , faces(boxes.mapping, boxes.dof_handler.get_fe(), rule, flags)
      , faces_across(boxes.mapping, boxes.dof_handler.get_fe(), rule, flags)
      , sub_faces(boxes.mapping, boxes.dof_handler.get_fe(), rule, flags)
    {}

    double
    square(const Cell &cell)
    {
      double sum = 0.;
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          continue;
        else if (cell->neighbor(f)->has_children())
          for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
            {
              sub_faces.reinit(cell, f, s);
              faces_across.reinit(cell->neighbor_child_on_subface(f, s),
                                  cell->neighbor_of_neighbor(f));
              sum += square(sub_faces, faces_across);
            }
        else if (cell->neighbor_is_coarser(f))
          {
            const auto [face, sub_face] = cell->neighbor_of_coarser_neighbor(f);
            faces.reinit(cell, f);
            sub_faces.reinit(cell->neighbor(f), face, sub_face);
            sum += square(faces, sub_faces);
          }
        else
          {
            faces.reinit(cell, f);
            faces_across.reinit(cell->neighbor(f), cell->neighbor_of_neighbor(f));
            sum += square(faces, faces_across);
          }
      return sum;
    }

  private:
    std::vector<Tensor<1, dim>>
    gradients(const FEFaceValuesBase<dim> &on) const
    {
      std::vector<Tensor<1, dim>> result(rule.size());
      on[FEValuesExtractors::Scalar(0)].get_function_gradients(solution, result);
      return result;
    }

    double
    square(const FEFaceValuesBase<dim> &here, const FEFaceValuesBase<dim> &across) const
    {
      const auto inside = gradients(here), outside = gradients(across);
      double     sum = 0.;
      for (unsigned int q = 0; q < rule.size(); ++q)
        {
          // Cells may be turned against each other: the point across is the nearest one.
          const auto distance = [&](const unsigned int k) {
            return here.quadrature_point(q).distance_square(across.quadrature_point(k));
          };
          unsigned int nearest = 0;
          for (unsigned int k = 1; k < rule.size(); ++k)
            if (distance(k) < distance(nearest))
              nearest = k;
          const double jump = (inside[q] - outside[nearest]) * here.normal_vector(q);
          sum += jump * jump * here.JxW(q);
        }
      return sum;
    }

    static inline const UpdateFlags flags =
      update_gradients | update_JxW_values | update_quadrature_points | update_normal_vectors;

    const HostVector     &solution;
    const QGauss<dim - 1> rule{3};
    FEFaceValues<dim>     faces, faces_across;
    FESubfaceValues<dim>  sub_faces;
  };

  /// On cubes, on cells that are turned against each other, or that are no parallelepipeds.
  template <int dim>
  void
  check_kelly(const bool turned, const bool moved)
  {
    Boxes<dim> boxes(2, 2, turned);
    if (moved) // so that hanging vertices stay in the middle
      GridTools::transform(
        [](const Point<dim> &x) {
          Point<dim> y = x;
          y[0] += 0.2 * x[0] * x[1];
          y[1] += 0.1 * x[dim - 1];
          return y;
        },
        boxes.triangulation);
    const auto u = boxes.projected([](const auto &cell, const Point<dim> &x, const unsigned int c) {
      return c == 0 ? number_of<dim>(cell) * (x[0] + x[1] * x[dim - 1]) : 3.;
    });
    NormalDerivatives<dim> jumps(boxes, u);
    boxes.expect(AdaptionIndicator::kelly, u, [&](const auto &cell) {
      return std::sqrt(cell->diameter() / 24. * jumps.square(cell));
    });
  }

  /// Legendre's polynomials of degrees 2 and 3 on [0, 1], whose squares have the integral 1.
  double
  legendre(const unsigned int degree, const double x)
  {
    const double t = 2. * x - 1.;
    return degree == 2 ? std::sqrt(5.) * 0.5 * (3. * t * t - 1.)
                       : std::sqrt(7.) * 0.5 * (5. * t * t * t - 3. * t);
  }

  template <int dim>
  void
  check_smoothness()
  {
    Boxes<dim> boxes(3);
    const auto u = boxes.projected([](const auto &cell, const Point<dim> &x, const unsigned int) {
      return legendre(2, x[0]) + number_of<dim>(cell) * legendre(3, x[dim - 1]);
    });
    boxes.expect(AdaptionIndicator::smoothness, u, [](const auto &cell) {
      const double part = number_of<dim>(cell);
      return std::sqrt(part * part / (1. + part * part));
    });
  }

  /// Cells where a function is less than a thousandth of what it is elsewhere, of a shape that is
  /// all noise.
  template <int dim>
  void
  check_smoothness_of_nothing()
  {
    constexpr double size     = 1e-5;
    const auto       is_small = [](const auto &cell) { return cell->center()[0] > 0.5; };
    Boxes<dim>       boxes(3);
    const auto u = boxes.projected([&](const auto &cell, const Point<dim> &x, const unsigned int) {
      return is_small(cell) ? size * legendre(3, x[0])
                            : 0.6 * legendre(2, x[0]) + 0.8 * legendre(3, x[0]);
    });
    boxes.expect(AdaptionIndicator::smoothness, u, [&](const auto &cell) {
      return is_small(cell) ? 1e3 * size : 0.8;
    });
  }

  /// Of a rigid body that turns about the last axis, behind another component.
  template <int dim>
  void
  check_vorticity()
  {
    Boxes<dim> boxes(1, 1 + dim);
    const auto u =
      boxes.projected([&](const auto &cell, const Point<dim> &x, const unsigned int c) {
        const Point<dim> y = boxes.mapping.transform_unit_to_real_cell(cell, x);
        return c == 1 ? -y[1] : (c == 2 ? y[0] : 0.);
      });
    boxes.expect(AdaptionIndicator::vorticity, u, [](const auto &cell) {
      return cell->diameter() * 2. * std::sqrt(cell->measure());
    });
  }
} // namespace

TEST(AdaptionIndicators, Jumps)
{
  check_jumps<2>();
  check_jumps<3>();
}

TEST(AdaptionIndicators, Kelly)
{
  for (const bool turned : {false, true})
    for (const bool moved : {false, true})
      {
        check_kelly<2>(turned, moved);
        check_kelly<3>(turned, moved);
      }
}

TEST(AdaptionIndicators, Smoothness)
{
  check_smoothness<2>();
  check_smoothness<3>();
  check_smoothness_of_nothing<2>();
  check_smoothness_of_nothing<3>();
}

TEST(AdaptionIndicators, RefusesWhatVanishesAtDegree0)
{
  Boxes<2>         boxes(0);
  const HostVector u(boxes.dof_handler.n_dofs());
  for (const AdaptionIndicator kind : {AdaptionIndicator::kelly, AdaptionIndicator::smoothness})
    EXPECT_MESSAGE(boxes.expect(kind, u, [](const auto &) { return 0.; }),
                   "choose degree 1 or above");
}

TEST(AdaptionIndicators, Vorticity)
{
  check_vorticity<2>();
  check_vorticity<3>();
}

/// Cells along a line where a function jumps are refined to the highest level, those that were
/// refined away from it are coarsened.
TEST(MeshAdaptorTest, Thresholds)
{
  parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
  triangulation.refine_global(1);
  const MappingQ<2>       mapping(1);
  const FE_HypercubeDG<2> fe(0);
  AdaptionRules           rules;
  rules.indicator     = AdaptionIndicator::jump;
  rules.by_threshold  = true;
  rules.refine_above  = 0.1;
  rules.coarsen_below = 0.05;
  rules.highest_level = 3;
  MeshAdaptor<2> adaptor(triangulation, mapping, rules);
  for (unsigned int round = 0; round < 6; ++round)
    {
      DoFHandler<2> dof_handler(triangulation);
      dof_handler.distribute_dofs(fe);
      HostVector u(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          std::vector<types::global_dof_index> index(1);
          cell->get_dof_indices(index);
          u(index[0]) = cell->center()[0] < 0.5 ? 1. : 0.;
        }
      const ElementMesh<2> mesh(mapping, triangulation);
      if (!adaptor.adapt(mesh, on_elements(mesh, dof_handler, u)))
        break;
    }
  // Two columns of the highest level on each side, of which one jumps, then one of each other.
  for (const auto &cell : triangulation.active_cell_iterators())
    EXPECT_EQ(cell->level() == 3, std::abs(cell->center()[0] - 0.5) < 1. / 16.) << cell->center();
  EXPECT_EQ(triangulation.n_active_cells(), 2U * (2 * 32 + 16 + 8 + 4));
}

/// Columns of cells have equal indicators. The choice within a column does not depend on the unit
/// of the solution or on rounding. The number of cells is the share.
TEST(MeshAdaptorTest, EqualIndicators)
{
  std::vector<std::string> first;
  for (const double unit : {1., 3., 7., 1e-3})
    {
      parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
      dealii::GridGenerator::subdivided_hyper_rectangle(triangulation, {6, 5}, {0., 0.}, {1., 1.});
      const MappingQ<2> mapping(1);
      AdaptionRules     rules;
      rules.indicator     = AdaptionIndicator::jump;
      rules.refined_share = 0.25;
      DoFHandler<2> dof_handler(triangulation);
      dof_handler.distribute_dofs(FE_HypercubeDG<2>(0));
      HostVector u(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          std::vector<types::global_dof_index> index(1);
          cell->get_dof_indices(index);
          const Point<2> c = cell->center();
          u(index[0])      = unit * (1. + std::exp(-20. * (c[0] - 0.4) * (c[0] - 0.4)) +
                                1e-13 * std::sin(17. * c[1] + unit));
        }
      const ElementMesh<2> mesh(mapping, triangulation);
      MeshAdaptor<2>(triangulation, mapping, rules).adapt(mesh, on_elements(mesh, dof_handler, u));
      EXPECT_EQ(triangulation.n_active_cells(), 30U + 3U * 7U);
      std::vector<std::string> cells;
      for (const auto &cell : triangulation.active_cell_iterators())
        cells.push_back(cell->id().to_string());
      if (first.empty())
        first = cells;
      EXPECT_EQ(cells, first);
    }
}

namespace
{
  /// 16 squares whose cells are refined where the jump is above a threshold, @p n times to a
  /// constant.
  /// @param n_taken numbers that are stored on the mesh
  void
  adapt_to_constant(const double       refine_above,
                    const unsigned int highest_level,
                    const unsigned int n,
                    const unsigned int n_taken = 0)
  {
    parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
    const MappingQ<2> mapping(1);
    AdaptionRules     rules;
    rules.indicator     = AdaptionIndicator::jump;
    rules.by_threshold  = true;
    rules.refine_above  = refine_above;
    rules.coarsen_below = refine_above;
    rules.highest_level = highest_level;
    MeshAdaptor<2>               adaptor(triangulation, mapping, rules);
    const dealii::Vector<double> taken(n_taken);
    DoFHandler<2>                dof_handler(triangulation);
    dof_handler.distribute_dofs(FE_HypercubeDG<2>(0));
    const HostVector     u(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
    const ElementMesh<2> mesh(mapping, triangulation);
    for (unsigned int i = 0; i < n; ++i)
      adaptor.adapt(mesh, on_elements(mesh, dof_handler, u));
  }

  std::string
  notes_of_adaptions(const double refine_above, const unsigned int n)
  {
    testing::internal::CaptureStderr();
    adapt_to_constant(refine_above, 0, n);
    return testing::internal::GetCapturedStderr();
  }
} // namespace

TEST(MeshAdaptorTest, NotesWhatIsInVain)
{
  const double nothing = 1., everything = -1.;
  EXPECT_EQ(notes_of_adaptions(nothing, 9), "");
  EXPECT_EQ(notes_of_adaptions(everything, 9), "");
  EXPECT_EQ(notes_of_adaptions(nothing, 11).find("Note: the mesh has not changed in ten adaptions"),
            0U);
  EXPECT_EQ(notes_of_adaptions(everything, 11).find("Note: every cell was to be refined in ten"),
            0U);
}

TEST(MeshAdaptorTest, RefusesWhatDoesNotFit)
{
  setenv("SALTUS_MEMORY_LIMIT", "0.01", 1);
  constexpr unsigned int n_taken = 1 << 23; // 64 MiB
  EXPECT_MESSAGE(adapt_to_constant(-1., 5, 1, n_taken),
                 "Adaptivity/Highest level and Adaptivity/Refined share");
  adapt_to_constant(1., 5, 1, n_taken); // nothing is refined
  unsetenv("SALTUS_MEMORY_LIMIT");
}
