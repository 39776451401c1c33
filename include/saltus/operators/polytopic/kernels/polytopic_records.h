// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_polytopic_records_h
#define saltus_operators_polytopic_kernels_polytopic_records_h

#include <saltus/base/algebra/part_of.h>
#include <saltus/operators/polytopic/kernels/degree_order.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>
#include <saltus/physics/interior_penalty.h>

/// How the numbers at points are made, of which matrices consist: work for launch() that points
/// do, each for itself. Where a point is comes from StoredCellPoints, StoredFacetPoints, or what is
/// like them.
namespace Saltus
{
  /// Boxes of elements.
  template <int dim>
  struct BoxArrays
  {
    const double *numbers = nullptr; ///< see box_numbers()

    SALTUS_HOST_DEVICE
    const double *
    center(const int element) const
    {
      return numbers + element * static_cast<std::size_t>(dim + dim * dim);
    }

    /// Row @p r of J.
    SALTUS_HOST_DEVICE
    const double *
    row(const int element, const int r) const
    {
      return center(element) + dim + r * dim;
    }

    SALTUS_HOST_DEVICE
    Array<double, dim>
    place(const int element, const Array<double, dim> &x) const
    {
      Array<double, dim> distance;
      for (int d = 0; d < dim; ++d)
        distance[d] = x[d] - center(element)[d];
      return direction(element, distance);
    }

    /// A vector in the coordinates of the box.
    SALTUS_HOST_DEVICE
    Array<double, dim>
    direction(const int element, const Array<double, dim> &vector) const
    {
      Array<double, dim> result;
      for (int r = 0; r < dim; ++r)
        {
          result[r] = 0;
          for (int d = 0; d < dim; ++d)
            result[r] += row(element, r)[d] * vector[d];
        }
      return result;
    }
  };

