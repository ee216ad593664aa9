#include "bench/beam.hpp"

#include "limber/time/stage_matrix.hpp"

namespace limber::bench {

std::vector<Size> sizes_up_to(std::size_t count, bool quick) { return {sizes, sizes + (quick ? 1 : count)}; }

Scene beam(const std::array<int, 3>& cells, double young, const std::string& method, const std::string& material) {
  Scene scene;
  scene.time = {0.01, 5};
  scene.method.name = method;
  BodyChoice body;
  body.where = "bodies[0]";
  body.name = "beam";
  BoxShape box;
  box.size = {8, 1, 1};
  box.cells = cells;
  body.mesh = box;
  MaterialChoice m;
  m.where = "bodies[0].material";
  m.model = material;
  m.density = 1000;
  m.parameters = {{"young", young}, {"poisson", 0.4}};
  body.materials["default"] = m;
  body.pin = {"bodies[0].pin", {{"bodies[0].pin[0]", Side::left}, {"bodies[0].pin[1]", Side::right}}};
  scene.bodies.push_back(body);
  return scene;
}

Runner::Runner(const Scene& scene, int steps)
    : model_(build_model(scene)), simulation_(build_simulation(scene, model_)) {
  for (int i = 0; i < steps; ++i) simulation_.step();
  before_ = simulation_.linear_counts();
}

SolverCounts Runner::linear() const {
  SolverCounts counts = simulation_.linear_counts();
  counts.factorizations -= before_.factorizations;
  counts.iterations -= before_.iterations;
  return counts;
}

Contestant stepping(const std::string& name, const std::shared_ptr<Runner>& runner, int steps) {
  return {name, [runner] { runner->step(); }, steps};
}

std::string direct_solver() { return make_cholmod_factor() ? "cholmod" : "ldlt"; }

StageMatrix::StageMatrix(const Model& model, double h) {
  auto& system = *model.system;
  Tangent T;
  system.tangent(model.start, Definiteness::exact, T);
  combine(system, T, h, h, A_);
  b_ = system.force(model.start);
  x_ = b_;
  factor_ = make_best_factor(A_, Symmetry::symmetric);
  factor_->analyze(A_);
  rows_ = make_row_matrix(A_, Symmetry::symmetric);
}

void StageMatrix::factor_and_solve() {
  factor_->factorize(A_);
  factor_->solve(b_, x_);
}

void StageMatrix::multiply() { rows_->multiply(b_.data(), x_.data()); }

}  // namespace limber::bench
