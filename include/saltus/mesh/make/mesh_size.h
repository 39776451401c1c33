// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_mesh_size_h
#define saltus_mesh_make_mesh_size_h

#include <string>

/// Numbers of elements as floating-point numbers: those that are asked for exceed all integers.
namespace Saltus
{
  /// More elements have more faces, on all levels of refinement, than deal.II has numbers for.
  constexpr double max_n_elements = 1 << 29;

  /// Bytes that each active cell takes in a dealii::Triangulation of simplices, at least: measured
  /// with deal.II 9.4 on meshes without refinement, which takes more.
  constexpr double
  triangulation_bytes(const unsigned int dim)
  {
    return dim == 2 ? 160. : 300.;
  }

  /// `536870912`, all digits.
  std::string
  count_for_people(const double n);

  /// @throws dealii::ExcMessage with the number and the remedy, if a triangulation of so many
  /// elements is beyond #max_n_elements or the host's memory
  void
  check_mesh_size(const unsigned int dim, const double n_elements);
} // namespace Saltus

#endif
