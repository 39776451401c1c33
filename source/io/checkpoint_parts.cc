// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/checkpoint_parts.h>

#include <zlib.h>

namespace Saltus
{
  namespace
  {
    /// CRC-32 of the vertices of all active cells, in their order.
    template <int dim>
    std::int64_t
    checksum(const dealii::Triangulation<dim> &triangulation)
    {
      uLong crc = 0;
      for (const auto &cell : triangulation.active_cell_iterators())
        for (const unsigned int v : cell->vertex_indices())
          for (unsigned int d = 0; d < dim; ++d)
            {
              const double x = cell->vertex(v)[d];
              crc            = crc32_z(crc, reinterpret_cast<const Bytef *>(&x), sizeof(x));
            }
      return static_cast<std::int64_t>(crc);
    }


    template <typename T>
    void
    check(const std::string &file, const std::string &what, const T &found, const T &wanted)
    {
      std::ostringstream message;
      message << "The checkpoint file '" << file << "' does not fit this run: its " << what << " '"
              << found << "', but this run has '" << wanted << "'.";
      AssertThrow(found == wanted, dealii::ExcMessage(message.str()));
    }
  } // namespace


  template <int dim>
  void
  set_discretization(Checkpoint                    &checkpoint,
                     const std::string             &equation,
                     const dealii::DoFHandler<dim> &dof_handler)
  {
    const auto &triangulation = dof_handler.get_triangulation();
    checkpoint.set("equation", equation);
    checkpoint.set("element", dof_handler.get_fe().get_name());
    checkpoint.set("cells", static_cast<std::int64_t>(triangulation.n_active_cells()));
    checkpoint.set("mesh", checksum(triangulation));
  }


  template <int dim>
  void
  check_discretization(const Checkpoint              &checkpoint,
                       const std::string             &file,
                       const std::string             &equation,
                       const dealii::DoFHandler<dim> &dof_handler)
  {
    const auto &triangulation = dof_handler.get_triangulation();
    check(file, "equation is", checkpoint.get_string("equation"), equation);
    check(file,
          "finite element is",
          checkpoint.get_string("element"),
          dof_handler.get_fe().get_name());
    check(file,
          "number of cells is",
          checkpoint.get_integer("cells"),
          static_cast<std::int64_t>(triangulation.n_active_cells()));
    check(file,
          "mesh has vertices with the checksum",
          checkpoint.get_integer("mesh"),
          checksum(triangulation));
  }


  void
  set_time_state(Checkpoint &checkpoint, const TimeState &state)
  {
    checkpoint.set("time", state.time);
    checkpoint.set("step size", state.dt);
    checkpoint.set("steps", static_cast<std::int64_t>(state.n_steps));
  }


  void
  get_time_state(const Checkpoint &checkpoint, TimeState &state)
  {
    state.time    = checkpoint.get_double("time");
    state.dt      = checkpoint.get_double("step size");
    state.n_steps = checkpoint.get_integer("steps");
  }


  template void
  set_discretization(Checkpoint &, const std::string &, const dealii::DoFHandler<2> &);
  template void
  set_discretization(Checkpoint &, const std::string &, const dealii::DoFHandler<3> &);
  template void
  check_discretization(const Checkpoint &,
                       const std::string &,
                       const std::string &,
                       const dealii::DoFHandler<2> &);
  template void
  check_discretization(const Checkpoint &,
                       const std::string &,
                       const std::string &,
                       const dealii::DoFHandler<3> &);
} // namespace Saltus
