// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_adaptivity_parameters_h
#define saltus_io_parameters_adaptivity_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <saltus/mesh/adapt/mesh_adaptor.h>

#include <string>

namespace Saltus
{
  /// Which cells are refined and coarsened: entries of the section `Adaptivity`.
  struct AdaptionRuleParameters
  {
    /// @param used see used_with()
    /// @param of_flow whether the first components of solutions are a velocity, whose vorticity may
    /// be looked at
    void
    add_parameters(dealii::ParameterHandler &prm,
                   const std::string        &used,
                   const bool                of_flow = false);

    /// @throws dealii::ExcMessage for shares of more than all cells together
    void
    check() const;

    /// @param first of the cells that there are before the mesh is adapted, those of the last cycle
    /// @throws dealii::ExcMessage if that is above the highest level
    void
    check_level(const unsigned int first) const;

    AdaptionRules rules;
  };


  /// The section `Adaptivity` of problems in time: whether and how the mesh follows the solution.
  struct AdaptivityParameters : public AdaptionRuleParameters
  {
    /// @param of_flow see AdaptionRuleParameters
    void
    add_parameters(dealii::ParameterHandler &prm, const bool of_flow = false);

    /// @param first_level see AdaptionRuleParameters::check_level()
    /// @param averages_points whether there are averages at points, which belong to one mesh
    /// @throws dealii::ExcMessage also for a mesh of other cells than hypercubes, and together with
    /// such averages
    void
    check_run(const std::string &cells,
              const unsigned int first_level,
              const bool         averages_points) const;

    bool
    is_used() const
    {
      return interval > 0 || time_interval > 0.;
    }

    long   interval      = 0;  ///< steps between two adaptions; 0: none
    double time_interval = 0.; ///< time between two adaptions; 0: none
  };


  /// The section `Adaptivity` of problems that are solved on one mesh after the other: which cells
  /// are refined from one to the next.
  struct CycleAdaptivityParameters : public AdaptionRuleParameters
  {
    CycleAdaptivityParameters();

    void
    add_parameters(dealii::ParameterHandler &prm);

    bool
    is_used() const
    {
      return marked_only;
    }

    bool marked_only = false;
  };
} // namespace Saltus

#endif
