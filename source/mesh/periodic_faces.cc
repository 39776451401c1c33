// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/point.h>
#include <deal.II/numerics/rtree.h>

#include <saltus/base/ranks/gather.h>
#include <saltus/mesh/periodic_faces.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace Saltus
{
  namespace
  {
    using dealii::Point;

    /// A boundary face with the vertices that its cell gives it.
    template <int dim>
    struct PeriodicFace
    {
      CellFace                                 position;
      unsigned int                             n_vertices;
      std::array<Point<dim>, (1 << (dim - 1))> vertices;
      Point<dim>                               center; ///< mean of the vertices
      double                                   diameter = 0.;
    };

    template <int dim, typename CellIterator>
    PeriodicFace<dim>
    boundary_face(const CellIterator &cell, const unsigned int f)
    {
      const auto reference_cell = cell->reference_cell();

      PeriodicFace<dim> face;
      face.n_vertices = reference_cell.face_reference_cell(f).n_vertices();
      face.position   = {cell->active_cell_index(),
                         f,
                         this_rank(cell->get_triangulation().get_communicator()),
                         cell->global_active_cell_index(),
                         cell->n_faces()};
      for (unsigned int j = 0; j < face.n_vertices; ++j)
        {
          face.vertices[j] = cell->vertex(reference_cell.face_to_cell_vertices(f, j, 1));
          face.center += face.vertices[j] / face.n_vertices;
          face.diameter = std::max(face.diameter, face.vertices[j].distance(face.vertices[0]));
        }
      return face;
    }

    /// The pair of @p first and @p second; false if the vertices of one are not those of the other.
    template <int dim>
    bool
    match_vertices(const PeriodicFace<dim>      &first,
                   const PeriodicFace<dim>      &second,
                   const dealii::Tensor<1, dim> &translation,
                   PeriodicFacePair<dim>        &pair)
    {
      if (first.n_vertices != second.n_vertices)
        return false;
      // Far from the origin, coordinates may be no better than that.
      const double rounding = 8. * std::numeric_limits<double>::epsilon() *
                              std::max(first.center.norm(), second.center.norm());
      const double tolerance = 1e-6 * first.diameter + rounding;

      pair.first       = first.position;
      pair.second      = second.position;
      unsigned int met = 0; // one bit a vertex of the second face
      for (unsigned int j = 0; j < first.n_vertices; ++j)
        {
          const Point<dim> image = first.vertices[j] + translation;
          const auto       nearest =
            std::min_element(second.vertices.begin(),
                             second.vertices.begin() + second.n_vertices,
                             [&](const Point<dim> &a, const Point<dim> &b) {
                               return a.distance_square(image) < b.distance_square(image);
                             });
          if (nearest->distance(image) > tolerance)
            return false;
          pair.vertex_permutation[j] = nearest - second.vertices.begin();
          met |= 1U << pair.vertex_permutation[j];
        }
      return met == (1U << first.n_vertices) - 1;
    }

    template <int dim>
    std::string
    no_partner(const PeriodicFace<dim>         &face,
               const dealii::types::boundary_id own,
               const dealii::types::boundary_id other,
               const dealii::Tensor<1, dim>    &translation)
    {
      std::ostringstream message;
      message << "The periodic boundary face with id " << own << " and centre (" << face.center
              << ") finds no partner with boundary id " << other << " at a distance of ("
              << translation
              << "). The two sides must have the same faces, one side moved by the translation.";
      return message.str();
    }
    /// Mean of the centres of the boundary faces with one id, on all ranks: two periodic parts
    /// differ by it.
    template <int dim>
    Point<dim>
    boundary_center(const dealii::Triangulation<dim> &tria, const dealii::types::boundary_id id)
    {
      // Differences round less than the positions far from the origin.
      struct Mean
      {
        Point<dim>   center;
        unsigned int n_faces = 0;
      };
      Mean                   own;
      Point<dim>             first;
      dealii::Tensor<1, dim> sum;
      for (const auto &cell : tria.active_cell_iterators())
        if (cell->is_locally_owned())
          for (const auto &face : cell->face_iterators())
            if (face->at_boundary() && face->boundary_id() == id)
              {
                if (own.n_faces++ == 0)
                  first = face->center();
                sum += face->center() - first;
              }
      if (own.n_faces > 0)
        own.center = first + sum / own.n_faces;

      Point<dim>             origin;
      dealii::Tensor<1, dim> total;
      unsigned int           n = 0;
      for (const auto &[center, n_faces] : all_gather(tria.get_communicator(), own))
        if (n_faces > 0)
          {
            if (n == 0)
              origin = center;
            total += n_faces * (center - origin);
            n += n_faces;
          }
      return n > 0 ? origin + total / n : origin;
    }
  } // namespace


  template <int dim>
  std::vector<PeriodicFaces<dim>>
  periodic_faces_of(const dealii::Triangulation<dim>    &tria,
                    const std::vector<PeriodicBoundary> &periodic_boundaries)
  {
    std::vector<PeriodicFaces<dim>> result;
    for (const auto &[first, second] : periodic_boundaries)
      result.push_back(
        {first, second, boundary_center(tria, second) - boundary_center(tria, first)});
    return result;
  }

  template <int dim>
  std::vector<PeriodicFacePair<dim>>
  match_periodic_boundaries(const dealii::Triangulation<dim>    &tria,
                            const std::vector<PeriodicBoundary> &periodic_boundaries)
  {
    return match_periodic_faces(tria, periodic_faces_of(tria, periodic_boundaries));
  }

  template <int dim>
  std::vector<PeriodicFacePair<dim>>
  match_periodic_faces(const dealii::Triangulation<dim>      &tria,
                       const std::vector<PeriodicFaces<dim>> &periodic_faces)
  {
    std::map<dealii::types::boundary_id, std::vector<PeriodicFace<dim>>> faces;
    for (const PeriodicFaces<dim> &entry : periodic_faces)
      for (const auto id : {entry.first, entry.second})
        AssertThrow(faces.emplace(id, std::vector<PeriodicFace<dim>>()).second,
                    dealii::ExcMessage("Boundary id " + std::to_string(id) +
                                       " appears twice among the periodic boundaries, but each "
                                       "may belong to one side of one pair only."));

    for (const auto &cell : tria.active_cell_iterators())
      if (cell->is_locally_owned())
        for (const unsigned int f : cell->face_indices())
          if (cell->face(f)->at_boundary())
            {
              const auto side = faces.find(cell->face(f)->boundary_id());
              if (side != faces.end())
                side->second.push_back(boundary_face<dim>(cell, f));
            }
    for (auto &[id, side] : faces)
      side = all_gather(tria.get_communicator(), side).values;
    for (const auto &[id, side] : faces)
      AssertThrow(!side.empty(),
                  dealii::ExcMessage("Boundary id " + std::to_string(id) +
                                     " is to be periodic, but no boundary face has it."));

    std::vector<PeriodicFacePair<dim>> pairs;
    for (const auto &[first_id, second_id, translation] : periodic_faces)
      {
        const std::vector<PeriodicFace<dim>> &first = faces[first_id], &second = faces[second_id];

        using Entry = std::pair<Point<dim>, unsigned int>;
        std::vector<Entry> centers;
        for (unsigned int i = 0; i < second.size(); ++i)
          centers.emplace_back(second[i].center, i);
        const auto tree = dealii::pack_rtree(centers);

        std::vector<bool> matched(second.size(), false);
        for (const PeriodicFace<dim> &face : first)
          {
            std::vector<Entry> nearest;
            tree.query(boost::geometry::index::nearest(Point<dim>(face.center + translation), 1),
                       std::back_inserter(nearest));
            const unsigned int i = nearest[0].second;

            PeriodicFacePair<dim> pair;
            AssertThrow(!matched[i] && match_vertices(face, second[i], translation, pair),
                        dealii::ExcMessage(no_partner(face, first_id, second_id, translation)));
            matched[i] = true;
            pairs.push_back(pair);
          }
        for (unsigned int i = 0; i < second.size(); ++i)
          AssertThrow(matched[i],
                      dealii::ExcMessage(no_partner(second[i], second_id, first_id, -translation)));
      }
    return pairs;
  }


#define SALTUS_PERIODIC_FACES(dim)                                                \
  template std::vector<PeriodicFacePair<dim>> match_periodic_faces(               \
    const dealii::Triangulation<dim> &, const std::vector<PeriodicFaces<dim>> &); \
  template std::vector<PeriodicFaces<dim>> periodic_faces_of(                     \
    const dealii::Triangulation<dim> &, const std::vector<PeriodicBoundary> &);   \
  template std::vector<PeriodicFacePair<dim>> match_periodic_boundaries(          \
    const dealii::Triangulation<dim> &, const std::vector<PeriodicBoundary> &);
  SALTUS_PERIODIC_FACES(2)
  SALTUS_PERIODIC_FACES(3)
#undef SALTUS_PERIODIC_FACES
} // namespace Saltus
