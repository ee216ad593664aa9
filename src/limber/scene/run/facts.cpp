#include "limber/scene/run/facts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>
#include <numbers>

#include "limber/analysis/amplification.hpp"
#include "limber/core/errors.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/mode_search.hpp"
#include "limber/linalg/modes/shared_modes.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/scene/construction/unusual.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

constexpr Index most_zeros = 30;      // λ = 0 that are looked past for the first modes with a frequency
constexpr Index most_dofs = 150'000;  // beyond, the eigen-solve would take longer than a user wants to wait for an echo

ModeFacts forecast(const Scene& scene, double omega, ModePlace place) {
  const double theta = omega * scene.time.step;
  const auto settings = method_settings(scene.method);
  const MethodInfo& method = find_method(settings.name);
  const double d_over_omega = method.linear
                                  ? damping_curve(method, settings.parameters, Vector::Constant(1, theta), place)[0]
                                  : std::numeric_limits<double>::quiet_NaN();
  ModeFacts m;
  m.frequency = omega / (2 * std::numbers::pi);
  m.steps_a_cycle = 2 * std::numbers::pi / theta;
  m.damping_ratio = d_over_omega / 2;
  m.split_off = place == ModePlace::split_off;
  const double rate = m.damping_ratio * omega;  // amplitude ~ exp(−rate t)
  m.half_life = rate > 1e-12 * omega ? std::numbers::ln2 / rate : std::numeric_limits<double>::infinity();
  return m;
}

std::string half_life(const ModeFacts& m) {
  if (std::isnan(m.damping_ratio)) return "is damped as the energy of the whole motion allows";
  if (m.damping_ratio < -1e-9) return "grows: unstable at this step";
  if (!std::isfinite(m.half_life)) return "is not damped by the method";
  return fmt::format("loses half its amplitude in {:.3g} s by numerical damping", m.half_life);
}

/// How many of the modes found a hybrid splits off, the rest of a cluster included.
Index split_off(const Scene& scene, const Vector& lambda) {
  if (find_method(scene.method.name).splitting == Splitting::none) return 0;
  Index s = std::min<Index>(scene.method.modes.value_or(ModalOptions::standard_count), lambda.size());
  const double largest = lambda.cwiseAbs().maxCoeff();
  while (s < lambda.size() && same_cluster(lambda[s - 1], lambda[s], largest, 0)) ++s;
  return s;
}

void add_method_notes(const Scene& scene, Facts& f) {
  const auto& m = scene.method;
  const auto& info = find_method(m.name);
  if (info.splitting != Splitting::none && !m.modes)
    f.notes.push_back(fmt::format("{} splits off {} modes, the default; method.modes sets another number", info.name,
                                  std::min<Index>(ModalOptions::standard_count, f.free_dofs)));
  if (info.splitting == Splitting::none && (m.modes || m.refresh))
    f.notes.push_back(
        fmt::format("{} splits off no modes: method.{} is not used", info.name, m.modes ? "modes" : "refresh"));
  if (info.kind != MethodKind::exponential && m.krylov_tolerance)
    f.notes.push_back(fmt::format("{} needs no exponential: method.krylov_tolerance is not used", info.name));
  const auto parameters = complete_parameters(info, m.parameters);
  const auto beta = parameters.find("beta"), gamma = parameters.find("gamma");
  if (beta != parameters.end() && gamma != parameters.end() &&
      !(2 * beta->second >= gamma->second && gamma->second >= .5))
    f.notes.push_back(
        fmt::format("{} with beta = {} and gamma = {} is stable for short steps at most; it is for all where 2 beta >= "
                    "gamma >= 1/2",
                    info.name, beta->second, gamma->second));
}

