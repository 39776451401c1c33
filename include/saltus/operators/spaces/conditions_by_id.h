// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_conditions_by_id_h
#define saltus_operators_spaces_conditions_by_id_h

#include <deal.II/base/exceptions.h>
#include <deal.II/base/types.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/element_mesh.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace Saltus
{
  /// What sets of boundary conditions have in common whatever the equation: one condition for each
  /// boundary id, and periodic boundaries.
  /// @tparam Condition has a FieldFunction `data`, which may be empty
  template <typename Condition>
  class ConditionsById
  {
  public:
    /// The two parts of the boundary are one, up to a translation.
    /// @throws dealii::ExcMessage if one of them has a condition already, or both are the same
    void
    set_periodic(const dealii::types::boundary_id first, const dealii::types::boundary_id second)
    {
      AssertThrow(first != second,
                  dealii::ExcMessage(text(first) + " cannot be periodic with itself."));
      claim(first);
      claim(second);
      periodic_pairs.push_back({first, second});
    }

    /// @param n_components that the data of the condition must have, if there are any
    /// @throws dealii::ExcMessage if there is no condition for @p id, or with other data
    const Condition &
    at(const dealii::types::boundary_id id, const unsigned int n_components) const
    {
      const Condition &condition = find(id);
      if (!condition.data.empty())
        check_data(id, condition, n_components);
      return condition;
    }

    /// Note conditions for ids that the mesh does not have. Collective.
    /// @param check throws if a boundary id has no condition, or a wrong one
    /// @throws dealii::ExcMessage on all ranks if @p check throws on any, the mesh is outdated, or
    /// its periodic boundaries differ
    template <int dim, typename Check>
    void
    check_mesh(const ElementMesh<dim> &mesh, const Check &check) const
    {
      mesh.check_up_to_date();
      const auto contains = [](const std::vector<PeriodicBoundary> &pairs,
                               const dealii::types::boundary_id     id) {
        return std::any_of(pairs.begin(), pairs.end(), [&](const PeriodicBoundary &pair) {
          return pair.first == id || pair.second == id;
        });
      };
      for (const auto &pair : periodic_pairs)
        for (const auto id : {pair.first, pair.second})
          AssertThrow(contains(mesh.periodic_boundaries, id),
                      dealii::ExcMessage(
                        text(id) + " is periodic in the boundary conditions, but not on the "
                                   "element mesh. Give its periodic boundaries to the mesh."));
      for (const auto &[id, condition] : by_id)
        AssertThrow(!contains(mesh.periodic_boundaries, id),
                    dealii::ExcMessage(text(id) +
                                       " is periodic on the element mesh, but has a boundary "
                                       "condition of another kind."));
      const dealii::Triangulation<dim> &triangulation = mesh.order.triangulation;
      const auto                        present       = triangulation.get_boundary_ids();
      if (this_rank(triangulation.get_communicator()) == 0)
        for (const auto &[id, condition] : by_id)
          if (id != dealii::numbers::internal_face_boundary_id &&
              std::find(present.begin(), present.end(), id) == present.end())
            say_once(text(id) + " has a boundary condition, but no face of the mesh has this id.");
      on_all_ranks(mesh.order.triangulation.get_communicator(), [&]() {
        for (const auto &face : mesh.connectivity.boundary_faces)
          if (!face.is_inside())
            check(face.id);
      });
    }

    const std::map<dealii::types::boundary_id, Condition> &
    conditions() const
    {
      return by_id;
    }

    const std::vector<PeriodicBoundary> &
    periodic() const
    {
      return periodic_pairs;
    }

  protected:
    /// @throws dealii::ExcMessage if there is no condition for @p id
    const Condition &
    find(const dealii::types::boundary_id id) const
    {
      const auto found = by_id.find(id);
      AssertThrow(found != by_id.end(),
                  dealii::ExcMessage(text(id) + " has no boundary condition."));
      return found->second;
    }

    /// @throws dealii::ExcMessage if the data of @p condition do not have @p n_components
    static void
    check_data(const dealii::types::boundary_id id,
               const Condition                 &condition,
               const unsigned int               n_components)
    {
      const unsigned int given = condition.data.empty() ? 0 : condition.data.n_components();
      AssertThrow(given == n_components,
                  dealii::ExcMessage(text(id) + ": the data has " + std::to_string(given) +
                                     " components, but " + std::to_string(n_components) +
                                     (n_components == 1 ? " is needed." : " are needed.")));
    }

    /// @throws dealii::ExcMessage if @p id has a condition already
    void
    set(const dealii::types::boundary_id id, const Condition &condition)
    {
      claim(id);
      by_id.emplace(id, condition);
    }

    /// Which boundary, for messages.
    static std::string
    text(const dealii::types::boundary_id id)
    {
      return "Boundary id " + std::to_string(id);
    }

  private:
    void
    claim(const dealii::types::boundary_id id) const
    {
      bool taken = by_id.count(id) > 0;
      for (const PeriodicBoundary &pair : periodic_pairs)
        taken |= pair.first == id || pair.second == id;
      AssertThrow(!taken,
                  dealii::ExcMessage(text(id) + " has two boundary conditions; give it one."));
    }

    std::map<dealii::types::boundary_id, Condition> by_id;
    std::vector<PeriodicBoundary>                   periodic_pairs;
  };
} // namespace Saltus

#endif
