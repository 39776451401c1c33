// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/derivative_approximation.h>

#include <saltus/base/device/threads.h>
#include <saltus/fe/basis.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/adapt/adaption_indicator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    using Indicators = dealii::Vector<float>;

    /// That of a basis of tensor polynomials.
    unsigned int
    degree_of(const unsigned int n_modes, const unsigned int dim)
    {
      unsigned int degree = 0;
      while (std::pow(degree + 1, dim) < n_modes)
        ++degree;
      return degree;
    }

    /// Coefficients of some components on the host, those of ghosts too.
    class Coefficients
    {
    public:
      template <int dim, typename Number>
      Coefficients(const ElementMesh<dim> &mesh,
                   const Vector<Number>   &u,
                   const unsigned int      first,
                   const unsigned int      n_components = 1)
        : n_modes(u.n_modes())
        , n_components(n_components)
        , values(static_cast<std::size_t>(mesh.order.first_ghost()) * n_components * n_modes)
      {
        const std::vector<Number> copied =
          u.device() == Device::cpu() ? std::vector<Number>() : u.to_host();
        const Number *const     all    = copied.empty() ? u.data() : copied.data();
        const CoefficientLayout layout = u.layout().coefficients();
        const int               stride = layout.mode_stride();
        parallel_for(mesh.n_elements(), [&](const unsigned int begin, const unsigned int end) {
          for (unsigned int e = begin; e < end; ++e)
            for (unsigned int c = 0; c < n_components; ++c)
              {
                const std::size_t from = layout.index(e, 0, first + c);
                double *const     to   = values.data() + place(e, c);
                for (unsigned int m = 0; m < n_modes; ++m)
                  to[m] = all[from + m * stride];
              }
        });
      }

      /// Collective.
      template <int dim>
      void
      add_ghosts(const ElementMesh<dim> &mesh)
      {
        if (mesh.partition == nullptr)
          return;
        std::vector<double> own;
        for (const auto &ghost : mesh.connectivity.ghosts)
          own.insert(own.end(), of(ghost.element), of(ghost.element) + n_components * n_modes);
        const auto ghosts = exchange_across(mesh.partition->communicator,
                                            mesh.ghost_ranks(),
                                            n_components * n_modes,
                                            own);
        values.insert(values.end(), ghosts.begin(), ghosts.end());
      }

      /// `[m]`
      const double *
      of(const unsigned int element, const unsigned int component = 0) const
      {
        return values.data() + place(element, component);
      }

      const unsigned int n_modes, n_components;

    private:
      std::size_t
      place(const unsigned int element, const unsigned int component) const
      {
        return (static_cast<std::size_t>(element) * n_components + component) * n_modes;
      }

      std::vector<double> values; ///< `[e][c][m]`
    };

    /// Sums over the modes with one row of factors each, of which most are zero where the points of
    /// a basis are those that are looked at.
    class SparseRows
    {
    public:
      void
      add(const std::vector<double> &factors)
      {
        for (unsigned int m = 0; m < factors.size(); ++m)
          if (std::abs(factors[m]) > 1e-12)
            entries.emplace_back(m, factors[m]);
        ends.push_back(entries.size());
      }

      double
      operator()(const unsigned int row, const double *u) const
      {
        double sum = 0.;
        for (std::size_t i = row == 0 ? 0 : ends[row - 1]; i < ends[row]; ++i)
          sum += entries[i].second * u[entries[i].first];
        return sum;
      }

    private:
      std::vector<std::pair<unsigned int, double>> entries;
      std::vector<std::size_t>                     ends; ///< `[row]`
    };

    /// Points of the reference cell where polynomials are looked at.
    template <int dim>
    class PointSet
    {
    public:
      PointSet(const ElementMesh<dim>        &mesh,
               const unsigned int             degree,
               const std::vector<Point<dim>> &points)
        : geometry(mesh.geometry)
      {
        const auto          polynomials = polynomials_of<dim>(geometry.cell, degree);
        std::vector<double> factors(polynomials->n());
        for (const Point<dim> &point : points)
          {
            for (unsigned int m = 0; m < factors.size(); ++m)
              factors[m] = polynomials->compute_value(m, point);
            values.add(factors);
            for (unsigned int r = 0; r < dim; ++r)
              {
                for (unsigned int m = 0; m < factors.size(); ++m)
                  factors[m] = polynomials->compute_grad(m, point)[r];
                derivatives.add(factors);
              }
          }
        if (geometry.has_curved_elements)
          of_maps =
            std::make_unique<const ModeTable<dim>>(geometry.map_degree, points, geometry.cell);
      }

      /// Of the function with the coefficients @p u, at point @p q.
      double
      value(const unsigned int q, const double *u) const
      {
        return values(q, u);
      }

      /// \f$ \partial u/\partial \hat x_r \f$
      double
      derivative(const unsigned int q, const unsigned int r, const double *u) const
      {
        return derivatives(q * dim + r, u);
      }

      /// `[q]`: \f$ \partial \hat x_r/\partial x_d \f$ in an element, on affine ones all the same.
      struct InverseJacobians
      {
        const Tensor<2, dim> &
        operator[](const unsigned int q) const
        {
          return are_equal() ? *of_element : at_points[q];
        }

        bool
        are_equal() const
        {
          return at_points.empty();
        }

        const Tensor<2, dim>       *of_element;
        std::vector<Tensor<2, dim>> at_points;
      };

      InverseJacobians
      inverse_jacobians(const unsigned int element) const
      {
        InverseJacobians result{&geometry.inverse_jacobians[element], {}};
        if (const ElementMap<dim> *curved = geometry.curved_map(element))
          result.at_points = curved->jacobians(*of_maps);
        for (Tensor<2, dim> &jacobian : result.at_points)
          jacobian = invert(jacobian);
        return result;
      }

    private:
      const ElementGeometry<dim>           &geometry;
      SparseRows                            values;      ///< `[q]`
      SparseRows                            derivatives; ///< `[q][r]`
      std::unique_ptr<const ModeTable<dim>> of_maps;
    };

    /// Jumps of the first component through the faces of elements, which may hang on either side.
    template <int dim>
    class FaceJumps
    {
    public:
      enum class Of
      {
        values,
        normal_derivatives
      };

      FaceJumps(const ElementMesh<dim>      &mesh,
                const ReferenceElement<dim> &reference,
                const Coefficients          &u,
                const Of                     kind)
        : mesh(mesh)
        , reference(reference)
        , u(u)
        , kind(kind)
      {
        AssertThrow(reference.n_face_points() <= max_points, ExcNotImplemented());
        for (unsigned int f = 0; f < mesh.shape.n_faces; ++f)
          for (unsigned int part = 0; part <= mesh.shape.n_sub_faces; ++part)
            places.emplace_back(mesh, reference.degree, points(f, part));
      }

      /// \f$ \int_{\partial K} [\cdot]^2 \f$ without the boundary
      double
      square(const unsigned int element) const
      {
        const auto &connectivity = mesh.connectivity;
        double      sum          = 0.;
        for (unsigned int f = 0; f < mesh.shape.n_faces; ++f)
          if (const FaceRecord &across = connectivity.face(element, f);
              mesh.order.cells[element]->at_boundary(f)) // periodic ones, too
            continue;
          else if (across.kind == FaceKind::hanging)
            for (unsigned int s = 0; s < mesh.shape.n_sub_faces; ++s)
              sum +=
                square({element, f, s + 1}, connectivity.hanging_faces[across.neighbor].parts[s]);
          else
            sum += square({element, f, 0}, across);
        return sum;
      }

    private:
      static constexpr unsigned int max_points = dim == 2 ? 10 : 100; // of degree 9

      using Numbers = std::array<double, max_points>;
      using Normals = std::array<Tensor<1, dim>, max_points>;

      /// Part of a face, or with part = 0 all of it.
      struct Place
      {
        unsigned int element, face, part;
      };

      /// Those of the face rule.
      std::vector<Point<dim>>
      points(const unsigned int f, const unsigned int part) const
      {
        const unsigned int      nf = reference.n_face_points();
        std::vector<Point<dim>> result(reference.face_points.begin() + f * nf,
                                       reference.face_points.begin() + (f + 1) * nf);
        if (part > 0) // it is half as long, and keeps the vertex of its number
          for (Point<dim> &point : result)
            point +=
              0.5 *
              (mesh.shape.reference_cell.template vertex<dim>(mesh.shape.face_vertex(f, part - 1)) -
               point);
        return result;
      }

      const PointSet<dim> &
      points(const Place &at) const
      {
        return places[at.face * (mesh.shape.n_sub_faces + 1) + at.part];
      }

      /// What jumps, at the points of a place.
      void
      trace(const Place &at, const Normals &normals, Numbers &result) const
      {
        const PointSet<dim> &here  = points(at);
        const double *const  modes = u.of(at.element);
        if (kind == Of::values)
          for (unsigned int q = 0; q < reference.n_face_points(); ++q)
            result[q] = here.value(q, modes);
        else
          {
            const auto     inverses = here.inverse_jacobians(at.element);
            Tensor<1, dim> shares; // of the derivatives in a normal one
            for (unsigned int q = 0; q < reference.n_face_points(); ++q)
              {
                if (q == 0 || !inverses.are_equal())
                  shares = shares_of(inverses[q], normals[q]);
                result[q] = 0.;
                for (unsigned int r = 0; r < dim; ++r)
                  if (shares[r] != 0.)
                    result[q] += shares[r] * here.derivative(q, r, modes);
              }
          }
      }

      /// Without those that are rounding, so that in boxes there is one.
      static Tensor<1, dim>
      shares_of(const Tensor<2, dim> &inverse, const Tensor<1, dim> &normal)
      {
        Tensor<1, dim> shares             = inverse * normal;
        const double   square_of_rounding = 1e-24 * inverse.norm_square();
        for (unsigned int r = 0; r < dim; ++r)
          if (shares[r] * shares[r] <= square_of_rounding)
            shares[r] = 0.;
        return shares;
      }

      double
      square(const Place &here, const FaceRecord &record) const
      {
        const unsigned int nf = reference.n_face_points();
        const Place there{static_cast<unsigned int>(record.neighbor), record.face, record.sub_face};
        const auto *const permutation =
          reference.face_permutations.data() + record.orientation * nf;

        const auto     inverses = points(here).inverse_jacobians(here.element);
        Normals        normals, normals_there;
        Numbers        weights, inside, outside;
        Tensor<1, dim> normal;
        double         area = 0.;
        for (unsigned int q = 0; q < nf; ++q)
          {
            if (q == 0 || !inverses.are_equal())
              {
                normal = Tensor<1, dim>();
                for (unsigned int r = 0; r < dim; ++r)
                  normal += mesh.shape.face_normals[here.face * dim + r] * inverses[q][r];
                const double length = normal.norm();
                normal /= length;
                area = length / std::abs(determinant(inverses[q])) /
                       (here.part > 0 ? mesh.shape.n_sub_faces : 1);
              }
            normals[q]                    = normal;
            normals_there[permutation[q]] = normal;
            weights[q]                    = reference.face_weights[q] * area;
          }
        trace(here, normals, inside);
        trace(there, normals_there, outside);
        double sum = 0.;
        for (unsigned int q = 0; q < nf; ++q)
          sum += weights[q] * std::pow(inside[q] - outside[permutation[q]], 2);
        return sum;
      }

      const ElementMesh<dim>      &mesh;
      const ReferenceElement<dim> &reference;
      const Coefficients          &u;
      const Of                     kind;
      std::vector<PointSet<dim>>   places; ///< `[f][part]`
    };

    /// \f$ u^2 \f$ in the mean of an element on the reference cell
    double
    mean_square(const double *u, const unsigned int n_modes)
    {
      return std::inner_product(u, u + n_modes, u, 0.);
    }

    /// The square that an integral over the faces of an element may have by rounding alone, where
    /// nothing jumps: from there on it differs with the number of ranks.
    /// @param u `[m]`
    /// @param length values are divided by, 1 where they jump themselves
    double
    square_of_rounding(const double      *u,
                       const unsigned int n_modes,
                       const double       diameter,
                       const unsigned int dim,
                       const double       length)
    {
      return std::pow(1e-11 / length, 2) * mean_square(u, n_modes) * std::pow(diameter, dim - 1.);
    }

    /// Differences between the values at the centres of cells.
    template <int dim>
    Indicators
    gradient(const Mapping<dim>     &mapping,
             const ElementMesh<dim> &mesh,
             const PointSet<dim>    &centre,
             const Coefficients     &u)
    {
      const Triangulation<dim> &triangulation = mesh.order.triangulation;
      DoFHandler<dim>           of_constants(triangulation);
      of_constants.distribute_dofs(FE_DGQ<dim>(0));
      LinearAlgebra::distributed::Vector<double> values(of_constants.locally_owned_dofs(),
                                                        DoFTools::extract_locally_relevant_dofs(
                                                          of_constants),
                                                        triangulation.get_communicator());
      std::vector<types::global_dof_index>       index(1);
      for (const auto &cell : of_constants.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            cell->get_dof_indices(index);
            const unsigned int e = mesh.order.element_of_cell[cell->active_cell_index()];
            values(index[0])     = centre.value(0, u.of(e));
          }
      values.update_ghost_values();
      Indicators result(triangulation.n_active_cells());
      int        is_wide = 1; // enough for a difference in every direction
      for (const auto &cell : mesh.order.cells)
        for (unsigned int d = 0; d < dim; ++d)
          if (cell->at_boundary(2 * d) && cell->at_boundary(2 * d + 1) &&
              !cell->has_periodic_neighbor(2 * d))
            is_wide = 0;
      AssertThrow(Utilities::MPI::min(is_wide, triangulation.get_communicator()) == 1,
                  ExcMessage(
                    "The indicator 'gradient' takes differences between cells, but the mesh "
                    "is one cell wide in a direction. Take more cells there, or another "
                    "indicator (in parameter files Adaptivity/Indicator)."));
      DerivativeApproximation::approximate_gradient(mapping, of_constants, values, result);
      for (const auto &cell : mesh.order.cells)
        result[cell->active_cell_index()] *= std::pow(cell->diameter(), 1. + 0.5 * dim);
      return result;
    }

    /// The mean square of a function that is nothing beside what it is elsewhere: there its shape
    /// is noise. Collective.
    template <int dim>
    double
    square_of_noise(const ElementMesh<dim> &mesh, const Coefficients &u)
    {
      double largest = 0.;
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        largest = std::max(largest, mean_square(u.of(e), u.n_modes));
      return 1e-6 * Utilities::MPI::max(largest, mesh.order.triangulation.get_communicator());
    }

    /// The share of a function that lower degrees do not see.
    template <int dim>
    class Smoothness
    {
    public:
      Smoothness(const ReferenceCell &cell, const unsigned int degree)
        : lower(cell, degree - 1)
        , embedding(Basis<dim>(cell, degree).embedding(lower))
      {}

      /// @param noise mean square below which the share is one of this
      double
      operator()(const double *u, const unsigned int n_modes, const double noise) const
      {
        const double all      = mean_square(u, n_modes);
        double       of_lower = 0.;
        for (unsigned int k = 0; k < lower.n_modes(); ++k)
          {
            double projected = embedding.empty() ? u[k] : 0.;
            for (unsigned int m = 0; m < n_modes && !embedding.empty(); ++m)
              projected += embedding[m * lower.n_modes() + k] * u[m];
            of_lower += projected * projected;
          }
        return all > of_lower ? std::sqrt((all - of_lower) / std::max(all, noise)) : 0.;
      }

    private:
      const Basis<dim>          lower;
      const std::vector<double> embedding;
    };

    /// \f$ \|\nabla \times v\|^2_{L^2(K)} \f$
    template <int dim>
    double
    square_of_vorticity(const ReferenceElement<dim> &reference,
                        const PointSet<dim>         &points,
                        const Coefficients          &velocity,
                        const unsigned int           element)
    {
      const auto inverses = points.inverse_jacobians(element);
      double     sum      = 0.;
      for (unsigned int q = 0; q < reference.n_volume_points(); ++q)
        {
          Tensor<2, dim> of_velocity; // [c][d]
          for (unsigned int c = 0; c < dim; ++c)
            for (unsigned int r = 0; r < dim; ++r)
              of_velocity[c] += points.derivative(q, r, velocity.of(element, c)) * inverses[q][r];
          double square = 0.;
          for (unsigned int c = 0; c < dim; ++c)
            for (unsigned int d = 0; d < c; ++d)
              square += std::pow(of_velocity[c][d] - of_velocity[d][c], 2);
          sum += reference.volume_weights[q] / std::abs(determinant(inverses[q])) * square;
        }
      return sum;
    }
  } // namespace

  template <int dim, typename Number>
  Indicators
  adaption_indicators(const AdaptionIndicator kind,
                      const Mapping<dim>     &mapping,
                      const ElementMesh<dim> &mesh,
                      const Vector<Number>   &solution,
                      const unsigned int      first_velocity)
  {
    AssertThrow(!mesh.shape.is_simplex(),
                ExcMessage("Adaption indicators are there on quadrilaterals and hexahedra."));
    const ReferenceCell &cell   = mesh.shape.reference_cell;
    const unsigned int   degree = degree_of(solution.n_modes(), dim);
    const auto           reference =
      mesh.cache.template get<ReferenceElement<dim>>(Device::cpu(),
                                                     {degree, 2 * degree, 2 * degree + 1},
                                                     degree,
                                                     2 * degree,
                                                     2 * degree + 1,
                                                     cell);

    const auto of_elements = [&](const auto &indicator) {
      Indicators result(mesh.order.triangulation.n_active_cells());
      parallel_for(mesh.n_elements(), [&](const unsigned int begin, const unsigned int end) {
        for (unsigned int e = begin; e < end; ++e)
          result[mesh.order.cells[e]->active_cell_index()] = indicator(e);
      });
      return result;
    };
    const auto diameter = [&](const unsigned int e) { return mesh.order.cells[e]->diameter(); };
    const auto of_jumps = [&](const typename FaceJumps<dim>::Of of, const auto &scaled) {
      Coefficients u(mesh, solution, 0);
      u.add_ghosts(mesh);
      const FaceJumps<dim> jumps(mesh, *reference, u, of);
      return of_elements([&](const unsigned int e) {
        const double square = jumps.square(e), h = diameter(e);
        const double length = of == FaceJumps<dim>::Of::values ? 1. : h;
        return square > square_of_rounding(u.of(e), u.n_modes, h, dim, length)
                 ? std::sqrt(scaled(h, square))
                 : 0.;
      });
    };

    switch (kind)
      {
        case AdaptionIndicator::kelly:
          AssertThrow(degree > 0,
                      ExcMessage("Normal derivatives do not jump with degree 0: choose degree 1 or "
                                 "above, or another indicator than Kelly's."));
          return of_jumps(FaceJumps<dim>::Of::normal_derivatives,
                          [](const double h, const double square) { return h / 24. * square; });
        case AdaptionIndicator::jump:
          return of_jumps(FaceJumps<dim>::Of::values,
                          [](const double, const double square) { return square; });
        case AdaptionIndicator::gradient:
          {
            Point<dim> centre;
            for (unsigned int d = 0; d < dim; ++d)
              centre[d] = 0.5;
            return gradient(mapping,
                            mesh,
                            PointSet<dim>(mesh, degree, {centre}),
                            Coefficients(mesh, solution, 0));
          }
        case AdaptionIndicator::smoothness:
          {
            AssertThrow(degree > 0,
                        ExcMessage("The smoothness of a solution is not seen with degree 0: choose "
                                   "degree 1 or above, or another indicator."));
            const Coefficients    u(mesh, solution, 0);
            const Smoothness<dim> smoothness(cell, degree);
            const double          noise = square_of_noise(mesh, u);
            return of_elements(
              [&](const unsigned int e) { return smoothness(u.of(e), u.n_modes, noise); });
          }
        case AdaptionIndicator::vorticity:
          {
            const Coefficients  velocity(mesh, solution, first_velocity, dim);
            const PointSet<dim> points(mesh, degree, reference->volume_points);
            return of_elements([&](const unsigned int e) {
              return diameter(e) * std::sqrt(square_of_vorticity(*reference, points, velocity, e));
            });
          }
      }
    AssertThrow(false, ExcInternalError());
  }

#define SALTUS_ADAPTION_INDICATORS(dim, Number)                     \
  template Indicators adaption_indicators(const AdaptionIndicator,  \
                                          const Mapping<dim> &,     \
                                          const ElementMesh<dim> &, \
                                          const Vector<Number> &,   \
                                          const unsigned int);
  SALTUS_ADAPTION_INDICATORS(2, double)
  SALTUS_ADAPTION_INDICATORS(2, float)
  SALTUS_ADAPTION_INDICATORS(3, double)
  SALTUS_ADAPTION_INDICATORS(3, float)
#undef SALTUS_ADAPTION_INDICATORS
} // namespace Saltus
