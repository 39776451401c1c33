// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/expressions/run_files.h>
#include <saltus/base/expressions/text_file.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/output_lock.h>
#include <saltus/io/parameters/run_record.h>
#include <saltus/io/parameters/versions.h>

#include <chrono>
#include <ctime>
#include <iostream>

namespace Saltus
{
  namespace
  {
    /// With the type that the pattern of the entry says.
    Json
    value_of(const ParameterEntry &entry)
    {
      const auto is = [&](const std::string &kind) {
        return entry.pattern.compare(0, kind.size(), kind) == 0;
      };
      if (is("[Bool"))
        return entry.value == "true";
      if (is("[Integer"))
        return dealii::Utilities::string_to_int(entry.value);
      if (is("[Double"))
        return dealii::Utilities::string_to_double(entry.value);
      return entry.value;
    }


    Json
    json_of(const std::vector<ParameterEntry> &entries)
    {
      Json result;
      for (const ParameterEntry &entry : entries)
        {
          Json *place = &result;
          for (const std::string &name : dealii::Utilities::split_string_list(entry.path, '/'))
            place = &(*place)[name];
          *place = value_of(entry);
        }
      return result;
    }


    /// `2026-01-31T12:00:00Z`
    std::string
    present_time()
    {
      const std::time_t now = std::time(nullptr);
      char              text[32];
      std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
      return text;
    }


    /// What is known before a run.
    Json
    beginning(const RunSettings &settings, const Device device, const MPI_Comm communicator)
    {
      Json record;
      record["program"]  = settings.program;
      record["finished"] = false;
      record["message"]  = "the run goes on, or was killed";
      record["started"]  = present_time();
      record["seconds"]; // has its place here
      for (const auto &[name, version] : versions())
        record["versions"][name] = version;
      record["device"]         = device.description();
      record["ranks"]          = n_ranks(communicator);
      record["threads"]        = dealii::MultithreadInfo::n_threads();
      record["parameter file"] = settings.parameter_file;
      record["settings"]       = json_of(settings.entries);
      return record;
    }


    /// Of a run that fails, perhaps on the first rank only: what else goes wrong is of no interest.
    void
    write_failure(const std::function<void(const std::string &)> &write,
                  const std::string                              &message,
                  const MPI_Comm                                  communicator)
    {
      if (this_rank(communicator) > 0)
        return;
      try
        {
          write(message);
        }
      catch (const std::exception &)
        {}
    }
  } // namespace


  void
  record_run(const RunSettings                                             &settings,
             const OutputFiles                                             &files,
             const Device                                                   device,
             const MPI_Comm                                                 communicator,
             const std::function<void(const std::function<void()> &write)> &run,
             const std::function<void(Json &)>                             &add_results)
  {
    if (settings.is_dry)
      {
        run([]() {});
        std::cout << "Dry run: nothing is solved or written." << std::endl;
        return;
      }
    const OutputLock lock(files.directory, communicator);
    on_first_rank(communicator, [&]() {
      remove_temporary_files(files.directory.empty() ? "." : files.directory, files.name);
    });
    Json       record = beginning(settings, device, communicator);
    const auto write  = [&]() {
      replace_file(files.path(".json"), [&](std::ostream &stream) { record.print(stream); });
    };
    const auto write_results = [&]() {
      record["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - settings.begin).count();
      add_results(record);
      write();
    };
    const auto end = [&](const std::string &message) {
      record["finished"] = message.empty();
      record["message"]  = message.empty() ? Json() : Json(message);
      write_results();
    };

    on_first_rank(communicator, write);
    try
      {
        run([&]() { on_first_rank(communicator, write_results); });
      }
    catch (const std::exception &exception)
      {
        write_failure(end, error_message(exception), communicator);
        throw;
      }
    on_first_rank(communicator, [&]() { end(""); });
  }


  Json
  record_of_earlier_part(const OutputFiles &files, const MPI_Comm communicator)
  {
    if (this_rank(communicator) > 0)
      return {};
    try
      {
        const std::string path = files.path(".json"), text = read_text("record", path);
        note_input(path, path); // the record of the whole run takes its place
        return Json::parse(text);
      }
    catch (const std::exception &)
      {
        return {};
      }
  }
} // namespace Saltus
