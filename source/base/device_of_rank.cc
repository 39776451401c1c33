// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/cuda_runtime.h>
#include <saltus/base/device_of_rank.h>
#include <saltus/base/say_once.h>

namespace Saltus
{
  using namespace dealii;

  Device
  device_of_rank(const std::string &name, const MPI_Comm communicator)
  {
    MPI_Comm node;
    int status = MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    AssertThrowMPI(status);
    const int number = Utilities::MPI::this_mpi_process(node);
    const int n      = Utilities::MPI::n_mpi_processes(node);
    status           = MPI_Comm_free(&node);
    AssertThrowMPI(status);

    const int n_gpus = CudaRuntime::n_devices();
    if (n == 1 || n_gpus == 0 || (name != "cuda" && name != "auto"))
      return Device::from_name(name);
    if (number == 0 && n > n_gpus)
      say_once(std::to_string(n) + " ranks share " + std::to_string(n_gpus) +
               (n_gpus == 1 ? " GPU." : " GPUs."));
    return Device::cuda(number % n_gpus);
  }
} // namespace Saltus
