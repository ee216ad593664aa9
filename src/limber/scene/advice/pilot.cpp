#include "limber/scene/advice/pilot.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/names.hpp"
#include "limber/linalg/cost_model.hpp"
#include "limber/scene/run/why_stopped.hpp"
#include "limber/sim/step_record.hpp"

namespace limber {
namespace {

constexpr long settling = 4, least_steps = 8;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Steps of the scheme that a recorded step took: a doubled step is a whole one and two halves.
double schemes_in(const StepRecord& record) {
  const double taken = static_cast<double>(record.substeps.size()) + (record.by_halves ? 1 : 0);
  return taken + record.rejected * (record.by_halves ? 3.0 : 1.0);
}

/// Substeps that the method itself could not take.
double helped_in(const StepRecord& record) {
  return record.escalations() + record.retaken() + (record.halved() ? static_cast<double>(record.substeps.size()) : 0);
}

/// The work of a simulation, counted from its construction.
class Meter {
 public:
  explicit Meter(const Simulation& simulation) : simulation_(simulation), start_(processor_seconds()) {}

  void add(const StepRecord& record) {
    ++steps_;
    carried_ += record.carried;
    attempts_ += schemes_in(record);
    helped_ += helped_in(record) * (1 + record.rejected);
    newton_ += static_cast<double>(record.newton_iterations);
  }
  double attempts() const { return attempts_; }
  Effort effort() const {
    const auto number = [](auto count) { return static_cast<double>(count); };
    const SolverCounts counts = simulation_.linear_counts();
    const ModalSubspace* modes = simulation_.modes();
    const double unknowns = number(simulation_.system().size());
    const double modal = modes ? attempts_ * number(modes->basis().count()) : 0;
    const double each = cost::step_forces * attempts_ * simulation_.method().stages + cost::step_newton * newton_ +
                        cost::step_system * number(counts.solves) + cost::step_iteration * number(counts.iterations) +
                        cost::step_factor * unknowns * number(counts.factorizations) +
                        cost::step_product * number(simulation_.exponential_counts().products) +
                        cost::step_mode * modal + cost::step_help * helped_;
    const double carrying = unknowns * carried_ * (2 * cost::step_system + cost::step_factor * unknowns);
    return {cost::step * (modes ? attempts_ : steps_) + unknowns * each + carrying, carrying,
            processor_seconds() - start_};
  }