  /// With what all polynomials of an element are multiplied, work for launch() that elements do.
  template <int dim>
  struct MakeScales
  {
    BoxArrays<dim> boxes;
    double        *scales = nullptr; ///< see PolytopicElements

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      Array<double, dim> rows[dim];
      for (int r = 0; r < dim; ++r)
        for (int d = 0; d < dim; ++d)
          rows[r][d] = boxes.row(element, r)[d];
      scales[element] = sqrt(determinant<dim>(rows) / (1 << dim));
    }
  };

  /// A coefficient: one value, one a cell, or one a point.
  struct PointCoefficient
  {
    enum class Place : int
    {
      everywhere,
      cells,
      points
    };

    int           n_components = 0; ///< 0: it is zero
    Place         place        = Place::everywhere;
    const double *values       = nullptr; ///< `[place][component]`
    /// Of points on facets those as seen from outside come so many later; 0: they are the same.
    std::size_t outside = 0;

    /// @param is_outside whether on the other side of a facet
    SALTUS_HOST_DEVICE
    const double *
    at(const std::size_t q, const int cell, const bool is_outside = false) const
    {
      return values + (place == Place::points  ? (is_outside ? outside + q : q)
                       : place == Place::cells ? static_cast<std::size_t>(cell)
                                               : 0) *
                        n_components;
    }
  };

  /// A diffusion tensor.
  template <int dim>
  struct DiffusionTensor
  {
    Array<double, dim> rows[dim];

    /// @param values one number, or the components xx, xy, (xz,) yy, ...
    SALTUS_HOST_DEVICE
    DiffusionTensor(const double *values, const int n_components)
    {
      int i = 0;
      for (int d = 0; d < dim; ++d)
        for (int e = d; e < dim; ++e, ++i)
          rows[d][e] = rows[e][d] =
            n_components > 1 ? values[i] : (d == e && n_components == 1 ? values[0] : 0.);
    }

    SALTUS_HOST_DEVICE
    Array<double, dim>
    operator*(const Array<double, dim> &vector) const
    {
      Array<double, dim> result;
      for (int d = 0; d < dim; ++d)
        result[d] = dot<dim>(rows[d], vector);
      return result;
    }

    /// Whether no direction has a negative diffusion, but for rounding.
    SALTUS_HOST_DEVICE
    bool
    is_admissible() const
    {
      double trace = 0;
      for (int d = 0; d < dim; ++d)
        trace += rows[d][d];
      const double small = -1e-12 * trace;
      bool         good  = trace >= 0;
      for (int d = 0; d < dim; ++d)
        {
          good = good && rows[d][d] >= small;
          for (int e = d + 1; e < dim; ++e)
            good = good && rows[d][d] * rows[e][e] - rows[d][e] * rows[d][e] >= small * trace;
        }
      return good && determinant<dim>(rows) >= small * trace * trace;
    }
  };

  /// What is wrong with a coefficient, where kernels note it.
  enum class PolytopicFailure : int
  {
    none,
    diffusion, ///< a direction of negative diffusion
    inflow     ///< through a boundary on which the value is not given
  };

  struct PolytopicFailureRecord
  {
    PolytopicFailure kind  = PolytopicFailure::none;
    unsigned int     owner = 0; ///< cell or facet
  };

  /// A point in a cell.
  template <int dim>
  struct CellPoint
  {
    Array<double, dim> x;
    double             weight;
    int                cell; ///< its owner
  };

  /// Those in memory.
  template <int dim>
  struct StoredCellPoints
  {
    const double *places  = nullptr; ///< `[point][d]`
    const double *weights = nullptr;
    const int    *cells   = nullptr; ///< `[point]`

    SALTUS_HOST_DEVICE
    CellPoint<dim>
    take(const std::size_t q) const
    {
      CellPoint<dim> result{{}, weights[q], cells[q]};
      for (int d = 0; d < dim; ++d)
        result.x[d] = places[q * dim + d];
      return result;
    }
  };

  /// The numbers of VolumePoint.
  template <int dim, typename Points>
  struct MakeVolumeRecords
  {
    std::size_t             n_points = 0;
    BoxArrays<dim>          boxes;
    const int              *elements = nullptr; ///< `[cell]`
    Points                  points;             ///< see StoredCellPoints
    PointCoefficient        diffusion, velocity, reaction;
    double                 *records = nullptr; ///< `[number][point]`
    PolytopicFailureRecord *failure = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const std::size_t          q     = i;
      const CellPoint<dim>       point = points.take(q);
      const int                  cell = point.cell, element = elements[cell];
      const double               w = point.weight;
      int                        n = 0;
      const DiffusionTensor<dim> A(diffusion.at(q, cell), diffusion.n_components);
      const auto put = [&](const double value) { records[n++ * n_points + q] = value; };
      if (!A.is_admissible())
        *failure = {PolytopicFailure::diffusion, static_cast<unsigned int>(cell)};
      const Array<double, dim> xi = boxes.place(element, point.x);
      for (int d = 0; d < dim; ++d)
        put(xi[d]);
      Array<double, dim> b;
      for (int d = 0; d < dim; ++d)
        b[d] = velocity.n_components > 0 ? velocity.at(q, cell)[d] : 0.;
      const Array<double, dim> in_box = boxes.direction(element, b);
      for (int d = 0; d < dim; ++d)
        put(w * in_box[d]);
      for (int d = 0; d < dim; ++d)
        {
          Array<double, dim> row;
          for (int e = 0; e < dim; ++e)
            row[e] = boxes.row(element, d)[e];
          const Array<double, dim> flux = boxes.direction(element, A * row);
          for (int e = d; e < dim; ++e)
            put(w * flux[e]);
        }
      put(reaction.n_components > 0 ? w * reaction.at(q, cell)[0] : 0.);
    }
  };

  /// What of a facet is known from the mesh, see PolytopicMesh::Facet.
  struct FacetGeometry
  {
    int    element, neighbor; ///< the latter -1 at the boundary
    int    inside, outside;   ///< cells
    int    part;              ///< of the boundary, see PolytopicPoints::boundary_ids
    double area;
    /// Volumes of the largest simplices with the face in the two cells.
    double simplex_inside, simplex_outside;
  };

  /// What \f$C_\sigma p^2\, n\cdot A n\f$ is multiplied with in the penalty on a facet F of an
  /// element \f$\kappa\f$; the larger one of two neighbours counts. \f$K_F\f$ is the largest
  /// simplex with the face F in the cell of the element at F.
  enum class PolytopicPenalty
  {
    /// \f$\min(|F| / |K_F|, |\partial\kappa| / |\kappa|)\f$: however many facets there are.
    perimeter,
    /// \f$|F| / |K_F|\f$: safe for elements of any shape, large where cells are small.
    cells,
    /// \f$\min(|F| / |K_F|, p^{2(dim-1)} |F| / |\kappa|)\f$, as Dong, Georgoulis and Kappas in
    /// appendix A for elements that simplices of their size nearly cover. The factor must grow with
    /// the number of small facets.
    covering
  };

  /// A facet for the numbers at its points.
  struct FacetRecord
  {
    int              element, neighbor;               ///< the latter -1 at the boundary
    int              inside, outside;                 ///< cells
    double           penalty_inside, penalty_outside; ///< times the diffusion along the normal
    EllipticBoundary kind;
    double           robin;

    /// What jumps are multiplied with, seen from inside.
    /// @param diffusion_inside,diffusion_outside along the normal
    /// @param speed of the advection along the normal
    SALTUS_HOST_DEVICE
    double
    jump_factor(const double diffusion_inside,
                const double diffusion_outside,
                const double speed) const
    {
      return max(penalty_inside * diffusion_inside, penalty_outside * diffusion_outside) -
             min(speed, 0.);
    }
  };

  /// A condition on a part of the boundary, without its data.
  struct FacetCondition
  {
    EllipticBoundary kind  = EllipticBoundary::dirichlet;
    double           robin = 0.;
  };

  /// FacetRecord of all facets, work for launch() that facets do.
  template <int dim>
  struct MakeFacets
  {
    const FacetGeometry  *facets     = nullptr;
    const FacetCondition *conditions = nullptr;                     ///< `[part of the boundary]`
    const int            *degrees    = nullptr;                     ///< `[element]`
    const double         *volumes = nullptr, *perimeters = nullptr; ///< `[element]`
    PolytopicPenalty      rule    = PolytopicPenalty::perimeter;
    double                factor  = 1.; ///< \f$C_\sigma\f$
    FacetRecord          *records = nullptr;

    /// What the diffusion along the normal is multiplied with on the side of an element.
    SALTUS_HOST_DEVICE
    double
    penalty(const int element, const double area, const double simplex) const
    {
      const double p              = degrees[element];
      const double inverse_length = area / simplex;
      double       other          = inverse_length;
      if (rule == PolytopicPenalty::perimeter)
        other = perimeters[element] / volumes[element];
      else if (rule == PolytopicPenalty::covering)
        {
          other = area / volumes[element];
          for (int d = 1; d < dim; ++d)
            other *= p * p;
        }
      return factor * p * p * min(inverse_length, other);
    }

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const FacetGeometry &facet = facets[i];
      FacetRecord          record{facet.element,
                         facet.neighbor,
                         facet.inside,
                         facet.outside,
                         penalty(facet.element, facet.area, facet.simplex_inside),
                         0.,
                         EllipticBoundary::dirichlet,
                         0.};
      if (facet.neighbor >= 0)
        record.penalty_outside = penalty(facet.neighbor, facet.area, facet.simplex_outside);
      else
        {
          record.kind  = conditions[facet.part].kind;
          record.robin = conditions[facet.part].robin;
        }
      records[i] = record;
    }
  };

  /// A point on a facet.
  template <int dim>
  struct PointOnFacet
  {
    Array<double, dim> x, normal; ///< the latter outward, as long as the weight
    int                facet;     ///< its owner
  };

  /// Those in memory.
  template <int dim>
  struct StoredFacetPoints
  {
    const double      *places  = nullptr; ///< `[point][d]`
    const double      *normals = nullptr; ///< `[point][d]`
    const int         *owners  = nullptr; ///< `[point]`: facet
    const FacetRecord *facets  = nullptr;

    SALTUS_HOST_DEVICE
    PointOnFacet<dim>
    take(const std::size_t q) const
    {
      PointOnFacet<dim> result{{}, {}, owners[q]};
      for (int d = 0; d < dim; ++d)
        {
          result.x[d]      = places[q * dim + d];
          result.normal[d] = normals[q * dim + d];
        }
      return result;
    }

    SALTUS_HOST_DEVICE
    const FacetRecord &
    facet(const int number) const
    {
      return facets[number];
    }
  };

  /// The numbers of FacetPoint, and on the boundary the two with which LoadRows multiplies what
  /// conditions there give.
  template <int dim, typename Points>
  struct MakeFaceRecords
  {
    std::size_t             n_points = 0;
    BoxArrays<dim>          boxes;
    Points                  points; ///< see StoredFacetPoints
    PointCoefficient        diffusion, velocity;
    double                 *records  = nullptr; ///< `[number][point]`
    double                 *boundary = nullptr; ///< `[number][point]`, elsewhere not written
    PolytopicFailureRecord *failure  = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const std::size_t       q           = i;
      const PointOnFacet<dim> point       = points.take(q);
      const FacetRecord      &facet       = points.facet(point.facet);
      const bool              at_boundary = facet.neighbor < 0;
      const double            w           = sqrt(dot<dim>(point.normal, point.normal));
      Array<double, dim>      n;
      for (int d = 0; d < dim; ++d)
        n[d] = point.normal[d] / w;
      const auto flux = [&](const int cell, const bool is_outside) {
        return DiffusionTensor<dim>(diffusion.at(q, cell, is_outside), diffusion.n_components) * n;
      };
      Array<double, dim> inside  = flux(facet.inside, false);
      Array<double, dim> outside = flux(facet.outside, true);
      // Between parts with and without diffusion nothing diffuses, and solutions may jump.
      constexpr double least     = 1e-14;
      const double     fluxes[2] = {dot<dim>(n, inside), dot<dim>(n, outside)};
      if (fluxes[0] < least * fluxes[1] || fluxes[1] < least * fluxes[0])
        inside = outside = {};
      double along = 0, speed = 0;
      if (velocity.n_components > 0)
        for (int d = 0; d < dim; ++d)
          {
            along += velocity.at(q, facet.inside)[d] * n[d];
            speed += abs(velocity.at(q, facet.inside)[d]);
          }
      double jump    = w * facet.jump_factor(dot<dim>(n, inside), dot<dim>(n, outside), along);
      double share   = at_boundary ? w : .5 * w;
      double load[2] = {jump, 1.};
      if (at_boundary && facet.kind != EllipticBoundary::dirichlet)
        {
          if (along < -1e-10 * speed)
            *failure = {PolytopicFailure::inflow, static_cast<unsigned int>(point.facet)};
          share   = 0;
          jump    = facet.kind == EllipticBoundary::robin ? w * facet.robin : 0.;
          load[0] = w;
          load[1] = 0;
        }
      int        number  = 0;
      const auto put     = [&](const double a) { records[number++ * n_points + q] = a; };
      const auto put_all = [&](const Array<double, dim> &a, const double factor) {
        for (int d = 0; d < dim; ++d)
          put(factor * a[d]);
      };
      const int across = at_boundary ? facet.element : facet.neighbor;
      put_all(boxes.place(facet.element, point.x), 1.);
      put_all(boxes.place(across, point.x), 1.);
      put_all(boxes.direction(facet.element, inside), share);
      put_all(boxes.direction(across, outside), share);
      put(jump);
      for (int l = 0; l < (at_boundary ? 2 : 0); ++l)
        boundary[l * n_points + q] = load[l];
    }
  };

  /// `out[q] = weight[q] values[q]`
  template <int dim>
  struct WeightValues
  {
    const double *weights = nullptr, *values = nullptr;
    double       *out = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int q) const
    {
      out[q] = weights[q] * values[q];
    }
  };

  /// Numbers of the elements' points on the boundary, which elements do.
  struct CountBoundaryPoints
  {
    const int         *row_starts  = nullptr; ///< see BlockSparsity
    const std::size_t *face_starts = nullptr; ///< see AssembleRows
    int               *counts      = nullptr;

    /// The first one of an element.
    SALTUS_HOST_DEVICE
    std::size_t
    first(const int element) const
    {
      return face_starts[row_starts[element + 1] - 1];
    }

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      counts[element] = face_starts[row_starts[element + 1]] - first(element);
    }
  };

  /// Numbers of these points, which they do.
  struct ListBoundaryPoints
  {
    CountBoundaryPoints of_elements;
    int                 n_elements = 0;
    const int          *starts     = nullptr; ///< sums of the elements' numbers
    int                *list       = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const int element = part_of(starts, n_elements, i);
      list[i]           = of_elements.first(element) + (i - starts[element]);
    }
  };

  /// Which points are on a part of the boundary.
  struct MarkBoundary
  {
    const FacetGeometry *facets = nullptr;
    const int           *owners = nullptr; ///< `[point]`: facet
    const int           *among  = nullptr; ///< numbers of points
    int                  part   = 0;
    int                 *marks  = nullptr; ///< 1 or 0

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      marks[i] = facets[owners[among[i]]].part == part;
    }
  };

  /// Those that are marked.
  struct ListMarked
  {
    const int *starts = nullptr; ///< sums of the marks
    const int *among  = nullptr; ///< what has a mark each; none: numbers from 0 on
    int       *list   = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      if (starts[i + 1] > starts[i])
        list[starts[i]] = among == nullptr ? i : among[i];
    }
  };

  /// Places a little inside or outside of facets: there a coefficient that jumps at facets is what
  /// it is in the cell on that side. On the boundary both are inside.
  template <int dim>
  struct PlacesBeside
  {
    const double        *places = nullptr, *normals = nullptr; ///< `[point][d]`
    const int           *owners     = nullptr;                 ///< `[point]`
    const FacetGeometry *facets     = nullptr;
    bool                 is_outside = false;
    double              *beside     = nullptr; ///< `[point][d]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const std::size_t   first  = static_cast<std::size_t>(i) * dim;
      const FacetGeometry facet  = facets[owners[i]];
      double              square = 0, largest = 0;
      for (int d = 0; d < dim; ++d)
        {
          square += normals[first + d] * normals[first + d];
          largest = ::fmax(largest, ::fabs(places[first + d]));
        }
      // Beyond the rounding of places.
      const double step   = 1e-12 * (dim == 2 ? facet.area : sqrt(facet.area)) + 1e-14 * largest;
      const double factor = (is_outside && facet.neighbor >= 0 ? step : -step) / sqrt(square);
      for (int d = 0; d < dim; ++d)
        beside[first + d] = places[first + d] + factor * normals[first + d];
    }
  };

  /// Places of the points of a list.
  template <int dim>
  struct TakePlaces
  {
    const int    *list   = nullptr;
    const double *places = nullptr; ///< `[point][d]`
    double       *taken  = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      for (int d = 0; d < dim; ++d)
        taken[i * static_cast<std::size_t>(dim) + d] =
          places[list[i] * static_cast<std::size_t>(dim) + d];
    }
  };

  /// Values at the points of a list, put where those of all points are.
  struct PutValues
  {
    const int    *list   = nullptr;
    const double *values = nullptr;
    double       *all    = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      all[list[i]] = values[i];
    }
  };
} // namespace Saltus

#endif
