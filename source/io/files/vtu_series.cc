// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/data_out_base.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/shared_file.h>
#include <saltus/io/files/vtu_series.h>

#include <algorithm>
#include <filesystem>

namespace Saltus
{
  namespace
  {
    const char *const vtu_head =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\" "
      "compressor=\"vtkZLibDataCompressor\">\n"
      "<UnstructuredGrid>\n";
    const char *const vtu_end = "</UnstructuredGrid>\n</VTKFile>\n";
  } // namespace


  VtuSeries::VtuSeries(const std::string &directory,
                       const std::string &name,
                       const MPI_Comm     communicator,
                       const bool         double_values)
    : directory(directory)
    , name(name)
    , communicator(communicator)
    , double_values(double_values)
  {
    on_first_rank(communicator, [&]() { make_directory_of(path(name)); });
  }


  std::string
  VtuSeries::path(const std::string &file) const
  {
    return directory.empty() ? file : directory + '/' + file;
  }


  std::string
  VtuSeries::file_name(const unsigned int number) const
  {
    return name + '-' + dealii::Utilities::int_to_string(number, 4) + ".vtu";
  }


  void
  VtuSeries::continue_from(const std::vector<double> &times)
  {
    std::set<unsigned int> own;
    for (unsigned int number = 0; number < times.size(); ++number)
      own.insert(own.end(), number);
    continue_from(times, own);
  }


  void
  VtuSeries::continue_from(const std::vector<double> &old_times, const std::set<unsigned int> &own)
  {
    times.clear();
    n_files = old_times.size();
    on_first_rank(communicator, [&]() {
      const auto exists = [&](const std::string &file) {
        return std::filesystem::exists(path(file));
      };
      std::string place;
      for (unsigned int n = 0; n < n_files || (own.empty() && exists(file_name(n))); ++n)
        if (exists(file_name(n)))
          {
            if (own.count(n) > 0)
              times[n] = old_times[n];
            else
              place = set_aside(path(file_name(n)));
          }
      if (own.empty() && exists(list_name()))
        place = set_aside(path(list_name()));
      if (!place.empty())
        say_once("the series '" + path(list_name()) +
                 "' has files that were not written by the run that goes on, or with other "
                 "entries of the section Evaluation. They are kept in '" +
                 directory_of(place) + "'.");
    });
    write_list();
  }


  std::set<unsigned int>
  VtuSeries::numbers() const
  {
    std::set<unsigned int> result;
    for (const auto &[number, time] : times)
      result.insert(number);
    return result;
  }


  std::string
  VtuSeries::list_name() const
  {
    return name + ".pvd";
  }


  void
  VtuSeries::write_list() const
  {
    on_first_rank(communicator, [&]() {
      std::vector<std::pair<double, std::string>> series;
      for (const auto &[number, time] : times)
        series.emplace_back(time, file_name(number));
      replace_file(path(list_name()), [&](std::ostream &stream) {
        dealii::DataOutBase::write_pvd_record(stream, series);
      });
    });
  }


  std::vector<std::vector<std::string>>
  VtuSeries::geometry(const std::vector<SubdividedSimplices> &pieces) const
  {
    const int  need_double   = std::any_of(pieces.begin(), pieces.end(), [](const auto &piece) {
      return piece.needs_double_points();
    });
    const bool double_points = dealii::Utilities::MPI::max(need_double, communicator) > 0;
    std::vector<std::vector<std::string>> text(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      pieces[i].write_geometry(text[i], double_points);
    return text;
  }


  std::vector<std::vector<std::string>>
  VtuSeries::values(const std::vector<SubdividedSimplices> &pieces) const
  {
    std::vector<std::vector<std::string>> text(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      pieces[i].write_values(text[i], double_values);
    return text;
  }


  std::string
  VtuSeries::write(const double                                 time,
                   const std::vector<std::vector<std::string>> &geometry,
                   const std::vector<std::vector<std::string>> &values)
  {
    const unsigned int            rank = this_rank(communicator);
    const std::string             file = file_name(n_files);
    std::vector<std::string_view> text;
    if (rank == 0)
      text.emplace_back(vtu_head);
    for (std::size_t i = 0; i < geometry.size(); ++i)
      for (const auto *part : {&geometry[i], &values[i]})
        text.insert(text.end(), part->begin(), part->end());
    if (rank + 1 == n_ranks(communicator))
      text.emplace_back(vtu_end);
    replace_shared_file(path(file), communicator, [&](SharedFile &out) { out.append(text); });

    times[n_files++] = time;
    write_list();
    return path(file);
  }
} // namespace Saltus
