// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/patterns.h>

#include <saltus/io/parameters/adaptivity_parameters.h>
#include <saltus/io/parameters/parameters.h>

namespace Saltus
{
  using namespace dealii;

  void
  AdaptivityParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Adaptivity");
    prm.add_parameter(
      "Interval",
      interval,
      "Steps between two adaptions of the mesh to the solution; 0: it stays as it is. "
      "For Mesh/Cells = hypercubes.",
      Patterns::Integer(0));
    prm.leave_subsection();
    AdaptionRuleParameters::add_parameters(prm);
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
    AdaptionRuleParameters::add_parameters(prm);
  }


  void
  AdaptionRuleParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Adaptivity");
    prm.add_parameter(
      "Refined share",
      rules.refined_share,
      "Of the cells, those with the largest indicators, if they are below the highest "
      "level.",
      Patterns::Double(0., 1.));
    prm.add_parameter(
      "Coarsened share",
      rules.coarsened_share,
      "Of the cells, those with the smallest indicators, where all children of a cell "
      "are among them.",
      Patterns::Double(0., 1.));
    prm.add_parameter(
      "Highest level",
      rules.highest_level,
      "That cells may have; those of the mesh before Mesh/Refinements have level 0.",
      Patterns::Integer(0, 15));
    add_choice(
      prm,
      "Indicator",
      rules.indicator,
      {{"Kelly", AdaptionIndicator::kelly}, {"gradient", AdaptionIndicator::gradient}},
      "From the first component: jumps of derivatives, or the gradient times a power of the "
      "cell's size.");
    prm.leave_subsection();
  }

  void
  AdaptionRuleParameters::check() const
  {
    AssertThrow(rules.refined_share + rules.coarsened_share <= 1.,
                ExcMessage("Adaptivity/Refined share and Adaptivity/Coarsened share are together "
                           "more than all cells: their sum must be at most 1."));
  }
} // namespace Saltus
