// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_elliptic_coefficient_h
#define saltus_operators_elliptic_elliptic_coefficient_h

#include <deal.II/base/symmetric_tensor.h>

#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/field_function.h>

#include <map>
#include <string>
#include <vector>

namespace Saltus
{
  /// Where the values of a coefficient are taken.
  enum class Sampling
  {
    by_element, ///< at the centre of each element
    by_point    ///< at every quadrature point
  };

  /// A coefficient of an elliptic equation: a number, a scalar field, or a field of symmetric
  /// tensors (xx, xy, yy in 2D; xx, xy, xz, yy, yz, zz in 3D). Each material of the mesh may have
  /// a field of its own.
  template <int dim>
  struct EllipticCoefficient
  {
    EllipticCoefficient(const double constant)
      : constant(constant)
    {}

    EllipticCoefficient(const FieldFunction<dim> &field, const Sampling sampling)
      : field(field)
      , sampling(sampling)
    {}

    /// Fields with the same number of components, for all materials of the mesh.
    EllipticCoefficient(const std::map<dealii::types::material_id, FieldFunction<dim>> &by_material,
                        const Sampling                                                  sampling)
      : by_material(by_material)
      , sampling(sampling)
    {}

    /// Whether it is a number.
    bool
    is_constant() const
    {
      return field.empty() && by_material.empty();
    }

    /// @throws dealii::ExcMessage if there are fields by material
    void
    check_no_materials(const std::string &name) const
    {
      AssertThrow(by_material.empty(),
                  dealii::ExcMessage("The " + name +
                                     " is given by material, which polytopic elements do not take: "
                                     "an element may have cells of several materials."));
    }

    unsigned int
    n_components() const
    {
      return is_constant()         ? 1
             : by_material.empty() ? field.n_components()
                                   : by_material.begin()->second.n_components();
    }

    double             constant = 0; ///< used if there is no field
    FieldFunction<dim> field;        ///< used if there are none by material
    std::map<dealii::types::material_id, FieldFunction<dim>> by_material;
    Sampling                                                 sampling = Sampling::by_element;
  };


  /// The values of a coefficient on a device, for kernels.
  template <typename Number>
  struct CoefficientMemory
  {
    CoefficientArrays<Number>
    arrays() const
    {
      return {constant, n_components, volume.data(), face.data()};
    }

    std::size_t
    memory_consumption() const
    {
      return (volume.size() + face.size()) * sizeof(Number);
    }

    Number         constant     = 0; ///< see CoefficientArrays
    int            n_components = 1;
    Memory<Number> volume, face;
  };


  /// The values of a coefficient in the elements of a space, in host memory, for set-up.
  template <int dim, typename Number>
  class CoefficientValues
  {
  public:
    /// @param name for messages
    /// @param max_components 1 if tensors are not accepted
    /// @throws dealii::ExcMessage for a wrong number of components, and for a material of the mesh
    /// without a field
    CoefficientValues(const EllipticCoefficient<dim>  &coefficient,
                      const ElementSpace<dim, Number> &space,
                      const std::string               &name,
                      const unsigned int               max_components);

    CoefficientMemory<Number>
    copy_to(const Device device) const;

    /// The value at volume point @p q.
    dealii::SymmetricTensor<2, dim>
    volume(const unsigned int element, const unsigned int q) const;

    /// The value at point @p q of face @p face.
    dealii::SymmetricTensor<2, dim>
    face(const unsigned int element, const unsigned int face, const unsigned int q) const;

    /// Whether values are taken at points, and not once an element.
    bool
    varies_in_elements() const
    {
      return by_point;
    }

    /// Whether it is one number in every element.
    bool
    is_number_of_element() const
    {
      return !by_point && n_components == 1;
    }

    /// The largest trace in an element over the smallest.
    double
    variation(const unsigned int element) const;

    /// Whether it is 0 at all volume points of an element.
    bool
    is_zero(const unsigned int element) const;

    /// Whether it is 0 everywhere, on this rank.
    bool
    is_zero() const;

    /// @throws dealii::ExcMessage at the first point where a value is not positive (definite), or
    /// is negative where @p zero_allowed, or is not finite
    void
    check_positive(const ElementSpace<dim, Number> &space, const bool zero_allowed) const;

  private:
    dealii::SymmetricTensor<2, dim>
    tensor(const std::vector<Number> &values, const std::size_t i) const;

    std::string         name;
    Number              constant     = 0;
    unsigned int        n_components = 1, n_volume_points = 1, n_faces = 0, n_face_points = 0;
    bool                is_field = false, by_point = false;
    std::vector<Number> volume_values, face_values;
  };
} // namespace Saltus

#endif
