// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/threads.h>
#include <saltus/io/files/subdivided_simplices.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <zlib.h>

namespace Saltus
{
  namespace
  {
    using Bytes = std::vector<unsigned char>;

    template <typename Number>
    std::string
    base64(const Number *numbers, const std::size_t n)
    {
      const auto *bytes = reinterpret_cast<const unsigned char *>(numbers);
      return dealii::Utilities::encode_base64(Bytes(bytes, bytes + n * sizeof(Number)));
    }


    Bytes
    compress(const unsigned char *bytes, const std::size_t n)
    {
      uLongf size = compressBound(n);
      Bytes  result(size);
      AssertThrow(compress2(result.data(), &size, bytes, n, Z_BEST_SPEED) == Z_OK,
                  dealii::ExcMessage("zlib cannot compress a part of a VTU file."));
      result.resize(size);
      return result;
    }


    /// Write numbers as VTK does: in blocks, each compressed by itself. Before them stands their
    /// number, their size, that of the last one, and the compressed size of each.
    void
    write_compressed(std::ostream &stream, const unsigned char *bytes, const std::size_t n_bytes)
    {
      constexpr std::size_t block_size = 1 << 18;
      const std::size_t     n_blocks   = (n_bytes + block_size - 1) / block_size;
      const auto            size_of    = [&](const std::size_t block) {
        return std::min(block_size, n_bytes - block * block_size);
      };
      std::vector<Bytes> blocks(n_blocks);
      parallel_for(n_blocks, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
          blocks[b] = compress(bytes + b * block_size, size_of(b));
      });

      std::vector<std::uint32_t> header = {static_cast<std::uint32_t>(n_blocks),
                                           static_cast<std::uint32_t>(block_size),
                                           static_cast<std::uint32_t>(
                                             n_blocks == 0 ? 0 : size_of(n_blocks - 1))};
      Bytes                      body;
      for (const Bytes &block : blocks)
        {
          header.push_back(block.size());
          body.insert(body.end(), block.begin(), block.end());
        }
      stream << base64(header.data(), header.size());

      // Three bytes are four letters, so that pieces can be encoded apart.
      constexpr std::size_t    piece_size = 3 * (1 << 16);
      std::vector<std::string> pieces((body.size() + piece_size - 1) / piece_size);
      parallel_for(pieces.size(), [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
          pieces[p] = base64(body.data() + p * piece_size,
                             std::min(piece_size, body.size() - p * piece_size));
      });
      for (const std::string &piece : pieces)
        stream << piece;
    }


    template <typename Number>
    constexpr const char *
    vtk_type()
    {
      if (std::is_same_v<Number, float>)
        return "Float32";
      if (std::is_same_v<Number, double>)
        return "Float64";
      if (std::is_same_v<Number, std::uint8_t>)
        return "UInt8";
      return sizeof(Number) == 4 ? "Int32" : "Int64";
    }


    template <typename Number>
    void
    write_array(std::ostream              &stream,
                const std::string         &name,
                const unsigned int         n_components,
                const std::vector<Number> &numbers)
    {
      stream << "<DataArray type=\"" << vtk_type<Number>() << "\" Name=\"" << name
             << "\" NumberOfComponents=\"" << n_components << "\" format=\"binary\">\n";
      write_compressed(stream,
                       reinterpret_cast<const unsigned char *>(numbers.data()),
                       numbers.size() * sizeof(Number));
      stream << "\n</DataArray>\n";
    }


