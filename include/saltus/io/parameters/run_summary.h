// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_run_summary_h
#define saltus_io_parameters_run_summary_h

#include <deal.II/base/mpi.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/device/device.h>
#include <saltus/io/files/json.h>
#include <saltus/mesh/mixed_mesh.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// `1.50 GiB`; what is beyond all bounds is cut: the least that is needed it still is.
  std::string
  text_of_bytes(const double bytes);

  /// What a run says of a cycle before its first step or solve, below the line of RunSize, and
  /// notes in its record.
  class RunSummary
  {
  public:
    /// A line.
    /// @param value the same for the record
    void
    add(const std::string &name, const std::string &text, const Json &value);

    /// What is in the record only.
    void
    note(const std::string &name, const Json &value)
    {
      values[name] = value;
    }

    /// Names and texts in two columns.
    void
    print(std::ostream &stream) const;

    /// Values by their names.
    const Json &
    json() const
    {
      return values;
    }

  private:
    std::vector<std::pair<std::string, std::string>> lines;
    Json                                             values;
  };

  /// Numbers of elements by their shape, and of those among them that are curved or, where maps
  /// have degree 1, not affine: `512 triangles (64 curved), 128 quadrilaterals`. Collective.
  template <int dim>
  void
  add_elements(RunSummary &summary, const MixedMesh<dim> &meshes);

  /// The same of elements that are sets of cells: `100 polytopes of 512 triangles`. Collective.
  template <int dim>
  void
  add_polytopes(RunSummary                            &summary,
                const dealii::types::global_cell_index n_elements,
                const dealii::Triangulation<dim>      &triangulation);

  /// The lowest and the highest degree of the polynomials.
  void
  add_degrees(RunSummary &summary, const unsigned int lowest, const unsigned int highest);

  /// Memory that the largest rank takes now, and what is left of the host's and of the device's.
  /// Collective.
  void
  add_memory(RunSummary &summary, const Device device, const MPI_Comm communicator);

  /// Pictures that there will be.
  /// @param series path of the file that lists them
  /// @param number may be less if @p at_most
  /// @param bytes of one, see largest_picture()
  void
  add_pictures(RunSummary        &summary,
               const std::string &series,
               const double       number,
               const bool         at_most,
               const double       bytes);

  /// Tables that there will be; nothing is said of none.
  /// @param files with their directory, of which nothing is said
  void
  add_tables(RunSummary &summary, const std::vector<std::string> &files);
} // namespace Saltus

#endif
