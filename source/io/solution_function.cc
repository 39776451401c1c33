// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/io/checkpoint.h>
#include <saltus/io/solution_function.h>
#include <saltus/mesh/point_locator.h>

#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::vector<typename PointLocator<dim>::Simplex>
    simplices_of(const std::vector<double> &vertices)
    {
      std::vector<typename PointLocator<dim>::Simplex> simplices(vertices.size() /
                                                                 (dim * (dim + 1)));
      const double                                    *coordinate = vertices.data();
      for (auto &simplex : simplices)
        for (Point<dim> &vertex : simplex)
          for (unsigned int d = 0; d < dim; ++d)
            vertex[d] = *coordinate++;
      return simplices;
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
      SolutionFunction(const std::string         &file,
                       const std::vector<double> &vertices,
                       const std::vector<double> &coefficients,
                       const unsigned int         n_components)
        : Function<dim>(n_components)
        , file(file)
        , locator(simplices_of<dim>(vertices))
        , coefficients(coefficients)
        , basis(degree_of<dim>(file,
                               coefficients.size(),
                               vertices.size() / (dim * (dim + 1)),
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
        values = 0.;
        const double *coefficient =
          coefficients.data() + place.simplex * basis.n_dofs_per_cell() * this->n_components;
        for (unsigned int m = 0; m < basis.n_dofs_per_cell(); ++m)
          {
            const double mode = basis.shape_value(m, place.unit_point);
            for (unsigned int c = 0; c < this->n_components; ++c)
              values(c) += *coefficient++ * mode;
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
      const PointLocator<dim>      locator;
      const std::vector<double>    coefficients; ///< `[e][m][c]`
      const FE_SimplexDGModal<dim> basis;
    };
  } // namespace


  template <int dim>
  std::shared_ptr<Function<dim>>
  solution_function(const std::string &file,
                    const std::string &equation,
                    const unsigned int n_components)
  {
    const Checkpoint  checkpoint = Checkpoint::read(file);
    const std::string found      = checkpoint.get_string("equation");
    AssertThrow(found == equation,
                ExcMessage("The checkpoint file '" + file +
                           "' does not fit this run: its "
                           "equation is '" +
                           found + "', but this run has '" + equation + "'."));
    return std::make_shared<SolutionFunction<dim>>(file,
                                                   checkpoint.get_of_all_elements("vertices"),
                                                   checkpoint.get_of_all_elements("solution"),
                                                   n_components);
  }


  template std::shared_ptr<Function<2>>
  solution_function<2>(const std::string &, const std::string &, const unsigned int);
  template std::shared_ptr<Function<3>>
  solution_function<3>(const std::string &, const std::string &, const unsigned int);
} // namespace Saltus