void add_modes(const Scene& scene, const Model& model, int modes, Facts& f) {
  const auto zeros = [](const Modes& m) { return (m.lambda.array() == 0).count(); };
  const auto lowest = [&](Index s) { return scene_modes(model, static_cast<int>(std::min(f.free_dofs, s))); };
  const Index rigid = model.system->rigid_motions(model.start).cols();
  Modes found = lowest(modes + rigid);
  if (zeros(found) > rigid) found = lowest(modes + most_zeros);  // hinges, and what springs hold at one end
  const Index alive = split_off(scene, found.lambda), unstable = (found.lambda.array() < 0).count();
  f.rigid_modes = static_cast<int>(zeros(found));
  if (unstable > 0)
    f.notes.push_back(fmt::format("the start is not a stable equilibrium: {} {} λ < 0, the lowest {:.3g} 1/s²",
                                  unstable == 1 ? "a mode" : fmt::format("{} of the lowest modes", unstable),
                                  unstable == 1 ? "has" : "have", found.lambda[0]));
  for (Index i = 0; i < found.lambda.size() && std::ssize(f.modes) < modes; ++i)
    if (const double lambda = found.lambda[i]; lambda > 0)
      f.modes.push_back(forecast(scene, std::sqrt(lambda), i < alive ? ModePlace::split_off : ModePlace::outside));
}

/// A report, which nothing else depends on: what keeps it from being made is noted.
void try_to_add_modes(const Scene& scene, const Model& model, int modes, Facts& f) {
  const auto without = [&](const std::string& why) {
    f.modes.clear();
    f.rigid_modes = 0;
    f.notes.push_back("no modes are shown: " + why);
  };
  try {
    if (const auto failed = failure_of([&] { add_modes(scene, model, modes, f); })) without(failed->reason);
  } catch (const InputError& e) {
    without(e.message());
  } catch (const std::bad_alloc&) {
    without("the memory does not suffice for them");
  }
}

}  // namespace

long step_count(const TimeSettings& time) { return static_cast<long>(std::ceil(time.duration / time.step - 1e-9)); }

Modes scene_modes(const Model& model, int s, ModeSearch search) { return scene_modes(model, model.start, s, search); }

Modes scene_modes(const Model& model, const State& state, int s, ModeSearch search) {
  auto& system = *model.system;
  if (!system.symmetric()) throw InputError("modes", "a force has a non-symmetric tangent: modes are not defined");
  Tangent T;
  system.tangent(state, Definiteness::exact, T);
  const Vector* positions = system.traits().nodes.positions;
  const Matrix rigid = system.rigid_motions(state);
  const Space& space = system.space();
  require_entries(T.low_rank);
  if (space.all(!T.low_rank.any()) && sought_together(system.traits().nodes, system.size(), s, search)) {
    Modes together;
    if (!failure_of([&] { together = lowest_modes_together(system.traits().nodes, T.K, system.mass(), s, rigid); }))
      return together;
  }
  // Each process finds those of the whole, and keeps its rows.
  const auto whole = [&](const SparseMatrix& A) { return gather_matrix(space, A, Symmetry::symmetric); };
  const Vector all_positions = space.allgather(*positions);
  Modes modes = lowest_modes(with_entries(whole(T.K), T.low_rank, 1, Triangle::lower), whole(system.mass()), s,
                             gather_rows(space, rigid), &all_positions);
  modes.X = held_rows(space, modes.X);
  return modes;
}

Matrix on_all_nodes(const MechanicalSystem& system, const Matrix& X) {
  std::vector<Vector> columns;
  for (Index j = 0; j < X.cols(); ++j) columns.push_back(gather_nodes(system, system.spread(X.col(j))));
  Matrix all(columns.empty() ? 0 : columns.front().size(), X.cols());
  for (Index j = 0; j < X.cols(); ++j) all.col(j) = columns[static_cast<std::size_t>(j)];
  return all;
}

