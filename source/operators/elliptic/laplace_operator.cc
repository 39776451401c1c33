// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/fe/dg_element.h>
#include <saltus/fe/sparse_modal_tables.h>
#include <saltus/operators/elliptic/kernels/gpu_laplace.h>
#include <saltus/operators/elliptic/kernels/hanging_terms.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/face_code.h>
#include <saltus/operators/spaces/function_moments.h>
#include <saltus/operators/spaces/hypercube_face_code.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    [[maybe_unused]] const bool laplace_registered =
      register_gpu_laplace<2, double>() && register_gpu_laplace<2, float>() &&
      register_gpu_laplace<3, double>() && register_gpu_laplace<3, float>();

    template <int dim>
    bool
    is_by_point(const EllipticCoefficient<dim> &coefficient)
    {
      return !coefficient.is_constant() && coefficient.sampling == Sampling::by_point;
    }

    template <int dim>
    bool
    is_zero(const EllipticCoefficient<dim> &coefficient)
    {
      return coefficient.is_constant() && coefficient.constant == 0.;
    }

    /// Products of gradients have degree 2p-2, see curved_form_degree(); with a reaction in curved
    /// elements, products of values; with coefficients that vary in the elements, these and two
    /// degrees more. On hypercubes those of values: the points are those of the basis.
    template <int dim, typename Data>
    unsigned int
    volume_degree(const ElementMesh<dim> &mesh, const Data &data, const unsigned int degree)
    {
      if (!mesh.shape.is_simplex())
        return 2 * degree;
      if (is_by_point<dim>(data.diffusion) || is_by_point<dim>(data.reaction))
        return std::max(2 * degree + 2, mesh.order.all_affine() ? 0 : data.quadrature_degree);
      if (mesh.order.all_affine())
        return 2 * degree - 2;
      const unsigned int of_form = is_zero<dim>(data.reaction)
                                     ? curved_form_degree(dim, degree, mesh.geometry.map_degree)
                                     : 2 * degree;
      return std::max(of_form, data.quadrature_degree);
    }

    void
    check_degree(const unsigned int degree)
    {
      AssertThrow(degree >= 1, ExcMessage("The Laplace operator needs a degree of 1 or more."));
    }

    /// How the corners of faces that meet are turned, for FaceCode.
    template <int dim>
    class CornerTurns
    {
    public:
      explicit CornerTurns(const CellShape<dim> &shape)
        : shape(shape)
      {}

      /// The swaps that bring the neighbour's order of corners to that of the face @p face.
      unsigned int
      swaps(const unsigned int face, const FaceRecord &across) const
      {
        const auto                   &permutation = shape.permutation(across.orientation);
        std::array<unsigned int, dim> wanted; // of the neighbour's places, by the place here
        for (unsigned int j = 0; j < dim; ++j)
          wanted[place(face, j)] = place(across.face, permutation[j]);
        for (unsigned int swaps = 0; swaps < 8; ++swaps)
          {
            double turned[dim];
            std::iota(std::begin(turned), std::end(turned), 0.);
            FaceCode<unsigned int>(0, 0, false, swaps).turn(turned);
            if (std::equal(wanted.begin(), wanted.end(), turned))
              return swaps;
          }
        AssertThrow(false, ExcInternalError());
        return 0;
      }

    private:
      /// Where vertex @p j of a face stands among its vertices in ascending order.
      unsigned int
      place(const unsigned int face, const unsigned int j) const
      {
        const unsigned int vertex = shape.face_vertex(face, j);
        return vertex - (vertex > shape.opposite_vertex(face));
      }

      const CellShape<dim> &shape;
    };
  } // namespace

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::reinit(const Mapping<dim>                    &mapping,
                                       const DoFHandler<dim>                 &dof_handler,
                                       const EllipticBoundaryConditions<dim> &boundary_conditions,
                                       const Device                           device,
                                       const AdditionalData                  &additional_data)
  {
    const unsigned int degree = common_degree(dof_handler);
    reinit(std::make_shared<const ElementMesh<dim>>(mapping,
                                                    dof_handler.get_triangulation(),
                                                    boundary_conditions.periodic(),
                                                    max_matching_rounds,
                                                    typename ElementOrder<dim>::Kinds(),
                                                    std::min(degree + 1,
                                                             ElementMapping<dim>::max_degree)),
           dof_handler,
           boundary_conditions,
           device,
           additional_data);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                       const DoFHandler<dim>                         &dof_handler,
                                       const EllipticBoundaryConditions<dim> &boundary_conditions,
                                       const Device                           device,
                                       const AdditionalData                  &additional_data)
  {
    begin_reinit(mesh, dof_handler, boundary_conditions, device, additional_data);
    set_up();
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::begin_reinit(
    const std::shared_ptr<const ElementMesh<dim>> &mesh,
    const DoFHandler<dim>                         &dof_handler,
    const EllipticBoundaryConditions<dim>         &boundary_conditions,
    const Device                                   device,
    const AdditionalData                          &additional_data)
  {
    const FiniteElement<dim> &fe = element_on(dof_handler, mesh->shape.reference_cell);
    AssertThrow(fe.n_components() == 1 && fe.degree >= 1,
                ExcMessage("The Laplace operator needs a scalar element of degree 1 or more, not " +
                           fe.get_name() + "."));
    boundary_conditions.check_mesh(*mesh, [&](const types::boundary_id id) {
      boundary_conditions.at(id, 1);
    });
    data                      = additional_data;
    this->boundary_conditions = boundary_conditions;
    space =
      std::make_shared<const ElementSpace<dim, Number>>(mesh,
                                                        dof_handler,
                                                        volume_degree(*mesh, data, fe.degree),
                                                        2 * fe.degree,
                                                        device,
                                                        StoredMetrics::in_volume_and_on_faces);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                       const unsigned int                             degree,
                                       const EllipticBoundaryConditions<dim> &boundary_conditions,
                                       const Device                           device,
                                       const AdditionalData                  &additional_data)
  {
    begin_reinit(mesh, degree, boundary_conditions, device, additional_data);
    set_up();
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::begin_reinit(
    const std::shared_ptr<const ElementMesh<dim>> &mesh,
    const unsigned int                             degree,
    const EllipticBoundaryConditions<dim>         &boundary_conditions,
    const Device                                   device,
    const AdditionalData                          &additional_data)
  {
    check_degree(degree);
    boundary_conditions.check_mesh(*mesh, [&](const types::boundary_id id) {
      boundary_conditions.at(id, 1);
    });
    data                      = additional_data;
    this->boundary_conditions = boundary_conditions;
    space                     = ElementSpace<dim, Number>::shared(mesh,
                                              degree,
                                              1,
                                              volume_degree(*mesh, data, degree),
                                              2 * degree,
                                              device,
                                              StoredMetrics::in_volume_and_on_faces);
  }

  template <int dim, typename Number>
  template <typename OtherNumber>
  void
  LaplaceOperator<dim, Number>::reinit(const LaplaceOperator<dim, OtherNumber> &other,
                                       const unsigned int                       degree)
  {
    check_degree(degree);
    const ElementSpace<dim, OtherNumber> &of_other = other.element_space();
    data                                           = {other.data.diffusion,
                                                      other.data.reaction,
                                                      other.data.penalty_factor,
                                                      other.data.quadrature_degree};
    boundary_conditions                            = other.boundary_conditions;
    space = ElementSpace<dim, Number>::shared(of_other.mesh,
                                              degree,
                                              1,
                                              volume_degree(*of_other.mesh, data, degree),
                                              2 * degree,
                                              of_other.device,
                                              StoredMetrics::in_volume_and_on_faces);
    set_up(other.singular);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up(const std::optional<bool> known_singular)
  {
    element_constants = Vector<Number>(); // with the boundary data made when they are asked for
    boundary_data.reset();
    AssertThrow(data.penalty_factor > 0.,
                ExcMessage("The penalty factor of the Laplace operator must be positive, not " +
                           std::to_string(data.penalty_factor) + "."));
    std::vector<bool> determined;
    on_all_ranks(space->order.triangulation.get_communicator(),
                 [&]() { determined = set_up_form(); });
    traces = GhostExchange<Number>::shared(
      *space->mesh, degree(), 1, space->device, GhostData::values_and_gradients);
    singular =
      known_singular ? *known_singular : is_singular_on(MeshParts<dim>(*space->mesh), determined);
  }

  template <int dim, typename Number>
  std::vector<bool>
  LaplaceOperator<dim, Number>::set_up_form()
  {
    kernels.reinit(space->order.ranges, space->reference, space->device, "Laplace");
    const Values k(data.diffusion, *space, "diffusion coefficient", dim * (dim + 1) / 2);
    const Values lambda = reaction_values();
    k.check_positive(*space, false);
    lambda.check_positive(*space, true);
    diffusion = k.copy_to(space->device);
    reaction  = lambda.copy_to(space->device);
    set_up_boundary();
    set_up_sparse_form(k, lambda);
    pointwise = PointwiseFormMemory<Number>(*space, metrics(), k);
    for (const ElementRange &range : space->order.ranges)
      kernels[range].prepare(arguments());
    const std::vector<double> of_sides = set_up_penalties(k);
    hanging = HangingFormMemory<Number>(*space, k, [&](const unsigned int e, const unsigned int f) {
      return of_sides[static_cast<std::size_t>(e) * space->reference.n_faces + f];
    });
    set_up_mixed_sides(k, of_sides);
    return determined_elements(lambda);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up_boundary()
  {
    has_robin          = false;
    boundary_kinds     = on_boundary_faces(*space, [&](const types::boundary_id id) {
      const EllipticBoundary kind = boundary_conditions.at(id, 1).kind;
      has_robin                   = has_robin || kind == EllipticBoundary::robin;
      return kind;
    });
    robin_coefficients = on_boundary_faces(*space, [&](const types::boundary_id id) {
      return static_cast<Number>(boundary_conditions.at(id, 1).robin);
    });
  }

  template <int dim, typename Number>
  std::vector<bool>
  LaplaceOperator<dim, Number>::determined_elements(const Values &lambda) const
  {
    std::vector<bool> result(space->n_elements());
    for (const auto &face : space->connectivity.boundary_faces)
      {
        const auto &condition = boundary_conditions.at(face.id, 1);
        if (condition.kind == EllipticBoundary::dirichlet || condition.robin != 0.)
          result[face.element] = true;
      }
    if (!lambda.is_zero())
      for (unsigned int e = 0; e < space->n_elements(); ++e)
        if (!lambda.is_zero(e))
          result[e] = true;
    return result;
  }

  template <int dim, typename Number>
  bool
  LaplaceOperator<dim, Number>::is_singular_on(const MeshParts<dim>    &parts,
                                               const std::vector<bool> &determined_elements)
  {
    std::vector<bool> determined(parts.n(), false);
    for (unsigned int e = 0; e < determined_elements.size(); ++e)
      if (determined_elements[e])
        determined[parts.of_element(e)] = true;
    for (unsigned int part = 0; part < parts.n(); ++part)
      determined[part] = parts.max_over_ranks(determined[part] ? 1. : 0.) > 0.;

    const auto part     = std::find(determined.begin(), determined.end(), false);
    const bool singular = part != determined.end();
    AssertThrow(!singular || parts.n() == 1,
                ExcMessage("The mesh has " + std::to_string(parts.n()) +
                           " parts that no face joins, and the solution is determined only up to a "
                           "constant in the part " +
                           parts.description(part - determined.begin()) +
                           ": it needs a Dirichlet or a Robin condition there, or a reaction."));
    return singular;
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::penalty_scale() const
  {
    const double p = degree();
    return data.penalty_factor * 0.5 *
           (on_simplices() ? (dim + 1) * (p + 1) * (p + dim) / dim : (p + 1) * (p + 2));
  }

  template <int dim, typename Number>
  SymmetricTensor<2, dim>
  LaplaceOperator<dim, Number>::reference_diffusion(const Values      &k,
                                                    const unsigned int element) const
  {
    const Tensor<2, dim> &gradients = space->geometry.inverse_jacobians[element];
    return symmetrize(space->geometry.volume_factors[element] *
                      (gradients * Tensor<2, dim>(k.volume(element, 0)) * transpose(gradients)));
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::penalty_factor(const Values &k, const unsigned int element) const
  {
    if (on_simplices())
      return 1.;
    if (space->geometry.curved_map(element) != nullptr || k.varies_in_elements())
      return dim;
    const SymmetricTensor<2, dim> K = reference_diffusion(k, element);
    SymmetricTensor<2, dim>       scaled;
    for (unsigned int r = 0; r < dim; ++r)
      for (unsigned int s = r; s < dim; ++s)
        scaled[r][s] = K[r][s] / std::sqrt(K[r][r] * K[s][s]);
    // Roots of the characteristic polynomial would lose digits where they are nearly the same.
    return eigenvectors(scaled, SymmetricTensorEigenvectorMethod::jacobi)[0].first;
  }

  template <int dim, typename Number>
  ElementMetrics<dim>
  LaplaceOperator<dim, Number>::metrics() const
  {
    return {space->reference, space->geometry, MetricForm::cross_product};
  }

  template <int dim, typename Number>
  typename ElementGeometry<dim>::Face
  LaplaceOperator<dim, Number>::face(const unsigned int element, const unsigned int f) const
  {
    return space->geometry.face(element, space->reference.face_normals.data() + f * dim);
  }

  template <int dim, typename Number>
  std::vector<double>
  LaplaceOperator<dim, Number>::set_up_penalties(const Values &k)
  {
    const ReferenceElement<dim> &reference = space->reference;
    const unsigned int           n_faces = reference.n_faces, n_elements = space->n_elements();

    const auto side =
      [&](const unsigned int e, const unsigned int f, const auto &normal_at, const double area) {
        double largest = 0.;
        for (unsigned int q = 0; q < reference.n_face_points(); ++q)
          {
            const Tensor<1, dim> normal = normal_at(q);
            largest                     = std::max(largest, normal * (k.face(e, f, q) * normal));
          }
        return largest * k.variation(e) * area / reference.reference_cell.volume();
      };
    const auto affine_side = [&](const unsigned int e, const unsigned int f) {
      const auto here = face(e, f);
      return side(
        e, f, [&](const unsigned int) { return here.normal; }, here.area);
    };
    const ElementMetrics<dim> of_curved    = metrics();
    const auto                curved_sides = [&](const unsigned int e, double *of_faces) {
      const auto normals = of_curved.normals(e);
      const auto areas   = of_curved.trace_areas(e);
      for (unsigned int f = 0; f < n_faces; ++f)
        of_faces[f] = side(
          e,
          f,
          [&](const unsigned int q) {
            const Tensor<1, dim> &normal = normals[f * reference.n_face_points() + q];
            return normal / normal.norm();
          },
          areas[f]);
    };

    const std::size_t   n_all = space->geometry.jacobians.size(); // with ghosts
    std::vector<double> sides(n_all * n_faces);                   // `[e][f]`
    const double        scale = penalty_scale();
    parallel_for(n_all, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        {
          double *of_faces = sides.data() + static_cast<std::size_t>(e) * n_faces;
          if (space->geometry.curved_map(e) != nullptr)
            curved_sides(e, of_faces);
          else
            for (unsigned int f = 0; f < n_faces; ++f)
              of_faces[f] = affine_side(e, f);
          const double factor = scale * penalty_factor(k, e);
          for (unsigned int f = 0; f < n_faces; ++f)
            of_faces[f] *= factor;
        }
    });

    std::vector<Number> values(static_cast<std::size_t>(n_blocks(n_elements)) * block_size *
                               n_faces);
    parallel_for(n_elements, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        for (unsigned int f = 0; f < n_faces; ++f)
          {
            const FaceRecord &across = space->connectivity.face(e, f);
            double            side   = sides[static_cast<std::size_t>(e) * n_faces + f];
            if (!across.at_boundary() && across.kind != FaceKind::hanging)
              side =
                std::max(side,
                         sides[static_cast<std::size_t>(across.neighbor) * n_faces + across.face]);
            values[point_index(e, f, n_faces, 1)] = side;
          }
    });
    penalties = Memory<Number>(space->device, values);
    return sides;
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up_mixed_sides(const Values              &k,
                                                   const std::vector<double> &of_sides)
  {
    const ReferenceElement<dim> &reference = space->reference;
    const ElementMetrics<dim>    at_points = metrics();
    const unsigned int           nf        = reference.n_face_points();
    const auto                  &faces     = space->connectivity.boundary_faces;
    mixed_sides.clear();
    for (unsigned int b = 0; b < faces.size(); ++b)
      {
        if (!faces[b].is_inside())
          continue;
        const unsigned int e = faces[b].element, f = faces[b].face;
        MixedFaceSide      side{
          b, e, f, of_sides[static_cast<std::size_t>(e) * reference.n_faces + f], {}, {}};
        const auto normals = at_points.normals(e), gradients = at_points.face_gradients(e);
        for (unsigned int q = 0; q < nf; ++q)
          {
            const double         length = normals[f * nf + q].norm();
            const Tensor<1, dim> flux   = k.face(e, f, q) * (normals[f * nf + q] / length);
            side.weights.push_back(reference.face_weights[q] * length *
                                   space->geometry.volume_factors[e]);
            for (unsigned int r = 0; r < dim; ++r)
              side.along.push_back(gradients[f * nf + q][r] * flux);
          }
        mixed_sides.push_back(std::move(side));
      }
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up_sparse_form(const Values &k, const Values &lambda)
  {
    stiffness                    = {};
    reaction_mass                = {};
    face_codes                   = {};
    const std::size_t n_elements = space->n_padded_elements();
    if (on_simplices())
      {
        if (n_elements >= FaceCode<unsigned int>::max_elements)
          return;
      }
    else
      AssertThrow(n_elements < HypercubeFaceCode::max_elements,
                  ExcMessage("Elements of one rank: " + std::to_string(n_elements) +
                             ". The Laplace operator on quadrilaterals and hexahedra takes less "
                             "than " +
                             std::to_string(HypercubeFaceCode::max_elements) +
                             ". Use more ranks."));
    set_up_face_codes();
    if (!arguments().is_by_point())
      set_up_stiffness(k, lambda);
  }

  template <int dim, typename Number>
  std::vector<double>
  LaplaceOperator<dim, Number>::stiffness_of(const Values &k, const unsigned int element) const
  {
    const SymmetricTensor<2, dim> K = reference_diffusion(k, element);
    std::vector<double>           result;
    if (!on_simplices())
      {
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int s = r; s < dim; ++s)
            result.push_back(K[r][s]);
        result.push_back(penalty_factor(k, element));
        return result;
      }
    // Barycentric coordinate 0 is 1 less the others.
    for (unsigned int s = 0; s < dim; ++s)
      {
        double sum = 0.;
        for (unsigned int r = 0; r < dim; ++r)
          sum -= K[r][s];
        result.push_back(sum);
      }
    for (unsigned int r = 0; r < dim; ++r)
      for (unsigned int s = r + 1; s < dim; ++s)
        result.push_back(K[r][s]);
    return result;
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up_stiffness(const Values &k, const Values &lambda)
  {
    const unsigned int n = on_simplices() ? Simplex<dim>::n_vertex_pairs : dim * (dim + 1) / 2 + 1;
    const std::size_t  n_padded = space->n_padded_elements();

    std::vector<Number> entries(n_padded * n), masses(lambda.is_zero() ? 0 : n_padded);
    parallel_for(n_padded, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        {
          const unsigned int        e          = space->element_or_last(i);
          const std::vector<double> of_element = stiffness_of(k, e);
          for (unsigned int entry = 0; entry < n; ++entry)
            entries[point_index(i, entry, n, 1)] = of_element[entry];
          if (!masses.empty())
            masses[i] = space->geometry.volume_factors[e] * lambda.volume(e, 0)[0][0];
        }
    });
    stiffness     = Memory<Number>(space->device, entries);
    reaction_mass = Memory<Number>(space->device, masses);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_up_face_codes()
  {
    const ReferenceElement<dim> &reference = space->reference;
    const unsigned int           n_faces   = reference.n_faces;
    const std::size_t            n_padded  = space->order.first_ghost();
    std::vector<unsigned int>    codes(n_padded * n_faces);
    const auto                   kind_of = [&](const FaceRecord &face) {
      return boundary_conditions.at(space->connectivity.boundary_faces[face.neighbor].id, 1).kind;
    };
    // number(f): of a face in the array
    const auto set_all = [&](const auto &number, const auto &code) {
      parallel_for(n_padded, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          for (unsigned int f = 0; f < n_faces; ++f)
            {
              const unsigned int e = space->element_or_last(i);

              codes[point_index(i, number(f), n_faces, 1)] =
                code(e, f, space->connectivity.face(e, f));
            }
      });
    };
    if (on_simplices())
      {
        const CornerTurns<dim> turns(reference);
        const auto opposite = [&](const unsigned int f) { return reference.opposite_vertex(f); };
        set_all(
          opposite, [&](const unsigned int e, const unsigned int f, const FaceRecord &across) {
            using Code = FaceCode<unsigned int>;
            return across.at_boundary()
                     ? Code(e, opposite(f), kind_of(across) == EllipticBoundary::dirichlet, 0).word
                     : Code(across.neighbor, opposite(across.face), false, turns.swaps(f, across))
                         .word;
          });
      }
    else
      set_all(
        [](const unsigned int f) { return f; },
        [&](const unsigned int e, const unsigned int, const FaceRecord &across) {
          using Code       = HypercubeFaceCode;
          const bool hangs = across.kind == FaceKind::hanging || across.sub_face != 0;
          if (!across.at_boundary())
            return (hangs ? Code::of_alone(e, false, true) : Code::of_interior(across)).bits();
          const EllipticBoundary kind = kind_of(across);
          return Code::of_alone(e,
                                kind == EllipticBoundary::dirichlet,
                                kind == EllipticBoundary::robin)
            .bits();
        });
    face_codes = Memory<unsigned int>(space->device, codes);
  }

  template <int dim, typename Number>
  LaplaceArguments<Number>
  LaplaceOperator<dim, Number>::arguments() const
  {
    LaplaceArguments<Number> arg;
    arg.tables        = element_space().element_tables();
    arg.mesh          = space->mesh_arrays();
    arg.stored        = space->stored_arrays();
    arg.map_degree    = space->geometry.map_degree;
    arg.pointwise     = pointwise.arrays();
    arg.kinds         = boundary_kinds.data();
    arg.robin         = robin_coefficients.data();
    arg.diffusion     = diffusion.arrays();
    arg.reaction      = reaction.arrays();
    arg.penalties     = penalties.data();
    arg.stiffness     = stiffness.size() > 0 ? stiffness.data() : nullptr;
    arg.face_codes    = face_codes.data();
    arg.reaction_mass = reaction_mass.size() > 0 ? reaction_mass.data() : nullptr;
    arg.penalty       = penalty_scale() * (on_simplices() ? double(dim) / (dim - 1) : 1.);
    arg.has_robin     = has_robin;
    arg.matched       = arg.mesh.matched;
    arg.hanging       = hanging.arrays();
    return arg;
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::throw_not_set_up()
  {
    AssertThrow(false, ExcMessage("The Laplace operator is not set up: call reinit() first."));
    std::abort();
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::run(LaplaceArguments<Number> arg) const
  {
    for (const bool with_ghosts : {false, true})
      set_hanging_terms<dim>(space->device, arg, with_ghosts);
    space->for_all_ranges(
      [&](const MeshArrays<Number> &mesh, const RangeLaunch) { apply_on(mesh, arg); });
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::apply_on(const MeshArrays<Number> &range,
                                         LaplaceArguments<Number> &arg) const
  {
    arg.mesh = range;
    if (!hanging.empty())
      arg.mesh.faces = hanging.records();
    kernels[range].apply(arg);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::apply(LaplaceArguments<Number> arg,
                                      Vector<Number>          &dst,
                                      const Vector<Number>    &src) const
  {
    AssertThrow(&src != &dst, ExcMessage("The Laplace operator cannot work in place."));
    check_vector(src);
    check_vector(dst);
    arg.u   = src.data();
    arg.out = dst.data();
    space->for_ranges(
      *traces,
      src,
      [&]() { set_hanging_terms<dim>(space->device, arg, false); },
      [&](const MeshArrays<Number> &mesh, const RangeLaunch launch) {
        if (launch.after_messages)
          set_hanging_terms<dim>(space->device, arg, true);
        apply_on(mesh, arg);
      });
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(arguments(), dst, src);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    check_vector(dst);
    auto arg = arguments();
    arg.base = dst.data();
    apply(arg, dst, src);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::compute_residual(Vector<Number>       &dst,
                                                 const Vector<Number> &x,
                                                 const Vector<Number> &b) const
  {
    check_vector(b);
    auto arg  = arguments();
    arg.base  = b.data();
    arg.scale = -1;
    apply(arg, dst, x);
  }

  template <int dim, typename Number>
  Number
  LaplaceOperator<dim, Number>::residual(Vector<Number>       &dst,
                                         const Vector<Number> &x,
                                         const Vector<Number> &b) const
  {
    compute_residual(dst, x, b);
    return dst.l2_norm();
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::smoothing_step(Vector<Number>                     &x,
                                               const Vector<Number>               &b,
                                               const RoundedBlockDiagonal<Number> &B,
                                               const Number                        weight,
                                               Vector<Number>                     &scratch) const
  {
    auto arg = arguments();
    if (!kernels.all([&](const auto &of_kind) { return of_kind.smooths(arg); }))
      {
        compute_residual(scratch, x, b);
        B.vmult_add(x, weight, scratch);
        return;
      }
    check_vector(b);
    B.check(b);
    arg.base   = b.data();
    arg.scale  = -1;
    arg.blocks = B.arrays();
    arg.weight = weight;
    apply(arg, scratch, x);
    x.swap(scratch);
  }

  template <int dim, typename Number>
  Number
  LaplaceOperator<dim, Number>::el(const std::size_t i, const std::size_t j) const
  {
    Vector<Number> unit, column;
    initialize_vector(unit);
    initialize_vector(column);
    unit(j) = 1;
    vmult(column, unit);
    return column(i);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::right_hand_side(Vector<Number>             &b,
                                                const FieldFunction<dim>   &source,
                                                const std::optional<double> time) const
  {
    initialize_vector(b);
    add_boundary_data(b, time);
    if (!source.empty())
      FunctionMoments<dim, Number>(*space, source, "source").add(b, time);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::add_boundary_data(Vector<Number> &b, const DataTimes &times) const
  {
    check_vector(b);
    if (!boundary_data)
      boundary_data = std::make_unique<EllipticBoundaryData<dim, Number>>(
        *space, [&](const types::boundary_id id) { return boundary_conditions.at(id, 1).data; });
    boundary_data->add(b, arguments(), times);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::compute_block_diagonal(
    BlockDiagonal<Number>                                                  &blocks,
    const std::function<void(const unsigned int column, Vector<Number> &)> &add_to_column) const
  {
    Vector<Number> column;
    initialize_vector(column);
    blocks.reinit(column);
    auto arg   = arguments();
    arg.across = arg.no_face;
    for (unsigned int m = 0; m < space->reference.n_modes; ++m)
      {
        arg.column = m;
        arg.out    = column.data();
        run(arg);
        add_to_column(m, column);
        blocks.set_column(m, column);
      }
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::compute_diagonal(Vector<Number> &diagonal) const
  {
    BlockDiagonal<Number> blocks;
    compute_block_diagonal(blocks);
    initialize_vector(diagonal);
    blocks.extract_diagonal(diagonal);
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::compute_inverse_mass(ElementScaling<Number> &inverse_mass) const
  {
    inverse_mass = ElementMass<dim, Number>(element_space()).inverse();
  }

  template <int dim, typename Number>
  ElementCouplings<double>
  LaplaceOperator<dim, Number>::coupling_strengths() const
  {
    const unsigned int       n_faces = element_space().reference.n_faces;
    ElementCouplings<double> result{
      space->n_elements(), n_couplings_across() + 1, 1, partners(false), {}};
    result.values.resize(result.partners.size());
    const std::vector<Number>  of_faces  = penalties.to_host();
    const ElementMetrics<dim>  of_curved = metrics();
    const std::vector<double> &weights   = space->reference.face_weights;
    const auto                 area      = [&](const unsigned int e, const unsigned int f) {
      if (space->geometry.curved_map(e) == nullptr)
        return face(e, f).area;
      const auto normals = of_curved.normals(e);
      double     sum     = 0.;
      for (unsigned int q = 0; q < weights.size(); ++q)
        sum += weights[q] * normals[f * weights.size() + q].norm();
      return sum;
    };
    const auto strength = [&](const unsigned int e, const unsigned int f) {
      return of_faces[point_index(e, f, n_faces, 1)] * area(e, f) *
             space->geometry.volume_factors[e];
    };
    parallel_for(result.n_elements, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        for (unsigned int c = 0; c < n_couplings_across(); ++c)
          {
            // Parts of a hanging face have the strength that the smaller elements see; where
            // nothing hangs, those that are none the strength of the face, as boundaries have.
            const unsigned int f    = c % n_faces;
            const FaceRecord  &face = space->connectivity.face(e, f);
            *result.block(e, c + 1) = strength(e, f);
            if (face.kind != FaceKind::hanging)
              continue;
            const FaceRecord &part =
              space->connectivity.hanging_faces[face.neighbor].parts[c / n_faces];
            if (part.kind == FaceKind::interior)
              *result.block(e, c + 1) = strength(part.neighbor, part.face);
          }
    });
    return result;
  }

  template <int dim, typename Number>
  unsigned int
  LaplaceOperator<dim, Number>::n_couplings_across() const
  {
    const CellShape<dim> &shape = element_space().reference;
    return shape.n_faces * (space->connectivity.hanging_faces.empty() ? 1 : shape.n_sub_faces);
  }

  template <int dim, typename Number>
  std::vector<int>
  LaplaceOperator<dim, Number>::partners(const bool with_ghosts) const
  {
    const std::size_t  n_elements = space->n_elements();
    const unsigned int n_faces    = space->reference.n_faces;
    const auto        &faces      = space->connectivity;
    std::vector<int>   result;
    result.reserve(n_elements * (n_couplings_across() + 1));
    for (std::size_t e = 0; e < n_elements; ++e)
      {
        result.push_back(e);
        for (unsigned int c = 0; c < n_couplings_across(); ++c)
          {
            const unsigned int part   = c / n_faces;
            const FaceRecord  *across = &faces.face(e, c % n_faces);
            if (across->kind == FaceKind::hanging)
              across = &faces.hanging_faces[across->neighbor].parts[part];
            else if (part > 0)
              across = nullptr;
            if (across != nullptr && across->kind == FaceKind::interior)
              result.push_back(across->neighbor);
            else if (across != nullptr && across->kind == FaceKind::ghost && with_ghosts)
              result.push_back(n_elements + across->neighbor - space->order.first_ghost());
            else
              result.push_back(-1);
          }
      }
    return result;
  }

  template <int dim, typename Number>
  ElementCouplings<Number>
  LaplaceOperator<dim, Number>::couplings() const
  {
    const ReferenceElement<dim> &reference = element_space().reference;
    const unsigned int           n_modes = reference.n_modes, n_across = n_couplings_across();
    ElementCouplings<Number> result{space->n_elements(), n_across + 1, n_modes, partners(true), {}};
    result.values.resize(result.partners.size() * n_modes * n_modes);

    const VectorLayout      layout = space->layout();
    const CoefficientLayout modes  = layout.coefficients();
    const std::size_t       size   = layout.owned_array_size();
    Memory<Number>          columns(space->device, n_modes * size); // of one coupling
    auto                    arg = arguments();
    for (unsigned int c = 0; c <= n_across; ++c)
      {
        arg.own    = c == 0;
        arg.across = c == 0 ? arg.no_face : static_cast<int>(c - 1);
        for (unsigned int j = 0; j < n_modes; ++j)
          {
            arg.column = j;
            arg.out    = columns.data() + j * size;
            run(arg);
          }
        const std::vector<Number> values = columns.to_host();
        parallel_for(result.n_elements, [&](const std::size_t begin, const std::size_t end) {
          for (std::size_t e = begin; e < end; ++e)
            for (unsigned int i = 0; i < n_modes; ++i)
              for (unsigned int j = 0; j < n_modes; ++j)
                result.block(e, c)[i * n_modes + j] = values[j * size + modes.index(e, i)];
        });
      }
    return result;
  }

  template <int dim, typename Number>
  DistributedRows
  LaplaceOperator<dim, Number>::distributed_rows() const
  {
    return element_space().distributed_rows(couplings());
  }

  template <int dim, typename Number>
  Vector<Number> &
  LaplaceOperator<dim, Number>::constants_of(const Vector<Number> &x) const
  {
    check_vector(x);
    if (element_constants.size() == 0)
      {
        const auto &reference = space->reference;
        constants =
          ModeTransfer<Number>(space->device,
                               reference.basis.embedding(Basis<dim>(reference.reference_cell, 0)));
        element_constants = Vector<Number>(space->layout(1, 1));
      }
    constants.project(element_constants, x);
    return element_constants;
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::product_with_one(const Vector<Number> &x) const
  {
    const Vector<Number> &of_elements = constants_of(x);
    return coefficient_of_one() * of_elements.mean_value() * of_elements.size();
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::norm_sqr_of_one() const
  {
    return space->reference.reference_cell.volume() * space->layout(1, 1).n_entries();
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::add_constant(Vector<Number> &x, const double value) const
  {
    element_constants = static_cast<Number>(value * coefficient_of_one());
    constants.add_embedded(x, element_constants);
  }

  template <int dim, typename Number>
  Number
  LaplaceOperator<dim, Number>::remove_null_space(Vector<Number> &b) const
  {
    const double value = product_with_one(b) / norm_sqr_of_one();
    add_constant(b, -value);
    return std::abs(value) * std::sqrt(norm_sqr_of_one());
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::volume() const
  {
    const Vector<Number> weights = ElementMass<dim, Number>(element_space()).factors();
    return space->reference.reference_cell.volume() * weights.mean_value() * weights.size();
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::integral(const Vector<Number> &x) const
  {
    const Vector<Number> &of_elements = constants_of(x);
    if (!space->geometry.has_curved_elements)
      return coefficient_of_one() *
             (of_elements * ElementMass<dim, Number>(element_space()).factors());
    Vector<Number> integrals; // of the modes, which count where the determinant varies
    initialize_vector(integrals);
    const auto one = std::make_shared<Functions::ConstantFunction<dim>>(1.);
    FunctionMoments<dim, Number>(*space, FieldFunction<dim>(one), "constant").add(integrals, 0.);
    return x * integrals;
  }

  template <int dim, typename Number>
  void
  LaplaceOperator<dim, Number>::set_mean_value(Vector<Number> &x, const double value) const
  {
    add_constant(x, value - integral(x) / volume());
  }

  template <int dim, typename Number>
  double
  LaplaceOperator<dim, Number>::flops() const
  {
    const ReferenceElement<dim> &reference = element_space().reference;
    const auto                   n_points  = [](const std::vector<double> &weights) {
      return static_cast<double>(weights.size() - std::count(weights.begin(), weights.end(), 0.));
    };
    // Volume: gradients, and fluxes times gradients. Faces: value and gradient on either side, and
    // terms times value and gradient.
    const double sum    = 2. * reference.n_modes;
    double       volume = n_points(reference.volume_weights) * 2 * dim * sum;
    double       faces = reference.n_faces * n_points(reference.face_weights) * 3 * (dim + 1) * sum;
    if (!on_simplices())
      {
        // Along lines; on faces derivatives in directions of the face from values there.
        const double line = 2. * (degree() + 1);
        volume            = reference.n_volume_points() * 2 * dim * line;
        faces = reference.n_faces * reference.n_face_points() * (6 + 2 * (dim - 1)) * line;
      }
    const bool is_sparse = on_simplices() && arguments().is_sparse();
    double     result    = 0.;
    for (const ElementRange &range : space->order.ranges)
      result += (range.end - range.begin) * (is_sparse && range.kind == GeometryKind::affine
                                               ? sparse_laplace_flops<dim>(degree())
                                               : volume + faces);
    return result;
  }

  template <int dim, typename Number>
  std::size_t
  LaplaceOperator<dim, Number>::memory_consumption() const
  {
    return element_space().table_memory() + diffusion.memory_consumption() +
           reaction.memory_consumption() + pointwise.memory_consumption() +
           hanging.memory_consumption() +
           (boundary_data ? boundary_data->memory_consumption() : 0) +
           boundary_kinds.size() * sizeof(EllipticBoundary) +
           (robin_coefficients.size() + penalties.size() + stiffness.size() +
            reaction_mass.size()) *
             sizeof(Number) +
           face_codes.size() * sizeof(unsigned int);
  }

  template class LaplaceOperator<2, double>;
  template class LaplaceOperator<2, float>;
  template class LaplaceOperator<3, double>;
  template class LaplaceOperator<3, float>;

#define SALTUS_OTHER_OPERATOR(dim, Number, OtherNumber)                                         \
  template void LaplaceOperator<dim, Number>::reinit(const LaplaceOperator<dim, OtherNumber> &, \
                                                     const unsigned int);
  SALTUS_OTHER_OPERATOR(2, double, double)
  SALTUS_OTHER_OPERATOR(2, float, double)
  SALTUS_OTHER_OPERATOR(2, float, float)
  SALTUS_OTHER_OPERATOR(3, double, double)
  SALTUS_OTHER_OPERATOR(3, float, double)
  SALTUS_OTHER_OPERATOR(3, float, float)
#undef SALTUS_OTHER_OPERATOR
} // namespace Saltus
