#include "limber/scene/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/scene/construction/scene_parameters.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/checkpoint_plan.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/run_counts.hpp"
#include "limber/scene/run/run_frames.hpp"
#include "limber/version.hpp"

namespace limber {
namespace {

constexpr const char* version = LIMBER_VERSION;

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
        json_(json),
        scene_text_(comparable(json)),
        simulation_(build_simulation(scene, model)),
        processes_(model.system->processes()),
        files_(model, options.directory, options.existing),
        frames_(scene, model, simulation_, files_, processes_),
        counts_(simulation_, model) {}

  RunResult go() {
    const auto checkpoint = options_.existing == Existing::resume
                                ? shared_checkpoint(files_.path(run_file::checkpoint), processes_.all())
                                : std::nullopt;
    if (checkpoint) {
      check_scene(*checkpoint);
      if (is_over(checkpoint->step, time_of(*checkpoint)) &&
          has_summary(files_.path(run_file::summary), checkpoint->step))
        return {RunResult::End::already_finished,
                checkpoint->step,
                checkpoint->frames,
                checkpoint->step,
                checkpoint->step,
                {}};
      resume(*checkpoint);
    } else {
      if (options_.existing == Existing::resume && options_.note)
        options_.note(
            fmt::format("there is no checkpoint in {}: the run starts from the beginning", options_.directory));
      begin();
    }
    try {
      loop();
    } catch (const Interrupted&) {  // the step in progress is undone
    } catch (const OtherProcessFailed&) {
      summarize("failed", "");  // which all do together
      throw;
    } catch (const std::exception& e) {
      // A step fails for all processes. Of what else has come over one, others do not know: there is no summary then.
      if (processes_.all_know() || dynamic_cast<const StepFailure*>(&e)) summarize("failed", e.what());
      throw;
    }
    result_.end = is_over() ? RunResult::End::finished : RunResult::End::interrupted;
    summarize(result_.end == RunResult::End::finished ? "finished" : "interrupted", "");
    return std::move(result_);
  }

 private:
  /// 0 where lengths of steps follow the error.
  long steps() const { return scene_.time.accuracy ? 0 : step_count(scene_.time); }
  double end() const { return model_.start.t + scene_.time.duration; }
  bool is_over(long step, double t) const {
    if (!scene_.time.accuracy) return step >= steps();
    return t >= end() - time_rounding(*simulation_.error_control());
  }
  bool is_over() const { return is_over(simulation_.step_count(), simulation_.time()); }
  static double time_of(const Checkpoint& c) { return c.history.empty() ? 0 : c.history[0].t; }

  void begin() {
    on_root(processes_.all(), [&] {
      write_scene();
      files_.create(frames_.header());
    });
    record({}, 0);
    frames_.write(simulation_.state());
    processes_.agree();
  }

  void resume(const Checkpoint& checkpoint) {
    restore(checkpoint);
    frames_.go_on_from(checkpoint.frames);
    on_root(processes_.all(), [&] {
      files_.resume(frames_.header(), checkpoint, frames_.plan().time(checkpoint.frames - 1));
      write_scene();
    });
  }

  /// What is there from before stays, unless the run is to last longer or shorter than then.
  void write_scene() {
    const auto path = files_.path(run_file::scene);
    if (result_.resumed_from > 0 && std::filesystem::exists(path)) {
      const auto before = parse_or_discard(read_file(path));
      if (before.is_object() && before.value("time", nlohmann::json()) == json_.value("time", nlohmann::json())) return;
    }
    write_atomically(path, json_.dump(2) + "\n");
    write_body_surfaces(model_, files_.folder());
  }

  void check_scene(const Checkpoint& checkpoint) const {
    if (checkpoint.scene_text != scene_text_)
      throw InputError("--resume", fmt::format("the scene is not the one that {} was run with (see scene.json "
                                               "there); use another directory or --overwrite",
                                               options_.directory));
    if (scene_.time.accuracy && time_of(checkpoint) > end() + time_rounding(*simulation_.error_control()))
      throw InputError("time.duration", fmt::format("{} s end before {:.6g} s, where the run in {} has come to; use "
                                                    "another directory or --overwrite",
                                                    scene_.time.duration, time_of(checkpoint), options_.directory));
    if (!scene_.time.accuracy && checkpoint.step > steps())
      throw InputError("time.duration",
                       fmt::format("{} s are {} steps, but {} holds {} already; use another directory "
                                   "or --overwrite",
                                   scene_.time.duration, steps(), options_.directory, checkpoint.step));
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
      counts_.restore(checkpoint);
    } catch (const InputError& e) {
      throw InputError(files_.path(run_file::checkpoint),
                       fmt::format("cannot be resumed from: its entry '{}' {}; start the run again with --overwrite",
                                   e.where(), e.message()));
    }
    result_.resumed_from = result_.checkpoint = checkpoint.step;
  }

