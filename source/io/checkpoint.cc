// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/io/checkpoint.h>
#include <saltus/io/files.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <type_traits>
#include <zlib.h>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    constexpr char          magic[]    = {'S', 'A', 'L', 'T', 'U', 'S', 'C', 'P'};
    constexpr std::uint32_t version    = 3;
    constexpr std::uint32_t byte_order = 0x01020304;
    constexpr char          end_type   = '.';

    template <typename Number>
    constexpr char array_type = std::is_same<Number, double>::value ? 'D' : 'F';

    std::string
    type_name(const char type)
    {
      switch (type)
        {
          case 's':
            return "a string";
          case 'i':
            return "an integer";
          case 'd':
            return "a double";
          case 'D':
            return "an array of double";
          default:
            return "an array of float";
        }
    }


    template <typename T>
    std::vector<char>
    to_bytes(const T *values, const std::size_t size)
    {
      const auto *first = reinterpret_cast<const char *>(values);
      return {first, first + size * sizeof(T)};
    }


    template <typename T>
    T
    from_bytes(const std::vector<char> &bytes)
    {
      T value;
      std::memcpy(&value, bytes.data(), sizeof(T));
      return value;
    }


    /// A stream and the CRC-32 of what went through it since the last record began.
    template <typename Stream>
    struct Checked
    {
      Stream       &stream;
      std::uint32_t crc = 0;

      void
      update(const void *bytes, const std::size_t size)
      {
        crc = static_cast<std::uint32_t>(crc32_z(crc, static_cast<const Bytef *>(bytes), size));
      }

      void
      write(const void *bytes, const std::size_t size)
      {
        stream.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size));
        update(bytes, size);
      }

      bool
      read(void *bytes, const std::size_t size)
      {
        if (!stream.read(static_cast<char *>(bytes), static_cast<std::streamsize>(size)))
          return false;
        update(bytes, size);
        return true;
      }
    };


    void
    write_record(std::ostream            &stream,
                 const char               type,
                 const std::string       &name,
                 const std::vector<char> &bytes)
    {
      Checked<std::ostream> checked{stream};
      const auto            name_size = static_cast<std::uint32_t>(name.size());
      const auto            size      = static_cast<std::uint64_t>(bytes.size());
      checked.write(&type, 1);
      checked.write(&name_size, sizeof(name_size));
      checked.write(name.data(), name.size());
      checked.write(&size, sizeof(size));
      checked.write(bytes.data(), bytes.size());
      stream.write(reinterpret_cast<const char *>(&checked.crc), sizeof(checked.crc));
    }


    /// @param file_size bounds sizes read from a damaged file before memory is allocated
    /// @return whether a whole, undamaged record was read
    bool
    read_record(std::istream        &stream,
                const std::uintmax_t file_size,
                char                &type,
                std::string         &name,
                std::vector<char>   &bytes)
    {
      Checked<std::istream> checked{stream};
      std::uint32_t         name_size = 0, crc = 0;
      std::uint64_t         size = 0;
      if (!checked.read(&type, 1) || !checked.read(&name_size, sizeof(name_size)) ||
          name_size > file_size)
        return false;
      name.resize(name_size);
      if (!checked.read(&name[0], name_size) || !checked.read(&size, sizeof(size)) ||
          size > file_size)
        return false;
      bytes.resize(size);
      return checked.read(bytes.data(), size) &&
             stream.read(reinterpret_cast<char *>(&crc), sizeof(crc)) && crc == checked.crc;
    }
  } // namespace


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


  const Checkpoint::Record &
  Checkpoint::find(const std::string &name, const char type) const
  {
    const auto record = records.find(name);
    AssertThrow(record != records.end(),
                ExcMessage("The " + source + " has no entry '" + name + "'."));
    AssertThrow(record->second.type == type,
                ExcMessage("In the " + source + " the entry '" + name + "' is " +
                           type_name(record->second.type) + ", not " + type_name(type) + "."));
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
    return from_bytes<double>(find(name, 'd').bytes);
  }


  std::int64_t
  Checkpoint::get_integer(const std::string &name) const
  {
    return from_bytes<std::int64_t>(find(name, 'i').bytes);
  }


  template <typename Number>
  std::vector<Number>
  Checkpoint::get_array(const std::string &name) const
  {
    const auto         &bytes = find(name, array_type<Number>).bytes;
    std::vector<Number> values(bytes.size() / sizeof(Number));
    if (!bytes.empty())
      std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
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


  void
  Checkpoint::write(const std::string &path) const
  {
    replace_file(path, [&](std::ostream &stream) {
      stream.write(magic, sizeof(magic));
      stream.write(reinterpret_cast<const char *>(&version), sizeof(version));
      stream.write(reinterpret_cast<const char *>(&byte_order), sizeof(byte_order));
      for (const auto &[name, record] : records)
        write_record(stream, record.type, name, record.bytes);
      write_record(stream, end_type, "", {});
    });
  }


  Checkpoint
  Checkpoint::read(const std::string &path)
  {
    std::ifstream        stream(path, std::ios::binary);
    std::error_code      error;
    const std::uintmax_t file_size = std::filesystem::file_size(path, error);
    AssertThrow(stream && !error, ExcMessage("The checkpoint file '" + path + "' cannot be read."));

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

    Checkpoint result;
    result.source = "checkpoint file '" + path + "'";
    while (true)
      {
        std::string name;
        Record      record;
        AssertThrow(read_record(stream, file_size, record.type, name, record.bytes),
                    ExcMessage("The checkpoint file '" + path +
                               "' is truncated or damaged: its contents do not match their "
                               "checksum."));
        if (record.type == end_type)
          break;
        result.records[name] = std::move(record);
      }
    AssertThrow(stream.peek() == std::ifstream::traits_type::eof(),
                ExcMessage("The checkpoint file '" + path + "' goes on after its end."));
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
