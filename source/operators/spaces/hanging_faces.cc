// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/polynomial.h>
#include <deal.II/base/quadrature_lib.h>

#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/spaces/hanging_faces.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// What the hanging faces of a mesh are, those with ghosts last.
    template <int dim>
    class FaceList
    {
    public:
      explicit FaceList(const ElementMesh<dim> &mesh)
        : mesh(mesh)
      {
        for (const bool with_ghosts : {false, true})
          {
            for (const auto &hanging : mesh.connectivity.hanging_faces)
              if (has_ghosts(hanging) == with_ghosts)
                add(hanging);
            if (!with_ghosts)
              {
                n_larger_here = larger.size();
                n_parts_here  = parts.size();
              }
          }
        add_beside_ghosts();
      }

      std::vector<LargerFace> larger;
      std::vector<FacePart>   parts;
      unsigned int            n_larger_here, n_parts_here;

    private:
      using Hanging = typename FaceConnectivity<dim>::HangingFace;

      bool
      has_ghosts(const Hanging &hanging) const
      {
        for (unsigned int s = 0; s < mesh.shape.n_sub_faces; ++s)
          if (hanging.parts[s].kind == FaceKind::ghost)
            return true;
        return false;
      }

      void
      add(const Hanging &hanging)
      {
        const int n_parts = mesh.shape.n_sub_faces;
        larger.push_back({int(hanging.element), int(hanging.face), int(parts.size()), n_parts});
        for (int s = 0; s < n_parts; ++s)
          {
            const FaceRecord &part = hanging.parts[s];
            add_part(part.neighbor, part.face, s, part.orientation);
          }
      }

      /// Smaller elements of this rank at faces of another's.
      void
      add_beside_ghosts()
      {
        for (unsigned int e = 0; e < mesh.n_elements(); ++e)
          for (unsigned int f = 0; f < mesh.shape.n_faces; ++f)
            if (const FaceRecord &across = mesh.connectivity.face(e, f);
                across.kind == FaceKind::ghost && across.sub_face > 0)
              {
                larger.push_back({across.neighbor, across.face, int(parts.size()), 1});
                add_part(e, f, across.sub_face - 1, mesh.shape.inverse(across.orientation));
              }
      }

      void
      add_part(const int          element,
               const unsigned int face,
               const unsigned int sub_face,
               const unsigned int orientation)
      {
        FacePart part;
        part.element     = element;
        part.larger      = larger.size() - 1;
        part.face        = face;
        part.sub_face    = sub_face;
        part.orientation = orientation;
        parts.push_back(part);
      }

      const ElementMesh<dim> &mesh;
    };

    /// Between the points of Gauss's rule on a line and those on its halves.
    struct LineHalves
    {
      explicit LineHalves(const unsigned int n)
      {
        const QGauss<1> rule(n);
        const auto      lagrange = Polynomials::generate_complete_Lagrange_basis(rule.get_points());
        for (unsigned int half = 0; half < 2; ++half)
          for (unsigned int q = 0; q < n; ++q)
            for (unsigned int a = 0; a < n; ++a)
              {
                // The roles of q and a are exchanged in the second one.
                const auto value = [&](const unsigned int i, const unsigned int at) {
                  return lagrange[i].value(0.5 * (half + rule.point(at)[0]));
                };
                interpolation.push_back(value(a, q));
                projection.push_back(rule.weight(a) / rule.weight(q) * value(q, a));
              }
      }

      std::vector<double> interpolation; ///< `[half][q][a]`
      std::vector<double> projection;    ///< `[half][a][q]`, see HangingArrays
    };

    /// Products of such factors, `[part][i][j]` on faces of @p nf points.
    template <int dim, typename Number>
    std::vector<Number>
    on_parts(const std::vector<double> &factors, const unsigned int n, const unsigned int nf)
    {
      std::vector<Number> result;
      for (unsigned int s = 0; s < 1u << (dim - 1); ++s)
        for (unsigned int i = 0; i < nf; ++i)
          for (unsigned int j = 0; j < nf; ++j)
            {
              double product = 1.;
              for (unsigned int d = 0, stride = 1; d + 1 < dim; ++d, stride *= n)
                product *= factors[((s >> d & 1) * n + i / stride % n) * n + j / stride % n];
              result.push_back(product);
            }
      return result;
    }
  } // namespace

  template <typename Number>
  template <int dim>
  HangingFaces<Number>::HangingFaces(const ElementSpace<dim, Number> &space,
                                     const unsigned int               n_components,
                                     const std::optional<MetricForm>  form)
  {
    const ElementMesh<dim>      &mesh      = *space.mesh;
    const ReferenceElement<dim> &reference = space.reference;
    if (mesh.shape.is_simplex())
      return; // they are conforming
    const FaceList<dim> list(mesh);
    sizes.n_faces      = list.larger.size();
    sizes.n_parts      = list.parts.size();
    sizes.n_faces_here = list.n_larger_here;
    sizes.n_parts_here = list.n_parts_here;
    if (list.parts.empty())
      return;

    const Device       device = space.device;
    const unsigned int nf = reference.n_face_points(), n = reference.face_degree / 2 + 1;
    const LineHalves   halves(n);

    const ElementMetrics<dim> metrics(reference, space.geometry, form);
    std::vector<Number>       all_normals, ratios;
    for (const FacePart &part : list.parts)
      {
        const auto normals = metrics.normals(part.element);
        for (unsigned int q = 0; q < nf; ++q)
          for (unsigned int d = 0; d < dim; ++d)
            all_normals.push_back(normals[part.face * nf + q][d]);
        ratios.push_back(space.geometry.volume_factors[part.element] /
                         space.geometry.volume_factors[list.larger[part.larger].element]);
      }

    std::vector<FaceRecord> records(static_cast<std::size_t>(mesh.order.first_ghost()) *
                                    reference.n_faces);
    for (unsigned int e = 0; e < mesh.order.first_ghost(); ++e)
      for (unsigned int f = 0; f < reference.n_faces; ++f)
        records[point_index(e, f, reference.n_faces, 1)] =
          mesh.connectivity.face(space.element_or_last(e), f);
    const auto give = [&](const unsigned int element, const unsigned int f, const int number) {
      if (element >= mesh.n_elements())
        return; // a ghost
      FaceRecord &record = records[point_index(element, f, reference.n_faces, 1)];
      record.kind        = FaceKind::hanging;
      record.neighbor    = number;
    };
    for (int h = 0; h < sizes.n_faces; ++h)
      give(list.larger[h].element, list.larger[h].face, h);
    for (int i = 0; i < sizes.n_parts; ++i)
      give(list.parts[i].element, list.parts[i].face, sizes.n_faces + i);
    // Padding repeats the last element.
    for (unsigned int e = mesh.n_elements(); e < mesh.order.first_ghost(); ++e)
      for (unsigned int f = 0; f < reference.n_faces; ++f)
        records[point_index(e, f, reference.n_faces, 1)] =
          records[point_index(mesh.n_elements() - 1, f, reference.n_faces, 1)];

    larger             = Memory<LargerFace>(device, list.larger);
    parts              = Memory<FacePart>(device, list.parts);
    faces              = Memory<FaceRecord>(device, records);
    interpolation      = Memory<Number>(device, on_parts<dim, Number>(halves.interpolation, n, nf));
    projection         = Memory<Number>(device, on_parts<dim, Number>(halves.projection, n, nf));
    const auto on_line = [&](const std::vector<double> &factors) {
      return Memory<Number>(device, std::vector<Number>(factors.begin(), factors.end()));
    };
    line_interpolation        = on_line(halves.interpolation);
    line_projection           = on_line(halves.projection);
    normals                   = Memory<Number>(device, all_normals);
    volume_ratios             = Memory<Number>(device, ratios);
    const std::size_t of_face = static_cast<std::size_t>(nf) * n_components;
    traces                    = Memory<Number>(device, sizes.n_faces * of_face);
    fluxes                    = Memory<Number>(device, (sizes.n_faces + sizes.n_parts) * of_face);
  }

  template <typename Number>
  HangingArrays<Number>
  HangingFaces<Number>::arrays() const
  {
    HangingArrays<Number> result = sizes;
    result.faces                 = larger.data();
    result.parts                 = parts.data();
    result.interpolation         = interpolation.data();
    result.projection            = projection.data();
    result.line_interpolation    = line_interpolation.data();
    result.line_projection       = line_projection.data();
    result.normals               = normals.data();
    result.volume_ratios         = volume_ratios.data();
    result.traces                = traces.data();
    result.fluxes                = fluxes.data();
    return result;
  }

  template <typename Number>
  std::size_t
  HangingFaces<Number>::memory_consumption() const
  {
    return larger.size() * sizeof(LargerFace) + parts.size() * sizeof(FacePart) +
           faces.size() * sizeof(FaceRecord) +
           (interpolation.size() + projection.size() + line_interpolation.size() +
            line_projection.size() + normals.size() + volume_ratios.size() + traces.size() +
            fluxes.size()) *
             sizeof(Number);
  }

#define SALTUS_HANGING_FACES(Number)                                            \
  template class HangingFaces<Number>;                                          \
  template HangingFaces<Number>::HangingFaces(const ElementSpace<2, Number> &,  \
                                              const unsigned int,               \
                                              const std::optional<MetricForm>); \
  template HangingFaces<Number>::HangingFaces(const ElementSpace<3, Number> &,  \
                                              const unsigned int,               \
                                              const std::optional<MetricForm>);
  SALTUS_HANGING_FACES(double)
  SALTUS_HANGING_FACES(float)
#undef SALTUS_HANGING_FACES
} // namespace Saltus
