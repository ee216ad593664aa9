#include "limber/scene/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/checkpoint.hpp"
#include "limber/record/contact_table.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/summary.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/exported.hpp"
#include "limber/scene/facts.hpp"
#include "limber/scene/obstacle_parts.hpp"

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
  FramePlan(const OutputChoice& output, const TimeSettings& time)
      : h_(time.step),
        every_(output.frames_every.value_or(1)),
        fps_(output.fps.value_or(0)),
        steps_(step_count(time)) {}

  long frames() const {
    if (fps_ == 0) return steps_ / every_ + 1;
    return static_cast<long>(std::floor(static_cast<double>(steps_) * h_ * fps_ + 1e-9)) + 1;
  }
  double time(long frame) const {
    return fps_ == 0 ? static_cast<double>(frame * every_) * h_ : static_cast<double>(frame) / fps_;
  }
  /// Whether frame k is due when `step` steps are taken.
  bool due(long frame, long step) const {
    if (frame >= frames()) return false;
    return fps_ == 0 ? frame * every_ <= step : time(frame) <= (static_cast<double>(step) + 1e-9) * h_;
  }

 private:
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

/// A checkpoint costs a refactorisation and a small file: now and then, by a count that depends on the scene only.
long checkpoint_interval(const OutputChoice& output, Index dofs) {
  if (output.checkpoint_every) return *output.checkpoint_every;
  return std::clamp<long>(1'000'000 / std::max<Index>(dofs, 1), 20, 500);
}

/// What a resumed run must agree on: everything but where results go, who looks and how many threads work.
std::string comparable(nlohmann::json json) {
  json.erase("threads");
  json.erase("camera");
  if (json.contains("output") && json["output"].is_object()) {
    json["output"].erase("directory");
    if (json["output"].empty()) json.erase("output");
  }
  return json.dump();
}

Checkpoint to_checkpoint(const Snapshot& s, long frames, long rows, const std::string& scene_text) {
  Checkpoint c;
  c.step = s.step;
  c.frames = frames;
  c.rows = rows;
  c.history = s.history;
  c.numbers = {{"start_time", s.start_time},
               {"damping_loss", s.damping_loss},
               {"friction_loss", s.friction_loss},
               {"supply", s.supply}};
  c.vectors["forces"] = Vector::Map(s.forces.data(), static_cast<Index>(s.forces.size()));
  c.vectors["account"] = Vector::Map(s.account.data(), static_cast<Index>(s.account.size()));
  if (s.modes) {
    c.numbers["modes.age"] = static_cast<double>(s.modes->steps_since_refresh);
    c.vectors["modes.lambda"] = s.modes->lambda;
    c.vectors["modes.X"] = s.modes->X.reshaped();
  }
  c.scene_text = scene_text;
  return c;
}

Snapshot to_snapshot(const Checkpoint& c) {
  Snapshot s{c.history, c.step, c.numbers.at("start_time"), c.numbers.at("damping_loss"), c.numbers.at("supply")};
  s.friction_loss = c.numbers.at("friction_loss");
  const Vector& forces = c.vectors.at("forces");
  s.forces.assign(forces.begin(), forces.end());
  const Vector& account = c.vectors.at("account");
  s.account.assign(account.begin(), account.end());
  if (const auto lambda = c.vectors.find("modes.lambda"); lambda != c.vectors.end()) {
    const Vector& X = c.vectors.at("modes.X");
    const Index modes = lambda->second.size();
    s.modes =
        ModalMemory{lambda->second, X.reshaped(X.size() / modes, modes), static_cast<long>(c.numbers.at("modes.age"))};
  }
  return s;
}

class Run {
 public:
  Run(const nlohmann::json& json, const Scene& scene, const Model& model, const RunOptions& options)
      : scene_(scene),
        model_(model),
        options_(options),
        simulation_(build_simulation(scene, model)),
        plan_(scene.output, scene.time),
        steps_(step_count(scene.time)),
        scene_text_(comparable(json)),
        directory_(prepare_directory(options.directory, options.existing)) {
    write_atomically_if_new(json);
  }

