// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What adaptions of a mesh take over, against deal.II's SolutionTransfer.
#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/operators/spaces/adaption_transfer.h>

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/on_elements.h>
#include <limits>
#include <random>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using HostVector = LinearAlgebra::distributed::Vector<double>;

  class AdaptionTransferTest : public OnDevice
  {};

  /// A mesh of several levels with a solution on it, the same each time.
  template <int dim>
  struct Boxes
  {
    Boxes(const unsigned int degree, const unsigned int n_components)
      : triangulation(MPI_COMM_WORLD)
      , dof_handler(triangulation)
      , fe(FE_HypercubeDG<dim>(degree), n_components)
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3);
      triangulation.refine_global(1);
      flag();
      triangulation.execute_coarsening_and_refinement();
      dof_handler.distribute_dofs(fe);
      solution.reinit(dof_handler.n_dofs());
      for (double &entry : solution)
        entry = number() / 4e9;
      flag();
    }

    /// Some cells for refinement and some for coarsening.
    void
    flag()
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->level() < 3 && number() % 6 == 0)
          cell->set_refine_flag();
        else
          cell->set_coarsen_flag();
    }

    std::mt19937                              number;
    parallel::distributed::Triangulation<dim> triangulation;
    const MappingQ<dim>                       mapping{1};
    DoFHandler<dim>                           dof_handler;
    const FESystem<dim>                       fe;
    HostVector                                solution;
  };

  template <typename Number, int dim>
  void
  check(const Device device, const unsigned int degree, const unsigned int n_components)
  {
    Boxes<dim> of_dealii(degree, n_components), boxes(degree, n_components);

    parallel::distributed::SolutionTransfer<dim, HostVector> transfer(of_dealii.dof_handler);
    transfer.prepare_for_coarsening_and_refinement(of_dealii.solution);
    of_dealii.triangulation.execute_coarsening_and_refinement();
    of_dealii.dof_handler.distribute_dofs(of_dealii.fe);
    HostVector wanted(of_dealii.dof_handler.n_dofs());
    transfer.interpolate(wanted);

    const ElementMesh<dim> mesh(boxes.mapping, boxes.triangulation);
    const auto before = on_elements<Number>(mesh, boxes.dof_handler, boxes.solution, device);
    // Twice, the second time with no flags.
    AdaptedCells<dim> cells{ElementDeterminants<dim>(mesh),
                            {refine_and_note(boxes.triangulation, mesh.order.element_of_cell)}};
    const auto        numbers = numbers_in_order<dim>(cells.rounds[0]);
    cells.rounds.push_back(refine_and_note(boxes.triangulation, numbers));
    boxes.dof_handler.distribute_dofs(boxes.fe);
    ASSERT_EQ(boxes.dof_handler.n_dofs(), wanted.size());
    const ElementMesh<dim>      adapted(boxes.mapping, boxes.triangulation);
    Saltus::Vector<Number>      after(device, adapted.n_elements(), before.n_modes(), n_components);
    const AdaptionTransfer<dim> to_adapted(cells, adapted, device);
    to_adapted.run(after, before);
    HostVector found(wanted.size());
    DoFMap(adapted, boxes.dof_handler).copy_to(found, after);
    for (unsigned int i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found(i), wanted(i), 100 * std::numeric_limits<Number>::epsilon()) << i;

    Saltus::Vector<Number> other(device, adapted.n_elements(), 1, n_components);
    EXPECT_MESSAGE(to_adapted.run(other, before), "cannot be taken over to an adapted mesh");
  }

  /// A mesh before and after an adaption that refines some cells and coarsens others.
  template <int dim>
  class Adaption
  {
  public:
    Adaption(parallel::distributed::Triangulation<dim> &triangulation,
             const unsigned int                         map_degree,
             const unsigned int                         degree,
             const unsigned int                         n_components,
             const Device                               device)
      : triangulation(triangulation)
      , mapping(map_degree)
      , fe(FE_HypercubeDG<dim>(degree), n_components)
      , device(device)
      , dof_handler(triangulation)
    {}

    /// @param function called as (component, position)
    HostVector
    interpolated(const std::function<double(unsigned int, const Point<dim> &)> &function)
    {
      dof_handler.distribute_dofs(fe);
      HostVector result(dof_handler.n_dofs());
      for_points([&](const Place &at) { result(at.dof) = at.root * function(at.component, at.x); });
      return result;
    }

    HostVector
    adapt(const HostVector &solution)
    {
      const ElementMesh<dim> mesh   = make_mesh();
      const auto             before = on_elements<double>(mesh, dof_handler, solution, device);
      unsigned int           i      = 0;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (i++ % 16 == 0)
          cell->set_refine_flag();
        else if (i > triangulation.n_active_cells() / 2)
          cell->set_coarsen_flag();
      const AdaptedCells<dim> cells{ElementDeterminants<dim>(mesh),
                                    {refine_and_note(triangulation, mesh.order.element_of_cell)}};
      for (const auto &origin : cells.rounds[0])
        ++n_of_kind[static_cast<unsigned int>(origin.kind)];
      dof_handler.distribute_dofs(fe);
      const ElementMesh<dim> adapted = make_mesh();
      Saltus::Vector<double> after(device,
                                   adapted.n_elements(),
                                   before.n_modes(),
                                   before.n_components());
      AdaptionTransfer<dim>(cells, adapted, device).run(after, before);
      HostVector result(dof_handler.n_dofs());
      DoFMap(adapted, dof_handler).copy_to(result, after);
      return result;
    }

    /// `[c]`: integrals, by the rule of the basis.
    std::vector<double>
    integrals(const HostVector &solution) const
    {
      std::vector<double> result(fe.n_components());
      for_points(
        [&](const Place &at) { result[at.component] += at.weight * solution(at.dof) / at.root; });
      return result;
    }

    /// Of the first component, in the maximum norm.
    double
    error(const HostVector &solution, const std::function<double(const Point<dim> &)> &exact) const
    {
      double result = 0.;
      for_points([&](const Place &at) {
        if (at.component == 0)
          result = std::max(result, std::abs(solution(at.dof) / at.root - exact(at.x)));
      });
      return result;
    }

    std::array<unsigned int, 4> n_of_kind{}; ///< see CellOrigin::Kind

  private:
    /// The point whose value is a coefficient, but for the root of the weight in the reference
    /// cell.
    struct Place
    {
      types::global_dof_index dof;
      unsigned int            component;
      Point<dim>              x;
      double                  root, weight; ///< the second one of the integral
    };

    ElementMesh<dim>
    make_mesh() const
    {
      return {mapping, triangulation, {}, max_matching_rounds, {}, mapping.get_degree()};
    }

    template <typename Body>
    void
    for_points(const Body &body) const
    {
      const QGauss<dim> rule(fe.degree + 1);
      FEValues<dim>     values(mapping, fe, rule, update_quadrature_points | update_JxW_values);
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          values.reinit(cell);
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            {
              const auto [c, q] = fe.system_to_component_index(i);
              body(Place{indices[i],
                         c,
                         values.quadrature_point(q),
                         std::sqrt(rule.weight(q)),
                         values.JxW(q)});
            }
        }
    }

    parallel::distributed::Triangulation<dim> &triangulation;
    const MappingQ<dim>                        mapping;
    const FESystem<dim>                        fe;
    const Device                               device;
    DoFHandler<dim>                            dof_handler;
  };

  /// A shell around the origin.
  template <int dim>
  class Shell
  {
  public:
    explicit Shell(const unsigned int n_refinements)
      : triangulation(MPI_COMM_WORLD)
    {
      dealii::GridGenerator::hyper_shell(triangulation, Point<dim>(), 0.5, 1., dim == 2 ? 8 : 6);
      triangulation.refine_global(n_refinements);
    }

    parallel::distributed::Triangulation<dim> triangulation;
  };

  /// Integrals of what changes its sign, too, on curved cells that are refined and coarsened.
  template <int dim>
  void
  check_integrals(const Device device, const unsigned int map_degree, const unsigned int degree)
  {
    Shell<dim>    shell(dim == 2 ? 2 : 1);
    Adaption<dim> adaption(shell.triangulation, map_degree, degree, 2, device);
    std::mt19937  number;
    const auto    before = adaption.interpolated(
      [&](const unsigned int c, const Point<dim> &) { return number() / 4e9 - 0.25 * c; });
    const auto integrals = adaption.integrals(before);
    const auto after     = adaption.integrals(adaption.adapt(before));
    EXPECT_GT(adaption.n_of_kind[2], 0U);
    EXPECT_GT(adaption.n_of_kind[3], 0U);
    for (unsigned int c = 0; c < 2; ++c)
      EXPECT_NEAR(after[c] / integrals[c], 1., 1e-13) << "component " << c;
  }

  TEST_P(AdaptionTransferTest, KeepsIntegralsOnCurvedCells)
  {
    check_integrals<2>(device(), 1, 2);
    check_integrals<2>(device(), 2, 1);
    check_integrals<2>(device(), 3, 3);
    check_integrals<3>(device(), 1, 1);
    check_integrals<3>(device(), 2, 2);
    check_integrals<3>(device(), 3, 2);
  }

  /// Where cells are parts of those before, as bilinear ones are.
  template <int dim>
  void
  check_constants(const Device device, const unsigned int degree)
  {
    parallel::distributed::Triangulation<dim> triangulation(MPI_COMM_WORLD);
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
    GridTools::transform(
      [](Point<dim> x) {
        x[0] += 0.2 * x[1] * x[0] + 0.1 * std::sin(4. * x[dim - 1]);
        x[1] += 0.1 * x[0] * x[1];
        return x;
      },
      triangulation);
    triangulation.refine_global(1);
    Adaption<dim> adaption(triangulation, 1, degree, 1, device);
    const auto    before =
      adaption.interpolated([](const unsigned int, const Point<dim> &) { return 3.; });
    const auto after = adaption.adapt(before);
    EXPECT_GT(adaption.n_of_kind[2], 0U);
    EXPECT_GT(adaption.n_of_kind[3], 0U);
    EXPECT_LT(adaption.error(after, [](const Point<dim> &) { return 3.; }), 1e-13);
  }

  TEST_P(AdaptionTransferTest, KeepsConstantsOnBilinearCells)
  {
    check_constants<2>(device(), 1);
    check_constants<2>(device(), 3);
    check_constants<3>(device(), 2);
  }

  /// A smooth function on curved cells: the logarithm of the factor between the errors on two
  /// meshes.
  template <int dim>
  double
  rate(const Device device, const unsigned int map_degree, const unsigned int degree)
  {
    const auto exact = [](const Point<dim> &x) { return 1.5 + std::sin(3. * x[0] + 2. * x[1]); };
    std::array<double, 2> errors;
    for (unsigned int i = 0; i < 2; ++i)
      {
        Shell<dim>    shell(i + (dim == 2 ? 4 : 1));
        Adaption<dim> adaption(shell.triangulation, map_degree, degree, 1, device);
        const auto    before =
          adaption.interpolated([&](const unsigned int, const Point<dim> &x) { return exact(x); });
        errors[i] = adaption.error(adaption.adapt(before), exact);
      }
    return std::log2(errors[0] / errors[1]);
  }

  TEST_P(AdaptionTransferTest, KeepsTheOrderOnCurvedCells)
  {
    EXPECT_GT((rate<2>(device(), 2, 1)), 1.9);
    EXPECT_GT((rate<2>(device(), 3, 2)), 2.9);
    EXPECT_GT((rate<2>(device(), 4, 3)), 3.8);
    EXPECT_GT((rate<3>(device(), 2, 1)), 1.7);
  }

  TEST_P(AdaptionTransferTest, EqualsThatOfDealII)
  {
    check<double, 2>(device(), 3, 4);
    check<double, 2>(device(), 1, 1);
    check<double, 3>(device(), 2, 5);
    check<double, 3>(device(), 1, 3);
    check<float, 2>(device(), 2, 2);
  }

  SALTUS_INSTANTIATE_ON_DEVICES(AdaptionTransferTest)
} // namespace
