#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/linalg/blas_kernel.hpp"
#include "limber/version.hpp"

namespace {

constexpr const char* description =
    "Limber simulates deformable objects: a scene file in, a trajectory out.\n\n"
    "Example:\n  limber run scenes/beam.json -o out/beam\n  limber check scenes/beam.json\n  limber methods";

}  // namespace

int main(int argc, char** argv) {
  using namespace limber;
#ifdef __GLIBC__
  // Steps free and take the same large vectors again and again: they stay with the process.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
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
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = cli.exit(e);
    return status == 0 ? 0 : 2;
  }
  try {
    return action();
  } catch (const InputError& e) {
    fmt::print(stderr, "limber: {}\n", e.what());
    return 2;
  } catch (const StepFailure& e) {
    fmt::print(stderr, "limber: {}\n", e.what());
    return 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "limber: {}\n", e.what());
    return 1;
  }
}
