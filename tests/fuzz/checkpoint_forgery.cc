// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "checkpoint_forgery.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <vector>
#include <zlib.h>

namespace Saltus::Fuzz
{
  namespace
  {
    /// See Saltus::Checkpoint.
    struct Record
    {
      char        type;
      std::string name, bytes;
    };

    constexpr std::size_t head_size = 16;


    template <typename T>
    std::string
    bytes_of(const T &value)
    {
      return {reinterpret_cast<const char *>(&value), sizeof(value)};
    }


    template <typename T>
    T
    take(const std::string &text, std::size_t &position)
    {
      T value;
      std::memcpy(&value, text.substr(position).c_str(), sizeof(T));
      position += sizeof(T);
      return value;
    }


    std::vector<Record>
    records_of(const std::string &text)
    {
      std::vector<Record> records;
      for (std::size_t position = head_size; position < text.size();)
        {
          const auto type      = take<char>(text, position);
          const auto name_size = take<std::uint32_t>(text, position);
          const auto name      = text.substr(position, name_size);
          position += name_size;
          const auto size = take<std::uint64_t>(text, position);
          records.push_back({type, name, text.substr(position, size)});
          position += size + sizeof(std::uint32_t);
        }
      return records;
    }


    std::string
    strange_integer(Random &random)
    {
      constexpr auto         largest   = std::numeric_limits<std::int64_t>::max();
      constexpr std::int64_t numbers[] = {
        0, 1, 2, 7, -1, -2, 255, 65536, 1L << 31, 1L << 32, 1L << 60, largest, -largest - 1};
      return bytes_of(numbers[pick(random, std::size(numbers))]);
    }


    std::string
    strange_double(Random &random)
    {
      using Limits               = std::numeric_limits<double>;
      constexpr double numbers[] = {0.,
                                    -0.,
                                    1.,
                                    -1.,
                                    0.5,
                                    1e-320,
                                    1e-30,
                                    1e16,
                                    1e308,
                                    -1e308,
                                    Limits::infinity(),
                                    -Limits::infinity(),
                                    Limits::quiet_NaN()};
      return bytes_of(numbers[pick(random, std::size(numbers))]);
    }


    void
    forge(Record &record, Random &random)
    {
      const std::size_t n = record.bytes.size() / sizeof(double);
      if (record.type == 'i')
        record.bytes = strange_integer(random);
      else if (record.type == 's')
        record.bytes = mutate({record.bytes, record.name}, random);
      else if (n == 0 || pick(random, 4) == 0) // another length
        record.bytes.resize(sizeof(double) * pick(random, n + 3));
      else if (record.type == 'E' && pick(random, 4) == 0) // number of elements
        record.bytes.replace(0, sizeof(double), strange_integer(random));
      else if (pick(random, 4) == 0) // all values
        for (std::size_t i = record.type == 'E'; i < n; ++i)
          record.bytes.replace(i * sizeof(double), sizeof(double), strange_double(random));
      else
        record.bytes.replace(pick(random, n) * sizeof(double),
                             sizeof(double),
                             strange_double(random));
    }
  } // namespace


  std::string
  forge_checkpoint(const std::string &checkpoint, Random &random)
  {
    std::vector<Record> records   = records_of(checkpoint);
    const std::size_t   n_changes = 1 + pick(random, 2);
    for (std::size_t i = 0; i < n_changes; ++i)
      {
        const std::size_t number = pick(random, records.size() - 1); // not the end
        Record           &record = records[number];
        switch (pick(random, 12))
          {
            case 0:
              records.erase(records.begin() + number);
              break;
            case 1:
              records.insert(records.begin() + number, Record(record));
              break;
            case 2:
              record.type = "sidDFE"[pick(random, 6)];
              break;
            case 3:
              record.name = records[pick(random, records.size() - 1)].name;
              break;
            default:
              forge(record, random);
          }
      }
    std::string result = checkpoint.substr(0, head_size);
    for (const Record &record : records)
      {
        const std::string text =
          record.type + bytes_of(static_cast<std::uint32_t>(record.name.size())) + record.name +
          bytes_of(std::uint64_t{record.bytes.size()}) + record.bytes;
        const auto crc = crc32_z(0, reinterpret_cast<const Bytef *>(text.data()), text.size());
        result += text + bytes_of(static_cast<std::uint32_t>(crc));
      }
    return result;
  }
} // namespace Saltus::Fuzz
