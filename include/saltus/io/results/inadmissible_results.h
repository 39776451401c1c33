// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_inadmissible_results_h
#define saltus_io_results_inadmissible_results_h

#include <deal.II/base/mpi.h>

#include <saltus/base/ranks/ranks.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>

#include <limits>
#include <mutex>
#include <string>

namespace Saltus
{
  /// The inadmissible states that tables and graphical output were computed from. An operator
  /// checks states at quadrature points; elsewhere polynomials may overshoot. Threads may share an
  /// object.
  template <typename Law>
  class InadmissibleResults
  {
    using State = Array<double, Law::n_components>;

  public:
    void
    look_at(const Law &law, const State &state)
    {
      if constexpr (Law::n_positive > 0)
        {
          if (law.admissible(state))
            return;
          const auto quantities = law.positive(state);
          double     least      = quantities[0];
          for (int i = 1; i < Law::n_positive; ++i)
            least = quantities[i] < least ? quantities[i] : least;
          const std::lock_guard<std::mutex> lock(mutex);
          if (least < lowest)
            {
              lowest = least;
              worst  = state;
            }
        }
    }

    /// The state with the lowest quantity, as text; empty if all were admissible. Collective.
    std::string
    text(const Law &law, const MPI_Comm communicator) const
    {
      const std::lock_guard<std::mutex> lock(mutex);
      const double                      of_all = dealii::Utilities::MPI::min(lowest, communicator);
      return first_of_ranks(communicator,
                            of_all < none && lowest == of_all ? state_text(law, worst) : "");
    }

  private:
    static constexpr double none = std::numeric_limits<double>::infinity();

    mutable std::mutex mutex;
    double             lowest = none;
    State              worst;
  };
} // namespace Saltus

#endif
