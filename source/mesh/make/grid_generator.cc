// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/manifold_lib.h>

#include <saltus/mesh/make/box_cells.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/mesh_size.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace Saltus::GridGenerator
{
  namespace
  {
    using dealii::CellData;
    using dealii::Point;
    using dealii::Triangulation;

    /// Vertices and simplices of a mesh that is being made.
    template <int dim>
    struct Simplices
    {
      std::vector<Point<dim>>    vertices;
      std::vector<CellData<dim>> cells;

      void
      add(const std::array<unsigned int, dim + 1> &cell_vertices)
      {
        CellData<dim> cell(dim + 1);
        std::copy(cell_vertices.begin(), cell_vertices.end(), cell.vertices.begin());
        cells.push_back(std::move(cell));
      }
    };

    /// Fill @p tria and give each boundary face the id that @p boundary_id says for it.
    template <int dim, typename BoundaryId>
    void
    create(Triangulation<dim> &tria, const Simplices<dim> &mesh, const BoundaryId &boundary_id)
    {
      tria.create_triangulation(mesh.vertices, mesh.cells, dealii::SubCellData());
      for (const auto &face : tria.active_face_iterators())
        if (face->at_boundary())
          face->set_all_boundary_ids(boundary_id(face));
    }

    /// A number in [-1,1] that looks random but depends on @p key alone: the finalizer of
    /// MurmurHash3 on 64 bits.
    double
    hash(std::uint64_t key)
    {
      key = (key + 1) * 0x9e3779b97f4a7c15u;
      key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdu;
      key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53u;
      key ^= key >> 33;
      return static_cast<double>(key >> 11) / static_cast<double>(std::uint64_t(1) << 52) - 1.;
    }

    template <int dim>
    Point<dim>
    displaced(const Point<dim>              &vertex,
              const unsigned int             number,
              const std::array<double, dim> &amplitudes)
    {
      Point<dim> result = vertex;
      for (unsigned int d = 0; d < dim; ++d)
        result[d] += amplitudes[d] * hash(std::uint64_t(number) * dim + d);
      return result;
    }

    void
    check_distortion(const double distortion)
    {
      AssertThrow(distortion >= 0. && distortion <= 0.25,
                  dealii::ExcMessage("The distortion of a mesh is " + std::to_string(distortion) +
                                     ", but must lie between 0 and 0.25."));
    }

    /// Split the quadrilateral with these vertices, counterclockwise, along its shorter diagonal.
    void
    add_quadrilateral(Simplices<2>      &mesh,
                      const unsigned int a,
                      const unsigned int b,
                      const unsigned int c,
                      const unsigned int d)
    {
      if (mesh.vertices[a].distance(mesh.vertices[c]) < mesh.vertices[b].distance(mesh.vertices[d]))
        {
          mesh.add({{a, b, c}});
          mesh.add({{a, c, d}});
        }
      else
        {
          mesh.add({{a, b, d}});
          mesh.add({{b, c, d}});
        }
    }

    /// Of circle @p i of @p n + 1 that grow by the same factor.
    double
    similar_radius(const double       inner_radius,
                   const double       outer_radius,
                   const unsigned int i,
                   const unsigned int n)
    {
      return i == n
               ? outer_radius
               : inner_radius * std::pow(outer_radius / inner_radius, static_cast<double>(i) / n);
    }

    /// `[j (n_radial + 1) + i]`, counter-clockwise from the x axis.
    std::vector<Point<2>>
    quarter_annulus_vertices(const double       inner_radius,
                             const double       outer_radius,
                             const unsigned int n_radial,
                             const unsigned int n_angular)
    {
      std::vector<Point<2>> vertices;
      for (unsigned int j = 0; j <= n_angular; ++j)
        for (unsigned int i = 0; i <= n_radial; ++i)
          {
            const double r = inner_radius + (outer_radius - inner_radius) * i / n_radial;
            // sin and cos exchanged in the second half, so that the ends are exactly on the axes
            const auto sine = [&](const unsigned int k) {
              return 2 * k <= n_angular
                       ? std::sin(dealii::numbers::PI_2 * k / n_angular)
                       : std::cos(dealii::numbers::PI_2 * (n_angular - k) / n_angular);
            };
            vertices.emplace_back(r * sine(n_angular - j), r * sine(j));
          }
      return vertices;
    }

    template <typename Face>
    int
    quarter_annulus_id(const Face &face, const double inner_radius, const double outer_radius)
    {
      const double   tolerance = 1e-12 * outer_radius;
      const Point<2> center    = face.center();
      if (center[0] < tolerance)
        return 2;
      if (center[1] < tolerance)
        return 3;
      return face.vertex(0).norm() < 0.5 * (inner_radius + outer_radius) ? 0 : 1;
    }

    void
    attach_circles(Triangulation<2> &tria)
    {
      tria.set_all_manifold_ids(0);
      tria.set_manifold(0, dealii::SphericalManifold<2>());
    }

    /// Quadrilaterals between circles about the origin.
    /// @param vertices `[j (n_radial + 1) + i]`, counter-clockwise; the first ones follow the last
    /// @param id of a face at the boundary
    template <typename BoundaryId>
    void
    create_polar(Triangulation<2>            &tria,
                 const std::vector<Point<2>> &vertices,
                 const unsigned int           n_radial,
                 const unsigned int           n_angular,
                 const BoundaryId            &id)
    {
      std::vector<CellData<2>> cells;
      for (unsigned int j = 0; j < n_angular; ++j)
        for (unsigned int i = 0; i < n_radial; ++i)
          {
            const unsigned int v = j * (n_radial + 1) + i, above =
                                                             (v + n_radial + 1) % vertices.size();
            cells.emplace_back();
            cells.back().vertices = {v, v + 1, above, above + 1};
          }
      Triangulation<2> serial;
      serial.create_triangulation(vertices, cells, {});
      for (const auto &face : serial.active_face_iterators())
        if (face->at_boundary())
          face->set_boundary_id(id(*face));
      tria.copy_triangulation(serial);
      attach_circles(tria);
    }

    constexpr double double_mach_length = 4., double_mach_x0 = 1. / 6.;

    /// The boundary id of a face with this centre.
    int
    double_mach_id(const Point<2> &center)
    {
      constexpr double tolerance = 1e-12;
      if (center[1] < tolerance)
        return center[0] < double_mach_x0 ? 2 : 3;
      return center[0] < tolerance ? 0 : (center[0] > double_mach_length - tolerance ? 1 : 4);
    }

    int
    forward_step_id(const Point<2> &center)
    {
      constexpr double tolerance = 1e-12;
      if (center[0] < tolerance)
        return 0;
      if (center[0] > 3. - tolerance)
        return 1;
      return center[1] < tolerance || center[1] > 1. - tolerance ? 2 : 3;
    }

    /// @param id of a face at the boundary, by its centre
    void
    copy_with_ids(Triangulation<2> &to, Triangulation<2> &from, int (*id)(const Point<2> &))
    {
      for (const auto &face : from.active_face_iterators())
        if (face->at_boundary())
          face->set_boundary_id(id(face->center()));
      to.copy_triangulation(from);
    }

    /// Numbers of quadrilaterals in x and y for the double Mach reflection.
    std::array<unsigned int, 2>
    double_mach_subdivisions(const unsigned int n_triangles)
    {
      constexpr double min_ratio = 3.2, max_ratio = 4.4;
      const double     n_quads = 0.5 * n_triangles;

      std::array<unsigned int, 2> best{{0, 0}};
      double                      best_error = n_quads;
      for (unsigned int n_y = std::floor(std::sqrt(n_quads / max_ratio));
           n_y <= std::ceil(std::sqrt(n_quads / min_ratio));
           ++n_y)
        {
          const unsigned int n_x   = std::lround(n_quads / n_y);
          const double       ratio = static_cast<double>(n_x) / n_y;
          const double       error = std::abs(static_cast<double>(n_x) * n_y - n_quads);
          if (min_ratio <= ratio && ratio <= max_ratio && error < best_error)
            {
              best       = {{n_x, n_y}};
              best_error = error;
            }
        }
      return best;
    }
    void
    check_annulus(const double       inner_radius,
                  const double       outer_radius,
                  const unsigned int n_radial,
                  const unsigned int n_angular,
                  const unsigned int fewest_angles)
    {
      AssertThrow(0. < inner_radius && inner_radius < outer_radius,
                  dealii::ExcMessage("The radii of an annulus are " + std::to_string(inner_radius) +
                                     " and " + std::to_string(outer_radius) +
                                     ", but must be positive and the outer one the larger."));
      AssertThrow(n_radial > 0 && n_angular >= fewest_angles,
                  dealii::ExcMessage("An annulus is to have " + std::to_string(n_radial) + " by " +
                                     std::to_string(n_angular) +
                                     " subdivisions, but needs at least 1 by " +
                                     std::to_string(fewest_angles) + "."));
      check_mesh_size(2, 2. * n_radial * n_angular);
    }
  } // namespace


  void
  quarter_annulus(Triangulation<2>  &tria,
                  const double       inner_radius,
                  const double       outer_radius,
                  const unsigned int n_radial,
                  const unsigned int n_angular)
  {
    check_annulus(inner_radius, outer_radius, n_radial, n_angular, 1);

    Simplices<2> mesh;
    mesh.vertices = quarter_annulus_vertices(inner_radius, outer_radius, n_radial, n_angular);
    for (unsigned int j = 0; j < n_angular; ++j)
      for (unsigned int i = 0; i < n_radial; ++i)
        {
          const unsigned int v = j * (n_radial + 1) + i, above = v + n_radial + 1;
          mesh.add({{v, v + 1, above + 1}});
          mesh.add({{v, above + 1, above}});
        }

    create(tria, mesh, [&](const auto &face) {
      return quarter_annulus_id(*face, inner_radius, outer_radius);
    });
    attach_circles(tria);
  }


  void
  quarter_annulus_quadrilaterals(Triangulation<2>  &tria,
                                 const double       inner_radius,
                                 const double       outer_radius,
                                 const unsigned int n_radial,
                                 const unsigned int n_angular)
  {
    check_annulus(inner_radius, outer_radius, n_radial, n_angular, 1);
    create_polar(tria,
                 quarter_annulus_vertices(inner_radius, outer_radius, n_radial, n_angular),
                 n_radial,
                 n_angular,
                 [&](const auto &face) {
                   return quarter_annulus_id(face, inner_radius, outer_radius);
                 });
  }


  void
  annulus_quadrilaterals(Triangulation<2>  &tria,
                         const double       inner_radius,
                         const double       outer_radius,
                         const unsigned int n_radial,
                         const unsigned int n_angular)
  {
    check_annulus(inner_radius, outer_radius, n_radial, n_angular, 3);
    std::vector<Point<2>> vertices;
    for (unsigned int j = 0; j < n_angular; ++j)
      for (unsigned int i = 0; i <= n_radial; ++i)
        {
          const double r     = similar_radius(inner_radius, outer_radius, i, n_radial);
          const double angle = dealii::numbers::PI * 2 * j / n_angular;
          vertices.emplace_back(r * std::cos(angle), r * std::sin(angle));
        }
    create_polar(tria, vertices, n_radial, n_angular, [&](const auto &face) {
      return face.vertex(0).norm() < 0.5 * (inner_radius + outer_radius) ? 0 : 1;
    });
  }


  void
  annulus(Triangulation<2>  &tria,
          const double       inner_radius,
          const double       outer_radius,
          const unsigned int n_radial,
          const unsigned int n_angular)
  {
    check_annulus(inner_radius, outer_radius, n_radial, n_angular, 3);

    Simplices<2> mesh;
    for (unsigned int i = 0; i <= n_radial; ++i)
      for (unsigned int j = 0; j < n_angular; ++j)
        {
          const double r     = similar_radius(inner_radius, outer_radius, i, n_radial);
          const double angle = dealii::numbers::PI * (2 * j + i % 2) / n_angular;
          mesh.vertices.emplace_back(r * std::cos(angle), r * std::sin(angle));
        }
    for (unsigned int i = 0; i < n_radial; ++i)
      for (unsigned int j = 0; j < n_angular; ++j)
        {
          const unsigned int next = (j + 1) % n_angular;
          const unsigned int a = i * n_angular + j, b = i * n_angular + next; // inner circle
          const unsigned int c = (i + 1) * n_angular + j, d = (i + 1) * n_angular + next; // outer
          mesh.add({{a, i % 2 == 0 ? c : d, b}});
          mesh.add({{c, d, i % 2 == 0 ? b : a}});
        }

    create(tria, mesh, [&](const auto &face) {
      return face->vertex(0).norm() < 0.5 * (inner_radius + outer_radius) ? 0 : 1;
    });
    attach_circles(tria);
  }


  void
  double_mach_reflection(Triangulation<2>  &tria,
                         const unsigned int n_triangles,
                         const double       distortion)
  {
    AssertThrow(n_triangles >= 500,
                dealii::ExcMessage("The mesh of the double Mach reflection is to have " +
                                   std::to_string(n_triangles) +
                                   " triangles, but needs at least 500."));
    check_mesh_size(2, n_triangles);
    check_distortion(distortion);

    constexpr double length = double_mach_length, x0 = double_mach_x0;
    const auto [n_x, n_y]     = double_mach_subdivisions(n_triangles);
    const unsigned int n_left = std::lround(n_x * x0 / length); // cells left of x0, evenly spaced
    const auto         column = [&, n = n_x](const unsigned int i) {
      return i <= n_left ? x0 * i / n_left : x0 + (length - x0) * (i - n_left) / (n - n_left);
    };
    const std::array<double, 2> amplitudes{{distortion * length / n_x, distortion / n_y}};

    Simplices<2> mesh;
    mesh.vertices.reserve((n_x + 1) * (n_y + 1));
    mesh.cells.reserve(2 * n_x * n_y);
    for (unsigned int j = 0; j <= n_y; ++j)
      for (unsigned int i = 0; i <= n_x; ++i)
        {
          const Point<2> vertex(column(i), static_cast<double>(j) / n_y);
          const bool     inside = i > 0 && i < n_x && j > 0 && j < n_y;
          mesh.vertices.push_back(inside ? displaced<2>(vertex, mesh.vertices.size(), amplitudes)
                                         : vertex);
        }
    for (unsigned int j = 0; j < n_y; ++j)
      for (unsigned int i = 0; i < n_x; ++i)
        {
          const unsigned int a = j * (n_x + 1) + i, above = a + n_x + 1;
          add_quadrilateral(mesh, a, a + 1, above + 1, above);
        }

    create(tria, mesh, [&](const auto &face) { return double_mach_id(face->center()); });
  }


  void
  double_mach_quadrilaterals(Triangulation<2> &tria, const unsigned int n_cells)
  {
    const unsigned int n = std::max(1L, std::lround(std::sqrt(n_cells / 144.)));
    Triangulation<2>   serial;
    dealii::GridGenerator::subdivided_hyper_rectangle(serial,
                                                      {24 * n, 6 * n},
                                                      Point<2>(),
                                                      Point<2>(double_mach_length, 1.));
    copy_with_ids(tria, serial, double_mach_id);
  }


  void
  forward_step(Triangulation<2> &tria, const unsigned int n_triangles, const double distortion)
  {
    AssertThrow(n_triangles >= 500,
                dealii::ExcMessage("The mesh of the forward step is to have " +
                                   std::to_string(n_triangles) +
                                   " triangles, but needs at least 500."));
    check_mesh_size(2, n_triangles);
    check_distortion(distortion);

    const unsigned int          n     = 5 * std::lround(std::sqrt(n_triangles / 5.04) / 5.);
    const unsigned int          n_x   = 3 * n;
    const unsigned int          front = 3 * n / 5, height = n / 5; // of the step, in squares
    const std::array<double, 2> amplitudes{{distortion / n, distortion / n}};

    Simplices<2>              mesh;
    std::vector<unsigned int> number((n_x + 1) * (n + 1)); // of the vertices that there are
    for (unsigned int j = 0; j <= n; ++j)
      for (unsigned int i = 0; i <= n_x; ++i)
        if (i <= front || j >= height)
          {
            const Point<2> vertex(static_cast<double>(i) / n, static_cast<double>(j) / n);
            const bool     inside = i > 0 && i < n_x && j > 0 && j < n && (i < front || j > height);
            number[j * (n_x + 1) + i] = mesh.vertices.size();
            mesh.vertices.push_back(inside ? displaced<2>(vertex, mesh.vertices.size(), amplitudes)
                                           : vertex);
          }
    for (unsigned int j = 0; j < n; ++j)
      for (unsigned int i = 0; i < n_x; ++i)
        if (i < front || j >= height)
          {
            const unsigned int *below = number.data() + j * (n_x + 1) + i, *above = below + n_x + 1;
            add_quadrilateral(mesh, below[0], below[1], above[1], above[0]);
          }

    create(tria, mesh, [](const auto &face) { return forward_step_id(face->center()); });
  }


  void
  forward_step_quadrilaterals(Triangulation<2> &tria, const unsigned int n_cells)
  {
    const unsigned int n = 5 * std::max(1L, std::lround(std::sqrt(n_cells / 2.52) / 5.));
    Triangulation<2>   tunnel, serial;
    dealii::GridGenerator::subdivided_hyper_rectangle(tunnel,
                                                      {3 * n, n},
                                                      Point<2>(),
                                                      Point<2>(3., 1.));
    std::set<typename Triangulation<2>::active_cell_iterator> step;
    for (const auto &cell : tunnel.active_cell_iterators())
      if (cell->center()[0] > 0.6 && cell->center()[1] < 0.2)
        step.insert(cell);
    dealii::GridGenerator::create_triangulation_with_removed_cells(tunnel, step, serial);
    copy_with_ids(tria, serial, forward_step_id);
  }


  template <int dim>
  FlatMesh<dim>
  box_cells(const Point<dim>                &p1,
            const Point<dim>                &p2,
            const std::vector<unsigned int> &subdivisions,
            const double                     distortion)
  {
    AssertThrow(subdivisions.size() == dim,
                dealii::ExcMessage("A box in " + std::to_string(dim) + " dimensions got " +
                                   std::to_string(subdivisions.size()) +
                                   " numbers of subdivisions, but needs one in each direction."));
    for (unsigned int d = 0; d < dim; ++d)
      AssertThrow(p1[d] < p2[d] && subdivisions[d] > 0,
                  dealii::ExcMessage("A box extends in direction " + std::to_string(d) + " from " +
                                     std::to_string(p1[d]) + " to " + std::to_string(p2[d]) +
                                     " in " + std::to_string(subdivisions[d]) +
                                     " subdivisions, but needs a positive length and at least 1."));
    check_distortion(distortion);
    double n_simplices = dim == 2 ? 2. : 6.;
    for (const unsigned int n : subdivisions)
      n_simplices *= n;
    check_mesh_size(dim, n_simplices);

    // Vertices and cuboids are numbered lexicographically, the first direction fastest.
    std::array<unsigned int, dim> strides;
    std::array<double, dim>       amplitudes;
    unsigned int                  n_vertices = 1, n_cuboids = 1;
    for (unsigned int d = 0; d < dim; ++d)
      {
        strides[d]    = n_vertices;
        amplitudes[d] = distortion * (p2[d] - p1[d]) / subdivisions[d];
        n_vertices *= subdivisions[d] + 1;
        n_cuboids *= subdivisions[d];
      }

    FlatMesh<dim> mesh;
    mesh.vertices.reserve(n_vertices);
    for (unsigned int v = 0; v < n_vertices; ++v)
      {
        Point<dim> vertex;
        bool       inside = true;
        for (unsigned int d = 0; d < dim; ++d)
          {
            const unsigned int i = v / strides[d] % (subdivisions[d] + 1);
            vertex[d] =
              i == subdivisions[d] ? p2[d] : p1[d] + (p2[d] - p1[d]) * i / subdivisions[d];
            inside = inside && i > 0 && i < subdivisions[d];
          }
        mesh.vertices.push_back(inside ? displaced<dim>(vertex, v, amplitudes) : vertex);
      }

    // Marks the faces on the sides of the box.
    const dealii::ReferenceCell shape      = dealii::ReferenceCells::get_simplex<dim>();
    const auto                  mark_faces = [&](const std::array<unsigned int, dim + 1> &simplex) {
      for (const unsigned int f : shape.face_indices())
        for (unsigned int side = 0; side < 2 * dim; ++side)
          {
            const unsigned int d = side / 2, n = subdivisions[d];
            bool               is_on_side = true;
            for (unsigned int v = 0; v < dim; ++v)
              is_on_side = is_on_side &&
                           simplex[shape.face_to_cell_vertices(f, v, 1)] / strides[d] % (n + 1) ==
                             side % 2 * n;
            if (is_on_side && side > 0)
              mesh.ids.push_back({mesh.n_cells() - 1,
                                  side,
                                  FlatMesh<dim>::Kind::boundary,
                                  static_cast<unsigned char>(f)});
          }
    };
    for (unsigned int cuboid = 0; cuboid < n_cuboids; ++cuboid)
      {
        unsigned int corner = 0, rest = cuboid;
        bool         is_inside = true;
        for (unsigned int d = 0; d < dim; ++d)
          {
            const unsigned int i = rest % subdivisions[d];
            is_inside            = is_inside && i > 0 && i + 1 < subdivisions[d];
            corner += i * strides[d];
            rest /= subdivisions[d];
          }

        // A simplex for each permutation of the axes: the path from the lower to the upper corner
        // that walks along them in that order. Odd permutations give a negative orientation.
        std::array<unsigned int, dim> axes;
        std::iota(axes.begin(), axes.end(), 0);
        do
          {
            std::array<unsigned int, dim + 1> simplex{{corner}};
            bool                              odd = false;
            for (unsigned int k = 0; k < dim; ++k)
              {
                simplex[k + 1] = simplex[k] + strides[axes[k]];
                for (unsigned int l = 0; l < k; ++l)
                  odd = odd != (axes[l] > axes[k]);
              }
            if (odd)
              std::swap(simplex[dim - 1], simplex[dim]);
            mesh.add_cell(simplex);
            if (!is_inside)
              mark_faces(simplex);
          }
        while (std::next_permutation(axes.begin(), axes.end()));
      }
    return mesh;
  }


  template <int dim>
  void
  box(Triangulation<dim>              &tria,
      const Point<dim>                &p1,
      const Point<dim>                &p2,
      const std::vector<unsigned int> &subdivisions,
      const double                     distortion)
  {
    create_triangulation(box_cells(p1, p2, subdivisions, distortion), tria);
  }


  void
  disc(Triangulation<2> &tria, const double radius, const unsigned int n_rings)
  {
    AssertThrow(radius > 0. && n_rings > 0,
                dealii::ExcMessage("A disc is to have the radius " + std::to_string(radius) +
                                   " and " + std::to_string(n_rings) +
                                   " rings, but both must be positive."));
    check_mesh_size(2, 6. * n_rings * n_rings);

    // Circle k carries 6k vertices, beginning on the x axis.
    const auto circle_vertex = [](const unsigned int k, const unsigned int i) {
      return k == 0 ? 0 : 1 + 3 * k * (k - 1) + i % (6 * k);
    };

    Simplices<2> mesh;
    mesh.vertices.emplace_back(0., 0.);
    for (unsigned int k = 1; k <= n_rings; ++k)
      for (unsigned int i = 0; i < 6 * k; ++i)
        {
          const double angle = dealii::numbers::PI * i / (3. * k);
          mesh.vertices.emplace_back(radius * k / n_rings * std::cos(angle),
                                     radius * k / n_rings * std::sin(angle));
        }
    for (unsigned int k = 1; k <= n_rings; ++k)
      for (unsigned int sextant = 0; sextant < 6; ++sextant)
        for (unsigned int i = 0; i < k; ++i)
          {
            const unsigned int outer = sextant * k + i, inner = sextant * (k - 1) + i;
            mesh.add({{circle_vertex(k - 1, inner),
                       circle_vertex(k, outer),
                       circle_vertex(k, outer + 1)}});
            if (i > 0)
              mesh.add({{circle_vertex(k - 1, inner - 1),
                         circle_vertex(k, outer),
                         circle_vertex(k - 1, inner)}});
          }

    create(tria, mesh, [](const auto &) { return 0; });
    // one by one: set_all_manifold_ids_on_boundary() of deal.II 9.4 stops on triangles
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary())
        face->set_manifold_id(0);
    tria.set_manifold(0, dealii::SphericalManifold<2>());
  }


  void
  cut_quadrilaterals(Triangulation<2> &tria)
  {
    std::vector<CellData<2>> cells;
    const auto add = [&](const auto &from, const std::vector<unsigned int> &vertices) {
      cells.emplace_back(vertices.size());
      cells.back().material_id = from->material_id();
      cells.back().manifold_id = from->manifold_id();
      for (unsigned int v = 0; v < vertices.size(); ++v)
        cells.back().vertices[v] = from->vertex_index(vertices[v]);
    };
    // Lines have the directions that they have in the first cells. Only if those are as they were
    // does deal.II refine quadrilaterals well.
    const auto is_cut = [](const auto &cell) { return cell->active_cell_index() % 3 == 1; };
    for (const auto &cell : tria.active_cell_iterators())
      if (!is_cut(cell))
        add(cell, {0, 1, 2, 3});
    for (const auto &cell : tria.active_cell_iterators())
      if (is_cut(cell))
        {
          const bool first =
            cell->vertex(0).distance(cell->vertex(3)) <= cell->vertex(1).distance(cell->vertex(2));
          const std::vector<std::vector<unsigned int>> triangles[] = {{{0, 1, 2}, {1, 3, 2}},
                                                                      {{0, 1, 3}, {0, 3, 2}}};
          for (const auto &vertices : triangles[first])
            add(cell, vertices);
        }
    dealii::SubCellData faces;
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary() || face->manifold_id() != dealii::numbers::flat_manifold_id)
        {
          faces.boundary_lines.emplace_back(2);
          CellData<1> &line = faces.boundary_lines.back();
          line.vertices     = {face->vertex_index(0), face->vertex_index(1)};
          line.boundary_id  = face->boundary_id();
          line.manifold_id  = face->manifold_id();
        }
    std::map<dealii::types::manifold_id, std::unique_ptr<dealii::Manifold<2>>> manifolds;
    for (const auto id : tria.get_manifold_ids())
      if (id != dealii::numbers::flat_manifold_id)
        manifolds[id] = tria.get_manifold(id).clone();
    const auto vertices = tria.get_vertices();
    tria.clear();
    tria.create_triangulation(vertices, cells, faces);
    for (const auto &[id, manifold] : manifolds)
      tria.set_manifold(id, *manifold);
  }


  template FlatMesh<2>
  box_cells(const Point<2> &, const Point<2> &, const std::vector<unsigned int> &, const double);
  template void
  box<2>(Triangulation<2> &,
         const Point<2> &,
         const Point<2> &,
         const std::vector<unsigned int> &,
         const double);
  template FlatMesh<3>
  box_cells(const Point<3> &, const Point<3> &, const std::vector<unsigned int> &, const double);
  template void
  box<3>(Triangulation<3> &,
         const Point<3> &,
         const Point<3> &,
         const std::vector<unsigned int> &,
         const double);
} // namespace Saltus::GridGenerator
