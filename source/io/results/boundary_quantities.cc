// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
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


  namespace
  {
    bool
    need_gradients(const Quantities &quantities)
    {
      return quantities.viscous_stress || quantities.heat_flux;
    }
  } // namespace


  template <int dim>
  BoundaryQuantities<dim>::BoundaryQuantities(const SolutionSpace<dim>  &space,
                                              const Quadrature<dim - 1> &quadrature)
    : space(space)
    , of_shapes(space.shapes.for_each([&](const ReferenceCell &shape) {
      return std::make_unique<FEFaceValues<dim>>(
        space.mapping,
        space.element(shape),
        quadrature,
        update_values | update_quadrature_points | update_normal_vectors | update_JxW_values |
          (need_gradients(space.quantities) ? update_gradients : update_default));
    }))
    , values(quadrature.size(), dealii::Vector<double>(space.quantities.n_components))
    , gradients(quadrature.size(), std::vector<Tensor<1, dim>>(space.quantities.n_components))
  {}


  template <int dim>
  std::vector<BoundaryPoint<dim>>
  BoundaryQuantities<dim>::evaluate(const SurfaceFace<dim> &face, const SolutionVector &solution)
  {
    FEFaceValues<dim> &fe_values = *of_shapes[space.shapes.number(face.cell)];
    fe_values.reinit(face.cell, face.face);
    fe_values.get_function_values(solution, values);
    if (need_gradients(space.quantities))
      fe_values.get_function_gradients(solution, gradients);
    std::vector<BoundaryPoint<dim>> result;
    for (unsigned int q = 0; q < values.size(); ++q)
      {
        result.push_back({fe_values.quadrature_point(q),
                          fe_values.normal_vector(q),
                          fe_values.JxW(q),
                          std::vector<double>(space.quantities.size()),
                          {},
                          0.});
        BoundaryPoint<dim> &point = result.back();
        space.quantities.compute(values[q].begin(), point.quantities.data());
        if (space.quantities.viscous_stress)
          {
            double stress[dim * dim];
            space.quantities.viscous_stress(values[q].begin(), gradients[q][0].begin_raw(), stress);
            for (unsigned int c = 0; c < dim; ++c)
              for (unsigned int d = 0; d < dim; ++d)
                point.friction[c] += stress[c * dim + d] * point.normal[d];
          }
        if (space.quantities.heat_flux)
          {
            Tensor<1, dim> heat;
            space.quantities.heat_flux(values[q].begin(),
                                       gradients[q][0].begin_raw(),
                                       heat.begin_raw());
            point.heat_flux = heat * point.normal;
          }
      }
    return result;
  }


  template std::vector<SurfaceFace<2>>
  surface_faces(const SolutionSpace<2> &,
                const std::set<types::boundary_id> &,
                const std::string &);
  template std::vector<SurfaceFace<3>>
  surface_faces(const SolutionSpace<3> &,
                const std::set<types::boundary_id> &,
                const std::string &);
  template class BoundaryQuantities<2>;
  template class BoundaryQuantities<3>;
} // namespace Saltus
