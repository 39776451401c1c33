// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/operators/polytopic/polytopic_form.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  PolytopicFailureRecord
  PolytopicForm<dim>::reinit(const std::vector<ElementBox<dim>> &boxes,
                             const std::vector<unsigned int>    &degrees,
                             PolytopicPoints<dim>              &&points,
                             const Memory<FacetRecord>          &facets,
                             const PolytopicCoefficients        &in_elements,
                             const PolytopicCoefficients        &on_faces,
                             const LegendreFamily                family)
  {
    this->family = family;
    pattern      = points.sparsity;
    volume       = std::move(points.volume);
    weights      = std::move(points.weights);
    face_starts  = std::move(points.faces.starts);
    face_steps   = std::move(points.steps);
    make_elements(boxes, degrees);
    sort_by_degree(degrees);

    const std::size_t n = volume.size(), n_on_faces = points.faces.size();
    volume_records   = Memory<double>(device(), n * VolumePoint<dim, double>::n_numbers);
    face_records     = Memory<double>(device(), n_on_faces * FacetPoint<dim, double>::n_numbers);
    boundary_factors = Memory<double>(device(), 2 * n_on_faces);
    Memory<PolytopicFailureRecord> failure(device(), 1);
    launch(device(),
           n,
           MakeVolumeRecords<dim>{n,
                                  {centers.data(), maps.data()},
                                  points.elements.data(),
                                  volume.owners.data(),
                                  volume.places.data(),
                                  weights.data(),
                                  in_elements.diffusion.arrays(),
                                  in_elements.velocity.arrays(),
                                  in_elements.reaction.arrays(),
                                  volume_records.data(),
                                  failure.data()});
    launch(device(),
           n_on_faces,
           MakeFaceRecords<dim>{n_on_faces,
                                {centers.data(), maps.data()},
                                facets.data(),
                                points.faces.owners.data(),
                                points.faces.places.data(),
                                points.normals.data(),
                                on_faces.diffusion.arrays(),
                                on_faces.velocity.arrays(),
                                face_records.data(),
                                boundary_factors.data(),
                                failure.data()});
    face_owners = std::move(points.faces.owners);
    return failure.to_host()[0];
  }


  template <int dim>
  void
  PolytopicForm<dim>::make_elements(const std::vector<ElementBox<dim>> &boxes,
                                    const std::vector<unsigned int>    &all_degrees)
  {
    std::vector<double>        all_scales, all_centers, all_maps;
    std::vector<unsigned char> all_powers;
    for (const ElementBox<dim> &box : boxes)
      {
        all_scales.push_back(1. / std::sqrt(box.volume()));
        for (unsigned int r = 0; r < dim; ++r)
          {
            all_centers.push_back(box.center[r]);
            for (unsigned int d = 0; d < dim; ++d)
              all_maps.push_back(box.to_reference[r][d]);
          }
      }
    unsigned int highest = 0;
    for (const unsigned int degree : all_degrees)
      highest = std::max(highest, degree);
    for_legendre_modes<dim>(highest, family, [&](const int, const Array<int, dim> &powers) {
      for (unsigned int d = 0; d < dim; ++d)
        all_powers.push_back(powers[d]);
    });
    degrees    = Memory<int>(device(), std::vector<int>(all_degrees.begin(), all_degrees.end()));
    first_rows = Memory<int>(device(), pattern->first_rows);
    row_starts = Memory<int>(device(), pattern->row_starts);
    scales     = Memory<double>(device(), all_scales);
    centers    = Memory<double>(device(), all_centers);
    maps       = Memory<double>(device(), all_maps);
    powers     = Memory<unsigned char>(device(), all_powers);
  }


  template <int dim>
  void
  PolytopicForm<dim>::sort_by_degree(const std::vector<unsigned int> &degrees)
  {
    std::vector<std::vector<int>> elements(max_legendre_degree + 1);
    for (unsigned int e = 0; e < pattern->n_elements(); ++e)
      {
        unsigned int highest = 0;
        for (int b = pattern->row_starts[e]; b < pattern->row_starts[e + 1]; ++b)
          highest = std::max(highest, degrees[pattern->columns[b]]);
        elements[highest].push_back(e);
      }
    std::vector<int> sorted;
    for (int degree = 0; degree <= max_legendre_degree; ++degree)
      {
        by_degree.starts[degree] = sorted.size();
        sorted.insert(sorted.end(), elements[degree].begin(), elements[degree].end());
      }
    by_degree.starts[max_legendre_degree + 1] = sorted.size();
    sorted_elements                           = Memory<int>(device(), sorted);
    by_degree.elements                        = sorted_elements.data();
  }


  template <int dim>
  PolytopicElements<dim>
  PolytopicForm<dim>::elements() const
  {
    return {degrees.data(), scales.data(), powers.data(), family};
  }


  template <int dim>
  void
  PolytopicForm<dim>::assemble(BlockCSRMatrix<double> &matrix,
                               const PolytopicAssembly assembly) const
  {
    AssertThrow(&matrix.sparsity() == pattern.get() && matrix.device() == device(),
                ExcMessage("The matrix does not have the blocks of this operator, or is on another "
                           "device."));
    const BlockCSRArrays<double> arrays = matrix.arrays();
    const AssembleRows<dim>      rows{elements(),
                                 arrays.row_starts,
                                 arrays.columns,
                                 arrays.block_starts,
                                 {volume.size(), volume_records.data()},
                                 volume.starts.data(),
                                 {n_face_points(), face_records.data()},
                                 face_starts.data(),
                                 face_steps.data(),
                                 by_degree,
                                 matrix.values()};
    if (assembly == PolytopicAssembly::coordinates)
      assemble_coordinates(rows, *pattern, degrees.size(), volume.owners, face_owners);
    else
      launch(device(), pattern->n_elements(), rows);
  }


  template <int dim>
  void
  PolytopicForm<dim>::load(Vector<double>       &b,
                           const Memory<double> &source,
                           const Memory<double> &data) const
  {
    b = pattern->template vector<double>(device());
    Memory<double> weighted;
    if (source.size() > 0)
      {
        weighted = Memory<double>(device(), volume.size());
        launch(device(),
               volume.size(),
               WeightValues<dim>{weights.data(), source.data(), weighted.data()});
      }
    launch(device(),
           pattern->n_elements(),
           LoadRows<dim>{elements(),
                         first_rows.data(),
                         row_starts.data(),
                         {volume.size(), volume_records.data()},
                         volume.starts.data(),
                         {n_face_points(), face_records.data()},
                         face_starts.data(),
                         weighted.data(),
                         {n_face_points(), boundary_factors.data()},
                         data.data(),
                         b.data()});
  }


  template class PolytopicForm<2>;
  template class PolytopicForm<3>;
} // namespace Saltus
