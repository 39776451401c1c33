// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/component_transfer.h>
#include <saltus/operators/blocks/element_kernels.h>

namespace Saltus
{
  namespace
  {
    /// @param layouts of the scalar vector and of that with several components
    void
    check(const VectorLayout &scalar, const VectorLayout &vector, const unsigned int component)
    {
      VectorLayout expected = vector;
      expected.n_components = 1;
      check_layout(scalar, expected, "transfer of components");
      AssertThrow(component < vector.n_components,
                  dealii::ExcMessage("A vector with " + std::to_string(vector.n_components) +
                                     " components has no component " + std::to_string(component) +
                                     "."));
    }
  } // namespace

  template <typename Number>
  void
  extract_component(Vector<Number> &to, const Vector<double> &from, const unsigned int component)
  {
    check(to.layout(), from.layout(), component);
    launch(to.device(),
           to.n_elements(),
           ElementOperation::ExtractComponent<Number>{int(from.n_modes()),
                                                      int(from.n_components()),
                                                      int(component),
                                                      from.data(),
                                                      to.data()});
  }

  template <typename Number>
  void
  insert_component(Vector<double> &to, const Vector<Number> &from, const unsigned int component)
  {
    check(from.layout(), to.layout(), component);
    launch(to.device(),
           to.n_elements(),
           ElementOperation::InsertComponent<Number>{
             int(to.n_modes()), int(to.n_components()), int(component), from.data(), to.data()});
  }

#define SALTUS_COMPONENT_TRANSFER(Number)                                                        \
  template void extract_component(Vector<Number> &, const Vector<double> &, const unsigned int); \
  template void insert_component(Vector<double> &, const Vector<Number> &, const unsigned int);
  SALTUS_COMPONENT_TRANSFER(double)
  SALTUS_COMPONENT_TRANSFER(float)
#undef SALTUS_COMPONENT_TRANSFER
} // namespace Saltus
