#include "limber/record/energy_plot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/files.hpp"

extern char** environ;

namespace limber {

namespace {

struct Curve {
  const char* column;
  const char* label;
  const char* style;
};

constexpr std::array curves = {
    Curve{"kinetic", "kinetic", "lw 2 lc rgb '#0072b2'"},
    Curve{"elastic", "elastic", "lw 2 lc rgb '#d55e00'"},
    Curve{"gravitational", "gravitational", "lw 2 lc rgb '#009e73'"},
    Curve{"damping_loss", "damping loss", "lw 2 dt 2 lc rgb '#cc79a7'"},
    Curve{"total", "total", "lw 3 lc rgb '#222222'"},
};

constexpr std::size_t bins = 2000;  // more than the picture has columns of pixels

/// Lines `time value value …`. Long runs are drawn by the smallest and the largest value of each bin, so that no
/// oscillation is lost.
std::string data_block(const EnergyRecord& record) {
  std::vector<std::vector<double>> values = {record.column("time")};
  for (const Curve& curve : curves) values.push_back(record.column(curve.column));
  const std::size_t rows = record.rows.size(), stride = std::max<std::size_t>(1, rows / bins);
  std::string text;
  const auto line = [&](std::size_t time_row, auto value) {
    text += fmt::format("{}", values[0][time_row]);
    for (std::size_t c = 1; c < values.size(); ++c) text += fmt::format(" {}", value(values[c]));
    text += '\n';
  };
  for (std::size_t begin = 0; begin < rows; begin += stride) {
    const std::size_t end = std::min(rows, begin + stride);
    const auto at = [](const std::vector<double>& x, std::size_t i) { return x.begin() + static_cast<long>(i); };
    line(begin, [&](const auto& x) { return *std::min_element(at(x, begin), at(x, end)); });
    if (stride > 1) line(end - 1, [&](const auto& x) { return *std::max_element(at(x, begin), at(x, end)); });
  }
  return text;
}

/// In single quotes gnuplot reads everything but the quote itself and the end of the line as it stands.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "'";
}

/// Joules, or thousands, millions, … of them, so that the numbers on the axis are short.
std::pair<double, const char*> unit_for(const EnergyRecord& record) {
  double largest = 0;
  for (const Curve& curve : curves)
    for (const double x : record.column(curve.column))
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  constexpr std::array<std::pair<double, const char*>, 6> units = {
      {{1e9, "GJ"}, {1e6, "MJ"}, {1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}}};
  for (const auto& unit : units)
    if (largest >= unit.first) return unit;
  return {1, "J"};
}

std::string script(const EnergyRecord& record, const std::string& title) {
  const auto [unit, unit_name] = unit_for(record);
  std::string text = "$energy << END_OF_DATA\n" + data_block(record) + "END_OF_DATA\n";
  text +=
      "set terminal pngcairo size 1200,800 font 'DejaVu Sans,15' background rgb 'white'\n"
      "set encoding utf8\n"
      "set border 3 lc rgb '#666666'\n"
      "set tics nomirror out textcolor rgb '#333333'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 1\n"
      "set format y '%g'\n"
      "set key bmargin center horizontal maxrows 1 Left reverse samplen 2 width -3\n"
      "set lmargin 11\nset rmargin 4\nset tmargin 4\nset bmargin 6\n"
      "set xlabel 'time [s]'\n"
      "set autoscale xfix\nset offsets graph 0, graph 0, graph 0.03, graph 0.03\n";
  text += fmt::format("set ylabel 'energy [{}]' offset -1,0\n", unit_name);
  text += fmt::format("set title {} noenhanced font ',20' offset 0,0.3\n", quoted(title));
  text += "plot ";
  for (std::size_t c = 0; c < curves.size(); ++c)
    text += fmt::format("{}$energy using 1:(${}/{}) with lines {} title '{}'", c ? ", " : "", c + 2, unit,
                        curves[c].style, curves[c].label);
  return text + "\n";
}

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Stream temporary_stream(const std::string& content = "") {
  Stream stream(std::tmpfile(), std::fclose);
  if (!stream) throw OutputError("a temporary file cannot be made: " + error_text(errno));
  if (std::fwrite(content.data(), 1, content.size(), stream.get()) != content.size() || std::fflush(stream.get()) != 0)
    throw OutputError("a temporary file cannot be written: " + error_text(errno));
  std::rewind(stream.get());
  return stream;
}

std::string first_line(std::FILE* stream) {
  std::rewind(stream);
  std::string text;
  for (int c; (c = std::fgetc(stream)) != EOF;) {
    if (c != '\n') text += static_cast<char>(c);
    if (c == '\n' && text.find_first_not_of(" \t^") != std::string::npos) break;
  }
  return text;
}

/// Runs gnuplot with the script on its standard input and the picture on its standard output: neither a shell nor
/// gnuplot ever sees the name of a file. Returns why it failed.
std::optional<std::string> run_gnuplot(const std::string& commands, const std::string& png) {
  const Stream input = temporary_stream(commands), complaints = temporary_stream();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input.get()), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, png.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints.get()), STDERR_FILENO);
  std::string program = "gnuplot", no_user_settings = "-d";
  char* arguments[] = {program.data(), no_user_settings.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return "gnuplot was not found; install it to get an energy plot";
  if (failed) return "gnuplot could not be started: " + error_text(failed);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "gnuplot was lost: " + error_text(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return "gnuplot was not found; install it to get an energy plot";
  return "gnuplot failed: " + first_line(complaints.get());
}

}  // namespace

std::optional<std::string> plot_energy(const std::string& directory, const std::string& title) {
  const std::filesystem::path base(directory);
  const EnergyRecord record = read_energy_table((base / run_file::energy).string());
  if (record.rows.size() < 2) return "there are fewer than two rows of energies to plot";
  const std::string png = (base / run_file::energy_plot).string(), temporary = temporary_name(png);
  auto failed = run_gnuplot(script(record, title), temporary);
  std::error_code error;
  if (!failed && std::filesystem::file_size(temporary, error) == 0) failed = "gnuplot drew nothing";
  if (failed) {
    std::filesystem::remove(temporary, error);
    return failed;
  }
  rename_temporary(png);
  return std::nullopt;
}

}  // namespace limber
