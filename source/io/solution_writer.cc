// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/io/files.h>
#include <saltus/io/solution_writer.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    /// Runs of @p dim equal names are vectors.
    template <typename Ranges>
    Ranges
    find_vectors(const std::vector<std::string> &names, const unsigned int dim)
    {
      Ranges ranges;
      for (unsigned int first = 0; first + dim <= names.size();)
        {
          const bool is_vector = std::all_of(names.begin() + first,
                                             names.begin() + first + dim,
                                             [&](const auto &n) { return n == names[first]; });
          if (is_vector)
            ranges.emplace_back(first,
                                first + dim - 1,
                                names[first],
                                dealii::DataComponentInterpretation::component_is_part_of_vector);
          first += is_vector ? dim : 1;
        }
      return ranges;
    }

  } // namespace


  template <int dim>
  SolutionWriter<dim>::SolutionWriter(const dealii::Mapping<dim>       &mapping,
                                      const dealii::Triangulation<dim> &triangulation,
                                      const unsigned int                subdivisions,
                                      const std::vector<std::string>   &quantities,
                                      const std::string                &directory,
                                      const std::string                &name)
    : mapping(&mapping)
    , triangulation(&triangulation)
    , subdivision(subdivide_simplex<dim>(std::max(1U, subdivisions)))
    , quantities(quantities)
    , vectors(find_vectors<Ranges>(quantities, dim))
    , directory(directory)
    , name(name)
  {
    AssertThrow(triangulation.all_reference_cells_are_simplex(),
                ExcMessage("Solutions can be written on meshes of triangles or tetrahedra only."));
    dealii::DataOutBase::VtkFlags flags;
    flags.compression_level = dealii::DataOutBase::VtkFlags::best_speed;
    this->set_flags(flags);
    make_directory_of(path(name));
  }


  template <int dim>
  std::string
  SolutionWriter<dim>::path(const std::string &file) const
  {
    return directory.empty() ? file : directory + '/' + file;
  }


  template <int dim>
  std::string
  SolutionWriter<dim>::file_name(const unsigned int number) const
  {
    return name + '-' + dealii::Utilities::int_to_string(number, 4) + ".vtu";
  }


  template <int dim>
  void
  SolutionWriter<dim>::continue_from(const std::vector<double> &times)
  {
    series.clear();
    for (n_files = 0; n_files < times.size(); ++n_files)
      if (std::filesystem::exists(path(file_name(n_files))))
        series.emplace_back(times[n_files], file_name(n_files));
    write_list();
  }


  template <int dim>
  void
  SolutionWriter<dim>::write_list() const
  {
    if (dealii::Utilities::MPI::this_mpi_process(triangulation->get_communicator()) == 0)
      replace_file(path(name + ".pvd"), [&](std::ostream &stream) {
        dealii::DataOutBase::write_pvd_record(stream, series);
      });
  }


  template <int dim>
  void
  SolutionWriter<dim>::build_patches(const Evaluate &evaluate)
  {
    const dealii::ReferenceCell   cell_type = dealii::ReferenceCells::get_simplex<dim>();
    const dealii::FE_Nothing<dim> element(cell_type);
    dealii::FEValues<dim>         fe_values(*mapping,
                                    element,
                                    dealii::Quadrature<dim>(subdivision.points),
                                    dealii::update_quadrature_points);
    dealii::Table<2, double>      values(subdivision.points.size(), quantities.size());

    for (const auto &cell : triangulation->active_cell_iterators())
      {
        if (!cell->is_locally_owned())
          continue;
        fe_values.reinit(cell);
        evaluate(cell->active_cell_index(), values);

        for (const auto &simplex : subdivision.simplices)
          {
            Patch patch;
            patch.reference_cell = cell_type;
            patch.patch_index    = patches.size();
            patch.data.reinit(quantities.size(), dim + 1);
            for (unsigned int v = 0; v <= dim; ++v)
              {
                patch.vertices[v] = fe_values.quadrature_point(simplex[v]);
                for (unsigned int c = 0; c < quantities.size(); ++c)
                  patch.data(c, v) = static_cast<float>(values(simplex[v], c));
              }
            patches.push_back(std::move(patch));
          }
      }
  }


  template <int dim>
  std::string
  SolutionWriter<dim>::write(const double time, const Evaluate &evaluate)
  {
    const MPI_Comm     communicator = triangulation->get_communicator();
    const unsigned int rank         = dealii::Utilities::MPI::this_mpi_process(communicator);
    const std::string  file         = file_name(n_files);

    if (rank == 0)
      make_directory_of(path(file));
    build_patches(evaluate);
    if (dealii::Utilities::MPI::n_mpi_processes(communicator) == 1)
      replace_file(path(file), [&](std::ostream &stream) { this->write_vtu(stream); });
    else
      {
        dealii::Utilities::MPI::sum(rank, communicator); // the directory is there
        this->write_vtu_in_parallel(path(file), communicator);
      }
    patches = {};

    ++n_files;
    series.emplace_back(time, file);
    write_list();
    return path(file);
  }


  template class SolutionWriter<2>;
  template class SolutionWriter<3>;
} // namespace Saltus
