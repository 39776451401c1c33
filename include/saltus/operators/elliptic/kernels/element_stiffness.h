// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_element_stiffness_h
#define saltus_operators_elliptic_kernels_element_stiffness_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/spaces/face_code.h>

/// What exact integrals of the interior penalty form need of an element: its matrix
/// \f$ K_{kl} \f$, see SparseLaplaceElement.
namespace Saltus
{
  /// \f$ \sum_{kl} K_{kl} \partial_k u \partial_l v \f$ as a form in the derivatives of
  /// DerivativeMatrix: \f$ \partial_{k+1} - \partial_0 \f$ is the derivative k and, for each
  /// j < k, the derivative j over j + 2.
  template <int dim, typename T, typename Number>
  SALTUS_HOST_DEVICE
  void
  set_metric(const Number *stiffness, Array<T, dim> *metric)
  {
    T k[dim][dim]; // without the row and the column of vertex 0
    for (int i = 0; i < dim; ++i)
      load(k[i][i], stiffness + vertex_pair<dim>(0, i + 1) * block_size);
    for (int i = 0; i < dim; ++i)
      k[i][i] = -k[i][i];
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < i; ++j)
        {
          load(k[i][j], stiffness + vertex_pair<dim>(j + 1, i + 1) * block_size);
          k[j][i] = k[i][j];
          k[i][i] = k[i][i] - k[i][j];
          k[j][j] = k[j][j] - k[i][j];
        }
    for (int j = 0; j < dim; ++j)
      for (int i = 0; i < dim; ++i)
        for (int later = j + 1; later < dim; ++later)
          k[i][j] = k[i][j] + T(Number(1.) / Number(j + 2)) * k[i][later];
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j)
        {
          metric[i][j] = k[i][j];
          for (int later = i + 1; later < dim; ++later)
            metric[i][j] = metric[i][j] + T(Number(1.) / Number(i + 2)) * k[later][j];
        }
  }

  /// Entries of K between the vertex opposite a face and the face's vertices, in ascending order,
  /// of the elements that a kernel works on at once.
  template <int dim, typename T>
  struct StiffnessRow
  {
    using Words = LaneWords<T>;

    T entries[dim];
    T diagonal; ///< K_ff

    /// Of face @p f.
    /// @param stiffness of the first element
    template <typename Number>
    SALTUS_HOST_DEVICE
    void
    set(const Number *stiffness, const int f)
    {
      static_for<dim>([&](auto j) SALTUS_INLINE_LAMBDA {
        constexpr int i = decltype(j)::value;
        load(entries[i], stiffness + opposite_pair<dim, i>(f) * block_size);
      });
      set_diagonal();
    }

    /// Of the elements across, in the order of this side's corners.
    /// @param stiffness of all elements
    /// @param face the number across, the same in all lanes or one for each
    template <typename Number, typename FaceNumber>
    SALTUS_HOST_DEVICE
    void
    set_across(const Number                         *stiffness,
               const FaceNumber                      face,
               const FaceCode<typename Words::Type> &code)
    {
      const auto element = Words::first_place(code.element(), Simplex<dim>::n_vertex_pairs);
      static_for<dim>([&](auto j) SALTUS_INLINE_LAMBDA {
        const auto pair = typename Words::Type{} + opposite_pair<dim, decltype(j)::value>(face);
        gather(entries[j.value], stiffness, element + Words::place_in_block(pair));
      });
      code.turn(entries);
      set_diagonal();
    }

  private:
    SALTUS_HOST_DEVICE
    void
    set_diagonal()
    {
      diagonal = -entries[0];
      for (int j = 1; j < dim; ++j)
        diagonal = diagonal - entries[j];
    }
  };

  /// Coefficients of the matrices of which Z, the derivative along a face, is the sum:
  /// \f$ K_{ff} \f$ times the radial derivative of the face, and these times its derivatives.
  template <int dim, typename T>
  struct TangentialDerivative
  {
    SALTUS_HOST_DEVICE
    explicit TangentialDerivative(const StiffnessRow<dim, T> &row)
      : radial(row.diagonal)
    {
      along[0] = T(0.5f) * (row.entries[1] - row.entries[0]);
      if constexpr (dim == 3)
        along[1] = -row.entries[0] - row.entries[1];
    }

    T radial, along[dim - 1];
  };
} // namespace Saltus

#endif
