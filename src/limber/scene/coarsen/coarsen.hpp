#pragma once
/// A scene whose solid bodies are coarse and move like the fine ones: fewer and longer elements, each with a modulus
/// and a density of its own, by which the first frequencies and what loads do at rest are those of the fine body.

#include <functional>
#include <string>
#include <vector>

#include "limber/mesh/hex_mesh.hpp"
#include "limber/scene/document.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

struct CoarsenRequest {
  Document scene;
  std::string base;  // the folder in which its mesh files are looked for
  FileAccess access = {};
  double factor = 2;      // how many times longer the edges become, above 1
  int modes = 6;          // frequencies to keep, 1 to 100
  std::string body = {};  // the name of one; empty: all solids
  /// What has been reached; false: the best so far is taken.
  std::function<bool(const std::string&)> go_on = {};
};

struct CoarseBody {
  std::string name;
  int number = 0;  // in the scene
  SolidMesh mesh;  // with regions and the fields `young` and `density`
  std::size_t elements_before = 0, elements = 0, nodes_before = 0, nodes = 0;
  double mass_before = 0, mass = 0;  // [kg] of the elements
  std::vector<double> fine = {}, before = {},
                      after = {};          // [Hz] elastic; of the coarse mesh with the fine moduli, and with its own
  Vec3 self_weight = Vec3::Ones();         // what its weight along x, y, z does at rest, in parts of the fine body's
  double least_young = 1, most_young = 1;  // in parts of the fine one's
};

struct Coarsened {
  Document scene;  // its coarse meshes stand in it
  std::vector<CoarseBody> bodies;
  std::vector<std::string> notes;
};

/// Throws InputError, and StepFailure where a body has no positive definite stiffness at rest.
Coarsened coarsen(const CoarsenRequest& request);

/// Writes the scene, and its coarse meshes beside it: <name>.<body>.msh. Returns the names of all files. Throws
/// OutputError, and InputError where one is there already, unless it is to be overwritten.
enum class ExistingScene { refuse, overwrite };
std::vector<std::string> write_coarse_scene(const Coarsened& coarse, const std::string& path, ExistingScene existing);

/// The report: bodies, frequencies, moduli, notes.
Document coarsen_report(const Coarsened& coarse);

}  // namespace limber
