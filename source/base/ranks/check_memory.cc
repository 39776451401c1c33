// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/out_of_memory.h>
#include <saltus/base/ranks/check_memory.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>

#include <algorithm>

namespace Saltus
{
  void
  check_memory(const Device       device,
               const MPI_Comm     communicator,
               const std::string &name,
               const double       bytes,
               const std::string &remedy)
  {
    // Before others take anything.
    const std::size_t available = available_memory(device); // makes it the current one
    const std::string place =
      device.is_cuda() ? CudaRuntime::device_name() : dealii::Utilities::System::get_hostname();
    const std::vector<double>      of_ranks = all_gather(communicator, bytes);
    const std::vector<std::string> places   = all_gather(communicator, place);
    double                         wanted   = 0.;
    unsigned int                   n        = 0;
    for (std::size_t rank = 0; rank < places.size(); ++rank)
      if (places[rank] == place)
        {
          wanted += of_ranks[rank];
          ++n;
        }
    const std::string more = "Use larger elements, a lower degree, or more ";
    on_all_ranks(communicator, [&]() {
      AssertThrow(wanted <= available,
                  dealii::ExcMessage(name + " needs " + bytes_for_people(std::min(wanted, 1e18)) +
                                     " of " + (device.is_cuda() ? "GPU memory" : "memory") +
                                     (n > 1 ? " on " + std::to_string(n) + " ranks" : "") +
                                     ", but " + (device.is_cuda() ? "the GPU" : "the host") +
                                     " has only " + bytes_for_people(available) + " left. " +
                                     (!remedy.empty()    ? remedy
                                      : device.is_cuda() ? more + "GPUs."
                                                         : more + "nodes.")));
    });
  }
} // namespace Saltus
