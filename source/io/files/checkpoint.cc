// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/expressions/text_file.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/shared_file.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <type_traits>
#include <zlib.h>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    constexpr char          magic[]    = {'S', 'A', 'L', 'T', 'U', 'S', 'C', 'P'};
    constexpr std::uint32_t version    = 7;
    constexpr std::uint32_t byte_order = 0x01020304;
    constexpr char          end_type   = '.';

    template <typename Number>
    constexpr char array_type = std::is_same<Number, double>::value ? 'D' : 'F';

    constexpr char by_element = 'E';

    struct RecordType
    {
      char        letter;
      const char *name;
      std::size_t unit; ///< bytes of one of its values
      bool        is_array;
    };

    constexpr RecordType types[] = {{'s', "a string", 1, true},
                                    {'i', "an integer", sizeof(std::int64_t), false},
                                    {'d', "a double", sizeof(double), false},
                                    {'D', "an array of double", sizeof(double), true},
                                    {'F', "an array of float", sizeof(float), true},
                                    {by_element, "an array by element", sizeof(double), true},
                                    {end_type, "the end", 0, false}};


    /// The type with a letter, or nullptr.
    const RecordType *
    find_type(const char letter)
    {
      const auto *type = std::find_if(std::begin(types), std::end(types), [&](const auto &one) {
        return one.letter == letter;
      });
      return type == std::end(types) ? nullptr : type;
    }


    /// Whether a record of a type may have so many bytes. (Of arrays by element see
    /// Checkpoint::Reader.)
    bool
    is_size(const std::uint64_t size, const char letter)
    {
      const RecordType *type = find_type(letter);
      return type != nullptr && (type->is_array ? size % type->unit == 0 : size == type->unit);
    }


    template <typename T>
    std::vector<char>
    to_bytes(const T *values, const std::size_t size)
    {
      const auto *first = reinterpret_cast<const char *>(values);
      return {first, first + size * sizeof(T)};
    }


    template <typename T>
    std::vector<T>
    to_numbers(const std::vector<char> &bytes)
    {
      std::vector<T> values(bytes.size() / sizeof(T));
      if (!bytes.empty())
        std::memcpy(values.data(), bytes.data(), bytes.size());
      return values;
    }


    std::uint32_t
    crc_of(const std::uint32_t before, const void *bytes, const std::size_t size)
    {
      if (size == 0) // zlib would begin anew if there is no place either
        return before;
      return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef *>(bytes), size));
    }


    template <typename T>
    void
    append(std::string &text, const T &value)
    {
      text.append(reinterpret_cast<const char *>(&value), sizeof(value));
    }


    /// Bytes of a record that one rank has, which stand behind those of the ranks before it.
    struct Part
    {
      std::uint32_t crc  = 0;
      std::uint64_t size = 0;

      void
      add(const void *bytes, const std::size_t n)
      {
        crc = crc_of(crc, bytes, n);
        size += n;
      }
    };


    /// The CRC-32 of the parts of all ranks. Collective.
    std::uint32_t
    crc_of_all(const Part &part, const MPI_Comm communicator)
    {
      std::uint32_t crc = 0;
      for (const Part &next : all_gather(communicator, part))
        crc =
          static_cast<std::uint32_t>(crc32_combine(crc, next.crc, static_cast<z_off_t>(next.size)));
      return crc;
    }


    /// What stands before the values of a record.
    std::string
    record_head(const char type, const std::string &name, const std::uint64_t size)
    {
      std::string head(1, type);
      append(head, static_cast<std::uint32_t>(name.size()));
      head += name;
      append(head, size);
      return head;
    }
  } // namespace


  /// Reads records of an open file. What is read goes into a CRC-32.
  class Checkpoint::Reader
  {
  public:
    /// @param file_size bounds sizes read from a damaged file before memory is allocated
    Reader(std::istream &stream, const std::uintmax_t file_size, const MPI_Comm communicator)
      : stream(stream)
      , file_size(file_size)
      , rank(this_rank(communicator))
      , n_ranks(Saltus::n_ranks(communicator))
    {}

    /// @return whether a record was read that is whole and, as far as this rank can tell, undamaged
    bool
    read(std::string &name, Record &record)
    {
      part                    = {};
      std::uint32_t name_size = 0;
      std::uint64_t size      = 0;
      if (!get(&record.type, 1) || !get(&name_size, sizeof(name_size)) || name_size > file_size)
        return false;
      name.resize(name_size);
      if (!get(name.data(), name_size) || !get(&size, sizeof(size)) || size > file_size)
        return false;
      if (record.type == by_element)
        return read_block(size, record) && get_raw(&stored_crc, sizeof(stored_crc));
      if (!is_size(size, record.type))
        return false;
      record.bytes.resize(size);
      return get(record.bytes.data(), size) && get_raw(&stored_crc, sizeof(stored_crc)) &&
             part.crc == stored_crc;
    }

    Part          part;           ///< of the last record that this rank has read
    std::uint32_t stored_crc = 0; ///< of this record

  private:
    bool
    get_raw(void *bytes, const std::size_t size)
    {
      return static_cast<bool>(
        stream.read(static_cast<char *>(bytes), static_cast<std::streamsize>(size)));
    }

    bool
    get(void *bytes, const std::size_t size)
    {
      if (!get_raw(bytes, size))
        return false;
      part.add(bytes, size);
      return true;
    }

    /// This rank's block of an array by element; the first rank's part has what is before, too.
    bool
    read_block(const std::uint64_t size, Record &record)
    {
      std::uint64_t &n = record.n_elements;
      if (size < sizeof(n) || !get(&n, sizeof(n)))
        return false;
      const std::uint64_t n_bytes = size - sizeof(n);
      if (n > size || (n == 0 ? n_bytes > 0 : n_bytes % (n * sizeof(double)) != 0))
        return false;
      const std::uint64_t of_element = n == 0 ? 0 : n_bytes / n;
      const auto [begin, end]        = block_of_rank(n, rank, n_ranks);
      const auto start               = stream.tellg();
      const auto go_to               = [&](const std::uint64_t offset) {
        stream.seekg(start + static_cast<std::streamoff>(offset));
      };
      record.place = {static_cast<std::uint64_t>(start), n_bytes / sizeof(double), n};
      if (rank > 0)
        part = {};
      record.bytes.resize((end - begin) * of_element);
      go_to(begin * of_element);
      if (!get(record.bytes.data(), record.bytes.size()))
        return false;
      go_to(n_bytes);
      return true;
    }

    std::istream        &stream;
    const std::uintmax_t file_size;
    const unsigned int   rank, n_ranks;
  };


  void
  Checkpoint::set(const std::string &name, const std::string &value)
  {
    records[name] = {'s', to_bytes(value.data(), value.size())};
  }


  void
  Checkpoint::set(const std::string &name, const double value)
  {
    records[name] = {'d', to_bytes(&value, 1)};
  }


  void
  Checkpoint::set(const std::string &name, const std::int64_t value)
  {
    records[name] = {'i', to_bytes(&value, 1)};
  }


  template <typename Number>
  void
  Checkpoint::set_array(const std::string &name, const Number *values, const std::size_t size)
  {
    records[name] = {array_type<Number>, to_bytes(values, size)};
  }


  void
  Checkpoint::set_by_element(const std::string         &name,
                             const ElementBlocks       &elements,
                             const std::vector<double> &values,
                             const std::size_t          n_values)
  {
    const std::vector<double> block = elements.to_block(values, n_values);
    records[name] = {by_element, to_bytes(block.data(), block.size()), elements.n_cells()};
  }


  const Checkpoint::Record &
  Checkpoint::find(const std::string &name, const char type) const
  {
    const auto record = records.find(name);
    AssertThrow(record != records.end(),
                ExcMessage("The " + source + " has no entry '" + name + "'."));
    AssertThrow(record->second.type == type,
                ExcMessage("In the " + source + " the entry '" + name + "' is " +
                           find_type(record->second.type)->name + ", not " + find_type(type)->name +
                           "."));
    return record->second;
  }


  std::string
  Checkpoint::get_string(const std::string &name) const
  {
    const auto &bytes = find(name, 's').bytes;
    return {bytes.begin(), bytes.end()};
  }


  double
  Checkpoint::get_double(const std::string &name) const
  {
    return to_numbers<double>(find(name, 'd').bytes).front();
  }


  std::int64_t
  Checkpoint::get_integer(const std::string &name) const
  {
    return to_numbers<std::int64_t>(find(name, 'i').bytes).front();
  }


  namespace
  {
    template <typename Number>
    Number
    within(const Checkpoint  &checkpoint,
           const std::string &name,
           const Number       value,
           const Number       least,
           const Number       largest)
    {
      std::ostringstream text;
      text << "is " << value << "; this run accepts values from " << least << " to " << largest;
      checkpoint.require(least <= value && value <= largest, name, text.str());
      return value;
    }
  } // namespace


  double
  Checkpoint::get_double(const std::string &name, const double least, const double largest) const
  {
    return within(*this, name, get_double(name), least, largest);
  }


  std::int64_t
  Checkpoint::get_integer(const std::string &name,
                          const std::int64_t least,
                          const std::int64_t largest) const
  {
    return within(*this, name, get_integer(name), least, largest);
  }


  void
  Checkpoint::require(const bool holds, const std::string &name, const std::string &fault) const
  {
    AssertThrow(holds, ExcMessage("In the " + source + " the entry '" + name + "' " + fault + '.'));
  }


  template <typename Number>
  std::vector<Number>
  Checkpoint::get_array(const std::string &name) const
  {
    return to_numbers<Number>(find(name, array_type<Number>).bytes);
  }


  template <typename Number>
  std::vector<Number>
  Checkpoint::get_array(const std::string &name, const std::size_t size) const
  {
    const auto values = get_array<Number>(name);
    AssertThrow(values.size() == size,
                ExcMessage("In the " + source + " the array '" + name + "' has " +
                           std::to_string(values.size()) + " numbers, but this run needs " +
                           std::to_string(size) + "."));
    return values;
  }


  Checkpoint::Place
  Checkpoint::place_of(const std::string &name) const
  {
    return find(name, by_element).place;
  }


  std::vector<double>
  Checkpoint::get_by_element(const std::string   &name,
                             const ElementBlocks &elements,
                             const std::size_t    n_values) const
  {
    const Record &record = find(name, by_element);
    AssertThrow(record.n_elements == elements.n_cells(),
                ExcMessage("In the " + source + " the array '" + name + "' is of " +
                           std::to_string(record.n_elements) +
                           " elements, but the mesh of this run has " +
                           std::to_string(elements.n_cells()) + "."));
    return elements.from_block(get_block(name, n_values), n_values);
  }


  std::vector<double>
  Checkpoint::get_block(const std::string &name, const std::size_t n_values) const
  {
    const Record             &record = find(name, by_element);
    const std::vector<double> block  = to_numbers<double>(record.bytes);
    const auto [begin, end] =
      block_of_rank(record.n_elements, this_rank(communicator), n_ranks(communicator));
    on_all_ranks(communicator, [&, n = end - begin]() {
      AssertThrow(block.size() == n * n_values,
                  ExcMessage("In the " + source + " the array '" + name + "' has " +
                             std::to_string(block.size() / n) +
                             " numbers an element, but this run needs " + std::to_string(n_values) +
                             "."));
      require(std::all_of(block.begin(),
                          block.end(),
                          [](const double x) { return std::isfinite(x); }),
              name,
              "has infinite values or NaNs");
    });
    return block;
  }


  void
  Checkpoint::write_record(SharedFile &file, const std::string &name, const Record &record) const
  {
    const bool        is_first = this_rank(communicator) == 0;
    const bool        has_part = is_first || record.type == by_element;
    const std::size_t own_size = has_part ? record.bytes.size() : 0;
    std::uint64_t     size     = dealii::Utilities::MPI::sum(own_size, communicator);
    std::string       head;
    if (record.type == by_element)
      {
        size += sizeof(record.n_elements);
        append(head, record.n_elements);
      }
    head = is_first ? record_head(record.type, name, size) + head : "";
    Part part;
    part.add(head.data(), head.size());
    part.add(record.bytes.data(), own_size);

    std::string tail;
    append(tail, crc_of_all(part, communicator));
    file.append(head);
    file.append(std::string_view(record.bytes.data(), own_size));
    file.append(is_first ? tail : "");
  }


  void
  Checkpoint::write(const std::string &path) const
  {
    replace_shared_file(path, communicator, [&](SharedFile &file) {
      std::string head(magic, sizeof(magic));
      append(head, version);
      append(head, byte_order);
      file.append(this_rank(communicator) == 0 ? head : "");
      for (const auto &[name, record] : records)
        write_record(file, name, record);
      write_record(file, "", {end_type, {}});
      file.sync();
      on_first_rank(communicator, [&]() { keep_as(path, older_checkpoint(path)); });
    });
    on_first_rank(communicator, [&]() { sync_to_disk(directory_of(path)); });
  }


  namespace
  {
    /// The first bytes of a file.
    void
    check_start(std::istream &stream, const std::string &path)
    {
      char          start[sizeof(magic)] = {};
      std::uint32_t file_version = 0, file_byte_order = 0;
      stream.read(start, sizeof(start));
      stream.read(reinterpret_cast<char *>(&file_version), sizeof(file_version));
      stream.read(reinterpret_cast<char *>(&file_byte_order), sizeof(file_byte_order));
      AssertThrow(stream && std::equal(std::begin(magic), std::end(magic), start),
                  ExcMessage("The file '" + path + "' is no checkpoint."));
      AssertThrow(file_byte_order == byte_order,
                  ExcMessage("The checkpoint file '" + path +
                             "' was written on a machine with another byte order."));
      AssertThrow(file_version == version,
                  ExcMessage("The checkpoint file '" + path + "' has version " +
                             std::to_string(file_version) + "; this program reads version " +
                             std::to_string(version) + "."));
    }
  } // namespace


  Checkpoint
  Checkpoint::read(const std::string &path, const MPI_Comm communicator)
  {
    Checkpoint result(communicator);
    result.source             = "checkpoint file '" + path + "'";
    const std::string damaged = "The checkpoint file '" + path +
                                "' is truncated or damaged: its contents do not match their "
                                "checksum.";
    std::vector<std::pair<Part, std::uint32_t>> parts; // of what the ranks have read together
    on_all_ranks(communicator, [&]() {
      const std::string obstacle = obstacle_to_reading(path);
      AssertThrow(obstacle.empty(),
                  ExcMessage("The checkpoint file '" + path + "' cannot be read: " + obstacle +
                             "."));
      std::ifstream        stream(path, std::ios::binary);
      std::error_code      error;
      const std::uintmax_t file_size = std::filesystem::file_size(path, error);
      AssertThrow(stream && !error,
                  ExcMessage("The checkpoint file '" + path + "' cannot be read."));
      check_start(stream, path);
      Reader reader(stream, file_size, communicator);
      while (true)
        {
          std::string name;
          Record      record;
          AssertThrow(reader.read(name, record), ExcMessage(damaged));
          if (record.type == end_type)
            break;
          if (record.type == by_element)
            parts.emplace_back(reader.part, reader.stored_crc);
          result.records[name] = std::move(record);
        }
      AssertThrow(stream.peek() == std::ifstream::traits_type::eof(),
                  ExcMessage("The checkpoint file '" + path + "' goes on after its end."));
    });
    for (const auto &[part, stored_crc] : parts)
      AssertThrow(crc_of_all(part, communicator) == stored_crc, ExcMessage(damaged));
    return result;
  }


  template void
  Checkpoint::set_array(const std::string &, const double *, const std::size_t);
  template void
  Checkpoint::set_array(const std::string &, const float *, const std::size_t);
  template std::vector<double>
  Checkpoint::get_array(const std::string &) const;
  template std::vector<float>
  Checkpoint::get_array(const std::string &) const;
  template std::vector<double>
  Checkpoint::get_array(const std::string &, const std::size_t) const;
  template std::vector<float>
  Checkpoint::get_array(const std::string &, const std::size_t) const;
} // namespace Saltus
