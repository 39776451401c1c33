// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>

#include <saltus/base/algebra/first_index.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/cells_across.h>
#include <saltus/mesh/element_groups.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/element_strips.h>
#include <saltus/mesh/position_text.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Fills the records of all faces.
    template <int dim>
    class FaceRecords
    {
    public:
      using HangingFaces = std::vector<typename FaceConnectivity<dim>::HangingFace>;

      FaceRecords(const ElementOrder<dim> &order,
                  const CellShape<dim>    &shape,
                  std::vector<FaceRecord> &faces,
                  HangingFaces            &hanging_faces)
        : order(order)
        , shape(shape)
        , faces(faces)
        , hanging_faces(hanging_faces)
      {}

      void
      set_neighbors() const
      {
        parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
          for (unsigned int e = begin; e < end; ++e)
            for (unsigned int f = 0; f < shape.n_faces; ++f)
              set_neighbor(e, f);
        });
        for (unsigned int e = 0; e < order.n_elements(); ++e)
          for (unsigned int f = 0; f < shape.n_faces; ++f)
            if (record(e, f).kind == FaceKind::hanging)
              set_parts(e, f);
      }

      /// Of those on this rank.
      void
      set_periodic(const std::vector<PeriodicFacePair<dim>> &pairs) const
      {
        const unsigned int here = this_rank(order.triangulation.get_communicator());
        const auto         set =
          [&](const CellFace &one, const CellFace &other, const unsigned int orientation) {
            FaceRecord &across = record(order.element_of_cell[one.cell], one.face);
            across             = {};
            across.neighbor    = order.element_of_cell[other.cell];
            across.face        = other.face;
            across.orientation = orientation;
          };
        for (const auto &pair : pairs)
          if (pair.first.rank == here && pair.second.rank == here)
            {
              const unsigned int orientation = shape.orientation(pair.vertex_permutation);
              set(pair.first, pair.second, orientation);
              set(pair.second, pair.first, shape.inverse(orientation));
            }
      }

      /// Behind them are ghosts.
      void
      set_shared(const std::vector<SharedFace<dim>> &shared_faces) const
      {
        for (unsigned int i = 0; i < shared_faces.size(); ++i)
          {
            const SharedFace<dim> &face   = shared_faces[i];
            FaceRecord            &whole  = record(order.element_of_cell[face.cell], face.face);
            FaceRecord            &across = face.part == 0 ? whole : part(whole, face.part);
            across.neighbor               = order.first_ghost() + i;
            across.face                   = face.face_across;
            across.orientation            = shape.orientation(face.permutation);
            across.sub_face               = face.sub_face;
            across.kind                   = FaceKind::ghost;
          }
      }

      /// Elements have positive orientation.
      void
      check_sides() const
      {
        const auto tangled_face = [&](const unsigned int e) {
          unsigned int f = 0;
          for (; f < shape.n_faces; ++f)
            if (const FaceRecord &across = record(e, f);
                !across.at_boundary() && across.kind != FaceKind::hanging &&
                !on_both_sides(shape, f, shape, across.face, across.orientation))
              break;
          return f;
        };
        const unsigned int tangled = first_index(order.n_elements(), [&](const unsigned int e) {
          return tangled_face(e) < shape.n_faces;
        });
        std::string        error;
        if (tangled < order.n_elements())
          {
            const unsigned int f    = tangled_face(tangled);
            const auto        &cell = order.cells[tangled];
            error                   = overlap_text(cell->face(f)->center(),
                                 position_text(cell->center()),
                                 place_across(tangled, f));
          }
        // Between two ranks both find it.
        error = first_of_ranks(order.triangulation.get_communicator(), error);
        AssertThrow(error.empty(), ExcMessage(error));
      }

    private:
      /// Where the cell across a face is. Of a ghost across a periodic boundary nothing is known
      /// here.
      std::string
      place_across(const unsigned int element, const unsigned int f) const
      {
        const auto       &cell   = order.cells[element];
        const FaceRecord &across = record(element, f);
        if (across.kind != FaceKind::ghost)
          return position_text(order.cells[across.neighbor]->center());
        return cell->at_boundary(f) ? "on another rank"
                                    : position_text(cell->neighbor(f)->center());
      }

      FaceRecord &
      record(const unsigned int element, const unsigned int f) const
      {
        return faces[static_cast<std::size_t>(element) * shape.n_faces + f];
      }

      FaceRecord &
      part(const FaceRecord &whole, const unsigned int number) const
      {
        return hanging_faces[whole.neighbor].parts[number - 1];
      }

      /// Of another rank's cell nothing is known yet, see set_shared().
      FaceRecord
      record_of(const CellAcross<dim> &across) const
      {
        FaceRecord result;
        if (!across.cell->is_locally_owned())
          return result;
        result.neighbor    = order.element_of_cell[across.cell->active_cell_index()];
        result.face        = across.face;
        result.orientation = shape.orientation(across.permutation);
        result.sub_face    = across.sub_face;
        return result;
      }

      void
      set_neighbor(const unsigned int e, const unsigned int f) const
      {
        const auto &cell = order.cells[e];
        if (!meets_own_shape(cell, f))
          record(e, f).kind = FaceKind::boundary;
        else
          visit_cells_across<dim>(cell, shape, f, [&](const CellAcross<dim> &across) {
            if (across.part == 0)
              record(e, f) = record_of(across);
            else
              record(e, f).kind = FaceKind::hanging;
          });
      }

      /// Of a hanging face.
      void
      set_parts(const unsigned int e, const unsigned int f) const
      {
        record(e, f).neighbor = hanging_faces.size();
        hanging_faces.push_back({e, f, {}});
        visit_cells_across<dim>(order.cells[e], shape, f, [&](const CellAcross<dim> &across) {
          part(record(e, f), across.part) = record_of(across);
        });
      }

      const ElementOrder<dim> &order;
      const CellShape<dim>    &shape;
      std::vector<FaceRecord> &faces;
      HangingFaces            &hanging_faces;
    };

    /// Give elements other numbers.
    template <int dim>
    void
    reorder(const std::vector<unsigned int> &old_number,
            ElementOrder<dim>               &order,
            std::vector<FaceRecord>         &faces)
    {
      constexpr unsigned int                    n_faces      = dim + 1;
      const std::vector<FaceRecord>             old_faces    = faces;
      const std::vector<VertexPermutation<dim>> old_vertices = order.vertices;
      const auto                                old_cells    = order.cells;
      parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
        for (unsigned int e = begin; e < end; ++e)
          {
            order.cells[e]    = old_cells[old_number[e]];
            order.vertices[e] = old_vertices[old_number[e]];
            order.element_of_cell[order.cells[e]->active_cell_index()] = e;
          }
      });
      parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
        for (unsigned int e = begin; e < end; ++e)
          for (unsigned int f = 0; f < n_faces; ++f)
            {
              FaceRecord &record = faces[static_cast<std::size_t>(e) * n_faces + f];
              record             = old_faces[static_cast<std::size_t>(old_number[e]) * n_faces + f];
              if (record.kind == FaceKind::interior)
                record.neighbor =
                  order.element_of_cell[old_cells[record.neighbor]->active_cell_index()];
            }
      });
    }

    template <int dim>
    void
    check_renumbering(const CellShape<dim> &shape, const bool conforming)
    {
      AssertThrow(shape.is_simplex() && conforming,
                  ExcMessage("Only the faces of conforming meshes of simplices can have other "
                             "numbers than in their cells."));
    }
  } // namespace

  template <int dim>
  FaceConnectivity<dim>::FaceConnectivity(const ElementOrder<dim>                  &order,
                                          const CellShape<dim>                     &shape,
                                          const std::vector<PeriodicFacePair<dim>> &periodic_pairs,
                                          const std::vector<SharedFace<dim>>       &shared_faces)
    : n_faces(shape.n_faces)
    , faces(static_cast<std::size_t>(order.n_elements()) * n_faces)
    , shared_faces(shared_faces)
  {
    Assert(order.n_elements() == 0 || order.cells[0]->reference_cell() == shape.reference_cell,
           ExcMessage("The shape is not that of the cells."));
    AssertThrow(!order.triangulation.get_anisotropic_refinement_flag(),
                ExcMessage("The mesh has cells that are refined in some directions only."));
    if (shape.n_sub_faces == 0 || order.triangulation.is_mixed_mesh())
      check_conforming(order.triangulation);
    const FaceRecords<dim> records(order, shape, faces, hanging_faces);
    records.set_neighbors();
    records.set_periodic(periodic_pairs);
    records.set_shared(shared_faces);
    records.check_sides();
    set_up_lists(order, shape);
  }

  template <int dim>
  bool
  FaceConnectivity<dim>::is_conforming() const
  {
    return hanging_faces.empty() && std::none_of(faces.begin(), faces.end(), [](const auto &face) {
             return face.sub_face != 0;
           });
  }

  template <int dim>
  bool
  FaceConnectivity<dim>::is_matched(const unsigned int element) const
  {
    for (unsigned int f = 0; f < n_faces; ++f)
      if (const FaceRecord &across = face(element, f);
          across.kind == FaceKind::hanging ||
          (across.kind == FaceKind::interior && across.face != f))
        return false;
    return true;
  }

  template <int dim>
  void
  FaceConnectivity<dim>::set_up_lists(const ElementOrder<dim> &order, const CellShape<dim> &shape)
  {
    boundary_faces.clear();
    unmatched_elements.clear();
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      if (!is_matched(e))
        unmatched_elements.push_back(e);
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      for (unsigned int f = 0; f < n_faces; ++f)
        if (FaceRecord &record = faces[static_cast<std::size_t>(e) * n_faces + f];
            record.at_boundary())
          {
            const unsigned int cell_face = order.cell_face(shape, e, f);
            record.neighbor              = boundary_faces.size();
            boundary_faces.push_back(
              {e, f, cell_face, order.cells[e]->face(cell_face)->boundary_id()});
          }

    ghosts.clear();
    for (unsigned int i = 0; i < shared_faces.size(); ++i)
      {
        const SharedFace<dim> &shared = shared_faces[i];
        const unsigned int     e      = order.element_of_cell[shared.cell];
        unsigned int           f      = 0; // as the element numbers it now
        while (order.cell_face(shape, e, f) != shared.face)
          ++f;
        Ghost ghost = {shared.rank, e, f, shared.face_across, identity_permutation<dim>()};
        if (shape.is_simplex() && shared.part == 0 && shared.sub_face == 0)
          {
            ghost.vertices     = vertices_across(shared, shape, f, order.vertices[e]);
            FaceRecord &record = faces[static_cast<std::size_t>(e) * n_faces + f];
            record.face        = f;
            record.orientation = 0;
          }
        ghosts.push_back(ghost);
      }
  }

  template <int dim>
  void
  FaceConnectivity<dim>::match(ElementOrder<dim>    &order,
                               const CellShape<dim> &shape,
                               const unsigned int    n_rounds)
  {
    check_renumbering(shape, is_conforming());
    renumber(order, shape, match_faces(n_faces, faces, n_rounds));
  }

  template <int dim>
  void
  FaceConnectivity<dim>::set_vertices(ElementOrder<dim>                         &order,
                                      const CellShape<dim>                      &shape,
                                      const std::vector<VertexPermutation<dim>> &vertices)
  {
    check_renumbering(shape, is_conforming());
    AssertDimension(vertices.size(), order.element_of_cell.size());
    // A face has the number of the one opposite to the new place of its opposite vertex.
    std::vector<unsigned char> numbers(faces.size());
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      for (unsigned int v = 0; v <= dim; ++v)
        numbers[static_cast<std::size_t>(e) * n_faces +
                shape.opposite_face(vertices[order.cells[e]->active_cell_index()][v])] =
          shape.opposite_face(v);
    renumber(order, shape, numbers);
  }

  template <int dim>
  void
  FaceConnectivity<dim>::renumber(ElementOrder<dim>                &order,
                                  const CellShape<dim>             &shape,
                                  const std::vector<unsigned char> &numbers)
  {
    const auto number = [&](const unsigned int e, const unsigned int f) {
      return numbers[static_cast<std::size_t>(e) * n_faces + f];
    };
    const std::vector<FaceRecord>             old_faces    = faces;
    const std::vector<VertexPermutation<dim>> old_vertices = order.vertices;
    const auto                                parallel     = [&](const auto &body) {
      parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
        for (unsigned int e = begin; e < end; ++e)
          for (unsigned int f = 0; f < n_faces; ++f)
            body(e, f);
      });
    };
    // Vertices keep the faces that are opposite to them.
    const auto new_vertex = [&](const unsigned int e, const unsigned int v) {
      return shape.opposite_vertex(number(e, shape.opposite_face(v)));
    };
    parallel([&](const unsigned int e, const unsigned int f) {
      const unsigned int v                = shape.opposite_vertex(f);
      order.vertices[e][new_vertex(e, v)] = old_vertices[e][v];
    });
    parallel([&](const unsigned int e, const unsigned int f) {
      const FaceRecord &old    = old_faces[static_cast<std::size_t>(e) * n_faces + f];
      FaceRecord       &record = faces[static_cast<std::size_t>(e) * n_faces + number(e, f)];
      record                   = old;
      if (old.kind != FaceKind::interior)
        return;
      const unsigned int other = old.neighbor;
      record.face              = number(other, old.face);
      typename CellShape<dim>::FaceVertices permutation{};
      for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
        {
          const unsigned int here = new_vertex(e, shape.face_vertex(f, j));
          const unsigned int there =
            new_vertex(other, shape.face_vertex(old.face, shape.permutation(old.orientation)[j]));
          permutation[shape.vertex_in_face(number(e, f), here)] =
            shape.vertex_in_face(record.face, there);
        }
      record.orientation = shape.orientation(permutation);
    });
    if (std::any_of(order.ranges.begin(), order.ranges.end(), [](const ElementRange &range) {
          return range.kind == GeometryKind::stored;
        }))
      reorder(order_in_groups(n_faces, faces, order.ranges), order, faces);
    if constexpr (dim == 2)
      reorder(order_in_strips(n_faces, faces, order.ranges), order, faces);
    set_up_lists(order, shape);
  }

  template class FaceConnectivity<2>;
  template class FaceConnectivity<3>;
} // namespace Saltus
