// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/patterns.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>

#include <saltus/base/ranks/ranks.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/continuous_nodes.h>
#include <saltus/mesh/curve/curve_mesh.h>
#include <saltus/mesh/curve/nodal_gradients.h>

#include <array>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::string
    text_of(const Point<dim> &place)
    {
      return "(" + Patterns::Tools::to_string(place) + ")";
    }

    /// The elastic body.
    template <int dim>
    class Body
    {
    public:
      Body(Triangulation<dim> &tria, const Curving<dim> &curving)
        : tria(tria)
        , curving(curving)
        , nodes(tria, curving.degree)
        , prescribed(nodes.size())
        , normals(nodes.size())
        , places(nodes.size())
      {
        for (const auto &cell : tria.active_cell_iterators())
          for (unsigned int n = 0; n < nodes.weights().size(); ++n)
            places[nodes(cell, n)] = mean_of_vertices(cell, n);
      }

      CurvedNodes<dim>
      move()
      {
        find_vertices_on_surfaces();
        set_boundary();
        const std::vector<double> displacements = solve();
        CurvedNodes<dim>          result;
        result.degree = curving.degree;
        result.positions.reinit(tria.n_active_cells(), nodes.weights().size());
        for (const auto &cell : tria.active_cell_iterators())
          for (unsigned int n = 0; n < nodes.weights().size(); ++n)
            {
              const unsigned int node     = nodes(cell, n);
              Point<dim>         position = places[node];
              if (prescribed[node].is_set) // to the last bit
                position = prescribed[node].place;
              else
                for (unsigned int d = 0; d < dim; ++d)
                  position[d] += displacements[node * dim + d];
              result.positions[cell->active_cell_index()][n] = position;
            }
        for (const auto &cell : tria.active_cell_iterators())
          for (unsigned int v = 0; v <= dim; ++v)
            cell->vertex(v) = result.positions[cell->active_cell_index()][v];
        return result;
      }

    private:
      using Cell = typename Triangulation<dim>::active_cell_iterator;

      struct Place
      {
        bool       is_set = false;
        Point<dim> place;
      };

      Point<dim>
      mean_of_vertices(const Cell &cell, const unsigned int n) const
      {
        Point<dim> result;
        for (unsigned int v = 0; v <= dim; ++v)
          result += double(nodes.weights()[n][v]) / curving.degree * cell->vertex(v);
        return result;
      }

      /// Call `body(cell, f, surface)` for faces that have a surface.
      template <typename Do>
      void
      for_faces_on_surfaces(const Do &body) const
      {
        for (const auto &cell : tria.active_cell_iterators())
          for (const unsigned int f : cell->face_indices())
            if (cell->face(f)->at_boundary())
              if (const auto found = curving.surfaces.find(cell->face(f)->boundary_id());
                  found != curving.surfaces.end())
                body(cell, f, *found->second);
      }

      void
      find_vertices_on_surfaces()
      {
        for_faces_on_surfaces([&](const Cell &cell, const unsigned int f, const auto &surface) {
          const auto face = cell->face(f);
          for (const unsigned int v : face->vertex_indices())
            {
              const Point<dim> on_surface = surface.closest_point(face->vertex(v));
              AssertThrow(on_surface.distance(face->vertex(v)) <= face->diameter(),
                          ExcMessage("the vertex " + text_of(face->vertex(v)) + " of boundary " +
                                     std::to_string(face->boundary_id()) + " is " +
                                     std::to_string(on_surface.distance(face->vertex(v))) +
                                     " away from its surface, the nearest point of which is " +
                                     text_of(on_surface) +
                                     ", more than the size of a face: the surface is not that of "
                                     "this mesh."));
              on_surfaces.emplace(face->vertex_index(v), on_surface);
            }
        });
      }

      /// The nodes of a face.
      template <typename Do>
      void
      for_nodes_of_face(const Cell &cell, const unsigned int f, const Do &body) const
      {
        const unsigned int opposite = opposite_vertex(cell, f);
        for (unsigned int n = 0; n < nodes.weights().size(); ++n)
          if (nodes.weights()[n][opposite] == 0)
            body(n);
      }

      static unsigned int
      opposite_vertex(const Cell &cell, const unsigned int f)
      {
        for (unsigned int v = 0; v <= dim; ++v)
          {
            bool is_on_face = false;
            for (const unsigned int w : cell->face(f)->vertex_indices())
              is_on_face |= cell->face(f)->vertex_index(w) == cell->vertex_index(v);
            if (!is_on_face)
              return v;
          }
        Assert(false, ExcInternalError());
        return 0;
      }

      void
      prescribe(const unsigned int node, const Point<dim> &place)
      {
        if (!prescribed[node].is_set)
          prescribed[node] = {true, place};
      }

      /// Where nodes on surfaces, at the border and on planes of symmetry go.
      void
      set_boundary()
      {
        for_faces_on_surfaces([&](const Cell &cell, const unsigned int f, const auto &surface) {
          for_nodes_of_face(cell, f, [&](const unsigned int n) {
            Point<dim>              start;
            std::vector<Point<dim>> corners;
            for (unsigned int v = 0; v <= dim; ++v)
              if (const unsigned int weight = nodes.weights()[n][v]; weight > 0)
                {
                  corners.push_back(on_surfaces.at(cell->vertex_index(v)));
                  start += double(weight) / curving.degree * corners.back();
                }
            const Point<dim> place =
              corners.size() == 1 ? corners[0] : surface.closest_point(start, corners);
            AssertThrow(place.distance(start) <= cell->face(f)->diameter(),
                        ExcMessage("the closest point of the surface jumps from " + text_of(start) +
                                   " to " + text_of(place) + ": the mesh is too coarse there."));
            prescribe(nodes(cell, n), place);
          });
        });
        for (const auto &cell : tria.active_cell_iterators())
          if (!curving.is_in_box(cell->center()))
            for (unsigned int n = 0; n < nodes.weights().size(); ++n)
              prescribe(nodes(cell, n), places[nodes(cell, n)]);
          else
            for (const unsigned int f : cell->face_indices())
              if (const auto face = cell->face(f);
                  face->at_boundary() && curving.surfaces.count(face->boundary_id()) == 0)
                for_nodes_of_face(cell, f, [&](const unsigned int n) {
                  const unsigned int node = nodes(cell, n);
                  if (curving.sliding.count(face->boundary_id()) > 0)
                    add_normal(node, normal_of(cell, f));
                  else
                    prescribe(node, places[node]);
                });
      }

      static Tensor<1, dim>
      normal_of(const Cell &cell, const unsigned int f)
      {
        const auto     face = cell->face(f);
        Tensor<1, dim> normal;
        if constexpr (dim == 2)
          normal = cross_product_2d(face->vertex(1) - face->vertex(0));
        else
          normal =
            cross_product_3d(face->vertex(1) - face->vertex(0), face->vertex(2) - face->vertex(0));
        return normal / normal.norm();
      }

      /// Of two planes that meet, normals are made orthogonal; a node in three of them stays.
      void
      add_normal(const unsigned int node, Tensor<1, dim> normal)
      {
        constexpr double same = 1e-6;
        for (const Tensor<1, dim> &other : normals[node])
          normal -= (normal * other) * other;
        if (normal.norm() < same)
          return;
        normals[node].push_back(normal / normal.norm());
        if (normals[node].size() == dim)
          prescribe(node, places[node]);
      }

      /// Degree of freedom `node dim + d`: the displacement in direction d.
      AffineConstraints<double>
      constraints() const
      {
        AffineConstraints<double> result;
        for (unsigned int node = 0; node < nodes.size(); ++node)
          if (prescribed[node].is_set)
            for (unsigned int d = 0; d < dim; ++d)
              {
                result.add_line(node * dim + d);
                result.set_inhomogeneity(node * dim + d,
                                         prescribed[node].place[d] - places[node][d]);
              }
          else
            add_sliding(node, result);
        result.close();
        return result;
      }

      /// The components of the largest entries of the normals follow from the others.
      void
      add_sliding(const unsigned int node, AffineConstraints<double> &result) const
      {
        std::vector<Tensor<1, dim>> rows = normals[node];
        std::vector<unsigned int>   pivots;
        for (unsigned int i = 0; i < rows.size(); ++i)
          {
            unsigned int pivot = 0;
            for (unsigned int d = 1; d < dim; ++d)
              if (std::abs(rows[i][d]) > std::abs(rows[i][pivot]))
                pivot = d;
            rows[i] /= double(rows[i][pivot]);
            for (unsigned int j = 0; j < rows.size(); ++j)
              if (j != i)
                rows[j] -= rows[j][pivot] * Tensor<1, dim>(rows[i]);
            pivots.push_back(pivot);
          }
        for (unsigned int i = 0; i < rows.size(); ++i)
          {
            result.add_line(node * dim + pivots[i]);
            for (unsigned int d = 0; d < dim; ++d)
              if (d != pivots[i] && std::abs(rows[i][d]) > 1e-14)
                result.add_entry(node * dim + pivots[i], node * dim + d, -rows[i][d]);
          }
      }

      std::vector<double>
      solve() const
      {
        const types::global_dof_index        n           = nodes.size() * dim;
        const auto                           constraints = this->constraints();
        DynamicSparsityPattern               sparsity(n, n);
        std::vector<types::global_dof_index> indices(nodes.weights().size() * dim);
        const auto                           set_indices = [&](const Cell &cell) {
          for (unsigned int i = 0; i < indices.size(); ++i)
            indices[i] = nodes(cell, i / dim) * dim + i % dim;
        };
        for (const auto &cell : tria.active_cell_iterators())
          {
            set_indices(cell);
            if (curving.is_in_box(cell->center()))
              constraints.add_entries_local_to_global(indices, sparsity, false);
          }
        for (types::global_dof_index i = 0; i < n; ++i) // those of no cell in the box, too
          sparsity.add(i, i);

        const IndexSet                 all = complete_index_set(n);
        TrilinosWrappers::SparseMatrix matrix;
        matrix.reinit(all, sparsity, with_mpi(MPI_COMM_SELF));
        TrilinosWrappers::MPI::Vector right_hand_side(all, MPI_COMM_SELF), x(all, MPI_COMM_SELF);
        const auto                    energy = reference_energy();
        dealii::Vector<double>        zero(indices.size());
        for (const auto &cell : tria.active_cell_iterators())
          if (curving.is_in_box(cell->center()))
            {
              set_indices(cell);
              constraints.distribute_local_to_global(
                stiffness(cell, energy), zero, indices, matrix, right_hand_side, true);
            }
        for (types::global_dof_index i = 0; i < n; ++i)
          if (constraints.is_constrained(i) && matrix.el(i, i) == 0.)
            matrix.set(i, i, 1.);
        matrix.compress(VectorOperation::unknown);

        TrilinosWrappers::PreconditionAMG::AdditionalData data;
        data.elliptic              = true;
        data.higher_order_elements = curving.degree > 1;
        data.constant_modes.assign(dim, std::vector<bool>(n));
        for (types::global_dof_index i = 0; i < n; ++i)
          data.constant_modes[i % dim][i] = true;
        TrilinosWrappers::PreconditionAMG multigrid;
        multigrid.initialize(matrix, data);
        SolverControl control(10000, 1e-13 * right_hand_side.l2_norm(), false, false);
        try
          {
            if (right_hand_side.l2_norm() > 0.)
              SolverCG<TrilinosWrappers::MPI::Vector>(control).solve(matrix,
                                                                     x,
                                                                     right_hand_side,
                                                                     multigrid);
          }
        catch (const SolverControl::NoConvergence &error)
          {
            AssertThrow(false,
                        ExcMessage("the displacements of nodes are not found: after " +
                                   std::to_string(error.last_step) +
                                   " iterations the residual is too large. Check the mesh for "
                                   "degenerate cells, or use smaller cells at the surfaces."));
          }
        constraints.distribute(x);
        return {x.begin(), x.end()};
      }

      /// `[r][s](i, j)`: \f$ \int \partial_r \phi_i \partial_s \phi_j \f$ on the reference cell.
      using Energy = std::array<std::array<FullMatrix<double>, dim>, dim>;

      Energy
      reference_energy() const
      {
        const unsigned int n         = nodes.weights().size();
        const auto         rule      = simplex_quadrature<dim>(2 * (curving.degree - 1));
        const auto         gradients = nodal_gradients<dim>(curving.degree, rule.get_points());
        Energy             result;
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int s = 0; s < dim; ++s)
            {
              result[r][s].reinit(n, n);
              for (unsigned int q = 0; q < rule.size(); ++q)
                for (unsigned int i = 0; i < n; ++i)
                  for (unsigned int j = 0; j < n; ++j)
                    result[r][s](i, j) += rule.weight(q) * gradients(q, i)[r] * gradients(q, j)[s];
            }
        return result;
      }

      FullMatrix<double>
      stiffness(const Cell &cell, const Energy &energy) const
      {
        Tensor<2, dim> jacobian;
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int d = 0; d < dim; ++d)
            jacobian[d][r] = cell->vertex(r + 1)[d] - cell->vertex(0)[d];
        const Tensor<2, dim> inverse = invert(jacobian);
        const double         volume  = std::abs(determinant(jacobian));
        const double         lambda =
          curving.poisson_ratio / (1. - 2. * curving.poisson_ratio); // over 2 mu
        const unsigned int n = nodes.weights().size();
        FullMatrix<double> result(n * dim, n * dim);
        for (unsigned int i = 0; i < n; ++i)
          for (unsigned int j = 0; j < n; ++j)
            {
              Tensor<2, dim> of_modes; // [r][s], then [a][b] in space
              for (unsigned int r = 0; r < dim; ++r)
                for (unsigned int s = 0; s < dim; ++s)
                  of_modes[r][s] = volume * energy[r][s](i, j);
              const Tensor<2, dim> G = transpose(inverse) * of_modes * inverse;
              for (unsigned int a = 0; a < dim; ++a)
                for (unsigned int b = 0; b < dim; ++b)
                  result(i * dim + a, j * dim + b) =
                    lambda * G[a][b] + 0.5 * (G[b][a] + (a == b ? trace(G) : 0.));
            }
        return result;
      }

      Triangulation<dim>        &tria;
      const Curving<dim>        &curving;
      const ContinuousNodes<dim> nodes;

      std::map<unsigned int, Point<dim>>       on_surfaces; ///< vertices, moved
      std::vector<Place>                       prescribed;  ///< `[node]`
      std::vector<std::vector<Tensor<1, dim>>> normals;     ///< `[node]`: of planes of symmetry
      std::vector<Point<dim>>                  places;      ///< `[node]`: before
    };

    template <int dim>
    void
    check_id(const Triangulation<dim> &tria, const types::boundary_id id, const char *what)
    {
      std::set<types::boundary_id> ids;
      for (const types::boundary_id present : tria.get_boundary_ids())
        ids.insert(present);
      AssertThrow(ids.count(id) > 0,
                  ExcMessage("there is no boundary face with the id " + std::to_string(id) +
                             ", which is to " + what + "; the mesh has " +
                             Patterns::Tools::to_string(ids) + "."));
    }
  } // namespace

  template <int dim>
  std::pair<Point<dim>, Point<dim>>
  Curving<dim>::everything()
  {
    std::pair<Point<dim>, Point<dim>> result;
    for (unsigned int d = 0; d < dim; ++d)
      {
        result.first[d]  = -std::numeric_limits<double>::max();
        result.second[d] = std::numeric_limits<double>::max();
      }
    return result;
  }

  template <int dim>
  bool
  Curving<dim>::is_in_box(const Point<dim> &center) const
  {
    for (unsigned int d = 0; d < dim; ++d)
      if (center[d] < box.first[d] || center[d] > box.second[d])
        return false;
    return true;
  }

  template <int dim>
  void
  Curving<dim>::check_poisson_ratio() const
  {
    AssertThrow(poisson_ratio > -1. && poisson_ratio < 0.5,
                ExcMessage("the Poisson ratio must be above -1 and below 0.5, but is " +
                           std::to_string(poisson_ratio) + "."));
  }

  template <int dim>
  void
  Curving<dim>::check_sliding(const Triangulation<dim> &tria) const
  {
    for (const types::boundary_id id : sliding)
      {
        check_id(tria, id, "slide");
        AssertThrow(surfaces.count(id) == 0,
                    ExcMessage("the boundary " + std::to_string(id) +
                               " is moved onto a surface: it cannot slide in its plane as well."));
      }
  }

  template <int dim>
  void
  Curving<dim>::check_box(const Triangulation<dim> &tria) const
  {
    for (const auto &cell : tria.active_cell_iterators())
      for (const auto &face : cell->face_iterators())
        AssertThrow(!face->at_boundary() || surfaces.count(face->boundary_id()) == 0 ||
                      is_in_box(cell->center()),
                    ExcMessage("the cell around " + text_of(cell->center()) +
                               " is outside of the box, but its face has a surface."));
  }

  template <int dim>
  CurvedNodes<dim>
  curve_mesh(Triangulation<dim> &tria, const Curving<dim> &curving)
  {
    curving.check_poisson_ratio();
    for (const auto &surface : curving.surfaces)
      check_id(tria, surface.first, "be moved onto a surface");
    curving.check_sliding(tria);
    curving.check_box(tria);
    return Body<dim>(tria, curving).move();
  }

  template struct Curving<2>;
  template struct Curving<3>;
  template CurvedNodes<2>
  curve_mesh(Triangulation<2> &, const Curving<2> &);
  template CurvedNodes<3>
  curve_mesh(Triangulation<3> &, const Curving<3> &);
} // namespace Saltus
