// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/reference_element.h>
#include <saltus/io/results/boundary_quantities.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  std::vector<SurfaceFace<dim>>
  surface_faces(const SolutionSpace<dim>           &space,
                const std::set<types::boundary_id> &ids,
                const std::string                  &entry)
  {
    std::vector<SurfaceFace<dim>> faces;
    for (std::size_t i = 0; i < space.cells.size(); ++i)
      for (const unsigned int f : space.cells[i]->face_indices())
        if (space.cells[i]->face(f)->at_boundary())
          {
            const SurfaceFace<dim> face{space.cells[i], f, space.numbers[i]};
            if (ids.count(face.id()) > 0)
              faces.push_back(face);
          }

    const auto list = space.dof_handler.get_triangulation().get_boundary_ids();
    const std::set<types::boundary_id> present(list.begin(), list.end());
    std::string                        names;
    for (const unsigned int id : present)
      names += (names.empty() ? "" : ", ") + std::to_string(id);
    for (const unsigned int id : ids)
      AssertThrow(present.count(id) > 0,
                  ExcMessage(entry + ": boundary id " + std::to_string(id) +
                             " does not exist on the mesh, which has the boundary ids " + names +
                             "."));
    return faces;
  }


  template <int dim>
  BoundaryQuantities<dim>::BoundaryQuantities(const SolutionSpace<dim>  &space,
                                              const Quadrature<dim - 1> &quadrature)
    : space(space)
    , of_shapes(space.shapes.for_each([&](const ReferenceCell &shape) {
      return std::make_unique<FEFaceValues<dim>>(space.mapping,
                                                 space.element(shape),
                                                 quadrature,
                                                 update_values | update_quadrature_points |
                                                   update_normal_vectors);
    }))
    , values(quadrature.size(), dealii::Vector<double>(space.quantities.n_components))
  {}


  template <int dim>
  std::vector<BoundaryPoint<dim>>
  BoundaryQuantities<dim>::evaluate(const SurfaceFace<dim> &face, const SolutionVector &solution)
  {
    FEFaceValues<dim> &fe_values = *of_shapes[space.shapes.number(face.cell)];
    fe_values.reinit(face.cell, face.face);
    fe_values.get_function_values(solution, values);
    std::vector<BoundaryPoint<dim>> result(values.size());
    for (unsigned int q = 0; q < values.size(); ++q)
      {
        result[q].position = fe_values.quadrature_point(q);
        result[q].normal   = fe_values.normal_vector(q);
        result[q].quantities.resize(space.quantities.size());
        space.quantities.compute(values[q].begin(), result[q].quantities.data());
      }
    return result;
  }


  template <int dim>
  ReferenceCell
  face_shape(const SolutionSpace<dim> &space)
  {
    return space.shapes.for_each(
      [](const ReferenceCell &shape) { return shape.face_reference_cell(0); })[0];
  }


  template <int dim>
  Quadrature<dim - 1>
  face_quadrature(const SolutionSpace<dim> &space, const unsigned int degree)
  {
    return cell_quadrature<dim - 1>(face_shape(space), degree);
  }


  template <int dim>
  FluxesThroughFaces<dim>::FluxesThroughFaces(const SolutionSpace<dim>            &space,
                                              const std::vector<SurfaceFace<dim>> &faces,
                                              const std::string                   &entry)
    : space(space)
    , faces(faces)
  {
    AssertThrow(
      space.scheme != nullptr,
      ExcMessage(entry + " needs fluxes through the boundary, which this equation does not have."));
    for (std::size_t f = 0; f < faces.size(); ++f)
      {
        ids.insert(faces[f].id());
        numbers[{faces[f].cell->active_cell_index(), faces[f].face}] = f;
      }
  }


  template <int dim>
  SurfaceFluxes<dim>
  FluxesThroughFaces<dim>::of_scheme(const double time, const bool for_second_order_fluxes) const
  {
    SurfaceFluxes<dim> result(faces.size());
    for (auto &[face, fluxes] : space.scheme->fluxes(time, ids, for_second_order_fluxes))
      if (const auto number = numbers.find({face.first->active_cell_index(), face.second});
          number != numbers.end())
        result[number->second] = std::move(fluxes);
    return result;
  }


  template <int dim>
  SurfaceFluxes<dim>
  FluxesThroughFaces<dim>::of_second_order(const double time, const SurfaceFluxes<dim> &first) const
  {
    return space.scheme->has_one_rule() ? first : of_scheme(time, true);
  }


  template std::vector<SurfaceFace<2>>
  surface_faces(const SolutionSpace<2> &,
                const std::set<types::boundary_id> &,
                const std::string &);
  template std::vector<SurfaceFace<3>>
  surface_faces(const SolutionSpace<3> &,
                const std::set<types::boundary_id> &,
                const std::string &);
  template ReferenceCell
  face_shape(const SolutionSpace<2> &);
  template Quadrature<1>
  face_quadrature(const SolutionSpace<2> &, const unsigned int);
  template ReferenceCell
  face_shape(const SolutionSpace<3> &);
  template Quadrature<2>
  face_quadrature(const SolutionSpace<3> &, const unsigned int);
  template class BoundaryQuantities<2>;
  template class BoundaryQuantities<3>;
  template class FluxesThroughFaces<2>;
  template class FluxesThroughFaces<3>;
} // namespace Saltus
