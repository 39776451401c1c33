// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/operators/polytopic/space_time_points.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Points in time for products of two polynomials of a degree.
    unsigned int
    n_times(const unsigned int degree, const unsigned int extra_degree)
    {
      return degree + 1 + extra_degree / 2;
    }
  } // namespace


  template <int dim>
  SpaceTimePoints<dim>::SpaceTimePoints(const SpaceTimeSlab<dim>  &slab,
                                        const PolytopicSpace<dim> &space,
                                        const LegendreFamily       family,
                                        const unsigned int         extra_degree,
                                        const Device               device)
    : in_space(quadrature_points(space, extra_degree, device))
  {
    make_cells(slab);
    const std::vector<std::size_t> starts = in_space.volume.starts.to_host();
    make_volume(slab, space, starts, extra_degree);
    make_faces(slab, space, family, starts, extra_degree);
    for (PrismPieces *pieces : {&volume, &interfaces, &boundary, &ends, &bottom, &middles})
      pieces->copy_to(device);
    places_of_cells_there = Memory<int>(device, places_of_cells);
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::make_cells(const SpaceTimeSlab<dim> &slab)
  {
    const PolytopicMesh<dim> &mesh              = slab.mesh();
    std::vector<std::size_t>  first_of_elements = {0};
    places_of_cells.resize(mesh.triangulation().n_active_cells());
    for (unsigned int e = 0; e < mesh.n_known_elements(); ++e)
      {
        int place = 0;
        for (const unsigned int c : mesh.cells(e))
          places_of_cells[c] = place++;
        first_of_elements.push_back(first_of_elements.back() + place);
      }
    for (unsigned int k = 0; k < slab.n_known_prisms(); ++k)
      {
        const unsigned int e      = slab.element(k);
        const double       middle = .5 * (slab.interval(k).begin + slab.interval(k).end);
        first_cells.push_back(cells.size());
        middles.add(cells.size(), first_of_elements[e], mesh.cells(e).size(), middle, middle, 0, 0);
        for (const unsigned int c : mesh.cells(e))
          cells.push_back({k, c});
      }
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::make_volume(const SpaceTimeSlab<dim>       &slab,
                                    const PolytopicSpace<dim>      &space,
                                    const std::vector<std::size_t> &starts,
                                    const unsigned int              extra_degree)
  {
    volume_starts.assign(1, 0);
    for (unsigned int k = 0; k < slab.n_prisms(); ++k)
      {
        const unsigned int e        = slab.element(k);
        const auto         interval = slab.interval(k);
        n_points += volume.add(n_points,
                               starts[e],
                               starts[e + 1] - starts[e],
                               interval.begin,
                               interval.end,
                               n_times(space.degree(e), extra_degree),
                               first_cells[k]);
        volume_starts.push_back(n_points);
      }
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::make_faces(const SpaceTimeSlab<dim>       &slab,
                                   const PolytopicSpace<dim>      &space,
                                   const LegendreFamily            family,
                                   const std::vector<std::size_t> &starts_of_elements,
                                   const unsigned int              extra_degree)
  {
    const BlockSparsity                   &of_space = *in_space.sparsity;
    const FacesInSpace                     faces{in_space.faces.starts.to_host(),
                             in_space.faces.owners.to_host(),
                             in_space.facets.to_host()};
    std::vector<unsigned int>              sizes;
    std::vector<std::vector<unsigned int>> neighbors(slab.n_prisms());
    const auto begin_block = [&]() { face_starts.push_back(n_face_points); };
    for (unsigned int k = 0; k < slab.n_known_prisms(); ++k)
      sizes.push_back(n_legendre_modes<dim + 1>(space.degree(slab.element(k)), family));
    for (unsigned int k = 0; k < slab.n_prisms(); ++k)
      {
        const unsigned int e          = slab.element(k);
        bool               has_before = slab.step(k) == 0; // or the bottom instead
        const auto         add_before = [&]() {
          begin_block();
          neighbors[k].push_back(k - 1);
          add_bottom(slab, k, starts_of_elements);
          has_before = true;
        };
        const int last = of_space.row_starts[e + 1] - 1;
        for (int block = of_space.row_starts[e]; block < last; ++block)
          {
            const unsigned int other  = of_space.columns[block];
            const unsigned int degree = std::max(space.degree(e), space.degree(other));
            if (other > e && !has_before)
              add_before();
            for (const auto &contact : slab.contacts(k, other))
              {
                begin_block();
                neighbors[k].push_back(contact.prism);
                add_sides(faces, block, k, contact, n_times(degree, extra_degree));
              }
          }
        if (!has_before)
          add_before();
        begin_block();
        add_sides(faces, last, k, {none, slab.interval(k)}, n_times(space.degree(e), extra_degree));
        if (slab.step(k) == 0)
          add_bottom(slab, k, starts_of_elements);
      }
    begin_block();
    pattern = std::make_shared<const BlockSparsity>(sizes, neighbors, slab.ghosts());
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::add_sides(const FacesInSpace                         &in_space,
                                  const int                                   block,
                                  const unsigned int                          prism,
                                  const typename SpaceTimeSlab<dim>::Contact &contact,
                                  const unsigned int                          n_times)
  {
    const std::size_t begin = in_space.starts[block], end = in_space.starts[block + 1];
    if (begin == end)
      return;
    const bool at_boundary = contact.prism == none;
    const int  first = in_space.owners[begin], last = in_space.owners[end - 1];
    n_face_points += (at_boundary ? boundary : interfaces)
                       .add(n_face_points,
                            begin,
                            end - begin,
                            contact.interval.begin,
                            contact.interval.end,
                            n_times,
                            static_cast<int>(facets.size()) - first);
    for (int f = first; f <= last; ++f)
      {
        const unsigned int inside = cell(prism, in_space.facets[f].inside);
        facets.push_back({prism,
                          contact.prism,
                          inside,
                          at_boundary ? inside : cell(contact.prism, in_space.facets[f].outside),
                          static_cast<std::size_t>(f)});
      }
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::add_bottom(const SpaceTimeSlab<dim>       &slab,
                                   const unsigned int              prism,
                                   const std::vector<std::size_t> &starts)
  {
    const bool         is_first = slab.step(prism) == 0;
    const unsigned int e = slab.element(prism), before = is_first ? none : prism - 1;
    const double       time = slab.interval(prism).begin;
    n_face_points +=
      (is_first ? bottom : ends)
        .add(n_face_points, starts[e], starts[e + 1] - starts[e], time, time, 0, facets.size());
    for (const unsigned int c : slab.mesh().cells(e))
      {
        const unsigned int inside = cell(prism, c);
        facets.push_back({prism, before, inside, is_first ? inside : cell(before, c), no_facet});
      }
  }


  template <int dim>
  PolytopicPoints<dim + 1>
  SpaceTimePoints<dim>::make(const double length) const
  {
    const Device             device = in_space.weights.device();
    PolytopicPoints<dim + 1> result;
    result.sparsity = pattern;
    std::vector<int> prisms;
    for (const Cell &cell : cells)
      prisms.push_back(cell.prism);
    result.elements     = Memory<int>(device, prisms);
    const auto allocate = [&](PointSet<dim + 1> &set, const std::vector<std::size_t> &starts) {
      const std::size_t n = starts.back();
      set.starts          = Memory<std::size_t>(device, starts);
      set.places          = Memory<double>(device, n * (dim + 1));
      set.owners          = Memory<int>(device, n);
    };
    allocate(result.volume, volume_starts);
    allocate(result.faces, face_starts);
    result.weights = Memory<double>(device, n_points);
    result.normals = Memory<double>(device, n_face_points * (dim + 1));
    result.steps   = Memory<int>(device, steps_of_four(face_starts));
    // In elements weights, on sides normals; where prisms begin, normals from weights.
    const auto make_all = [&](const PrismPieces   &pieces,
                              const PointSet<dim> &points,
                              const bool           is_face,
                              PointSet<dim + 1>   &set,
                              double              *out) {
      const bool on_side = &points == &in_space.faces;
      pieces.for_times(false, [&](const double, const PieceAtTime *entries, const std::size_t n) {
        launch(device,
               n,
               MakePrismPoints<dim>{pieces.arrays(),
                                    entries,
                                    length,
                                    points.places.data(),
                                    points.owners.data(),
                                    in_space.weights.data(),
                                    on_side ? in_space.normals.data() : nullptr,
                                    on_side ? nullptr : places_of_cells_there.data(),
                                    set.places.data(),
                                    set.owners.data(),
                                    out,
                                    is_face});
      });
    };
    make_all(volume, in_space.volume, false, result.volume, result.weights.data());
    for (const PrismPieces *sides : {&interfaces, &boundary})
      make_all(*sides, in_space.faces, true, result.faces, result.normals.data());
    for (const PrismPieces *beginnings : {&ends, &bottom})
      make_all(*beginnings, in_space.volume, true, result.faces, result.normals.data());
    return result;
  }


  template class SpaceTimePoints<2>;
} // namespace Saltus
