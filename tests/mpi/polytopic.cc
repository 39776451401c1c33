// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Polytopic elements on several ranks: matrices, right-hand sides and solutions are those of all
// elements, and what is wrong on one rank stops all.
#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/operators/polytopic/residual_estimator.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/polytopes_on_ranks.h>
#include <helpers/polytopic_setting.h>
#include <helpers/vectors.h>
#include <set>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Tests::n_ranks;
  using Tests::this_rank;

  class PolytopicOnRanks : public OnDevice
  {};

  /// Hypercubes with hanging nodes, spread by p4est, of which every rank makes elements.
  template <int dim>
  struct Hypercubes
  {
    /// @param n_elements of each rank
    Hypercubes(const unsigned int n, const unsigned int n_elements)
      : whole(std::make_unique<parallel::distributed::Triangulation<dim>>(MPI_COMM_SELF))
      , here(std::make_unique<parallel::distributed::Triangulation<dim>>(MPI_COMM_WORLD))
      , mapping(std::make_unique<MappingQ1<dim>>())
    {
      make(*whole, n);
      make(*here, n);
      mesh = std::make_shared<PolytopicMesh<dim>>(*mapping,
                                                  agglomerate(*here, Grouping::boxes, n_elements));
    }

    static void
    make(Triangulation<dim> &triangulation, const unsigned int n)
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, n, 0., 1., true);
      GridTools::transform(oblique<dim>, triangulation);
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned() && cell->center()[0] < 0.4)
          cell->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    }

    std::unique_ptr<Triangulation<dim>>       whole, here;
    std::unique_ptr<Mapping<dim>>             mapping;
    std::shared_ptr<const PolytopicMesh<dim>> mesh;
  };

  /// Quadrilaterals that every rank has all of, though they belong to one each.
  template <int dim>
  struct Shared
  {
    using Spread = parallel::shared::Triangulation<dim>;

    Shared(const unsigned int n, const unsigned int n_elements)
      : whole(std::make_unique<Triangulation<dim>>())
      , here(std::make_unique<Spread>(MPI_COMM_WORLD,
                                      Triangulation<dim>::none,
                                      false,
                                      Spread::partition_metis))
      , mapping(std::make_unique<MappingQ1<dim>>())
    {
      for (Triangulation<dim> *triangulation : {whole.get(), here.get()})
        {
          dealii::GridGenerator::subdivided_hyper_cube(*triangulation, n, 0., 1., true);
          GridTools::transform(oblique<dim>, *triangulation);
        }
      mesh = std::make_shared<PolytopicMesh<dim>>(*mapping,
                                                  agglomerate(*here, Grouping::metis, n_elements));
    }

    std::unique_ptr<Triangulation<dim>>       whole, here;
    std::unique_ptr<Mapping<dim>>             mapping;
    std::shared_ptr<const PolytopicMesh<dim>> mesh;
  };

  /// The operator against the oracle on the whole mesh.
  template <int dim, template <int> class Elements>
  void
  check_operator(const Device                 device,
                 const Elements<dim>         &elements,
                 const unsigned int           max_degree,
                 const PolytopicProblem<dim> &problem = PolytopicSetting<dim>::problem())
  {
    const PolytopicMesh<dim> &mesh = *elements.mesh;
    std::vector<unsigned int> degrees, all_degrees(mesh.n_global_elements(), 0);
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        const unsigned int number = mesh.first_element() + e;
        degrees.push_back(1 + (number * 7 + 1) % max_degree);
        all_degrees[number] = degrees.back();
      }
    all_degrees                                  = sum_of_ranks(all_degrees);
    const std::vector<unsigned int> of_all_cells = all_elements(mesh, *elements.whole);

    const PolytopicSpace<dim> space(elements.mesh, degrees);
    PolytopicOperator<dim>    op;
    op.reinit(space,
              PolytopicSetting<dim>::conditions(),
              device,
              PolytopicSetting<dim>::data(problem));
    BlockCSRMatrix<double> matrix(op.sparsity(), device);
    op.assemble(matrix);
    Saltus::Vector<double> b, x, y;
    op.right_hand_side(b, Expression(dim, "1+x^2", 1));
    op.initialize_vector(x);
    op.initialize_vector(y);
    ASSERT_EQ(x.size(), space.n_dofs());
    const auto all_x = random_vector<std::vector<double>>(x.size(), 3);
    set_part(x, all_x);
    matrix.vmult(y, x);
    const double         largest_y = y.linfty_norm();
    const auto           all_y = on_first(y), all_b = on_first(b);
    const GatheredMatrix all = gather(op.sparsity()->partition, matrix.distributed_rows());
    matrix.residual(y, x, y);
    EXPECT_LT(y.linfty_norm(), 1e-11 * largest_y);
    if (this_rank() != 0)
      return;
    const PolytopicOracle<dim> oracle(
      *elements.mapping, *elements.whole, of_all_cells, all_degrees, problem);
    const CompressedRows  &rows = all.rows;
    dealii::Vector<double> product(all_x.size());
    ASSERT_EQ(oracle.matrix.m(), all_x.size());
    ASSERT_EQ(oracle.matrix.m(), rows.n_rows());
    oracle.matrix.vmult(product, dealii::Vector<double>(all_x.begin(), all_x.end()));
    EXPECT_LT(largest_difference(all_y, product), 1e-11 * largest_y);
    EXPECT_LT(largest_difference(all_b, oracle.right_hand_side),
              1e-11 * oracle.right_hand_side.linfty_norm());
    EXPECT_LT(difference(oracle.matrix, rows), 1e-11 * oracle.matrix.linfty_norm());
  }

  TEST_P(PolytopicOnRanks, OperatorOnTriangles)
  {
    for (const Cut cut : {Cut::metis, Cut::scattered, Cut::crowded})
      check_operator(device(), Simplices<2>(6, 12, cut), 5);
  }

  TEST_P(PolytopicOnRanks, OperatorOnTetrahedra)
  {
    check_operator(device(), Simplices<3>(1, 6, Cut::metis), 4);
    check_operator(device(), Simplices<3>(2, 8, Cut::scattered), 2);
  }

  TEST_P(PolytopicOnRanks, OperatorWithHangingNodes)
  {
    check_operator(device(), Hypercubes<2>(4, 3), 4);
    check_operator(device(), Hypercubes<3>(2, 3), 2);
  }

  TEST_P(PolytopicOnRanks, OperatorOnAMeshThatAllHave)
  {
    check_operator(device(), Shared<2>(6, 3), 4);
  }

  TEST_P(PolytopicOnRanks, DiffusionByCellAndOtherPenalties)
  {
    auto problem    = PolytopicSetting<2>::problem();
    problem.by_cell = true;
    for (const int penalty : {1, 2})
      {
        problem.penalty = penalty;
        check_operator(device(), Simplices<2>(5, 10, Cut::metis), 3, problem);
        check_operator(device(), Hypercubes<2>(3, 3), 3, problem);
      }
  }

  /// -div(grad u) + b.grad u = 1 with u = 0 at the boundary, and its solution.
  template <int dim, typename Number>
  struct Solution
  {
    Solution(const Device                                                    device,
             const std::shared_ptr<const PolytopicMesh<dim>>                &mesh,
             const unsigned int                                              degree,
             const std::string                                              &velocity,
             const typename PolytopicMultigrid<dim, Number>::AdditionalData &settings)
    {
      const PolytopicSpace<dim>       space(mesh, degree);
      EllipticBoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_dirichlet(id);
      typename PolytopicOperator<dim>::AdditionalData data;
      if (!velocity.empty())
        data.velocity = Expression(dim, velocity, dim);
      PolytopicOperator<dim> op;
      op.reinit(space, conditions, device, data);
      BlockCSRMatrix<double> matrix(op.sparsity(), device);
      op.assemble(matrix);
      Saltus::Vector<double> x, b;
      op.initialize_vector(x);
      op.right_hand_side(b, Expression(dim, "1", 1));
      PolytopicMultigrid<dim, Number> multigrid;
      multigrid.initialize(op, matrix, settings);
      const bool k_cycle = settings.cycle == AlgebraicMultigrid<Number>::Cycle::K;
      iterations         = velocity.empty() ? solve_cg(matrix,
                                               x,
                                               b,
                                               multigrid,
                                               {1e-10, 200},
                                               k_cycle ? CGVariant::flexible : CGVariant::standard)
                                        .iterations
                                            : solve_gmres(matrix, x, b, multigrid, {1e-10, 200}).iterations;
      coefficients       = mesh->ghosts() ? on_first(x) : x.entries();
    }

    unsigned int        iterations;
    std::vector<double> coefficients; ///< of all elements, on the first rank
  };

  /// On the ranks nearly as many iterations as on one, and the same solution.
  template <typename Number, int dim, template <int> class Elements>
  void
  check_multigrid(const Device                                                    device,
                  const Elements<dim>                                            &elements,
                  const unsigned int                                              degree,
                  const std::string                                              &velocity = "",
                  const typename PolytopicMultigrid<dim, Number>::AdditionalData &settings = {})
  {
    const auto whole = std::make_shared<const PolytopicMesh<dim>>(
      *elements.mapping,
      Agglomeration<dim>(*elements.whole, all_elements(*elements.mesh, *elements.whole)));
    const Solution<dim, Number> of_one(device, whole, degree, velocity, settings),
      of_all(device, elements.mesh, degree, velocity, settings);
    EXPECT_LE(of_all.iterations, of_one.iterations + 5);
    if (this_rank() != 0)
      return;
    double difference = 0, largest = 0;
    ASSERT_EQ(of_all.coefficients.size(), of_one.coefficients.size());
    for (unsigned int i = 0; i < of_one.coefficients.size(); ++i)
      {
        largest = std::max(largest, std::abs(of_one.coefficients[i]));
        difference =
          std::max(difference, std::abs(of_all.coefficients[i] - of_one.coefficients[i]));
      }
    EXPECT_LT(difference, 1e-7 * largest);
  }

  TEST_P(PolytopicOnRanks, MultigridOnTriangles)
  {
    check_multigrid<float>(device(), Simplices<2>(24, 144, Cut::metis), 1);
    check_multigrid<double>(device(), Simplices<2>(24, 144, Cut::metis), 3);
    check_multigrid<float>(device(), Simplices<2>(16, 64, Cut::crowded), 2);
  }

  TEST_P(PolytopicOnRanks, MultigridOnTetrahedra)
  {
    check_multigrid<float>(device(), Simplices<3>(5, 90, Cut::metis), 2);
  }

  TEST_P(PolytopicOnRanks, MultigridWithHangingNodes)
  {
    check_multigrid<float>(device(), Hypercubes<2>(12, 40), 2);
  }

  TEST_P(PolytopicOnRanks, ChoicesOfMultigrid)
  {
    const Simplices<2> elements(24, 144, Cut::metis);
    check_multigrid<float>(device(), elements, 3, "20; 10*x");
    PolytopicMultigrid<2, double>::AdditionalData settings;
    settings.min_unknowns_per_rank = 1;
    check_multigrid<double>(device(), elements, 2, "", settings);
    settings.cycle = AlgebraicMultigrid<double>::Cycle::W;
    check_multigrid<double>(device(), elements, 2, "", settings);
    settings.cycle = AlgebraicMultigrid<double>::Cycle::K;
    check_multigrid<double>(device(), elements, 2, "", settings);
    settings                = {};
    settings.elements_first = true;
    check_multigrid<double>(device(), elements, 3, "", settings);
  }

  /// Boxes and volumes of ghosts are those that their ranks have.
  TEST(PolytopicMeshOnRanks, Ghosts)
  {
    const Simplices<2>      elements(8, 16, Cut::scattered);
    const PolytopicMesh<2> &mesh = *elements.mesh;
    const PolytopicMesh<2>  whole(*elements.mapping,
                                 Agglomeration<2>(*elements.whole,
                                                  all_elements(mesh, *elements.whole)));
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (const auto &facet : mesh.facets(e))
        if (facet.neighbor != PolytopicMesh<2>::no_element)
          {
            const unsigned int c =
              elements.whole->create_cell_iterator(mesh.cell(facet.outside)->id())
                ->active_cell_index();
            const unsigned int same = whole.element_of(c);
            EXPECT_EQ(mesh.volume(facet.neighbor), whole.volume(same));
            EXPECT_EQ(mesh.box(facet.neighbor).center, whole.box(same).center);
            EXPECT_EQ(mesh.box(facet.neighbor).to_reference, whole.box(same).to_reference);
            EXPECT_EQ(mesh.cell_volume(facet.outside), whole.cell_volume(c));
          }
    EXPECT_EQ(sum_of_ranks({mesh.ghosts() ? mesh.ghosts()->size() : 0U})[0] > 0, n_ranks() > 1);
  }

  /// All ways to make elements of the cells of each rank, see check() for what they must be.
  TEST(PolytopicMeshOnRanks, Agglomerates)
  {
    parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3);
    triangulation.refine_global(2);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        cell->set_material_id(cell->center()[0] < 0.5 ? 1 : 2);
    const Agglomeration<2> ancestors = agglomerate_by_ancestors(triangulation, 1),
                           materials = agglomerate_by_material(triangulation),
                           none      = agglomerate_none(triangulation);
    EXPECT_EQ(sum_of_ranks({none.n_elements()})[0], 144U);
    EXPECT_EQ(sum_of_ranks({ancestors.n_elements()})[0], 36U); // p4est keeps siblings together
    EXPECT_GE(sum_of_ranks({materials.n_elements()})[0], 2U);
    for (const auto &cell : triangulation.active_cell_iterators())
      for (const Agglomeration<2> *elements : {&ancestors, &materials, &none})
        EXPECT_EQ(elements->elements()[cell->active_cell_index()] != Agglomeration<2>::no_element,
                  cell->is_locally_owned());
    // Those of one rank in four parts: the cells.
    const Agglomeration<2> parts = split(
      ancestors, std::vector<bool>(ancestors.n_elements(), this_rank() == 0), Grouping::boxes, 4);
    EXPECT_EQ(parts.n_elements(), (this_rank() == 0 ? 4 : 1) * ancestors.n_elements());
    const std::vector<unsigned int> of_parts = parents(parts, ancestors);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          EXPECT_EQ(of_parts[parts.elements()[cell->active_cell_index()]],
                    ancestors.elements()[cell->active_cell_index()]);
        }
    const MappingQ1<2>     mapping;
    const PolytopicMesh<2> mesh(mapping, agglomerate(ancestors, Grouping::metis, 2));
    double                 volume = 0;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      volume += mesh.volume(e);
    EXPECT_NEAR(Utilities::MPI::sum(volume, MPI_COMM_WORLD), 1., 1e-12);
  }

  /// All that rank 0 does wrong.
  TEST(PolytopicMeshOnRanks, RefusalsOnAllRanks)
  {
    parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
    Agglomeration<2> elements(triangulation);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() || (this_rank() == 0 && cell->is_ghost()))
        elements.define_agglomerate({cell});
    const std::string  message = message_of([&]() { elements.check(); });
    const MappingQ1<2> mapping;
    if (n_ranks() == 1)
      {
        EXPECT_EQ(message, "");
      }
    else
      {
        EXPECT_TRUE(contains(message, "which belongs to another rank"));
        EXPECT_MESSAGE(PolytopicMesh<2>(mapping, elements), "which belongs to another rank");
      }

    const auto mesh = std::make_shared<PolytopicMesh<2>>(mapping, agglomerate_none(triangulation));
    std::vector<unsigned int> degrees(mesh->n_elements(), 1);
    if (this_rank() == 0)
      degrees[0] = 77;
    EXPECT_MESSAGE(PolytopicSpace<2>(mesh, degrees), "cannot have the degree 77");

    const PolytopicSpace<2>       space(mesh, 1);
    EllipticBoundaryConditions<2> conditions;
    conditions.set_dirichlet(0);
    PolytopicOperator<2>::AdditionalData data;
    data.diffusion = {Expression(2, "x-0.1", 1), Sampling::by_point}; // one side is on few ranks
    PolytopicOperator<2> op;
    EXPECT_MESSAGE(op.reinit(space, conditions, Device::cpu(), data), "The diffusion is negative");
    op.reinit(space, conditions, Device::cpu());
    EXPECT_MESSAGE(ResidualEstimator<2>(op, Expression(2, "log(x-0.1)", 1)), "source term");
  }

  SALTUS_INSTANTIATE_ON_DEVICES(PolytopicOnRanks)
} // namespace
