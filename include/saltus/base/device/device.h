// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_device_h
#define saltus_base_device_device_h

#include <string>

namespace Saltus
{
  /// Where operators run: the CPU or one CUDA device; chosen at run time. A value, cheap to copy.
  ///
  /// Several threads of the host may use a device at a time, each with meshes, operators, clocks,
  /// vectors and solvers of its own: on a GPU their work stands in one row, in the order in which
  /// it is launched. So one thread may also go on with what another has left to it. On several
  /// ranks one thread does it all, since ranks find each other's messages by their order.
  class Device
  {
  public:
    static Device
    cpu();

    /// The CUDA device number @p ordinal.
    /// @throws dealii::ExceptionBase with the reason if it cannot be used
    static Device
    cuda(const int ordinal = 0);

    /// Whether the CUDA device number @p ordinal can be used. That it cannot is told of on standard
    /// error, with the reason.
    static bool
    is_usable(const int ordinal);

    /// The first CUDA device that is_usable(), else the CPU.
    static Device
    automatic();

    /// `cpu`, `cuda`, `cuda:N` (device number N) or `auto`; other names throw.
    static Device
    from_name(const std::string &name);

    bool
    is_cuda() const
    {
      return cuda_ordinal >= 0;
    }

    /// Number of the CUDA device, -1 for the CPU.
    int
    ordinal() const
    {
      return cuda_ordinal;
    }

    /// As from_name() takes it: `cpu`, `cuda:0`.
    std::string
    name() const;

    /// Make a CUDA device the one that the calls of CudaRuntime and kernels' launches of this
    /// thread go to. Whatever works on objects of a device does so first; it costs next to nothing
    /// if the device is the current one already.
    void
    make_current() const;

    /// One line for the start-up message: the device and, for the CPU, instruction set and threads.
    std::string
    description() const;

    bool
    operator==(const Device &other) const
    {
      return cuda_ordinal == other.cuda_ordinal;
    }

    bool
    operator!=(const Device &other) const
    {
      return !(*this == other);
    }

  private:
    explicit Device(const int cuda_ordinal)
      : cuda_ordinal(cuda_ordinal)
    {}

    int cuda_ordinal; ///< -1: the CPU
  };
} // namespace Saltus

#endif