Facts gather_facts(const Scene& scene, const Model& model, int modes) {
  Facts f;
  f.method = find_method(scene.method.name).name;
  f.step = scene.time.step;
  f.duration = scene.time.duration;
  f.steps = scene.time.accuracy ? 0 : step_count(scene.time);
  if (scene.time.accuracy) f.accuracy = scene.time.accuracy->accuracy;
  f.free_dofs = model.system->space().global_size(model.system->size());
  f.notes = model.notes;
  if (scene.time.accuracy && scene.output.frames_every)
    f.notes.push_back(
        fmt::format("output.frames_every is not used, since steps have no common length: there are {:g} "
                    "frames a second; output.fps sets another number",
                    OutputChoice::standard_fps));
  f.damped = has_damping(scene);
  for (auto& note : unusual_numbers(scene, model)) f.notes.push_back(std::move(note));
  add_method_notes(scene, f);
  for (const auto& b : model.bodies) {
    const Box3& box = b.box;
    f.bodies.push_back(
        {b.name, ix(b.nodes), ix(b.tets), b.triangles.size(), b.edges.size(), b.mass, box.max - box.min, b.wave_speed});
  }
  if (modes == 0) return f;
  if (!model.system->symmetric()) {
    f.notes.emplace_back("a force has a non-symmetric tangent: no modes are shown");
    return f;
  }
  if (f.free_dofs > most_dofs) {
    f.notes.push_back(
        fmt::format("{} free degrees of freedom: no modes are shown; `limber modes` computes them", f.free_dofs));
    return f;
  }
  try_to_add_modes(scene, model, modes, f);
  return f;
}

std::string describe(const Facts& f) {
  std::string s;
  for (const auto& b : f.bodies) {
    s += fmt::format("{}: {} nodes", b.name, b.nodes);
    for (const auto& [count, what] : {std::pair{b.tets, "tetrahedra"}, {b.triangles, "triangles"}, {b.edges, "edges"}})
      if (count > 0) s += fmt::format(", {} {}", count, what);
    s += fmt::format(", {:.4g} kg, {:.4g} x {:.4g} x {:.4g} m", b.mass, b.size[0], b.size[1], b.size[2]);
    s += b.wave_speed > 0 ? fmt::format(", pressure waves at {:.4g} m/s\n", b.wave_speed) : "\n";
  }
  s += fmt::format("{} free degrees of freedom; {} ", f.free_dofs, f.method);
  s += f.accuracy > 0
           ? fmt::format("to {:.4g} m, with steps of at most {:.4g} s, for {:.4g} s\n", f.accuracy, f.step, f.duration)
           : fmt::format("with h = {:.4g} s for {:.4g} s: {} steps\n", f.step, f.duration, f.steps);
  if (f.rigid_modes > 0) s += fmt::format("{} rigid modes\n", f.rigid_modes);
  for (std::size_t i = 0; i < f.modes.size(); ++i)
    s += f.accuracy > 0 ? fmt::format("mode {}: {:.5g} Hz\n", i + 1, f.modes[i].frequency)
                        : fmt::format("mode {}: {:.5g} Hz, {:.3g} steps a cycle, {}\n", i + 1, f.modes[i].frequency,
                                      f.modes[i].steps_a_cycle, half_life(f.modes[i]));
  if (!f.damped)
    s += "no damping: only the method, contact and the wind take energy away; a body's `damping` or a material's "
         "`viscosity` adds some\n";
  for (const auto& note : f.notes) s += fmt::format("note: {}\n", note);
  return s;
}

Document to_json(const Facts& f) {
  nlohmann::json j{{"method", f.method}, {"step", f.step},           {"duration", f.duration},
                   {"steps", f.steps},   {"free_dofs", f.free_dofs}, {"rigid_modes", f.rigid_modes},
                   {"damped", f.damped}, {"notes", f.notes}};
  if (f.accuracy > 0) j["accuracy"] = f.accuracy, j["steps"] = nullptr;
  j["bodies"] = nlohmann::json::array();
  for (const auto& b : f.bodies)
    j["bodies"].push_back({{"name", b.name},
                           {"nodes", b.nodes},
                           {"tets", b.tets},
                           {"triangles", b.triangles},
                           {"edges", b.edges},
                           {"mass", b.mass},
                           {"size", {b.size[0], b.size[1], b.size[2]}},
                           {"wave_speed", b.wave_speed}});
  j["modes"] = nlohmann::json::array();
  for (const auto& m : f.modes) {
    nlohmann::json half = std::isfinite(m.half_life) ? nlohmann::json(m.half_life) : nlohmann::json();
    j["modes"].push_back({{"frequency", m.frequency},
                          {"steps_a_cycle", m.steps_a_cycle},
                          {"damping_ratio", m.damping_ratio},
                          {"half_life", half}});
  }
  return document_of(std::move(j));
}

}  // namespace limber
