// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/tensor.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/fe/simplex.h>
#include <saltus/mesh/curve/gmsh_nodes.h>
#include <saltus/mesh/make/gmsh_file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace Saltus
{
  namespace
  {
    using dealii::Point;

    /// The lines of a text that are not empty, one after the other, split into words.
    class Lines
    {
    public:
      explicit Lines(const std::string_view text)
        : rest(text)
      {}

      std::size_t                   number = 0; ///< of the line, from 1
      std::vector<std::string_view> words;

      /// Go to the next line. False at the end of the text.
      bool
      next()
      {
        words.clear();
        while (words.empty() && !rest.empty())
          {
            line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            ++number;
            split();
          }
        return !words.empty();
      }

      /// Go to the next line, which must have @p n_words words and is @p what.
      void
      next(const std::size_t n_words, const char *what)
      {
        if (!next())
          fail(std::string("the file ends where there should be ") + what);
        if (words.size() != n_words)
          fail(std::string("this should be ") + what);
      }

      /// Word @p i of the line, a finite number.
      template <typename Number>
      Number
      value(const std::size_t i, const char *what) const
      {
        Number           result{};
        std::string_view word = words[i];
        word.remove_prefix(word[0] == '+');
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), result);
        if (error != std::errc() || end != word.data() + word.size() ||
            !std::isfinite(static_cast<double>(result)))
          fail("'" + printable(word) + "' is no " + what);
        return result;
      }

      std::size_t
      count(const std::size_t i, const char *what) const
      {
        return value<std::size_t>(i, what);
      }

      [[noreturn]] void
      fail(const std::string &problem) const
      {
        throw std::runtime_error("line " + std::to_string(number) +
                                 (words.empty() ? "" : " ('" + printable(line) + "')") + ": " +
                                 problem + ".");
      }

    private:
      void
      split()
      {
        constexpr const char *space = " \t\r\v\f";
        for (std::size_t begin = line.find_first_not_of(space); begin != line.npos;)
          {
            const std::size_t end = std::min(line.find_first_of(space, begin), line.size());
            words.push_back(line.substr(begin, end - begin));
            begin = line.find_first_not_of(space, end);
          }
      }

      /// The beginning of a text as it may stand in a message.
      static std::string
      printable(const std::string_view text)
      {
        constexpr std::size_t longest = 60;
        std::string           result(text.substr(0, longest));
        result.erase(result.find_last_not_of(" \t\r\v\f") + 1);
        for (char &c : result)
          if (c < ' ' || c > '~')
            c = '?';
        return text.size() > longest ? result + "..." : result;
      }

      std::string_view rest, line;
    };


    /// Points, edges, simplices and hypercubes with all nodes of their degree.
    struct ElementType
    {
      unsigned int dimension, degree;
      bool         hypercube = false; ///< not of edges

      std::size_t
      n_nodes() const
      {
        if (hypercube)
          return std::pow(degree + 1, dimension);
        switch (dimension)
          {
            case 0:
              return 1;
            case 1:
              return Simplex<1>::n_modes(degree);
            case 2:
              return Simplex<2>::n_modes(degree);
            default:
              return Simplex<3>::n_modes(degree);
          }
      }

      std::string
      name() const
      {
        constexpr const char *names[] = {
          "a point", "an edge", "a triangle", "a tetrahedron", "a quadrilateral", "a hexahedron"};
        return names[dimension + 2 * hypercube] +
               (degree == 1 ? "" : " of order " + std::to_string(degree));
      }
    };

    /// Those of Gmsh, by number.
    const std::map<std::size_t, ElementType> element_types = {
      {15, {0, 1}},       {1, {1, 1}},        {8, {1, 2}},        {26, {1, 3}},
      {27, {1, 4}},       {28, {1, 5}},       {2, {2, 1}},        {9, {2, 2}},
      {21, {2, 3}},       {23, {2, 4}},       {25, {2, 5}},       {4, {3, 1}},
      {11, {3, 2}},       {29, {3, 3}},       {30, {3, 4}},       {31, {3, 5}},
      {3, {2, 1, true}},  {10, {2, 2, true}}, {36, {2, 3, true}}, {37, {2, 4, true}},
      {38, {2, 5, true}}, {5, {3, 1, true}},  {12, {3, 2, true}}, {92, {3, 3, true}},
      {93, {3, 4, true}}, {94, {3, 5, true}}};


    /// Reads one file.
    template <int dim, bool hypercube>
    class Parser
    {
      static constexpr unsigned int n_cell_vertices = hypercube ? 1 << dim : dim + 1;
      static constexpr unsigned int n_face_vertices = hypercube ? 1 << (dim - 1) : dim;
      static constexpr unsigned int n_faces         = hypercube ? 2 * dim : dim + 1;

    public:
      /// @param skips_others whether cells of the other shape are left out; then faces need not
      /// belong to a cell
      Parser(const std::string &text, const unsigned int max_degree, const bool skips_others)
        : lines(text)
        , max_degree(max_degree)
        , skips_others(skips_others)
      {}

      GmshMesh<dim>
      parse()
      {
        read_format();
        while (lines.next())
          read_section();
        if (cells.empty() && !skips_others)
          lines.fail("the file ends without " + ElementType{dim, 1, hypercube}.name());
        if (dim == 2 && !cells.empty())
          check_plane();
        for (Cell &cell : cells)
          orient(cell);
        collect_sides();
        if (degree > 1)
          check_shared_nodes();
        return mesh();
      }

    private:
      struct Node
      {
        Point<3>    position;
        std::size_t line;
      };

      /// A cell or a face.
      template <std::size_t n_vertices>
      struct Element
      {
        std::array<unsigned int, n_vertices> vertices; ///< in Gmsh's order
        unsigned int                         id;       ///< physical, 0: none
        std::size_t                          line;
      };

      using Cell = Element<n_cell_vertices>;
      using Face = Element<n_face_vertices>;

      /// A face as one of its cells sees it.
      struct Side
      {
        std::array<unsigned int, n_face_vertices> vertices; ///< ascending
        std::size_t                               cell;
        unsigned int                              face; ///< number in the cell

        bool
        operator<(const Side &other) const
        {
          return vertices < other.vertices;
        }
      };

      void
      read_format()
      {
        if (!lines.next() || lines.words[0] != "$MeshFormat")
          lines.fail("a Gmsh file begins with '$MeshFormat'");
        lines.next(3, "the format (version, file type, data size)");
        const auto version = lines.value<double>(0, "version of the format");
        is_4               = version == 4.1;
        if (!is_4 && !(version >= 2. && version <= 2.2))
          lines.fail("the format is neither 2.2 nor 4.1; write it with 'gmsh -format msh41'");
        if (lines.words[1] != "0")
          lines.fail("the file is binary; write it with 'gmsh -bin 0'");
        end_section("$MeshFormat");
      }

      void
      read_section()
      {
        const std::string name(lines.words[0]);
        if (name[0] != '$' || lines.words.size() > 1)
          lines.fail("this should be the beginning of a section, '$NAME'");
        const bool is_read = name == "$Nodes" || name == "$Elements" || name == "$Entities";
        if (name == "$PartitionedEntities")
          lines.fail("the mesh is partitioned; write it as one");
        if (is_read && !seen.insert(name).second)
          lines.fail("the section is there a second time");
        if (name == "$Entities" && !is_4)
          lines.fail("format 2.2 has no such section");
        if (name == "$Elements" && seen.count("$Nodes") == 0)
          lines.fail("the nodes must come before");
        if (name == "$Entities" && seen.size() > 1)
          lines.fail("the entities must come before nodes and elements");

        if (name == "$Entities")
          read_entities();
        else if (name == "$Nodes")
          is_4 ? read_nodes_4() : read_nodes_2();
        else if (name == "$Elements")
          is_4 ? read_elements_4() : read_elements_2();
        else
          return skip_section(name);
        end_section(name);
      }

      void
      end_section(const std::string &name)
      {
        const std::string end = "$End" + name.substr(1);
        if (!lines.next() || lines.words[0] != end)
          lines.fail("this should be '" + end + "'");
      }

      void
      skip_section(const std::string &name)
      {
        const std::size_t begin = lines.number;
        const std::string end   = "$End" + name.substr(1);
        while (lines.next())
          if (lines.words[0] == end)
            return;
        lines.fail("the file ends in the section '" + name + "' of line " + std::to_string(begin));
      }

      /// Physical ids of points, curves, surfaces and volumes.
      void
      read_entities()
      {
        lines.next(4, "numbers of points, curves, surfaces and volumes");
        std::array<std::size_t, 4> n_entities;
        for (unsigned int d = 0; d < 4; ++d)
          n_entities[d] = lines.count(d, "number of entities");
        for (unsigned int d = 0; d < 4; ++d)
          for (std::size_t i = 0; i < n_entities[d]; ++i)
            {
              const std::size_t n_physical = d == 0 ? 4 : 7; // behind tag and bounding box
              const char *const expected =
                "an entity (tag, box, number of physical ids, those ids)";
              if (!lines.next() || lines.words.size() <= n_physical)
                lines.fail(std::string("this should be ") + expected);
              const auto n = lines.count(n_physical, "number of physical ids");
              if (n >= lines.words.size() - n_physical)
                lines.fail(std::string("this should be ") + expected);
              if (n > 1 && d + 1 >= dim)
                lines.fail("the entity has " + std::to_string(n) +
                           " physical ids, but may have one");
              const auto tag = lines.value<long>(0, "tag of an entity");
              if (!physical_ids[d].emplace(tag, n > 0 ? physical_id(n_physical + 1) : 0).second)
                lines.fail("the entity is there a second time");
            }
      }

      /// Word @p i without its sign.
      unsigned int
      physical_id(const std::size_t i) const
      {
        constexpr std::int64_t limit = dealii::numbers::internal_face_boundary_id;
        const auto             id    = lines.value<std::int64_t>(i, "physical id");
        if (id >= limit || id <= -limit)
          lines.fail("the physical id " + std::to_string(id) + " is too large");
        return std::abs(id);
      }

      void
      read_nodes_2()
      {
        lines.next(1, "the number of nodes");
        const std::size_t n_nodes = lines.count(0, "number of nodes");
        for (std::size_t i = 0; i < n_nodes; ++i)
          {
            lines.next(4, "a node (number, x, y, z)");
            add_node(lines.value<long>(0, "number of a node"), 1);
          }
      }

      void
      read_nodes_4()
      {
        lines.next(4, "the numbers of blocks and nodes, the smallest and largest tag");
        const std::size_t n_blocks = lines.count(0, "number of blocks");
        const std::size_t n_nodes  = lines.count(1, "number of nodes");
        for (std::size_t block = 0; block < n_blocks; ++block)
          {
            lines.next(
              4, "a block of nodes (dimension and tag of its entity, 0 or 1, number of nodes)");
            const std::size_t dimension    = entity_dimension();
            const bool        parametric   = lines.words[2] != "0";
            const std::size_t n_parameters = parametric ? dimension : 0;
            std::vector<long> tags;
            for (std::size_t n = lines.count(3, "number of nodes"); n > 0; --n)
              {
                lines.next(1, "the tag of a node");
                tags.push_back(lines.value<long>(0, "tag of a node"));
              }
            for (const long tag : tags)
              {
                lines.next(3 + n_parameters, "a node (x, y, z)");
                add_node(tag, 0);
              }
          }
        check_number(n_nodes, nodes.size(), "nodes");
      }

      std::size_t
      entity_dimension() const
      {
        const std::size_t dimension = lines.count(0, "dimension");
        if (dimension > 3)
          lines.fail("the dimension of an entity is 0, 1, 2 or 3");
        return dimension;
      }

      void
      check_number(const std::size_t announced, const std::size_t there, const char *what) const
      {
        if (announced != there)
          lines.fail("the section ends after " + std::to_string(there) + " " + what + ", but " +
                     std::to_string(announced) + " are announced");
      }

      /// @param first the word with x
      void
      add_node(const long tag, const std::size_t first)
      {
        Node node;
        node.line = lines.number;
        for (unsigned int d = 0; d < 3; ++d)
          node.position[d] = lines.value<double>(first + d, "coordinate");
        if (!node_of_tag.emplace(tag, nodes.size()).second)
          lines.fail("node " + std::to_string(tag) + " is there a second time");
        nodes.push_back(node);
      }

      void
      read_elements_2()
      {
        lines.next(1, "the number of elements");
        const std::size_t n_elements = lines.count(0, "number of elements");
        for (std::size_t i = 0; i < n_elements; ++i)
          {
            const std::string expected =
              "this should be an element (number, type, number of tags, tags, nodes)";
            if (!lines.next() || lines.words.size() < 3)
              lines.fail(expected);
            const ElementType type   = element_type(1);
            const std::size_t n_tags = lines.count(2, "number of tags");
            if (n_tags > lines.words.size() || lines.words.size() != 3 + n_tags + type.n_nodes())
              lines.fail(expected + "; type " + std::string(lines.words[1]) + " has " +
                         std::to_string(type.n_nodes()) + " nodes");
            add_element(type, n_tags > 0 ? physical_id(3) : 0, 3 + n_tags);
          }
      }

      void
      read_elements_4()
      {
        lines.next(4, "the numbers of blocks and elements, the smallest and largest tag");
        const std::size_t n_blocks   = lines.count(0, "number of blocks");
        const std::size_t announced  = lines.count(1, "number of elements");
        std::size_t       n_elements = 0;
        for (std::size_t block = 0; block < n_blocks; ++block)
          {
            lines.next(
              4, "a block of elements (dimension and tag of its entity, type, number of elements)");
            const std::size_t dimension = entity_dimension();
            const ElementType type      = element_type(2);
            if (dimension != type.dimension)
              lines.fail("elements of type " + std::string(lines.words[2]) +
                         " do not fill an entity of dimension " + std::to_string(dimension));
            const unsigned int id =
              id_of_entity(dimension, lines.value<long>(1, "tag of an entity"));
            const std::size_t n = lines.count(3, "number of elements");
            for (std::size_t i = 0; i < n; ++i)
              {
                lines.next(1 + type.n_nodes(), "an element (tag, as many nodes as its type has)");
                add_element(type, id, 1);
              }
            n_elements += n;
          }
        check_number(announced, n_elements, "elements");
      }

      unsigned int
      id_of_entity(const std::size_t dimension, const long tag) const
      {
        if (seen.count("$Entities") == 0)
          return 0;
        const auto found = physical_ids[dimension].find(tag);
        if (found == physical_ids[dimension].end())
          lines.fail("there is no entity " + std::to_string(tag) + " of dimension " +
                     std::to_string(dimension));
        return found->second;
      }

      /// Word @p i as a type that is accepted.
      ElementType
      element_type(const std::size_t i)
      {
        const auto        number  = lines.count(i, "type of element");
        const auto        found   = element_types.find(number);
        const std::string refusal = "element type " + std::to_string(number) + " is not accepted: ";
        if (found == element_types.end())
          {
            static const std::map<std::size_t, std::string> names = {{6, "a prism"},
                                                                     {7, "a pyramid"}};
            const auto                                      name  = names.find(number);
            lines.fail(refusal + (name != names.end()
                                    ? name->second
                                    : "no simplex, quadrilateral or hexahedron of order 1 "
                                      "to 5 with all its nodes"));
          }
        const ElementType &type = found->second;
        if (type.dimension > dim || (is_of_other_shape(type) && !skips_others))
          lines.fail(refusal + type.name() + owners_of_face(type));
        if (type.degree > max_degree)
          lines.fail(refusal + type.name() + "; write the mesh with 'gmsh -order " +
                     std::to_string(max_degree) + "'");
        check_degree(type);
        return type;
      }

      /// In 3D, where faces may come before the cells that are the obstacle.
      static std::string
      owners_of_face(const ElementType &type)
      {
        return dim < 3 || type.dimension != 2 ? ""
               : type.hypercube               ? ", a face of a hexahedron, prism or pyramid"
                                              : ", a face of a tetrahedron, prism or pyramid";
      }

      static bool
      is_of_other_shape(const ElementType &type)
      {
        return type.dimension > 1 && type.hypercube != hypercube;
      }

      /// All elements of a mesh are of the degree of the first one.
      void
      check_degree(const ElementType &type)
      {
        if (type.dimension == 0)
          return;
        if (degree == 0)
          {
            degree      = type.degree;
            degree_line = lines.number;
          }
        if (type.degree != degree)
          lines.fail("the element is of order " + std::to_string(type.degree) +
                     ", but that of line " + std::to_string(degree_line) + " of order " +
                     std::to_string(degree) + ". All elements of a mesh have one order");
      }

      /// @param first the word with the first node
      void
      add_element(const ElementType &type, const unsigned int id, const std::size_t first)
      {
        if (type.dimension + 1 < dim)
          return;
        read_element_nodes(type.n_nodes(), first);
        if (is_of_other_shape(type))
          return;
        if (type.dimension == dim)
          {
            cells.push_back(element<n_cell_vertices>(id));
            cell_nodes.insert(cell_nodes.end(), element_nodes.begin(), element_nodes.end());
          }
        else
          faces.push_back(element<n_face_vertices>(id));
      }

      void
      read_element_nodes(const std::size_t n_nodes, const std::size_t first)
      {
        element_nodes.clear();
        for (std::size_t n = 0; n < n_nodes; ++n)
          {
            const auto tag   = lines.value<long>(first + n, "number of a node");
            const auto found = node_of_tag.find(tag);
            if (found == node_of_tag.end())
              lines.fail("there is no node " + std::to_string(tag));
            const auto end = element_nodes.end();
            if (std::find(element_nodes.begin(), end, found->second) != end)
              lines.fail("the element has node " + std::to_string(tag) + " twice");
            element_nodes.push_back(found->second);
          }
      }

      /// The element of this line, whose first nodes are its vertices.
      template <std::size_t n_vertices>
      Element<n_vertices>
      element(const unsigned int id) const
      {
        Element<n_vertices> result;
        result.id   = id;
        result.line = lines.number;
        std::copy_n(element_nodes.begin(), n_vertices, result.vertices.begin());
        return result;
      }

      [[noreturn]] static void
      fail(const std::size_t line, const std::string &problem)
      {
        throw std::runtime_error("line " + std::to_string(line) + ": " + problem + ".");
      }

      /// All cells lie in one plane of constant z.
      void
      check_plane() const
      {
        const Point<3> origin = nodes[cells[0].vertices[0]].position;
        double         extent = 0.;
        for (const unsigned int n : cell_nodes)
          for (unsigned int d = 0; d < 2; ++d)
            extent = std::max(extent, std::abs(nodes[n].position[d] - origin[d]));
        for (const unsigned int n : cell_nodes)
          if (!(std::abs(nodes[n].position[2] - origin[2]) <= 1e-8 * extent))
            {
              std::ostringstream problem;
              problem << "z is " << nodes[n].position[2] << " at this node, but " << origin[2]
                      << " in line " << nodes[cells[0].vertices[0]].line
                      << ". A mesh in two dimensions has the same z everywhere";
              fail(nodes[n].line, problem.str());
            }
      }

      Point<dim>
      vertex(const unsigned int v) const
      {
        Point<dim> result;
        for (unsigned int d = 0; d < dim; ++d)
          result[d] = nodes[v].position[d];
        return result;
      }

      /// The Jacobian of a cell's map, of hypercubes at the centre: `[r][d]`.
      dealii::Tensor<2, dim>
      edges_of(const Cell &cell) const
      {
        dealii::Tensor<2, dim> edges;
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int v = 0; v < n_cell_vertices; ++v)
            {
              const Point<dim> position = vertex(cell.vertices[gmsh_vertex(v, hypercube)]);
              if (hypercube)
                edges[r] += (v >> r & 1 ? 2. : -2.) / n_cell_vertices * position;
              else if (v == 0 || v == r + 1)
                edges[r] += (v == 0 ? -1. : 1.) * position;
            }
        return edges;
      }

      /// Exchange two directions where the orientation is negative.
      void
      orient(Cell &cell) const
      {
        double diameter = 0.;
        for (const unsigned int v : cell.vertices)
          for (const unsigned int w : cell.vertices)
            diameter = std::max(diameter, vertex(v).distance(vertex(w)));
        const double measure = determinant(edges_of(cell)) / (hypercube ? 1. : dim == 2 ? 2. : 6.);
        if (!(std::abs(measure) > 1e-12 * std::pow(diameter, dim)) || !std::isfinite(measure))
          fail(cell.line, "the cell has no volume");
        if (measure < 0. && hypercube)
          for (unsigned int v = 1; v < n_cell_vertices; v += 4)
            std::swap(cell.vertices[v], cell.vertices[v + 2]);
        else if (measure < 0.)
          std::swap(cell.vertices[dim - 1], cell.vertices[dim]);
      }

      /// Whether vertex @p v of a cell belongs to its face @p f.
      static bool
      is_on_face(const unsigned int v, const unsigned int f)
      {
        return hypercube ? (dealii_vertex(v, true) >> f / 2 & 1) == f % 2 : v != f;
      }

      void
      collect_sides()
      {
        sides.reserve(cells.size() * n_faces);
        for (std::size_t c = 0; c < cells.size(); ++c)
          for (unsigned int f = 0; f < n_faces; ++f)
            {
              Side         side = {{}, c, f};
              unsigned int n    = 0;
              for (unsigned int v = 0; v < n_cell_vertices; ++v)
                if (is_on_face(v, f))
                  side.vertices[n++] = cells[c].vertices[v];
              std::sort(side.vertices.begin(), side.vertices.end());
              sides.push_back(side);
            }
        std::stable_sort(sides.begin(), sides.end());
        for (std::size_t i = 1; i < sides.size(); ++i)
          if (sides[i].vertices == sides[i - 1].vertices)
            {
              const std::string other =
                "the cell of line " + std::to_string(cells[sides[i - 1].cell].line);
              if (std::is_permutation(cells[sides[i].cell].vertices.begin(),
                                      cells[sides[i].cell].vertices.end(),
                                      cells[sides[i - 1].cell].vertices.begin()))
                fail(cells[sides[i].cell].line, other + " is there a second time");
              if (i > 1 && sides[i].vertices == sides[i - 2].vertices)
                fail(cells[sides[i].cell].line,
                     "a face of the cell belongs to two others, of which one is " + other);
            }
      }

      /// The nodes of cell @p c as they are numbered when its vertices come in the order that it
      /// has now, not in that of the file.
      std::vector<unsigned int>
      nodes_of(const std::size_t c)
      {
        const auto begin = cell_nodes.begin() + c * ElementType{dim, degree, hypercube}.n_nodes();
        std::vector<unsigned int> permutation;
        for (const unsigned int v : cells[c].vertices)
          permutation.push_back(std::find(begin, begin + n_cell_vertices, v) - begin);
        std::vector<unsigned int> &numbers = renumberings[permutation];
        if (numbers.empty())
          numbers = renumbered_gmsh_nodes<dim>(degree, permutation);

        std::vector<unsigned int> result;
        for (const unsigned int n : numbers)
          result.push_back(begin[n]);
        return result;
      }

      /// A node of a face, and how near it is to each of the face's vertices.
      struct FaceNode
      {
        std::array<int, n_face_vertices> weights;
        unsigned int                     node;

        bool
        operator<(const FaceNode &other) const
        {
          return std::tie(weights, node) < std::tie(other.weights, other.node);
        }

        bool
        operator==(const FaceNode &other) const
        {
          return weights == other.weights && node == other.node;
        }
      };

      /// What the shape function of degree 1 of vertex @p v is at a node, in whole numbers.
      int
      weight(const unsigned int v, const Point<dim> &node) const
      {
        const unsigned int corner = dealii_vertex(v, hypercube);
        int                result = 1, sum = 0;
        for (unsigned int d = 0; d < dim; ++d)
          {
            const int x = std::lround(degree * node[d]);
            result *= corner >> d & 1 ? x : degree - x;
            sum += x;
          }
        return hypercube ? result : v == 0 ? degree - sum : std::lround(degree * node[v - 1]);
      }

      /// Both cells of a face have the same nodes there.
      void
      check_shared_nodes()
      {
        const std::vector<Point<dim>> unit_points =
          gmsh_nodes<dim>(degree,
                          hypercube ? dealii::ReferenceCells::get_hypercube<dim>()
                                    : dealii::ReferenceCells::get_simplex<dim>());
        std::vector<std::array<int, n_cell_vertices>> weights(unit_points.size());
        for (std::size_t n = 0; n < weights.size(); ++n)
          for (unsigned int v = 0; v < n_cell_vertices; ++v)
            weights[n][v] = weight(v, unit_points[n]);

        const auto nodes_on = [&](const Side &side) {
          const auto                               &vertices = cells[side.cell].vertices;
          std::array<unsigned int, n_face_vertices> numbers; // in the cell
          for (unsigned int j = 0; j < n_face_vertices; ++j)
            numbers[j] =
              std::find(vertices.begin(), vertices.end(), side.vertices[j]) - vertices.begin();
          const std::vector<unsigned int> of_cell = nodes_of(side.cell);
          std::vector<FaceNode>           result;
          for (std::size_t n = 0; n < of_cell.size(); ++n)
            {
              bool inside = false;
              for (unsigned int v = 0; v < n_cell_vertices; ++v)
                inside |= !is_on_face(v, side.face) && weights[n][v] != 0;
              if (inside)
                continue;
              result.push_back({{}, of_cell[n]});
              for (unsigned int j = 0; j < n_face_vertices; ++j)
                result.back().weights[j] = weights[n][numbers[j]];
            }
          std::sort(result.begin(), result.end());
          return result;
        };
        for (std::size_t i = 1; i < sides.size(); ++i)
          if (sides[i].vertices == sides[i - 1].vertices &&
              nodes_on(sides[i]) != nodes_on(sides[i - 1]))
            fail(cells[sides[i].cell].line,
                 "the cell has other nodes on a face than the cell of line " +
                   std::to_string(cells[sides[i - 1].cell].line) + ", which it shares it with");
      }

      /// Number of cells that a face belongs to.
      std::size_t
      n_cells_of(const Face &face) const
      {
        Side side;
        side.vertices = face.vertices;
        std::sort(side.vertices.begin(), side.vertices.end());
        const auto range = std::equal_range(sides.begin(), sides.end(), side);
        return range.second - range.first;
      }

      /// Boundary faces with a physical id; the others have id 0 anyway.
      void
      add_faces(GmshMesh<dim> &result) const
      {
        std::map<std::array<unsigned int, n_face_vertices>, unsigned int> ids;
        for (const Face &face : faces)
          {
            if (face.id == 0)
              continue;
            const std::size_t n_cells = n_cells_of(face);
            if (n_cells == 0 && !skips_others)
              fail(face.line,
                   "the face has the physical id " + std::to_string(face.id) +
                     ", but is no face of a cell");
            if (n_cells > 1)
              {
                result.interior_ids.insert(face.id);
                continue;
              }
            auto key = face.vertices;
            std::sort(key.begin(), key.end());
            const auto [first, is_new] = ids.emplace(key, face.id);
            if (!is_new && first->second != face.id)
              fail(face.line,
                   "the face has the physical ids " + std::to_string(first->second) + " and " +
                     std::to_string(face.id));
            if (is_new)
              add_face(result.faces, face);
          }
      }

      static void
      add_face(dealii::SubCellData &result, const Face &face)
      {
        dealii::CellData<dim - 1> data(n_face_vertices);
        for (unsigned int v = 0; v < n_face_vertices; ++v)
          data.vertices[v] = face.vertices[gmsh_vertex(v, hypercube)];
        data.boundary_id = face.id;
        if constexpr (dim == 2)
          result.boundary_lines.push_back(data);
        else
          result.boundary_quads.push_back(data);
      }

      GmshMesh<dim>
      mesh()
      {
        GmshMesh<dim> result;
        result.degree = degree;
        result.nodes.reinit(cells.size(), ElementType{dim, degree, hypercube}.n_nodes());
        for (std::size_t c = 0; c < cells.size(); ++c)
          {
            const std::vector<unsigned int> numbers = nodes_of(c);
            for (std::size_t n = 0; n < numbers.size(); ++n)
              result.nodes[c][n] = numbers[n];
          }
        for (unsigned int v = 0; v < nodes.size(); ++v)
          result.vertices.push_back(vertex(v));
        for (const auto &cell : cells)
          {
            dealii::CellData<dim> data(n_cell_vertices);
            for (unsigned int v = 0; v < n_cell_vertices; ++v)
              data.vertices[v] = cell.vertices[gmsh_vertex(v, hypercube)];
            data.material_id = cell.id;
            result.cells.push_back(data);
          }
        add_faces(result);
        return result;
      }

      Lines              lines;
      const unsigned int max_degree;
      const bool         skips_others;
      bool               is_4        = false; ///< format 4.1, else 2.2
      unsigned int       degree      = 0;     ///< of all elements; 0: there is none yet
      std::size_t        degree_line = 0;     ///< of the first element

      std::set<std::string>                       seen;         ///< sections that are read
      std::array<std::map<long, unsigned int>, 4> physical_ids; ///< by dimension and tag of entity
      std::vector<Node>                           nodes;
      std::unordered_map<long, unsigned int>      node_of_tag;
      std::vector<Cell>                           cells;
      std::vector<Face>                           faces;
      std::vector<unsigned int>                   element_nodes; ///< of the element of this line
      std::vector<unsigned int>                   cell_nodes;    ///< [cell][node], as in the file
      std::vector<Side>                           sides;         ///< sorted

      /// By permutation of the vertices.
      std::map<std::vector<unsigned int>, std::vector<unsigned int>> renumberings;
    };
  } // namespace


  template <int dim>
  GmshMesh<dim>
  parse_gmsh(const std::string           &text,
             const unsigned int           max_degree,
             const dealii::ReferenceCell &cell)
  {
    return cell.is_hyper_cube() ? Parser<dim, true>(text, max_degree, false).parse()
                                : Parser<dim, false>(text, max_degree, false).parse();
  }


  GmshMesh<2>
  parse_mixed_gmsh(const std::string &text)
  {
    // deal.II refines quadrilaterals only if the lines between them have their directions, which
    // are those of the first cells.
    GmshMesh<2>       result    = Parser<2, true>(text, 1, true).parse();
    const GmshMesh<2> triangles = Parser<2, false>(text, 1, true).parse();
    result.nodes.reinit(0, 0);
    if (!result.cells.empty())
      dealii::GridTools::consistently_order_cells(result.cells);
    result.cells.insert(result.cells.end(), triangles.cells.begin(), triangles.cells.end());
    if (result.cells.empty())
      throw std::runtime_error("it has neither triangles nor quadrilaterals.");

    // Either parser has seen its own cells only, but all edges.
    const auto text_of = [&](const unsigned int vertex) {
      std::ostringstream position;
      position << '(' << result.vertices[vertex] << ')';
      return position.str();
    };
    std::map<std::set<unsigned int>, unsigned int> n_cells_of_edge;
    for (const auto &cell : result.cells)
      {
        // Quadrilaterals have the order of deal.II's vertices.
        const std::vector<unsigned int> around = cell.vertices.size() == 3
                                                   ? std::vector<unsigned int>{0, 1, 2}
                                                   : std::vector<unsigned int>{0, 1, 3, 2};
        for (unsigned int i = 0; i < around.size(); ++i)
          {
            const unsigned int a = cell.vertices[around[i]],
                               b = cell.vertices[around[(i + 1) % around.size()]];
            if (++n_cells_of_edge[{a, b}] > 2)
              throw std::runtime_error("it has more than two cells at the edge from " + text_of(a) +
                                       " to " + text_of(b) + ".");
          }
      }
    result.interior_ids.insert(triangles.interior_ids.begin(), triangles.interior_ids.end());
    std::vector<dealii::CellData<1>> lines;
    for (const auto &line : result.faces.boundary_lines)
      {
        const unsigned int n = n_cells_of_edge[{line.vertices[0], line.vertices[1]}];
        if (n == 0)
          throw std::runtime_error("it has an edge with the physical id " +
                                   std::to_string(line.boundary_id) + " at no cell, from " +
                                   text_of(line.vertices[0]) + " to " + text_of(line.vertices[1]) +
                                   ".");
        if (n == 1)
          lines.push_back(line);
        else
          result.interior_ids.insert(line.boundary_id);
      }
    result.faces.boundary_lines = lines;
    return result;
  }


  template GmshMesh<2>
  parse_gmsh(const std::string &, const unsigned int, const dealii::ReferenceCell &);
  template GmshMesh<3>
  parse_gmsh(const std::string &, const unsigned int, const dealii::ReferenceCell &);
} // namespace Saltus
