// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_spread_elements_h
#define applications_polytopic_spread_elements_h

#include <saltus/base/ranks/gather.h>
#include <saltus/fe/legendre.h>
#include <saltus/io/files/element_blocks.h>
#include <saltus/io/files/files.h>
#include <saltus/mesh/agglomerate/polytopic_mesh.h>
#include <saltus/mesh/make/spread_triangulation.h>
#include <saltus/operators/polytopic/polytopic_space.h>

#include "parameters.h"
#include <algorithm>
#include <string>
#include <vector>

namespace Saltus::Polytopic
{
  /// Elements are made of the whole mesh and then spread over the ranks, so that they do not depend
  /// on these.
  template <int dim>
  class SpreadElements
  {
  public:
    /// @param parameter_file beside which files are looked for, too
    SpreadElements(const AgglomerationParameters &parameters, const std::string &parameter_file)
      : parameters(parameters)
    {
      this->parameters.file = find_file(parameters.file, parameter_file);
    }

    /// Cuts the whole mesh between its elements. To be called before on().
    MeshCut<dim>
    cut()
    {
      return [this](const dealii::Triangulation<dim> &whole, const unsigned int n_ranks) {
        const Agglomeration<dim> agglomeration = parameters.make(whole);
        of_cells                               = agglomeration.elements();
        return ranks_of_cells(agglomeration, n_ranks);
      };
    }

    /// The elements on the mesh that was cut, or on the whole one if there is one rank. Collective.
    Agglomeration<dim>
    on(const dealii::Triangulation<dim> &triangulation) const
    {
      return n_ranks(triangulation.get_communicator()) > 1
               ? spread_agglomeration(of_cells, triangulation)
               : parameters.make(triangulation);
    }

  private:
    AgglomerationParameters   parameters;
    std::vector<unsigned int> of_cells; ///< of all cells, where the whole mesh is
  };


  /// Numbers of this rank's elements among those of all ranks that do not depend on the ranks: in
  /// the order of the elements' first cells in the whole mesh. Collective.
  template <int dim>
  std::vector<dealii::types::global_dof_index>
  numbers_by_cells(const PolytopicMesh<dim> &mesh)
  {
    using Number = dealii::types::global_dof_index;
    std::vector<Number> first;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        std::vector<typename PolytopicMesh<dim>::Cell> cells;
        for (const unsigned int c : mesh.cells(e))
          cells.push_back(mesh.cell(c));
        const std::vector<Number> numbers = cell_numbers(cells);
        first.push_back(*std::min_element(numbers.begin(), numbers.end()));
      }
    std::vector<Number> all = all_gather(mesh.triangulation().get_communicator(), first).values;
    std::sort(all.begin(), all.end());
    for (Number &number : first)
      number = std::lower_bound(all.begin(), all.end(), number) - all.begin();
    return first;
  }


  /// Coefficients, for each element as many as those of the highest degree have: `[element][mode]`,
  /// filled up by zeros.
  template <int dim>
  std::vector<double>
  padded(const PolytopicSpace<dim> &space, const std::vector<double> &coefficients)
  {
    const std::size_t   n = n_legendre_modes<dim>(space.max_degree());
    std::vector<double> result(space.mesh().n_elements() * n, 0.);
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      std::copy_n(coefficients.begin() + space.first_dof(e),
                  space.n_dofs(e),
                  result.begin() + e * n);
    return result;
  }


  /// The other way.
  template <int dim>
  std::vector<double>
  without_padding(const PolytopicSpace<dim> &space, const std::vector<double> &padded)
  {
    const std::size_t   n = n_legendre_modes<dim>(space.max_degree());
    std::vector<double> result;
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      {
        const auto first = padded.begin() + e * n;
        result.insert(result.end(), first, first + space.n_dofs(e));
      }
    return result;
  }
} // namespace Saltus::Polytopic

#endif
