#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/core/programs.hpp"
#include "limber/record/files.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/page.hpp"
#include "limber/view/server.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

constexpr unsigned short usual_port = 8420;

/// Installed beside the program, or in the folder of the sources that it was built in.
std::string shipped_scenes() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const fs::path folder = program.parent_path();
  for (const char* place : {"../share/limber/scenes", "../../scenes"})
    if (fs::is_directory(folder / place, error)) return fs::weakly_canonical(folder / place).string();
  return "";
}

/// Where there is a desktop. The browser goes on by itself. Everyone on the machine can read the arguments of programs,
/// so the address with its key is none of them: the browser opens a file in `folder`, the user's own, that leads there.
bool open_browser(const std::string& address, const fs::path& folder) {
  if (!has_program("xdg-open") || !(std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY"))) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  const std::string page = (folder / "limber.html").string();
  write_atomically(page,
                   fmt::format("<!doctype html>\n<title>Limber</title>\n<meta http-equiv=\"refresh\" content=\"0; "
                               "url={}\">\n",
                               address));
  std::string program = "xdg-open", argument = page;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const bool started = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

struct ViewArguments {
  std::string path, host = "127.0.0.1", output = "out/view";
  std::vector<std::string> set, methods;
  int port = -1, threads = 0;
  bool no_open = false;
};

int view(const ViewArguments& a) {
  if (page_files().empty())
    throw InputError("",
                     "this program was built without the viewer's page: npm was not there, or could not download "
                     "what web/package.json names; docs/view.md says more");
  set_threads(a.threads);
  ViewOptions options;
  options.methods = a.methods;
  options.examples_folder = shipped_scenes();
  const std::string path = a.path.empty() ? (fs::path(options.examples_folder) / "beam.json").string() : a.path;
  const fs::path whole = fs::absolute(path).lexically_normal();
  options.scene_folder = (fs::is_directory(whole) ? whole : whole.parent_path()).string();
  options.output_folder = fs::absolute(a.output).lexically_normal().string();
  // What names no scene at all ends here; errors within one are shown on the page, which can open another.
  require_source(path);

  ServerOptions server;
  server.host = a.host;
  server.port = a.port < 0 ? usual_port : static_cast<unsigned short>(a.port);
  server.more_ports = a.port < 0 ? 20 : 0;
  const CatchInterrupts catching;
  ViewServer viewer(server, options);
  viewer.session().open_path(path, a.set);
  if (a.port < 0 && viewer.port() != usual_port)
    fmt::print(stderr, "note: port {} is in use by another program; this is the next that is free\n", usual_port);
  if (!is_loopback(a.host))
    fmt::print(stderr,
               "WARNING: whoever can reach {}:{} and has the key in the address below may run simulations here and see "
               "them; nothing on the way is encrypted\n",
               a.host, viewer.port());
  fmt::print("Limber's viewer is at {}\nCtrl-C ends it.\n", viewer.address());
  std::fflush(stdout);
  const TemporaryDirectory own;
  if (!a.no_open) open_browser(viewer.address(), own.path());
  viewer.run([] {
    waitpid(-1, nullptr, WNOHANG);  // a browser that was started
    return !interrupted();
  });
  return 0;
}

}  // namespace

void add_view(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("view", "Simulate in the browser: pull on bodies, compare methods, replay runs");
  command->footer(
      "Example:\n  limber view scenes/beam.json\n  limber view scenes/pear.json --methods BE,TR-BDF2\n"
      "  limber view out/beam           # a recorded run");
  auto a = std::make_shared<ViewArguments>();
  command->add_option("scene", a->path, "Scene file (JSON), or the directory of a run (default: the shipped beam)");
  command->add_option("--methods", a->methods, "One to four methods side by side (default: what the scene says)")
      ->delimiter(',');
  command->add_option("--set", a->set, "Change a key, as of limber run")->allow_extra_args(false);
  command
      ->add_option("--port", a->port, fmt::format("Port (0: any; default: {}, or the next that is free)", usual_port))
      ->check(CLI::Range(0, 65535));
  command->add_option("--host", a->host, "Address to listen on; others than loopback let other machines connect")
      ->capture_default_str();
  command->add_option("-o,--output", a->output, "Directory for what is recorded")->capture_default_str();
  command->add_option("--threads", a->threads, "Threads to use (0: all cores)")->check(CLI::Range(0, 1024));
  command->add_flag("--no-open", a->no_open, "Do not open the browser");
  command->callback([a, &action] { action = [a] { return view(*a); }; });
}

}  // namespace limber::app
