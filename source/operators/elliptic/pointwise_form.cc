// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/operators/elliptic/kernels/along_layout.h>
#include <saltus/operators/elliptic/pointwise_form.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// What PointwiseForm has of one element, with the same indices.
    template <int dim, typename Number>
    class FormOfElement
    {
    public:
      FormOfElement(const ElementSpace<dim, Number>      &space,
                    const ElementMetrics<dim>            &metrics,
                    const CoefficientValues<dim, Number> &diffusion,
                    const unsigned int                    element)
        : space(space)
        , metrics(metrics)
        , diffusion(diffusion)
        , element(element)
        , volume_factor(space.geometry.volume_factors[element])
      {
        set_volume();
        set_faces();
      }

      std::vector<double> volume, areas, along, along_across;

    private:
      void
      set_volume()
      {
        const auto gradients    = metrics.metrics(element); // times the relative volume
        const auto determinants = metrics.determinants(element);
        for (unsigned int q = 0; q < gradients.size(); ++q)
          {
            const double weight =
              space.reference.volume_weights[q] * volume_factor / determinants[q];
            const SymmetricTensor<2, dim> k = diffusion.volume(element, q);
            for (unsigned int r = 0; r < dim; ++r)
              for (unsigned int s = r; s < dim; ++s)
                volume.push_back(weight * (gradients[q][r] * (k * gradients[q][s])));
          }
      }

      void
      set_faces()
      {
        const ReferenceElement<dim> &reference = space.reference;
        const unsigned int           nf        = reference.n_face_points();
        const auto                   normals   = metrics.normals(element);
        const auto                   gradients = metrics.face_gradients(element);
        for (unsigned int f = 0; f < reference.n_faces; ++f)
          {
            const FaceRecord &face = space.connectivity.face(element, f);
            // At the boundary, and where terms are found elsewhere, the element stands in.
            const bool         stands_in = face.at_boundary() || face.kind == FaceKind::hanging;
            const unsigned int across    = stands_in ? element : face.neighbor;
            const auto         gradients_across = metrics.face_gradients(across);
            for (unsigned int q = 0; q < nf; ++q)
              {
                const double         length   = normals[f * nf + q].norm();
                const Tensor<1, dim> normal   = normals[f * nf + q] / length;
                const unsigned int   f_across = stands_in ? f : face.face;
                const unsigned int   q_across =
                  stands_in ? q : reference.face_permutations[face.orientation * nf + q];
                areas.push_back(reference.face_weights[q] * length * volume_factor);
                append(along, gradients[f * nf + q], diffusion.face(element, f, q) * normal);
                append(along_across,
                       gradients_across[f_across * nf + q_across],
                       diffusion.face(across, f_across, q_across) * normal);
              }
          }
      }

      static void
      append(std::vector<double> &to, const Tensor<2, dim> &gradients, const Tensor<1, dim> &flux)
      {
        for (unsigned int r = 0; r < dim; ++r)
          to.push_back(gradients[r] * flux);
      }

      const ElementSpace<dim, Number>      &space;
      const ElementMetrics<dim>            &metrics;
      const CoefficientValues<dim, Number> &diffusion;
      const unsigned int                    element;
      const double                          volume_factor;
    };

    template <typename Number>
    std::size_t
    padded_elements(const StoredArrays<Number> &stored)
    {
      return static_cast<std::size_t>(stored.n_blocks) * block_size;
    }

    /// See PointwiseForm: `[m]`.
    template <int dim, typename Number>
    std::vector<Tensor<1, dim>>
    map_modes_of(const ElementSpace<dim, Number> &space,
                 const unsigned int               n_modes,
                 const unsigned int               element)
    {
      const ReferenceElement<dim> &reference = space.reference;
      std::vector<Tensor<1, dim>>  result(n_modes);
      if (const ElementMap<dim> *map = space.geometry.curved_map(element))
        std::copy(map->modes.begin() + 1, map->modes.end(), result.begin());
      else // of linear functions, whose gradients are the same everywhere
        {
          Tensor<2, dim> gradients;
          for (unsigned int m = 0; m < dim; ++m)
            for (unsigned int r = 0; r < dim; ++r)
              gradients[m][r] = reference.volume_gradients[r * reference.n_modes + m + 1];
          const Tensor<2, dim> modes = space.geometry.jacobians[element] * invert(gradients);
          for (unsigned int m = 0; m < dim; ++m)
            for (unsigned int d = 0; d < dim; ++d)
              result[m][d] = modes[d][m];
        }
      return result;
    }
  } // namespace

  template <typename Number>
  template <int dim>
  PointwiseFormMemory<Number>::PointwiseFormMemory(const ElementSpace<dim, Number>      &space,
                                                   const ElementMetrics<dim>            &metrics,
                                                   const CoefficientValues<dim, Number> &diffusion)
  {
    const StoredArrays<Number> stored          = space.stored_arrays();
    const unsigned int         first           = stored.first_block * block_size;
    const std::size_t          n               = padded_elements(stored);
    const unsigned int         n_volume_points = space.reference.n_volume_points();
    const unsigned int n_face_points = space.reference.n_faces * space.reference.n_face_points();

    std::vector<Number> of_volume(n * n_volume_points * dim * (dim + 1) / 2);
    std::vector<Number> of_faces(n * n_face_points), of_along(of_faces.size() * dim),
      of_across(of_along.size());
    const auto put =
      [&](const unsigned int i, const std::vector<double> &values, std::vector<Number> &to) {
        for (unsigned int j = 0; j < values.size(); ++j)
          to[point_index(i, j, values.size(), 1)] = values[j];
      };
    in_groups = space.device.is_cuda() && space.reference.is_simplex() &&
                along_in_groups(dim, space.reference.degree);
    const AlongLayout<dim> layout = {static_cast<int>(space.reference.n_faces),
                                     static_cast<int>(space.reference.n_face_points()),
                                     in_groups};
    const auto             put_along =
      [&](const unsigned int i, const std::vector<double> &values, std::vector<Number> &to) {
        auto value = values.begin();
        for (int f = 0; f < layout.n_faces; ++f)
          for (int q = 0; q < layout.n_face_points; ++q)
            for (int r = 0; r < dim; ++r)
              to[layout(i, f, q, r)] = *value++;
      };
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end; ++i)
        {
          const FormOfElement<dim, Number> form(space,
                                                metrics,
                                                diffusion,
                                                space.element_or_last(first + i));
          put(i, form.volume, of_volume);
          put(i, form.areas, of_faces);
          put_along(i, form.along, of_along);
          put_along(i, form.along_across, of_across);
        }
    });
    volume       = Memory<Number>(space.device, of_volume);
    areas        = Memory<Number>(space.device, of_faces);
    along        = Memory<Number>(space.device, of_along);
    along_across = Memory<Number>(space.device, of_across);
    if (n > 0 && space.device.is_cuda() && space.reference.is_simplex() &&
        threads_make_form(dim, space.reference.degree, space.geometry.map_degree) &&
        diffusion.is_number_of_element())
      set_up_map_modes(space);
  }

  template <typename Number>
  template <int dim>
  void
  PointwiseFormMemory<Number>::set_up_map_modes(const ElementSpace<dim, Number> &space)
  {
    const StoredArrays<Number> stored = space.stored_arrays();
    const std::size_t          n      = padded_elements(stored);
    const unsigned int         n_modes =
      Simplex<dim>::n_modes(
        mapped_laplace_degree(space.reference.degree, space.geometry.map_degree)) -
      1;
    std::vector<Number> modes(n * n_modes * dim);
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end; ++i)
        {
          const auto of_element =
            map_modes_of(space,
                         n_modes,
                         space.element_or_last(stored.first_block * block_size + i));
          for (unsigned int m = 0; m < n_modes; ++m)
            for (unsigned int d = 0; d < dim; ++d)
              modes[point_index(i, m, n_modes, dim) + d] = of_element[m][d];
        }
    });
    map_modes = Memory<Number>(space.device, modes);
  }

#define SALTUS_INSTANTIATE(dim, Number)                      \
  template PointwiseFormMemory<Number>::PointwiseFormMemory( \
    const ElementSpace<dim, Number> &,                       \
    const ElementMetrics<dim> &,                             \
    const CoefficientValues<dim, Number> &)
  SALTUS_INSTANTIATE(2, double);
  SALTUS_INSTANTIATE(2, float);
  SALTUS_INSTANTIATE(3, double);
  SALTUS_INSTANTIATE(3, float);
#undef SALTUS_INSTANTIATE
} // namespace Saltus
