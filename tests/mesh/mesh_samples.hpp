#pragma once
/// The same five tetrahedra (a box cell of 1/3 × 0.1 × π m, even split) in every format and variant. Those in data/
/// were written by meshio 5.0.0; the others are put together here, byte by byte.

#include <map>
#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber::test {

struct Sample {
  std::string label;
  std::string file;                          // the name to read
  std::map<std::string, std::string> files;  // name → contents
  std::vector<int> region;
};

std::vector<Sample> all_samples();
const Sample& sample(const std::string& label);

/// Coordinates as text, with all their digits.
std::string numbers(const Vec3& x);

/// The nodes and tetrahedra that all samples hold.
TetMesh expected_cube();

/// A directory that goes away with the object.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  std::string path(const std::string& name) const { return dir_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string put(const std::string& name, const std::string& contents) const;

 private:
  std::string dir_;
};

std::string file_contents(const std::string& path);

/// The what() of the InputError that reading the file throws; "" if it is read.
std::string reading_error(const std::string& path);

}  // namespace limber::test
