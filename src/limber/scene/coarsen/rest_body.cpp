#include "limber/scene/coarsen/rest_body.hpp"

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/run/facts.hpp"

namespace limber {
namespace {

constexpr Index further_zeros = 12;  // λ = 0 that hinges may add to rigid motions

}  // namespace

Scene scene_alone(const Scene& scene, int body) {
  Scene alone;
  alone.time = scene.time;
  alone.gravity = Vec3::Zero();
  BodyChoice choice = scene.bodies[ix(body)];
  choice.forces.clear();
  for (auto& entry : choice.materials) entry.second.viscosity = {};
  for (const Script& s : choice.scripts) choice.pin_entries.push_back({s.where, s.nodes, {}, s.held});
  choice.scripts.clear();
  for (PinEntry& pin : choice.pin_entries) pin.until.reset();
  choice.damping = {};
  choice.velocity = choice.angular_velocity = Vec3::Zero();
  alone.bodies = {std::move(choice)};
  return alone;
}

RestBody::RestBody(const Scene& alone) : model(build_model(alone)) {
  Tangent T;
  system().linearize(model.start, Definiteness::exact, T);
  K = std::move(T.K);
}

Matrix RestBody::gather(const Matrix& full) const {
  Matrix x(size(), full.cols());
  for (Index j = 0; j < full.cols(); ++j) x.col(j) = system().map().gather(full.col(j));
  return x;
}

Matrix RestBody::spread(const Matrix& x) const {
  Matrix full(3 * static_cast<Index>(system().nodes()), x.cols());
  for (Index j = 0; j < x.cols(); ++j) full.col(j) = system().spread(x.col(j));
  return full;
}

Matrix RestBody::times_mass(const Matrix& x) const {
  Matrix y(x.rows(), x.cols());
  for (Index j = 0; j < x.cols(); ++j) y.col(j) = system().inertia().apply(x.col(j));
  return y;
}

Matrix RestBody::solve(double shift, const Matrix& F) const {
  SparseMatrix A = K;
  if (shift > 0) A += shift * SparseMatrix(system().inertia().matrix().triangularView<Eigen::Lower>());
  A.makeCompressed();
  const auto factor = make_best_factor(A, Symmetry::symmetric);
  factor->analyze(A);
  if (factor->factorize(A) != SolveReport::Status::ok)
    throw StepFailure("the stiffness at rest is not positive definite");
  Matrix x(F.rows(), F.cols());
  factor->solve(F, x);
  return x;
}

ElasticModes elastic_modes(const RestBody& body, Index count) {
  const Index n = body.size();
  const auto zeros = [](const Modes& m) { return (m.lambda.array() <= 0).count(); };
  const Index loose = body.system().rigid_motions(body.model.start).cols();
  Modes found = scene_modes(body.model, static_cast<int>(std::min(n, count + loose)));
  if (zeros(found) > loose)
    found = scene_modes(body.model, static_cast<int>(std::min(n, count + loose + further_zeros)));
  ElasticModes modes;
  modes.rigid = zeros(found);
  const Index elastic = std::min(count, found.lambda.size() - modes.rigid);
  modes.lambda = found.lambda.segment(modes.rigid, elastic);
  modes.X = found.X.middleCols(modes.rigid, elastic);
  return modes;
}

std::shared_ptr<const LiveBody> placed_alone(const Scene& alone, const Model& model) {
  return LiveBodies(alone, model).at(0, alone.bodies[0]);
}

Matrix mass_loads(const std::vector<Vec3>& nodes, const Vector& masses, const Vec3& centre, double reach) {
  Matrix loads = Matrix::Zero(3 * static_cast<Index>(nodes.size()), 12);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 x = (nodes[i] - centre) / reach;
    const Index row = 3 * static_cast<Index>(i);
    for (Index axis = 0; axis < 3; ++axis) {
      loads(row + axis, axis) = masses[static_cast<Index>(i)];
      for (Index along = 0; along < 3; ++along)
        loads(row + axis, 3 + 3 * along + axis) = masses[static_cast<Index>(i)] * x[along];
    }
  }
  return loads;
}

Vector own_loads(const Scene& scene, int body) {
  Scene alone = scene_alone(scene, body);
  for (LoadChoice load : choices_of<LoadChoice>(scene.bodies[ix(body)].forces)) {
    load.body = 0;
    alone.bodies[0].forces.push_back(std::make_shared<LoadChoice>(std::move(load)));
  }
  if (alone.bodies[0].forces.empty()) return {};
  const Model model = build_model(alone);
  State all = model.system->full(model.start);
  constexpr int instants = 8;
  for (int k = 0; k <= instants; ++k) {
    all.t = scene.time.duration * k / instants;
    Vector f = model.system->full_force(all);
    if (f.lpNorm<Eigen::Infinity>() > 0) return f;
  }
  return {};
}

}  // namespace limber
