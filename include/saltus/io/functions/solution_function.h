// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_solution_function_h
#define saltus_io_functions_solution_function_h

#include <deal.II/base/function.h>
#include <deal.II/base/mpi.h>

#include <memory>
#include <string>

namespace Saltus
{
  /// The solution in a checkpoint as a function: the piecewise polynomial on the mesh of the run
  /// that wrote it, of any degree. Projecting it onto another mesh or degree evaluates it at the
  /// quadrature points there, which is the \f$ L^2 \f$ projection up to quadrature, and exact where
  /// the solution is a polynomial of the new degree.
  ///
  /// The file is read by all ranks together, a part each, to see that it is whole; then its
  /// coefficients are taken from where they stand in it, so that a node has them once, and only
  /// those that are asked for. Collective; the function itself is not. The file may be replaced
  /// meanwhile, but must not be written over.
  ///
  /// A point that lies outside that mesh, by at most the size of an element (as at a curved
  /// boundary that polygons of different fineness approach), takes the polynomial of a nearest
  /// element.
  ///
  /// @throws dealii::ExcMessage as Checkpoint::read() does, and for a checkpoint of another
  /// equation or dimension; when evaluated, naming the file and the point, if it lies farther
  /// outside
  /// @param equation name of the equation with its dimension, as set_discretization() has it
  template <int dim>
  std::shared_ptr<dealii::Function<dim>>
  solution_function(const std::string &file,
                    const std::string &equation,
                    const unsigned int n_components,
                    const MPI_Comm     communicator = MPI_COMM_WORLD);
} // namespace Saltus

#endif
