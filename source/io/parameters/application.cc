// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/base/ranks/busy_waiting.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/versions.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <streambuf>
#include <thread>

namespace Saltus
{
  using dealii::ExcMessage;
  using dealii::ParameterHandler;

  namespace
  {
    /// Whether the program writes output files.
    bool
    has_outputs(const ParameterHandler &prm)
    {
      return prm.subsection_path_exists({"Output"});
    }


    bool
    is_in_time(const ParameterHandler &prm)
    {
      return prm.subsection_path_exists({"Checkpoint"});
    }


    std::string
    usage(const std::string &program, const std::string &purpose, const ParameterHandler &prm)
    {
      return purpose + "\n\nUsage: " + program +
             " FILE.prm [OPTION]...\n"
             "  --set 'Section/Entry=value'  override an entry of the file (may be repeated)\n"
             "  --device NAME                select the device: cpu, cuda, cuda:N or auto; short\n"
             "                               for --set 'Device=NAME'\n" +
             (has_outputs(prm)
                ? "  --dry-run                    set up the run, print its size and output files, and\n"
                  "                               stop; no file is written\n"
                  "  --kernels-for NUMBER         compile the kernels that the run needs on GPUs of\n"
                  "                               this compute capability (90 for 9.0), and stop;\n"
                  "                               no GPU is needed\n"
                : "") +
             (is_in_time(prm)
                ? "  --restart                    continue from the last checkpoint; short for\n"
                  "                               --set 'Checkpoint/Restart=true'\n"
                  "  --no-progress                omit the progress line; short for\n"
                  "                               --set 'Output/Progress=false'\n"
                : "") +
             "  --print-parameters           print all entries with documentation and values\n"
             "  --version                    print versions, build options and devices\n"
             "  --help                       print this text\n"
             "Exit status: 0 on success; 1 on error" +
             (is_in_time(prm)
                ? "; 2 if a signal (SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1) or Time/Wall time limit "
                  "stops the run.\n"
                : ".\n");
    }


    /// Discards all output.
    class NullBuffer : public std::streambuf
    {
      int
      overflow(const int character) override
      {
        return character;
      }
    };


