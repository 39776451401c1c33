// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/device/error_message.h>
#include <saltus/base/expressions/run_files.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/mesh/position_text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <zlib.h>

namespace Saltus
{
  namespace
  {
    /// Coordinates of the elements' vertices, `[e][v][d]`; of hypercubes the first ones.
    template <int dim>
    std::vector<double>
    vertices(const MixedMesh<dim> &meshes)
    {
      std::vector<double> result;
      for (const auto &mesh : meshes)
        for (unsigned int e = 0; e < mesh->n_elements(); ++e)
          for (const unsigned int v : mesh->order.vertices_of(e))
            for (unsigned int d = 0; d < dim; ++d)
              result.push_back(mesh->order.cells[e]->vertex(v)[d]);
      return result;
    }


    /// Sum of the CRC-32 of all cells: their number, vertices and boundary ids. Collective.
    template <typename Cell>
    std::int64_t
    checksum(const std::vector<Cell> &cells, const MPI_Comm communicator)
    {
      std::uint64_t sum     = 0;
      const auto    numbers = cell_numbers(cells);
      for (std::size_t i = 0; i < cells.size(); ++i)
        {
          const Cell &cell = cells[i];
          uLong       crc  = 0;
          const auto  add  = [&](const auto &value) {
            crc = crc32_z(crc, reinterpret_cast<const Bytef *>(&value), sizeof(value));
          };
          add(numbers[i]);
          for (const unsigned int v : cell->vertex_indices())
            add(cell->vertex(v));
          for (const auto &face : cell->face_iterators())
            if (face->at_boundary())
              add(face->boundary_id());
          sum += crc;
        }
      return static_cast<std::int64_t>(dealii::Utilities::MPI::sum(sum, communicator));
    }


    /// The order of the vertices of @p cell that have the coordinates @p values, `[v][d]`.
    template <int dim>
    VertexPermutation<dim>
    find_vertices(const typename dealii::Triangulation<dim>::active_cell_iterator &cell,
                  const double                                                    *values)
    {
      VertexPermutation<dim> result;
      for (unsigned int v = 0; v <= dim; ++v, values += dim)
        {
          unsigned int found = 0;
          while (found <= dim && !std::equal(values, values + dim, cell->vertex(found).begin_raw()))
            ++found;
          AssertThrow(found <= dim,
                      dealii::ExcMessage("A checkpoint has an element whose vertices are not those "
                                         "of its cell."));
          result[v] = found;
        }
      return result;
    }


    /// Degree of the elements' maps; 1 if none is curved.
    template <int dim>
    unsigned int
    map_degree_of(const MixedMesh<dim> &meshes)
    {
      unsigned int degree = 1;
      for (const auto &mesh : meshes)
        if (mesh->geometry.has_curved_elements)
          degree = std::max(degree, mesh->geometry.map_degree);
      return degree;
    }


    template <int dim>
    bool
    has_curved_elements(const MixedMesh<dim> &meshes)
    {
      return std::any_of(meshes.begin(), meshes.end(), [](const auto &mesh) {
        return mesh->geometry.has_curved_elements;
      });
    }


    /// Positions of the nodes of the elements' maps, `[e][i][d]`.
    template <int dim>
    std::vector<double>
    map_positions(const MixedMesh<dim> &meshes)
    {
      std::vector<double> result;
      for (const auto &mesh : meshes)
        {
          const ElementPoints<dim> points(mesh->geometry, map_nodes<dim>(map_degree_of(meshes)));
          for (unsigned int e = 0; e < mesh->n_elements(); ++e)
            for (const dealii::Point<dim> &point : points.positions(e))
              result.insert(result.end(), point.begin_raw(), point.end_raw());
        }
      return result;
    }


    template <int dim>
    std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
    owned_cells(const dealii::Triangulation<dim> &triangulation)
    {
      std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> cells;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          cells.push_back(cell);
      return cells;
    }


