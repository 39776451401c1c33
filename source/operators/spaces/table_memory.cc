// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/table_memory.h>

namespace Saltus
{
  namespace
  {
    /// Every table begins at a multiple of so many numbers, as an array of its own would.
    constexpr std::size_t alignment = 64;

    std::size_t
    padded(const std::size_t size)
    {
      return (size + alignment - 1) / alignment * alignment;
    }

    /// See ElementTables; those of simplices are the first ones.
    template <int dim>
    std::vector<double>
    lower_modes_of(const ReferenceElement<dim> &reference)
    {
      std::vector<double> result;
      if (reference.is_simplex() || reference.degree == 0)
        return result;
      const Basis<dim>          lower(reference.reference_cell, reference.degree - 1);
      const std::vector<double> embedding = reference.basis.embedding(lower);
      for (unsigned int k = 0; k < lower.n_modes(); ++k)
        for (unsigned int m = 0; m < reference.n_modes; ++m)
          result.push_back(embedding[m * lower.n_modes() + k]);
      return result;
    }
  } // namespace

  template <typename Number>
  template <int dim>
  TableMemory<Number>::TableMemory(const ReferenceElement<dim> &reference, const Device device)
    : face_permutations(device, reference.face_permutations)
  {
    const std::vector<double> lower_modes                               = lower_modes_of(reference);
    const std::pair<const std::vector<double> *, const Number **> all[] = {
      {&reference.volume_values, &tables.volume_values},
      {&reference.volume_gradients, &tables.volume_gradients},
      {&reference.volume_weights, &tables.volume_weights},
      {&reference.face_values, &tables.face_values},
      {&reference.face_gradients, &tables.face_gradients},
      {&reference.face_weights, &tables.face_weights},
      {&reference.face_normals, &tables.face_normals},
      {&reference.vertex_values, &tables.vertex_values},
      {&reference.basis.mean_weights(), &tables.mean_weights},
      {&lower_modes, &tables.lower_modes}};

    std::vector<Number> values;
    for (const auto &[from, to] : all)
      {
        values.insert(values.end(), from->begin(), from->end());
        values.resize(padded(values.size()));
      }
    numbers = Memory<Number>(device, values);

    const Number *next = numbers.data();
    for (const auto &[from, to] : all)
      {
        *to = next;
        next += padded(from->size());
      }
    if (lower_modes.empty())
      tables.lower_modes = nullptr;
    if (reference.degree > 0)
      tables.n_lower_modes =
        polynomials_of<dim>(reference.reference_cell, reference.degree - 1)->n();
    tables.n_modes           = reference.n_modes;
    tables.n_volume_points   = reference.n_volume_points();
    tables.n_face_points     = reference.n_face_points();
    tables.n_faces           = reference.n_faces;
    tables.n_orientations    = reference.n_orientations;
    tables.n_mean_modes      = reference.basis.mean_weights().size();
    tables.face_permutations = face_permutations.data();
    tables.reference_volume  = reference.reference_cell.volume();
  }

  template class TableMemory<double>;
  template class TableMemory<float>;
  template TableMemory<double>::TableMemory(const ReferenceElement<2> &, const Device);
  template TableMemory<double>::TableMemory(const ReferenceElement<3> &, const Device);
  template TableMemory<float>::TableMemory(const ReferenceElement<2> &, const Device);
  template TableMemory<float>::TableMemory(const ReferenceElement<3> &, const Device);
} // namespace Saltus
