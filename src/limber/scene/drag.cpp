#include "limber/force/drag.hpp"

#include "limber/scene/force_kinds.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

struct DragChoice final : ForceChoice {
  std::shared_ptr<Force> make(const ForceNodes& all) const override {
    return std::make_shared<Drag>(all.resolve(nodes, body), coefficient);
  }
  bool damps() const override { return true; }

  int body = 0;
  Selection nodes;
  double coefficient = 0;  // [N s/m]
};

const Section<DragChoice>& drag_table() {
  static const Section<DragChoice> table{
      "drag",
      {{"nodes", into(&DragChoice::nodes, read_nodes), form::section("selection"), "a [selection](#selections)",
        required},
       {"coefficient", &DragChoice::coefficient, form::positive(quantity::damping), "of each node", required}}};
  return table;
}

void read_drag(const JsonCursor& list, const ForceOwner& owner, ForceChoices& forces) {
  for (const JsonCursor& place : list.items()) {
    DragChoice drag = drag_table().read(place);
    drag.body = owner.body;
    forces.push_back(std::make_shared<DragChoice>(std::move(drag)));
  }
}

}  // namespace

ForceKind drag_kind() {
  return {ForceKind::Of::body,
          {"drag", form::list("drag"), "a list of nodes that a fluid at rest slows down", "none"},
          {drag_table()},
          read_drag};
}

}  // namespace limber
