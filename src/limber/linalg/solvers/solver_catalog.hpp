#pragma once
/// The one list of linear solvers. Adding one = one row in linear_solver.cpp: names, errors and documents follow.

#include <string>
#include <vector>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

struct LinearSolverInfo {
  std::string name, description;
  Symmetry takes;  // symmetric: no other matrices
};
const std::vector<LinearSolverInfo>& linear_solver_catalog();

}  // namespace limber
