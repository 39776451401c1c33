// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_subdivided_simplices_h
#define saltus_io_files_subdivided_simplices_h

#include <deal.II/base/point.h>

#include <saltus/io/files/subdivision.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// Values at the points of many simplices that are all shown alike: what a VTU file shows.
  /// Each point of a simplex is stored once, but neighbours do not share theirs, so that values may
  /// jump between them.
  class SubdividedSimplices
  {
  public:
    /// @param names of the quantities; one that stands @p spacedim times in a row is a vector
    template <int dim>
    SubdividedSimplices(const ShownSimplex<dim>        &shown,
                        const unsigned int              spacedim,
                        const std::size_t               n_simplices,
                        const std::vector<std::string> &names)
      : spacedim(spacedim)
      , n_simplices(n_simplices)
      , n_points(shown.points.size())
      , n_vertices(shown.n_vertices)
      , vtk_type(shown.vtk_type)
      , pieces(shown.vertices)
      , names(names)
      , coordinates(new double[3 * n_simplices * n_points])
      , values(new double[names.size() * n_simplices * n_points])
    {}

    /// Set point number @p q of a simplex.
    template <int spacedim>
    void
    set_point(const std::size_t simplex, const unsigned int q, const dealii::Point<spacedim> &point)
    {
      for (unsigned int d = 0; d < 3; ++d)
        coordinates[3 * (simplex * n_points + q) + d] = d < spacedim ? point[d] : 0.;
    }

    /// Set a quantity at point number @p q of a simplex.
    void
    set_value(const std::size_t  simplex,
              const unsigned int q,
              const unsigned int quantity,
              const double       value)
    {
      values[(simplex * n_points + q) * names.size() + quantity] = value;
    }

    /// Whether single precision may move a point by more than a thousandth of an edge of a piece.
    bool
    needs_double_points() const;

    /// Append points and cells to @p text, as the beginning of a `Piece` of a VTU file, compressed
    /// on all threads, on whose number the file does not depend.
    /// @param double_points whether points are in double precision, in all pieces of a file or in
    /// none
    void
    write_geometry(std::vector<std::string> &text, const bool double_points) const;

    /// Append the values as the rest of the `Piece`.
    /// @param double_values whether they are in double precision
    void
    write_values(std::vector<std::string> &text, const bool double_values) const;

  private:
    void
    write_cells(std::vector<std::string> &text) const;

    template <typename Number>
    void
    write_points(std::vector<std::string> &text) const;

    template <typename Number>
    void
    write_quantities(std::vector<std::string> &text) const;

    unsigned int              spacedim;
    std::size_t               n_simplices;
    std::size_t               n_points;   ///< a simplex
    unsigned int              n_vertices; ///< a piece of a simplex
    std::uint8_t              vtk_type;   ///< of the pieces
    std::vector<unsigned int> pieces;     ///< `[piece][vertex]`, into the points of a simplex
    std::vector<std::string>  names;

    // Without initial values: what is not set takes no memory, and the threads that set the others
    // touch their memory first.
    std::unique_ptr<double[]> coordinates; ///< `[simplex][point][3]`
    std::unique_ptr<double[]> values;      ///< `[simplex][point][quantity]`
  };
} // namespace Saltus

#endif