  RunResult go() {
    const auto header =
        trajectory_header(model_, scene_.output.velocities ? Velocities::store : Velocities::omit, plan_.frames());
    prescribed_ = header.prescribed;
    const auto checkpoint =
        options_.existing == Existing::resume ? load_checkpoint(directory_.file(run_file::checkpoint)) : std::nullopt;
    if (checkpoint) {
      if (checkpoint->scene_text != scene_text_)
        throw InputError("--resume", fmt::format("the scene is not the one that {} was run with (see scene.json "
                                                 "there); use another directory or --overwrite",
                                                 options_.directory));
      if (checkpoint->step >= steps_)
        return {RunResult::End::already_finished, checkpoint->step, checkpoint->frames, checkpoint->step, {}};
      simulation_.restore(to_snapshot(*checkpoint));
      result_.resumed_from = checkpoint->step;
      writer_.emplace(TrajectoryWriter::resume(directory_.file(run_file::trajectory), header, checkpoint->frames));
      table_.emplace(EnergyTable::resume(directory_.file(run_file::energy), checkpoint->rows, further_columns));
      if (model_.contact)
        contacts_.emplace(
            ContactTable::resume(directory_.file(run_file::contacts), plan_.time(checkpoint->frames - 1)));
    } else {
      writer_.emplace(TrajectoryWriter::create(directory_.file(run_file::trajectory), header));
      table_.emplace(EnergyTable::create(directory_.file(run_file::energy), further_columns));
      if (model_.contact) contacts_.emplace(ContactTable::create(directory_.file(run_file::contacts)));
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
  void write_atomically_if_new(const nlohmann::json& json) {
    const auto path = directory_.file(run_file::scene);
    if (options_.existing != Existing::resume || !std::filesystem::exists(path)) {
      write_atomically(path, json.dump(2) + "\n");
      write_body_surfaces(model_, directory_.path().string());
    }
  }

  void loop() {
    const long interval = checkpoint_interval(scene_.output, model_.system->size());
    const Interruptible interruptible(options_.go_on);
    while (simulation_.step_count() < steps_ && options_.go_on()) {
      simulation_.release_due();
      const State before = simulation_.state();
      const auto start = Clock::now();
      const StepReport report = simulation_.step();
      record(report, 1000 * seconds_since(start));
      write_frames(before);
      if (simulation_.step_count() % interval == 0 || simulation_.step_count() == steps_) save();
      if (options_.progress)
        options_.progress({simulation_.step_count(), steps_, simulation_.time(), scene_.time.duration, &report});
    }
  }

  void save() {
    save_checkpoint(directory_.file(run_file::checkpoint),
                    to_checkpoint(simulation_.snapshot(), writer_->frames(), table_->rows(), scene_text_));
  }

  void record(const StepReport& report, double wall_ms) {
    const Energies e = simulation_.energies();
    const Touch touch = this->touch();
    newton_ += report.newton_iterations;
    escalations_ += report.escalations;
    if (report.substeps > 1) ++halved_;
    beside_ += report.beside;
    calmed_ += report.calmed;
    for (const auto* list : {&report.notes, &report.remarks})
      for (const auto& note : *list)
        if (notes_.size() < 20) notes_.push_back(note);
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

  /// Between two steps; where that would pass through something, the state of the nearer step.
  State frame_state(const State& before, double t) const {
    const State& after = simulation_.state();
    const State u = between(before, after, t);
    if (!model_.contact || u.t == before.t || u.t == after.t) return u;
    const auto free = [&](const State& from) {
      return model_.system->max_step(from.q, u.q - from.q, from.t, u.t) >= 1;
    };
    if (free(before) || free(after)) return u;
    return t - before.t < after.t - t ? before : after;
  }

  void write_frames(const State& before) {
    for (long k = writer_->frames(); plan_.due(k, simulation_.step_count()); k = writer_->frames()) {
      const bool exact = simulation_.step_count() == 0;
      const State u = exact ? simulation_.state() : frame_state(before, plan_.time(k));
      const State all = model_.system->full(u);
      const double t = exact ? u.t : plan_.time(k);
      write_contacts(all, t);
      writer_->write_frame(k, t, all.q, scene_.output.velocities ? all.v : Vector(), model_.min_det_F(all.q),
                           reactions(u));
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
    result_.frames = writer_->frames();
    const auto counts = simulation_.linear_counts();
    const Energies e = simulation_.energies();
    result_.summary = {
        {"limber_version", version},
        {"end", end},
        {"method", simulation_.method().name},
        {"step", scene_.time.step},
        {"time", simulation_.time()},
        {"steps", result_.steps},
        {"steps_planned", steps_},
        {"frames", result_.frames},
        {"resumed_from_step", result_.resumed_from},
        {"newton_iterations", newton_},
        {"escalated_steps", escalations_},
        {"halved_steps", halved_},
        {"retaken_steps", {{"beside", beside_}, {"backward_euler", calmed_}}},
        {"energy_gain", simulation_.account().gain()},
        {"energy_rise", simulation_.account().rise()},
        {"energy_put_in", simulation_.account().put_in()},
        {"energy_in_play", simulation_.account().in_play()},
        {"linear_solver",
         {{"factorizations", counts.factorizations}, {"solves", counts.solves}, {"iterations", counts.iterations}}},
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
    if (model_.contact && model_.contact->friction)
      result_.summary["friction_held_stages"] = model_.contact->friction->held_stages();
    if (const auto* modes = simulation_.modes())
      result_.summary["modes"] = {{"count", modes->count()},
                                  {"refreshes", modes->refreshes()},
                                  {"from_scratch", modes->counts().from_scratch},
                                  {"iterations", modes->counts().iterations},
                                  {"left_out_steps", modes->left_out_counts().steps},
                                  {"left_out_bodies", modes->left_out_counts().bodies}};
    if (simulation_.method().kind == MethodKind::exponential) {
      const auto krylov = simulation_.exponential_counts();
      result_.summary["exponential"] = {{"products", krylov.products}, {"substeps", krylov.substeps}};
    }
    if (!reason.empty()) result_.summary["reason"] = reason;
    try {
      write_summary(directory_.file(run_file::summary), result_.summary);
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
  std::vector<int> prescribed_;  // nodes, at the start
  RunDirectory directory_;
  std::optional<TrajectoryWriter> writer_;
  std::optional<EnergyTable> table_;
  std::optional<ContactTable> contacts_;
  RunResult result_;
  long newton_ = 0, escalations_ = 0, halved_ = 0, beside_ = 0, calmed_ = 0;
  std::vector<std::string> notes_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

TrajectoryHeader trajectory_header(const Model& model, Velocities velocities, long frames) {
  TrajectoryHeader h;
  for (const auto& b : model.bodies) {
    BodyRange range{b.name,
                    static_cast<int>(h.nodes.size()),
                    static_cast<int>(b.rest.nodes.size()),
                    static_cast<int>(h.tets.size()),
                    static_cast<int>(b.rest.tets.size()),
                    static_cast<int>(h.edges.size()),
                    static_cast<int>(b.edges.size()),
                    static_cast<int>(h.triangles.size()),
                    static_cast<int>(b.triangles.size())};
    h.nodes.insert(h.nodes.end(), b.rest.nodes.begin(), b.rest.nodes.end());
    for (auto t : b.rest.tets) {
      for (int& i : t) i += b.first_node;
      h.tets.push_back(t);
    }
    for (std::size_t t = 0; t < b.rest.tets.size(); ++t)
      h.region.push_back(b.rest.region.empty() ? 0 : b.rest.region[t]);
    for (auto e : b.edges) h.edges.push_back({e[0] + b.first_node, e[1] + b.first_node});
    for (auto t : b.triangles) h.triangles.push_back({t[0] + b.first_node, t[1] + b.first_node, t[2] + b.first_node});
    h.bodies.push_back(range);
  }
  h.prescribed = model.system->prescribed_nodes();
  h.frames = frames;
  h.velocities = velocities;
  h.limber_version = version;
  return h;
}

RunResult run_scene(const nlohmann::json& json, const Scene& scene, const Model& model, const RunOptions& options) {
  return Run(json, scene, model, options).go();
}

nlohmann::json with_absolute_paths(nlohmann::json json, const std::string& base_directory) {
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
  if (json.contains("bodies") && json["bodies"].is_array())
    for (auto& body : json["bodies"])
      if (body.is_object() && body.contains("mesh")) make_absolute(body["mesh"]);
  if (json.contains("obstacles") && json["obstacles"].is_array())
    for (auto& obstacle : json["obstacles"]) {
      make_absolute(obstacle);
      if (obstacle.is_object() && obstacle.contains("sequence")) make_sequence_absolute(obstacle["sequence"]);
    }
  return json;
}

}  // namespace limber
