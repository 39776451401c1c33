// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_curving_parameters_h
#define saltus_io_parameters_curving_parameters_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <string>

namespace Saltus
{
  /// The subsection `Curving` of `Mesh`: boundaries that are moved onto surfaces, see curve_mesh().
  struct CurvingParameters
  {
    /// In the current section.
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// Whether there are surfaces.
    bool
    is_used() const
    {
      return !surfaces.empty();
    }

    /// Curve a mesh with maps of a degree.
    /// @param parameter_file see parse_surfaces()
    /// @param report what is to be said about it is appended
    /// @throws dealii::ExcMessage naming the entry for what curve_mesh() and parse_surfaces()
    /// refuse, and for cells that are inverted with straight edges
    template <int dim>
    CurvedNodes<dim>
    curve(dealii::Triangulation<dim> &triangulation,
          const unsigned int          degree,
          const std::string          &parameter_file,
          std::string                &report) const;

    /// Write the mesh of curve() to the file of `Save as`, if there is one.
    /// @throws dealii::ExcMessage naming the entry if the file cannot be written
    template <int dim>
    void
    save(const dealii::Triangulation<dim> &triangulation, const CurvedNodes<dim> &nodes) const;

    /// Stop at folded cells, or curve them less: as `Folded cells` says, and always less after
    /// curve().
    /// @param report the number of cells that were curved less is appended
    /// @throws dealii::ExcMessage naming the entry for cells that are folded
    template <int dim>
    void
    treat_folded(const dealii::Triangulation<dim> &triangulation,
                 CurvedNodes<dim>                 &nodes,
                 std::string                      &report) const;

    std::string surfaces, sliding, box, folded = "stop", file;
    double      poisson_ratio = 0.3;
  };
} // namespace Saltus

#endif
