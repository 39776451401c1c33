// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/out_of_memory.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/run_summary.h>
#include <saltus/mesh/make/mesh_size.h>
#include <saltus/mesh/mesh_shapes.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <map>

namespace Saltus
{
  namespace
  {
    /// Of cells of one shape.
    struct ShapeCount
    {
      std::string   shape;
      std::uint64_t n = 0, n_curved = 0;
      unsigned int  map_degree = 1;
    };


    std::string
    plural(const dealii::ReferenceCell &shape)
    {
      static const std::map<std::string, std::string> names = {{"Tri", "triangles"},
                                                               {"Quad", "quadrilaterals"},
                                                               {"Tet", "tetrahedra"},
                                                               {"Hex", "hexahedra"}};
      const auto                                      found = names.find(shape.to_string());
      return found == names.end() ? shape.to_string() : found->second;
    }


    std::string
    text_of(const std::vector<ShapeCount> &counts)
    {
      std::string text;
      for (const ShapeCount &count : counts)
        {
          text += (text.empty() ? "" : ", ") + std::to_string(count.n) + ' ' + count.shape;
          if (count.n_curved > 0)
            text += " (" + std::to_string(count.n_curved) +
                    (count.map_degree > 1 ? " curved)" : " not affine)");
        }
      return text;
    }


    Json
    json_of(const std::vector<ShapeCount> &counts)
    {
      Json result;
      for (const ShapeCount &count : counts)
        {
          result[count.shape]["number"]     = count.n;
          result[count.shape]["not affine"] = count.n_curved;
        }
      return result;
    }


    void
    add_over_ranks(std::vector<ShapeCount> &counts, const MPI_Comm communicator)
    {
      for (ShapeCount &count : counts)
        {
          count.n        = dealii::Utilities::MPI::sum(count.n, communicator);
          count.n_curved = dealii::Utilities::MPI::sum(count.n_curved, communicator);
        }
    }

  } // namespace


  std::string
  text_of_bytes(const double bytes)
  {
    return bytes_for_people(static_cast<std::size_t>(std::min(bytes, 1e18)));
  }


  void
  RunSummary::add(const std::string &name, const std::string &text, const Json &value)
  {
    lines.emplace_back(name, text);
    note(name, value);
  }


  void
  RunSummary::print(std::ostream &stream) const
  {
    std::size_t width = 0;
    for (const auto &[name, text] : lines)
      width = std::max(width, name.size());
    for (const auto &[name, text] : lines)
      stream << "  " << name << std::string(width + 2 - name.size(), ' ') << text << '\n';
    stream << std::flush;
  }


  template <int dim>
  void
  add_elements(RunSummary &summary, const MixedMesh<dim> &meshes)
  {
    std::vector<ShapeCount> counts;
    for (const auto &mesh : meshes)
      {
        ShapeCount count;
        count.shape      = plural(mesh->geometry.cell);
        count.n          = mesh->n_elements();
        count.map_degree = mesh->geometry.map_degree;
        for (unsigned int e = 0; e < mesh->n_elements(); ++e)
          count.n_curved += mesh->geometry.curved_map(e) != nullptr ? 1 : 0;
        counts.push_back(count);
      }
    add_over_ranks(counts, meshes[0]->order.triangulation.get_communicator());
    summary.add("elements", text_of(counts), json_of(counts));
  }


  template <int dim>
  void
  add_polytopes(RunSummary                            &summary,
                const dealii::types::global_cell_index n_elements,
                const dealii::Triangulation<dim>      &triangulation)
  {
    const MeshShapes<dim>   shapes(triangulation);
    std::vector<ShapeCount> counts = shapes.for_each([](const dealii::ReferenceCell &shape) {
      ShapeCount count;
      count.shape = plural(shape);
      return count;
    });
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        ++counts[shapes.number(cell)].n;
    add_over_ranks(counts, triangulation.get_communicator());

    Json value                   = json_of(counts);
    value["polytopes"]["number"] = n_elements;
    summary.add("elements", std::to_string(n_elements) + " polytopes of " + text_of(counts), value);
  }


  void
  add_degrees(RunSummary &summary, const unsigned int lowest, const unsigned int highest)
  {
    summary.add("degree",
                std::to_string(lowest) + (highest > lowest ? " to " + std::to_string(highest) : ""),
                highest > lowest ? Json(std::vector<unsigned int>{lowest, highest}) : Json(lowest));
  }


  void
  add_memory(RunSummary &summary, const Device device, const MPI_Comm communicator)
  {
    // Also of ranks that have no GPU beside others that have one.
    constexpr double unknown = static_cast<double>(std::numeric_limits<std::size_t>::max());
    const auto       least   = [&](const double bytes) {
      return dealii::Utilities::MPI::min(bytes, communicator);
    };
    const double in_use = dealii::Utilities::MPI::max(double(host_memory_in_use()), communicator);
    const double left   = least(available_memory(Device::cpu()));
    const double of_gpu = least(device.is_cuda() ? available_memory(device) : unknown);

    std::string text =
      text_of_bytes(in_use) + " in use" + (n_ranks(communicator) > 1 ? " by the largest rank" : "");
    Json value;
    value["in use"] = in_use;
    if (left < unknown)
      {
        text += ", " + text_of_bytes(left) + " left";
        value["left"] = left;
      }
    if (of_gpu < unknown)
      {
        text += ", " + text_of_bytes(of_gpu) + " left of the GPU's";
        value["left of GPU"] = of_gpu;
      }
    summary.add("memory", text, value);
  }


  void
  add_pictures(RunSummary        &summary,
               const std::string &series,
               const double       number,
               const bool         at_most,
               const double       bytes)
  {
    Json value;
    value["series"]     = series;
    value["number"]     = number;
    value["bytes each"] = bytes;
    summary.add("pictures",
                (at_most ? "at most " : "") + count_for_people(number) + " in " + series +
                  (number > 1. ? ", each" : ",") + " at most " + text_of_bytes(bytes) +
                  (number > 1. ? ", " + text_of_bytes(number * bytes) + " in all" : ""),
                value);
  }


  void
  add_tables(RunSummary &summary, const std::vector<std::string> &files)
  {
    std::string text;
    for (const std::string &file : files)
      text += (text.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
    if (!files.empty())
      summary.add("tables", text, files);
  }


  template void
  add_elements(RunSummary &, const MixedMesh<2> &);
  template void
  add_elements(RunSummary &, const MixedMesh<3> &);
  template void
  add_polytopes(RunSummary &,
                const dealii::types::global_cell_index,
                const dealii::Triangulation<2> &);
  template void
  add_polytopes(RunSummary &,
                const dealii::types::global_cell_index,
                const dealii::Triangulation<3> &);
} // namespace Saltus
