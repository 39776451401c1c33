// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/mixed_face_terms.h>

namespace Saltus
{
  template <int dim, typename Number>
  MixedFaceTerms<dim, Number>::MixedFaceTerms(const ElementSpace<dim, Number>  &space,
                                              const std::vector<MixedFaceSide> &sides)
    : device(space.device)
    , tables(space.element_tables())
    , n_faces(sides.size())
    , first(space.connectivity.boundary_faces.size())
    , fluxes(first.size())
  {
    const unsigned int  nf = space.reference.n_face_points();
    std::vector<int>    elements_of, faces_of, starts_of;
    std::vector<Number> penalties_of, weights_of, along_of;
    for (const MixedFaceSide &side : sides)
      {
        const unsigned int i = elements_of.size();
        if (i == 0 || elements_of.back() != static_cast<int>(side.element))
          starts_of.push_back(i);
        elements_of.push_back(side.element);
        faces_of.push_back(side.face);
        penalties_of.push_back(side.penalty);
        weights_of.insert(weights_of.end(), side.weights.begin(), side.weights.end());
        along_of.insert(along_of.end(), side.along.begin(), side.along.end());
        first[side.boundary_face]  = static_cast<std::size_t>(i) * nf * 2;
        fluxes[side.boundary_face] = side.along;
      }
    n_elements = starts_of.size();
    starts_of.push_back(n_faces);
    elements  = Memory<int>(device, elements_of);
    faces     = Memory<int>(device, faces_of);
    starts    = Memory<int>(device, starts_of);
    penalties = Memory<Number>(device, penalties_of);
    weights   = Memory<Number>(device, weights_of);
    along     = Memory<Number>(device, along_of);
    across    = Memory<Number>(device, static_cast<std::size_t>(n_faces) * nf * 2);
    terms     = Memory<Number>(device, across.size());
  }

  template <int dim, typename Number>
  StatesAcross<Number>
  MixedFaceTerms<dim, Number>::states_across() const
  {
    return {across.data(), first, false, 0., true, fluxes};
  }

  template <int dim, typename Number>
  MixedFaceArrays<Number>
  MixedFaceTerms<dim, Number>::arrays(const Vector<Number> &like) const
  {
    return {tables,
            like.layout().coefficients(),
            elements.data(),
            faces.data(),
            penalties.data(),
            weights.data(),
            along.data(),
            across.data(),
            terms.data(),
            starts.data()};
  }

  template <int dim, typename Number>
  void
  MixedFaceTerms<dim, Number>::run(const MixedFacePoints<dim, Number> &points,
                                   const Number                        scale,
                                   Vector<Number>                     &out) const
  {
    launch(device, n_faces * tables.n_face_points, points);
    launch(device,
           n_elements * tables.n_modes,
           MixedFaceSums<dim, Number>{points.faces, scale, out.data()});
  }

  template <int dim, typename Number>
  void
  MixedFaceTerms<dim, Number>::add(const Vector<Number> &u,
                                   const Number          scale,
                                   Vector<Number>       &out) const
  {
    run({arrays(u), u.data(), -1}, scale, out);
  }

  template <int dim, typename Number>
  void
  MixedFaceTerms<dim, Number>::add_own(const unsigned int column, Vector<Number> &out) const
  {
    run({arrays(out), nullptr, static_cast<int>(column)}, 1, out);
  }

  template <int dim, typename Number>
  std::size_t
  MixedFaceTerms<dim, Number>::memory_consumption() const
  {
    return (penalties.size() + weights.size() + along.size() + across.size() + terms.size()) *
             sizeof(Number) +
           (elements.size() + faces.size() + starts.size()) * sizeof(int);
  }

  template class MixedFaceTerms<2, double>;
  template class MixedFaceTerms<2, float>;
  template class MixedFaceTerms<3, double>;
  template class MixedFaceTerms<3, float>;
} // namespace Saltus
