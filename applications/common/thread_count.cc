// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The number of threads is checked before deal.II reads it, which it does while it is loaded, ahead
// of main(): what it cannot read ends the program in an abort. Only functions in the section
// .preinit_array of the program itself come earlier. Part of every program; nothing of the C
// library but system calls may be used here, nor a sanitizer.
#include <unistd.h>

#if defined(__linux__)

namespace
{
  __attribute__((no_sanitize("address", "undefined"))) unsigned long
  length(const char *text)
  {
    unsigned long n = 0;
    while (text[n] != '\0')
      ++n;
    return n;
  }

  /// What follows @p name in @p text; null if that begins in another way.
  __attribute__((no_sanitize("address", "undefined"))) const char *
  after(const char *text, const char *name)
  {
    for (; *name != '\0'; ++text, ++name)
      if (*text != *name)
        return nullptr;
    return text;
  }

  /// Whether @p text is a number from 1 to 99999, with nothing but blanks around it.
  __attribute__((no_sanitize("address", "undefined"))) bool
  is_thread_count(const char *text)
  {
    while (*text == ' ')
      ++text;
    unsigned int value = 0, digits = 0;
    for (; *text >= '0' && *text <= '9'; ++text, ++digits)
      value = digits < 5 ? 10 * value + (*text - '0') : 100000;
    while (*text == ' ')
      ++text;
    return *text == '\0' && value >= 1 && value < 100000;
  }

  __attribute__((no_sanitize("address", "undefined"))) void
  say(const char *text)
  {
    (void)!write(STDERR_FILENO, text, length(text));
  }

  __attribute__((no_sanitize("address", "undefined"))) void
  check_thread_count(int, char **arguments, char **environment)
  {
    for (; *environment != nullptr; ++environment)
      {
        const char *value = after(*environment, "DEAL_II_NUM_THREADS=");
        if (value == nullptr || is_thread_count(value))
          continue;
        const char *program = arguments[0];
        for (const char *c = program; *c != '\0'; ++c)
          if (*c == '/')
            program = c + 1;
        say(program);
        say(": the environment variable DEAL_II_NUM_THREADS = '");
        say(value);
        say("' is not accepted. Accepted is: the number of threads, 1 or more.\n");
        _exit(1);
      }
  }

  __attribute__((section(".preinit_array"),
                 used)) void (*const check)(int, char **, char **) = check_thread_count;
} // namespace

#endif
