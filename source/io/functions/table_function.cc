// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function_lib.h>
#include <deal.II/base/table.h>
#include <deal.II/base/utilities.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/rtree.h>

#include <saltus/base/expressions/text_file.h>
#include <saltus/io/functions/table_function.h>
#include <saltus/io/parameters/parameter_lists.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  CsvTable::CsvTable(const std::string &file)
  {
    std::istringstream stream(read_text("table", file));
    unsigned int       number = 0;
    for (std::string line; std::getline(stream, line);)
      {
        ++number;
        line = Utilities::trim(line);
        if (line.empty() || line[0] == '#')
          continue;
        AssertThrow(line.find('\0') == line.npos,
                    ExcMessage(file + ":" + std::to_string(number) +
                               ": there is a zero byte, which no table has."));
        const auto words = Utilities::split_string_list(line);
        if (columns.empty())
          {
            columns = words;
            continue;
          }
        const std::string place = file + ":" + std::to_string(number) + ": ";
        AssertThrow(words.size() == columns.size(),
                    ExcMessage(place + "there are " + std::to_string(words.size()) +
                               " numbers, but " + std::to_string(columns.size()) + " columns."));
        rows.emplace_back();
        for (const std::string &word : words)
          {
            const auto number = parse_number(word);
            AssertThrow(number, ExcMessage(place + "'" + word + "' is no number."));
            rows.back().push_back(*number);
          }
      }
    AssertThrow(!rows.empty(),
                ExcMessage(
                  "The table '" + file +
                  "' has no rows. Expected are a line of column names and rows of numbers."));
  }


  namespace
  {
    /// Values `[point][component]` at points in the space of the coordinates that a table has.
    template <int n>
    struct Samples
    {
      std::vector<Point<n>>            points;
      std::vector<std::vector<double>> values;
    };


    template <int n>
    class Interpolation
    {
    public:
      virtual ~Interpolation() = default;

      virtual double
      value(const Point<n> &point, const unsigned int component) const = 0;
    };


    class LinearInterpolation : public Interpolation<1>
    {
    public:
      explicit LinearInterpolation(const Samples<1> &samples)
      {
        std::vector<unsigned int> order(samples.points.size());
        for (unsigned int i = 0; i < order.size(); ++i)
          order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](const auto a, const auto b) {
          return samples.points[a][0] < samples.points[b][0];
        });
        for (const unsigned int i : order)
          {
            x.push_back(samples.points[i][0]);
            values.push_back(samples.values[i]);
          }
      }

      double
      value(const Point<1> &point, const unsigned int component) const override
      {
        const std::size_t right = std::upper_bound(x.begin(), x.end(), point[0]) - x.begin();
        if (right == 0)
          return values.front()[component];
        if (right == x.size())
          return values.back()[component];
        const double weight = (point[0] - x[right - 1]) / (x[right] - x[right - 1]);
        return (1. - weight) * values[right - 1][component] + weight * values[right][component];
      }

    private:
      std::vector<double>              x;
      std::vector<std::vector<double>> values;
    };


    /// Of each direction the coordinates that occur.
    template <int n>
    std::array<std::vector<double>, n>
    grid_lines(const std::vector<Point<n>> &points)
    {
      std::array<std::vector<double>, n> lines;
      for (unsigned int d = 0; d < n; ++d)
        {
          std::set<double> coordinates;
          for (const Point<n> &point : points)
            coordinates.insert(point[d]);
          lines[d].assign(coordinates.begin(), coordinates.end());
        }
      return lines;
    }


    template <int n>
    TableIndices<n>
    grid_position(const std::array<std::vector<double>, n> &lines, const Point<n> &point)
    {
      TableIndices<n> position;
      for (unsigned int d = 0; d < n; ++d)
        position[d] =
          std::lower_bound(lines[d].begin(), lines[d].end(), point[d]) - lines[d].begin();
      return position;
    }


    /// Whether each crossing of grid lines is one of the points.
    template <int n>
    bool
    is_grid(const std::array<std::vector<double>, n> &lines, const std::vector<Point<n>> &points)
    {
      std::size_t     n_crossings = 1;
      TableIndices<n> sizes;
      for (unsigned int d = 0; d < n; ++d)
        {
          n_crossings *= lines[d].size();
          sizes[d] = lines[d].size();
        }
      if (n_crossings != points.size() ||
          std::any_of(lines.begin(), lines.end(), [](const auto &l) { return l.size() < 2; }))
        return false;
      dealii::Table<n, bool> seen;
      seen.reinit(sizes);
      for (const Point<n> &point : points)
        {
          auto &crossing = seen(grid_position<n>(lines, point));
          if (crossing)
            return false;
          crossing = true;
        }
      return true;
    }


    template <int n>
    class GridInterpolation : public Interpolation<n>
    {
    public:
      GridInterpolation(const std::array<std::vector<double>, n> &lines, const Samples<n> &samples)
      {
        TableIndices<n> sizes;
        for (unsigned int d = 0; d < n; ++d)
          sizes[d] = lines[d].size();
        for (unsigned int c = 0; c < samples.values[0].size(); ++c)
          {
            dealii::Table<n, double> data;
            data.reinit(sizes);
            for (std::size_t i = 0; i < samples.points.size(); ++i)
              data(grid_position<n>(lines, samples.points[i])) = samples.values[i][c];
            functions.emplace_back(
              std::make_unique<Functions::InterpolatedTensorProductGridData<n>>(lines, data));
          }
      }

      double
      value(const Point<n> &point, const unsigned int component) const override
      {
        return functions[component]->value(point);
      }

    private:
      std::vector<std::unique_ptr<Function<n>>> functions;
    };


    template <int n>
    class NearestPoint : public Interpolation<n>
    {
    public:
      explicit NearestPoint(const Samples<n> &samples)
        : values(samples.values)
      {
        std::vector<std::pair<Point<n>, unsigned int>> leaves;
        for (unsigned int i = 0; i < samples.points.size(); ++i)
          leaves.emplace_back(samples.points[i], i);
        tree = pack_rtree(leaves);
      }

      double
      value(const Point<n> &point, const unsigned int component) const override
      {
        const auto nearest = tree.qbegin(boost::geometry::index::nearest(point, 1));
        return values[nearest->second][component];
      }

    private:
      std::vector<std::vector<double>>         values;
      RTree<std::pair<Point<n>, unsigned int>> tree;
    };


    template <int n>
    std::unique_ptr<const Interpolation<n>>
    interpolation(const Samples<n> &samples)
    {
      if constexpr (n == 1)
        return std::make_unique<LinearInterpolation>(samples);
      else
        {
          const auto lines = grid_lines<n>(samples.points);
          if (is_grid<n>(lines, samples.points))
            return std::make_unique<GridInterpolation<n>>(lines, samples);
          return std::make_unique<NearestPoint<n>>(samples);
        }
    }


    /// @tparam n number of coordinates in the table
    template <int dim, int n>
    class TableFunction : public Function<dim>
    {
    public:
      /// @param directions of the table's coordinates in space
      TableFunction(const Samples<n> &samples, const std::array<unsigned int, n> &directions)
        : Function<dim>(samples.values[0].size())
        , directions(directions)
        , data(interpolation(samples))
      {}

      double
      value(const Point<dim> &point, const unsigned int component) const override
      {
        Point<n> coordinates;
        for (unsigned int d = 0; d < n; ++d)
          coordinates[d] = point[directions[d]];
        return data->value(coordinates, component);
      }

    private:
      const std::array<unsigned int, n>             directions;
      const std::unique_ptr<const Interpolation<n>> data;
    };


    /// Direction of the coordinate that a column holds; nothing if it holds values.
    unsigned int
    direction_of(const std::string &column)
    {
      const std::string names = "xyz";
      return column.size() == 1 && names.find(column) != names.npos ? names.find(column)
                                                                    : numbers::invalid_unsigned_int;
    }


    /// The columns of values in the order of the components.
    std::vector<std::size_t>
    columns_of_values(const CsvTable                 &table,
                      const std::string              &file,
                      const std::vector<std::string> &components)
    {
      std::vector<std::size_t> result;
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (direction_of(table.columns[i]) == numbers::invalid_unsigned_int)
          result.push_back(i);
      std::vector<std::size_t> by_name;
      std::string              names;
      for (const std::string &component : components)
        {
          names += (names.empty() ? "" : ", ") + component;
          for (const std::size_t i : result)
            if (table.columns[i] == component)
              by_name.push_back(i);
        }
      AssertThrow(by_name.empty() || by_name.size() == result.size(),
                  ExcMessage("The table '" + file +
                             "' names some columns of values as components, but not all. The "
                             "components are " +
                             names +
                             ". Columns with all of these names may be in any order; with "
                             "none of them, columns are taken in the order of components."));
      return by_name.empty() ? result : by_name;
    }


    template <int dim, int n>
    std::shared_ptr<Function<dim>>
    make_function(const CsvTable &table, const std::vector<std::size_t> &columns)
    {
      std::array<unsigned int, n> directions{};
      unsigned int                n_found = 0;
      for (const std::string &column : table.columns)
        if (direction_of(column) != numbers::invalid_unsigned_int)
          directions[n_found++] = direction_of(column);

      Samples<n> samples;
      for (const auto &row : table.rows)
        {
          Point<n>            point;
          std::vector<double> values;
          unsigned int        coordinate = 0;
          for (std::size_t i = 0; i < row.size(); ++i)
            if (direction_of(table.columns[i]) != numbers::invalid_unsigned_int)
              point[coordinate++] = row[i];
          for (const std::size_t i : columns)
            values.push_back(row[i]);
          samples.points.push_back(point);
          samples.values.push_back(values);
        }
      return std::make_shared<TableFunction<dim, n>>(samples, directions);
    }
  } // namespace


  template <int dim>
  std::shared_ptr<Function<dim>>
  table_function(const std::string              &file,
                 const unsigned int              n_components,
                 const std::vector<std::string> &components)
  {
    const CsvTable         table(file);
    std::set<unsigned int> directions;
    unsigned int           n_values = 0;
    for (const std::string &column : table.columns)
      {
        const unsigned int direction = direction_of(column);
        AssertThrow(direction < dim || direction == numbers::invalid_unsigned_int,
                    ExcMessage("The table '" + file +
                               "' has a column 'z', but this run is in 2D."));
        if (direction == numbers::invalid_unsigned_int)
          ++n_values;
        else
          AssertThrow(directions.insert(direction).second,
                      ExcMessage("The table '" + file + "' has two columns '" + column + "'."));
      }
    AssertThrow(!directions.empty() && n_values == n_components,
                ExcMessage("The table '" + file + "' has " + std::to_string(directions.size()) +
                           " columns of coordinates (x, y, z) and " + std::to_string(n_values) +
                           " others. Expected are at least one of coordinates and " +
                           std::to_string(n_components) + " of values."));
    const auto columns = columns_of_values(table, file, components);
    if (directions.size() == 1)
      return make_function<dim, 1>(table, columns);
    if (directions.size() == 2)
      return make_function<dim, 2>(table, columns);
    if constexpr (dim == 3)
      return make_function<dim, 3>(table, columns);
    return nullptr;
  }


  template std::shared_ptr<Function<2>>
  table_function<2>(const std::string &, const unsigned int, const std::vector<std::string> &);
  template std::shared_ptr<Function<3>>
  table_function<3>(const std::string &, const unsigned int, const std::vector<std::string> &);
} // namespace Saltus
