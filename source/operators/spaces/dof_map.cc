// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/fe/dg_element.h>
#include <saltus/operators/spaces/dof_map.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

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
      const CoefficientLayout layout = vector.layout().coefficients();
      for (int m = 0, i = 0; m < layout.n_modes; ++m)
        for (int c = 0; c < layout.n_components; ++c, ++i)
          body(i, layout.index(element, m, c));
    }

    /// Set ghosts to what their owners have. Collective.
    template <typename VectorType>
    void
    update_ghosts(VectorType &vector)
    {
      if constexpr (std::is_same_v<VectorType, TrilinosWrappers::MPI::Vector>)
        {
          VectorType owned(vector.locally_owned_elements(), vector.get_mpi_communicator());
          owned  = vector;
          vector = owned;
        }
      else
        vector.update_ghost_values();
    }

    /// The degrees of freedom of this rank's cells.
    template <int dim>
    std::size_t
    n_on_cells(const DoFHandler<dim> &dof_handler)
    {
      const Triangulation<dim> &triangulation = dof_handler.get_triangulation();
      std::size_t               n             = 0;
      for (const ReferenceCell &shape : triangulation.get_reference_cells())
        {
          const unsigned int n_of_cell = element_on(dof_handler, shape).n_dofs_per_cell();
          for (const auto &cell : triangulation.active_cell_iterators())
            if (cell->is_locally_owned() && cell->reference_cell() == shape)
              n += n_of_cell;
        }
      return n;
    }

    void
    check_distributed(const bool are_distributed)
    {
      AssertThrow(are_distributed,
                  ExcMessage(
                    "The DoFHandler's degrees of freedom are not those of the cells of its "
                    "triangulation. Call its distribute_dofs() after each change of the "
                    "triangulation."));
    }
  } // namespace

  template <int dim>
  DoFMap::DoFMap(const ElementMesh<dim> &mesh, const DoFHandler<dim> &dof_handler)
    : modes(ModePermutations::make<dim>(mesh.shape.reference_cell,
                                        element_on(dof_handler, mesh.shape.reference_cell).degree))
    , codes(mesh.n_elements())
  {
    mesh.check_triangulation(dof_handler.get_triangulation());
    on_all_ranks(dof_handler.get_triangulation().get_communicator(),
                 [&]() { read_numbers(mesh, dof_handler); });
    std::vector<unsigned char> codes_of_ghosts;
    for (const auto &ghost : mesh.connectivity.ghosts)
      codes_of_ghosts.push_back(ModePermutations::code<dim>(ghost.vertices));
    set_up_ghosts(mesh, codes_of_ghosts);
  }

  template <int dim>
  void
  DoFMap::read_numbers(const ElementMesh<dim> &mesh, const DoFHandler<dim> &dof_handler)
  {
    const IndexSet &owned = dof_handler.locally_owned_dofs();
    check_distributed(owned.n_elements() == n_on_cells(dof_handler));
    AssertThrow(owned.is_contiguous(),
                ExcMessage("The degrees of freedom that a rank owns must follow each other, as "
                           "DoFHandler::distribute_dofs() numbers them."));
    first_dof                              = owned.is_empty() ? 0 : owned.nth_index_in_set(0);
    const FiniteElement<dim> &fe           = element_on(dof_handler, mesh.shape.reference_cell);
    const unsigned int        n_dofs       = fe.n_dofs_per_cell();
    const unsigned int        n_components = fe.n_components();
    const unsigned int        n_modes      = n_dofs / n_components;
    n_owned                                = static_cast<std::size_t>(mesh.n_elements()) * n_dofs;
    n_in_vector                            = owned.n_elements();
    dof_indices.resize(n_owned);
    std::vector<unsigned int> in_cell; // `[m][c]`: found once, as deal.II searches for each
    for (unsigned int m = 0; m < n_modes; ++m)
      for (unsigned int c = 0; c < n_components; ++c)
        in_cell.push_back(fe.component_to_system_index(c, m));
    parallel_for(mesh.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      std::vector<types::global_dof_index> of_cell(n_dofs);
      std::size_t                          i = static_cast<std::size_t>(begin) * n_dofs;
      for (unsigned int e = begin; e < end; ++e)
        {
          codes[e] = ModePermutations::code<dim>(mesh.order.vertices_of(e));
          const auto                                          &cell = mesh.order.cells[e];
          const typename DoFHandler<dim>::active_cell_iterator dof_cell(&cell->get_triangulation(),
                                                                        cell->level(),
                                                                        cell->index(),
                                                                        &dof_handler);
          dof_cell->get_dof_indices(of_cell);
          for (const unsigned int number : in_cell)
            dof_indices[i++] = of_cell[number];
        }
    });
    // A changed mesh may have as many cells, but then some have no numbers, or those of others.
    std::vector<bool> is_taken(n_in_vector, false);
    for (std::size_t i = 0; i < n_owned; i += n_dofs)
      {
        const std::size_t number = dof_indices[i] - first_dof;
        check_distributed(number < n_in_vector && !is_taken[number]);
        is_taken[number] = true;
      }
  }

  template <int dim>
  void
  DoFMap::set_up_ghosts(const ElementMesh<dim>           &mesh,
                        const std::vector<unsigned char> &codes_of_ghosts)
  {
    is_empty       = false;
    is_distributed = mesh.partition != nullptr;
    if (!is_distributed)
      return;
    const unsigned int n_dofs = mesh.n_elements() > 0 ? n_owned / mesh.n_elements() : 0;
    std::vector<types::global_dof_index> across;
    for (const auto &ghost : mesh.connectivity.ghosts)
      {
        const auto first = dof_indices.begin() + static_cast<std::size_t>(ghost.element) * n_dofs;
        across.insert(across.end(), first, first + n_dofs);
      }
    across = exchange_across(mesh.partition->communicator, mesh.ghost_ranks(), n_dofs, across);
    dof_indices.insert(dof_indices.end(), across.begin(), across.end());
    codes.insert(codes.end(), codes_of_ghosts.begin(), codes_of_ghosts.end());
  }

  template <int dim>
  DoFMap
  DoFMap::of_elements(const ElementMesh<dim> &mesh, const unsigned int degree)
  {
    DoFMap result;
    result.modes               = ModePermutations::make<dim>(mesh.shape.reference_cell, degree);
    const unsigned int n_modes = result.modes.n_modes();
    result.n_owned             = static_cast<std::size_t>(mesh.n_elements()) * n_modes;
    result.n_in_vector         = result.n_owned;
    result.first_dof           = mesh.partition ? mesh.partition->first_element * n_modes : 0;
    result.dof_indices.resize(result.n_owned);
    std::iota(result.dof_indices.begin(), result.dof_indices.end(), result.first_dof);
    result.codes.assign(mesh.n_elements(),
                        ModePermutations::code<dim>(identity_permutation<dim>()));
    std::vector<unsigned char> codes_of_ghosts;
    for (const VertexPermutation<dim> &vertices : mesh.vertices_in_owners())
      codes_of_ghosts.push_back(ModePermutations::code<dim>(vertices));
    result.set_up_ghosts(mesh, codes_of_ghosts);
    return result;
  }

  void
  DoFMap::check(const std::size_t size, const std::size_t expected)
  {
    AssertThrow(size == expected,
                ExcMessage("A vector with " + std::to_string(size) +
                           " entries was given where the space has " + std::to_string(expected) +
                           " degrees of freedom in deal.II's numbering."));
  }

  template <typename VectorType>
  auto
  DoFMap::owned_entries(VectorType &vector) const
  {
    using Type           = std::remove_const_t<VectorType>;
    const IndexSet owned = vector.locally_owned_elements();
    check(owned.n_elements(), n_in_vector);
    auto entries = vector.begin();
    if constexpr (!std::is_same_v<Type, dealii::Vector<double>>)
      if (n_in_vector > 0)
        {
          AssertThrow(owned.is_element(first_dof) && owned.is_element(first_dof + n_in_vector - 1),
                      ExcMessage(
                        "The vector's own entries on this rank must be this rank's degrees "
                        "of freedom, from number " +
                        std::to_string(first_dof) +
                        " on. Make the vector with DoFHandler::locally_owned_dofs()."));
          // The entries of Trilinos' vectors stand among ghosts, in ascending order.
          if constexpr (std::is_same_v<Type, TrilinosWrappers::MPI::Vector>)
            entries += vector.trilinos_partitioner().LID(
              static_cast<TrilinosWrappers::types::int_type>(first_dof));
        }
    return entries;
  }

  template <typename Number, typename VectorType>
  void
  DoFMap::copy_entries_from(Vector<Number> &to, const VectorType &from) const
  {
    const auto *owned = owned_entries(from);
    check(to.locally_owned_size(), n_owned);
    std::vector<Number> values(to.data_size());
    const unsigned int  n = to.n_modes() * to.n_components();
    for_elements(to, [&](const std::size_t e, auto &in_element, auto &in_cell) {
      for (unsigned int i = 0; i < n; ++i)
        in_cell[i] = owned[dof_indices[e * n + i] - first_dof];
      modes.to_element(codes[e], to.n_components(), in_cell.data(), in_element.data());
      for_entries(to, e, [&](const unsigned int i, const std::size_t j) {
        values[j] = in_element[i];
      });
    });
    to.copy_from_host(values.data());
  }

  template <typename Number, typename VectorType>
  void
  DoFMap::copy_entries_to(VectorType &to, const Vector<Number> &from) const
  {
    check(from.locally_owned_size(), n_owned);
    if constexpr (std::is_same_v<VectorType, dealii::Vector<double>>)
      if (to.size() != n_in_vector)
        to.reinit(n_in_vector, true);
    auto                     *owned = owned_entries(to);
    const std::vector<Number> copy =
      from.device().is_cuda() ? from.to_host() : std::vector<Number>();
    const Number      *values = copy.empty() ? from.data() : copy.data();
    const unsigned int n      = from.n_modes() * from.n_components();
    for_elements(from, [&](const std::size_t e, auto &in_element, auto &in_cell) {
      for_entries(from, e, [&](const unsigned int i, const std::size_t j) {
        in_element[i] = values[j];
      });
      modes.to_cell(codes[e], from.n_components(), in_element.data(), in_cell.data());
      for (unsigned int i = 0; i < n; ++i)
        owned[dof_indices[e * n + i] - first_dof] = in_cell[i];
    });
    if (to.has_ghost_elements())
      update_ghosts(to);
  }

  template <typename Number>
  DistributedRows
  DoFMap::distributed_rows(ElementCouplings<Number> couplings) const
  {
    const unsigned int n = couplings.n_modes;
    check(static_cast<std::size_t>(couplings.n_elements) * n, n_owned);
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
    if (!is_distributed)
      return {couplings.compressed_rows(dof_indices), {}};
    return {couplings.compressed_rows((dof_indices.size() - n_owned) / n),
            {dof_indices.begin(), dof_indices.end()}};
  }

  template DoFMap::DoFMap(const ElementMesh<2> &, const DoFHandler<2> &);
  template DoFMap::DoFMap(const ElementMesh<3> &, const DoFHandler<3> &);
#define SALTUS_COPIES(Number, ...)                                                      \
  template void DoFMap::copy_entries_from(Vector<Number> &, const __VA_ARGS__ &) const; \
  template void DoFMap::copy_entries_to(__VA_ARGS__ &, const Vector<Number> &) const;
#define SALTUS_COPIES_OF(...)        \
  SALTUS_COPIES(double, __VA_ARGS__) \
  SALTUS_COPIES(float, __VA_ARGS__)
  SALTUS_COPIES_OF(dealii::Vector<double>)
  SALTUS_COPIES_OF(LinearAlgebra::distributed::Vector<double>)
  SALTUS_COPIES_OF(TrilinosWrappers::MPI::Vector)
#undef SALTUS_COPIES_OF
#undef SALTUS_COPIES
  template DoFMap
  DoFMap::of_elements(const ElementMesh<2> &, const unsigned int);
  template DoFMap
                           DoFMap::of_elements(const ElementMesh<3> &, const unsigned int);
  template DistributedRows DoFMap::distributed_rows(ElementCouplings<double>) const;
  template DistributedRows DoFMap::distributed_rows(ElementCouplings<float>) const;
} // namespace Saltus
