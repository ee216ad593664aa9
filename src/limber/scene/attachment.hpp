#pragma once
/// Springs between nodes of two bodies. nearest: from each node of a to the node of b nearest at the start;
/// order: from the i-th node of a to the i-th of b.

#include <optional>
#include <string>

#include "limber/scene/force_choice.hpp"

namespace limber {

struct AttachmentEnd {
  int body = 0;  // its number
  Selection nodes;
};

struct AttachmentChoice final : ForceChoice {
  std::shared_ptr<Force> make(const ForceNodes& all) const override;
  bool holds(int body) const override { return a.body == body || b.body == body; }
  bool damps() const override { return damping > 0; }

  enum class Pairing { nearest, order } pairing = Pairing::nearest;
  std::string where;
  AttachmentEnd a, b;
  double stiffness = 0;               // [N/m]
  double damping = 0;                 // [N s/m]
  std::optional<double> rest_length;  // [m]; unset: the initial distance
};

}  // namespace limber
