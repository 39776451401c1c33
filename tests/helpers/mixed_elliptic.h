// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_mixed_elliptic_h
#define saltus_tests_helpers_mixed_elliptic_h

#include <saltus/operators/elliptic/mixed_laplace_operator.h>

#include <helpers/elliptic_setting.h>
#include <helpers/mixed.h>

namespace Saltus::Tests
{
  /// Scalar elements of a degree on a mesh that mixes shapes.
  struct MixedEllipticSetting
  {
    MixedEllipticSetting(const Triangulation<2>   &triangulation,
                         const dealii::Mapping<2> &mapping,
                         const unsigned int        degree)
      : mapping(mapping)
      , dof_handler(triangulation)
    {
      dealii::hp::FECollection<2> elements;
      for (const auto &shape : mixed_shapes<2>())
        elements.push_back(*dg_element<2>(shape, degree));
      distribute_dofs(dof_handler, elements);
    }

    dealii::Vector<double>
    random_vector(const unsigned int seed) const
    {
      return Tests::random_vector(dof_handler.n_dofs(), seed);
    }

    const dealii::Mapping<2> &mapping;
    DoFHandler<2>             dof_handler;
  };

  template <typename Number = double>
  std::unique_ptr<MixedLaplaceOperator<2, Number>>
  make_mixed_laplace(const dealii::Mapping<2>            &mapping,
                     const DoFHandler<2>                 &dof_handler,
                     const EllipticBoundaryConditions<2> &conditions,
                     const Device                         device,
                     const EllipticCoefficients<2>       &coefficients)
  {
    auto A = std::make_unique<MixedLaplaceOperator<2, Number>>();
    A->reinit(mapping, dof_handler, conditions, device, coefficients.data<Number>());
    return A;
  }

  template <typename Number, typename VectorType>
  VectorType
  mixed_vmult(const MixedLaplaceOperator<2, Number> &A, const VectorType &u)
  {
    auto src = mixed_zeros(A), dst = src;
    A.copy_from(src, u);
    A.vmult(dst, src);
    VectorType result = u;
    A.copy_to(result, dst);
    return result;
  }
} // namespace Saltus::Tests

#endif
