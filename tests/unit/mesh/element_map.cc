// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Polynomial maps of curved elements, their metric terms and their mass.
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/manifold_lib.h>

#include <saltus/mesh/curve/metric_terms.h>
#include <saltus/mesh/curve/weight_adjusted_mass.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <map>
#include <random>
#include <set>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  using Nodes = std::shared_ptr<const MapNodes<dim>>;

  template <int dim>
  Nodes<dim>
  nodes_of(const unsigned int degree)
  {
    return std::make_shared<const MapNodes<dim>>(degree);
  }

  /// All orders of the vertices.
  template <int dim>
  std::vector<VertexPermutation<dim>>
  all_permutations()
  {
    std::vector<VertexPermutation<dim>> result;
    VertexPermutation<dim>              permutation = identity_permutation<dim>();
    do
      result.push_back(permutation);
    while (std::next_permutation(permutation.begin(), permutation.end()));
    return result;
  }

  template <int dim>
  std::vector<Point<dim>>
  inner_points()
  {
    return simplex_quadrature<dim>(5).get_points();
  }

  /// Barycentric coordinate of vertex @p v.
  template <int dim>
  double
  barycentric(const Point<dim> &point, const unsigned int v)
  {
    if (v > 0)
      return point[v - 1];
    double result = 1.;
    for (unsigned int d = 0; d < dim; ++d)
      result -= point[d];
    return result;
  }

  /// Boxes that do not contain the origin.
  template <int dim>
  void
  make_mesh(Triangulation<dim> &triangulation)
  {
    Point<dim> lower, upper;
    for (unsigned int d = 0; d < dim; ++d)
      {
        lower[d] = 1. - 0.1 * d;
        upper[d] = 2. + 0.2 * d;
      }
    Saltus::GridGenerator::box<dim>(
      triangulation, lower, upper, std::vector<unsigned int>(dim, 2), 0.1);
  }

  /// A smooth map of space.
  template <int dim>
  Point<dim>
  bent(const Point<dim> &x)
  {
    Point<dim> result;
    for (unsigned int d = 0; d < dim; ++d)
      result[d] = x[d] + 0.1 * std::sin(2. * x[(d + 1) % dim] + 0.5 * x[d] + d);
    return result;
  }

  template <int dim>
  ElementMap<dim>
  bent_map(const Nodes<dim>                                        &nodes,
           const typename Triangulation<dim>::active_cell_iterator &cell,
           const VertexPermutation<dim>                            &vertices)
  {
    const MappingFE<dim>    straight{FE_SimplexP<dim>(1)};
    std::vector<Point<dim>> positions;
    for (const Point<dim> &node : nodes->points)
      positions.push_back(
        bent(straight.transform_unit_to_real_cell(cell, to_cell<dim>(vertices, node))));
    return {nodes, positions, permutation_sign<dim>(vertices)};
  }

  /// A strongly curved element, or a mirror image of one.
  template <int dim>
  ElementMap<dim>
  random_map(const unsigned int degree,
             const double       amplitude,
             const int          orientation = 1,
             const double       offset      = 0.)
  {
    const Nodes<dim>                       nodes = nodes_of<dim>(degree);
    std::vector<Point<dim>>                positions;
    std::mt19937                           generator(degree);
    std::uniform_real_distribution<double> displacement(-amplitude, amplitude);
    for (const Point<dim> &node : nodes->points)
      {
        positions.push_back(node);
        if (orientation < 0)
          std::swap(positions.back()[0], positions.back()[1]);
        for (unsigned int d = 0; d < dim; ++d)
          positions.back()[d] += offset + displacement(generator);
      }
    return {nodes, positions, orientation};
  }

  template <int dim>
  ReferenceElement<dim>
  reference_of(const unsigned int degree)
  {
    return {degree, 2 * degree, 2 * degree + 1};
  }

  /// Largest residual of a constant flux on an element of unit size.
  template <int dim>
  double
  free_stream(const unsigned int degree, const MetricForm form, const ElementMap<dim> &map)
  {
    const auto             reference = reference_of<dim>(degree);
    const MetricTerms<dim> in_volume(form, degree, map.degree(), reference.volume_points);
    const MetricTerms<dim> on_faces(form, degree, map.degree(), reference.face_points);
    double                 largest = 0.;
    for (const auto &of_mode : free_stream_residual(reference, in_volume(map), on_faces(map)))
      largest = std::max(largest, of_mode.norm());
    return largest;
  }

  template <int dim>
  MetricForm
  form_of(const unsigned int degree, const unsigned int map_degree)
  {
    return metric_form<dim>(degree, map_degree, 2 * degree, 2 * degree + 1);
  }

  template <int dim>
  void
  test_nodes()
  {
    for (unsigned int degree = 1; degree <= 7; ++degree)
      {
        SCOPED_TRACE(degree);
        const MapNodes<dim> nodes(degree);
        unsigned int        on_a_face = 0;
        for (const Point<dim> &node : nodes.points)
          {
            for (unsigned int v = 0; v <= dim; ++v)
              on_a_face += std::abs(barycentric(node, v)) < 1e-14;
            for (const auto &permutation : all_permutations<dim>())
              {
                double distance = 1.;
                for (const Point<dim> &other : nodes.points)
                  distance = std::min(distance, other.distance(to_cell<dim>(permutation, node)));
                EXPECT_LT(distance, 1e-14);
              }
          }
        EXPECT_EQ(nodes.points.size(), static_cast<unsigned int>(Simplex<dim>::n_modes(degree)));
        EXPECT_EQ(on_a_face, (dim + 1) * Simplex<dim - 1>::n_modes(degree));
        EXPECT_LT(nodes.modes.linfty_norm() * nodes.at_points.values.linfty_norm(), 3e3);
      }
  }

  /// Maps that come from a mapping of deal.II, in all orders of the vertices.
  template <int dim>
  void
  test_mapping(const unsigned int degree)
  {
    Triangulation<dim> triangulation;
    make_mesh(triangulation);
    triangulation.reset_all_manifolds();
    triangulation.set_all_manifold_ids(0);
    triangulation.set_manifold(0, SphericalManifold<dim>());
    const MappingFE<dim>  mapping{FE_SimplexP<dim>(degree)};
    const Nodes<dim>      nodes        = nodes_of<dim>(degree);
    const auto            permutations = all_permutations<dim>();
    const auto            points       = inner_points<dim>();
    const FE_Nothing<dim> nothing(ReferenceCells::get_simplex<dim>());
    unsigned int          n_curved = 0, i = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        const auto           &vertices = permutations[i++ % permutations.size()];
        const ElementMap<dim> map(nodes, mapping, cell, vertices);
        n_curved += (map.jacobian(points[0]) - map.jacobian(points[1])).norm() > 1e-3;

        std::vector<Point<dim>> in_cell;
        for (const Point<dim> &point : points)
          in_cell.push_back(to_cell<dim>(vertices, point));
        FEValues<dim> values(mapping,
                             nothing,
                             Quadrature<dim>(in_cell),
                             update_quadrature_points | update_jacobians);
        values.reinit(cell);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            EXPECT_LT(map.position(points[q]).distance(values.quadrature_point(q)), 1e-14);
            EXPECT_NEAR(map.determinant(points[q]), values.jacobian(q).determinant(), 1e-14);
            EXPECT_NEAR(map.determinant(points[q]),
                        map.orientation() * determinant(map.jacobian(points[q])),
                        1e-15);
          }
      }
    EXPECT_EQ(n_curved, degree == 1 ? 0 : triangulation.n_active_cells());
  }

  /// Both sides of each face have the same positions and normals there, whatever the orders of
  /// their vertices.
  template <int dim>
  void
  test_shared_faces(const unsigned int degree, const unsigned int map_degree)
  {
    SCOPED_TRACE("p = " + std::to_string(degree) + ", q = " + std::to_string(map_degree));
    Triangulation<dim> triangulation;
    make_mesh(triangulation);
    const CellShape<dim> shape;
    const Nodes<dim>     nodes        = nodes_of<dim>(map_degree);
    const auto           permutations = all_permutations<dim>();
    // by the vertices of a face, in the order of their numbers
    std::map<std::set<unsigned int>, std::pair<Point<dim>, Tensor<1, dim>>> seen;
    unsigned int                                                            n_shared = 0, i = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        const auto            vertices = permutations[(7 * i++) % permutations.size()];
        const ElementMap<dim> map      = bent_map<dim>(nodes, cell, vertices);
        for (unsigned int f = 0; f <= dim; ++f)
          {
            std::map<unsigned int, Point<dim>> corners;
            for (unsigned int v = 0; v <= dim; ++v)
              if (v != shape.opposite_vertex(f))
                corners[cell->vertex_index(vertices[v])] =
                  shape.reference_cell.template vertex<dim>(v);
            std::set<unsigned int> key;
            Point<dim>             point;
            double                 rest = 1.;
            for (const auto &[vertex, corner] : corners)
              {
                const double weight = key.size() + 1 == corners.size() ? rest : 0.41 * rest;
                rest -= weight;
                point += weight * corner;
                key.insert(vertex);
              }
            const MetricTerms<dim> terms(form_of<dim>(degree, map_degree),
                                         degree,
                                         map_degree,
                                         {point});
            Tensor<1, dim>         normal;
            for (unsigned int r = 0; r < dim; ++r)
              normal += shape.face_normals[f * dim + r] * terms(map)[0][r];
            EXPECT_GT(normal * (map.position(point) -
                                map.position(shape.reference_cell.template barycenter<dim>())),
                      0.);
            const auto [first, is_new] = seen.insert({key, {map.position(point), normal}});
            if (!is_new)
              {
                ++n_shared;
                EXPECT_LT(map.position(point).distance(first->second.first), 1e-14);
                EXPECT_LT((normal + first->second.second).norm(), 1e-13);
              }
          }
      }
    EXPECT_EQ(2 * n_shared + (seen.size() - n_shared), (dim + 1) * triangulation.n_active_cells());
    EXPECT_GT(n_shared, 0U);
  }

  template <int dim>
  void
  test_free_stream(const unsigned int degree, const unsigned int map_degree, const MetricForm form)
  {
    SCOPED_TRACE("p = " + std::to_string(degree) + ", q = " + std::to_string(map_degree));
    EXPECT_EQ(form_of<dim>(degree, map_degree), form);
    EXPECT_LT(free_stream(degree, form, random_map<dim>(map_degree, 0.03)), 1e-13);
    EXPECT_LT(free_stream(degree, form, random_map<dim>(map_degree, 0.03, -1)), 1e-13);
  }

  /// The weight-adjusted mass loses nothing, neither with the projected determinant nor with the
  /// true one.
  template <int dim>
  void
  test_mass(const unsigned int degree, const unsigned int map_degree)
  {
    SCOPED_TRACE("p = " + std::to_string(degree) + ", q = " + std::to_string(map_degree));
    const auto            reference = reference_of<dim>(degree);
    const ElementMap<dim> map       = random_map<dim>(map_degree, 0.02, -1);
    const ModeTable<dim>  table(map_degree, reference.volume_points);
    const auto            determinants = map.determinants(table);
    const auto            inverse      = inverse_projected_determinants(reference, table, map);

    std::mt19937                           generator(0);
    std::uniform_real_distribution<double> uniform(-1., 1.);
    Vector<double>                         r(reference.n_modes), y(reference.n_modes);
    for (double &entry : r)
      entry = uniform(generator);
    const auto value = [&](const Vector<double> &modes, const unsigned int q) {
      double result = 0.;
      for (unsigned int m = 0; m < modes.size(); ++m)
        result += reference.volume_values[q * modes.size() + m] * modes[m];
      return result;
    };
    double expected = 0., with_projected = 0., with_true = 0., with_plain = 0.;
    for (unsigned int q = 0; q < inverse.size(); ++q)
      for (unsigned int m = 0; m < y.size(); ++m)
        y[m] += reference.volume_weights[q] * inverse[q] * value(r, q) *
                reference.volume_values[q * y.size() + m];
    for (unsigned int q = 0; q < inverse.size(); ++q)
      {
        expected += reference.volume_weights[q] * value(r, q);
        with_projected += reference.volume_weights[q] / inverse[q] * value(y, q);
        with_true += reference.volume_weights[q] * determinants[q] * value(y, q);
        with_plain += reference.volume_weights[q] * value(y, q);
      }
    EXPECT_NEAR(with_projected, expected, 1e-14);
    EXPECT_NEAR(with_true, expected, 1e-14);
    EXPECT_GT(std::abs(with_plain - expected), 1e-4);
  }

  template <int dim>
  void
  test_affine()
  {
    for (unsigned int degree = 1; degree <= 5; ++degree)
      {
        const ModeTable<dim> samples(degree, map_nodes<dim>(std::max(1U, dim * (degree - 1))));
        // Rounding of coordinates far from the origin is no curvature.
        for (const double offset : {0., 1e6})
          {
            const ElementMap<dim> straight = random_map<dim>(degree, 0., 1, offset);
            EXPECT_NEAR(straight.determinant_range(samples).scaled(), 1., 1e-12 + 1e-13 * offset);
          }
        if (degree == 1)
          continue;
        const auto range = random_map<dim>(degree, 0.01).determinant_range(samples);
        EXPECT_GT(range.scaled(), 0.);
        EXPECT_LT(range.scaled(), 0.99);
        EXPECT_LT(random_map<dim>(degree, 0.5).determinant_range(samples).scaled(), 0.);
      }
  }
} // namespace

