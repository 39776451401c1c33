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
    walls_across(const std::vector<const ElementSpace<dim, double> *> &spaces,
                 const FlowBoundaryConditions<dim>                    &conditions)
    {
      std::array<std::set<types::boundary_id>, dim> result;
      for (const auto &[id, condition] : conditions.conditions())
        {
          if (condition.kind != FlowBoundary::slip)
            continue;
          std::vector<double> squares(dim); // of the normal's components, integrated
          for (const auto *space : spaces)
            for (const auto &face : space->connectivity.boundary_faces)
              if (face.id == id)
                {
                  const double        *reference = space->reference.face_normals.data();
                  const Tensor<1, dim> normal =
                    space->geometry.face(face.element, reference + face.face * dim).normal;
                  const double area =
                    space->order.cells[face.element]->face(face.cell_face)->measure();
                  for (unsigned int c = 0; c < dim; ++c)
                    squares[c] += area * normal[c] * normal[c];
                }
          squares     = sum_over_ranks(spaces[0]->mesh->partition, squares);
          double area = 0.;
          for (const double square : squares)
            area += square;
          for (unsigned int c = 0; c < dim; ++c)
            if (squares[c] > 0.5 * area)
              result[c].insert(id);
        }
      return result;
    }

    /// About the largest eigenvalue of the viscous operator times the inverse mass matrix: as that
    /// of second-order fluxes, see diffusion_rate().
    template <int dim>
    double
    largest_eigenvalue(const std::vector<const ElementSpace<dim, double> *> &spaces)
    {
      double largest = 0.;
      for (const auto *space : spaces)
        {
          const double p = space->reference.degree, c = p + 1;
          const double c_p = space->reference.is_simplex()
                               ? c * c * (p + dim) * (p + dim)
                               : dim * dim * c * c * (p + 2) * (p + 2) / 3;
          for (unsigned int e = 0; e < space->order.n_elements(); ++e)
            {
              const auto &cell    = space->order.cells[e];
              double      surface = 0.;
              for (const unsigned int f : cell->face_indices())
                surface += cell->face(f)->measure();
              const double diameter = 2. * dim * cell->measure() / surface;
              largest               = std::max(largest, 2.3 * c_p / (diameter * diameter));
            }
        }
      return max_over_ranks(spaces[0]->mesh->partition, largest);
    }
  } // namespace

  template <int dim, typename Shapes>
  void
  VelocityPreconditioner<dim, Shapes>::reinit(
    const typename Shapes::Meshes                        &meshes,
    const std::vector<const ElementSpace<dim, double> *> &spaces,
    const FlowBoundaryConditions<dim>                    &conditions,
    const AdditionalData                                 &additional_data)
  {
    data         = additional_data;
    this->meshes = meshes;
    degree       = spaces[0]->reference.degree;
    device       = spaces[0]->device;
    reaction     = 0.;
    parts.clear();
    inverse_mass = {};
    from = to = typename Shapes::LevelVector();
    with_mass = data.kind == VelocityPreconditioning::inverse_mass;
    if (with_mass || data.kind == VelocityPreconditioning::automatic)
      for (unsigned int i = 0; i < spaces.size(); ++i)
        part_of(inverse_mass, i) = ElementMass<dim, double>(*spaces[i]).inverse();
    if (with_mass)
      return;
    // On hexahedra the large blocks take more time than the iterations that they save.
    if (data.kind == VelocityPreconditioning::automatic)
      eigenvalue = dim == 3 && !spaces[0]->reference.is_simplex()
                     ? 0.
                     : std::max(1., data.penalty_factor) * largest_eigenvalue(spaces);
    const auto walls = walls_across(spaces, conditions);
    for (unsigned int c = 0; c < dim; ++c)
      {
        const unsigned int first = std::find(walls.begin(), walls.end(), walls[c]) - walls.begin();
        if (first == c)
          parts.push_back({conditions.of_component(walls[c]), {c}, {}, nullptr});
        else
          for (Part &part : parts)
            if (part.components.front() == first)
              part.components.push_back(c);
      }
  }

  template <int dim, typename Shapes>
  bool
  VelocityPreconditioner<dim, Shapes>::set_reaction(const double wanted)
  {
    AssertThrow(std::isfinite(wanted) && wanted > 0.,
                ExcMessage("The reaction of the viscous operator must be positive for its "
                           "preconditioner, but is " +
                           std::to_string(wanted) + "."));
    // From this ratio on, the iterations that block Jacobi saves are worth setting it up.
    constexpr double worth   = 10.;
    const double     nearest = std::exp2(std::round(std::log2(wanted)));
    if (data.kind == VelocityPreconditioning::automatic)
      with_mass = eigenvalue < worth * nearest;
    if (with_mass || nearest == reaction)
      return false;
    reaction = 0.; // of none, should an error end this
    for (Part &part : parts)
      set_up(part, nearest);
    reaction = nearest;
    return true;
  }

  template <int dim, typename Shapes>
  void
  VelocityPreconditioner<dim, Shapes>::set_up(Part &part, const double reaction) const
  {
    using Laplace = typename Shapes::template Laplace<float>;
    part.blocks.clear();
    part.multigrid.reset();
    Laplace                          A;
    typename Laplace::AdditionalData of_A;
    of_A.reaction       = reaction;
    of_A.penalty_factor = data.penalty_factor;
    A.reinit(meshes, degree, part.conditions, device, of_A);
    if (data.kind == VelocityPreconditioning::p_multigrid)
      {
        A.initialize_vector(from);
        A.initialize_vector(to);
        part.multigrid = std::make_unique<Multigrid>();
        part.multigrid->initialize(A, data.multigrid);
      }
    else
      {
        typename Shapes::template Diagonal<BlockDiagonal<float>> blocks;
        A.compute_block_diagonal(blocks);
        blocks.invert();
        part.blocks.resize(Shapes::all(meshes).size());
        for (unsigned int i = 0; i < part.blocks.size(); ++i)
          part.blocks[i].reinit(part_of(blocks, i), true);
      }
  }

  template <int dim, typename Shapes>
  void
  VelocityPreconditioner<dim, Shapes>::vmult(VectorType &dst, const VectorType &src) const
  {
    if (with_mass)
      return inverse_mass.vmult(dst, src);
    AssertThrow(reaction > 0.,
                ExcMessage("The preconditioner of the velocity is not set up: call "
                           "set_reaction() first."));
    for (const Part &part : parts)
      if (part.multigrid == nullptr)
        for (unsigned int i = 0; i < part.blocks.size(); ++i)
          part.blocks[i].vmult_components(block_of(dst, i), block_of(src, i), part.components);
      else
        for (const unsigned int c : part.components)
          {
            for (unsigned int i = 0; i < n_blocks_of(src); ++i)
              extract_component(block_of(from, i), block_of(src, i), c);
            part.multigrid->vmult(to, from);
            for (unsigned int i = 0; i < n_blocks_of(src); ++i)
              insert_component(block_of(dst, i), block_of(to, i), c);
          }
  }

  template <int dim, typename Shapes>
  std::size_t
  VelocityPreconditioner<dim, Shapes>::memory_consumption() const
  {
    std::size_t sum = 2 * from.data_size() * sizeof(float);
    for (const Part &part : parts)
      {
        for (const auto &blocks : part.blocks)
          sum += blocks.memory_consumption();
        if (part.multigrid != nullptr)
          sum += part.multigrid->memory_consumption();
      }
    return sum;
  }

  template class VelocityPreconditioner<2>;
  template class VelocityPreconditioner<3>;
  template class VelocityPreconditioner<2, FlowOnMixedShapes<2>>;
} // namespace Saltus
