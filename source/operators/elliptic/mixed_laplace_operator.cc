// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/dg_element.h>
#include <saltus/mesh/shared_faces.h>
#include <saltus/operators/elliptic/mixed_laplace_operator.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Values and fluxes of the basis functions at a point of a side.
    struct SideBasis
    {
      template <int dim>
      SideBasis(const ReferenceElement<dim> &reference,
                const MixedFaceSide         &side,
                const unsigned int           q)
        : values(reference.n_modes)
        , fluxes(reference.n_modes)
      {
        const unsigned int n = reference.n_modes, nf = reference.n_face_points();
        const std::size_t  point = side.face * nf + q;
        for (unsigned int m = 0; m < n; ++m)
          {
            values[m] = reference.face_values[point * n + m];
            for (unsigned int r = 0; r < dim; ++r)
              fluxes[m] +=
                side.along[q * dim + r] * reference.face_gradients[(point * dim + r) * n + m];
          }
      }

      std::vector<double> values, fluxes;
    };

    /// Add to the block `[i][j]` what functions with these values and fluxes, the latter with the
    /// normal out of the side of the test functions, contribute at a point of a face.
    template <typename Number>
    void
    add_at_point(const SideBasis &tests,
                 const SideBasis &functions,
                 const bool       is_across,
                 const double     weight,
                 const double     penalty,
                 Number *const    block)
    {
      const unsigned int n = functions.values.size();
      for (unsigned int j = 0; j < n; ++j)
        {
          const double value = functions.values[j], flux = functions.fluxes[j];
          const auto   terms = is_across ? interior_penalty(0., value, 0., -flux, penalty)
                                         : interior_penalty(value, 0., flux, 0., penalty);
          for (unsigned int i = 0; i < tests.values.size(); ++i)
            block[i * n + j] +=
              weight * (terms.value * tests.values[i] + terms.flux * tests.fluxes[i]);
        }
    }
  } // namespace

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::reinit(
    const Mapping<dim>                    &mapping,
    const DoFHandler<dim>                 &dof_handler,
    const EllipticBoundaryConditions<dim> &boundary_conditions,
    const Device                           device,
    const AdditionalData                  &additional_data)
  {
    common_degree(dof_handler); // rejects an empty DoFHandler
    reinit(make_mixed_mesh(mapping,
                           dof_handler.get_triangulation(),
                           boundary_conditions.periodic()),
           dof_handler,
           boundary_conditions,
           device,
           additional_data);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::reinit(
    const MixedMesh<dim>                  &meshes,
    const DoFHandler<dim>                 &dof_handler,
    const EllipticBoundaryConditions<dim> &boundary_conditions,
    const Device                           device,
    const AdditionalData                  &additional_data)
  {
    set_up(meshes, dof_handler, boundary_conditions, device, additional_data);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::reinit(
    const MixedMesh<dim>                  &meshes,
    const unsigned int                     degree,
    const EllipticBoundaryConditions<dim> &boundary_conditions,
    const Device                           device,
    const AdditionalData                  &additional_data)
  {
    set_up(meshes, degree, boundary_conditions, device, additional_data);
  }

  template <int dim, typename Number>
  template <typename Discretization>
  void
  MixedLaplaceOperator<dim, Number>::set_up(
    const MixedMesh<dim>                  &meshes,
    const Discretization                  &discretization,
    const EllipticBoundaryConditions<dim> &boundary_conditions,
    const Device                           device,
    const AdditionalData                  &additional_data)
  {
    // For the parts alone there is no flux through the faces between them.
    auto conditions = boundary_conditions;
    conditions.set_neumann(numbers::internal_face_boundary_id);
    meshes_ = meshes;
    parts.clear();
    std::vector<bool> determined;
    for (const auto &mesh : meshes)
      {
        parts.push_back(std::make_unique<Part>());
        parts.back()->reinit_part(mesh, discretization, conditions, device, additional_data);
        const std::vector<bool> of_part =
          parts.back()->determined_elements(parts.back()->reaction_values());
        determined.insert(determined.end(), of_part.begin(), of_part.end());
      }
    singular = Part::is_singular_on(MeshParts<dim>(meshes), determined);
    set_up_faces();
  }

  template <int dim, typename Number>
  template <typename OtherNumber>
  void
  MixedLaplaceOperator<dim, Number>::reinit(const MixedLaplaceOperator<dim, OtherNumber> &other,
                                            const unsigned int                            degree)
  {
    meshes_ = other.meshes();
    parts.clear();
    for (unsigned int i = 0; i < other.n_parts(); ++i)
      {
        parts.push_back(std::make_unique<Part>());
        parts.back()->reinit(other.part(i), degree);
      }
    singular = other.is_singular();
    set_up_faces();
  }

  template <int dim, typename Number>
  std::vector<std::pair<MixedFaceSide, bool>>
  MixedLaplaceOperator<dim, Number>::sides_of_others(const std::vector<MixedFace> &faces) const
  {
    const unsigned int        nf     = parts[0]->element_space().reference.n_face_points();
    const unsigned int        n_sent = 3 + nf * dim;
    std::vector<unsigned int> ranks;
    std::vector<double>       numbers;
    for (unsigned int i = 0; i < faces.size(); ++i)
      if (faces[i].across == numbers::invalid_unsigned_int)
        {
          const MixedFaceSide &here = side(links[i]);
          ranks.push_back(faces[i].rank);
          numbers.insert(numbers.end(), {here.penalty, double(here.face), double(faces[i].turned)});
          numbers.insert(numbers.end(), here.along.begin(), here.along.end());
        }
    numbers =
      exchange_across(meshes_[0]->order.triangulation.get_communicator(), ranks, n_sent, numbers);
    std::vector<std::pair<MixedFaceSide, bool>> result;
    for (unsigned int i = 0; i < ranks.size(); ++i)
      {
        const double *const from = numbers.data() + i * n_sent;
        MixedFaceSide       there;
        there.penalty = from[0];
        there.face    = from[1];
        there.along.assign(from + 3, from + n_sent);
        result.emplace_back(there, from[2] != 0.);
      }
    return result;
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::set_up_faces()
  {
    const std::vector<MixedFace> faces = find_mixed_faces(meshes_);
    links.clear();
    for (const MixedFace &face : faces)
      {
        const auto &sides = parts[face.mesh]->mixed_sides;
        const auto  found = std::lower_bound(sides.begin(),
                                            sides.end(),
                                            face.boundary_face,
                                            [](const MixedFaceSide &side, const unsigned int b) {
                                              return side.boundary_face < b;
                                            });
        links.push_back({face.mesh, static_cast<unsigned int>(found - sides.begin()), {}, false});
      }
    const auto of_others = sides_of_others(faces);
    for (unsigned int i = 0, remote = 0; i < faces.size(); ++i)
      {
        const unsigned int across = faces[i].across;
        const bool         here   = across != numbers::invalid_unsigned_int;
        const bool         turned = here ? faces[across].turned : of_others[remote].second;
        links[i].across           = here ? side(links[across]) : of_others[remote].first;
        links[i].opposite         = faces[i].turned != turned;
        remote += !here;
      }
    for (const Link &link : links)
      {
        double &penalty = parts[link.mesh]->mixed_sides[link.side].penalty;
        penalty         = std::max(penalty, link.across.penalty);
      }

    this->faces = make_face_form(1);
  }

  template <int dim, typename Number>
  std::unique_ptr<const MixedFaceForm<dim, Number>>
  MixedLaplaceOperator<dim, Number>::make_face_form(const unsigned int n_components) const
  {
    typename MixedInterface<dim, Number>::Spaces spaces;
    std::vector<std::vector<MixedFaceSide>>      sides;
    for (const auto &part : parts)
      {
        spaces.push_back(&part->element_space());
        sides.push_back(part->mixed_sides);
      }
    return std::make_unique<const MixedFaceForm<dim, Number>>(meshes_, spaces, sides, n_components);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::initialize_vector(BlockVector<Number> &vector) const
  {
    std::vector<Vector<Number>> blocks(n_parts());
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).initialize_vector(blocks[i]);
    vector = BlockVector<Number>(std::move(blocks));
  }

  template <int dim, typename Number>
  std::size_t
  MixedLaplaceOperator<dim, Number>::m() const
  {
    std::size_t sum = part(0).m();
    for (unsigned int i = 1; i < n_parts(); ++i)
      sum += part(i).m();
    return sum;
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::vmult(BlockVector<Number>       &dst,
                                           const BlockVector<Number> &src) const
  {
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).vmult(dst.block(i), src.block(i));
    faces->add(src, 1, dst);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::vmult_add(BlockVector<Number>       &dst,
                                               const BlockVector<Number> &src) const
  {
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).vmult_add(dst.block(i), src.block(i));
    faces->add(src, 1, dst);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::compute_residual(BlockVector<Number>       &dst,
                                                      const BlockVector<Number> &x,
                                                      const BlockVector<Number> &b) const
  {
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).compute_residual(dst.block(i), x.block(i), b.block(i));
    faces->add(x, -1, dst);
  }

  template <int dim, typename Number>
  Number
  MixedLaplaceOperator<dim, Number>::residual(BlockVector<Number>       &dst,
                                              const BlockVector<Number> &x,
                                              const BlockVector<Number> &b) const
  {
    compute_residual(dst, x, b);
    return dst.l2_norm();
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::right_hand_side(BlockVector<Number>        &b,
                                                     const FieldFunction<dim>   &source,
                                                     const std::optional<double> time) const
  {
    initialize_vector(b);
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).right_hand_side(b.block(i), source, time);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::add_boundary_data(BlockVector<Number> &b,
                                                       const DataTimes     &times) const
  {
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).add_boundary_data(b.block(i), times);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::compute_block_diagonal(
    ShapeDiagonal<BlockDiagonal<Number>> &blocks) const
  {
    blocks.of_shapes.resize(n_parts());
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).compute_block_diagonal(blocks.of_shapes[i],
                                     [&](const unsigned int column, Vector<Number> &values) {
                                       faces->part(i).add_own(column, values);
                                     });
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::compute_inverse_mass(
    ShapeDiagonal<ElementScaling<Number>> &inverse_mass) const
  {
    inverse_mass.of_shapes.resize(n_parts());
    for (unsigned int i = 0; i < n_parts(); ++i)
      part(i).compute_inverse_mass(inverse_mass.of_shapes[i]);
  }

  template <int dim, typename Number>
  MixedCouplings<Number>
  MixedLaplaceOperator<dim, Number>::couplings() const
  {
    MixedCouplings<Number> result;
    for (unsigned int i = 0; i < n_parts(); ++i)
      result.of_shapes.push_back(part(i).couplings());
    for (const Link &link : links)
      {
        const MixedFaceSide &here      = side(link);
        const auto          &reference = part(link.mesh).element_space().reference;
        const auto          &across    = part(1 - link.mesh).element_space().reference;
        const unsigned int   nf        = reference.n_face_points();
        Number *const        own       = result.of_shapes[link.mesh].block(here.element, 0);
        std::vector<Number>  block(reference.n_modes * across.n_modes);
        for (unsigned int q = 0; q < nf; ++q)
          {
            const SideBasis tests(reference, here, q),
              beyond(across, link.across, link.opposite ? nf - 1 - q : q);
            const double weight = here.weights[q];
            add_at_point(tests, tests, false, weight, here.penalty, own);
            add_at_point(tests, beyond, true, weight, here.penalty, block.data());
          }
        result.across.push_back(std::move(block));
      }
    return result;
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::add_constant(BlockVector<Number> &x, const double value) const
  {
    for_parts([&](const unsigned int i) { part(i).add_constant(x.block(i), value); });
  }

  template <int dim, typename Number>
  Number
  MixedLaplaceOperator<dim, Number>::remove_null_space(BlockVector<Number> &b) const
  {
    double product = 0., norm_sqr = 0.;
    for_parts([&](const unsigned int i) {
      product += part(i).product_with_one(b.block(i));
      norm_sqr += part(i).norm_sqr_of_one();
    });
    add_constant(b, -product / norm_sqr);
    return std::abs(product) / std::sqrt(norm_sqr);
  }

  template <int dim, typename Number>
  void
  MixedLaplaceOperator<dim, Number>::set_mean_value(BlockVector<Number> &x,
                                                    const double         value) const
  {
    double integral = 0., volume = 0.;
    for_parts([&](const unsigned int i) {
      integral += part(i).integral(x.block(i));
      volume += part(i).volume();
    });
    add_constant(x, value - integral / volume);
  }

  template <int dim, typename Number>
  std::size_t
  MixedLaplaceOperator<dim, Number>::memory_consumption() const
  {
    std::size_t sum = faces->memory_consumption();
    for (unsigned int i = 0; i < n_parts(); ++i)
      sum += part(i).memory_consumption();
    return sum;
  }

  template class MixedLaplaceOperator<2, double>;
  template class MixedLaplaceOperator<2, float>;

#define SALTUS_OTHER_OPERATOR(Number, OtherNumber)       \
  template void MixedLaplaceOperator<2, Number>::reinit( \
    const MixedLaplaceOperator<2, OtherNumber> &, const unsigned int);
  SALTUS_OTHER_OPERATOR(double, double)
  SALTUS_OTHER_OPERATOR(float, double)
  SALTUS_OTHER_OPERATOR(float, float)
#undef SALTUS_OTHER_OPERATOR
} // namespace Saltus
