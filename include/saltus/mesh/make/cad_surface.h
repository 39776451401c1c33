// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_cad_surface_h
#define saltus_mesh_make_cad_surface_h

#include <saltus/mesh/curve/surface.h>

#include <memory>
#include <string>

namespace Saltus
{
  /// The faces of a shape of a CAD program, in 2D its edges, by OpenCASCADE.
  template <int dim>
  class CadSurface : public Surface<dim>
  {
  public:
    /// @param file STEP (.step, .stp) or IGES (.iges, .igs)
    /// @param scale > 0: lengths are the file's in millimetres times this
    /// @throws dealii::ExcMessage for a file with another ending, that cannot be read or has no
    /// faces (2D: edges), and if deal.II was built without OpenCASCADE
    CadSurface(const std::string &file, const double scale);

    ~CadSurface() override;

    /// Between points of one face of the shape no other one counts.
    dealii::Point<dim>
    closest_point(const dealii::Point<dim>              &point,
                  const std::vector<dealii::Point<dim>> &corners = {}) const override;

  private:
    class Shape;
    const std::unique_ptr<const Shape> shape;
  };
} // namespace Saltus

#endif
