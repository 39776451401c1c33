// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/first_index.h>
#include <saltus/mesh/position_text.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim, typename Number>
    std::vector<Number>
    evaluate(const FieldFunction<dim> &field, const std::vector<Point<dim>> &points)
    {
      std::vector<Number> values(points.size() * field.n_components());
      PointValues<dim, Number>(field, points, Device::cpu()).evaluate({}, values.data());
      return values;
    }


    /// Material ids of elements, padding and ghosts: `[e]`, ghosts from ElementOrder::first_ghost()
    /// on, padding repeats the first element. Collective.
    template <int dim>
    std::vector<types::material_id>
    materials_of(const ElementMesh<dim> &mesh)
    {
      const auto &ghosts     = mesh.connectivity.ghosts;
      const auto  of_element = [&](const unsigned int e) {
        return mesh.order.cells[e]->material_id();
      };
      std::vector<types::material_id> result(mesh.order.first_ghost() +
                                               n_blocks(ghosts.size()) * block_size,
                                             mesh.n_elements() > 0 ? of_element(0) : 0);
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        result[e] = of_element(e);
      if (mesh.partition == nullptr)
        return result;
      std::vector<types::material_id> own;
      for (const auto &ghost : ghosts)
        own.push_back(of_element(ghost.element));
      const auto across = exchange_across(mesh.partition->communicator, mesh.ghost_ranks(), 1, own);
      std::copy(across.begin(), across.end(), result.begin() + mesh.order.first_ghost());
      return result;
    }


    /// Values of a coefficient at points of the elements and ghosts of a space.
    template <int dim, typename Number>
    class Sampler
    {
    public:
      /// Collective where the coefficient depends on materials.
      Sampler(const EllipticCoefficient<dim>  &coefficient,
              const ElementSpace<dim, Number> &space,
              const std::string               &name)
        : coefficient(coefficient)
      {
        if (coefficient.by_material.empty())
          return;
        materials = materials_of(*space.mesh);
        for (const types::material_id id : materials)
          AssertThrow(coefficient.by_material.count(id) > 0,
                      ExcMessage("The " + name + " has no value for the material " +
                                 std::to_string(id) + " of the mesh."));
      }

      /// @param points `[block][i][l]`, of all elements and ghosts
      /// @return `[block][i][l][component]`
      std::vector<Number>
      operator()(const std::vector<Point<dim>> &points) const
      {
        if (coefficient.by_material.empty())
          return evaluate<dim, Number>(coefficient.field, points);
        const unsigned int  n_components = coefficient.n_components();
        std::vector<Number> result(points.size() * n_components);
        for (const auto &[id, field] : coefficient.by_material)
          {
            std::vector<std::size_t> places;
            std::vector<Point<dim>>  of_material;
            for (std::size_t i = 0; i < points.size(); ++i)
              if (material(i, points.size()) == id)
                {
                  places.push_back(i);
                  of_material.push_back(points[i]);
                }
            if (places.empty())
              continue;
            const std::vector<Number> values = evaluate<dim, Number>(field, of_material);
            for (std::size_t i = 0; i < places.size(); ++i)
              std::copy_n(&values[i * n_components],
                          n_components,
                          &result[places[i] * n_components]);
          }
        return result;
      }

    private:
      /// The material at point @p i of @p n points.
      types::material_id
      material(const std::size_t i, const std::size_t n) const
      {
        const std::size_t n_of_block = n / materials.size() * block_size;
        return materials[i / n_of_block * block_size + i % block_size];
      }

      const EllipticCoefficient<dim> &coefficient;
      std::vector<types::material_id> materials; ///< see materials_of()
    };
  } // namespace

  template <int dim, typename Number>
  CoefficientValues<dim, Number>::CoefficientValues(const EllipticCoefficient<dim>  &coefficient,
                                                    const ElementSpace<dim, Number> &space,
                                                    const std::string               &name,
                                                    const unsigned int               max_components)
    : name(name)
    , constant(coefficient.constant)
    , is_field(!coefficient.is_constant())
  {
    if (!is_field)
      return;
    n_components = coefficient.n_components();
    AssertThrow(n_components == 1 || n_components == max_components,
                ExcMessage(
                  "The " + name + " has " + std::to_string(n_components) + " components, but 1 " +
                  (max_components > 1 ? "or " + std::to_string(max_components) + " are needed."
                                      : "is needed.")));
    const Sampler<dim, Number> sample(coefficient, space, name);
    by_point = coefficient.sampling == Sampling::by_point;
    if (by_point)
      {
        n_volume_points = space.reference.n_volume_points();
        n_faces         = space.reference.n_faces;
        n_face_points   = space.reference.n_face_points();
        volume_values   = sample(space.volume_points());
        face_values     = sample(space.face_points());
      }
    else
      volume_values = sample(space.centers());
  }

  template <int dim, typename Number>
  CoefficientMemory<Number>
  CoefficientValues<dim, Number>::copy_to(const Device device) const
  {
    return {constant,
            static_cast<int>(n_components),
            Memory<Number>(device, volume_values),
            Memory<Number>(device, face_values)};
  }

  template <int dim, typename Number>
  SymmetricTensor<2, dim>
  CoefficientValues<dim, Number>::tensor(const std::vector<Number> &from, const std::size_t i) const
  {
    SymmetricTensor<2, dim> result;
    if (n_components == 1)
      for (unsigned int d = 0; d < dim; ++d)
        result[d][d] = from.empty() ? constant : from[i];
    else
      for (unsigned int row = 0, c = 0; row < dim; ++row)
        for (unsigned int column = row; column < dim; ++column, ++c)
          result[row][column] = from[i + c];
    return result;
  }

  template <int dim, typename Number>
  SymmetricTensor<2, dim>
  CoefficientValues<dim, Number>::volume(const unsigned int element, const unsigned int q) const
  {
    return tensor(volume_values,
                  point_index(element, by_point ? q : 0, n_volume_points, n_components));
  }

  template <int dim, typename Number>
  SymmetricTensor<2, dim>
  CoefficientValues<dim, Number>::face(const unsigned int element,
                                       const unsigned int face,
                                       const unsigned int q) const
  {
    if (!by_point)
      return volume(element, 0);
    const unsigned int n = n_face_points;
    return tensor(face_values, point_index(element, face * n + q, n_faces * n, n_components));
  }

  template <int dim, typename Number>
  double
  CoefficientValues<dim, Number>::variation(const unsigned int element) const
  {
    if (!by_point)
      return 1.;
    double     smallest = trace(volume(element, 0)), largest = smallest;
    const auto look = [&](const SymmetricTensor<2, dim> &value) {
      smallest = std::min(smallest, trace(value));
      largest  = std::max(largest, trace(value));
    };
    for (unsigned int q = 0; q < n_volume_points; ++q)
      look(volume(element, q));
    for (unsigned int f = 0; f < n_faces; ++f)
      for (unsigned int q = 0; q < n_face_points; ++q)
        look(face(element, f, q));
    return largest / smallest;
  }

  template <int dim, typename Number>
  bool
  CoefficientValues<dim, Number>::is_zero(const unsigned int element) const
  {
    for (unsigned int q = 0; q < n_volume_points; ++q)
      if (volume(element, q).norm() != 0.)
        return false;
    return true;
  }

  template <int dim, typename Number>
  bool
  CoefficientValues<dim, Number>::is_zero() const
  {
    if (!is_field)
      return constant == Number(0);
    return std::all_of(volume_values.begin(), volume_values.end(), [](const Number value) {
      return value == 0;
    });
  }

  template <int dim, typename Number>
  void
  CoefficientValues<dim, Number>::check_positive(const ElementSpace<dim, Number> &space,
                                                 const bool zero_allowed) const
  {
    const auto number = [&](const SymmetricTensor<2, dim> &value) {
      const double size = value.norm();
      return !std::isfinite(size) ? size
             : n_components == 1  ? value[0][0]
                                  : eigenvalues(value)[dim - 1];
    };
    const auto is_wrong = [&](const SymmetricTensor<2, dim> &value) {
      const double smallest = number(value);
      return !std::isfinite(smallest) || !(smallest > 0. || (zero_allowed && smallest == 0.));
    };
    const auto refuse = [&](const SymmetricTensor<2, dim> &value, const Point<dim> &point) {
      const double       smallest  = number(value);
      const bool         is_finite = std::isfinite(smallest);
      std::ostringstream text;
      if (is_finite)
        text << "The " << name << " must be " << (zero_allowed ? "not negative" : "positive")
             << (n_components > 1 ? " definite" : "");
      else
        text << "The " << name << " must be finite";
      if (!is_field)
        text << ", not " << constant << '.';
      else
        text << ", but it " << (n_components > 1 && is_finite ? "has the eigenvalue " : "is ")
             << smallest << " at " << position_text(point) << '.';
      AssertThrow(false, ExcMessage(text.str()));
    };
    if (!is_field)
      {
        if (const auto value = volume(0, 0); is_wrong(value))
          refuse(value, {});
        return;
      }

    // Calls use(value, unit point) for all values of an element until it returns true.
    const auto &reference = space.reference;
    const auto  find      = [&](const unsigned int e, const auto &use) {
      for (unsigned int q = 0; q < n_volume_points; ++q)
        if (use(volume(e, q),
                by_point ? reference.volume_points[q]
                               : reference.reference_cell.template barycenter<dim>()))
          return true;
      for (unsigned int f = 0; f < n_faces; ++f)
        for (unsigned int q = 0; q < n_face_points; ++q)
          if (use(face(e, f, q), reference.face_points[f * n_face_points + q]))
            return true;
      return false;
    };
    const unsigned int e = first_index(space.n_elements(), [&](const unsigned int e) {
      return find(e, [&](const auto &value, const auto &) { return is_wrong(value); });
    });
    if (e < space.n_elements())
      find(e, [&](const auto &value, const auto &unit_point) {
        if (is_wrong(value))
          refuse(value, space.geometry.map(e, unit_point));
        return false;
      });
  }

  template class CoefficientValues<2, double>;
  template class CoefficientValues<2, float>;
  template class CoefficientValues<3, double>;
  template class CoefficientValues<3, float>;
} // namespace Saltus
