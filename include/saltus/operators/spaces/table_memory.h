// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_table_memory_h
#define saltus_operators_spaces_table_memory_h

#include <saltus/base/device/memory.h>
#include <saltus/fe/reference_element.h>
#include <saltus/operators/spaces/element_tables.h>

namespace Saltus
{
  /// The tables of a reference element on a device, in one precision.
  template <typename Number>
  class TableMemory
  {
  public:
    template <int dim>
    TableMemory(const ReferenceElement<dim> &reference, const Device device);

    const ElementTables<Number> &
    arrays() const
    {
      return tables;
    }

    std::size_t
    memory_consumption() const
    {
      return numbers.size() * sizeof(Number) + face_permutations.size() * sizeof(FacePoint);
    }

  private:
    Memory<Number>        numbers; ///< all tables, one after the other
    Memory<FacePoint>     face_permutations;
    ElementTables<Number> tables;
  };
} // namespace Saltus

#endif
