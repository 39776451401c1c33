// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_cell_faces_h
#define saltus_tests_helpers_cell_faces_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_values.h>

#include <optional>
#include <utility>
#include <vector>

/// Faces as deal.II sees them, with hanging ones, for assemblies of interior penalty terms.
namespace Saltus::Tests
{
  /// A cell with one of its faces, or part @p sub_face of it.
  template <int dim>
  struct FaceOfCell
  {
    typename dealii::DoFHandler<dim>::active_cell_iterator cell;
    unsigned int                                           face;
    int                                                    sub_face = -1; ///< -1: all of it
  };

  /// One side of a face, or of a part of a hanging one.
  template <int dim>
  class Side
  {
  public:
    Side(const dealii::Mapping<dim>        &mapping,
         const dealii::FiniteElement<dim>  &fe,
         const dealii::Quadrature<dim - 1> &rule,
         const dealii::UpdateFlags          flags)
      : faces(mapping, fe, rule, flags)
      , sub_faces(mapping, fe, rule, flags)
    {}

    const dealii::FEFaceValuesBase<dim> &
    reinit(const FaceOfCell<dim> &at)
    {
      if (at.sub_face < 0)
        {
          faces.reinit(at.cell, at.face);
          return faces;
        }
      sub_faces.reinit(at.cell, at.face, at.sub_face);
      return sub_faces;
    }

  private:
    dealii::FEFaceValues<dim>    faces;
    dealii::FESubfaceValues<dim> sub_faces;
  };

  /// The parts of a face of a cell, and what is across each: nothing at the boundary.
  template <int dim>
  std::vector<std::pair<FaceOfCell<dim>, std::optional<FaceOfCell<dim>>>>
  parts_of_face(const typename dealii::DoFHandler<dim>::active_cell_iterator &cell,
                const unsigned int                                            f)
  {
    if (cell->at_boundary(f))
      return {{{cell, f}, std::nullopt}};
    std::vector<std::pair<FaceOfCell<dim>, std::optional<FaceOfCell<dim>>>> result;
    if (cell->neighbor(f)->has_children())
      for (int s = 0; s < static_cast<int>(cell->face(f)->n_children()); ++s)
        result.push_back(
          {{cell, f, s},
           FaceOfCell<dim>{cell->neighbor_child_on_subface(f, s), cell->neighbor_of_neighbor(f)}});
    else if (cell->neighbor_is_coarser(f))
      {
        const auto [face, sub_face] = cell->neighbor_of_coarser_neighbor(f);
        result.push_back({{cell, f}, FaceOfCell<dim>{cell->neighbor(f), face, int(sub_face)}});
      }
    else
      result.push_back(
        {{cell, f}, FaceOfCell<dim>{cell->neighbor(f), cell->neighbor_of_neighbor(f)}});
    return result;
  }

  /// The constant of the penalty.
  template <typename Cell>
  double
  constant_of(const Cell &cell, const unsigned int p)
  {
    const double dim = Cell::AccessorType::dimension;
    return cell->reference_cell().is_hyper_cube() ? 0.5 * dim * (p + 1.) * (p + 2.)
                                                  : 0.5 * (dim + 1) * (p + 1.) * (p + dim) / dim;
  }

  /// Times the area of a face: its penalty as the cell of this volume wants it.
  template <int dim>
  double
  faces_over_volume(const FaceOfCell<dim> &of, const unsigned int p, const double volume)
  {
    return constant_of(of.cell, p) * (of.sub_face < 0 ? 1. : of.cell->face(of.face)->n_children()) /
           volume;
  }

  /// Of a straight one.
  template <int dim>
  double
  faces_over_volume(const FaceOfCell<dim> &of, const unsigned int p)
  {
    return faces_over_volume(of, p, of.cell->measure());
  }
} // namespace Saltus::Tests

#endif
