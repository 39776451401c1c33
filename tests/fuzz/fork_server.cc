// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Preloaded into a program (LD_PRELOAD), this library runs the program many times but loads it
// once. Every run is a fork of a process that has not entered main() yet.
//
// A line of the standard input has a run's directory, its limits of processor and wall time in
// seconds, and its arguments, separated by tabs. The answer on the standard output is the run's
// wait status. The run writes its output to the files `stdout` and `stderr` in its directory.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{
  using Main = int (*)(int, char **, char **);

  Main main_of_program;

  pid_t run = 0;

  /// Ends a run that takes too long.
  void
  kill_run(int /*signal*/)
  {
    kill(-run, SIGKILL);
  }


  [[noreturn]] void
  start(std::vector<std::string> &fields, char *program, char **environment)
  {
    setpgid(0, 0);
    setenv("TMPDIR", fields[0].c_str(), 1); // two runs must not share one for MPI
    const rlimit none = {0, 0};             // a core dump would take longer than the run
    setrlimit(RLIMIT_CORE, &none);
    itimerval timer{};
    timer.it_value.tv_sec = std::stol(fields[1]);
    setitimer(ITIMER_PROF, &timer, nullptr);
    const int output = O_WRONLY | O_CREAT | O_TRUNC;
    if (chdir(fields[0].c_str()) != 0 || freopen("/dev/null", "r", stdin) == nullptr ||
        dup2(open("stdout", output, 0666), 1) < 0 || dup2(open("stderr", output, 0666), 2) < 0)
      _exit(127);
    std::vector<char *> arguments = {program};
    for (std::size_t i = 3; i < fields.size(); ++i)
      arguments.push_back(fields[i].data());
    arguments.push_back(nullptr);
    exit(main_of_program(static_cast<int>(arguments.size()) - 1, arguments.data(), environment));
  }


  int
  serve(int /*argc*/, char **argv, char **environment)
  {
    unsetenv("LD_PRELOAD");
    std::signal(SIGALRM, kill_run);
    for (std::string line; std::getline(std::cin, line);)
      {
        std::vector<std::string> fields;
        std::istringstream       stream(line);
        for (std::string field; std::getline(stream, field, '\t');)
          fields.push_back(field);
        run = fork();
        if (run == 0)
          start(fields, argv[0], environment);
        setpgid(run, run);
        alarm(std::stoul(fields[2]));
        int status = 0;
        while (waitpid(run, &status, 0) < 0 && errno == EINTR)
          ;
        alarm(0);
        kill(-run, SIGKILL); // what it has left behind
        std::cout << status << std::endl;
      }
    _exit(0);
  }
} // namespace


extern "C" int
__libc_start_main(Main   main,
                  int    argc,
                  char **argv,
                  void (*init)(),
                  void (*end)(),
                  void (*end_of_linker)(),
                  void *stack_end)
{
  main_of_program = main;
  const auto start_main =
    reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start_main(serve, argc, argv, init, end, end_of_linker, stack_end);
}