    /// Numbers of this rank's boundary faces among those of all ranks, which follow the numbers of
    /// their cells and their own in these. Collective.
    template <int dim>
    ElementBlocks
    boundary_face_blocks(const MixedMesh<dim> &meshes)
    {
      const MPI_Comm communicator = meshes[0]->order.triangulation.get_communicator();
      const auto     numbers      = cell_numbers(cells_of(meshes));
      std::vector<std::array<std::uint64_t, 2>> names;
      std::size_t                               first = 0;
      for (const auto &mesh : meshes)
        {
          for (const auto &face : mesh->connectivity.boundary_faces)
            names.push_back({numbers[first + face.element], face.cell_face});
          first += mesh->n_elements();
        }
      const auto               all = gather_on_first(communicator, names);
      std::vector<std::size_t> order(all.values.size());
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](const std::size_t a, const std::size_t b) {
        return all.values[a] < all.values[b];
      });
      OfRanks<dealii::types::global_dof_index> places{
        std::vector<dealii::types::global_dof_index>(order.size()), all.starts};
      for (std::size_t place = 0; place < order.size(); ++place)
        places.values[order[place]] = place;
      return {scatter_from_first(communicator, places), communicator};
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


    /// How a run was started is no part of what it is.
    const std::string start_entry = "Checkpoint/Restart";

    using Values = std::map<std::string, std::string>;

    /// The entries of a checkpoint; the path of none contains ` = `.
    Values
    read_values(const Checkpoint &checkpoint)
    {
      Values             values;
      std::istringstream stream(checkpoint.get_string("parameters"));
      for (std::string line; std::getline(stream, line);)
        {
          const auto equal = line.find(" = ");
          AssertThrow(equal != line.npos,
                      dealii::ExcMessage("A checkpoint has the line '" + line +
                                         "' among its parameters, which is no entry."));
          values.emplace(line.substr(0, equal), line.substr(equal + 3));
        }
      return values;
    }


    bool
    same_number(const std::string &a, const std::string &b)
    {
      char        *end_a = nullptr, *end_b = nullptr;
      const double value_a = std::strtod(a.c_str(), &end_a);
      const double value_b = std::strtod(b.c_str(), &end_b);
      return end_a != a.c_str() && *end_a == '\0' && end_b != b.c_str() && *end_b == '\0' &&
             value_a == value_b;
    }


    /// Whether two values are equal but for blanks and the spelling of numbers in a list.
    bool
    same_value(const std::string &a, const std::string &b)
    {
      const auto words_of = [](std::string text) {
        text.erase(std::remove_if(text.begin(), text.end(), [](const char c) { return c == ' '; }),
                   text.end());
        return dealii::Utilities::split_string_list(text);
      };
      const auto words_a = words_of(a), words_b = words_of(b);
      return std::equal(words_a.begin(),
                        words_a.end(),
                        words_b.begin(),
                        words_b.end(),
                        [](const std::string &word_a, const std::string &word_b) {
                          return word_a == word_b || same_number(word_a, word_b);
                        });
    }


