// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "mutation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace Saltus::Fuzz
{
  namespace
  {
    /// First and past-the-last character of a piece of text.
    using Piece = std::pair<std::size_t, std::size_t>;

    /// The longest pieces of @p text without any of the characters @p separators.
    std::vector<Piece>
    pieces(const std::string &text, const char *separators)
    {
      std::vector<Piece> result;
      std::size_t        begin = text.find_first_not_of(separators);
      while (begin != std::string::npos)
        {
          const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
          result.emplace_back(begin, end);
          begin = text.find_first_not_of(separators, end);
        }
      return result;
    }


    const char *const between_words = " \t\r\n,;=()";
    const char *const between_lines = "\n";


    std::string
    of(const std::string &text, const Piece &piece)
    {
      return text.substr(piece.first, piece.second - piece.first);
    }


    /// A piece of one of the texts.
    std::string
    any_piece(const std::vector<std::string> &texts, const char *separators, Random &random)
    {
      const std::string &text = texts[pick(random, texts.size())];
      const auto         all  = pieces(text, separators);
      return all.empty() ? "" : of(text, all[pick(random, all.size())]);
    }


    void
    replace(std::string &text, const Piece &piece, const std::string &other)
    {
      text.replace(piece.first, piece.second - piece.first, other);
    }


    /// Exchange two pieces.
    void
    swap(std::string &text, const char *separators, Random &random)
    {
      const auto  all    = pieces(text, separators);
      std::size_t first  = pick(random, all.size());
      std::size_t second = pick(random, all.size());
      if (first > second)
        std::swap(first, second);
      const std::string a = of(text, all[first]), b = of(text, all[second]);
      replace(text, all[second], a);
      replace(text, all[first], b);
    }


    void
    make_mistake(std::string &text, const std::vector<std::string> &texts, Random &random)
    {
      const auto words = pieces(text, between_words);
      const auto lines = pieces(text, between_lines);
      if (words.empty())
        {
          text += strange_word(random);
          return;
        }
      const Piece       word     = words[pick(random, words.size())];
      const Piece       line     = lines[pick(random, lines.size())];
      const std::size_t position = pick(random, text.size());
      switch (pick(random, 15))
        {
          case 0:
          case 1:
          case 2:
            replace(text, word, strange_word(random));
            break;
          case 3:
            replace(text, word, any_piece(texts, between_words, random));
            break;
          case 4:
            swap(text, between_words, random);
            break;
          case 5:
            swap(text, between_lines, random);
            break;
          case 6:
            replace(text, line, any_piece(texts, between_lines, random));
            break;
          case 7: // the line is lost
            text.erase(line.first, line.second - line.first + 1);
            break;
          case 8: // the line stands there twice
            text.insert(line.first, of(text, line) + "\n");
            break;
          case 9:
            text[position] = static_cast<char>(text[position] ^ (1 << pick(random, 8)));
            break;
          case 10:
            text.resize(position);
            break;
          case 11:
            text.insert(position, strange_word(random));
            break;
          case 12: // a digit more or less
            if (pick(random, 2) == 0)
              text.insert(word.first, 1, static_cast<char>('0' + pick(random, 10)));
            else
              text.erase(word.first, 1);
            break;
          case 13: // a section is lost
            {
              const std::size_t section = text.find("subsection", position);
              const std::size_t end     = text.find("\nend", section);
              if (end != std::string::npos)
                text.erase(section, end + 4 - section);
              break;
            }
          default: // goes on as another file from somewhere on
            const std::string &other = texts[pick(random, texts.size())];
            text.resize(position);
            text += other.substr(std::min(pick(random, other.size() + 1), other.size()));
        }
    }
  } // namespace


  std::string
  strange_word(Random &random)
  {
    static const std::string words[] = {"0",
                                        "-0",
                                        "-1",
                                        "1",
                                        "3",
                                        "255",
                                        "256",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483649",
                                        "4294967295",
                                        "4294967296",
                                        "99999999999999999999",
                                        "1e-320",
                                        "1e-30",
                                        "1e16",
                                        "1e308",
                                        "-1e308",
                                        "1e400",
                                        "nan",
                                        "-nan",
                                        "inf",
                                        "0x10",
                                        "0,5",
                                        "1.5.2",
                                        "1e",
                                        "",
                                        " ",
                                        "#",
                                        "\\",
                                        "$",
                                        "$EndNodes",
                                        "$Elements",
                                        "(",
                                        ")",
                                        ";",
                                        ",",
                                        ":",
                                        "|",
                                        "/",
                                        "..",
                                        "/dev/zero",
                                        ".",
                                        "x/0",
                                        "sqrt(-x)",
                                        "rand()",
                                        "if(x,",
                                        "x?y:z",
                                        "set",
                                        "set =",
                                        "end",
                                        "subsection",
                                        "subsection Mesh\n",
                                        "include",
                                        "\xC3\xA9",
                                        "\xEF\xBB\xBF",
                                        "\xFF\xFE",
                                        std::string(1, '\0'),
                                        std::string(3000, '9'),
                                        std::string(2000, '('),
                                        std::string(5000, 'a')};
    return words[pick(random, std::size(words))];
  }


  std::string
  mutate(const std::vector<std::string> &texts, Random &random)
  {
    std::string       text       = texts[pick(random, texts.size())];
    const std::size_t n_mistakes = 1 + pick(random, 4);
    for (std::size_t i = 0; i < n_mistakes; ++i)
      make_mistake(text, texts, random);
    return text;
  }
} // namespace Saltus::Fuzz
