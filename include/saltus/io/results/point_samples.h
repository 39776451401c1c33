// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_point_samples_h
#define saltus_io_results_point_samples_h

#include <saltus/io/functions/quantities.h>
#include <saltus/mesh/point_locator.h>

#include <functional>
#include <optional>

namespace Saltus
{
  /// From one end to the other with @p n points at equal distances.
  template <int dim>
  struct Line
  {
    dealii::Point<dim> from, to;
    unsigned int       n_points = 2;
  };


  /// All quantities at fixed points, a row for each: its label, coordinates, quantities. Which
  /// element a point lies in is found once, at the latest when there are rows. Where elements meet,
  /// the one speaks that has the point least outside it by rounding, of several the one with the
  /// smallest of cell_numbers(), whichever ranks have them. Collective.
  template <int dim>
  class PointSamples : public ResultTable<dim>
  {
  public:
    /// Of SolutionSpace::cells; asked for when the points are searched.
    using Locator = std::function<const PointLocator<dim> &()>;

    /// Points labelled 0, 1, ... in the column `point`.
    /// @param entry for messages
    PointSamples(const SolutionSpace<dim>              &space,
                 const Locator                         &locator,
                 const std::vector<dealii::Point<dim>> &points,
                 const std::string                     &entry);

    /// Points on a line, labelled by their distance from its beginning.
    PointSamples(const SolutionSpace<dim> &space,
                 const Locator            &locator,
                 const Line<dim>          &line,
                 const std::string        &entry);

    /// Find the elements, and the ranks that have them, unless that is done. Collective.
    /// @throws dealii::ExcMessage naming the entry and the first point that lies outside the mesh
    void
    find() const;

    std::vector<std::string>
    columns() const override;

    std::string
    definition() const override;

    std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const override;

  private:
    struct Sample
    {
      double                      label;
      dealii::Point<dim>          point;
      std::optional<unsigned int> cell;  ///< in SolutionSpace::cells; none if another rank has it
      dealii::Table<2, double>    shape; ///< values of the shape functions there
    };

    const SolutionSpace<dim>   &space;
    const std::string           label_name, entry;
    mutable Locator             locator; ///< empty when the elements are found
    mutable std::vector<Sample> samples;
  };
} // namespace Saltus

#endif