    bool
    is_among(const std::string &entry, const std::vector<std::string> &list)
    {
      return std::any_of(list.begin(), list.end(), [&](const std::string &item) {
        return item.back() == '/' ? entry.compare(0, item.size(), item) == 0 : entry == item;
      });
    }
  } // namespace


  template <int dim>
  void
  set_discretization(Checkpoint           &checkpoint,
                     const std::string    &equation,
                     const std::string    &element,
                     const MixedMesh<dim> &meshes,
                     const ElementBlocks  &elements)
  {
    checkpoint.set("equation", equation);
    checkpoint.set("element", element);
    checkpoint.set("cells", static_cast<std::int64_t>(elements.n_cells()));
    checkpoint.set("mesh", checksum(cells_of(meshes), elements.communicator));
    checkpoint.set_by_element("vertices", elements, vertices(meshes), (dim + 1) * dim);
  }


  template <int dim>
  std::vector<VertexPermutation<dim>>
  check_discretization(const Checkpoint                 &checkpoint,
                       const std::string                &file,
                       const std::string                &equation,
                       const std::string                &element,
                       const dealii::Triangulation<dim> &triangulation)
  {
    const MPI_Comm      communicator = triangulation.get_communicator();
    const auto          cells        = owned_cells(triangulation);
    const ElementBlocks blocks(cell_numbers(cells), communicator);
    check(file, "equation is", checkpoint.get_string("equation"), equation);
    check(file, "finite element is", checkpoint.get_string("element"), element);
    check(file,
          "number of cells is",
          checkpoint.get_integer("cells"),
          static_cast<std::int64_t>(blocks.n_cells()));
    check(file,
          "mesh has vertices and boundary ids with the checksum",
          checkpoint.get_integer("mesh"),
          checksum(cells, communicator));

    constexpr unsigned int    n_values = (dim + 1) * dim;
    const std::vector<double> values   = checkpoint.get_by_element("vertices", blocks, n_values);
    std::vector<VertexPermutation<dim>> result(triangulation.n_active_cells());
    on_all_ranks(communicator, [&]() {
      for (std::size_t i = 0; i < cells.size(); ++i)
        result[cells[i]->active_cell_index()] =
          find_vertices<dim>(cells[i], values.data() + i * n_values);
    });
    return result;
  }


  template <int dim>
  void
  set_geometry(Checkpoint &checkpoint, const MixedMesh<dim> &meshes, const ElementBlocks &elements)
  {
    if (!has_curved_elements(meshes))
      return;
    const unsigned int degree = map_degree_of(meshes);
    checkpoint.set("map degree", static_cast<std::int64_t>(degree));
    checkpoint.set_by_element("map nodes",
                              elements,
                              map_positions(meshes),
                              map_nodes<dim>(degree).size() * dim);
  }


  template <int dim>
  void
  check_geometry(const Checkpoint     &checkpoint,
                 const std::string    &file,
                 const MixedMesh<dim> &meshes,
                 const ElementBlocks  &elements)
  {
    const bool         is_curved = has_curved_elements(meshes);
    const std::int64_t degree    = map_degree_of(meshes);
    check(file,
          "elements have maps of degree",
          checkpoint.has("map degree") ? checkpoint.get_integer("map degree") : 1,
          degree);
    if (!is_curved)
      return;
    const auto                cells    = cells_of(meshes);
    const std::vector<double> here     = map_positions(meshes);
    const std::size_t         n_values = map_nodes<dim>(degree).size() * dim;
    const std::vector<double> there    = checkpoint.get_by_element("map nodes", elements, n_values);
    on_all_ranks(elements.communicator, [&]() {
      for (std::size_t i = 0; i < here.size(); ++i)
        {
          const auto &cell = cells[i / n_values];
          AssertThrow(std::abs(here[i] - there[i]) < 1e-10 * cell->diameter() ||
                        here[i] == there[i],
                      dealii::ExcMessage("The checkpoint file '" + file +
                                         "' does not fit this run: " + cell_text(cell) +
                                         " was curved otherwise."));
        }
    });
  }


  template <int dim>
  void
  set_by_boundary_face(Checkpoint                &checkpoint,
                       const std::string         &name,
                       const MixedMesh<dim>      &meshes,
                       const std::vector<double> &values)
  {
    const ElementBlocks faces = boundary_face_blocks(meshes);
    std::size_t         n_own = 0;
    for (const auto &mesh : meshes)
      n_own += mesh->connectivity.boundary_faces.size();
    checkpoint.set_by_element(name,
                              faces,
                              values,
                              dealii::Utilities::MPI::max(n_own > 0 ? values.size() / n_own
                                                                    : std::size_t(0),
                                                          faces.communicator));
  }


  template <int dim>
  std::vector<double>
  get_by_boundary_face(const Checkpoint     &checkpoint,
                       const std::string    &name,
                       const MixedMesh<dim> &meshes,
                       const unsigned int    n_components)
  {
    return checkpoint.get_by_element(name, boundary_face_blocks(meshes), n_components);
  }


  void
  set_parameters(Checkpoint &checkpoint, const std::vector<ParameterEntry> &entries)
  {
    std::string text;
    for (const ParameterEntry &entry : entries)
      if (entry.path != start_entry)
        text += entry.path + " = " + entry.value + '\n';
    checkpoint.set("parameters", text);
  }


  std::vector<std::string>
  check_parameters(const Checkpoint                  &checkpoint,
                   const std::string                 &file,
                   const std::vector<ParameterEntry> &entries,
                   const std::vector<std::string>    &may_differ)
  {
    Values                   old_values = read_values(checkpoint);
    std::vector<std::string> reported;
    std::string              refused;
    const auto               compare =
      [&](const std::string &path, const std::string &old_value, const std::string &value) {
        if (same_value(old_value, value))
          return;
        const std::string text = path + " = '" + old_value + "' there, '" + value + "' now";
        if (is_among(path, may_differ))
          reported.push_back(text);
        else
          refused += (refused.empty() ? "" : "; ") + text;
      };
    for (const ParameterEntry &entry : entries)
      {
        if (entry.path == start_entry)
          continue;
        const auto old_value = old_values.find(entry.path);
        compare(entry.path,
                old_value == old_values.end() ? entry.default_value : old_value->second,
                entry.value);
        old_values.erase(entry.path);
      }
    for (const auto &[path, value] : old_values) // entries that this program does not have
      compare(path, value, "");
    AssertThrow(refused.empty(),
                dealii::ExcMessage("The checkpoint file '" + file +
                                   "' does not fit this run: " + refused +
                                   ". Restart with the values of the checkpoint, or start anew."));
    return reported;
  }


  namespace
  {
    /// What to do if a checkpoint cannot be read: whether the one before it can. Collective.
    std::string
    remedy(const std::string &file, const MPI_Comm communicator)
    {
      const std::string older = older_checkpoint(file);
      try
        {
          const Checkpoint   checkpoint = Checkpoint::read(older, communicator);
          std::ostringstream text;
          text << " The one before it, '" << older << "', is whole: rename it to '" << file
               << "' to go on after " << checkpoint.get_integer("steps") << " steps at time "
               << checkpoint.get_double("time") << '.';
          return text.str();
        }
      catch (const dealii::ExceptionBase &)
        {
          return "";
        }
    }


    Checkpoint
    read_or_offer_older(const std::string &file, const MPI_Comm communicator)
    {
      std::string error;
      try
        {
          return Checkpoint::read(file, communicator);
        }
      catch (const dealii::ExceptionBase &exception)
        {
          error = error_message(exception);
        }
      AssertThrow(false, dealii::ExcMessage(error + remedy(file, communicator)));
      return Checkpoint();
    }
  } // namespace


  Checkpoint
  read_checkpoint_of_run(const std::string                 &file,
                         const std::vector<ParameterEntry> &entries,
                         const std::vector<std::string>    &may_differ,
                         std::ostream                      &stream,
                         const MPI_Comm                     communicator)
  {
    const Checkpoint checkpoint = read_or_offer_older(file, communicator);
    note_input(file, file);
    for (const std::string &difference : check_parameters(checkpoint, file, entries, may_differ))
      stream << "Differs from the checkpoint: " << difference << std::endl;
    return checkpoint;
  }


  unsigned int
  checked_cycle(const Checkpoint &checkpoint, const std::string &file, const unsigned int n_cycles)
  {
    const std::int64_t cycle = checkpoint.get_integer("cycle");
    AssertThrow(0 <= cycle && cycle < n_cycles,
                dealii::ExcMessage("The checkpoint file '" + file +
                                   "' does not fit this run: it was written in cycle " +
                                   std::to_string(cycle) + ", counted from 0, but there are " +
                                   "Discretization/Cycles = " + std::to_string(n_cycles) + "."));
    return cycle;
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
    constexpr double largest = 1e100; // whose square is a number
    state.time               = checkpoint.get_double("time", -largest, largest);
    state.dt                 = checkpoint.get_double("step size", 0., largest);
    state.n_steps            = checkpoint.get_integer("steps", 0, std::numeric_limits<long>::max());
  }


