// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/sort_pairs.h>
#include <saltus/base/device/launch.h>
#include <saltus/operators/polytopic/kernels/prism_pieces.h>
#include <saltus/operators/polytopic/polytopic_form.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  PolytopicForm<dim>::release()
  {
    const auto kept = origin; // the next points may come from there, too
    *this           = PolytopicForm();
    origin          = kept;
  }


  template <int dim>
  template <typename CellPoints, typename FacetPoints>
  PolytopicFailureRecord
  PolytopicForm<dim>::reinit(const MirroredArray<double> &boxes,
                             const MirroredArray<int>    &degrees,
                             const int                    common_degree,
                             PolytopicPoints<dim>       &&points,
                             const CellPoints            &in_cells,
                             const FacetPoints           &on_facets,
                             const PolytopicCoefficients &in_elements,
                             const PolytopicCoefficients &on_faces,
                             const LegendreFamily         family)
  {
    this->family  = family;
    evolves       = in_elements.evolves;
    pattern       = points.sparsity;
    origin        = std::move(points.origin);
    volume        = std::move(points.volume);
    weights       = std::move(points.weights);
    face_starts   = std::move(points.faces.starts);
    face_steps    = std::move(points.steps);
    this->boxes   = boxes;
    this->degrees = degrees;
    sort_by_degree(common_degree);
    make_elements();
    prepare_kernels();

    const std::size_t n = volume.size(), n_on_faces = points.faces.size();
    const auto        room = [&](const std::size_t n_points, const std::size_t n_numbers) {
      return Memory<double>::uninitialized(device(), n_points * n_numbers);
    };
    volume_records   = room(n, VolumePoint<dim, double>::n_numbers);
    face_records     = room(n_on_faces, FacetPoint<dim, double>::n_numbers);
    boundary_factors = room(n_on_faces, 2);
    Memory<PolytopicFailureRecord> failure(device(), 1);
    launch(device(),
           n,
           MakeVolumeRecords<dim, CellPoints>{n,
                                              box_arrays(),
                                              points.elements.data(),
                                              in_cells,
                                              in_elements.diffusion.arrays(),
                                              in_elements.velocity.arrays(),
                                              in_elements.reaction.arrays(),
                                              volume_records.data(),
                                              failure.data()});
    launch(device(),
           n_on_faces,
           MakeFaceRecords<dim, FacetPoints>{n_on_faces,
                                             box_arrays(),
                                             on_facets,
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
  PolytopicForm<dim>::make_elements()
  {
    int highest = 0; // of all rows and columns
    for (int degree = 0; degree <= max_legendre_degree; ++degree)
      if (by_degree.starts[degree + 1] > by_degree.starts[degree])
        highest = degree;
    std::vector<unsigned char> all_powers;
    for_legendre_modes<dim>(highest, family, [&](const int, const Array<int, dim> &of_mode) {
      for (unsigned int d = 0; d < dim; ++d)
        all_powers.push_back(of_mode[d]);
    });
    powers = Memory<unsigned char>(device(), all_powers);
    scales = Memory<double>::uninitialized(device(), degrees.size());
    launch(device(), degrees.size(), MakeScales<dim>{box_arrays(), scales.data()});
  }


  template <int dim>
  void
  PolytopicForm<dim>::sort_by_degree(const int common_degree)
  {
    const int n       = pattern->n_elements();
    auto      highest = Memory<std::uint64_t>::uninitialized(device(), n);
    sorted_elements   = Memory<int>::uninitialized(device(), n);
    const auto blocks = pattern->template arrays<double>(device());
    launch(device(),
           n,
           HighestDegrees{blocks.row_starts,
                          blocks.columns,
                          degrees.on(device()).data(),
                          highest.data(),
                          sorted_elements.data()});
    by_degree.elements = sorted_elements.data();
    if (common_degree > 0)
      {
        for (int degree = 0; degree <= max_legendre_degree + 1; ++degree)
          by_degree.starts[degree] = degree > common_degree ? n : 0;
        return;
      }
    Memory<int> starts(device(), max_legendre_degree + 2);
    sort_pairs(device(), n, highest.data(), sorted_elements.data(), HighestDegrees::n_bits);
    launch(device(), n, FirstOfDegrees{highest.data(), n, starts.data()});
    starts.copy_to_host(by_degree.starts);
  }


  template <int dim>
  void
  PolytopicForm<dim>::prepare_kernels() const
  {
    AssembleRows<dim> rows;
    rows.elements.family = family;
    rows.by_degree       = by_degree;
    prepare_launch(device(), pattern->n_elements(), rows);
    prepare_launch(device(), pattern->n_elements(), LoadRows<dim>());
  }


  template <int dim>
  BoxArrays<dim>
  PolytopicForm<dim>::box_arrays() const
  {
    return {boxes.on(device()).data()};
  }


  template <int dim>
  PolytopicElements<dim>
  PolytopicForm<dim>::elements() const
  {
    return {degrees.on(device()).data(), scales.data(), powers.data(), family};
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
                                 matrix.values(),
                                 evolves};
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
        weighted = Memory<double>::uninitialized(device(), volume.size());
        launch(device(),
               volume.size(),
               WeightValues<dim>{weights.data(), source.data(), weighted.data()});
      }
    const auto blocks = pattern->template arrays<double>(device());
    launch(device(),
           pattern->n_elements(),
           LoadRows<dim>{elements(),
                         blocks.first_rows,
                         blocks.row_starts,
                         {volume.size(), volume_records.data()},
                         volume.starts.data(),
                         {n_face_points(), face_records.data()},
                         face_starts.data(),
                         weighted.data(),
                         {n_face_points(), boundary_factors.data()},
                         data.data(),
                         b.data()});
  }


#define SALTUS_INSTANTIATE(dim, CellPoints, FacetPoints)                                    \
  template PolytopicFailureRecord PolytopicForm<dim>::reinit(const MirroredArray<double> &, \
                                                             const MirroredArray<int> &,    \
                                                             const int,                     \
                                                             PolytopicPoints<dim> &&,       \
                                                             const CellPoints &,            \
                                                             const FacetPoints &,           \
                                                             const PolytopicCoefficients &, \
                                                             const PolytopicCoefficients &, \
                                                             const LegendreFamily);
  template class PolytopicForm<2>;
  template class PolytopicForm<3>;
  SALTUS_INSTANTIATE(2, StoredCellPoints<2>, StoredFacetPoints<2>)
  SALTUS_INSTANTIATE(3, StoredCellPoints<3>, StoredFacetPoints<3>)
  SALTUS_INSTANTIATE(3, PrismCellPoints<2>, PrismFacetPoints<2>)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
