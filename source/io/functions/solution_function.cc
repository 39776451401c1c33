// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/expressions/run_files.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/mapped_file.h>
#include <saltus/io/functions/solution_function.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/point_locator.h>

#include <cstring>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// An array in a checkpoint file.
    class MappedArray
    {
    public:
      MappedArray(const MappedFile &file, const Checkpoint::Place &place)
        : n_elements(place.n_elements)
        , n_values(place.n_values)
        , bytes(file.data() + place.offset)
      {
        AssertThrow(place.offset + n_values * sizeof(double) <= file.size(),
                    ExcMessage("A checkpoint file was changed while it was read."));
      }

      double
      operator[](const std::size_t i) const
      {
        double value;
        std::memcpy(&value, bytes + i * sizeof(double), sizeof(double));
        return value;
      }

      const std::size_t n_elements, n_values;

    private:
      const char *bytes;
    };


    template <int dim>
    std::vector<typename PointLocator<dim>::Simplex>
    simplices_of(const MappedArray &vertices)
    {
      std::vector<typename PointLocator<dim>::Simplex> simplices(vertices.n_values /
                                                                 (dim * (dim + 1)));
      std::size_t                                      i = 0;
      for (auto &simplex : simplices)
        for (Point<dim> &vertex : simplex)
          for (unsigned int d = 0; d < dim; ++d)
            vertex[d] = vertices[i++];
      return simplices;
    }


    /// The maps of the elements of a run on a curved mesh, none of others.
    template <int dim>
    typename PointLocator<dim>::Maps
    maps_of(const MappedFile &file, const Checkpoint &checkpoint)
    {
      typename PointLocator<dim>::Maps maps;
      if (!checkpoint.has("map degree"))
        return maps;
      const unsigned int degree =
        checkpoint.get_integer("map degree", 1, ElementMapping<dim>::max_degree);
      const auto              nodes = std::make_shared<const MapNodes<dim>>(degree);
      const MappedArray       values(file, checkpoint.place_of("map nodes"));
      std::vector<Point<dim>> positions(nodes->points.size());
      checkpoint.require(values.n_values == checkpoint.place_of("vertices").n_values /
                                              (dim * (dim + 1)) * positions.size() * dim,
                         "map nodes",
                         "has another number of values than nodes of its degree");
      for (std::size_t i = 0; i < values.n_values;)
        {
          for (Point<dim> &position : positions)
            for (unsigned int d = 0; d < dim; ++d)
              position[d] = values[i++];
          maps.emplace_back(nodes, positions);
        }
      return maps;
    }


    /// The degree of so many coefficients on so many elements.
    /// @throws dealii::ExcMessage if there is none
    template <int dim>
    unsigned int
    degree_of(const std::string &file,
              const std::size_t  n_coefficients,
              const std::size_t  n_elements,
              const unsigned int n_components)
    {
      const std::size_t n_rows = n_elements * n_components; // each as long as there are modes
      unsigned int      degree = 0;
      while (n_rows > 0 &&
             n_rows * SimplexModalPolynomials<dim>::n_polynomials(degree) < n_coefficients)
        ++degree;
      AssertThrow(n_rows > 0 &&
                    n_rows * SimplexModalPolynomials<dim>::n_polynomials(degree) == n_coefficients,
                  ExcMessage("The checkpoint file '" + file + "' has " +
                             std::to_string(n_coefficients) + " coefficients on " +
                             std::to_string(n_elements) + " elements: no polynomials of " +
                             std::to_string(n_components) + " components have as many."));
      return degree;
    }


    template <int dim>
    class SolutionFunction : public Function<dim>
    {
    public:
      SolutionFunction(const std::string &file,
                       const Checkpoint  &checkpoint,
                       const unsigned int n_components)
        : Function<dim>(n_components)
        , file(file)
        , mapped(file)
        , coefficients(mapped, checkpoint.place_of("solution"))
        , locator(simplices_of<dim>({mapped, checkpoint.place_of("vertices")}),
                  maps_of<dim>(mapped, checkpoint))
        , basis(degree_of<dim>(file,
                               coefficients.n_values,
                               checkpoint.place_of("vertices").n_values / (dim * (dim + 1)),
                               n_components))
      {}

      void
      vector_value(const Point<dim> &point, dealii::Vector<double> &values) const override
      {
        const auto         place = locator.find(point);
        std::ostringstream message;
        message << "The point (" << point << ") lies outside the mesh of the checkpoint file '"
                << file << "'.";
        AssertThrow(place.outside <= 1., ExcMessage(message.str()));
        values        = 0.;
        std::size_t i = place.simplex * basis.n_dofs_per_cell() * this->n_components;
        for (unsigned int m = 0; m < basis.n_dofs_per_cell(); ++m)
          {
            const double mode = basis.shape_value(m, place.unit_point);
            for (unsigned int c = 0; c < this->n_components; ++c)
              values(c) += coefficients[i++] * mode;
          }
      }

      double
      value(const Point<dim> &point, const unsigned int component) const override
      {
        dealii::Vector<double> values(this->n_components);
        vector_value(point, values);
        return values(component);
      }

    private:
      const std::string            file;
      const MappedFile             mapped;
      const MappedArray            coefficients; ///< `[e][m][c]`
      const PointLocator<dim>      locator;
      const FE_SimplexDGModal<dim> basis;
    };
  } // namespace


  template <int dim>
  std::shared_ptr<Function<dim>>
  solution_function(const std::string &file,
                    const std::string &equation,
                    const unsigned int n_components,
                    const MPI_Comm     communicator)
  {
    const Checkpoint checkpoint = Checkpoint::read(file, communicator);
    note_input(file);
    const std::string found = checkpoint.get_string("equation");
    AssertThrow(found == equation,
                ExcMessage("The checkpoint file '" + file +
                           "' does not fit this run: its "
                           "equation is '" +
                           found + "', but this run has '" + equation + "'."));
    const std::string element = checkpoint.has("element") ? checkpoint.get_string("element") : "";
    AssertThrow(element.find("FE_HypercubeDG") == std::string::npos,
                ExcMessage("The solution in the checkpoint file '" + file + "' is one of " +
                           element +
                           ": only those on meshes of triangles or of tetrahedra can be "
                           "evaluated on another mesh. On its own mesh a run goes on from a "
                           "checkpoint by --restart."));
    std::shared_ptr<Function<dim>> function;
    on_all_ranks(communicator, [&]() {
      function = std::make_shared<SolutionFunction<dim>>(file, checkpoint, n_components);
    });
    return function;
  }


  template std::shared_ptr<Function<2>>
  solution_function<2>(const std::string &,
                       const std::string &,
                       const unsigned int,
                       const MPI_Comm);
  template std::shared_ptr<Function<3>>
  solution_function<3>(const std::string &,
                       const std::string &,
                       const unsigned int,
                       const MPI_Comm);
} // namespace Saltus
