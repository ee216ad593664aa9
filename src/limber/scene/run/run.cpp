#include "limber/scene/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/record/contact_table.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/construction/scene_parameters.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/checkpoint_plan.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/frame_plan.hpp"
#include "limber/scene/run/run_checkpoint.hpp"
#include "limber/version.hpp"

namespace limber {
namespace {

constexpr const char* version = LIMBER_VERSION;
const std::vector<std::string> further_columns = {"external",      "substeps",    "escalations",  "contact",
                                                  "friction_loss", "collisions",  "smallest_gap", "put_in",
                                                  "retaken",       "put_in_doubt"};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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

std::string retaken_count(Way way) { return std::string("retaken.") + to_string(way); }

/// Whether a run has come to its end, summary included.
bool has_summary(const std::string& path, long steps) {
  if (!std::filesystem::exists(path)) return false;
  const auto summary = parse_or_discard(read_file(path));
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
    on_root(processes(), [&] { directory_.emplace(prepare_directory(options.directory, options.existing)); });
  }

  RunResult go() {
    prescribed_ = model_.system->prescribed_nodes();
    const auto header = [this] {
      TrajectoryHeader all =
          trajectory_header(model_, scene_.output.velocities ? Velocities::store : Velocities::omit, plan_.frames());
      all.prescribed = prescribed_;  // also where some have been released
      return all;
    };
    const auto checkpoint = options_.existing == Existing::resume
                                ? shared_checkpoint(file(run_file::checkpoint), processes())
                                : std::nullopt;
    if (checkpoint) {
      check_scene(*checkpoint);
      if (checkpoint->step == steps_ && has_summary(file(run_file::summary), steps_))
        return {RunResult::End::already_finished,
                checkpoint->step,
                checkpoint->frames,
                checkpoint->step,
                checkpoint->step,
                {}};
      restore(*checkpoint);
      frames_ = checkpoint->frames;
      on_root(processes(), [&] {
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
      on_root(processes(), [&] {
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
      agree();
    }
    try {
      loop();
    } catch (const Interrupted&) {  // the step in progress is undone
    } catch (const OtherProcessFailed&) {
      summarize("failed", "");  // which all do together
      throw;
    } catch (const std::exception& e) {
      // A step fails for all processes. Of what else has come over one, others do not know: there is no summary then.
      const bool of_all = agreed_ || dynamic_cast<const StepFailure*>(&e);
      if (of_all || processes().size() == 1) summarize("failed", e.what());
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
      const auto before = parse_or_discard(read_file(path));
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

  /// The start has a row and a frame, and each step a row.
  static void require_counts(const Checkpoint& checkpoint) {
    if (checkpoint.rows != checkpoint.step + 1)
      throw InputError("rows", fmt::format("is {}, but there are {} steps", checkpoint.rows, checkpoint.step));
    if (checkpoint.frames < 1) throw InputError("frames", fmt::format("is {}, must be at least 1", checkpoint.frames));
  }

  void restore(const Checkpoint& checkpoint) {
    try {
      require_counts(checkpoint);
      const Snapshot snapshot = to_snapshot(checkpoint);
      if (!snapshot.parameters.empty())
        offer_parameters(document_of(json_), {std::shared_ptr<void>(), &scene_}, model_);
      simulation_.restore(snapshot);
      notes_ = notes_of(checkpoint);
      for (const auto& [name, now] : own_counts()) before_[name] = count_in(checkpoint, name) - now;
    } catch (const InputError& e) {
      throw InputError(file(run_file::checkpoint),
                       fmt::format("cannot be resumed from: its entry '{}' {}; start the run again with --overwrite",
                                   e.where(), e.message()));
    }
    result_.resumed_from = result_.checkpoint = checkpoint.step;
  }

  /// Since this object was made.
  Counts own_counts() const {
    const auto linear = simulation_.linear_counts();
    const auto number = [](auto count) { return static_cast<double>(count); };
    Counts counts = {{"newton_iterations", number(tally_.newton_iterations)},
                     {"escalated_steps", number(tally_.escalations)},
                     {"halved_steps", number(tally_.halved)},
                     {"linear.factorizations", number(linear.factorizations)},
                     {"linear.solves", number(linear.solves)},
                     {"linear.iterations", number(linear.iterations)}};
    for (const Way way : retake_ways) {
      const auto times = tally_.retaken.find(way);
      counts[retaken_count(way)] = times == tally_.retaken.end() ? 0 : number(times->second);
    }
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
    CheckpointPlan plan(scene_.output, space.global_size(model_.system->size()));
    plan.begin(simulation_);
    // Several processes end between steps only, all together.
    const auto within = space.shared() ? std::function<bool()>([] { return true; }) : options_.go_on;
    const Interruptible interruptible(within);
    while (simulation_.step_count() < steps_ && space.all(options_.go_on())) {
      release();
      const State before = simulation_.state();
      const auto start = Clock::now();
      const StepRecord report = simulation_.step();
      record(report, 1000 * seconds_since(start));
      write_frames(before);
      if (plan.due(simulation_) || simulation_.step_count() == steps_) {
        save();
        plan.begin(simulation_);
      }
      write([&] {
        if (options_.progress)
          options_.progress(
              {simulation_.step_count(), steps_, simulation_.time(), model_.start.t + scene_.time.duration, &report});
      });
      agree();
    }
  }

  /// Does what one process does for itself, as process 0 with files. All go on together until they agree on whether it
  /// has failed for any: none is left waiting for it.
  template <class Work>
  void write(const Work& work) {
    if (unwritten_) return;
    try {
      work();
    } catch (...) {
      unwritten_ = std::current_exception();
    }
  }
  void agree() {
    std::array<int, 1> well = {unwritten_ ? 0 : 1};
    processes().min(well);
    if (well[0] != 0) return;
    agreed_ = true;
    if (const auto failure = std::exchange(unwritten_, nullptr)) std::rethrow_exception(failure);
    throw OtherProcessFailed();
  }

  /// Where nodes are released, modes and what counts them begin anew.
  void release() {
    const Counts until_now = own_counts();
    simulation_.release_due();
    for (const auto& [name, count] : own_counts()) before_[name] += until_now.at(name) - count;
  }

  void save() {
    const Snapshot snapshot = simulation_.snapshot();
    result_.checkpoint = snapshot.step;
    Checkpoint checkpoint = to_checkpoint(snapshot, counts(), notes_);
    if (!writer_) return;
    checkpoint.frames = frames_;
    checkpoint.rows = table_->rows();
    checkpoint.scene_text = scene_text_;
    write([&] { save_checkpoint(file(run_file::checkpoint), checkpoint); });
  }

  void record(const StepRecord& step, double wall_ms) {
    const Energies e = simulation_.energies();
    const Touch touch = this->touch();
    tally_.add(step);
    // What is said once is said again after --resume.
    for (const auto* list : {&step.notes, &step.remarks})
      for (const auto& note : *list)
        if (notes_.size() < 20 && std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    record_probes();
    record_cavities();
    if (!table_) return;
    write([&] {
      table_->add(
          {simulation_.time(),
           e.kinetic,
           e.elastic,
           e.gravitational,
           simulation_.damping_loss(),
           e.total(),
           step.newton_iterations,
           wall_ms,
           {e.other, static_cast<double>(step.substeps.size()), static_cast<double>(step.escalations()), e.contact,
            simulation_.friction_loss(), static_cast<double>(touch.collisions), touch.smallest_gap,
            simulation_.account().put_in(), static_cast<double>(step.retaken()), simulation_.account().doubt()}});
    });
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
    if (probes_) write([&] { probes_->add(row); });
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
    write([&] { cavities_->add(row); });
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

  void write_contacts(const State& u, double t) {
    if (!contacts_) return;
    const auto& names = model_.contact->collisions->scene().objects;
    write([&] {
      for (const ContactPair& p : contact_pairs(contact_points(*model_.contact, model_.system->full(u))))
        contacts_->add({t, names[static_cast<std::size_t>(p.objects[0])], names[static_cast<std::size_t>(p.objects[1])],
                        p.collisions, p.smallest_gap, p.normal_force, p.friction_force});
    });
  }

  /// Between two steps; where no step may end there, or the way there passes through something, the state of the nearer
  /// step.
  State frame_state(const State& before, double t) const {
    const State& after = simulation_.state();
    State u = between(before, after, t);
    if (u.t == before.t || u.t == after.t) return u;
    model_.straighten(u);
    const auto free = [&](const State& from) {
      return model_.system->max_step(from.q, u.q - from.q, from.t, u.t) >= 1;
    };
    if (std::isfinite(limber::energies(*model_.system, u).total()) && (!model_.contact || free(before) || free(after)))
      return u;
    return t - before.t < after.t - t ? before : after;
  }

  void write_frames(const State& before) {
    for (long k = frames_; plan_.due(k, simulation_.step_count()); k = ++frames_) {
      const bool exact = simulation_.step_count() == 0;
      const State u = exact ? simulation_.state() : frame_state(before, plan_.time(k));
      const State all = model_.system->full(u);
      const double t = exact || plan_.at_steps() ? u.t : plan_.time(k);
      const double det = model_.min_det_F(all.q);
      // Forces are those of the stage, for methods that go beyond it.
      const bool at_end = &simulation_.acting() == &simulation_.state();
      const State& acting = at_end ? u : simulation_.acting();
      const Vector held = reactions(acting);
      write_contacts(acting, t);
      gather_state(*model_.system, u, [&](int first, const Vector& q, const Vector& v) {
        write([&] { writer_->write_nodes(k, ix(first), q, v); });
      });
      if (writer_) write([&] { writer_->finish_frame(k, t, det, held); });
    }
  }

  /// Of all nodes that are prescribed at the start; zero where they have been released.
  Vector reactions(const State& u) const {
    const Vector now = limber::reactions(*model_.system, u);
    const auto& nodes = model_.system->prescribed_nodes();
    Vector all = Vector::Zero(3 * static_cast<Index>(prescribed_.size()));
    for (std::size_t i = 0, k = 0; i < prescribed_.size() && k < nodes.size(); ++i)
      if (prescribed_[i] == nodes[k]) block(all, static_cast<int>(i)) = block(now, static_cast<int>(k++));
    return all;
  }

  void summarize(const std::string& end, const std::string& reason) {
    result_.steps = simulation_.step_count();
    result_.frames = writer_ ? writer_->frames() : frames_;
    const Counts total = counts();
    const auto count = [&](const char* name) { return std::lround(total.at(name)); };
    const Energies e = simulation_.energies();
    nlohmann::json summary = {{"limber_version", version},
                              {"end", end},
                              {"method", simulation_.method().name},
                              {"step", scene_.time.step},
                              {"time", simulation_.time()},
                              {"steps", result_.steps},
                              {"steps_planned", steps_},
                              {"frames", result_.frames},
                              {"resumed_from_step", result_.resumed_from},
                              {"checkpoint_step", result_.checkpoint},
                              {"newton_iterations", count("newton_iterations")},
                              {"escalated_steps", count("escalated_steps")},
                              {"halved_steps", count("halved_steps")},
                              {"retaken_steps", nlohmann::json::object()},
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
    for (const Way way : retake_ways) summary["retaken_steps"][to_string(way)] = count(retaken_count(way).c_str());
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
    on_root(processes(), [&] {
      try {
        write_atomically(file(run_file::summary), result_.summary.text() + "\n");
      } catch (const OutputError&) {
        if (end != "failed") throw;  // a full disk is then already being reported
      }
    });
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
  std::exception_ptr unwritten_;  // what this process could not do for itself, and why
  bool agreed_ = false;           // on a failure
  long frames_ = 0;
  StepTally tally_;
  Counts before_;  // of the runs that this one goes on with
  std::vector<std::string> notes_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

RunResult run_scene(const Document& document, const Scene& scene, const Model& model, const RunOptions& options) {
  return Run(json_of(document), scene, model, options).go();
}

}  // namespace limber
