#include "limber/scene/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/checkpoint.hpp"
#include "limber/record/contact_table.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/build/obstacle_parts.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/version.hpp"

namespace limber {
namespace {

constexpr const char* version = LIMBER_VERSION;
const std::vector<std::string> further_columns = {"external",     "substeps",      "escalations",
                                                  "contact",      "friction_loss", "collisions",
                                                  "smallest_gap", "put_in",        "retaken"};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// When frames are due: every k steps, or at k/fps, between steps by cubic interpolation.
class FramePlan {
 public:
  FramePlan(const OutputChoice& output, const TimeSettings& time, double start)
      : start_(start),
        h_(time.step),
        every_(output.frames_every.value_or(1)),
        fps_(output.fps.value_or(0)),
        steps_(step_count(time)) {}

  long frames() const {
    if (fps_ == 0) return steps_ / every_ + 1;
    return static_cast<long>(std::floor(static_cast<double>(steps_) * h_ * fps_ + 1e-9)) + 1;
  }
  double time(long frame) const { return start_ + since_start(frame); }
  /// Whether frames are states at the end of steps.
  bool at_steps() const { return fps_ == 0; }
  /// Whether frame k is due when `step` steps are taken.
  bool due(long frame, long step) const {
    if (frame >= frames()) return false;
    return fps_ == 0 ? frame * every_ <= step : since_start(frame) <= (static_cast<double>(step) + 1e-9) * h_;
  }

 private:
  double since_start(long frame) const {
    return fps_ == 0 ? static_cast<double>(frame * every_) * h_ : static_cast<double>(frame) / fps_;
  }

