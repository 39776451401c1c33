// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/component_transfer.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/solvers/flow/velocity_preconditioner.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// For each component the slip walls that are nearly perpendicular to its axis.
    template <int dim>
    std::array<std::set<types::boundary_id>, dim>
    walls_across(const ElementSpace<dim, double>   &space,
                 const FlowBoundaryConditions<dim> &conditions)
    {
      std::array<std::set<types::boundary_id>, dim> result;
      for (const auto &[id, condition] : conditions.conditions())
        {
          if (condition.kind != FlowBoundary::slip)
            continue;
          std::vector<double> squares(dim); // of the normal's components, integrated
          for (const auto &face : space.connectivity.boundary_faces)
            if (face.id == id)
              {
                const double        *reference = space.reference.face_normals.data();
                const Tensor<1, dim> normal =
                  space.geometry.face(face.element, reference + face.face * dim).normal;
                const double area =
                  space.order.cells[face.element]->face(face.cell_face)->measure();
                for (unsigned int c = 0; c < dim; ++c)
                  squares[c] += area * normal[c] * normal[c];
              }
          squares     = sum_over_ranks(space.mesh->partition, squares);
          double area = 0.;
          for (const double square : squares)
            area += square;
          for (unsigned int c = 0; c < dim; ++c)
            if (squares[c] > 0.5 * area)
              result[c].insert(id);
        }
      return result;
    }
  } // namespace

  template <int dim>
  void
  VelocityPreconditioner<dim>::reinit(const ElementSpace<dim, double>   &space,
                                      const FlowBoundaryConditions<dim> &conditions,
                                      const AdditionalData              &additional_data)
  {
    data     = additional_data;
    mesh     = space.mesh;
    degree   = space.reference.degree;
    device   = space.device;
    reaction = 0.;
    parts.clear();
    inverse_mass = {};
    from = to = Vector<float>();
    if (data.kind == VelocityPreconditioning::inverse_mass)
      {
        inverse_mass = ElementMass<dim, double>(space).inverse();
        return;
      }
    if (data.kind == VelocityPreconditioning::p_multigrid)
      from = to = Vector<float>(space.layout(space.reference.n_modes, 1));
    const auto walls = walls_across(space, conditions);
    for (unsigned int c = 0; c < dim; ++c)
      {
        const unsigned int first = std::find(walls.begin(), walls.end(), walls[c]) - walls.begin();
        if (first == c)
          parts.push_back({conditions.of_component(walls[c]), {c}, nullptr, nullptr});
        else
          for (Part &part : parts)
            if (part.components.front() == first)
              part.components.push_back(c);
      }
  }

  template <int dim>
  bool
  VelocityPreconditioner<dim>::set_reaction(const double wanted)
  {
    AssertThrow(std::isfinite(wanted) && wanted > 0.,
                ExcMessage("The reaction of the viscous operator must be positive for its "
                           "preconditioner, but is " +
                           std::to_string(wanted) + "."));
    const double nearest = std::exp2(std::round(std::log2(wanted)));
    if (data.kind == VelocityPreconditioning::inverse_mass || nearest == reaction)
      return false;
    reaction = 0.; // of none, should an error end this
    for (Part &part : parts)
      set_up(part, nearest);
    reaction = nearest;
    return true;
  }

  template <int dim>
  void
  VelocityPreconditioner<dim>::set_up(Part &part, const double reaction) const
  {
    part.blocks.reset();
    part.multigrid.reset();
    LaplaceOperator<dim, float>                          A;
    typename LaplaceOperator<dim, float>::AdditionalData of_A;
    of_A.reaction       = reaction;
    of_A.penalty_factor = data.penalty_factor;
    A.reinit(mesh, degree, part.conditions, device, of_A);
    if (data.kind == VelocityPreconditioning::p_multigrid)
      {
        part.multigrid = std::make_unique<Multigrid>();
        part.multigrid->initialize(A, data.multigrid);
      }
    else
      {
        BlockDiagonal<float> blocks;
        A.compute_block_diagonal(blocks);
        blocks.invert();
        part.blocks = std::make_unique<RoundedBlockDiagonal<float>>();
        part.blocks->reinit(blocks);
      }
  }

  template <int dim>
  void
  VelocityPreconditioner<dim>::vmult(Vector<double> &dst, const Vector<double> &src) const
  {
    if (data.kind == VelocityPreconditioning::inverse_mass)
      return inverse_mass.vmult(dst, src);
    AssertThrow(reaction > 0.,
                ExcMessage("The preconditioner of the velocity is not set up: call "
                           "set_reaction() first."));
    for (const Part &part : parts)
      if (part.blocks != nullptr)
        part.blocks->vmult_components(dst, src, part.components);
      else
        for (const unsigned int c : part.components)
          {
            extract_component(from, src, c);
            part.multigrid->vmult(to, from);
            insert_component(dst, to, c);
          }
  }

  template <int dim>
  std::size_t
  VelocityPreconditioner<dim>::memory_consumption() const
  {
    std::size_t sum = 2 * from.data_size() * sizeof(float);
    for (const Part &part : parts)
      sum += part.multigrid != nullptr ? part.multigrid->memory_consumption()
             : part.blocks != nullptr  ? part.blocks->memory_consumption()
                                       : 0;
    return sum;
  }

  template class VelocityPreconditioner<2>;
  template class VelocityPreconditioner<3>;
} // namespace Saltus
