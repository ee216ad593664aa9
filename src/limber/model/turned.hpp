#pragma once  // internal

#include "limber/model/system.hpp"

namespace limber {

/// Vectors that belong to the positions q0, #n × k, turned as each part has turned from there to q. Commutes with M.
Matrix turned(const System& system, const Vector& q0, const Vector& q, const Matrix& X);

}  // namespace limber
