// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_manifold_list_h
#define saltus_io_parameters_manifold_list_h

#include <saltus/mesh/curve/surface.h>
#include <saltus/mesh/make/round_surface.h>

#include <map>
#include <memory>
#include <string>

namespace Saltus
{
  /// Read a list of manifolds, one for each boundary id: circles in 2D, spheres and cylinders in
  /// 3D:
  /// @code
  ///   1: sphere (0, 0, 1), 2: cylinder (0, 0, 0; 1, 0, 0)
  /// @endcode
  /// In parentheses stand the coordinates of the centre; of a cylinder, those of a point of the
  /// axis and the axis' direction.
  ///
  /// @param entry path of the parameter, for messages
  /// @throws dealii::ExcMessage for a malformed or repeated id, a kind that does not exist in this
  /// dimension, a wrong number of coordinates, what is no number, and a direction of length 0
  template <int dim>
  std::map<dealii::types::boundary_id, RoundSurface<dim>>
  parse_manifolds(const std::string &text, const std::string &entry);

  /// Read a list of surfaces, one for each boundary id: as of parse_manifolds() with the radius
  /// behind another semicolon, the profile NACA NNNN with its leading edge and chord, a CAD file
  /// and its scale, see CadSurface, or in 3D a wing with its file, see LoftedWing::read():
  /// @code
  ///   1: circle (0, 0; 0.5), 2: NACA 0012 (0, 0; 1), 3: wing (onera_m6.txt), 4: CAD (hull.step;
  ///   1e-3)
  /// @endcode
  /// @param parameter_file files are looked for in the working directory and beside this one
  /// @throws dealii::ExcMessage as parse_manifolds(), for radii and chords that are not positive,
  /// and what LoftedWing::read() and CadSurface throw
  template <int dim>
  std::map<dealii::types::boundary_id, std::shared_ptr<const Surface<dim>>>
  parse_surfaces(const std::string &text,
                 const std::string &entry,
                 const std::string &parameter_file);
} // namespace Saltus

#endif
