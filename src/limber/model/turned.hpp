#pragma once  // internal

#include "limber/model/system.hpp"

namespace limber {

/// Turns vectors that belong to the positions q0 (#n × k) as each part has turned from q0 to q. Commutes with M.
Matrix turned(const System& system, const Vector& q0, const Vector& q, const Matrix& X);

}  // namespace limber
