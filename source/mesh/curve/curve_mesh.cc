// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/patterns.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/diagonal_matrix.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/blending.h>
#include <saltus/mesh/curve/continuous_nodes.h>
#include <saltus/mesh/curve/curve_mesh.h>
#include <saltus/mesh/curve/map_nodes.h>
#include <saltus/mesh/curve/nodal_gradients.h>

#include <array>
#include <functional>
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

    /// Call `body(cell, f, surface)` for faces that have a surface.
    template <int dim, typename Do>
    void
    for_faces_on_surfaces(const Triangulation<dim> &tria,
                          const Curving<dim>       &curving,
                          const Do                 &body)
    {
      for (const auto &cell : tria.active_cell_iterators())
        for (const unsigned int f : cell->face_indices())
          if (cell->face(f)->at_boundary())
            if (const auto found = curving.surfaces.find(cell->face(f)->boundary_id());
                found != curving.surfaces.end())
              body(cell, f, *found->second);
    }

    /// Closest points of numbered vertices or nodes, each found once, on all threads.
    template <int dim>
    class ClosestPoints
    {
    public:
      struct Entry
      {
        Point<dim>              from;
        std::vector<Point<dim>> corners;
        Point<dim>              place; ///< on the surface
      };

      void
      add(const unsigned int             number,
          const Surface<dim>            &surface,
          const Point<dim>              &from,
          const std::vector<Point<dim>> &corners = {})
      {
        entries.try_emplace({number, &surface}, Entry{from, corners, from});
      }

      void
      find()
      {
        std::vector<std::pair<const Surface<dim> *, Entry *>> list;
        for (auto &[key, entry] : entries)
          list.emplace_back(key.second, &entry);
        parallel_for(list.size(), [&](const std::size_t begin, const std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            if (auto &[surface, entry] = list[i]; entry->corners.size() != 1) // else it is there
              entry->place = surface->closest_point(entry->from, entry->corners);
        });
      }

      const Entry &
      operator()(const unsigned int number, const Surface<dim> &surface) const
      {
        return entries.at({number, &surface});
      }

    private:
      std::map<std::pair<unsigned int, const Surface<dim> *>, Entry> entries;
    };

    /// Where vertices of boundaries with surfaces go.
    template <int dim>
    std::map<unsigned int, Point<dim>>
    vertices_on_surfaces(const Triangulation<dim> &tria, const Curving<dim> &curving)
    {
      ClosestPoints<dim> closest_points;
      for_faces_on_surfaces(
        tria, curving, [&](const auto &cell, const unsigned int f, const auto &surface) {
          for (const unsigned int v : cell->face(f)->vertex_indices())
            closest_points.add(cell->face(f)->vertex_index(v), surface, cell->face(f)->vertex(v));
        });
      closest_points.find();
      std::map<unsigned int, Point<dim>> result;
      for_faces_on_surfaces(
        tria, curving, [&](const auto &cell, const unsigned int f, const auto &surface) {
          const auto face = cell->face(f);
          for (const unsigned int v : face->vertex_indices())
            {
              const Point<dim> on_surface = closest_points(face->vertex_index(v), surface).place;
              AssertThrow(on_surface.distance(face->vertex(v)) <= face->diameter(),
                          ExcMessage("the vertex " + text_of(face->vertex(v)) + " of boundary " +
                                     std::to_string(face->boundary_id()) + " is " +
                                     std::to_string(on_surface.distance(face->vertex(v))) +
                                     " away from its surface, the nearest point of which is " +
                                     text_of(on_surface) +
                                     ", more than the size of a face: the surface is not that of "
                                     "this mesh."));
              result.emplace(face->vertex_index(v), on_surface);
            }
        });
      return result;
    }

    /// `[d][r]`, of the map of a straight cell.
    template <int dim, typename Cell>
    Tensor<2, dim>
    jacobian_of_vertices(const Cell &cell)
    {
      Tensor<2, dim> result;
      for (unsigned int r = 0; r < dim; ++r)
        for (unsigned int d = 0; d < dim; ++d)
          result[d][r] = cell->vertex(r + 1)[d] - cell->vertex(0)[d];
      return result;
    }

    /// The elastic forces on the nodes of a degree: the derivatives of half the energy of
    /// curve_mesh().
    template <int dim>
    class ElasticForces
    {
    public:
      ElasticForces(const Triangulation<dim>   &tria,
                    const Curving<dim>         &curving,
                    const ContinuousNodes<dim> &nodes,
                    const unsigned int          degree)
        : diagonal(nodes.size(), 0.)
        , lambda(curving.poisson_ratio / (1. - 2. * curving.poisson_ratio))
        , rule(simplex_quadrature<dim>(2 * (degree - 1)))
        , gradients(nodal_gradients<dim>(degree, rule.get_points()))
      {
        for (const auto &cell : tria.active_cell_iterators())
          if (curving.is_in_box(cell->center()))
            {
              const Tensor<2, dim> jacobian = jacobian_of_vertices<dim>(cell);
              pieces.push_back({{}, invert(jacobian), std::abs(determinant(jacobian))});
              for (unsigned int n = 0; n < gradients.size(1); ++n)
                {
                  pieces.back().nodes.push_back(nodes(cell, n));
                  for (unsigned int q = 0; q < rule.size(); ++q)
                    diagonal[nodes(cell, n)] +=
                      (lambda + 0.5 + 0.5 * dim) / dim * pieces.back().volume * rule.weight(q) *
                      (gradients(q, n) * pieces.back().inverse).norm_square();
                }
            }
      }

      /// The forces of displacements of the nodes, `(node dim + d)` both.
      dealii::Vector<double>
      operator()(const dealii::Vector<double> &displacements) const
      {
        const unsigned int       n_nodes = gradients.size(1);
        Table<2, Tensor<1, dim>> of_pieces(pieces.size(), n_nodes);
        parallel_for(pieces.size(), [&](const std::size_t begin, const std::size_t end) {
          for (std::size_t c = begin; c < end; ++c)
            for (unsigned int q = 0; q < rule.size(); ++q)
              {
                Tensor<2, dim> gradient;
                for (unsigned int n = 0; n < n_nodes; ++n)
                  for (unsigned int d = 0; d < dim; ++d)
                    gradient[d] += displacements(pieces[c].nodes[n] * dim + d) * gradients(q, n);
                gradient              = gradient * pieces[c].inverse;
                Tensor<2, dim> stress = 0.5 * (gradient + transpose(gradient));
                for (unsigned int d = 0; d < dim; ++d)
                  stress[d][d] += lambda * trace(gradient);
                stress = rule.weight(q) * pieces[c].volume * stress * transpose(pieces[c].inverse);
                for (unsigned int n = 0; n < n_nodes; ++n)
                  of_pieces[c][n] += stress * gradients(q, n);
              }
        });
        dealii::Vector<double> result(displacements.size());
        for (std::size_t c = 0; c < pieces.size(); ++c)
          for (unsigned int n = 0; n < n_nodes; ++n)
            for (unsigned int d = 0; d < dim; ++d)
              result(pieces[c].nodes[n] * dim + d) += of_pieces[c][n][d];
        return result;
      }

      std::vector<double> diagonal; ///< `[node]`: the mean over the directions

    private:
      /// A cell in the box.
      struct Piece
      {
        std::vector<unsigned int> nodes;
        Tensor<2, dim>            inverse; ///< of the Jacobian of the straight cell
        double                    volume;  ///< the determinant of that Jacobian
      };

      const double                   lambda; ///< over 2 mu
      const Quadrature<dim>          rule;
      const Table<2, Tensor<1, dim>> gradients; ///< `(q, n)`
      std::vector<Piece>             pieces;
    };

    /// The elastic body with the nodes of a degree.
    template <int dim>
    class Body
    {
    public:
      /// @param on_surfaces see vertices_on_surfaces()
      Body(const Triangulation<dim>                 &tria,
           const Curving<dim>                       &curving,
           const std::map<unsigned int, Point<dim>> &on_surfaces,
           const unsigned int                        degree)
        : tria(tria)
        , curving(curving)
        , on_surfaces(on_surfaces)
        , degree(degree)
        , nodes(tria, degree)
        , prescribed(nodes.size())
        , normals(nodes.size())
        , places(nodes.size())
      {
        for (const auto &cell : tria.active_cell_iterators())
          for (unsigned int n = 0; n < nodes.weights().size(); ++n)
            places[nodes(cell, n)] = mean_of_vertices(cell, n);
        set_boundary();
      }

      /// Where the nodes go that follow the @p displacements of a body of the same or a lower
      /// degree: prescribed ones to the last bit, nodes of the cells at them by Blending, all
      /// others relaxed if the other body has a lower degree.
      CurvedNodes<dim>
      follow(const Body &elastic, const std::vector<Tensor<1, dim>> &displacements) const
      {
        const ModeTable<dim> there(elastic.degree, gmsh_nodes<dim>(elastic.degree));
        const ModeTable<dim> here(elastic.degree, gmsh_nodes<dim>(degree));
        FullMatrix<double>   modes(there.n_points()), values(here.n_points(), there.n_points());
        modes.invert(there.values);
        here.values.mmult(values, modes);
        Blending<dim, 1>   along_edges(degree);
        Blending<dim, 2>   along_faces(degree);
        std::vector<Place> moved = prescribed;
        for (const auto &cell : tria.active_cell_iterators())
          {
            std::vector<Point<dim>> positions(values.m());
            for (unsigned int n = 0; n < values.m(); ++n)
              {
                positions[n] = places[nodes(cell, n)];
                for (unsigned int m = 0; m < values.n(); ++m)
                  positions[n] += values(n, m) * displacements[elastic.nodes(cell, m)];
              }
            for (const unsigned int l : cell->line_indices())
              blend(along_edges, cell, cell->line(l), positions);
            if constexpr (dim == 3)
              for (const unsigned int f : cell->face_indices())
                blend(along_faces, cell, cell->face(f), positions);
            for (unsigned int n = 0; n < values.m(); ++n)
              {
                Place &place = moved[nodes(cell, n)];
                if (!place.is_set) // else a neighbor has moved it
                  place = {true, positions[n]};
              }
          }
        if (degree > elastic.degree)
          relax(moved);
        CurvedNodes<dim> result;
        result.degree = degree;
        result.positions.reinit(tria.n_active_cells(), values.m());
        for (const auto &cell : tria.active_cell_iterators())
          for (unsigned int n = 0; n < values.m(); ++n)
            result.positions[cell->active_cell_index()][n] = moved[nodes(cell, n)].place;
        return result;
      }

      /// The elastic displacements of the nodes.
      std::vector<Tensor<1, dim>>
      displacements() const
      {
        // Only nodes of cells in the box have unknowns: number dim + d is the one in direction d.
        std::vector<unsigned int> numbers(nodes.size(), dealii::numbers::invalid_unsigned_int);
        unsigned int              n_in_box = 0;
        for (const auto &cell : tria.active_cell_iterators())
          if (curving.is_in_box(cell->center()))
            for (unsigned int n = 0; n < nodes.weights().size(); ++n)
              if (unsigned int &number = numbers[nodes(cell, n)];
                  number == dealii::numbers::invalid_unsigned_int)
                number = n_in_box++;
        const types::global_dof_index        n           = n_in_box * dim;
        const auto                           constraints = this->constraints(numbers);
        DynamicSparsityPattern               sparsity(n, n);
        std::vector<types::global_dof_index> indices(nodes.weights().size() * dim);
        const auto                           set_indices = [&](const Cell &cell) {
          for (unsigned int i = 0; i < indices.size(); ++i)
            indices[i] = numbers[nodes(cell, i / dim)] * dim + i % dim;
        };
        for (const auto &cell : tria.active_cell_iterators())
          if (curving.is_in_box(cell->center()))
            {
              set_indices(cell);
              constraints.add_entries_local_to_global(indices, sparsity, false);
            }

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
        matrix.compress(VectorOperation::unknown);

        TrilinosWrappers::PreconditionAMG::AdditionalData data;
        data.elliptic              = true;
        data.higher_order_elements = degree > 1;
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
        std::vector<Tensor<1, dim>> result(nodes.size());
        for (unsigned int node = 0; node < nodes.size(); ++node)
          for (unsigned int d = 0; d < dim; ++d)
            if (numbers[node] != dealii::numbers::invalid_unsigned_int)
              result[node][d] = x(numbers[node] * dim + d);
            else
              result[node][d] = prescribed[node].place[d] - places[node][d];
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
          result += double(nodes.weights()[n][v]) / degree * cell->vertex(v);
        return result;
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

      template <int structdim, typename Object>
      void
      blend(Blending<dim, structdim> &blending,
            const Cell               &cell,
            const Object             &object,
            std::vector<Point<dim>>  &positions) const
      {
        const auto                  vertices = blending.vertices_of(cell, object);
        std::vector<Tensor<1, dim>> displacements;
        for (const unsigned int n : blending.inside(vertices))
          {
            const Place &place = prescribed[nodes(cell, n)];
            if (!place.is_set)
              return;
            displacements.push_back(place.place - positions[n]);
          }
        blending.move(vertices, displacements, positions);
      }

      /// Bring free nodes nearer to their places in the elastic body of this degree, by steps of
      /// conjugate gradients with the diagonal. The errors of a lower degree are of short range, so
      /// that a few steps suffice.
      void
      relax(std::vector<Place> &moved) const
      {
        std::vector<bool> is_free(nodes.size(), false);
        for (const auto &cell : tria.active_cell_iterators())
          if (curving.is_in_box(cell->center()))
            for (unsigned int n = 0; n < nodes.weights().size(); ++n)
              is_free[nodes(cell, n)] = !prescribed[nodes(cell, n)].is_set;
        const ElasticForces<dim> forces(tria, curving, nodes, degree);
        dealii::Vector<double>   displacements(nodes.size() * dim), change(nodes.size() * dim);
        DiagonalMatrix<dealii::Vector<double>> diagonal; // 0 for nodes that stay
        diagonal.get_vector().reinit(nodes.size() * dim);
        for (unsigned int node = 0; node < nodes.size(); ++node)
          for (unsigned int d = 0; d < dim; ++d)
            {
              displacements(node * dim + d) = moved[node].place[d] - places[node][d];
              if (is_free[node])
                diagonal.get_vector()(node * dim + d) = 1. / forces.diagonal[node];
            }
        const auto forces_of = [&](dealii::Vector<double>       &result,
                                   const dealii::Vector<double> &of) {
          result = forces(of);
          for (unsigned int node = 0; node < nodes.size(); ++node)
            {
              Tensor<1, dim> force;
              if (is_free[node])
                for (unsigned int d = 0; d < dim; ++d)
                  force[d] = result(node * dim + d);
              for (const Tensor<1, dim> &normal : normals[node])
                force -= (force * normal) * normal;
              for (unsigned int d = 0; d < dim; ++d)
                result(node * dim + d) = force[d];
            }
        };
        struct
        {
          std::function<void(dealii::Vector<double> &, const dealii::Vector<double> &)> vmult;
        } const matrix{forces_of};
        dealii::Vector<double> residual;
        forces_of(residual, displacements);
        residual *= -1.;
        IterationNumberControl control(n_relaxations, 0., false, false);
        SolverCG<>(control).solve(matrix, change, residual, diagonal);
        for (unsigned int node = 0; node < nodes.size(); ++node)
          if (is_free[node])
            for (unsigned int d = 0; d < dim; ++d)
              moved[node].place[d] += change(node * dim + d);
      }

      /// Steps after which scaled Jacobians are those of the elastic body.
      static constexpr unsigned int n_relaxations = 20;

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
        const auto for_nodes_on_surfaces = [&](const auto &body) {
          for_faces_on_surfaces(
            tria, curving, [&](const Cell &cell, const unsigned int f, const auto &surface) {
              for_nodes_of_face(cell, f, [&](const unsigned int n) { body(cell, f, n, surface); });
            });
        };
        ClosestPoints<dim> closest_points;
        for_nodes_on_surfaces(
          [&](const Cell &cell, const unsigned int, const unsigned int n, const auto &surface) {
            Point<dim>              start;
            std::vector<Point<dim>> corners;
            for (unsigned int v = 0; v <= dim; ++v)
              if (const unsigned int weight = nodes.weights()[n][v]; weight > 0)
                {
                  corners.push_back(on_surfaces.at(cell->vertex_index(v)));
                  start += double(weight) / degree * corners.back();
                }
            closest_points.add(nodes(cell, n), surface, start, corners);
          });
        closest_points.find();
        for_nodes_on_surfaces(
          [&](const Cell &cell, const unsigned int f, const unsigned int n, const auto &surface) {
            const auto &found = closest_points(nodes(cell, n), surface);
            AssertThrow(found.place.distance(found.from) <= cell->face(f)->diameter(),
                        ExcMessage("the closest point of the surface jumps from " +
                                   text_of(found.from) + " to " + text_of(found.place) +
                                   ": the mesh is too coarse there."));
            prescribe(nodes(cell, n), found.place);
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

      /// @param numbers `[node]`: unknown `numbers[node] dim + d` is the displacement in direction
      /// d
      AffineConstraints<double>
      constraints(const std::vector<unsigned int> &numbers) const
      {
        AffineConstraints<double> result;
        for (unsigned int node = 0; node < nodes.size(); ++node)
          if (numbers[node] == dealii::numbers::invalid_unsigned_int)
            continue;
          else if (prescribed[node].is_set)
            for (unsigned int d = 0; d < dim; ++d)
              {
                result.add_line(numbers[node] * dim + d);
                result.set_inhomogeneity(numbers[node] * dim + d,
                                         prescribed[node].place[d] - places[node][d]);
              }
          else
            add_sliding(normals[node], numbers[node] * dim, result);
        result.close();
        return result;
      }

      /// The components of the largest entries of the normals follow from the others.
      static void
      add_sliding(std::vector<Tensor<1, dim>> rows,
                  const unsigned int          first,
                  AffineConstraints<double>  &result)
      {
        std::vector<unsigned int> pivots;
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
            result.add_line(first + pivots[i]);
            for (unsigned int d = 0; d < dim; ++d)
              if (d != pivots[i] && std::abs(rows[i][d]) > 1e-14)
                result.add_entry(first + pivots[i], first + d, -rows[i][d]);
          }
      }

      /// `[r][s](i, j)`: \f$ \int \partial_r \phi_i \partial_s \phi_j \f$ on the reference cell.
      using Energy = std::array<std::array<FullMatrix<double>, dim>, dim>;

      Energy
      reference_energy() const
      {
        const unsigned int n         = nodes.weights().size();
        const auto         rule      = simplex_quadrature<dim>(2 * (degree - 1));
        const auto         gradients = nodal_gradients<dim>(degree, rule.get_points());
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
        const Tensor<2, dim> jacobian = jacobian_of_vertices<dim>(cell);
        const Tensor<2, dim> inverse  = invert(jacobian);
        const double         volume   = std::abs(determinant(jacobian));
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

      const Triangulation<dim>                 &tria;
      const Curving<dim>                       &curving;
      const std::map<unsigned int, Point<dim>> &on_surfaces; ///< vertices
      const unsigned int                        degree;
      const ContinuousNodes<dim>                nodes;

      std::vector<Place>                       prescribed; ///< `[node]`
      std::vector<std::vector<Tensor<1, dim>>> normals;    ///< `[node]`: of planes of symmetry
      std::vector<Point<dim>>                  places;     ///< `[node]`: before
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
    // Higher degrees follow a body of degree 2, in which thin cells at a wall bend with it.
    const auto      on_surfaces = vertices_on_surfaces(tria, curving);
    const Body<dim> elastic(tria, curving, on_surfaces, std::min(curving.degree, 2U));
    const auto      displacements = elastic.displacements();
    const auto      nodes =
      curving.degree > 2
             ? Body<dim>(tria, curving, on_surfaces, curving.degree).follow(elastic, displacements)
             : elastic.follow(elastic, displacements);
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int v = 0; v <= dim; ++v)
        cell->vertex(v) = nodes.positions[cell->active_cell_index()][v];
    return nodes;
  }

  template struct Curving<2>;
  template struct Curving<3>;
  template CurvedNodes<2>
  curve_mesh(Triangulation<2> &, const Curving<2> &);
  template CurvedNodes<3>
  curve_mesh(Triangulation<3> &, const Curving<3> &);
} // namespace Saltus
