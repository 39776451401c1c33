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


    /// Append the bytes of blocks that follow each other, in base64.
    void
    append_base64(std::vector<std::string> &text, const std::vector<Bytes> &blocks)
    {
      std::vector<std::size_t> starts(1, 0);
      for (const Bytes &block : blocks)
        starts.push_back(starts.back() + block.size());
      const auto part = [&](std::size_t begin, const std::size_t end) {
        Bytes       result;
        std::size_t block =
          std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin() - 1;
        for (; begin < end; ++block)
          {
            const std::size_t last = std::min(end, starts[block + 1]);
            const auto        from = blocks[block].begin() - starts[block];
            result.insert(result.end(), from + begin, from + last);
            begin = last;
          }
        return result;
      };
      // Three bytes are four letters, so that pieces can be encoded apart.
      constexpr std::size_t piece_size = 3 * (1 << 16);
      const std::size_t     first = text.size(), size = starts.back();
      text.resize(first + (size + piece_size - 1) / piece_size);
      parallel_for(text.size() - first, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
          text[first + p] = dealii::Utilities::encode_base64(
            part(p * piece_size, std::min(size, (p + 1) * piece_size)));
      });
    }


    /// Append an array of @p n numbers `[i] = number(i)` as VTK has it: in blocks, each compressed
    /// by itself. Before them stands their number, their size, that of the last one, and the
    /// compressed size of each.
    template <typename Number, typename Function>
    void
    append_array(std::vector<std::string> &text,
                 const std::string        &name,
                 const unsigned int        n_components,
                 const std::size_t         n,
                 const Function           &number)
    {
      constexpr std::size_t block_size = 1 << 18, n_of_block = block_size / sizeof(Number);
      const std::size_t     n_blocks = (n + n_of_block - 1) / n_of_block;
      std::vector<Bytes>    blocks(n_blocks);
      parallel_for(n_blocks, [&](const std::size_t begin, const std::size_t end) {
        std::vector<Number> numbers;
        for (std::size_t b = begin; b < end; ++b)
          {
            numbers.clear();
            for (std::size_t i = b * n_of_block; i < std::min(n, (b + 1) * n_of_block); ++i)
              numbers.push_back(static_cast<Number>(number(i)));
            blocks[b] = compress(reinterpret_cast<const unsigned char *>(numbers.data()),
                                 numbers.size() * sizeof(Number));
          }
      });

      std::vector<std::uint32_t> header = {
        static_cast<std::uint32_t>(n_blocks),
        static_cast<std::uint32_t>(block_size),
        static_cast<std::uint32_t>(
          n_blocks == 0 ? 0 : (n - (n_blocks - 1) * n_of_block) * sizeof(Number))};
      for (const Bytes &block : blocks)
        header.push_back(block.size());
      const auto *head = reinterpret_cast<const unsigned char *>(header.data());
      text.push_back("<DataArray type=\"" + std::string(vtk_type<Number>()) + "\" Name=\"" + name +
                     "\" NumberOfComponents=\"" + std::to_string(n_components) +
                     "\" format=\"binary\">\n");
      append_base64(text, {Bytes(head, head + header.size() * sizeof(std::uint32_t))});
      append_base64(text, blocks);
      text.push_back("\n</DataArray>\n");
    }


    /// Whole numbers up to @p largest, of 32 bits if these do.
    template <typename Function>
    void
    append_integers(std::vector<std::string> &text,
                    const std::string        &name,
                    const std::size_t         n,
                    const std::size_t         largest,
                    const Function           &number)
    {
      if (largest <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        append_array<std::int32_t>(text, name, 1, n, number);
      else
        append_array<std::int64_t>(text, name, 1, n, number);
    }
  } // namespace


  void
  SubdividedSimplices::write_cells(std::vector<std::string> &text) const
  {
    const std::size_t n_a_simplex = pieces.size(); // vertices of pieces
    const std::size_t n           = n_simplices * n_a_simplex;
    text.push_back("<Cells>\n");
    append_integers(text, "connectivity", n, n_simplices * n_points, [&](const std::size_t i) {
      return i / n_a_simplex * n_points + pieces[i % n_a_simplex];
    });
    append_integers(text, "offsets", n / n_vertices, n, [&](const std::size_t i) {
      return (i + 1) * n_vertices;
    });
    append_array<std::uint8_t>(text, "types", 1, n / n_vertices, [&](const std::size_t) {
      return vtk_type;
    });
    text.push_back("</Cells>\n");
  }


  template <typename Number>
  void
  SubdividedSimplices::write_points(std::vector<std::string> &text) const
  {
    text.push_back("<Points>\n");
    append_array<Number>(text, "Points", 3, 3 * n_simplices * n_points, [&](const std::size_t i) {
      return coordinates[i];
    });
    text.push_back("</Points>\n");
  }


  template <typename Number>
  void
  SubdividedSimplices::write_quantities(std::vector<std::string> &text) const
  {
    text.push_back("<PointData>\n");
    for (std::size_t first = 0; first < names.size();)
      {
        // A vector is one that is named as often as it has components; VTK's have three.
        std::size_t last = first + 1;
        while (last < names.size() && last < first + spacedim && names[last] == names[first])
          ++last;
        const bool        is_vector    = last - first == spacedim;
        const std::size_t n_quantities = is_vector ? spacedim : 1;
        const std::size_t n_components = is_vector ? 3 : 1;
        append_array<Number>(text,
                             names[first],
                             n_components,
                             n_simplices * n_points * n_components,
                             [&](const std::size_t i) {
                               const std::size_t c = i % n_components;
                               return c < n_quantities
                                        ? values[i / n_components * names.size() + first + c]
                                        : 0.;
                             });
        first += n_quantities;
      }
    text.push_back("</PointData>\n");
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
  SubdividedSimplices::write_piece(std::vector<std::string> &text,
                                   const bool                double_points,
                                   const bool                double_values) const
  {
    text.push_back("<Piece NumberOfPoints=\"" + std::to_string(n_simplices * n_points) +
                   "\" NumberOfCells=\"" +
                   std::to_string(n_simplices * pieces.size() / n_vertices) + "\">\n");
    if (double_points)
      write_points<double>(text);
    else
      write_points<float>(text);
    write_cells(text);
    if (double_values)
      write_quantities<double>(text);
    else
      write_quantities<float>(text);
    text.push_back("</Piece>\n");
  }
} // namespace Saltus
