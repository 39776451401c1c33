// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/config.h>

#include <saltus/mesh/make/cad_surface.h>

#ifdef DEAL_II_WITH_OPENCASCADE
#  include <deal.II/opencascade/utilities.h>

#  include <saltus/base/expressions/run_files.h>

#  include <algorithm>
#  include <BRepBuilderAPI_MakeVertex.hxx>
#  include <BRepExtrema_DistShapeShape.hxx>
#  include <cctype>
#  include <cerrno>
#  include <cstring>
#  include <fstream>
#  include <limits>
#  include <Message.hxx>
#  include <Message_Messenger.hxx>
#  include <mutex>
#  include <TopExp_Explorer.hxx>
#  include <TopoDS_Shape.hxx>
#  include <TopoDS_Vertex.hxx>
#endif

namespace Saltus
{
  using namespace dealii;

#ifdef DEAL_II_WITH_OPENCASCADE
  namespace
  {
    std::string
    ending(const std::string &file)
    {
      std::string result = file.substr(std::min(file.size(), file.rfind('.') + 1));
      std::transform(result.begin(), result.end(), result.begin(), [](const unsigned char c) {
        return std::tolower(c);
      });
      return result;
    }

    TopoDS_Shape
    read(const std::string &file, const double scale)
    {
      const std::string kind = ending(file);
      const bool        step = kind == "step" || kind == "stp";
      AssertThrow(step || kind == "iges" || kind == "igs",
                  ExcMessage(file + " is no CAD file: STEP (.step, .stp) and IGES (.iges, .igs) " +
                             "are read."));
      AssertThrow(std::ifstream(file).good(),
                  ExcMessage(file + " cannot be read: " + std::strerror(errno) + "."));
      note_input(file);
      Message::DefaultMessenger()->ChangePrinters().Clear(); // what is wrong is said here
      try
        {
          return step ? OpenCASCADE::read_STEP(file, scale) : OpenCASCADE::read_IGES(file, scale);
        }
      catch (const std::exception &)
        {
          AssertThrow(false, ExcMessage(file + " cannot be read as a " + kind + " file."));
          throw;
        }
    }
  } // namespace

  template <int dim>
  class CadSurface<dim>::Shape
  {
  public:
    Shape(const std::string &file, const double scale)
      : whole(read(file, scale))
    {
      for (TopExp_Explorer part(whole, dim == 2 ? TopAbs_EDGE : TopAbs_FACE); part.More();
           part.Next())
        parts.push_back(part.Current());
      AssertThrow(!parts.empty(), ExcMessage(file + " has no " + (dim == 2 ? "edges." : "faces.")));
    }

    Point<dim>
    closest_point(const Point<dim> &point, const std::vector<Point<dim>> &corners) const
    {
      static std::mutex                 one_at_a_time; // OpenCASCADE is not made for threads
      const std::lock_guard<std::mutex> lock(one_at_a_time);
      Nearest                           result;
      for (const TopoDS_Shape &part : parts)
        if (corners.size() > 1 && has(part, corners))
          result.look(point, part);
      if (!result.found)
        for (const TopoDS_Shape &part : parts)
          result.look(point, part);
      AssertThrow(result.found, ExcMessage("OpenCASCADE finds no closest point on the surface."));
      return result.point;
    }

  private:
    struct Nearest
    {
      void
      look(const Point<dim> &from, const TopoDS_Shape &part)
      {
        const BRepExtrema_DistShapeShape extrema(
          BRepBuilderAPI_MakeVertex(gp_Pnt(from[0], from[1], dim == 3 ? from[dim - 1] : 0.))
            .Vertex(),
          part);
        if (!extrema.IsDone() || extrema.NbSolution() == 0 || !(extrema.Value() < distance))
          return;
        found              = true;
        distance           = extrema.Value();
        const gp_Pnt there = extrema.PointOnShape2(1);
        for (unsigned int d = 0; d < dim; ++d)
          point[d] = there.Coord(d + 1);
      }

      bool       found    = false;
      double     distance = std::numeric_limits<double>::max();
      Point<dim> point;
    };

    /// Whether points, which are on the shape, are on a part of it.
    static bool
    has(const TopoDS_Shape &part, const std::vector<Point<dim>> &points)
    {
      constexpr double relative_tolerance = 1e-5; // the files' own is about that of their numbers
      const double     size               = points[0].distance(points[1]);
      return std::all_of(points.begin(), points.end(), [&](const Point<dim> &point) {
        Nearest nearest;
        nearest.look(point, part);
        return nearest.found && nearest.distance <= relative_tolerance * size;
      });
    }

    const TopoDS_Shape        whole;
    std::vector<TopoDS_Shape> parts;
  };
#else
  template <int dim>
  class CadSurface<dim>::Shape
  {
  public:
    Shape(const std::string &file, const double)
    {
      AssertThrow(false,
                  ExcMessage("deal.II was built without OpenCASCADE, which reads " + file + '.'));
    }

    Point<dim>
    closest_point(const Point<dim> &point, const std::vector<Point<dim>> &) const
    {
      return point;
    }
  };
#endif

  template <int dim>
  CadSurface<dim>::CadSurface(const std::string &file, const double scale)
    : shape(std::make_unique<const Shape>(file, scale))
  {}

  template <int dim>
  CadSurface<dim>::~CadSurface() = default;

  template <int dim>
  Point<dim>
  CadSurface<dim>::closest_point(const Point<dim>              &point,
                                 const std::vector<Point<dim>> &corners) const
  {
    return shape->closest_point(point, corners);
  }

  template class CadSurface<2>;
  template class CadSurface<3>;
} // namespace Saltus
