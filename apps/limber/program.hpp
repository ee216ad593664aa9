#pragma once
/// The two programs, and the commands that each has.

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace limber::app {

using Action = std::function<int()>;

/// Adds the command to `cli`; when it is chosen, `action` is set.
using AddCommand = void (*)(CLI::App& cli, Action& action);
void add_run(CLI::App& cli, Action& action);
void add_methods(CLI::App& cli, Action& action);
void add_materials(CLI::App& cli, Action& action);
void add_schema(CLI::App& cli, Action& action);
void add_modes(CLI::App& cli, Action& action);
void add_statics(CLI::App& cli, Action& action);
void add_mesh(CLI::App& cli, Action& action);
void add_export(CLI::App& cli, Action& action);
void add_damping_curve(CLI::App& cli, Action& action);
void add_render(CLI::App& cli, Action& action);
void add_compare(CLI::App& cli, Action& action);
// In folder all/, of the whole program only.
void add_check(CLI::App& cli, Action& action);
void add_view(CLI::App& cli, Action& action);
void add_study(CLI::App& cli, Action& action);
void add_fit(CLI::App& cli, Action& action);
void add_advise(CLI::App& cli, Action& action);
void add_coarsen(CLI::App& cli, Action& action);
void add_sweep(CLI::App& cli, Action& action);
void add_bench(CLI::App& cli, Action& action);
void add_completion(CLI::App& cli, Action& action);

/// The commands of one of the two programs, in the order of its help. `limber` simulates and shows; it is what most
/// processes of a day are, and what a first build needs. `limber-all` has every command: where `limber` is asked for
/// one that it lacks, it becomes the other.
struct Program {
  std::vector<AddCommand> commands;
  /// The file beside this one that has the commands which this one lacks; empty if it has all.
  std::string whole;
};
Program this_program();

}  // namespace limber::app