TEST(ElementMap, Nodes)
{
  test_nodes<2>();
  test_nodes<3>();
}

TEST(ElementMap, FromMapping)
{
  for (const unsigned int degree : {1, 2})
    {
      test_mapping<2>(degree);
      test_mapping<3>(degree);
    }
}

TEST(ElementMap, ConvergesToASmoothMap)
{
  Triangulation<3> triangulation;
  make_mesh(triangulation);
  const MappingFE<3> straight{FE_SimplexP<3>(1)};
  double             before = 1.;
  for (unsigned int degree = 1; degree <= 6; ++degree)
    {
      const auto nodes = nodes_of<3>(degree);
      double     error = 0.;
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          const auto map = bent_map<3>(nodes, cell, identity_permutation<3>());
          for (const Point<3> &point : inner_points<3>())
            error = std::max(error,
                             map.position(point).distance(
                               bent(straight.transform_unit_to_real_cell(cell, point))));
        }
      EXPECT_LT(error, 0.3 * before);
      before = error;
    }
  EXPECT_LT(before, 1e-5);
}

TEST(ElementMap, SharedFaces)
{
  for (unsigned int degree = 1; degree <= 5; ++degree)
    test_shared_faces<2>(degree, degree);
  test_shared_faces<3>(2, 2);
  test_shared_faces<3>(4, 3);
  test_shared_faces<3>(4, 4); // curl
  test_shared_faces<3>(2, 4); // curl
}

