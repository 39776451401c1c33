// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/patterns.h>

#include <saltus/io/parameters/adaptivity_parameters.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>

#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  void
  AdaptivityParameters::add_parameters(ParameterHandler &prm, const bool of_flow)
  {
    prm.enter_subsection("Adaptivity");
    prm.add_parameter("Interval",
                      interval,
                      "Steps between two adaptions of the mesh to the solution; 0: none. "
                      "For Mesh/Cells = hypercubes.",
                      Patterns::Integer(0));
    prm.add_parameter("Time interval",
                      time_interval,
                      "Time between two adaptions, besides those after Interval steps: steps end "
                      "at its multiples; 0: none.",
                      Patterns::Double(0.));
    prm.leave_subsection();
    AdaptionRuleParameters::add_parameters(
      prm, used_with("Adaptivity/Interval above 0 or Adaptivity/Time interval above 0"), of_flow);
  }


  void
  AdaptivityParameters::check_run(const std::string &cells,
                                  const unsigned int first_level,
                                  const bool         averages_points) const
  {
    check();
    if (is_used())
      check_level(first_level);
    AssertThrow(!is_used() || cells == "hypercubes",
                ExcMessage(
                  "Adaptivity/Interval and Adaptivity/Time interval need a mesh that p4est "
                  "can refine in places: set Mesh/Cells = hypercubes, or both to 0."));
    AssertThrow(!is_used() || !averages_points,
                ExcMessage(
                  "Average/Kind = mean and rms is of points of one mesh: set it to mean, or "
                  "Adaptivity/Interval and Adaptivity/Time interval to 0."));
  }


  CycleAdaptivityParameters::CycleAdaptivityParameters()
  {
    rules.coarsened_share = 0.;
    rules.highest_level   = 15;
  }


  void
  CycleAdaptivityParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Adaptivity");
    add_choice(prm,
               "Cells",
               marked_only,
               {{"all", false}, {"marked", true}},
               "Which cells are refined from one cycle to the next: all, or those with the largest "
               "indicators. The latter for Mesh/Cells = hypercubes.");
    prm.leave_subsection();
    AdaptionRuleParameters::add_parameters(prm, used_with("Adaptivity/Cells = marked"));
  }


  void
  AdaptionRuleParameters::add_parameters(ParameterHandler  &prm,
                                         const std::string &used,
                                         const bool         of_flow)
  {
    prm.enter_subsection("Adaptivity");
    prm.add_parameter(
      "Refined share",
      rules.refined_share,
      "Of the cells, those with the largest indicators, if they are below the highest "
      "level." +
        used_with("Adaptivity/Marking = shares"),
      Patterns::Double(0., 1.));
    prm.add_parameter(
      "Coarsened share",
      rules.coarsened_share,
      "Of the cells, those with the smallest indicators, where all children of a cell "
      "are among them." +
        used_with("Adaptivity/Marking = shares"),
      Patterns::Double(0., 1.));
    prm.add_parameter(
      "Highest level",
      rules.highest_level,
      "That cells may have; those of the mesh before Mesh/Refinements have level 0." + used,
      Patterns::Integer(0, 15));
    add_choice(
      prm,
      "Marking",
      rules.by_threshold,
      {{"shares", false}, {"thresholds", true}},
      "Whether cells are refined and coarsened as shares of all, or by the values of their "
      "indicators." +
        used);
    prm.add_parameter("Refine above",
                      rules.refine_above,
                      "Indicators of cells that are refined." +
                        used_with("Adaptivity/Marking = thresholds"),
                      Patterns::Double(0.));
    prm.add_parameter("Coarsen below",
                      rules.coarsen_below,
                      "Indicators of cells that are coarsened." +
                        used_with("Adaptivity/Marking = thresholds"),
                      Patterns::Double(0.));
    std::vector<std::pair<std::string, AdaptionIndicator>> indicators = {
      {"Kelly", AdaptionIndicator::kelly},
      {"gradient", AdaptionIndicator::gradient},
      {"jump", AdaptionIndicator::jump},
      {"smoothness", AdaptionIndicator::smoothness}};
    if (of_flow)
      indicators.emplace_back("vorticity", AdaptionIndicator::vorticity);
    add_choice(prm,
               "Indicator",
               rules.indicator,
               indicators,
               std::string("From the first component: jumps of derivatives (Kelly) or of values "
                           "between cells, the gradient times a power of the cell's size, or the "
                           "share that one degree less does not see") +
                 (of_flow ? "; or the norm of the vorticity times the cell's size." : ".") + used);
    prm.leave_subsection();
  }

  void
  AdaptionRuleParameters::check() const
  {
    AssertThrow(rules.refined_share + rules.coarsened_share <= 1.,
                ExcMessage("Adaptivity/Refined share and Adaptivity/Coarsened share are together "
                           "more than all cells: their sum must be at most 1."));
    AssertThrow(!rules.by_threshold || rules.coarsen_below < rules.refine_above,
                ExcMessage("Adaptivity/Coarsen below must be less than Adaptivity/Refine above."));
  }

  void
  AdaptionRuleParameters::check_level(const unsigned int first) const
  {
    AssertThrow(first <= rules.highest_level,
                ExcMessage("Adaptivity/Highest level = " + std::to_string(rules.highest_level) +
                           " is not accepted: all cells have level " + std::to_string(first) +
                           " before the mesh is adapted. Raise it, or lower Mesh/Refinements or, "
                           "in problems in time, Discretization/Cycles."));
  }
} // namespace Saltus
