#pragma once  // internal
/// What a coarse element takes over from the fine ones in its place: means by volume of modulus, density and the mesh's
/// fields, and the material of most of the volume.

#include <map>
#include <string>
#include <vector>

#include "limber/mesh/hex_mesh.hpp"
#include "limber/scene/construction/placed_body.hpp"

namespace limber {

struct Transferred {
  std::vector<std::string> material;  // #E, keys of the body's materials
  std::vector<double> young;          // #E [Pa]
  std::vector<double> density;        // #E [kg/m³]
  std::map<std::string, std::vector<double>> fields;
};

/// `fine`: with its materials. `coarse`: in the coordinates of the fine body's mesh. Throws InputError where a material
/// has no Young's modulus that could be changed.
Transferred transfer_materials(const BodyChoice& body, const PlacedBody& fine, const SolidMesh& coarse);

/// The elements of a mesh as linear tetrahedra, one after the other, and how many each has.
struct CutMesh {
  TetMesh tets;
  std::size_t each;
};
CutMesh cut_mesh(const SolidMesh& mesh);

}  // namespace limber
