// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// fuzz_programs [--number N] [--seed S] [--seconds T] [--only I] SERVER PROGRAMS DIRECTORY
//
// Runs of the programs with damaged parameter files, extreme entries and forged checkpoints whose
// checksums are right. Each ends within T seconds with status 0, 1 or 2, the latter two with one
// message, and no result is a NaN. The programs run as forks of the library SERVER. DIRECTORY keeps
// the inputs that fail; option --only tries input I alone.
#include "checkpoint_forgery.h"
#include "mutation.h"
#include "workers.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{
  using namespace Saltus::Fuzz;
  namespace fs = std::filesystem;
  using Words  = std::vector<std::string>;

  std::string
  contents(const fs::path &file)
  {
    std::ifstream      stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }


  /// A program that is loaded once, see fork_server.cc.
  class Program
  {
  public:
    Program(const std::string &server, const std::string &path)
    {
      int questions[2], replies[2];
      if (pipe2(questions, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0)
        std::abort();
      process = fork();
      if (process == 0)
        {
          dup2(questions[0], 0);
          dup2(replies[1], 1);
          setenv("LD_PRELOAD", server.c_str(), 1);
          const rlimit memory = {rlim_t{4} << 30, rlim_t{4} << 30};
          setrlimit(RLIMIT_DATA, &memory);
          execl(path.c_str(), path.c_str(), nullptr);
          _exit(127);
        }
      close(questions[0]);
      close(replies[1]);
      to   = fdopen(questions[1], "w");
      from = fdopen(replies[0], "r");
    }

    Program(const Program &) = delete;
    Program &
    operator=(const Program &) = delete;

    ~Program()
    {
      std::fclose(to); // which ends the process
      std::fclose(from);
      waitpid(process, nullptr, 0);
    }

    /// @return the wait status
    int
    run(const std::string &directory, const unsigned int seconds, const Words &arguments)
    {
      std::string line =
        directory + '\t' + std::to_string(seconds) + '\t' + std::to_string(20 * seconds);
      for (const std::string &argument : arguments)
        line += '\t' + argument;
      int status = 0;
      if (std::fprintf(to, "%s\n", line.c_str()) < 0 || std::fflush(to) != 0 ||
          std::fscanf(from, "%d", &status) != 1)
        throw std::runtime_error("a program does not start");
      return status;
    }

  private:
    pid_t      process;
    std::FILE *to, *from;
  };


  /// A shipped parameter file on a small mesh.
  struct Case
  {
    std::string program, text;
  };


  struct Options
  {
    std::size_t  number = 500, seed = 1;
    unsigned int seconds   = 5;
    bool         is_single = false;
    std::size_t  only      = 0;
    std::string  server, programs, directory;
  };


  /// The text with smaller numbers, which make a mesh small and a run short.
  std::string
  small(const std::string &text)
  {
    const std::map<std::string, unsigned long> largest = {{"Subdivisions", 6},
                                                          {"Triangles", 500},
                                                          {"Rings", 2},
                                                          {"Refinements", 1},
                                                          {"Cycles", 1},
                                                          {"Highest level", 1},
                                                          {"Cells per element", 4}};
    std::istringstream                         stream(text);
    std::string                                result;
    for (std::string line; std::getline(stream, line); result += line + '\n')
      {
        const auto begin = line.find("set "), equal = line.find('=');
        if (begin == std::string::npos || equal == std::string::npos || line[0] == '#')
          continue;
        std::string name = line.substr(begin + 4, equal - begin - 4);
        name.erase(name.find_last_not_of(' ') + 1);
        const auto bound = largest.find(name);
        if (name == "File")
          line.insert(line.find_first_not_of(" =", equal), "../../"); // from the directory of a run
        if (bound == largest.end())
          continue;
        const bool         is_3d = std::count(line.begin(), line.end(), ',') == 2;
        std::istringstream values(line.substr(equal + 1));
        std::string        smaller;
        for (std::string value; std::getline(values, value, ',');)
          smaller += (smaller.empty() ? " " : ", ") +
                     std::to_string(std::min(is_3d ? 2 : bound->second, std::stoul(value)));
        line = line.substr(0, equal + 1) + smaller;
      }
    return result;
  }


  class Inputs
  {
  public:
    explicit Inputs(const Options &options)
      : options(options)
    {
      const std::string folder = SALTUS_SOURCE_DIR "parameter_files/";
      for (const auto &entry : fs::directory_iterator(folder))
        if (const fs::path path = entry.path(); path.extension() == ".prm")
          files.push_back(path);
        else if (path.extension() == ".msh")
          fs::copy_file(path, options.directory + "/" + path.filename().string());
      std::sort(files.begin(), files.end());
      for (const fs::path &file : files)
        {
          const std::string text = contents(file), mark = "\n# Program: ";
          const auto        begin   = text.find(mark) + mark.size();
          const std::string program = text.substr(begin, text.find('\n', begin) - begin);
          // A mesh that Gmsh makes is not there.
          if (text.find(mark) == std::string::npos || program == "throughput" ||
              text.find("# Mesh: ") != std::string::npos)
            continue;
          names.push_back(file.stem());
          cases.push_back({program, small(text)});
          texts.push_back(cases.back().text);
          entries[program] = {};
        }
      for (auto &[program, of_program] : entries)
        of_program = entries_of(program);
    }

    /// Checkpoints to forge.
    void
    make_checkpoints()
    {
      for (const std::string name : {"isentropic_vortex_2d",
                                     "isentropic_vortex_adaptive",
                                     "compressible_couette",
                                     "taylor_vortex",
                                     "polytopic_heat"})
        {
          const std::size_t number    = std::find(names.begin(), names.end(), name) - names.begin();
          const std::string directory = options.directory + '/' + name;
          const std::string problem =
            run(cases.at(number), directory, {"--set", "Checkpoint/Interval=1"}, 60);
          if (!problem.empty())
            throw std::runtime_error(name + ": " + problem);
          checkpoints.emplace_back(number, contents(directory + "/output/solution.checkpoint"));
        }
    }

    /// @param file is written
    std::string
    attempt(const std::size_t input, const std::string &file)
    {
      std::seed_seq     sequence{options.seed, input};
      Random            random(sequence);
      const std::string directory = file + ".run";
      const std::size_t kind      = pick(random, 10);
      const bool        restarts  = kind < 2;
      std::size_t       number    = pick(random, cases.size());
      Words             arguments;
      if (restarts)
        {
          const auto &checkpoint = checkpoints[pick(random, checkpoints.size())];
          number                 = checkpoint.first;
          std::ofstream(file, std::ios::binary) << forge_checkpoint(checkpoint.second, random);
          fs::create_directories(directory + "/output");
          fs::copy_file(file, directory + "/output/solution.checkpoint");
          arguments = {"--restart", "--set", "Checkpoint/Interval=1", "--set", "Time/Steps=3"};
        }
      else if (pick(random, 2) == 0)
        arguments.emplace_back("--dry-run");
      Case one = cases[number];
      if (kind == 2 || kind == 3)
        for (std::size_t i = 0; i < 1 + pick(random, 2); ++i)
          {
            const Words &of_program = entries.at(one.program);
            arguments.emplace_back("--set");
            arguments.push_back(of_program[pick(random, of_program.size())] + '=' +
                                argument(random));
          }
      else if (!restarts)
        one.text = mutate({one.text, texts[pick(random, texts.size())]}, random);
      if (!restarts)
        std::ofstream(file, std::ios::binary) << one.text;
      const std::string problem = run(one, directory, arguments, options.seconds);
      fs::remove_all(directory);
      std::string shown = one.program;
      for (const std::string &word : arguments)
        shown += ' ' + word.substr(0, 200);
      return problem.empty() ? "" : shown + ": " + problem;
    }

    /// Each process loads its own programs.
    void
    unload()
    {
      programs.clear();
    }

  private:
    Words
    entries_of(const std::string &name)
    {
      const std::string directory = options.directory + "/entries";
      fs::create_directories(directory);
      program(name).run(directory, 20, {"--print-parameters"});
      std::istringstream stream(contents(directory + "/stdout"));
      std::string        section;
      Words              result;
      for (std::string line; std::getline(stream, line);)
        {
          const auto begin = std::min(line.find_first_not_of(' '), line.size());
          if (line.compare(begin, 11, "subsection ") == 0)
            section += line.substr(begin + 11) + '/';
          else if (line.compare(begin, 3, "end") == 0)
            section.resize(section.rfind('/', section.size() - 2) + 1);
          else if (line.compare(begin, 4, "set ") == 0)
            result.push_back(section + line.substr(begin + 4, line.find(" =") - begin - 4));
        }
      return result;
    }

    /// A strange word that can stand on a command line.
    static std::string
    argument(Random &random)
    {
      std::string word = strange_word(random);
      word.erase(std::remove_if(word.begin(),
                                word.end(),
                                [](const char c) { return c == '\0' || c == '\t' || c == '\n'; }),
                 word.end());
      return word;
    }

    Program &
    program(const std::string &name)
    {
      auto &program = programs[name];
      if (!program)
        program = std::make_unique<Program>(options.server, options.programs + '/' + name);
      return *program;
    }

    /// @param directory of the run; its parameter file is beside, where the meshes are
    std::string
    run(const Case        &one,
        const std::string &directory,
        const Words       &more,
        const unsigned int seconds)
    {
      fs::create_directories(directory);
      std::ofstream(directory + ".prm", std::ios::binary) << one.text;
      Words arguments = {directory + ".prm", "--device", "cpu"};
      if (one.program != "poisson")
        for (const char *word : {"--no-progress", "--set", "Time/Steps=2"})
          arguments.emplace_back(word);
      arguments.insert(arguments.end(), more.begin(), more.end());
      for (const char *word : {"--set", "Output/Directory=output"}) // whatever was set
        arguments.emplace_back(word);
      const int status = program(one.program).run(directory, seconds, arguments);
      return problem_with(one.program, status, seconds, directory);
    }

    static std::string
    problem_with(const std::string &program,
                 const int          status,
                 const unsigned int seconds,
                 const std::string &directory)
    {
      if (WIFSIGNALED(status))
        {
          const int signal = WTERMSIG(status);
          return signal == SIGPROF ? "takes more than " + std::to_string(seconds) + " s"
                 : signal == SIGKILL
                   ? std::string("hangs, or was killed for lack of memory")
                   : std::string("ends by the signal '") + strsignal(signal) + "'";
        }
      const int          end     = WEXITSTATUS(status);
      const std::string  results = contents(directory + "/stdout");
      std::istringstream errors(contents(directory + "/stderr"));
      unsigned int       n_messages = 0;
      std::string        all;
      for (std::string line; std::getline(errors, line); all += line + '\n')
        n_messages += line.compare(0, program.size() + 2, program + ": ") == 0;
      for (const char *noise : {"Stacktrace",
                                "terminate called",
                                "MPI_",
                                "Errc:",
                                "Exception",
                                "An error occurred",
                                "Iterative method"})
        if (all.find(noise) != std::string::npos)
          return "has a message of a library: " + all;
      if (end > 2)
        return "ends with status " + std::to_string(end) + ": " + all;
      if (n_messages != (end > 0 ? 1U : 0U))
        return "ends with status " + std::to_string(end) + " and " + std::to_string(n_messages) +
               " messages: " + all;
      if (end == 0 && (results + ' ').find(" nan ") != std::string::npos)
        return "has the result nan: " + results;
      return "";
    }

    const Options                                    options;
    std::vector<fs::path>                            files;
    Words                                            names, texts;
    std::vector<Case>                                cases;
    std::map<std::string, Words>                     entries;     ///< paths of all, by program
    std::vector<std::pair<std::size_t, std::string>> checkpoints; ///< number of the case, contents
    std::map<std::string, std::unique_ptr<Program>>  programs;
  };
} // namespace


