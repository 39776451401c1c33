// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_common_time_problem_h
#define applications_common_time_problem_h

#include <deal.II/fe/fe_system.h>
#include <deal.II/hp/fe_collection.h>

#include <saltus/base/device/device.h>
#include <saltus/base/expressions/expression.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/run_times.h>
#include <saltus/io/parameters/run_summary.h>
#include <saltus/io/results/shown_solution.h>
#include <saltus/mesh/mixed_mesh.h>
#include <saltus/operators/spaces/adaption_transfer.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Saltus
{
  /// The elements of a run, one a shape of the cells.
  template <int dim>
  using Elements = dealii::hp::FECollection<dim>;

  template <int dim>
  Elements<dim>
  make_elements(const std::vector<dealii::ReferenceCell> &shapes,
                const unsigned int                        degree,
                const unsigned int                        n_components)
  {
    Elements<dim> elements;
    for (const dealii::ReferenceCell &shape : shapes)
      elements.push_back(dealii::FESystem<dim>(*dg_element<dim>(shape, degree), n_components));
    return elements;
  }

  template <int dim>
  std::string
  name_of(const Elements<dim> &elements)
  {
    std::string name;
    for (unsigned int i = 0; i < elements.size(); ++i)
      name += (i > 0 ? ", " : "") + elements[i].get_name();
    return name;
  }


  /// The mesh of one cycle of a run, and what else a TimeProblem is made from. Lives longer than
  /// that.
  template <int dim>
  struct RunCycle
  {
    const unsigned int                number; ///< from 0
    const Device                      device;
    const dealii::Mapping<dim>       &mapping;
    const dealii::Triangulation<dim> &triangulation;
    const Elements<dim>              &finite_elements; ///< of RunEquation
    const MixedMesh<dim>              meshes;          ///< one a shape
    const ElementBlocks               elements;        ///< in their order
    RunTimes                         &times;

    /// Of cells of one shape.
    const std::shared_ptr<const ElementMesh<dim>> &
    mesh() const
    {
      return meshes[0];
    }

    /// What an operator is set up on, by the type that it wants.
    template <typename Meshes>
    const Meshes &
    as() const
    {
      if constexpr (std::is_same_v<Meshes, MixedMesh<dim>>)
        return meshes;
      else
        return mesh();
    }

    const dealii::FiniteElement<dim> &
    fe() const
    {
      return finite_elements[0];
    }
  };


  /// An evolution equation on the mesh of a RunCycle: what a TimeRun leaves to its program.
  template <int dim, typename VectorType>
  class TimeProblem : public ShownSolution<dim, VectorType>
  {
  public:
    virtual dealii::types::global_dof_index
    n_dofs() const = 0;

    /// What there is on this mesh: the elements and their degrees, and what else is to be said
    /// before the first step. Collective.
    virtual void
    summarize(RunSummary &summary) const = 0;

    /// For the table of errors, where elements are not the cells.
    virtual std::optional<dealii::types::global_cell_index>
    n_elements() const
    {
      return {};
    }

    /// With what the steps are limited by besides an end.
    virtual TimeState
    initial_time() const
    {
      return {};
    }

    /// Begin with the initial state, or go on with that of a checkpoint.
    /// @param stop may be asked after each step that this takes whether no more are to be done
    /// @return false if it was, and there is no state to begin with
    virtual bool
    start(const std::function<bool()> &stop) = 0;

    /// Begin with the state to which the mesh is adapted before start(): the initial one, whatever
    /// start() makes of it first.
    virtual void
    start_before_adaption()
    {
      start([]() { return false; });
    }

    virtual void
    restore(const Checkpoint &checkpoint) = 0;

    virtual void
    save(Checkpoint &checkpoint) const = 0;

    /// What continue_with() needs besides vectors. Collective.
    virtual void
    note_numbers(Checkpoint & /*noted*/) const
    {}

    /// Vectors that go on on an adapted mesh, on the mesh of the cycle.
    using AdaptedVectors = std::vector<Vector<typename VectorType::value_type>>;

    /// What an adaption of the mesh looks at.
    virtual const typename AdaptedVectors::value_type &
    solution_to_adapt() const
    {
      AssertThrow(false, dealii::ExcNotImplemented());
    }

    /// What continue_with() takes over, the last call of all: it is moved from here, so that large
    /// vectors are there once only.
    virtual AdaptedVectors
    release_vectors()
    {
      AssertThrow(false, dealii::ExcNotImplemented());
    }

    /// Go on from what note_numbers() has noted on an earlier mesh.
    /// @param before of release_vectors() on that mesh
    /// @param transfer to this mesh
    virtual void
    continue_with(const Checkpoint & /*noted*/,
                  const AdaptedVectors & /*before*/,
                  const AdaptionTransfer<dim> & /*transfer*/)
    {
      AssertThrow(false, dealii::ExcNotImplemented());
    }

    /// Do at least one step and at most @p n, none beyond `time.end` but for rounding.
    /// @param stop may be asked after each step whether no more are to be done
    /// @throws InadmissibleState after steps that failed; solution and @p time are those of an
    /// earlier state then
    virtual void
    advance(TimeState &time, const long n, const std::function<bool()> &stop) = 0;

    /// Whether no more steps are worth while.
    virtual bool
    is_steady() const
    {
      return false;
    }

    /// What the line of progress says of the last step.
    virtual std::string
    remark() const
    {
      return {};
    }

    /// Lines of the output after the last step.
    virtual void
    print_summary(const TimeState &time) = 0;

    /// Numbers for the record of the run, besides those of row().
    virtual std::vector<std::pair<std::string, double>>
    results()
    {
      return {};
    }

    /// Of the present solution, in the norms of RunEquation.
    virtual std::vector<double>
    errors(const Expression &exact_solution, const double time) = 0;
  };
} // namespace Saltus

#endif