  void loop() {
    const Space& space = model_.system->space();
    CheckpointPlan plan(scene_.output, space.global_size(model_.system->size()));
    plan.begin(simulation_);
    // Several processes end between steps only, all together.
    const auto within = processes_.alone() ? options_.go_on : [] { return true; };
    const Interruptible interruptible(within);
    while (!is_over() && space.all(options_.go_on())) {
      // Where nodes are released, modes and what counts them begin anew.
      counts_.keep_over([&] { simulation_.release_due(); });
      const State before = simulation_.state();
      const auto start = Clock::now();
      const StepRecord report = simulation_.step();
      record(report, 1000 * seconds_since(start));
      frames_.write(before);
      if (plan.due(simulation_) || is_over()) {
        save();
        plan.begin(simulation_);
      }
      processes_.each([&] {
        if (options_.progress)
          options_.progress({simulation_.step_count(), steps(), model_.start.t, simulation_.time(), end(), &report});
      });
      processes_.agree();
    }
  }

  void save() {
    const Snapshot snapshot = simulation_.snapshot();
    result_.checkpoint = snapshot.step;
    Checkpoint checkpoint = to_checkpoint(snapshot, counts_.all(), counts_.notes());
    if (!files_.here()) return;
    checkpoint.frames = frames_.written();
    checkpoint.rows = files_.rows();
    checkpoint.scene_text = scene_text_;
    processes_.each([&] { save_checkpoint(files_.path(run_file::checkpoint), checkpoint); });
  }

  void record(const StepRecord& step, double wall_ms) {
    const Energies e = simulation_.energies();
    const Touch touch = this->touch();
    counts_.add(step);
    record_probes();
    record_cavities();
    processes_.each([&] {
      files_.add_row(
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
    processes_.all().sum(row);
    row.insert(row.begin(), simulation_.time());
    processes_.each([&] { files_.add_probes(row); });
  }

  void record_cavities() {
    if (model_.cavities.empty()) return;
    const Vector q = model_.system->full(simulation_.state()).q;
    std::vector<double> row = {simulation_.time()};
    for (const FilledSpace& c : model_.cavities) {
      const double volume = c.cavity->volume(q);
      row.push_back(volume);
      row.push_back(c.cavity->pressure(volume, simulation_.time()));
    }
    processes_.each([&] { files_.add_cavities(row); });
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

  nlohmann::json step_choice() const {
    const TimeSettings& time = scene_.time;
    if (!time.accuracy) return time.step;
    return {{"accuracy", time.accuracy->accuracy}, {"max", time.step}, {"min", time.shortest_step()}};
  }

  void summarize(const std::string& end, const std::string& reason) {
    result_.steps = simulation_.step_count();
    result_.frames = files_.here() ? files_.trajectory().frames() : frames_.written();
    const Counts total = counts_.all();
    const auto count = [&](const char* name) { return std::lround(total.at(name)); };
    const Energies e = simulation_.energies();
    nlohmann::json summary = {{"limber_version", version},
                              {"end", end},
                              {"method", simulation_.method().name},
                              {"step", step_choice()},
                              {"time", simulation_.time()},
                              {"steps", result_.steps},
                              {"steps_planned", steps()},
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
                              {"notes", counts_.notes()}};
    for (const Way way : retake_ways) summary["retaken_steps"][to_string(way)] = count(retaken_count(way).c_str());
    if (scene_.time.accuracy) {
      const StepControl& control = simulation_.step_control();
      summary["steps_planned"] = nullptr;
      summary["error_control"] = {{"estimate", to_string(simulation_.method().estimate)},
                                  {"estimated_error", simulation_.estimated_error()},
                                  {"largest_estimated_error", control.largest},
                                  {"sum_of_step_errors", control.smooth.added + control.touched.added},
                                  {"rejected_steps", control.rejected},
                                  {"steps_at_min", control.at_shortest}};
    }
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
    if (!processes_.alone()) summary["processes"] = processes_.all().size();
    result_.summary = document_of(std::move(summary));
    on_root(processes_.all(), [&] {
      try {
        write_atomically(files_.path(run_file::summary), result_.summary.text() + "\n");
      } catch (const OutputError&) {
        if (end != "failed") throw;  // a full disk is then already being reported
      }
    });
  }

  const Scene& scene_;
  const Model& model_;
  const RunOptions& options_;
  const nlohmann::json& json_;
  const std::string scene_text_;
  Simulation simulation_;
  Together processes_;
  RunFiles files_;
  RunFrames frames_;
  RunCounts counts_;
  RunResult result_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

RunResult run_scene(const Document& document, const Scene& scene, const Model& model, const RunOptions& options) {
  return Run(json_of(document), scene, model, options).go();
}

}  // namespace limber