TEST(ElementMap, FreeStreamOnTriangles)
{
  for (unsigned int degree = 1; degree <= 6; ++degree)
    for (unsigned int map_degree = 1; map_degree <= degree + 2; ++map_degree)
      test_free_stream<2>(degree, map_degree, MetricForm::cross_product);
  EXPECT_GT(free_stream(2, MetricForm::cross_product, random_map<2>(6, 0.03)), 1e-5);
  EXPECT_MESSAGE(form_of<2>(2, 6), "maps of degree 6, polynomials of degree 2");
}

TEST(ElementMap, FreeStreamOnTetrahedra)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    for (unsigned int map_degree = 1; map_degree <= (degree < 3 ? 2 : 3); ++map_degree)
      test_free_stream<3>(degree, map_degree, MetricForm::cross_product);
  for (const auto &[degree, map_degree] : std::vector<std::pair<unsigned int, unsigned int>>{
         {1, 3}, {2, 3}, {2, 4}, {3, 4}, {3, 5}, {4, 4}, {4, 5}})
    {
      test_free_stream<3>(degree, map_degree, MetricForm::curl);
      EXPECT_GT(free_stream(degree, MetricForm::cross_product, random_map<3>(map_degree, 0.03)),
                1e-5);
    }
}

// Where interpolation is exact, both forms are the same, and so are the inverse Jacobians.
TEST(ElementMap, CurlOfQuadraticMaps)
{
  const auto map    = random_map<3>(2, 0.03, -1, 1.);
  const auto points = inner_points<3>();
  const auto curl   = MetricTerms<3>(MetricForm::curl, 2, 2, points)(map);
  const auto cross  = MetricTerms<3>(MetricForm::cross_product, 2, 2, points)(map);
  for (unsigned int q = 0; q < points.size(); ++q)
    {
      EXPECT_LT((curl[q] - cross[q]).norm(), 1e-13);
      EXPECT_LT((cross[q] - map.determinant(points[q]) * invert(map.jacobian(points[q]))).norm(),
                1e-13);
    }
  EXPECT_MESSAGE(MetricTerms<2>(MetricForm::curl, 2, 2, inner_points<2>()), "in 3D");
  EXPECT_MESSAGE(MetricTerms<3>(MetricForm::curl, 2, 5, points), "up to p + 2");
}

