// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/solvers/epetra_matrix.h>
#include <saltus/solvers/gathered_multigrid.h>

#include <numeric>

namespace Saltus
{
  using namespace dealii;

  template <typename Number>
  void
  GatheredMultigrid<Number>::initialize(const std::shared_ptr<const ElementPartition> &partition,
                                        const GatheredMatrix                          &matrix,
                                        const AdditionalData                          &data,
                                        const Device                                   device,
                                        const CompressedRows                          &embedding)
  {
    this->partition = partition;
    if (!partition)
      {
        algebraic.initialize(*epetra_matrix(matrix.rows), data, device, embedding);
        return;
      }
    this->embedding = SparseMatrix<Number>(device, embedding);
    restriction     = SparseMatrix<Number>(device, embedding.transpose());
    own             = Vector<Number>(device, embedding.n_columns, 1, 1);
    counts          = matrix.counts;
    if (is_first())
      {
        starts.assign(counts.size() + 1, 0);
        std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
        all_b = all_x = Vector<Number>(device, starts.back(), 1, 1);
      }
    connect_gpus(device);
    if (!is_first())
      return;
    // Where unknowns of several ranks are one, all of them get its value.
    CompressedRows copies;
    copies.n_columns = matrix.rows.n_rows();
    for (const std::size_t place : matrix.places)
      {
        copies.add(place, 1.);
        copies.finish_row();
      }
    algebraic.initialize(*epetra_matrix(matrix.rows), data, device, copies);
  }

  template <typename Number>
  std::size_t
  GatheredMultigrid<Number>::own_bytes() const
  {
    return own.locally_owned_size() * sizeof(Number);
  }

  template <typename Number>
  void
  GatheredMultigrid<Number>::connect_gpus(const Device device)
  {
    const auto gpus = partition->gpus(device);
    if (!gpus)
      return;
    using Parts = std::vector<GpuGroup::Part>;
    if (!is_first())
      {
        const Parts part = {{0, 0, own_bytes()}};
        to_first         = gpus->messages(own.data(), part, nullptr, {});
        from_first       = gpus->messages(nullptr, {}, own.data(), part);
        return;
      }
    Parts parts;
    for (std::size_t rank = 1; rank < counts.size(); ++rank)
      parts.push_back(
        {static_cast<int>(rank), starts[rank] * sizeof(Number), counts[rank] * sizeof(Number)});
    to_first   = gpus->messages(nullptr, {}, all_b.data(), parts);
    from_first = gpus->messages(all_x.data(), parts, nullptr, {});
  }

  template <typename Number>
  void
  GatheredMultigrid<Number>::gather() const
  {
    if (to_first)
      {
        to_first->start();
        if (is_first())
          CudaRuntime::copy_on_device(all_b.data(), own.data(), own_bytes());
        to_first->finish();
        return;
      }
    const std::vector<Number> values = own.entries();
    std::vector<Number>       all(is_first() ? starts.back() : 0);
    const MPI_Datatype        type = Utilities::MPI::mpi_type_id_for_type<Number>;
    // In parentheses, since headers of PETSc, which deal.II includes, make macros of the names.
    const int status = (MPI_Gatherv)(values.data(),
                                     values.size(),
                                     type,
                                     all.data(),
                                     counts.data(),
                                     starts.data(),
                                     type,
                                     0,
                                     partition->communicator);
    AssertThrowMPI(status);
    if (is_first())
      all_b.set_entries(all);
  }

  template <typename Number>
  void
  GatheredMultigrid<Number>::scatter() const
  {
    if (from_first)
      {
        from_first->start();
        if (is_first())
          CudaRuntime::copy_on_device(own.data(), all_x.data(), own_bytes());
        from_first->finish();
        return;
      }
    const std::vector<Number> all = is_first() ? all_x.entries() : std::vector<Number>();
    std::vector<Number>       values(own.locally_owned_size());
    const MPI_Datatype        type   = Utilities::MPI::mpi_type_id_for_type<Number>;
    const int                 status = (MPI_Scatterv)(all.data(),
                                      counts.data(),
                                      starts.data(),
                                      type,
                                      values.data(),
                                      values.size(),
                                      type,
                                      0,
                                      partition->communicator);
    AssertThrowMPI(status);
    own.set_entries(values);
  }

  template <typename Number>
  void
  GatheredMultigrid<Number>::solve(const Vector<Number> &src) const
  {
    restriction.vmult(own, src);
    gather();
    if (is_first())
      algebraic.vmult(all_x, all_b);
    scatter();
  }

  template <typename Number>
  void
  GatheredMultigrid<Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    if (!partition)
      {
        algebraic.vmult(dst, src);
        return;
      }
    solve(src);
    embedding.vmult(dst, own);
  }

  template <typename Number>
  void
  GatheredMultigrid<Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    if (!partition)
      {
        algebraic.vmult_add(dst, src);
        return;
      }
    solve(src);
    embedding.vmult_add(dst, own);
  }

  template <typename Number>
  std::size_t
  GatheredMultigrid<Number>::memory_consumption() const
  {
    return algebraic.memory_consumption() + embedding.memory_consumption() +
           restriction.memory_consumption() +
           (own.data_size() + all_b.data_size() + all_x.data_size()) * sizeof(Number);
  }

  template class GatheredMultigrid<double>;
  template class GatheredMultigrid<float>;
} // namespace Saltus
