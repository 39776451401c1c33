// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/threads.h>
#include <saltus/operators/dof_map.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Call `body(e, in_element, in_cell)` for all elements, on all threads, with room for
    /// coefficients `[m][c]`.
    template <typename Number, typename Body>
    void
    for_elements(const Vector<Number> &vector, const Body &body)
    {
      parallel_for(vector.n_elements(), [&](const unsigned int begin, const unsigned int end) {
        std::vector<double> in_element(vector.n_modes() * vector.n_components());
        std::vector<double> in_cell(in_element.size());
        for (unsigned int e = begin; e < end; ++e)
          body(e, in_element, in_cell);
      });
    }

    /// Call `body(i, j)` for entry i of `[m][c]` and its position j in the array behind @p vector.
    template <typename Number, typename Body>
    void
    for_entries(const Vector<Number> &vector, const unsigned int element, const Body &body)
    {
      const unsigned int n_modes = vector.n_modes(), n_components = vector.n_components();
      for (unsigned int m = 0, i = 0; m < n_modes; ++m)
        for (unsigned int c = 0; c < n_components; ++c, ++i)
          body(i, coefficient_index(element, m, n_modes, n_components) + c);
    }
  } // namespace

  template <int dim>
  DoFMap::DoFMap(const ElementMesh<dim> &mesh, const DoFHandler<dim> &dof_handler)
    : modes(ModePermutations::make<dim>(dof_handler.get_fe().degree))
    , codes(mesh.n_elements())
  {
    mesh.check_triangulation(dof_handler.get_triangulation());
    const FiniteElement<dim> &fe           = dof_handler.get_fe();
    const unsigned int        n_dofs       = fe.n_dofs_per_cell();
    const unsigned int        n_components = fe.n_components();
    const unsigned int        n_modes      = n_dofs / n_components;
    dof_indices.resize(static_cast<std::size_t>(mesh.n_elements()) * n_dofs);
    parallel_for(mesh.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      std::vector<types::global_dof_index> of_cell(n_dofs);
      std::size_t                          i = static_cast<std::size_t>(begin) * n_dofs;
      for (unsigned int e = begin; e < end; ++e)
        {
          codes[e] = ModePermutations::code<dim>(mesh.order.vertices[e]);
          const auto                                          &cell = mesh.order.cells[e];
          const typename DoFHandler<dim>::active_cell_iterator dof_cell(&cell->get_triangulation(),
                                                                        cell->level(),
                                                                        cell->index(),
                                                                        &dof_handler);
          dof_cell->get_dof_indices(of_cell);
          for (unsigned int m = 0; m < n_modes; ++m)
            for (unsigned int c = 0; c < n_components; ++c, ++i)
              dof_indices[i] = of_cell[fe.component_to_system_index(c, m)];
        }
    });
  }

  void
  DoFMap::check(const std::size_t size) const
  {
    AssertThrow(size == dof_indices.size(),
                ExcMessage("A vector with " + std::to_string(size) +
                           " entries was given where the space has " +
                           std::to_string(dof_indices.size()) +
                           " degrees of freedom in deal.II's numbering."));
  }

  template <typename Number>
  void
  DoFMap::copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const
  {
    check(from.size());
    check(to.size());
    std::vector<Number> values(to.data_size());
    const unsigned int  n = to.n_modes() * to.n_components();
    for_elements(to, [&](const std::size_t e, auto &in_element, auto &in_cell) {
      for (unsigned int i = 0; i < n; ++i)
        in_cell[i] = from[dof_indices[e * n + i]];
      modes.to_element(codes[e], to.n_components(), in_cell.data(), in_element.data());
      for_entries(to, e, [&](const unsigned int i, const std::size_t j) {
        values[j] = in_element[i];
      });
    });
    to.copy_from_host(values.data());
  }

  template <typename Number>
  void
  DoFMap::copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const
  {
    check(from.size());
    to.reinit(dof_indices.size(), true);
    const std::vector<Number> values = from.to_host();
    const unsigned int        n      = from.n_modes() * from.n_components();
    for_elements(from, [&](const std::size_t e, auto &in_element, auto &in_cell) {
      for_entries(from, e, [&](const unsigned int i, const std::size_t j) {
        in_element[i] = values[j];
      });
      modes.to_cell(codes[e], from.n_components(), in_element.data(), in_cell.data());
      for (unsigned int i = 0; i < n; ++i)
        to[dof_indices[e * n + i]] = in_cell[i];
    });
  }

  template <typename Number>
  CompressedRows
  DoFMap::compressed_rows(ElementCouplings<Number> couplings) const
  {
    const unsigned int n = couplings.n_modes;
    check(static_cast<std::size_t>(couplings.n_elements) * n);
    parallel_for(couplings.n_elements, [&](const unsigned int begin, const unsigned int end) {
      std::vector<double> block(n * n), turned(n * n);
      const auto          transpose = [&]() {
        for (unsigned int i = 0; i < n; ++i)
          for (unsigned int j = 0; j < n; ++j)
            block[j * n + i] = turned[i * n + j];
      };
      for (unsigned int e = begin; e < end; ++e)
        for (unsigned int c = 0; c < couplings.n_couplings; ++c)
          if (const int other = couplings.partner(e, c); other >= 0)
            {
              Number *const values = couplings.block(e, c);
              std::copy(values, values + n * n, block.begin());
              for (const unsigned int of : {e, static_cast<unsigned int>(other)})
                {
                  modes.to_cell(codes[of], n, block.data(), turned.data());
                  transpose();
                }
              std::copy(block.begin(), block.end(), values);
            }
    });
    return couplings.compressed_rows(dof_indices);
  }

  template DoFMap::DoFMap(const ElementMesh<2> &, const DoFHandler<2> &);
  template DoFMap::DoFMap(const ElementMesh<3> &, const DoFHandler<3> &);
  template void
  DoFMap::copy_from(Vector<double> &, const dealii::Vector<double> &) const;
  template void
  DoFMap::copy_from(Vector<float> &, const dealii::Vector<double> &) const;
  template void
  DoFMap::copy_to(dealii::Vector<double> &, const Vector<double> &) const;
  template void
                          DoFMap::copy_to(dealii::Vector<double> &, const Vector<float> &) const;
  template CompressedRows DoFMap::compressed_rows(ElementCouplings<double>) const;
  template CompressedRows DoFMap::compressed_rows(ElementCouplings<float>) const;
} // namespace Saltus
