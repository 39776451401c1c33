// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/mpi.h>
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/grid/manifold_lib.h>

#include <saltus/mesh/make/round_surface.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// A manifold of deal.II whose normals are radial. Those of deal.II 9.4 are wrong on triangles
    /// in 3D, which it takes for quadrilaterals.
    template <int dim, typename Base>
    class RoundManifold : public Base
    {
    public:
      RoundManifold(const Base &base, const RoundSurface<dim> &surface)
        : Base(base)
        , surface(surface)
      {}

      std::unique_ptr<Manifold<dim>>
      clone() const override
      {
        return std::make_unique<RoundManifold>(*this);
      }

      Tensor<1, dim>
      normal_vector(const typename Triangulation<dim>::face_iterator & /*face*/,
                    const Point<dim> &point) const override
      {
        const Tensor<1, dim> radius = surface.radius(point);
        return radius / radius.norm();
      }

    private:
      const RoundSurface<dim> surface;
    };


    template <int dim>
    std::unique_ptr<Manifold<dim>>
    manifold(const RoundSurface<dim> &surface)
    {
      if constexpr (dim == 3)
        if (surface.axis.norm_square() > 0.)
          return std::make_unique<RoundManifold<3, CylindricalManifold<3>>>(
            CylindricalManifold<3>(surface.axis / surface.axis.norm(), surface.center), surface);
      return std::make_unique<RoundManifold<dim, SphericalManifold<dim>>>(
        SphericalManifold<dim>(surface.center), surface);
    }


    template <int dim>
    types::manifold_id
    unused_manifold_id(const Triangulation<dim> &triangulation)
    {
      types::manifold_id unused = 0;
      for (const types::manifold_id id : triangulation.get_manifold_ids())
        if (id != numbers::flat_manifold_id)
          unused = std::max(unused, id + 1);
      return unused;
    }


    /// Returns the faces of a boundary. The outer faces of ghosts are none of a fully distributed
    /// mesh; other meshes have all coarse cells on all ranks.
    template <int dim>
    std::vector<typename Triangulation<dim>::face_iterator>
    boundary_faces(const Triangulation<dim> &triangulation, const types::boundary_id id)
    {
      const bool has_all_cells =
        dynamic_cast<const parallel::fullydistributed::Triangulation<dim> *>(&triangulation) ==
        nullptr;
      std::vector<typename Triangulation<dim>::face_iterator> faces;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (has_all_cells || cell->is_locally_owned())
          for (const auto &face : cell->face_iterators())
            if (face->at_boundary() && face->boundary_id() == id)
              faces.push_back(face);
      return faces;
    }


    /// @param distance that the vertices of the other faces have
    template <int dim>
    void
    check_vertices(const typename Triangulation<dim>::face_iterator &face,
                   const RoundSurface<dim>                          &surface,
                   const double                                      distance)
    {
      for (const unsigned int v : face->vertex_indices())
        {
          const double       own = surface.radius(face->vertex(v)).norm();
          std::ostringstream message;
          message << "boundary " << face->boundary_id()
                  << " does not lie on this surface: its vertex at (" << face->vertex(v)
                  << ") has the distance " << own << " from (" << surface.center << ')'
                  << (surface.axis.norm_square() > 0. ? " and the axis through it" : "")
                  << ", another the distance " << distance << '.';
          AssertThrow(own > 0. && std::abs(own - distance) <= 1e-4 * face->diameter(),
                      ExcMessage(message.str()));
        }
    }
  } // namespace


  template <int dim>
  void
  attach_manifold(Triangulation<dim>      &triangulation,
                  const types::boundary_id id,
                  const RoundSurface<dim> &surface)
  {
    const types::manifold_id manifold_id = unused_manifold_id(triangulation);
    const auto               ids         = triangulation.get_boundary_ids();
    AssertThrow(std::count(ids.begin(), ids.end(), id) > 0,
                ExcMessage("no boundary face has the id " + std::to_string(id) + "."));
    double distance = -1.;
    for (const auto &face : boundary_faces(triangulation, id))
      {
        if (distance < 0.)
          distance = surface.radius(face->vertex(0)).norm();
        check_vertices<dim>(face, surface, distance);
        face->set_manifold_id(manifold_id);
        if constexpr (dim == 3)
          for (const unsigned int l : face->line_indices())
            face->line(l)->set_manifold_id(manifold_id);
      }
    triangulation.set_manifold(manifold_id, *manifold(surface));
  }


  template <int dim>
  void
  reattach_manifold(Triangulation<dim>      &triangulation,
                    const types::boundary_id id,
                    const RoundSurface<dim> &surface)
  {
    types::manifold_id manifold_id = numbers::flat_manifold_id; // the largest of all
    for (const auto &face : boundary_faces(triangulation, id))
      manifold_id = std::min(manifold_id, face->manifold_id());
    triangulation.set_manifold(Utilities::MPI::min(manifold_id, triangulation.get_communicator()),
                               *manifold(surface));
  }


  template void
  attach_manifold(Triangulation<2> &, const types::boundary_id, const RoundSurface<2> &);
  template void
  attach_manifold(Triangulation<3> &, const types::boundary_id, const RoundSurface<3> &);

  template void
  reattach_manifold(Triangulation<2> &, const types::boundary_id, const RoundSurface<2> &);

  template void
  reattach_manifold(Triangulation<3> &, const types::boundary_id, const RoundSurface<3> &);
} // namespace Saltus
