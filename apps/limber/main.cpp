#include <fmt/format.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <filesystem>
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

/// The command line of this program; a command that is chosen sets the action.
struct CommandLine {
  CLI::App cli{description, "limber"};
  app::Action action;
  std::vector<std::string> names;

  explicit CommandLine(const app::Program& program);
  bool has(const std::string& name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
};

CommandLine::CommandLine(const app::Program& program) {
  cli.set_version_flag("--version", [] {
    const std::string kernel = blas_kernel();
    return std::string("limber ") + LIMBER_VERSION + (kernel.empty() ? "" : "\nOpenBLAS with its loops for " + kernel);
  });
  cli.require_subcommand(1);
  cli.failure_message([](const CLI::App*, const CLI::Error& e) {
    return fmt::format("limber: {}\nSee 'limber --help' and 'limber COMMAND --help'.\n", e.what());
  });
  for (const app::AddCommand add : program.commands) add(cli, action);
  for (const CLI::App* command : cli.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (!program.whole.empty())
    cli.footer(
        fmt::format("Other commands, such as view and study, are in {}, which is not beside this program: "
                    "`make build` builds it.",
                    program.whole));
}

/// Goes on as the program `name` in the folder of this one. Returns if there is none.
void become(const std::string& name, char** argv) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  fs::path self = fs::read_symlink("/proc/self/exe", unknown);  // Linux
  if (unknown) self = argv[0];
  ::execv((self.parent_path() / name).c_str(), argv);
}

int main_of(const Processes& processes, const app::Program& program, CommandLine& line, int argc, char** argv) {
  if (argc == 1) {
    fmt::print("{}", line.cli.help());
    return 0;
  }
  if (const std::string word = argv[1]; !word.starts_with('-') && !line.has(word)) {
    const std::string near = nearest_name(word, line.names);
    const std::string elsewhere =
        program.whole.empty() ? ""
                              : fmt::format(" here; {}, which has more, is not built (`make build`)", program.whole);
    fmt::print(stderr, "limber: there is no command '{}'{}{}; the commands are {}\n", word, elsewhere,
               near.empty() ? "" : fmt::format("; did you mean '{}'?", near), join(line.names));
    return 2;
  }
  const std::vector<std::string> shared = {"run", "modes", "statics"};
  if (processes.all().size() > 1 && std::find(shared.begin(), shared.end(), argv[1]) == shared.end())
    throw InputError("mpirun",
                     fmt::format("`limber {}` runs as one process; several share {} only", argv[1], join(shared)));
  try {
    line.cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = line.cli.exit(e);
    return status == 0 ? 0 : 2;
  }
  return line.action();
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
  const app::Program program = app::this_program();
  CommandLine line(program);
  if (!program.whole.empty() && (argc == 1 || !line.has(argv[1]))) become(program.whole, argv);
  const Processes processes(argc, argv);
  app::set_processes(processes.all());
  try {
    return main_of(processes, program, line, argc, argv);
  } catch (const InputError& e) {
    return report(processes, e.what(), 2);
  } catch (const OutOfMemory& e) {
    return report(processes, e.what(), 1);
  } catch (const std::bad_alloc&) {
    return report(processes, OutOfMemory("there is not enough for this").what(), 1);
  } catch (const std::exception& e) {
    return report(processes, e.what(), 1);
  } catch (const OtherProcessFailed&) {
    return report(processes, "", 1);
  }
}
