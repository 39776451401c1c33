// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_mixed_conservation_law_operator_h
#define saltus_operators_conservation_law_mixed_conservation_law_operator_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/fe/dg_element.h>
#include <saltus/mesh/mixed_mesh.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>
#include <saltus/operators/spaces/mixed_interface.h>
#include <saltus/operators/spaces/step_size.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace Saltus
{
  /// The clocks of the operators on the parts of a mixed mesh: one time, and what each part's steps
  /// note down.
  class MixedClock
  {
  public:
    MixedClock() = default;

    explicit MixedClock(std::vector<TimeClock> &&parts)
      : parts(std::move(parts))
    {}

    TimeClock &
    part(const unsigned int i)
    {
      return parts[i];
    }

    TimeState
    state() const
    {
      return parts.empty() ? TimeState() : parts[0].state();
    }

    void
    set_state(const TimeState &state)
    {
      AssertThrow(!parts.empty(),
                  dealii::ExcMessage("A clock of no operator cannot be set. Make it with "
                                     "make_clock() of an operator."));
      parts[0].set_state(state);
    }

    /// See TimeClock. What passes from one shape to another cancels, to rounding. Collective.
    std::vector<double>
    outflow() const
    {
      std::vector<double> sum = parts[0].outflow();
      for (unsigned int i = 1; i < parts.size(); ++i)
        {
          const std::vector<double> more = parts[i].outflow();
          for (unsigned int c = 0; c < sum.size(); ++c)
            sum[c] += more[c];
        }
      return sum;
    }

    /// `[face][c]` of the parts one after the other.
    std::vector<double>
    outflow_by_face() const
    {
      std::vector<double> all;
      for (const TimeClock &part : parts)
        {
          const std::vector<double> one = part.outflow_by_face();
          all.insert(all.end(), one.begin(), one.end());
        }
      return all;
    }

    void
    set_outflow_by_face(const std::vector<double> &outflow)
    {
      auto from = outflow.begin();
      for (TimeClock &part : parts)
        {
          const auto to = from + part.n_boundary_faces() * part.n_components();
          part.set_outflow_by_face({from, to});
          from = to;
        }
    }

    const Identity &
    identity() const
    {
      return identity_;
    }

  private:
    std::vector<TimeClock> parts;
    Identity               identity_;
  };

  /// ConservationLawOperator on meshes that mix triangles and quadrilaterals: the one of each shape
  /// on its part of the mesh, with its own kernels, and a MixedInterface. What leaves the elements
  /// of one shape enters those of the other, to rounding.
  ///
  /// What is said there holds here, with BlockVector and MixedClock; the limiter is that for
  /// positive quantities.
  template <int dim, typename Law, typename Number = double>
  class MixedConservationLawOperator
  {
  public:
    using Part           = ConservationLawOperator<dim, Law, Number>;
    using AdditionalData = typename Part::AdditionalData;
    using value_type     = Number;
    using Meshes         = MixedMesh<dim>;
    using VectorType     = BlockVector<Number>;
    using Clock          = MixedClock;

    static constexpr int n_components = Law::n_components;

    /// @param mapping MappingByShape; or any that all cells of the triangulation agree with
    /// @param dof_handler of a collection of `FESystem(FE_SimplexDGModal(p), n)` and
    /// `FESystem(FE_HypercubeDG(p), n)`
    void
    reinit(const dealii::Mapping<dim>    &mapping,
           const dealii::DoFHandler<dim> &dof_handler,
           const Law                     &law,
           const BoundaryConditions<dim> &boundary_conditions,
           const Device                   device          = Device::automatic(),
           const AdditionalData          &additional_data = AdditionalData())
    {
      common_degree(dof_handler); // rejects an empty DoFHandler
      reinit(make_mixed_mesh(mapping,
                             dof_handler.get_triangulation(),
                             boundary_conditions.periodic()),
             dof_handler,
             law,
             boundary_conditions,
             device,
             additional_data);
    }

    void
    reinit(const MixedMesh<dim>          &meshes,
           const dealii::DoFHandler<dim> &dof_handler,
           const Law                     &law,
           const BoundaryConditions<dim> &boundary_conditions,
           const Device                   device,
           const AdditionalData          &additional_data)
    {
      parts.clear();
      std::vector<StatesAcross<Number>>            across;
      typename MixedInterface<dim, Number>::Spaces spaces;
      typename VertexMaxima<dim, Number>::Spaces   second_order_spaces;
      for (const auto &mesh : meshes)
        {
          parts.push_back(std::make_unique<Part>());
          parts.back()->reinit(
            mesh, dof_handler, law, boundary_conditions, device, additional_data);
          across.push_back(parts.back()->states_across());
          spaces.push_back(&parts.back()->element_space());
          second_order_spaces.push_back(parts.back()->second_order_space.get());
        }
      interface = std::make_unique<const MixedInterface<dim, Number>>(meshes, spaces, across);
      const ArtificialViscosity &spread = additional_data.artificial_viscosity;
      vertex_maxima                     = spread.strength > 0. && spread.continuous
                                            ? std::make_unique<const VertexMaxima<dim, Number>>(second_order_spaces)
                                            : nullptr;
      shortness                         = Memory<long long>(device, 1);
      identity_                         = Identity();
    }

    void
    initialize_vector(BlockVector<Number> &vector) const
    {
      std::vector<Vector<Number>> blocks(parts.size());
      for_parts([&](const Part &part, const unsigned int i) { part.initialize_vector(blocks[i]); });
      vector = BlockVector<Number>(std::move(blocks));
    }

    /// The same by deal.II's name.
    void
    initialize_dof_vector(BlockVector<Number> &vector) const
    {
      initialize_vector(vector);
    }

    MixedClock
    make_clock(const TimeState &start = TimeState()) const
    {
      std::vector<TimeClock> clocks;
      for_parts([&](const Part &part, const unsigned int i) {
        clocks.push_back(i == 0 ? part.make_clock(start) : part.make_clock(clocks[0]));
      });
      return MixedClock(std::move(clocks));
    }

    template <typename VectorType>
    void
    copy_from(BlockVector<Number> &to, const VectorType &from) const
    {
      for_parts([&](const Part &part, const unsigned int i) { part.copy_from(to.block(i), from); });
    }

    template <typename VectorType>
    void
    copy_to(VectorType &to, const BlockVector<Number> &from) const
    {
      for_parts([&](const Part &part, const unsigned int i) { part.copy_to(to, from.block(i)); });
    }

    void
    project(const FieldFunction<dim>   &function,
            BlockVector<Number>        &u,
            const std::optional<double> time = {}) const
    {
      for_parts(
        [&](const Part &part, const unsigned int i) { part.project(function, u.block(i), time); });
    }

    void
    apply(MixedClock                &clock,
          const BlockVector<Number> &u,
          BlockVector<Number>       &r,
          const double               fraction = 0.) const
    {
      set_viscosities(clock, u);
      interface->set_states(u);
      for_parts([&](const Part &part, const unsigned int i) {
        part.residual_at(clock.part(i), u.block(i), r.block(i), fraction);
      });
    }

    void
    stage(MixedClock                &clock,
          const StageCoefficients   &coefficients,
          const BlockVector<Number> &u,
          const BlockVector<Number> &base,
          BlockVector<Number>       &accumulator,
          BlockVector<Number>       &out) const
    {
      const Vector<Number> none;
      Vector<Number>       no_accumulator;
      interface->set_states(u);
      for_parts([&](const Part &part, const unsigned int i) {
        part.stage(clock.part(i),
                   coefficients,
                   u.block(i),
                   base.n_blocks() > 0 ? base.block(i) : none,
                   accumulator.n_blocks() > 0 ? accumulator.block(i) : no_accumulator,
                   out.block(i));
      });
    }

    /// The shortest of the steps that the parts ask for.
    void
    begin_step(MixedClock                &clock,
               const BlockVector<Number> &u,
               const Limiter              limiter = Limiter::none) const
    {
      set_viscosities(clock, u);
      if (parts[0]->has_artificial_viscosity() && !vertex_maxima)
        interface->set_states(u); // with the viscosities across
      for_parts([&](const Part &part, const unsigned int i) {
        TimeState *const time = clock.part(i).time();
        part.set_step_size(clock.part(i), u.block(i), limiter);
        launch(device(), 1, ShortestStep{time, shortness.data(), i == 0});
      });
    }

    void
    look_at_all_points() const
    {
      for_parts([](const Part &part, const unsigned int) { part.look_at_all_points(); });
    }

    void
    end_step(MixedClock &clock) const
    {
      parts[0]->end_step(clock.part(0)); // the time is one
    }

    /// @throws dealii::ExcMessage for a limiter that does not exist for all shapes
    void
    limit(BlockVector<Number> &u, const Limiter limiter) const
    {
      for_parts([&](const Part &part, const unsigned int i) { part.limit(u.block(i), limiter); });
    }

    StateStatistics
    statistics(const BlockVector<Number> &u) const
    {
      StateStatistics all;
      for_parts([&](const Part &part, const unsigned int i) {
        const StateStatistics one = part.statistics(u.block(i));
        if (i == 0)
          {
            all = one;
            return;
          }
        for (unsigned int c = 0; c < n_components; ++c)
          {
            all.integrals[c] += one.integrals[c];
            all.norms[c]  = std::hypot(all.norms[c], one.norms[c]);
            all.minima[c] = -larger_or_nan(-all.minima[c], -one.minima[c]);
            all.maxima[c] = larger_or_nan(all.maxima[c], one.maxima[c]);
          }
      });
      return all;
    }

    /// The parts' numbers, one after the other.
    std::vector<double>
    artificial_viscosities(MixedClock &clock, const BlockVector<Number> &u) const
    {
      std::vector<double> result;
      for_parts([&](const Part &part, const unsigned int i) {
        const auto of_part = part.artificial_viscosities(clock.part(i), u.block(i));
        result.insert(result.end(), of_part.begin(), of_part.end());
      });
      return result;
    }

    std::vector<double>
    integrals(const BlockVector<Number> &u) const
    {
      std::vector<double> sum(n_components);
      for_parts([&](const Part &part, const unsigned int i) {
        const auto of_part = part.integrals(u.block(i));
        for (unsigned int c = 0; c < n_components; ++c)
          sum[c] += of_part[c];
      });
      return sum;
    }

    std::vector<BoundaryFaceFluxes<Law>>
    boundary_fluxes(const BlockVector<Number>                  &u,
                    const double                                time,
                    const std::set<dealii::types::boundary_id> &ids,
                    const FluxRule                              rule) const
    {
      std::vector<BoundaryFaceFluxes<Law>> result;
      for_parts([&](const Part &part, const unsigned int i) {
        const auto of_part = part.boundary_fluxes(u.block(i), time, ids, rule);
        result.insert(result.end(), of_part.begin(), of_part.end());
      });
      return result;
    }

    bool
    has_one_flux_rule() const
    {
      return std::all_of(parts.begin(), parts.end(), [](const auto &part) {
        return part->has_one_flux_rule();
      });
    }

    unsigned int
    face_degree(const FluxRule rule) const
    {
      return parts[0]->face_degree(rule);
    }

    /// @throws InadmissibleState the first one of all parts
    void
    check_states(MixedClock &clock) const
    {
      std::optional<InadmissibleState> first;
      for_parts([&](const Part &part, const unsigned int i) {
        try
          {
            part.check_states(clock.part(i));
          }
        catch (const InadmissibleState &failure)
          {
            if (!first || failure.time < first->time)
              first.emplace(failure);
          }
      });
      if (first)
        throw InadmissibleState(*first);
    }

    double
    largest_of_ranks(const double value) const
    {
      return parts[0]->largest_of_ranks(value);
    }

    bool
    runs_on_device() const
    {
      bool result = interface->on_device();
      for_parts([&](const Part &part, const unsigned int) { result &= part.runs_on_device(); });
      return result;
    }

    const Identity &
    identity() const
    {
      return identity_;
    }

    Device
    device() const
    {
      return parts[0]->device();
    }

    unsigned int
    n_parts() const
    {
      return parts.size();
    }

    /// On the cells of the shape with number @p i of mixed_shapes().
    const Part &
    part(const unsigned int i) const
    {
      return *parts[i];
    }

  private:
    template <typename Body>
    void
    for_parts(const Body &body) const
    {
      AssertThrow(!parts.empty(), dealii::ExcMessage("The operator is not set up: call reinit()."));
      for (unsigned int i = 0; i < parts.size(); ++i)
        body(*parts[i], i);
    }

    void
    set_viscosities(MixedClock &clock, const BlockVector<Number> &u) const
    {
      std::vector<const Number *> of_elements;
      std::vector<Number *>       at_points;
      for_parts([&](const Part &part, const unsigned int i) {
        part.choose_viscosities(clock.part(i), u.block(i));
        of_elements.push_back(part.viscosities.data());
        at_points.push_back(part.viscosities_at_points.data());
      });
      if (vertex_maxima)
        vertex_maxima->run(of_elements, at_points);
    }

    std::vector<std::unique_ptr<Part>>                 parts;
    std::unique_ptr<const MixedInterface<dim, Number>> interface;
    /// If there is an artificial viscosity that is continuous.
    std::unique_ptr<const VertexMaxima<dim, Number>> vertex_maxima;
    mutable Memory<long long>                        shortness; ///< of the step, so far
    Identity                                         identity_;
  };
} // namespace Saltus

#endif
