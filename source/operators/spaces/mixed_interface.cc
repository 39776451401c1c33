// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/mesh/position_text.h>
#include <saltus/operators/spaces/mixed_interface.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    const typename FaceConnectivity<dim>::BoundaryFace &
    in_mesh(const MixedMesh<dim> &meshes, const MixedFace &face)
    {
      return meshes[face.mesh]->connectivity.boundary_faces[face.boundary_face];
    }

    bool
    is_local(const MixedFace &face)
    {
      return face.across != numbers::invalid_unsigned_int;
    }

    /// `[q][r][d]`: see MixedTraces
    template <int dim>
    std::vector<double>
    gradient_maps(const typename FaceConnectivity<dim>::BoundaryFace &face,
                  const ElementMetrics<dim>                          &metrics,
                  const unsigned int                                  n_face_points)
    {
      const auto          gradients = metrics.face_gradients(face.element);
      std::vector<double> result;
      for (unsigned int q = 0; q < n_face_points; ++q)
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int d = 0; d < dim; ++d)
            result.push_back(gradients[face.face * n_face_points + q][r][d]);
      return result;
    }
  } // namespace

  template <int dim, typename Number>
  void
  MixedInterface<dim, Number>::check_points() const
  {
    const auto &first = spaces[0]->reference.face_weights;
    for (const auto *space : spaces)
      {
        const auto &weights = space->reference.face_weights;
        AssertThrow(space->n_components == spaces[0]->n_components &&
                      std::equal(weights.begin(),
                                 weights.end(),
                                 first.begin(),
                                 first.end(),
                                 [](const double a, const double b) {
                                   return std::abs(a - b) < 1e-12;
                                 }),
                    ExcMessage("Spaces on a mesh that mixes shapes must have as many components "
                               "and the same points on faces."));
      }
  }

  template <int dim, typename Number>
  void
  MixedInterface<dim, Number>::check_geometry(const MixedMesh<dim>         &meshes,
                                              const std::vector<MixedFace> &faces) const
  {
    std::vector<ElementPoints<dim>> points;
    for (const auto *space : spaces)
      points.emplace_back(space->geometry, space->reference.face_points);
    const auto positions = [&](const MixedFace &face) {
      return points[face.mesh].positions(in_mesh(meshes, face).element);
    };
    const auto number = [&](const MixedFace &face, const unsigned int q) {
      return in_mesh(meshes, face).face * n_face_points + (face.turned ? n_face_points - 1 - q : q);
    };
    on_all_ranks(meshes[0]->order.triangulation.get_communicator(), [&]() {
      for (unsigned int i = 0; i < faces.size(); ++i)
        if (is_local(faces[i]) && i < faces[i].across)
          {
            const MixedFace &face = faces[i], &other = faces[face.across];
            const auto      &in_cell = in_mesh(meshes, face);
            const auto       tria_face =
              meshes[face.mesh]->order.cells[in_cell.element]->face(in_cell.cell_face);
            const auto here = positions(face), there = positions(other);
            for (unsigned int q = 0; q < n_face_points; ++q)
              AssertThrow(here[number(face, q)].distance(there[number(other, q)]) <
                            1e-8 * tria_face->diameter(),
                          ExcMessage("The mappings of triangles and quadrilaterals do not agree on "
                                     "the face with centre " +
                                     position_text(tria_face->center()) +
                                     " that they share: curve both alike there."));
          }
    });
  }

  template <int dim, typename Number>
  std::vector<double>
  MixedInterface<dim, Number>::penalties(const MixedMesh<dim>                    &meshes,
                                         const std::vector<MixedFace>            &faces,
                                         const std::vector<StatesAcross<Number>> &across) const
  {
    const auto volume = [&](const MixedFace &face) {
      return meshes[face.mesh]->geometry.volume_factors[in_mesh(meshes, face).element];
    };
    std::vector<double>       own, of_remote;
    std::vector<unsigned int> ranks;
    for (const MixedFace &face : faces)
      {
        own.push_back(across[face.mesh].penalty / volume(face));
        if (!is_local(face))
          {
            ranks.push_back(face.rank);
            of_remote.push_back(own.back());
          }
      }
    of_remote =
      exchange_across(meshes[0]->order.triangulation.get_communicator(), ranks, 1, of_remote);
    std::vector<double> result;
    for (unsigned int i = 0; i < faces.size(); ++i)
      {
        const double other = is_local(faces[i]) ? own[faces[i].across]
                                                : of_remote[i - (faces.size() - of_remote.size())];
        result.push_back(std::max(own[i], other) * volume(faces[i]));
      }
    return result;
  }

  template <int dim, typename Number>
  template <typename Maps, typename Side, typename Array>
  std::vector<typename MixedInterface<dim, Number>::Sides>
  MixedInterface<dim, Number>::make_sides(const MixedMesh<dim>         &meshes,
                                          const std::vector<MixedFace> &faces,
                                          const std::size_t             begin,
                                          const std::size_t             end,
                                          const NumbersAcross          &numbers,
                                          const Maps                   &maps_of,
                                          const Side                   &side,
                                          const Array                  &array) const
  {
    std::vector<Sides> result;
    for (unsigned int mesh = 0; mesh < meshes.size(); ++mesh)
      {
        std::vector<MixedSide> list;
        std::vector<Number>    maps;
        for (std::size_t i = begin; i < end; ++i)
          if (faces[i].mesh == mesh)
            {
              list.push_back(side(i));
              for (const double entry : maps_of(faces[i]))
                maps.push_back(entry);
            }
        if (!list.empty())
          result.push_back({mesh,
                            static_cast<int>(list.size()),
                            {device, list},
                            {device, maps},
                            array(mesh),
                            numbers});
      }
    return result;
  }

  template <int dim, typename Number>
  MixedInterface<dim, Number>::MixedInterface(const MixedMesh<dim>                    &meshes,
                                              const Spaces                            &spaces,
                                              const std::vector<StatesAcross<Number>> &across)
    : device(spaces[0]->device)
    , spaces(spaces)
    , n_face_points(spaces[0]->reference.n_face_points())
  {
    check_points();
    const std::vector<MixedFace> faces = find_mixed_faces(meshes);
    check_geometry(meshes, faces);
    const std::vector<double> penalty = penalties(meshes, faces, across);
    const std::size_t         n_local = std::count_if(faces.begin(), faces.end(), is_local);
    const int                 n_components =
      across[0].n_components > 0 ? across[0].n_components : spaces[0]->n_components;
    const bool with_gradients = across[0].with_gradients;
    const bool with_fluxes    = across[0].with_fluxes;
    const int  n_derivatives  = with_gradients ? dim : with_fluxes;
    for (const StatesAcross<Number> &of_mesh : across)
      of_elements.push_back(of_mesh.of_elements);
    // Of a shape that this rank has no element of there is no array.
    const bool    with_element = std::any_of(of_elements.begin(),
                                          of_elements.end(),
                                          [](const Number *array) { return array != nullptr; });
    NumbersAcross sent_numbers{n_components, n_derivatives, with_element};
    sent_numbers.n      = sent_numbers.n_of_traces();
    NumbersAcross there = sent_numbers;
    there.n += with_gradients;
    std::vector<ElementMetrics<dim>> metrics;
    for (const auto *space : spaces)
      if (with_gradients)
        metrics.emplace_back(space->reference, space->geometry);
    const auto no_maps = [](const MixedFace &) { return std::vector<double>(); };
    const auto maps    = [&](const MixedFace &face) {
      if (with_gradients)
        return gradient_maps(in_mesh(meshes, face), metrics[face.mesh], n_face_points);
      return with_fluxes ? across[face.mesh].fluxes[face.boundary_face] : std::vector<double>();
    };
    const auto side = [&](const std::size_t i, const bool turned, const std::size_t first) {
      const auto &here = in_mesh(meshes, faces[i]);
      return MixedSide{
        static_cast<int>(here.element), static_cast<unsigned char>(here.face), turned, first, 0.};
    };
    const auto place = [&](const std::size_t i) {
      return across[faces[i].mesh].first[faces[i].boundary_face];
    };
    local = make_sides(
      meshes,
      faces,
      0,
      n_local,
      there,
      maps,
      [&](const std::size_t i) {
        const unsigned int other  = faces[i].across;
        MixedSide          result = side(i, faces[i].turned != faces[other].turned, place(other));
        result.penalty            = penalty[other];
        return result;
      },
      [&](const unsigned int mesh) { return across[1 - mesh].data; });
    if (meshes[0]->partition == nullptr)
      return;

    std::vector<unsigned int> ranks;
    for (std::size_t i = n_local; i < faces.size(); ++i)
      ranks.push_back(faces[i].rank);
    const std::size_t size = n_face_points * sent_numbers.n;
    sent                   = Memory<Number>(device, ranks.size() * size);
    received               = Memory<Number>(device, ranks.size() * size);
    sending                = make_sides(
      meshes,
      faces,
      n_local,
      faces.size(),
      sent_numbers,
      maps,
      [&](const std::size_t i) { return side(i, faces[i].turned, (i - n_local) * size); },
      [&](const unsigned int) { return sent.data(); });
    receiving = make_sides(
      meshes,
      faces,
      n_local,
      faces.size(),
      there,
      no_maps,
      [&](const std::size_t i) {
        return MixedSide{static_cast<int>(i - n_local), 0, faces[i].turned, place(i), penalty[i]};
      },
      [&](const unsigned int mesh) { return across[mesh].data; });
    const auto parts = rank_parts(ranks, size);
    messages         = std::make_unique<RankMessages<Number>>(
      meshes[0]->partition, device, sent.data(), parts, received.data(), parts);
  }

  template <int dim, typename Number>
  void
  MixedInterface<dim, Number>::launch_traces(const std::vector<Sides>                     &sides,
                                             const VectorSum<Number, BlockVector<Number>> &u) const
  {
    for (const Sides &of_mesh : sides)
      {
        const VectorSum<Number> of_part = block_of(u, of_mesh.mesh);
        launch(device,
               static_cast<std::size_t>(of_mesh.n) * n_face_points,
               MixedTraces<Number>{spaces[of_mesh.mesh]->element_tables(),
                                   of_part.terms()[0].vector->layout().coefficients(),
                                   of_mesh.numbers,
                                   dim,
                                   of_mesh.list.data(),
                                   of_mesh.maps.data(),
                                   combination(of_part, "interface of shapes"),
                                   of_elements[of_mesh.mesh],
                                   of_mesh.array});
      }
  }

  template <int dim, typename Number>
  void
  MixedInterface<dim, Number>::set_states(const VectorSum<Number, BlockVector<Number>> &u) const
  {
    if (messages != nullptr)
      {
        launch_traces(sending, u);
        messages->start();
      }
    launch_traces(local, u);
    if (messages == nullptr)
      return;
    messages->finish();
    for (const Sides &of_mesh : receiving)
      launch(device,
             static_cast<std::size_t>(of_mesh.n) * n_face_points,
             ReceivedTraces<Number>{static_cast<int>(n_face_points),
                                    of_mesh.numbers,
                                    of_mesh.list.data(),
                                    received.data(),
                                    of_mesh.array});
  }

  template class MixedInterface<2, double>;
  template class MixedInterface<2, float>;
  template class MixedInterface<3, double>;
  template class MixedInterface<3, float>;
} // namespace Saltus
