#include "limber/scene/construction/taken_apart.hpp"

namespace limber {

ElementMesh taken_apart(const ElementMesh& mesh) {
  ElementMesh apart{mesh.kind, {}, {}};
  for (const int node : mesh.corners) {
    apart.corners.push_back(static_cast<int>(apart.nodes.size()));
    apart.nodes.push_back(mesh.nodes[static_cast<std::size_t>(node)]);
  }
  return apart;
}

}  // namespace limber
