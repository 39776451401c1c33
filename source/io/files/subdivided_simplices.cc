// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/threads.h>
#include <saltus/io/files/subdivided_simplices.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <libdeflate.h>
#include <limits>
#include <memory>
#include <utility>

namespace Saltus
{
  namespace
  {
    using Bytes = std::vector<unsigned char>;

    /// In zlib's format.
    Bytes
    compress(const Bytes &bytes)
    {
      // The least effort compresses numbers as well as zlib's least effort, in less than half the
      // time.
      const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor *)> compressor(
        libdeflate_alloc_compressor(1), libdeflate_free_compressor);
      AssertThrow(compressor, dealii::ExcOutOfMemory(bytes.size()));
      Bytes result(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
      result.resize(libdeflate_zlib_compress(
        compressor.get(), bytes.data(), bytes.size(), result.data(), result.size()));
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


    /// In base64 (RFC 4648). deal.II's function takes a tenth of the time of a file.
    std::string
    encode_base64(const Bytes &bytes)
    {
      const char *const letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      const std::size_t n = bytes.size(), n_padding = (3 - n % 3) % 3;
      const auto        byte = [&](const std::size_t i) { return i < n ? bytes[i] : 0; };
      std::string       text((n + n_padding) / 3 * 4, '=');
      for (std::size_t i = 0; i < n; i += 3)
        {
          const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
          for (std::size_t l = 0; l < std::min<std::size_t>(4, n - i + 1); ++l)
            text[i / 3 * 4 + l] = letters[bits >> (18 - 6 * l) & 63];
        }
      return text;
    }


    /// An array of a VTU file, which VTK has in blocks that are compressed each by itself.
    struct DataArray
    {
      static constexpr std::size_t block_size = 1 << 18;

      std::string                             attributes;
      std::size_t                             n_bytes;
      std::function<Bytes(const std::size_t)> block; ///< of at most `block_size` bytes

      std::size_t
      n_blocks() const
      {
        return (n_bytes + block_size - 1) / block_size;
      }
    };


    /// An array of @p n numbers `[i] = number(i)`.
    template <typename Number, typename Function>
    DataArray
    make_array(const std::string &name,
               const unsigned int n_components,
               const std::size_t  n,
               const Function    &number)
    {
      return {"type=\"" + std::string(vtk_type<Number>()) + "\" Name=\"" + name +
                "\" NumberOfComponents=\"" + std::to_string(n_components) + '"',
              n * sizeof(Number),
              [n, number](const std::size_t b) {
                constexpr std::size_t n_of_block = DataArray::block_size / sizeof(Number);
                const std::size_t     begin = b * n_of_block, end = std::min(n, begin + n_of_block);
                Bytes                 bytes((end - begin) * sizeof(Number));
                auto *const           numbers = reinterpret_cast<Number *>(bytes.data());
                for (std::size_t i = begin; i < end; ++i)
                  numbers[i - begin] = static_cast<Number>(number(i));
                return bytes;
              }};
    }


    /// Append arrays in base64. Before the blocks of each stands their number, their size, that of
    /// the last one, and the compressed size of each.
    void
    append(std::vector<std::string> &text, const std::vector<DataArray> &arrays)
    {
      std::vector<std::pair<const DataArray *, std::size_t>> blocks; // and their numbers
      for (const DataArray &array : arrays)
        for (std::size_t b = 0; b < array.n_blocks(); ++b)
          blocks.emplace_back(&array, b);
      std::vector<Bytes> compressed(blocks.size());
      parallel_for(blocks.size(), [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
          compressed[b] = compress(blocks[b].first->block(blocks[b].second));
      });

      // Three bytes are four letters, so that pieces of an array can be encoded apart.
      constexpr std::size_t piece_size = 3 * (1 << 16);
      struct Piece
      {
        std::size_t place; ///< in the text
        std::size_t block; ///< the first one,
        std::size_t begin; ///< and the first byte there
        std::size_t size;
      };
      std::vector<Piece> pieces;
      std::size_t        block = 0;
      for (const DataArray &array : arrays)
        {
          std::vector<std::uint32_t> header = {
            static_cast<std::uint32_t>(array.n_blocks()),
            static_cast<std::uint32_t>(DataArray::block_size),
            static_cast<std::uint32_t>(
              array.n_bytes == 0 ? 0 : (array.n_bytes - 1) % DataArray::block_size + 1)};
          text.push_back("<DataArray " + array.attributes + " format=\"binary\">\n");
          std::size_t n = 0; // bytes so far
          for (std::size_t b = 0; b < array.n_blocks(); ++b, ++block)
            {
              const std::size_t size = compressed[block].size();
              header.push_back(size);
              for (std::size_t begin = (piece_size - n % piece_size) % piece_size; begin < size;
                   begin += piece_size)
                pieces.push_back(
                  {text.size() + 1 + (n + begin) / piece_size, block, begin, piece_size});
              n += size;
            }
          if (n % piece_size != 0)
            pieces.back().size = n % piece_size;
          const auto *head = reinterpret_cast<const unsigned char *>(header.data());
          text.push_back(encode_base64(Bytes(head, head + header.size() * sizeof(std::uint32_t))));
          text.resize(text.size() + (n + piece_size - 1) / piece_size);
          text.emplace_back("\n</DataArray>\n");
        }
      parallel_for(pieces.size(), [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
          {
            Bytes       bytes;
            std::size_t b = pieces[p].block, first = pieces[p].begin;
            for (; bytes.size() < pieces[p].size; ++b, first = 0)
              {
                const std::size_t n =
                  std::min(pieces[p].size - bytes.size(), compressed[b].size() - first);
                const auto from = compressed[b].begin() + first;
                bytes.insert(bytes.end(), from, from + n);
              }
            text[pieces[p].place] = encode_base64(bytes);
          }
      });
    }


    /// Whole numbers up to @p largest, of 32 bits if these do.
    template <typename Function>
    DataArray
    make_integers(const std::string &name,
                  const std::size_t  n,
                  const std::size_t  largest,
                  const Function    &number)
    {
      if (largest <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        return make_array<std::int32_t>(name, 1, n, number);
      return make_array<std::int64_t>(name, 1, n, number);
    }
  } // namespace


  void
  SubdividedSimplices::write_cells(std::vector<std::string> &text) const
  {
    const std::size_t n_a_simplex = pieces.size(); // vertices of pieces
    const std::size_t n           = n_simplices * n_a_simplex;
    text.push_back("<Cells>\n");
    append(text,
           {make_integers("connectivity",
                          n,
                          n_simplices * n_points,
                          [this, n_a_simplex](const std::size_t i) {
                            return i / n_a_simplex * n_points + pieces[i % n_a_simplex];
                          }),
            make_integers("offsets",
                          n / n_vertices,
                          n,
                          [this](const std::size_t i) { return (i + 1) * n_vertices; }),
            make_array<std::uint8_t>("types", 1, n / n_vertices, [this](const std::size_t) {
              return vtk_type;
            })});
    text.push_back("</Cells>\n");
  }


  template <typename Number>
  void
  SubdividedSimplices::write_points(std::vector<std::string> &text) const
  {
    text.push_back("<Points>\n");
    append(text,
           {make_array<Number>("Points",
                               3,
                               3 * n_simplices * n_points,
                               [this](const std::size_t i) { return coordinates[i]; })});
    text.push_back("</Points>\n");
  }


  template <typename Number>
  void
  SubdividedSimplices::write_quantities(std::vector<std::string> &text) const
  {
    std::vector<DataArray> arrays;
    for (std::size_t first = 0; first < names.size();)
      {
        // A vector is one that is named as often as it has components; VTK's have three.
        std::size_t last = first + 1;
        while (last < names.size() && last < first + spacedim && names[last] == names[first])
          ++last;
        const bool        is_vector    = last - first == spacedim;
        const std::size_t n_quantities = is_vector ? spacedim : 1;
        const std::size_t n_components = is_vector ? 3 : 1;
        arrays.push_back(make_array<Number>(names[first],
                                            n_components,
                                            n_simplices * n_points * n_components,
                                            [=](const std::size_t i) {
                                              const std::size_t c = i % n_components;
                                              const std::size_t at =
                                                i / n_components * names.size() + first + c;
                                              return c < n_quantities ? values[at] : 0.;
                                            }));
        first += n_quantities;
      }
    text.emplace_back("<PointData>\n");
    append(text, arrays);
    text.emplace_back("</PointData>\n");
  }


  bool
  SubdividedSimplices::needs_double_points() const
  {
    // Rounding to single precision, over the coordinate, and what it may be of an edge.
    constexpr double  rounding = 0.5 * std::numeric_limits<float>::epsilon(), share = 1e-3;
    std::atomic<bool> result{false};
    parallel_for(n_simplices, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end && !result; ++i)
        for (std::size_t piece = 0; piece < pieces.size(); ++piece)
          {
            const double *points = &coordinates[3 * i * n_points],
                         *first  = points + 3 * pieces[piece / n_vertices * n_vertices],
                         *point  = points + 3 * pieces[piece];
            double largest = 0., edge = 0.;
            for (unsigned int d = 0; d < 3; ++d)
              {
                largest = std::max(largest, std::abs(point[d]));
                edge    = std::max(edge, std::abs(point[d] - first[d]));
              }
            // Seldom is it necessary to know the length of the edge.
            if (point != first && rounding * largest > share * edge &&
                rounding * largest >
                  share * std::hypot(point[0] - first[0], point[1] - first[1], point[2] - first[2]))
              result = true;
          }
    });
    return result;
  }


  void
  SubdividedSimplices::write_geometry(std::vector<std::string> &text,
                                      const bool                double_points) const
  {
    text.push_back("<Piece NumberOfPoints=\"" + std::to_string(n_simplices * n_points) +
                   "\" NumberOfCells=\"" +
                   std::to_string(n_simplices * pieces.size() / n_vertices) + "\">\n");
    if (double_points)
      write_points<double>(text);
    else
      write_points<float>(text);
    write_cells(text);
  }


  void
  SubdividedSimplices::write_values(std::vector<std::string> &text, const bool double_values) const
  {
    if (double_values)
      write_quantities<double>(text);
    else
      write_quantities<float>(text);
    text.push_back("</Piece>\n");
  }
} // namespace Saltus
