// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "adaptivity_parameters.h"

#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>

namespace Saltus::Polytopic
{
  using namespace dealii;

  void
  AdaptivityParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string used = used_with("Adaptivity/Method other than none");
    prm.enter_subsection("Adaptivity");
    add_choice(
      prm,
      "Method",
      method,
      {{"none", std::nullopt}, {"h", HpMethod::h}, {"p", HpMethod::p}, {"hp", HpMethod::hp}},
      "What happens from one cycle to the next: none, the mesh is refined; else it stays, and "
      "of the elements with the largest error estimates (h) the cells are divided among "
      "smaller ones, (p) the degrees are raised by one, or (hp) the latter where the solution "
      "is smooth, else the former.");
    add_choice(prm,
               "Marking",
               rules.by_bulk,
               {{"shares", false}, {"bulk", true}},
               "What Refined share is a share of: the elements, or the sum of the squares of their "
               "estimates." +
                 used);
    prm.add_parameter(
      "Refined share",
      rules.refined_share,
      "Of the elements, or of the sum of squares: so many with the largest estimates "
      "are refined." +
        used,
      positive_numbers(1.));
    prm.add_parameter(
      "Coarsened share",
      rules.coarsened_share,
      "Of the elements: so many with the smallest estimates lose a degree, or where "
      "the solution is smooth become one again with the other parts of an element "
      "that was divided; with h and p only the one or the other." +
        used,
      Patterns::Double(0., 1.));
    prm.add_parameter(
      "Smooth decay",
      rules.smooth_decay,
      "A solution is smooth in an element if from one degree to the next its Legendre "
      "coefficients fall to less than this share." +
        used_with("Adaptivity/Method = hp"),
      positive_numbers(1.));
    prm.add_parameter("Highest degree",
                      rules.highest_degree,
                      "Not raised any more." + used_with("Adaptivity/Method = p or hp"),
                      Patterns::Integer(1, max_legendre_degree));
    prm.add_parameter("Parts of an element",
                      rules.n_parts,
                      "That is divided; fewer if it has fewer cells." +
                        used_with("Adaptivity/Method = h or hp"),
                      Patterns::Integer(2, 1000));
    add_choice(prm,
               "Agglomerates",
               rules.grouping,
               {{"METIS", Grouping::metis}, {"boxes", Grouping::boxes}},
               "How these parts are found, see Agglomeration/Method." +
                 used_with("Adaptivity/Method = h or hp"));
    prm.leave_subsection();
  }


  void
  AdaptivityParameters::check() const
  {
    AssertThrow(rules.by_bulk || rules.refined_share + rules.coarsened_share <= 1.,
                ExcMessage("Adaptivity/Refined share and Adaptivity/Coarsened share are together "
                           "more than all elements: their sum must be at most 1."));
  }
} // namespace Saltus::Polytopic