    /// Whether all ranks reach this call within two seconds. Collective.
    bool
    all_ranks_failed(const MPI_Comm communicator)
    {
      MPI_Request request;
      int         done = 0;
      MPI_Ibarrier(communicator, &request);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
      while (true)
        {
          MPI_Test(&request, &done, MPI_STATUS_IGNORE);
          if (done != 0 || std::chrono::steady_clock::now() > end)
            return done != 0;
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }


    /// Report an error. If all ranks fail, as after invalid input, rank 0 prints the message. If
    /// only some fail, each failed rank prints it and aborts the program, because other ranks still
    /// wait.
    void
    report(const std::string &message, const MPI_Comm communicator)
    {
      const bool all = all_ranks_failed(communicator);
      if (!all || dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
        std::cerr << message << std::endl;
      if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    }


    /// Compile the kernels of a run on an assumed GPU. Its results mean nothing, nor do the errors
    /// that it finds, since the kernels do nothing.
    void
    compile_ahead(RunSettings                                     settings,
                  const int                                       architecture,
                  const std::function<void(const RunSettings &)> &run)
    {
      KernelCompiler::assume(GpuLimits::of(architecture));
      settings.device = "cuda";
      NullBuffer            nobody;
      std::streambuf *const output = std::cout.rdbuf(&nobody);
      try
        {
          run(settings);
        }
      catch (const std::exception &)
        {}
      std::cout.rdbuf(output);
      KernelCompiler::wait_for_all();
      const auto        report = KernelCompiler::report();
      const std::string line   = report.line_since({});
      std::cout << (line.empty() ? "The cache has all " + std::to_string(report.n_read) + " kernels"
                                 : line)
                << std::endl;
    }


    void
    read_and_run(const std::chrono::steady_clock::time_point            begin,
                 const std::string                                     &program,
                 const CommandLine                                     &command_line,
                 const std::function<void(dealii::ParameterHandler &)> &add_parameters,
                 const std::function<void(const RunSettings &)>        &run)
    {
      RunSettings      settings;
      ParameterHandler prm;
      prm.add_parameter("Device",
                        settings.device,
                        "Device of the computation: cpu, cuda, cuda:N for GPU number N, or auto, "
                        "which selects a GPU if one is usable.");
      add_parameters(prm);
      if (!command_line.parameter_file.empty())
        read_parameters(prm, command_line.parameter_file);
      for (const std::string &assignment : command_line.assignments)
        set_parameter(prm, assignment);
      if (command_line.no_progress && is_in_time(prm)) // others show none
        set_parameter(prm, "Output/Progress=false");

      if (command_line.print_parameters)
        {
          if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
            print_parameters(prm, std::cout);
          return;
        }
      AssertThrow(!command_line.parameter_file.empty(),
                  ExcMessage("No parameter file is given. Usage: PROGRAM FILE.prm [OPTION]...; "
                             "--help lists the options."));
      const bool is_dry = command_line.dry_run || command_line.architecture > 0;
      AssertThrow(!is_dry || has_outputs(prm),
                  ExcMessage(
                    "The options --dry-run and --kernels-for need a program with a section "
                    "Output."));
      if (command_line.architecture > 0)
        {
          std::string reason;
          AssertThrow(Nvrtc::is_available(reason), ExcMessage(reason));
          set_parameter(prm, "Device=cpu"); // first
        }
      settings.begin          = begin;
      settings.program        = program;
      settings.is_dry         = is_dry;
      settings.parameter_file = command_line.parameter_file;
      settings.entries        = parameter_entries(prm);
      run(settings);
      if (command_line.architecture > 0)
        compile_ahead(settings, command_line.architecture, run);
    }
  } // namespace


  namespace
  {
    /// A compute capability for which NVRTC has compiled the kernels: 75 for 7.5.
    int
    architecture(const std::string &text)
    {
      const bool is_number =
        !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == text.npos;
      AssertThrow(is_number && std::stoi(text) >= 75,
                  ExcMessage("The option --kernels-for needs a compute capability of at least 75, "
                             "90 for H100 for example, not '" +
                             text + "'."));
      return std::stoi(text);
    }
  } // namespace


  CommandLine
  parse_command_line(const std::vector<std::string> &arguments)
  {
    const std::vector<std::string> options = {"--set",
                                              "--device",
                                              "--dry-run",
                                              "--kernels-for",
                                              "--restart",
                                              "--no-progress",
                                              "--print-parameters",
                                              "--version",
                                              "--help"};

    CommandLine result;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      {
        const std::string &argument = arguments[i];
        const auto         value    = [&]() {
          AssertThrow(i + 1 < arguments.size(),
                      ExcMessage("The option " + argument + " needs a value."));
          return arguments[++i];
        };
        if (argument == "--print-parameters")
          result.print_parameters = true;
        else if (argument == "--dry-run")
          result.dry_run = true;
        else if (argument == "--kernels-for")
          result.architecture = architecture(value());
        else if (argument == "--version")
          result.version = true;
        else if (argument == "--help")
          result.help = true;
        else if (argument == "--restart")
          result.assignments.emplace_back("Checkpoint/Restart=true");
        else if (argument == "--no-progress")
          result.no_progress = true;
        else if (argument == "--set")
          result.assignments.push_back(value());
        else if (argument == "--device")
          result.assignments.push_back("Device=" + value());
        else
          {
            AssertThrow(argument.empty() || argument[0] != '-',
                        ExcMessage("There is no option '" + argument + "'. " +
                                   suggestion(argument, options)));
            AssertThrow(result.parameter_file.empty(),
                        ExcMessage("Only one parameter file can be given, but there are '" +
                                   result.parameter_file + "' and '" + argument + "'."));
            result.parameter_file = argument;
          }
      }
    return result;
  }


  void
  with_entry(const std::string &entry, const std::function<void()> &action)
  {
    try
      {
        action();
      }
    catch (const dealii::ExceptionBase &exception)
      {
        AssertThrow(false, ExcMessage(entry + ": " + error_message(exception)));
      }
  }


  void
  print_device(std::ostream &stream, const Device device, const MPI_Comm communicator)
  {
    const unsigned int n = n_ranks(communicator);
    if (n > 1)
      {
        stream << "Ranks: " << n << std::endl;
        note_shared_cores(communicator);
      }
    stream << "Device: " << device.description() << std::endl;
  }


  int
  run_application(int                                                    argc,
                  char                                                 **argv,
                  const std::string                                     &purpose,
                  const std::function<void(dealii::ParameterHandler &)> &add_parameters,
                  const std::function<void(const RunSettings &)>        &run)
  {
    const auto begin = std::chrono::steady_clock::now();
    std::signal(SIGXFSZ, SIG_IGN); // an oversized file is an error like a full disk
    // Hide the options from libraries that MPI_InitFinalize initializes.
    int n_arguments = 1;
    set_open_mpi_parameters();
    dealii::Utilities::MPI::MPI_InitFinalize mpi(n_arguments, argv);
    // deal.II divides the cores of the node even if each rank is bound to its own cores.
    dealii::MultithreadInfo::set_thread_limit(NodeRanks(MPI_COMM_WORLD).n_threads);

    const std::string program = std::filesystem::path(argv[0]).filename().string();
    // Ranks agree on errors over a separate communicator, free of pending messages of the run.
    const MPI_Comm communicator = dealii::Utilities::MPI::duplicate_communicator(MPI_COMM_WORLD);
    int            status       = 0;
    try
      {
        const CommandLine command_line =
          parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
        if (this_rank(communicator) > 0)
          {
            static NullBuffer nobody; // only the first rank prints
            std::cout.rdbuf(&nobody);
          }
        if (command_line.help)
          {
            ParameterHandler prm;
            add_parameters(prm);
            std::cout << usage(program, purpose, prm);
          }
        else if (command_line.version)
          print_versions(std::cout);
        else
          read_and_run(begin, program, command_line, add_parameters, run);
        AssertThrow(std::cout.flush(),
                    ExcMessage(
                      "The standard output cannot be written. Files with results are complete."));
      }
    catch (const StoppedEarly &stop)
      {
        // All ranks have agreed to stop.
        if (this_rank(communicator) == 0)
          std::cerr << program << ": " << stop.what() << std::endl;
        status = 2;
      }
    catch (const std::exception &exception)
      {
        report(program + ": " + error_message(exception), communicator);
        status = 1;
      }
    catch (...) // a library may throw an exception without a base class
      {
        report(program + ": unknown error.", communicator);
        status = 1;
      }
    MPI_Comm copy = communicator;
    MPI_Comm_free(&copy);
    return status;
  }
} // namespace Saltus
