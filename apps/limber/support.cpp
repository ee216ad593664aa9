#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/scene/scene_files.hpp"

namespace limber::app {
namespace {

constexpr int interrupt_signals[] = {SIGINT, SIGTERM};
std::atomic<bool> interrupt_came = false;
/// The second one ends the program, as if nobody had caught it.
void on_interrupt(int signal) {
  if (!interrupt_came.exchange(true)) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void SceneArguments::add_to(CLI::App& command) {
  command.add_option("scene", file, "Scene file (JSON)")->required();
  command.add_option("--set", set, "Change a key: --set time.step=0.005 --set bodies[0].material.young=\"3 kPa\"")
      ->allow_extra_args(false);
}

Loaded SceneArguments::load() const { return read(document()); }

Document SceneArguments::document() const {
  Document document = Document::load(file);
  for (const auto& assignment : set) document.set(assignment);
  return document;
}

Loaded SceneArguments::read(const Document& document) const {
  const auto folder = std::filesystem::path(file).parent_path().string();
  return {with_absolute_paths(document, folder), read_scene(document, vocabulary(), folder)};
}

void TimeLeft::clear() {
  if (shown_once_ && isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  shown_once_ = false;
}

bool TimeLeft::due() const {
  return seconds_since(start_) >= 1 && seconds_since(shown_) >= (isatty(STDERR_FILENO) != 0 ? 0.1 : 10.0);
}

void TimeLeft::put(const std::string& text) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  shown_ = Clock::now();
  shown_once_ = true;
  fmt::print(stderr, "{}{}{}", terminal ? "\r" : "", text, terminal ? "\033[K" : "\n");
  std::fflush(stderr);
}

void TimeLeft::show(double part, const std::string& text) {
  if (part >= 1) clear();
  if (part < 1 && due())
    put(fmt::format("{}, {} left", text, duration_text(seconds_since(start_) / part * (1 - part))));
}

void TimeLeft::show(const std::string& text) {
  if (due()) put(fmt::format("{}, {}", text, duration_text(seconds_since(start_))));
}

/// Several processes end together, where their driver says so; none of them ends by itself within a step.
CatchInterrupts::CatchInterrupts() : interruptible_([] { return processes().size() > 1 || !interrupted(); }) {
  for (int k = 0; k < 2; ++k) before_[k] = std::signal(interrupt_signals[k], on_interrupt);
}

CatchInterrupts::~CatchInterrupts() {
  for (int k = 0; k < 2; ++k) std::signal(interrupt_signals[k], before_[k]);
}

bool interrupted() { return interrupt_came; }

namespace {
const Communicator* all_processes = &one_process();
}

const Communicator& processes() { return *all_processes; }
void set_processes(const Communicator& all) { all_processes = &all; }

void end_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

std::string duration_text(double seconds) {
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds), minutes = whole / 60;
  if (minutes < 100) return fmt::format("{} min {:02} s", minutes, whole % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

void write_text(const std::string& file, const std::string& text) {
  if (file.empty() || file == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw OutputError("standard output: " + error_text(errno));
    return;
  }
  write_atomically(file, text);
}

}  // namespace limber::app