    /// An array `[i] = number(i)` of integers, on all threads.
    template <typename Integer, typename Function>
    std::vector<Integer>
    make_array(const std::size_t n, const Function &number)
    {
      std::vector<Integer> result(n);
      parallel_for(n, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          result[i] = static_cast<Integer>(number(i));
      });
      return result;
    }


    /// Whole numbers up to @p largest, of 32 bits if these do.
    template <typename Function>
    void
    write_integers(std::ostream      &stream,
                   const std::string &name,
                   const std::size_t  n,
                   const std::size_t  largest,
                   const Function    &number)
    {
      if (largest <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        write_array(stream, name, 1, make_array<std::int32_t>(n, number));
      else
        write_array(stream, name, 1, make_array<std::int64_t>(n, number));
    }
  } // namespace


  void
  SubdividedSimplices::write_cells(std::ostream &stream) const
  {
    const std::size_t n_a_simplex = pieces.size(); // vertices of pieces
    const std::size_t n           = n_simplices * n_a_simplex;
    stream << "<Cells>\n";
    write_integers(stream, "connectivity", n, n_simplices * n_points, [&](const std::size_t i) {
      return i / n_a_simplex * n_points + pieces[i % n_a_simplex];
    });
    write_integers(stream, "offsets", n / n_vertices, n, [&](const std::size_t i) {
      return (i + 1) * n_vertices;
    });
    write_array(stream, "types", 1, std::vector<std::uint8_t>(n / n_vertices, vtk_type));
    stream << "</Cells>\n";
  }


  template <typename Number>
  void
  SubdividedSimplices::write_quantities(std::ostream &stream) const
  {
    stream << "<PointData>\n";
    for (std::size_t first = 0; first < names.size();)
      {
        // A vector is one that is named as often as it has components; VTK's have three.
        std::size_t last = first + 1;
        while (last < names.size() && last < first + spacedim && names[last] == names[first])
          ++last;
        const bool        is_vector    = last - first == spacedim;
        const std::size_t n_quantities = is_vector ? spacedim : 1;
        const std::size_t n_components = is_vector ? 3 : 1;

        std::vector<Number> numbers(n_simplices * n_points * n_components);
        parallel_for(n_simplices * n_points, [&](const std::size_t begin, const std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            for (std::size_t c = 0; c < n_quantities; ++c)
              numbers[i * n_components + c] =
                static_cast<Number>(values[i * names.size() + first + c]);
        });
        write_array(stream, names[first], n_components, numbers);
        first += n_quantities;
      }
    stream << "</PointData>\n";
  }


  bool
  SubdividedSimplices::needs_double_points() const
  {
    // Rounding to single precision, over the coordinate, and what it may be of an edge.
    constexpr double  rounding = 0.5 * std::numeric_limits<float>::epsilon(), share = 1e-3;
    std::atomic<bool> result{false};
    parallel_for(n_simplices, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin * pieces.size(); i < end * pieces.size() && !result; ++i)
        {
          const std::size_t piece  = i % pieces.size();
          const double     *points = &coordinates[3 * (i / pieces.size() * n_points)],
                       *first      = points + 3 * pieces[piece / n_vertices * n_vertices],
                       *point      = points + 3 * pieces[piece];
          double largest = 0., distance = 0.;
          for (unsigned int d = 0; d < 3; ++d)
            {
              largest  = std::max(largest, std::abs(point[d]));
              distance = std::hypot(distance, point[d] - first[d]);
            }
          if (point != first && rounding * largest > share * distance)
            result = true;
        }
    });
    return result;
  }


  void
  SubdividedSimplices::write_piece(std::ostream &stream,
                                   const bool    double_points,
                                   const bool    double_values) const
  {
    stream << "<Piece NumberOfPoints=\"" << n_simplices * n_points << "\" NumberOfCells=\""
           << n_simplices * pieces.size() / n_vertices << "\">\n"
           << "<Points>\n";
    if (double_points)
      write_array(stream, "Points", 3, coordinates);
    else
      write_array(stream, "Points", 3, std::vector<float>(coordinates.begin(), coordinates.end()));
    stream << "</Points>\n";
    write_cells(stream);
    if (double_values)
      write_quantities<double>(stream);
    else
      write_quantities<float>(stream);
    stream << "</Piece>\n";
  }
} // namespace Saltus
