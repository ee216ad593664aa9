#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "commands.hpp"
#include "limber/analysis/amplification.hpp"
#include "limber/core/errors.hpp"
#include "limber/material/catalog.hpp"
#include "limber/material/presets.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/mode_shapes.hpp"
#include "limber/scene/schema.hpp"

namespace limber::app {
namespace {

int print_methods(bool as_json, bool names) {
  if (names) {
    for (const auto& m : method_catalog()) fmt::print("{}\n", m.name);
    return 0;
  }
  if (as_json) {
    auto list = nlohmann::json::array();
    for (const auto& m : method_catalog()) {
      nlohmann::json row{{"name", m.name},
                         {"order", m.order},
                         {"kind", to_string(m.kind)},
                         {"stages", m.stages},
                         {"stability", m.stability},
                         {"good_for", m.good_for},
                         {"error_estimate", to_string(m.estimate)}};
      row["parameters"] = nlohmann::json::array();
      for (const auto& p : m.parameters)
        row["parameters"].push_back(
            {{"name", p.name}, {"default", p.standard}, {"min", p.least}, {"max", p.most}, {"meaning", p.meaning}});
      list.push_back(row);
    }
    fmt::print("{}\n", list.dump(2));
    return 0;
  }
  constexpr const char* row = "{:<20} {:>5}  {:<13} {:>6}  {:<15}  {:<38}  {}\n";
  fmt::print(row, "method", "order", "kind", "stages", "error estimate", "stability", "good for");
  for (const auto& m : method_catalog()) {
    fmt::print(row, m.name, m.order, to_string(m.kind), m.stages, to_string(m.estimate), m.stability, m.good_for);
    for (const auto& p : m.parameters)
      fmt::print("{:<17} {} = {} in [{:.4g}, {:.4g}]: {}\n", "", p.name, p.standard, p.least, p.most, p.meaning);
  }
  return 0;
}

int print_materials(bool as_json) {
  if (as_json) {
    auto list = nlohmann::json::array();
    for (const auto& m : material_catalog()) {
      nlohmann::json row{{"name", m.name},
                         {"description", m.description},
                         {"formula", m.formula},
                         {"forbids_inversion", m.forbids_inversion},
                         {"parameters", nlohmann::json::array()}};
      for (const auto& p : m.parameters)
        row["parameters"].push_back(
            {{"name", p.name}, {"unit", p.unit}, {"default", p.standard}, {"meaning", p.meaning}, {"most", p.most}});
      list.push_back(row);
    }
    fmt::print("{}\n", list.dump(2));
    return 0;
  }
  for (const auto& m : material_catalog()) {
    fmt::print("{:<20} {}\n{:<20}   {}\n", m.name, m.description, "", m.formula);
    for (const auto& p : m.parameters)
      fmt::print("{:<20}   {}{}, by default {}: {}\n", "", p.name, *p.unit ? fmt::format(" [{}]", p.unit) : "",
                 p.standard, p.meaning);
  }
  fmt::print("\nlimber materials --presets lists substances by name.\n");
  return 0;
}

int print_presets(bool as_json) {
  auto list = nlohmann::json::array();
  for (const auto& preset : material_presets()) {
    const MaterialParameters p = complete_parameters(preset.parameters, preset.name);
    nlohmann::json row{{"name", preset.name}, {"model", p.model}, {"young", p.young}, {"poisson", p.poisson}};
    for (const auto& [key, value] : p.own) row[key] = value;
    for (const auto& [key, values] : p.lists) row[key] = values;
    if (preset.density > 0) row["density"] = preset.density;
    if (preset.thickness > 0) row["thickness"] = preset.thickness;
    std::string relaxes;
    for (const MaxwellBranch& branch : preset.viscosity) {
      row["viscosity"].push_back({{"share", branch.share}, {"time", branch.time}});
      relaxes += fmt::format(", {:.4g} % relax in {:.3g} s", 100 * branch.share, branch.time);
    }
    row["source"] = preset.source;
    list.push_back(row);
    if (as_json) continue;
    fmt::print("{:<23} {}, E = {:.4g} Pa, ν = {:.4g}{}{}{}\n{:<23}   {}\n", preset.name, p.model, p.young, p.poisson,
               preset.density > 0 ? fmt::format(", {:.4g} kg/m³", preset.density) : "",
               preset.thickness > 0 ? fmt::format(", {:.4g} m thick", preset.thickness) : "", relaxes, "",
               preset.source);
  }
  if (as_json) fmt::print("{}\n", list.dump(2));
  return 0;
}

struct ModesArguments {
  SceneArguments scene;
  int count = 10;
  bool json = false, overwrite = false;
  std::string directory;
  ModeAnimation animation;
};

int print_modes(const ModesArguments& a) {
  if (processes().size() > 1 && !a.directory.empty())
    throw InputError("--output", "shapes are written by one process; several print the frequencies");
  const auto loaded = a.scene.load();
  const auto model = build_model(loaded.scene, {}, processes());
  const Modes modes = scene_modes(model, a.count, loaded.scene.method.mode_search);
  long frames = 0;
  if (!a.directory.empty())
    frames =
        write_mode_shapes(model, modes, a.directory, a.overwrite ? Existing::overwrite : Existing::refuse, a.animation);
  if (processes().rank() > 0) return 0;
  if (a.json) {
    nlohmann::json j{{"lambda", std::vector<double>(modes.lambda.begin(), modes.lambda.end())}};
    j["frequency"] = nlohmann::json::array();
    for (const double l : modes.lambda) j["frequency"].push_back(mode_frequency(l));
    if (!a.directory.empty()) j["directory"] = a.directory, j["frames"] = frames;
    fmt::print("{}\n", j.dump());
    return 0;
  }
  fmt::print("{:>5}  {:>20}  {:>14}\n", "mode", "lambda [1/s^2]", "frequency [Hz]");
  for (Index i = 0; i < modes.lambda.size(); ++i)
    fmt::print("{:>5}  {:>20.12g}  {:>14.8g}\n", i + 1, modes.lambda[i], mode_frequency(modes.lambda[i]));
  if (!a.directory.empty())
    fmt::print("{} frames, {} for each mode -> {}; trajectory.xdmf opens in ParaView, modes.csv says which is which\n",
               frames, a.animation.frames, a.directory);
  return 0;
}

int solve_statics_command(const SceneArguments& arguments, const std::string& file, bool as_json) {
  const auto loaded = arguments.load();
  const auto model = build_model(loaded.scene, {}, processes());
  const bool first = processes().rank() == 0;
  for (const auto& note : free_bodies(model)) fmt::print(stderr, "note: {}\n", note);
  StaticsReport report;
  TimeLeft line;
  const CatchInterrupts catching;
  const Vector x = statics(loaded.scene, model, report, [&](const StaticsProgress& p) {
    if (first)
      line.show(fmt::format("{:.1f} % of the load carried, {:.1f} % tried, {} Newton iterations", 100 * p.carried,
                            100 * p.tried, p.iterations));
  });
  if (!first) return 0;
  line.clear();
  for (const auto& note : report.notes) fmt::print(stderr, "note: {}\n", note);
  std::size_t i = 0;
  double largest = 0, least_y = 0;
  std::string csv = "node,x,y,z\n";
  auto positions = nlohmann::json::array();
  for (const auto& body : model.bodies)
    for (const auto& rest : body.rest.nodes) {
      const Vec3 p = x.segment<3>(3 * static_cast<Index>(i));
      largest = std::max(largest, (p - rest).norm());
      least_y = std::min(least_y, p[1] - rest[1]);
      csv += fmt::format("{},{},{},{}\n", i++, p[0], p[1], p[2]);
      positions.push_back({p[0], p[1], p[2]});
    }
  const bool json_file = std::filesystem::path(file).extension() == ".json";
  const nlohmann::json whole{{"positions", positions},          {"newton_iterations", report.iterations},
                             {"load_steps", report.load_steps}, {"residual", report.residual},
                             {"largest_displacement", largest}, {"notes", report.notes}};
  if (!file.empty()) write_text(file, json_file ? whole.dump() + "\n" : csv);
  if (as_json) {
    write_text("", whole.dump() + "\n");
  } else {
    fmt::print("equilibrium after {} Newton iterations in {} load steps, residual {:.2e} N\n", report.iterations,
               report.load_steps, report.residual);
    fmt::print("largest displacement {:.6g} m, lowest sag {:.6g} m\n", largest, least_y);
    if (!file.empty()) fmt::print("positions -> {}\n", file);
  }
  return 0;
}

}  // namespace

void add_methods(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("methods", "List the time integration methods");
  command->footer("Example:\n  limber methods --json");
  auto json = std::make_shared<bool>(false), names = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print as JSON");
  command->add_flag("--names", *names, "Print the names only");
  command->callback([json, names, &action] { action = [json, names] { return print_methods(*json, *names); }; });
}

void add_materials(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("materials", "List the materials");
  command->footer("Example:\n  limber materials");
  auto json = std::make_shared<bool>(false), presets = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print as JSON");
  command->add_flag("--presets", *presets, "List substances by name, with the source of their constants");
  command->callback([json, presets, &action] {
    action = [json, presets] { return *presets ? print_presets(*json) : print_materials(*json); };
  });
}

void add_schema(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("schema", "Print the JSON Schema of scenes, for editors");
  command->footer("Example:\n  limber schema -o scene.schema.json");
  auto file = std::make_shared<std::string>(), page = std::make_shared<std::string>();
  command->add_option("-o,--output", *file, "Write it to a file (default: standard output)");
  command->add_option("--tables", *page, "Renew the tables of keys in this Markdown page, such as docs/scene.md")
      ->check(CLI::ExistingFile);
  command->callback([=, &action] {
    action = [=] {
      if (!page->empty()) write_text(*page, with_key_tables(read_file(*page)));
      if (page->empty() || !file->empty()) write_text(*file, scene_schema());
      return 0;
    };
  });
}

void add_modes(CLI::App& cli, Action& action) {
  auto* command =
      cli.add_subcommand("modes", "Lowest eigenvalues of K x = lambda M x at the start, and their shapes in motion");
  command->footer("Example:\n  limber modes scenes/beam.json -n 10 -o out/modes");
  auto a = std::make_shared<ModesArguments>();
  a->scene.add_to(*command);
  command->add_option("-n", a->count, "How many")->capture_default_str();
  command->add_option("-o,--output", a->directory,
                      "Directory for the shapes as a trajectory, one second for each mode");
  command->add_flag("--overwrite", a->overwrite, "Replace the results in the directory");
  command->add_option("--amplitude", a->animation.amplitude, "Largest displacement [m] (default: a tenth of the body)")
      ->check(CLI::PositiveNumber);
  command->add_option("--frames", a->animation.frames, "Frames for each mode")
      ->capture_default_str()
      ->check(CLI::Range(4, 10000));
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([a, &action] { action = [a] { return print_modes(*a); }; });
}

void add_statics(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("statics", "Equilibrium under the loads at t = 0");
  command->footer("Example:\n  limber statics scenes/beam.json -o sag.csv");
  auto a = std::make_shared<SceneArguments>();
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  a->add_to(*command);
  command->add_option("-o,--output", *file, "Write the positions (.csv or .json)");
  command->add_flag("--json", *json, "Print as JSON");
  command->callback([=, &action] { action = [=] { return solve_statics_command(*a, *file, *json); }; });
}

void add_damping_curve(CLI::App& cli, Action& action) {
  struct Arguments {
    std::vector<std::string> methods, set;
    std::string file;
    double from = 0.01, to = 100;
    int points = 81;
    bool in_modes = false;
  };
  auto* command = cli.add_subcommand("damping-curve", "d/omega of methods against theta = omega h, from running them");
  command->footer(
      "Example:\n  limber damping-curve BE BDF2 TR-BDF2 SDIRK -o curve.csv\n  limber damping-curve gen-alpha --set "
      "rho_inf=0.8");
  auto a = std::make_shared<Arguments>();
  command->add_option("methods", a->methods, "Methods")->required();
  command->add_option("-o,--output", a->file, "Write a CSV file (default: standard output)");
  command->add_option("--from", a->from, "Smallest theta")->capture_default_str()->check(CLI::PositiveNumber);
  command->add_option("--to", a->to, "Largest theta")->capture_default_str()->check(CLI::PositiveNumber);
  command->add_option("--points", a->points, "Number of thetas, spaced evenly in log(theta)")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000000));
  command->add_option("--set", a->set, "A method's parameter, name=value")->allow_extra_args(false);
  command->add_flag("--in-modes", a->in_modes, "Hybrid methods: for a mode that is split off");
  command->callback([a, &action] {
    action = [a] {
      MethodParameters parameters;
      for (const auto& s : a->set) {
        const auto equals = s.find('=');
        char* end = nullptr;
        const double value = equals == std::string::npos ? 0 : std::strtod(s.c_str() + equals + 1, &end);
        if (equals == std::string::npos || *end != '\0' || end == s.c_str() + equals + 1)
          throw InputError("--set", fmt::format("'{}' is not name=number", s));
        parameters[s.substr(0, equals)] = value;
      }
      const Vector theta = Vector::LinSpaced(a->points, std::log(a->from), std::log(a->to)).array().exp();
      std::string csv = "theta";
      std::vector<Vector> curves;
      for (const auto& name : a->methods) {
        const auto& info = find_method(name);
        MethodParameters own;
        for (const auto& p : info.parameters)
          if (const auto it = parameters.find(p.name); it != parameters.end()) own.insert(*it);
        csv += "," + info.name;
        const bool in_modes = a->in_modes && (info.splitting != Splitting::none || a->methods.size() == 1);
        curves.push_back(damping_curve(info, a->methods.size() == 1 ? parameters : own, theta,
                                       in_modes ? ModePlace::split_off : ModePlace::outside));
      }
      csv += "\n";
      for (Index i = 0; i < theta.size(); ++i) {
        csv += fmt::format("{}", theta[i]);
        for (const auto& c : curves) csv += fmt::format(",{}", c[i]);
        csv += "\n";
      }
      write_text(a->file, csv);
      return 0;
    };
  });
}

}  // namespace limber::app
