// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/full_matrix.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/solvers/multigrid/continuous_coarse_space.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `(m, v)`: coefficient of mode m of the function of degree 1 that is 1 at vertex v and 0 at
    /// the others.
    template <int dim>
    FullMatrix<double>
    modes_from_vertices(const ReferenceElement<dim> &reference)
    {
      FullMatrix<double> inverse(reference.n_modes,
                                 reference.n_modes,
                                 reference.vertex_values.data());
      inverse.gauss_jordan();
      return inverse;
    }

    /// Fluxes through faces cancel between functions that share no element, up to rounding. What is
    /// left of them goes to the diagonal, so that constants stay in the kernel.
    CompressedRows
    without_rounding_errors(const CompressedRows &matrix)
    {
      const std::vector<double> diagonal = matrix.diagonal();
      CompressedRows            result;
      result.n_columns = matrix.n_columns;
      result.row_starts.reserve(matrix.row_starts.size());
      for (std::size_t row = 0; row < matrix.n_rows(); ++row)
        {
          double         rounding = 0;
          std::ptrdiff_t place    = -1;
          for (std::size_t k = matrix.row_starts[row]; k < matrix.row_starts[row + 1]; ++k)
            {
              const int column = matrix.columns[k];
              if (std::abs(matrix.values[k]) < 1e-5 * std::sqrt(diagonal[row] * diagonal[column]))
                rounding += matrix.values[k];
              else
                {
                  if (static_cast<std::size_t>(column) == row)
                    place = result.n_nonzeros();
                  result.add(column, matrix.values[k]);
                }
            }
          if (place >= 0)
            result.values[place] += rounding;
          result.finish_row();
        }
      return result;
    }
  } // namespace

  template <int dim>
  ContinuousCoarseSpace<dim>::ContinuousCoarseSpace(const ElementMesh<dim>      &mesh,
                                                    const ReferenceElement<dim> &reference)
  {
    reinit({&mesh}, {&reference}, {});
  }

  template <int dim>
  ContinuousCoarseSpace<dim>::ContinuousCoarseSpace(
    const MixedMesh<dim>                             &meshes,
    const std::vector<const ReferenceElement<dim> *> &references)
  {
    Meshes pointers;
    for (const auto &mesh : meshes)
      pointers.push_back(mesh.get());
    reinit(pointers, references, find_mixed_faces(meshes));
  }

  template <int dim>
  void
  ContinuousCoarseSpace<dim>::reinit(const Meshes                                     &meshes,
                                     const std::vector<const ReferenceElement<dim> *> &references,
                                     const std::vector<MixedFace>                     &mixed)
  {
    VertexNumbers<dim> numbers(meshes, mixed);
    n_vertices            = numbers.n_vertices;
    partition             = meshes[0]->partition;
    std::size_t n_corners = 0;
    for (unsigned int i = 0; i < meshes.size(); ++i)
      {
        AssertThrow(references[i]->degree == 1,
                    ExcMessage("The continuous coarse space belongs to degree 1, not " +
                               std::to_string(references[i]->degree) + "."));
        Part part;
        part.n            = references[i]->n_modes;
        part.n_elements   = meshes[i]->n_elements();
        part.first_corner = n_corners;
        part.vertices     = std::move(numbers.of_elements[i]);
        n_corners += part.n_elements * part.n;
        const FullMatrix<double> of_vertices = modes_from_vertices(*references[i]);
        for (unsigned int m = 0; m < part.n; ++m)
          for (unsigned int v = 0; v < part.n; ++v)
            part.modes[m][v] = of_vertices(m, v);
        parts.push_back(std::move(part));
      }
    for (const MixedFace &face : mixed)
      links.push_back({face.mesh,
                       meshes[face.mesh]->connectivity.boundary_faces[face.boundary_face].element,
                       1 - face.mesh,
                       {}});
    connect_links(mixed, numbers);
    names     = std::move(numbers.names);
    n_columns = partition ? names.size() : n_vertices;
  }

  template <int dim>
  void
  ContinuousCoarseSpace<dim>::connect_links(const std::vector<MixedFace> &mixed,
                                            VertexNumbers<dim>           &numbers)
  {
    std::vector<unsigned int> ranks;
    std::vector<std::size_t>  of_elements;
    for (unsigned int i = 0; i < mixed.size(); ++i)
      {
        const auto vertex_of = [&](const Link &link, const unsigned int v) {
          return parts[link.part].vertices[std::size_t(link.element) * parts[link.part].n + v];
        };
        if (mixed[i].across != dealii::numbers::invalid_unsigned_int)
          for (unsigned int v = 0; v < parts[links[i].part_across].n; ++v)
            links[i].vertices[v] = vertex_of(links[mixed[i].across], v);
        else
          {
            ranks.push_back(mixed[i].rank);
            for (unsigned int v = 0; v < max_n; ++v)
              of_elements.push_back(
                v < parts[links[i].part].n ? numbers.names[vertex_of(links[i], v)] : 0);
          }
      }
    if (partition == nullptr)
      return;
    of_elements      = exchange_across(partition->communicator, ranks, max_n, of_elements);
    std::size_t from = 0;
    for (unsigned int i = 0; i < mixed.size(); ++i)
      if (mixed[i].across == dealii::numbers::invalid_unsigned_int)
        {
          for (unsigned int v = 0; v < parts[links[i].part_across].n; ++v)
            links[i].vertices[v] = numbers.number_of(of_elements[from + v]);
          from += max_n;
        }
  }

  template <int dim>
  CompressedRows
  ContinuousCoarseSpace<dim>::prolongation(const unsigned int shape) const
  {
    const Part        &part  = parts[shape];
    const unsigned int n     = part.n;
    const auto        &modes = part.modes;
    CompressedRows     result;
    result.n_columns         = n_vertices;
    const std::size_t n_rows = part.n_elements * n;
    result.row_starts.reserve(n_rows + 1);
    result.columns.reserve(n_rows * n);
    result.values.reserve(n_rows * n);
    for (std::size_t row = 0; row < n_rows; ++row)
      {
        const unsigned int *const ends  = part.vertices.data() + row / n * n;
        const std::size_t         begin = result.n_nonzeros();
        for (unsigned int v = 0; v < n; ++v)
          if (const double value = modes[row % n][v]; std::abs(value) > 1e-14)
            {
              // The two ends of an element may be one vertex.
              const auto found = std::find(result.columns.begin() + begin,
                                           result.columns.end(),
                                           static_cast<int>(ends[v]));
              if (found == result.columns.end())
                result.add(ends[v], value);
              else
                result.values[found - result.columns.begin()] += value;
            }
        result.finish_row();
      }
    return result;
  }

  template <int dim>
  typename ContinuousCoarseSpace<dim>::Corners
  ContinuousCoarseSpace<dim>::find_corners() const
  {
    Corners result;
    result.starts.resize(n_vertices + 1);
    for (const Part &part : parts)
      for (std::size_t i = 0; i < part.n_elements * part.n; ++i)
        ++result.starts[part.vertices[i] + 1];
    std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
    result.corners.resize(result.starts.back());
    std::vector<unsigned int> next(result.starts.begin(), result.starts.end() - 1);
    for (const Part &part : parts)
      for (std::size_t i = 0; i < part.n_elements * part.n; ++i)
        result.corners[next[part.vertices[i]]++] = part.first_corner + i;

    // The links of element after element.
    result.links.resize(links.size());
    std::iota(result.links.begin(), result.links.end(), 0);
    const auto key = [&](const unsigned int i) {
      return std::make_tuple(links[i].part, links[i].element, i);
    };
    std::sort(result.links.begin(),
              result.links.end(),
              [&](const unsigned int i, const unsigned int j) { return key(i) < key(j); });
    unsigned int place = 0;
    for (unsigned int p = 0; p < parts.size() && !links.empty(); ++p)
      {
        result.first_links.emplace_back();
        for (unsigned int e = 0; e <= parts[p].n_elements; ++e)
          {
            result.first_links[p].push_back(place);
            while (place < links.size() && links[result.links[place]].part == p &&
                   links[result.links[place]].element == e)
              ++place;
          }
      }
    return result;
  }

  template <int dim>
  template <typename Number>
  CompressedRows
  ContinuousCoarseSpace<dim>::galerkin_rows(const MatrixView<Number> &A,
                                            const Corners            &corners,
                                            const unsigned int        first,
                                            const unsigned int        last,
                                            std::vector<int>         &places) const
  {
    CompressedRows result;
    result.n_columns = n_columns;
    for (unsigned int row = first; row < last; ++row)
      {
        const int begin = result.n_nonzeros();
        // A block of element of the part @p from and one of the part @p to, with its vertices.
        const auto add = [&](const Part         &from,
                             const unsigned int  v,
                             const Part         &to,
                             const unsigned int *vertices,
                             const Number       *block) {
          std::array<double, max_n> of_modes{};
          for (unsigned int i = 0; i < from.n; ++i)
            for (unsigned int j = 0; j < to.n; ++j)
              of_modes[j] += from.modes[i][v] * block[i * to.n + j];
          for (unsigned int w = 0; w < to.n; ++w)
            {
              double value = 0;
              for (unsigned int j = 0; j < to.n; ++j)
                value += of_modes[j] * to.modes[j][w];
              const unsigned int column = vertices[w];
              if (places[column] < begin)
                {
                  places[column] = result.n_nonzeros();
                  result.add(column, value);
                }
              else
                result.values[places[column]] += value;
            }
        };
        for (unsigned int k = corners.starts[row]; k < corners.starts[row + 1]; ++k)
          {
            unsigned int p = parts.size() - 1;
            while (corners.corners[k] < parts[p].first_corner)
              --p;
            const Part        &part   = parts[p];
            const std::size_t  corner = corners.corners[k] - part.first_corner;
            const unsigned int e = corner / part.n, v = corner % part.n;
            const auto        &of_shape = *A.of_shapes[p];
            for (unsigned int c = 0; c < of_shape.n_couplings; ++c)
              if (const int other = of_shape.partner(e, c); other >= 0)
                add(part,
                    v,
                    part,
                    part.vertices.data() + std::size_t(other) * part.n,
                    of_shape.block(e, c));
            if (corners.first_links.empty())
              continue;
            for (unsigned int l = corners.first_links[p][e]; l < corners.first_links[p][e + 1]; ++l)
              {
                const unsigned int i = corners.links[l];
                add(part,
                    v,
                    parts[links[i].part_across],
                    links[i].vertices.data(),
                    (*A.across)[i].data());
              }
          }
        result.finish_row();
      }
    return result;
  }

  template <int dim>
  template <typename Number>
  GatheredMatrix
  ContinuousCoarseSpace<dim>::galerkin_product(const ElementCouplings<Number> &A) const
  {
    return galerkin_product(MatrixView<Number>{{&A}, nullptr});
  }

  template <int dim>
  template <typename Number>
  GatheredMatrix
  ContinuousCoarseSpace<dim>::galerkin_product(const MixedCouplings<Number> &A) const
  {
    MatrixView<Number> view;
    for (const auto &of_shape : A.of_shapes)
      view.of_shapes.push_back(&of_shape);
    view.across = &A.across;
    return galerkin_product(view);
  }

  template <int dim>
  template <typename Number>
  GatheredMatrix
  ContinuousCoarseSpace<dim>::galerkin_product(const MatrixView<Number> &A) const
  {
    const Corners corners = find_corners();

    constexpr unsigned int      n_parts = 64;
    std::vector<CompressedRows> rows(n_parts);
    parallel_for(n_parts, [&](const std::size_t begin, const std::size_t end) {
      std::vector<int> places(n_columns, -1);
      for (std::size_t part = begin; part < end; ++part)
        {
          const auto first = [&](const std::size_t p) { return n_vertices * p / n_parts; };
          rows[part]       = galerkin_rows(A, corners, first(part), first(part + 1), places);
          for (const int column : rows[part].columns)
            places[column] = -1;
        }
    });
    DistributedRows all;
    all.names          = names;
    all.rows.n_columns = n_columns;
    for (CompressedRows &part : rows)
      all.rows.append(std::exchange(part, {}));
    GatheredMatrix whole = gather(partition, std::move(all));
    whole.rows           = without_rounding_errors(whole.rows);
    return whole;
  }

#define SALTUS_COARSE_SPACE(dim)                                        \
  template class ContinuousCoarseSpace<dim>;                            \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const ElementCouplings<double> &) const;                            \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const ElementCouplings<float> &) const;                             \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const MixedCouplings<double> &) const;                              \
  template GatheredMatrix ContinuousCoarseSpace<dim>::galerkin_product( \
    const MixedCouplings<float> &) const;
  SALTUS_COARSE_SPACE(2)
  SALTUS_COARSE_SPACE(3)
#undef SALTUS_COARSE_SPACE
} // namespace Saltus
