#pragma once
/// The beam of scenes/beam.json at four sizes, soft and stiff: 8 × 1 × 1 m, ν = .4, ρ = 1000 kg/m³, both ends pinned,
/// h = .01 s, gravity.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/turns.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber::bench {

struct Size {
  const char* name;
  std::array<int, 3> cells;
  int steps;    // in a round
  double cost;  // of a step, roughly [s]
};
inline constexpr Size sizes[] = {{"2560", {32, 4, 4}, 20, 0.002},
                                 {"20k", {64, 8, 8}, 5, 0.03},
                                 {"70k", {96, 12, 12}, 4, 0.2},
                                 {"160k", {128, 16, 16}, 3, 0.7}};
/// The first one where it has to be quick.
std::vector<Size> sizes_up_to(std::size_t count, bool quick);

struct Stiffness {
  const char* name;
  double young;  // [Pa]
};
inline constexpr Stiffness stiffnesses[] = {{"soft", 1e5}, {"stiff", 1e8}};

Scene beam(const std::array<int, 3>& cells, double young, const std::string& method,
           const std::string& material = "stable_neo_hookean");

/// Steps that are taken before the clock starts.
inline constexpr int steps_before = 3;

/// A motion in progress with a model of its own, and what it did since it was made.
class Runner {
 public:
  /// `steps` of them are taken at once.
  Runner(const Scene& scene, int steps);
  void step() { newton_ += simulation_.step().newton_iterations; }
  const Model& model() const { return model_; }
  Simulation& simulation() { return simulation_; }
  SolverCounts linear() const;
  long newton() const { return newton_; }

 private:
  Model model_;
  Simulation simulation_;
  long newton_ = 0;
  SolverCounts before_;
};

/// One step of it, as a contestant.
Contestant stepping(const std::string& name, const std::shared_ptr<Runner>& runner, int steps);

/// Name of the direct solver at hand.
std::string direct_solver();

/// A stage matrix M + h²K, its factor and a product with it, at the start of a model.
class StageMatrix {
 public:
  StageMatrix(const Model& model, double h);
  void factor_and_solve();
  void multiply();

 private:
  SparseMatrix A_;
  Vector b_, x_;
  std::unique_ptr<Factor> factor_;
  std::unique_ptr<RowMatrix> rows_;
};

}  // namespace limber::bench
