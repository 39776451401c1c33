// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/mixed_face_terms.h>

namespace Saltus
{
  template <int dim, typename Number>
  MixedFaceLists<dim, Number>::MixedFaceLists(const ElementSpace<dim, Number>  &space,
                                              const std::vector<MixedFaceSide> &sides,
                                              const unsigned int                n_components,
                                              const unsigned int                n_across)
    : device(space.device)
    , tables(space.element_tables())
    , n_components(n_components)
    , n_faces(sides.size())
    , first(space.connectivity.boundary_faces.size())
  {
    const std::size_t   n_points = space.reference.n_face_points();
    std::vector<int>    elements_of, faces_of, starts_of;
    std::vector<Number> weights_of;
    for (const MixedFaceSide &side : sides)
      {
        const std::size_t i = elements_of.size();
        if (i == 0 || elements_of.back() != static_cast<int>(side.element))
          starts_of.push_back(i);
        elements_of.push_back(side.element);
        faces_of.push_back(side.face);
        weights_of.insert(weights_of.end(), side.weights.begin(), side.weights.end());
        first[side.boundary_face] = i * n_points * n_across;
      }
    n_elements = starts_of.size();
    starts_of.push_back(n_faces);
    elements = Memory<int>(device, elements_of);
    faces    = Memory<int>(device, faces_of);
    starts   = Memory<int>(device, starts_of);
    weights  = Memory<Number>(device, weights_of);
    across   = Memory<Number>(device, n_faces * n_points * n_across);
    terms    = Memory<Number>(device, n_faces * n_points * 2 * n_components);
  }

  template <int dim, typename Number>
  StatesAcross<Number>
  MixedFaceLists<dim, Number>::states_across() const
  {
    StatesAcross<Number> result;
    result.data         = across.data();
    result.first        = first;
    result.n_components = n_components;
    return result;
  }

  template <int dim, typename Number>
  MixedFaceArrays<Number>
  MixedFaceLists<dim, Number>::arrays(const Vector<Number> &like) const
  {
    return {tables,
            like.layout().coefficients(),
            elements.data(),
            faces.data(),
            weights.data(),
            nullptr,
            across.data(),
            terms.data(),
            starts.data()};
  }

  template <int dim, typename Number>
  std::size_t
  MixedFaceLists<dim, Number>::memory_consumption() const
  {
    return (weights.size() + across.size() + terms.size()) * sizeof(Number) +
           (elements.size() + faces.size() + starts.size()) * sizeof(int);
  }

  template <int dim, typename Number>
  MixedFaceTerms<dim, Number>::MixedFaceTerms(const ElementSpace<dim, Number>  &space,
                                              const std::vector<MixedFaceSide> &sides,
                                              const unsigned int                n_components)
    : lists(space, sides, n_components, 2 * n_components)
    , n_components(n_components)
    , fluxes(space.connectivity.boundary_faces.size())
  {
    std::vector<Number> penalties_of, along_of;
    for (const MixedFaceSide &side : sides)
      {
        penalties_of.push_back(side.penalty);
        along_of.insert(along_of.end(), side.along.begin(), side.along.end());
        fluxes[side.boundary_face] = side.along;
      }
    penalties = Memory<Number>(space.device, penalties_of);
    along     = Memory<Number>(space.device, along_of);
  }

  template <int dim, typename Number>
  StatesAcross<Number>
  MixedFaceTerms<dim, Number>::states_across() const
  {
    StatesAcross<Number> result = lists.states_across();
    result.with_fluxes          = true;
    result.fluxes               = fluxes;
    return result;
  }

  template <int dim, typename Number>
  void
  MixedFaceTerms<dim, Number>::run(const Vector<Number> &like,
                                   const Number         *u,
                                   const int             column,
                                   const Number          scale,
                                   Vector<Number>       &out) const
  {
    MixedFaceArrays<Number> faces = lists.arrays(like);
    faces.along                   = along.data();
    lists.add(MixedFacePoints<dim, Number>{faces, penalties.data(), u, column},
              n_components,
              faces,
              scale,
              out);
  }

  template <int dim, typename Number>
  void
  MixedFaceTerms<dim, Number>::add(const Vector<Number> &u,
                                   const Number          scale,
                                   Vector<Number>       &out) const
  {
    run(u, u.data(), -1, scale, out);
  }

  template <int dim, typename Number>
  void
  MixedFaceTerms<dim, Number>::add_own(const unsigned int column, Vector<Number> &out) const
  {
    run(out, nullptr, column, 1, out);
  }

  template <int dim, typename Number>
  std::size_t
  MixedFaceTerms<dim, Number>::memory_consumption() const
  {
    return lists.memory_consumption() + (penalties.size() + along.size()) * sizeof(Number);
  }

  template <int dim, typename Number>
  MixedFaceForm<dim, Number>::MixedFaceForm(
    const MixedMesh<dim>                               &meshes,
    const typename MixedInterface<dim, Number>::Spaces &spaces,
    const std::vector<std::vector<MixedFaceSide>>      &sides,
    const unsigned int                                  n_components)
  {
    std::vector<StatesAcross<Number>> across;
    for (unsigned int i = 0; i < meshes.size(); ++i)
      {
        parts.emplace_back(*spaces[i], sides[i], n_components);
        across.push_back(parts.back().states_across());
      }
    interface = std::make_unique<const MixedInterface<dim, Number>>(meshes, spaces, across);
  }

  template <int dim, typename Number>
  void
  MixedFaceForm<dim, Number>::add(const BlockVector<Number> &src,
                                  const Number               scale,
                                  BlockVector<Number>       &dst) const
  {
    interface->set_states(src);
    for (unsigned int i = 0; i < parts.size(); ++i)
      parts[i].add(src.block(i), scale, dst.block(i));
  }

  template <int dim, typename Number>
  std::size_t
  MixedFaceForm<dim, Number>::memory_consumption() const
  {
    std::size_t sum = 0;
    for (const auto &part : parts)
      sum += part.memory_consumption();
    return sum;
  }

#define SALTUS_MIXED_FACES(dim, Number)       \
  template class MixedFaceLists<dim, Number>; \
  template class MixedFaceTerms<dim, Number>; \
  template class MixedFaceForm<dim, Number>;
  SALTUS_MIXED_FACES(2, double)
  SALTUS_MIXED_FACES(2, float)
  SALTUS_MIXED_FACES(3, double)
  SALTUS_MIXED_FACES(3, float)
#undef SALTUS_MIXED_FACES
} // namespace Saltus