// The curl form sees no direction of space before others, not even where it is not exact.
TEST(ElementMap, CurlOfTurnedElement)
{
  const auto turned = [](const auto &x) {
    auto result = x;
    result[0]   = -x[1];
    result[1]   = x[0];
    return result;
  };
  const auto            map   = random_map<3>(4, 0.03);
  const auto            nodes = nodes_of<3>(4);
  std::vector<Point<3>> positions;
  for (const Point<3> &position : map.positions(nodes->at_points))
    positions.push_back(turned(position));
  const MetricTerms<3> terms(MetricForm::curl, 4, 4, inner_points<3>());
  const auto           metrics = terms(map), of_turned = terms(ElementMap<3>(nodes, positions));
  for (unsigned int q = 0; q < metrics.size(); ++q)
    for (unsigned int r = 0; r < 3; ++r)
      EXPECT_LT((of_turned[q][r] - turned(Tensor<1, 3>(metrics[q][r]))).norm(), 1e-13);
}

TEST(ElementMap, Mass)
{
  for (unsigned int degree = 1; degree <= 5; ++degree)
    test_mass<2>(degree, degree + 1);
  for (unsigned int degree = 1; degree <= 4; ++degree)
    test_mass<3>(degree, std::max(2U, degree));
  const auto inverted  = random_map<3>(3, 0.5);
  const auto reference = reference_of<3>(3);
  EXPECT_MESSAGE(inverse_projected_determinants(reference,
                                                ModeTable<3>(3, reference.volume_points),
                                                inverted),
                 "too strongly curved for polynomials of degree 3: at (");
}

TEST(ElementMap, Affine)
{
  test_affine<2>();
  test_affine<3>();
}
