#pragma once
/// A force that a scene asks for, as it was read, and how it is made of it. A kind of force is one file with its table,
/// its reader and its maker, and one row in force_kinds.hpp.

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "limber/mesh/element_faces.hpp"
#include "limber/model/force.hpp"
#include "limber/scene/selection.hpp"

namespace limber {

/// The nodes that forces act on.
struct ForceNodes {
  struct Body {
    enum class Kind { solid, sheet };
    const std::vector<Vec3>& meshed;                             // before placement: what selections refer to [m]
    const std::vector<Vec3>& placed;                             // [m]
    int first = 0;                                               // its first number among all nodes
    std::function<std::vector<std::array<int, 3>>()> triangles;  // its outside, in its own numbering
    std::function<FaceMesh()> faces;                             // the same as faces of its elements
    std::vector<int> fixed;                                      // nodes that never move, in its own numbering
    Kind kind = Kind::solid;                                     // sheet: it has triangles and no elements
  };
  std::vector<Body> bodies;
  const Vector& positions;  // 3N [m], of all nodes, placed

  /// The numbers among all nodes of those that are selected on a body.
  std::vector<int> resolve(const Selection& selection, int body) const;
};

class ForceChoice {
 public:
  virtual ~ForceChoice() = default;
  virtual std::shared_ptr<Force> make(const ForceNodes& nodes) const = 0;
  /// Whether it keeps a body from going its way.
  virtual bool holds(int /*body*/) const { return false; }
  /// Times [s] at which the force or its rate may jump.
  virtual std::vector<double> key_times() const { return {}; }
  virtual bool damps() const { return false; }
};

using ForceChoices = std::vector<std::shared_ptr<const ForceChoice>>;

/// Those of one kind.
template <class Kind>
std::vector<Kind> choices_of(const ForceChoices& forces) {
  std::vector<Kind> all;
  for (const auto& force : forces)
    if (const auto* one = dynamic_cast<const Kind*>(force.get())) all.push_back(*one);
  return all;
}

}  // namespace limber