  double start_;  // [s]
  double h_;
  long every_;
  double fps_;
  long steps_;
};

/// The cubic through both states and their velocities, at time t.
State between(const State& a, const State& b, double t) {
  const double h = b.t - a.t, s = (t - a.t) / h;
  if (std::abs(t - b.t) <= 1e-9 * h) return b;
  if (std::abs(t - a.t) <= 1e-9 * h) return a;
  const double s2 = s * s, s3 = s2 * s;
  State u;
  u.q = (2 * s3 - 3 * s2 + 1) * a.q + (s3 - 2 * s2 + s) * h * a.v + (3 * s2 - 2 * s3) * b.q + (s3 - s2) * h * b.v;
  u.v = (6 * s2 - 6 * s) / h * a.q + (3 * s2 - 4 * s + 1) * a.v + (6 * s - 6 * s2) / h * b.q + (3 * s2 - 2 * s) * b.v;
  u.t = t;
  return u;
}

/// What a resumed run must agree on: everything but how long it lasts, where results go, who looks and how many threads
/// work.
std::string comparable(nlohmann::json json) {
  if (json.contains("time") && json["time"].is_object()) json["time"].erase("duration");
  json.erase("threads");
  json.erase("camera");
  json.erase("view");
  if (json.contains("output") && json["output"].is_object()) {
    json["output"].erase("directory");
    if (json["output"].empty()) json.erase("output");
  }
  return json.dump();
}

/// How often things were done since the start of the run, by name.
using Counts = std::map<std::string, double>;
const std::string count_prefix = "count.";

Checkpoint to_checkpoint(const Snapshot& s, const Counts& counts, const std::vector<std::string>& notes) {
  Checkpoint c;
  c.step = s.step;
  c.history = s.history;
  c.numbers = {{"start_time", s.start_time},         {"damping_loss", s.damping_loss},
               {"damping_power", s.damping_power},   {"friction_loss", s.friction_loss},
               {"friction_power", s.friction_power}, {"supply", s.supply}};
  for (const auto& [name, count] : counts) c.numbers[count_prefix + name] = count;
  c.texts["notes"] = nlohmann::json(notes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  c.vectors["forces"] = Vector::Map(s.forces.data(), static_cast<Index>(s.forces.size()));
  c.vectors["account"] = Vector::Map(s.account.data(), static_cast<Index>(s.account.size()));
  if (s.modes) {
    c.numbers["modes.age"] = static_cast<double>(s.modes->steps_since_refresh);
    c.vectors["modes.lambda"] = s.modes->lambda;
    c.vectors["modes.X"] = s.modes->X.reshaped();
    c.vectors["modes.at"] = s.modes->at;
  }
  return c;
}

/// Throws InputError(entry, …) where one is missing.
template <class T>
T entry(const std::map<std::string, T>& entries, const std::string& name) {
  const auto found = entries.find(name);
  if (found == entries.end()) throw InputError(name, "is missing");
  return found->second;
}

Snapshot to_snapshot(const Checkpoint& c) {
  Snapshot s;
  s.history = c.history;
  s.step = c.step;
  s.start_time = entry(c.numbers, "start_time");
  s.damping_loss = entry(c.numbers, "damping_loss");
  s.damping_power = entry(c.numbers, "damping_power");
  s.friction_loss = entry(c.numbers, "friction_loss");
  s.friction_power = entry(c.numbers, "friction_power");
  s.supply = entry(c.numbers, "supply");
  const Vector forces = entry(c.vectors, "forces");
  s.forces.assign(forces.begin(), forces.end());
  const Vector account = entry(c.vectors, "account");
  s.account.assign(account.begin(), account.end());
  if (const auto lambda = c.vectors.find("modes.lambda"); lambda != c.vectors.end()) {
    const Vector X = entry(c.vectors, "modes.X");
    const Index modes = lambda->second.size();
    if (modes == 0 || X.size() % modes != 0)
      throw InputError("modes.X", fmt::format("has {} numbers, which do not make {} modes", X.size(), modes));
    s.modes = ModalMemory{lambda->second, X.reshaped(X.size() / modes, modes),
                          static_cast<long>(entry(c.numbers, "modes.age")), entry(c.vectors, "modes.at")};
  }
  return s;
}

/// Process 0 reads it, and keeps the states to itself.
std::optional<Checkpoint> shared_checkpoint(const std::string& path, const Communicator& all) {
  std::optional<Checkpoint> checkpoint;
  on_first_process(all, [&] { checkpoint = load_checkpoint(path); });
  if (all.size() == 1) return checkpoint;
  std::string bytes;
  if (checkpoint) {
    std::vector<State> history = std::exchange(checkpoint->history, {});
    for (const State& u : history) checkpoint->history.push_back({{}, {}, u.t});
    bytes = checkpoint_bytes(*checkpoint);
    checkpoint->history = std::move(history);
  }
  std::array<int, 1> size = {static_cast<int>(bytes.size())};
  all.broadcast(size);
  if (size[0] == 0) return std::nullopt;
  std::vector<int> words((ix(size[0]) + sizeof(int) - 1) / sizeof(int));
  if (all.rank() == 0) std::memcpy(words.data(), bytes.data(), bytes.size());
  all.broadcast(words);
  if (all.rank() == 0) return checkpoint;
  bytes.assign(ix(size[0]), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return parse_checkpoint(bytes, path);
}

std::vector<std::string> notes_of(const Checkpoint& c) {
  const auto notes = nlohmann::json::parse(entry(c.texts, "notes"), nullptr, false);
  std::vector<std::string> list;
  if (!notes.is_array()) throw InputError("notes", "is not a list of texts");
  for (const auto& note : notes) {
    if (!note.is_string()) throw InputError("notes", "is not a list of texts");
    list.push_back(note);
  }
  return list;
}

std::vector<std::string> probe_columns(const std::vector<Probe>& probes) {
  std::vector<std::string> columns = {"time"};
  for (const Probe& probe : probes)
    for (const char* axis : {".x", ".y", ".z"}) columns.push_back(probe.name + axis);
  return columns;
}

std::vector<std::string> cavity_columns(const std::vector<FilledSpace>& cavities) {
  std::vector<std::string> columns = {"time"};
  for (const FilledSpace& c : cavities)
    for (const char* what : {".volume", ".pressure"}) columns.push_back(c.name + what);
  return columns;
}

/// Whether a run has come to its end, summary included.
bool has_summary(const std::string& path, long steps) {
  if (!std::filesystem::exists(path)) return false;
  const auto summary = nlohmann::json::parse(read_file(path), nullptr, false);
  return summary.is_object() && summary.value("end", nlohmann::json()) == "finished" &&
         summary.value("steps", nlohmann::json()) == steps;
}

class Run {
 public:
  Run(const nlohmann::json& json, const Scene& scene, const Model& model, const RunOptions& options)
      : scene_(scene),
        model_(model),
        options_(options),
        simulation_(build_simulation(scene, model)),
        plan_(scene.output, scene.time, model.start.t),
        steps_(step_count(scene.time)),
        scene_text_(comparable(json)),
        json_(json),
        path_(options.directory) {
    on_first_process(processes(), [&] { directory_.emplace(prepare_directory(options.directory, options.existing)); });
  }

  RunResult go() {
    const auto header = [this] {
      return trajectory_header(model_, scene_.output.velocities ? Velocities::store : Velocities::omit, plan_.frames());
    };
    prescribed_ = model_.system->prescribed_nodes();
    const auto checkpoint = options_.existing == Existing::resume
                                ? shared_checkpoint(file(run_file::checkpoint), processes())
                                : std::nullopt;
    if (checkpoint) {
      check_scene(*checkpoint);
      if (checkpoint->step == steps_ && has_summary(file(run_file::summary), steps_))
        return {RunResult::End::already_finished, checkpoint->step, checkpoint->frames, checkpoint->step, {}};
      restore(*checkpoint);
      frames_ = checkpoint->frames;
      on_first_process(processes(), [&] {
        writer_.emplace(TrajectoryWriter::resume(file(run_file::trajectory), header(), checkpoint->frames));
        table_.emplace(EnergyTable::resume(file(run_file::energy), checkpoint->rows, further_columns));
        if (!model_.probes.empty())
          probes_.emplace(StepTable::resume(file(run_file::probes), checkpoint->rows, probe_columns(model_.probes)));
        if (!model_.cavities.empty())
          cavities_.emplace(
              StepTable::resume(file(run_file::cavities), checkpoint->rows, cavity_columns(model_.cavities)));
        if (model_.contact)
          contacts_.emplace(ContactTable::resume(file(run_file::contacts), plan_.time(checkpoint->frames - 1)));
        write_scene();
      });
    } else {
      if (options_.existing == Existing::resume && options_.note)
        options_.note(
            fmt::format("there is no checkpoint in {}: the run starts from the beginning", options_.directory));
      on_first_process(processes(), [&] {
        write_scene();
        writer_.emplace(TrajectoryWriter::create(file(run_file::trajectory), header()));
        table_.emplace(EnergyTable::create(file(run_file::energy), further_columns));
        if (!model_.probes.empty())
          probes_.emplace(StepTable::create(file(run_file::probes), probe_columns(model_.probes)));
        if (!model_.cavities.empty())
          cavities_.emplace(StepTable::create(file(run_file::cavities), cavity_columns(model_.cavities)));
        if (model_.contact) contacts_.emplace(ContactTable::create(file(run_file::contacts)));
      });
      record({}, 0);
      write_frames(simulation_.state());
    }
    try {
      loop();
    } catch (const Interrupted&) {  // the step in progress is undone
    } catch (const std::exception& e) {
      summarize("failed", e.what());
      throw;
    }
    result_.end = simulation_.step_count() >= steps_ ? RunResult::End::finished : RunResult::End::interrupted;
    summarize(result_.end == RunResult::End::finished ? "finished" : "interrupted", "");
    return std::move(result_);
  }

 private:
  const Communicator& processes() const { return model_.system->processes(); }
  std::string file(const char* name) const { return (std::filesystem::path(path_) / name).string(); }

  /// What is there from before stays, unless the run is to last longer or shorter than then.
  void write_scene() {
    const auto path = file(run_file::scene);
    if (result_.resumed_from > 0 && std::filesystem::exists(path)) {
      const auto before = nlohmann::json::parse(read_file(path), nullptr, false);
      if (before.is_object() && before.value("time", nlohmann::json()) == json_.value("time", nlohmann::json())) return;
    }
    write_atomically(path, json_.dump(2) + "\n");
    write_body_surfaces(model_, path_);
  }

  void check_scene(const Checkpoint& checkpoint) const {
    if (checkpoint.scene_text != scene_text_)
      throw InputError("--resume", fmt::format("the scene is not the one that {} was run with (see scene.json "
                                               "there); use another directory or --overwrite",
                                               options_.directory));
    if (checkpoint.step > steps_)
      throw InputError("time.duration", fmt::format("{} s are {} steps, but {} holds {} already; use another directory "
                                                    "or --overwrite",
                                                    scene_.time.duration, steps_, options_.directory, checkpoint.step));
  }

  void restore(const Checkpoint& checkpoint) {
    try {
      simulation_.restore(to_snapshot(checkpoint));
      notes_ = notes_of(checkpoint);
      for (const auto& [name, now] : own_counts()) before_[name] = entry(checkpoint.numbers, count_prefix + name) - now;
    } catch (const InputError& e) {
      throw InputError(file(run_file::checkpoint),
                       fmt::format("cannot be resumed from: its entry '{}' {}; start the run again with --overwrite",
                                   e.where(), e.message()));
    }
    result_.resumed_from = checkpoint.step;
  }

  /// Since this object was made.
  Counts own_counts() const {
    const auto linear = simulation_.linear_counts();
    const auto number = [](auto count) { return static_cast<double>(count); };
    Counts counts = {
        {"newton_iterations", number(newton_)},      {"escalated_steps", number(escalations_)},
        {"halved_steps", number(halved_)},           {"retaken.beside", number(beside_)},
        {"retaken.backward_euler", number(calmed_)}, {"linear.factorizations", number(linear.factorizations)},
        {"linear.solves", number(linear.solves)},    {"linear.iterations", number(linear.iterations)}};
    if (model_.contact && model_.contact->friction)
      counts["friction_held_stages"] = number(model_.contact->friction->held_stages());
    if (const auto* modes = simulation_.modes()) {
      counts["modes.refreshes"] = number(modes->refreshes());
      counts["modes.from_scratch"] = number(modes->counts().from_scratch);
      counts["modes.iterations"] = number(modes->counts().iterations);
      counts["modes.left_out_steps"] = number(modes->left_out_counts().steps);
      counts["modes.left_out_bodies"] = number(modes->left_out_counts().bodies);
    }
    if (simulation_.method().kind == MethodKind::exponential) {
      const auto krylov = simulation_.exponential_counts();
      counts["exponential.products"] = number(krylov.products);
      counts["exponential.substeps"] = number(krylov.substeps);
    }
    return counts;
  }

  /// Since the start of the run, also where that was before a --resume.
  Counts counts() const {
    Counts sum = own_counts();
    for (auto& [name, count] : sum)
      if (const auto before = before_.find(name); before != before_.end()) count += before->second;
    return sum;
  }

  void loop() {
    const Space& space = model_.system->space();
    const long interval = checkpoint_interval(scene_.output, space.whole_size(model_.system->size()));
    // Several processes end between steps only, all together.
    const auto within = space.shared() ? std::function<bool()>([] { return true; }) : options_.go_on;
    const Interruptible interruptible(within);
    while (simulation_.step_count() < steps_ && space.all(options_.go_on())) {
      release();
      const State before = simulation_.state();
      const auto start = Clock::now();
      const StepReport report = simulation_.step();
      record(report, 1000 * seconds_since(start));
      write_frames(before);
      if (simulation_.step_count() % interval == 0 || simulation_.step_count() == steps_) save();
      if (options_.progress)
        options_.progress(
            {simulation_.step_count(), steps_, simulation_.time(), model_.start.t + scene_.time.duration, &report});
    }
  }

  /// Where nodes are released, modes and what counts them begin anew.
  void release() {
    const Counts until_now = own_counts();
    simulation_.release_due();
    for (const auto& [name, count] : own_counts()) before_[name] += until_now.at(name) - count;
  }

  void save() {
    const Snapshot snapshot = simulation_.snapshot();
    Checkpoint checkpoint = to_checkpoint(snapshot, counts(), notes_);
    if (!writer_) return;
    checkpoint.frames = frames_;
    checkpoint.rows = table_->rows();
    checkpoint.scene_text = scene_text_;
    save_checkpoint(file(run_file::checkpoint), checkpoint);
  }

  void record(const StepReport& report, double wall_ms) {
    const Energies e = simulation_.energies();
    const Touch touch = this->touch();
    newton_ += report.newton_iterations;
    escalations_ += report.escalations;
    if (report.substeps > 1) ++halved_;
    beside_ += report.beside;
    calmed_ += report.calmed;
    // What is said once is said again after --resume.
    for (const auto* list : {&report.notes, &report.remarks})
      for (const auto& note : *list)
        if (notes_.size() < 20 && std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    record_probes();
    record_cavities();
    if (!table_) return;
    table_->add({simulation_.time(),
                 e.kinetic,
                 e.elastic,
                 e.gravitational,
                 simulation_.damping_loss(),
                 e.total(),
                 report.newton_iterations,
                 wall_ms,
                 {e.other, static_cast<double>(report.substeps), static_cast<double>(report.escalations), e.contact,
                  simulation_.friction_loss(), static_cast<double>(touch.collisions), touch.smallest_gap,
                  simulation_.account().put_in(), static_cast<double>(report.beside + report.calmed)}});
  }

  void record_probes() {
    if (model_.probes.empty()) return;
    const Vector q = model_.system->full(simulation_.state()).q;
    std::vector<double> row;
    for (const Probe& probe : model_.probes) {
      const Vec3 x = probe.speaks ? probe.at(q) : Vec3(Vec3::Zero());
      row.insert(row.end(), x.begin(), x.end());
    }
    processes().sum(row);
    row.insert(row.begin(), simulation_.time());
    if (probes_) probes_->add(row);
  }

  void record_cavities() {
    if (!cavities_) return;
    const Vector q = model_.system->full(simulation_.state()).q;
    std::vector<double> row = {simulation_.time()};
    for (const FilledSpace& c : model_.cavities) {
      const double volume = c.cavity->volume(q);
      row.push_back(volume);
      row.push_back(c.cavity->pressure(volume, simulation_.time()));
    }
    cavities_->add(row);
  }

  /// How many collisions there are now, and their smallest gap [m]; δ where there is none, 0 without contact.
  struct Touch {
    std::size_t collisions = 0;
    double smallest_gap = 0;
  };
  Touch touch() const {
    if (!model_.contact) return {};
    const State all = model_.system->full(simulation_.state());
    const auto list = contact_points(*model_.contact, all);
    Touch t{list.size(), model_.contact->collisions->delta()};
    for (const ContactPoint& p : list) t.smallest_gap = std::min(t.smallest_gap, p.gap);
    return t;
  }

  void write_contacts(const State& all, double t) {
    if (!contacts_) return;
    const auto& names = model_.contact->collisions->scene().objects;
    for (const ContactPair& p : contact_pairs(contact_points(*model_.contact, all)))
      contacts_->add({t, names[static_cast<std::size_t>(p.objects[0])], names[static_cast<std::size_t>(p.objects[1])],
                      p.collisions, p.smallest_gap, p.normal_force, p.friction_force});
  }

  /// Between two steps; where no step may end there, or the way there passes through something, the state of the nearer
  /// step.
  State frame_state(const State& before, double t) const {
    const State& after = simulation_.state();
    State u = between(before, after, t);
    if (u.t == before.t || u.t == after.t) return u;
    const auto free = [&](const State& from) {
      return model_.system->max_step(from.q, u.q - from.q, from.t, u.t) >= 1;
    };
    if (std::isfinite(model_.system->energies(u).total()) && (!model_.contact || free(before) || free(after))) return u;
    return t - before.t < after.t - t ? before : after;
  }

  void write_frames(const State& before) {
    for (long k = frames_; plan_.due(k, simulation_.step_count()); k = ++frames_) {
      const bool exact = simulation_.step_count() == 0;
      const State u = exact ? simulation_.state() : frame_state(before, plan_.time(k));
      const State all = model_.system->full(u);
      const double t = exact || plan_.at_steps() ? u.t : plan_.time(k);
      const double det = model_.min_det_F(all.q);
      const Vector held = reactions(u);
      write_contacts(all, t);
      model_.system->show(
          u, [&](int first, const Vector& q, const Vector& v) { writer_->write_nodes(k, ix(first), q, v); });
      if (writer_) writer_->finish_frame(k, t, det, held);
    }
  }

  /// Of all nodes that are prescribed at the start; zero where they have been released.
  Vector reactions(const State& u) const {
    const Vector now = model_.system->reactions(u);
    const auto& nodes = model_.system->prescribed_nodes();
    Vector all = Vector::Zero(3 * static_cast<Index>(prescribed_.size()));
    for (std::size_t i = 0, k = 0; i < prescribed_.size() && k < nodes.size(); ++i)
      if (prescribed_[i] == nodes[k]) block(all, static_cast<int>(i)) = block(now, static_cast<int>(k++));
    return all;
  }

  void summarize(const std::string& end, const std::string& reason) {
    result_.steps = simulation_.step_count();
    result_.frames = frames_;
    const Counts total = counts();
    const auto count = [&](const char* name) { return std::lround(total.at(name)); };
    const Energies e = simulation_.energies();
    nlohmann::json summary = {
        {"limber_version", version},
        {"end", end},
        {"method", simulation_.method().name},
        {"step", scene_.time.step},
        {"time", simulation_.time()},
        {"steps", result_.steps},
        {"steps_planned", steps_},
        {"frames", result_.frames},
        {"resumed_from_step", result_.resumed_from},
        {"newton_iterations", count("newton_iterations")},
        {"escalated_steps", count("escalated_steps")},
        {"halved_steps", count("halved_steps")},
        {"retaken_steps", {{"beside", count("retaken.beside")}, {"backward_euler", count("retaken.backward_euler")}}},
        {"energy_gain", simulation_.account().gain()},
        {"energy_rise", simulation_.account().rise()},
        {"energy_put_in", simulation_.account().put_in()},
        {"energy_in_play", simulation_.account().in_play()},
        {"linear_solver",
         {{"factorizations", count("linear.factorizations")},
          {"solves", count("linear.solves")},
          {"iterations", count("linear.iterations")}}},
        {"energy",
         {{"kinetic", e.kinetic},
          {"elastic", e.elastic},
          {"gravitational", e.gravitational},
          {"external", e.other},
          {"total", e.total()},
          {"damping_loss", simulation_.damping_loss()}}},
        {"threads", threads()},
        {"wall_seconds", seconds_since(start_)},
        {"notes", notes_}};
    if (total.contains("friction_held_stages")) summary["friction_held_stages"] = count("friction_held_stages");
    if (const auto* modes = simulation_.modes()) {
      const auto memory = modes->memory();
      summary["modes"] = {
          {"count", memory ? memory->lambda.size() : 0},     {"refreshes", count("modes.refreshes")},
          {"from_scratch", count("modes.from_scratch")},     {"iterations", count("modes.iterations")},
          {"left_out_steps", count("modes.left_out_steps")}, {"left_out_bodies", count("modes.left_out_bodies")}};
    }
    if (total.contains("exponential.products"))
      summary["exponential"] = {{"products", count("exponential.products")},
                                {"substeps", count("exponential.substeps")}};
    if (!reason.empty()) summary["reason"] = reason;
    if (model_.system->space().shared()) summary["processes"] = processes().size();
    result_.summary = document_of(std::move(summary));
    if (!directory_) return;
    try {
      write_atomically(file(run_file::summary), result_.summary.text() + "\n");
    } catch (const OutputError&) {
      if (end != "failed") throw;  // a full disk is then already being reported
    }
  }

  const Scene& scene_;
  const Model& model_;
  const RunOptions& options_;
  Simulation simulation_;
  FramePlan plan_;
  long steps_;
  std::string scene_text_;
  const nlohmann::json& json_;
  std::vector<int> prescribed_;  // nodes, at the start
  std::string path_;
  // Process 0 writes; others have none of these.
  std::optional<RunDirectory> directory_;
  std::optional<TrajectoryWriter> writer_;
  std::optional<EnergyTable> table_;
  std::optional<ContactTable> contacts_;
  std::optional<StepTable> probes_, cavities_;  // as many rows as energies
  RunResult result_;
  long frames_ = 0;
  long newton_ = 0, escalations_ = 0, halved_ = 0, beside_ = 0, calmed_ = 0;
  Counts before_;  // of the runs that this one goes on with
  std::vector<std::string> notes_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

long checkpoint_interval(const OutputChoice& output, Index dofs) {
  if (output.checkpoint_every) return *output.checkpoint_every;
  return std::clamp<long>(1'000'000 / std::max<Index>(dofs, 1), 20, 500);
}

namespace {

/// Body by body, in the numbers of the whole scene.
void show_bodies(const Model& model, const std::vector<BodyRange>& ranges,
                 const std::function<void(const RestPiece&)>& show) {
  for (std::size_t b = 0; b < ranges.size(); ++b) {
    const BodyRange& range = ranges[b];
    const auto show_moved = [&](RestPiece piece) {
      piece.first_node += ix(range.first_node);
      piece.first_tet += ix(range.first_tet);
      for (auto& t : piece.tets)
        for (int& i : t) i += range.first_node;
      show(piece);
    };
    const Body& body = model.bodies[b];
    if (body.show_rest)
      body.show_rest(show_moved);
    else
      show_moved({0, 0, body.rest.nodes, body.rest.tets, body.rest.region});
  }
}

}  // namespace

TrajectoryHeader trajectory_header(const Model& model, Velocities velocities, long frames) {
  TrajectoryHeader h;
  const bool large = std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.show_rest; });
  std::size_t nodes = 0, tets = 0;
  for (const auto& b : model.bodies) {
    h.bodies.push_back({b.name, static_cast<int>(nodes), b.nodes, static_cast<int>(tets), b.tets,
                        static_cast<int>(h.edges.size()), static_cast<int>(b.edges.size()),
                        static_cast<int>(h.triangles.size()), static_cast<int>(b.triangles.size()), b.pieces});
    const int first = static_cast<int>(nodes);
    for (auto e : b.edges) h.edges.push_back({e[0] + first, e[1] + first});
    for (auto t : b.triangles) h.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    nodes += ix(b.nodes);
    tets += ix(b.tets);
  }
  if (large) {
    h.large = {nodes, tets, [&model, ranges = h.bodies](const auto& show) { show_bodies(model, ranges, show); }};
  } else {
    h.nodes.reserve(nodes);
    h.tets.reserve(tets);
    h.region.reserve(tets);
    for (const auto& b : model.bodies) {
      const int first = static_cast<int>(h.nodes.size());
      h.nodes.insert(h.nodes.end(), b.rest.nodes.begin(), b.rest.nodes.end());
      for (auto t : b.rest.tets) {
        for (int& i : t) i += first;
        h.tets.push_back(t);
      }
      for (std::size_t t = 0; t < b.rest.tets.size(); ++t)
        h.region.push_back(b.rest.region.empty() ? 0 : b.rest.region[t]);
    }
  }
  h.prescribed = model.system->prescribed_nodes();
  h.frames = frames;
  h.velocities = velocities;
  h.limber_version = version;
  return h;
}

RunResult run_scene(const Document& document, const Scene& scene, const Model& model, const RunOptions& options) {
  return Run(json_of(document), scene, model, options).go();
}

Document with_absolute_paths(const Document& scene, const std::string& base_directory) {
  nlohmann::json json = json_of(scene);
  const auto absolute = [&](nlohmann::json& file) {
    if (!file.is_string()) return;
    file = std::filesystem::absolute(std::filesystem::path(base_directory) / file.get<std::string>())
               .lexically_normal()
               .string();
  };
  const auto make_absolute = [&](nlohmann::json& holder) {
    for (const char* key : {"file", "surface"})
      if (holder.is_object() && holder.contains(key)) absolute(holder[key]);
  };
  // A pattern becomes the list of what fits it now: the run is that of these files.
  const auto make_sequence_absolute = [&](nlohmann::json& sequence) {
    if (!sequence.is_object() || !sequence.contains("files")) return;
    auto& files = sequence["files"];
    absolute(files);
    if (files.is_string())
      if (const auto all = matching_files(files.get<std::string>()); !all.empty()) files = all;
    if (files.is_array())
      for (auto& file : files) absolute(file);
  };
  if (json.contains("start") && json["start"].is_object() && json["start"].contains("run"))
    absolute(json["start"]["run"]);
  if (json.contains("bodies") && json["bodies"].is_array())
    for (auto& body : json["bodies"])
      if (body.is_object() && body.contains("mesh")) make_absolute(body["mesh"]);
  if (json.contains("obstacles") && json["obstacles"].is_array())
    for (auto& obstacle : json["obstacles"]) {
      make_absolute(obstacle);
      if (obstacle.is_object() && obstacle.contains("sequence")) make_sequence_absolute(obstacle["sequence"]);
    }
  return document_of(std::move(json));
}

}  // namespace limber
