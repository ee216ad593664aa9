#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "limber/core/communicator.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/linalg/blas_kernel.hpp"
#include "limber/version.hpp"

namespace {

constexpr const char* description =
    "Limber simulates deformable objects: a scene file in, a trajectory out.\n\n"
    "Example:\n  limber run scenes/beam.json -o out/beam\n  limber check scenes/beam.json\n  limber methods";

using namespace limber;

int main_of(const Processes& processes, int argc, char** argv) {
  CLI::App cli{description, "limber"};
  cli.set_version_flag("--version", [] {
    const std::string kernel = blas_kernel();
    return std::string("limber ") + LIMBER_VERSION + (kernel.empty() ? "" : "\nOpenBLAS with its loops for " + kernel);
  });
  cli.require_subcommand(1);
  cli.failure_message(CLI::FailureMessage::help);
  app::Action action;
  app::add_run(cli, action);
  app::add_check(cli, action);
  app::add_methods(cli, action);
  app::add_materials(cli, action);
  app::add_schema(cli, action);
  app::add_modes(cli, action);
  app::add_statics(cli, action);
  app::add_mesh(cli, action);
  app::add_export(cli, action);
  app::add_damping_curve(cli, action);
  app::add_render(cli, action);
  app::add_compare(cli, action);
  app::add_view(cli, action);
  app::add_study(cli, action);
  app::add_sweep(cli, action);
  app::add_bench(cli, action);
  app::add_completion(cli, action);
  cli.failure_message([](const CLI::App*, const CLI::Error& e) {
    return fmt::format("limber: {}\nSee 'limber --help' and 'limber COMMAND --help'.\n", e.what());
  });
  if (argc == 1) {
    fmt::print("{}", cli.help());
    return 0;
  }
  if (const std::string word = argv[1]; !word.starts_with('-')) {
    std::vector<std::string> commands;
    for (const CLI::App* command : cli.get_subcommands([](const CLI::App*) { return true; }))
      commands.push_back(command->get_name());
    if (std::find(commands.begin(), commands.end(), word) == commands.end()) {
      const std::string near = nearest_name(word, commands);
      fmt::print(stderr, "limber: there is no command '{}'{}; the commands are {}\n", word,
                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near), join(commands));
      return 2;
    }
  }
  const std::vector<std::string> shared = {"run", "modes", "statics"};
  if (processes.all().size() > 1 && std::find(shared.begin(), shared.end(), argv[1]) == shared.end())
    throw InputError("mpirun",
                     fmt::format("`limber {}` runs as one process; several share {} only", argv[1], join(shared)));
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = cli.exit(e);
    return status == 0 ? 0 : 2;
  }
  return action();
}

/// What went wrong, and the exit status. Where several processes fail alike, the first one speaks for all.
int report(const Processes& processes, const std::string& what, int status) {
  const bool alone = processes.all().size() == 1;
  if (!alone && processes.all().rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(3));
  if (!what.empty()) fmt::print(stderr, "limber: {}\n", what);
  std::fflush(stderr);
  processes.abandon(status);  // others may wait for this one
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace limber;
#ifdef __GLIBC__
  // Steps free and take the same large vectors again and again: they stay with the process.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
  const Processes processes(argc, argv);
  app::set_processes(processes.all());
  try {
    return main_of(processes, argc, argv);
  } catch (const InputError& e) {
    return report(processes, e.what(), 2);
  } catch (const std::exception& e) {
    return report(processes, e.what(), 1);
  } catch (const FailedElsewhere&) {
    return report(processes, "", 1);
  }
}