int
main(int argc, char **argv)
{
  Options options;
  Words   words;
  for (int i = 1; i < argc; ++i)
    {
      const std::string word   = argv[i];
      const auto        number = [&]() { return i + 1 < argc ? std::stoull(argv[++i]) : 0; };
      if (word == "--number")
        options.number = number();
      else if (word == "--seed")
        options.seed = number();
      else if (word == "--seconds")
        options.seconds = number();
      else if (word == "--only")
        {
          options.is_single = true;
          options.only      = number();
        }
      else
        words.push_back(fs::absolute(word));
    }
  if (words.size() != 3)
    {
      std::cerr << "usage: fuzz_programs [--number N] [--seed S] [--seconds T] [--only I] SERVER "
                   "PROGRAMS DIRECTORY\n";
      return 2;
    }
  options.server    = words[0];
  options.programs  = words[1];
  options.directory = words[2];
  for (const auto &[name, value] :
       {std::pair{"DEAL_II_NUM_THREADS", "1"}, {"SALTUS_MEMORY_LIMIT", "0.05"}})
    setenv(name, value, 1);
  std::signal(SIGPIPE, SIG_IGN); // a program that does not start is an error
  fs::remove_all(options.directory);
  fs::create_directories(options.directory);

  Inputs inputs(options);
  inputs.make_checkpoints();
  if (options.is_single)
    {
      const std::string problem = inputs.attempt(options.only, options.directory + "/input");
      std::cout << (problem.empty() ? "nothing is wrong" : problem) << std::endl;
      return problem.empty() ? 0 : 1;
    }
  inputs.unload();
  const std::size_t n_failures = try_inputs(
    options.number,
    [&](const std::size_t input, const std::string &file) { return inputs.attempt(input, file); },
    options.seconds,
    options.directory + "/inputs",
    4);
  std::cout << options.number << " inputs, " << n_failures << " failures" << std::endl;
  return n_failures == 0 ? 0 : 1;
}
