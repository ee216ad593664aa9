#include <fmt/format.h>

#include "commands.hpp"

namespace limber::app {
namespace {

/// The options of every command, from the command line's own description of itself.
std::string bash_script(const CLI::App& cli) {
  std::string commands, cases;
  for (const auto* command : cli.get_subcommands([](const CLI::App*) { return true; })) {
    commands += command->get_name() + " ";
    std::string options;
    for (const auto* option : command->get_options())
      for (const auto& name : option->get_lnames()) options += "--" + name + " ";
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), options);
  }
  return "# Bash completion for limber:  source <(limber completion)\n_limber() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"" +
         commands +
         "--help --version\" -- \"$word\")); return; fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ \"${COMP_WORDS[1]}\" = damping-curve ]; then words=\"$words $(limber methods --names)\"; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
         "}\ncomplete -o filenames -F _limber limber\n";
}

}  // namespace

void add_completion(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("completion", "Print the shell completion for bash");
  command->footer("Example:\n  source <(limber completion)");
  command->callback([&cli, &action] {
    action = [&cli] {
      fmt::print("{}", bash_script(cli));
      return 0;
    };
  });
}

}  // namespace limber::app
