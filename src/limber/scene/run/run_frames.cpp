#include "limber/scene/run/run_frames.hpp"

#include <cmath>

#include "limber/core/nodes.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/run.hpp"

namespace limber {

RunFrames::RunFrames(const Scene& scene, const Model& model, const Simulation& simulation, RunFiles& files,
                     Together& processes)
    : scene_(scene),
      model_(model),
      simulation_(simulation),
      files_(files),
      processes_(processes),
      plan_(scene.output, scene.time, model.start.t),
      prescribed_(model.system->prescribed_nodes()) {}

TrajectoryHeader RunFrames::header() const {
  TrajectoryHeader all =
      trajectory_header(model_, scene_.output.velocities ? Velocities::store : Velocities::omit, plan_.frames());
  all.prescribed = prescribed_;
  return all;
}

/// Between two steps; where no step may end there, or the way there passes through something, the state of the nearer
/// step.
State RunFrames::shown(const State& before, double t) const {
  const State& after = simulation_.state();
  State u = between(before, after, t);
  if (u.t == before.t || u.t == after.t) return u;
  model_.straighten(u);
  const auto free = [&](const State& from) { return model_.system->max_step(from.q, u.q - from.q, from.t, u.t) >= 1; };
  if (std::isfinite(energies(*model_.system, u).total()) && (!model_.contact || free(before) || free(after))) return u;
  return t - before.t < after.t - t ? before : after;
}

void RunFrames::write(const State& before) {
  for (; plan_.due(written_, simulation_.step_count(), simulation_.time()); ++written_) {
    const long k = written_;
    const bool exact = simulation_.step_count() == 0;
    const State u = exact ? simulation_.state() : shown(before, plan_.time(k));
    const State all = model_.system->full(u);
    const double t = exact || plan_.at_steps() ? u.t : plan_.time(k);
    const double det = model_.min_det_F(all.q);
    // Forces are those of the stage, for methods that go beyond it.
    const bool at_end = &simulation_.acting() == &simulation_.state();
    const State& acting = at_end ? u : simulation_.acting();
    const Vector held = reactions(acting);
    write_contacts(acting, t);
    gather_state(*model_.system, u, [&](int first, const Vector& q, const Vector& v) {
      processes_.each([&] { files_.trajectory().write_nodes(k, ix(first), q, v); });
    });
    if (files_.here()) processes_.each([&] { files_.trajectory().finish_frame(k, t, det, held); });
  }
}

/// Of all nodes that are prescribed at the start; zero where they have been released.
Vector RunFrames::reactions(const State& u) const {
  const Vector now = limber::reactions(*model_.system, u);
  const auto& nodes = model_.system->prescribed_nodes();
  Vector all = Vector::Zero(3 * static_cast<Index>(prescribed_.size()));
  for (std::size_t i = 0, k = 0; i < prescribed_.size() && k < nodes.size(); ++i)
    if (prescribed_[i] == nodes[k]) block(all, static_cast<int>(i)) = block(now, static_cast<int>(k++));
  return all;
}

void RunFrames::write_contacts(const State& u, double t) {
  if (!files_.here() || !model_.contact) return;
  const auto& names = model_.contact->collisions->scene().objects;
  processes_.each([&] {
    for (const ContactPair& p : contact_pairs(contact_points(*model_.contact, model_.system->full(u))))
      files_.add_contact({t, names[ix(p.objects[0])], names[ix(p.objects[1])], p.collisions, p.smallest_gap,
                          p.normal_force, p.friction_force});
  });
}

}  // namespace limber
