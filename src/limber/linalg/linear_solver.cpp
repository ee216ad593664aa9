#include "limber/linalg/linear_solver.hpp"

#include "limber/core/errors.hpp"
#include "limber/linalg/auto_solver.hpp"
#include "limber/linalg/direct_solver.hpp"
#include "limber/linalg/krylov_solver.hpp"

namespace limber {
namespace {

constexpr const char* key = "method.solver";

std::unique_ptr<Factor> cholmod_or_error() {
  if (auto factor = make_cholmod_factor()) return factor;
  throw InputError(key, "\"cholmod\" is not built into this program; use \"auto\", \"ldlt\" or \"pcg\"");
}

std::unique_ptr<LinearSolver> make_symmetric_solver(const std::string& name) {
  constexpr auto symmetric = Symmetry::symmetric;
  if (name == "cholmod") return std::make_unique<DirectSolver>(cholmod_or_error(), symmetric);
  if (name == "ldlt") return std::make_unique<DirectSolver>(make_simplicial_ldlt(), symmetric);
  if (name == "pcg") return std::make_unique<KrylovSolver>(KrylovSolver::Method::pcg, symmetric);
  return nullptr;
}

[[noreturn]] void refuse(const std::string& name) {
  const std::string near = nearest_name(name, linear_solver_names());
  throw InputError(key, "unknown solver \"" + name + "\"" + (near.empty() ? "" : " (did you mean \"" + near + "\"?)") +
                            "; known: " + join(linear_solver_names()));
}

}  // namespace

std::vector<std::string> linear_solver_names() { return {"auto", "cholmod", "ldlt", "pcg", "lu", "gmres"}; }

std::unique_ptr<LinearSolver> make_linear_solver(const std::string& name, Symmetry symmetry) {
  if (name == "auto") return std::make_unique<AutoSolver>(symmetry);
  if (name == "lu") return std::make_unique<DirectSolver>(make_lu_factor(symmetry), symmetry);
  if (name == "gmres") return std::make_unique<KrylovSolver>(KrylovSolver::Method::gmres, symmetry);
  if (name != "cholmod" && name != "ldlt" && name != "pcg") refuse(name);
  if (symmetry == Symmetry::general)
    throw InputError(key, "\"" + name +
                              "\" needs a symmetric matrix, and a force of this scene makes it unsymmetric; "
                              "use auto, lu or gmres");
  return make_symmetric_solver(name);
}

}  // namespace limber
