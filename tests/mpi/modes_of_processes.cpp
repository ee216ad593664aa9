/// Modes that several processes seek together, beside those that one finds of the whole system:
///
///     mpirun -n P modes_of_processes scene.json modes squeeze floor
///
/// At the start of the scene, with x times `squeeze`; whole clusters, of at least so many modes. A floor other than 0
/// is that of λ, relative to the lowest one. Process 0 writes what it finds as JSON.

#include <fmt/format.h>

#include <cstdlib>

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/mode_tracker.hpp"
#include "limber/linalg/modes/shared_modes.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/read.hpp"

namespace limber {
namespace {

struct Whole {
  SparseMatrix K, M;
  Matrix rigid;
};

/// ‖X − Y YᵀMX‖ in M: the sine of the largest angle between what both span.
double angle(const BlockProduct& M, const Matrix& X, const Matrix& Y) {
  Matrix rest = X;
  subtract(Y, inner(Y, M * X), rest);
  return std::sqrt(inner(rest, M * rest).diagonal().maxCoeff());
}

std::string found(const Space& space, const Whole& whole, const Modes& together, const Modes& alone) {
  const Matrix X = gather_rows(space, together.X);
  const bool consistent = space.all(held_rows(space, X) == together.X);
  const BlockProduct K(whole.K), M(whole.M);
  Matrix residual = K * X;
  subtract(M * X, Matrix(together.lambda.asDiagonal()), residual);
  std::uint64_t bits = 14695981039346656037u;
  const auto add = [&](const double* values, Index count) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values);
    for (std::size_t i = 0; i < 8 * static_cast<std::size_t>(count); ++i) bits = (bits ^ bytes[i]) * 1099511628211u;
  };
  add(together.lambda.data(), together.lambda.size());
  add(X.data(), X.size());
  std::string text = R"({"lambda": [)";
  const auto list = [&](const Vector& lambda) {
    for (Index i = 0; i < lambda.size(); ++i) text += fmt::format("{}{:.17g}", i > 0 ? ", " : "", lambda[i]);
  };
  list(together.lambda);
  text += R"(], "alone": [)";
  list(alone.lambda);
  text += fmt::format(R"(], "residual": {}, "orthonormal": {}, "angle": {}, "consistent": {}, "bits": "{:x}")",
                      mode_errors(residual, together.lambda, K.diagonal(), M.diagonal()).maxCoeff(),
                      (inner(X, M * X) - Matrix::Identity(X.cols(), X.cols())).cwiseAbs().maxCoeff(),
                      angle(M, X, alone.X), consistent ? "true" : "false", bits);
  return text;
}

std::string answer(const Communicator& all, const std::string& file, int s, double squeeze, double floor) {
  const Model model = build_model(read_scene(Document::load(file), vocabulary(), "."), {}, all);
  MechanicalSystem& system = *model.system;
  const Space& space = system.space();
  State at = model.start;
  Tangent T;
  const auto squeezed = [&](double factor) {
    at = model.start;
    for (Index i = 0; i < at.q.size(); i += 3) at.q[i] *= factor;
    system.tangent(at, Definiteness::exact, T);
    return Whole{gather_matrix(space, T.K, Symmetry::symmetric),
                 gather_matrix(space, system.mass(), Symmetry::symmetric),
                 gather_rows(space, system.rigid_motions(at))};
  };
  Whole whole = squeezed(squeeze);
  Modes alone = whole_modes(whole.K, whole.M, s, whole.rigid);
  const auto count = static_cast<int>(alone.lambda.size());
  const Matrix rigid = system.rigid_motions(at);
  if (!space.shared()) {
    const Modes modes = lowest_modes(T.K, system.mass(), count, rigid);
    return found(space, whole, modes, alone) + "}";
  }
  std::string text =
      found(space, whole, lowest_modes_together(system.traits().nodes, T.K, system.mass(), count, rigid), alone);

  ModeTracker tracker(s);
  tracker.set_space(space);
  tracker.set_positions(system.traits().nodes.positions);
  if (floor != 0) tracker.set_floor(floor * std::abs(alone.lambda[0]));
  try {
    const Modes first = tracker.from_scratch(T.K, system.mass(), rigid);
    const double error = (first.lambda - alone.lambda).cwiseAbs().maxCoeff();
    // As a step changes it: the modes of before are followed.
    whole = squeezed(squeeze * 1.003);
    const Modes refined = tracker.refine(T.K, system.mass(), system.rigid_motions(at), first, 1e-3);
    alone = whole_modes(whole.K, whole.M, s, whole.rigid);
    text += fmt::format(R"(, "tracked": {}, "refined": )", error) + found(space, whole, refined, alone);
    text += fmt::format(R"(, "from_scratch": {}, "iterations": {}}})", tracker.counts().from_scratch,
                        tracker.counts().iterations);
  } catch (const BelowFloor&) {
    text += R"(, "below_floor": true)";
  }
  return text + "}";
}

}  // namespace
}  // namespace limber

int main(int argc, char** argv) {
  const limber::Processes processes(argc, argv);
  if (argc != 5) {
    fmt::print(stderr, "usage: modes_of_processes scene.json modes squeeze floor\n");
    return 2;
  }
  try {
    const std::string text =
        limber::answer(processes.all(), argv[1], std::atoi(argv[2]), std::atof(argv[3]), std::atof(argv[4]));
    if (processes.all().rank() == 0) fmt::print("{}\n", text);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "process {}: {}\n", processes.all().rank(), e.what());
    processes.abandon(1);
    return 1;
  }
}
