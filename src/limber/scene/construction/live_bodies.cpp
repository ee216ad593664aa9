#include "limber/scene/construction/live_bodies.hpp"

namespace limber {
namespace {

void mesh_again(const BodyChoice& choice, const LiveBodies::Fact& fact, LiveBody& live) {
  Body body;
  std::vector<std::string> notes;
  PlacedBody& p = live.placed;
  p.shape = make_shape(choice, notes);
  body.name = choice.name;
  body.first_node = fact.first_node;
  take_shape(choice, body, p);
  if (fact.solid) {
    p.shape.elements.nodes = p.nodes;
    p.materials = body_materials(choice, p.shape);
  } else if (fact.thin) {
    p.thin = made(choice.materials.at("default"));
  }
  take_spring_edges(choice, p, body);
  if (!choice.materials.empty()) weigh(choice, body, p);
  live.body = std::make_shared<const Body>(std::move(body));
}

}  // namespace

LiveBodies::LiveBodies(const Scene& scene, const Model& model) : as_built_(model.bodies.size()) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const bool material = !scene.bodies[b].materials.empty(), tets = body.tets > 0;
    facts_.push_back({body.first_node, material && tets, body.shapes != nullptr, material && !tets});
  }
}

std::shared_ptr<const LiveBody> LiveBodies::at(int b, const BodyChoice& choice) const {
  if (const auto found = changed_.find(b); found != changed_.end()) return found->second;
  return as_built_[ix(b)].at(b, [&](LiveBody& live) { mesh_again(choice, fact(b), live); });
}

}  // namespace limber