 private:
  const Simulation& simulation_;
  double start_, steps_ = 0, carried_ = 0, attempts_ = 0, helped_ = 0, newton_ = 0;
};

/// The scene with this method, and steps that follow this accuracy [m].
Scene tried(Scene scene, const MethodChoice& method, double accuracy) {
  scene.method = method;
  AccuracyChoice choice = scene.time.accuracy.value_or(AccuracyChoice{});
  if (!scene.time.accuracy) scene.time.step = scene.time.duration / 20;
  choice.accuracy = accuracy;
  scene.time.accuracy = choice;
  return scene;
}

void scale(State& error, double by) {
  error.q *= by;
  error.v *= by;
}

void scale(CarriedError& error, double by) {
  error.added *= by;
  error.largest *= by;
}

/// The same motion for another method: without history, accelerations and modes. Errors are `by` times as large.
Snapshot for_another_method(Snapshot s, double by) {
  s.history.resize(1);
  s.history[0].a.resize(0);
  s.modes.reset();
  scale(s.error, by);
  scale(s.error_of_contact, by);
  StepControl control;
  control.restore(s.control);
  control.next = control.ratio = control.error_q = control.error_v = 0;
  control.largest *= by;
  control.drawn *= by;
  control.rejected = control.at_shortest = 0;
  scale(control.smooth, by);
  scale(control.touched, by);
  s.control = control.memory();
  return s;
}

/// Energy [J] that a method loses lowers this; loads, damping and friction do not change it.
double balance(const Simulation& s) {
  return s.energies().total() - s.account().put_in() + s.damping_loss() + s.friction_loss();
}

bool touched(const StepRecord& record) {
  return std::any_of(record.substeps.begin(), record.substeps.end(), [](const Substep& s) { return s.touched; });
}

/// Where a leg stands after a step.
struct Mark {
  double t, steps, attempts, slowness, balance;
  Effort effort;
};

}  // namespace

Route find_route(const Scene& scene, const Model& model, double accuracy, int points, double limit,
                 const PilotLeave& may_go_on) {
  MethodChoice method = scene.method;
  method.name = "TR-BDF2";
  method.parameters.clear();
  const Scene rough = tried(scene, method, accuracy);
  Route route;
  route.accuracy = accuracy;
  Simulation simulation = build_simulation(rough, model);
  const Interruptible interruptible(may_go_on);
  Meter meter(simulation);
  const double start = simulation.time(), duration = scene.time.duration;
  const Vector first = simulation.system().full(simulation.state()).q;
  bool enough = false;
  route.stopped = why_stopped([&] {
    for (int k = 0; k < points && !enough; ++k) {
      const double from = start + duration * k / points, to = start + duration * (k + 1) / points;
      if (k > 0 && simulation.is_before(from)) break;
      route.points.push_back({simulation.time(), simulation.snapshot()});
      while (simulation.is_before(to) && !enough) {
        const StepRecord record = simulation.step_to(to);
        meter.add(record);
        route.touched = route.touched || touched(record);
        const Vector moved = simulation.system().full(simulation.state()).q - first;
        route.extent = std::max(route.extent, moved.cwiseAbs().maxCoeff());
        enough = meter.effort().counted > limit || !may_go_on();
      }
    }
  });
  route.end = simulation.time();
  route.in_play = simulation.account().in_play();
  route.attempts = std::lround(meter.attempts());
  route.effort = meter.effort();
  return route;
}

Leg run_leg(const Scene& scene, const Model& model, const Candidate& candidate, const Route& route, std::size_t from,
            std::size_t to, double limit, const PilotLeave& may_go_on) {
  const Scene own = tried(scene, candidate.method, candidate.accuracy);
  const double end = to < route.points.size() ? route.points[to].t : route.end;
  Simulation simulation = build_simulation(own, model);
  simulation.restore(for_another_method(route.points[from].at, candidate.accuracy / route.accuracy));
  const Interruptible interruptible(may_go_on);
  const double order = simulation.method().order;
  const double share_before = simulation.account().share();
  Meter meter(simulation);
  Leg leg;
  std::vector<Mark> marks{{simulation.time(), 0, 0, 0, balance(simulation), {}}};
  leg.failed = why_stopped([&] {
    while (simulation.is_before(end)) {
      Mark mark = marks.back();
      if (mark.steps >= least_steps && mark.effort.counted > limit) break;
      const StepRecord record = simulation.step_to(end);
      meter.add(record);
      const double h = simulation.time() - mark.t, same = record.by_halves ? h / 2 : h;
      mark.t += h;
      ++mark.steps;
      mark.attempts = meter.attempts();
      mark.slowness += h * std::pow(same, -order);
      mark.balance = balance(simulation);
      mark.effort = meter.effort();
      marks.push_back(mark);
    }
  });
  const Mark& last = marks.back();
  const bool whole = !simulation.is_before(end);
  const Mark& settled = whole ? marks.front() : marks[std::min<std::size_t>(settling, (marks.size() - 1) / 2)];
  leg.begin = settled.t - marks.front().t;
  leg.span = last.t - settled.t;
  leg.steps = last.steps - settled.steps;
  leg.attempts = last.attempts - settled.attempts;
  leg.slowness = last.slowness - settled.slowness;
  leg.lost = settled.balance - last.balance;
  leg.effort = {last.effort.counted - settled.effort.counted, last.effort.carrying - settled.effort.carrying,
                last.effort.processor - settled.effort.processor};
  leg.all = meter.effort();
  leg.at_shortest = static_cast<int>(simulation.step_control().at_shortest);
  constexpr double alarming = .1;
  leg.alarmed = simulation.account().share() > std::max(alarming, share_before);
  return leg;
}

}  // namespace limber