#define SALTUS_CHECKPOINT_PARTS(dim)                                                       \
  template void                                set_discretization(Checkpoint &,            \
                                                                  const std::string &,     \
                                                                  const std::string &,     \
                                                                  const MixedMesh<dim> &,  \
                                                                  const ElementBlocks &);  \
  template std::vector<VertexPermutation<dim>> check_discretization(                       \
    const Checkpoint &,                                                                    \
    const std::string &,                                                                   \
    const std::string &,                                                                   \
    const std::string &,                                                                   \
    const dealii::Triangulation<dim> &);                                                   \
  template void set_geometry(Checkpoint &, const MixedMesh<dim> &, const ElementBlocks &); \
  template void check_geometry(const Checkpoint &,                                         \
                               const std::string &,                                        \
                               const MixedMesh<dim> &,                                     \
                               const ElementBlocks &);                                     \
  template void set_by_boundary_face(Checkpoint &,                                         \
                                     const std::string &,                                  \
                                     const MixedMesh<dim> &,                               \
                                     const std::vector<double> &);                         \
  template std::vector<double> get_by_boundary_face(const Checkpoint &,                    \
                                                    const std::string &,                   \
                                                    const MixedMesh<dim> &,                \
                                                    const unsigned int);
  SALTUS_CHECKPOINT_PARTS(2)
  SALTUS_CHECKPOINT_PARTS(3)
#undef SALTUS_CHECKPOINT_PARTS
} // namespace Saltus
