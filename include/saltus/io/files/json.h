// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_json_h
#define saltus_io_files_json_h

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace Saltus
{
  /// A value as other programs read it, in the notation JSON (ECMA-404): null, true or false, a
  /// number, a text, an array or an object, whose members keep the order in which they came.
  class Json
  {
  public:
    Json() = default; ///< null

    Json(const bool value)
      : value(value)
    {}

    template <
      typename Integer,
      std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, int> = 0>
    Json(const Integer number)
      : value(static_cast<std::int64_t>(number))
    {}

    /// What is not finite has no notation: it is written as null.
    Json(const double number)
      : value(number)
    {}

    Json(const std::string &text)
      : value(text)
    {}

    Json(const char *text)
      : value(std::string(text))
    {}

    template <typename T>
    Json(const std::vector<T> &values)
      : value(Array(values.begin(), values.end()))
    {}

    /// Read what print() writes.
    /// @throws dealii::ExcMessage for anything else, and for more than 100 parts in each other
    static Json
    parse(const std::string &text);

    /// The member of an object, null if it is new; what is null becomes an object.
    Json &
    operator[](const std::string &name);

    /// A member of an object; nullptr: there is none, or this is no object.
    const Json *
    find(const std::string &name) const;

    /// Of an array; nothing else has some.
    std::vector<Json>
    elements() const;

    /// Names and values of the members of an object; nothing else has some.
    std::vector<std::pair<std::string, Json>>
    members() const;

    /// Nothing: this is no number.
    std::optional<double>
    number() const;

    /// Add to an array; what is null becomes one.
    void
    append(const Json &element);

    /// Numbers with as many digits as tell them apart from all others.
    void
    print(std::ostream &stream) const;

  private:
    using Array  = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    class Reader;

    /// @param indent spaces before what begins a line
    void
    print(std::ostream &stream, const unsigned int indent) const;

    bool
    has_parts() const
    {
      return std::holds_alternative<Array>(value) || std::holds_alternative<Object>(value);
    }

    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value;
  };
} // namespace Saltus

#endif
