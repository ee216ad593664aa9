#pragma once
/// The writers behind the catalog, a source file each, and where they write to. Each returns the files that it wrote;
/// each file is prepared under another name and then renamed. All throw OutputError.

#include <functional>
#include <string>
#include <vector>

#include "limber/exchange/moving.hpp"

namespace limber {

enum class Numbering { numbered, one_file };  // of formats that take a file for each frame
enum class Large { refused, allowed };

struct ExportTarget {
  std::string path;
  Numbering numbering = Numbering::numbered;
  Large large = Large::refused;
  std::function<void(std::size_t done, std::size_t all)> progress = [](std::size_t, std::size_t) {};

  /// name.ply → name_0007.ply, or as it is where there is one file.
  std::string frame_path(std::size_t frame) const;
  /// name.ply → name.obj
  std::string beside(const std::string& extension) const;
};

using Files = std::vector<std::string>;

/// glTF 2.0, binary: a node and a mesh for each body, the first frame as its shape, and each later frame as a morph
/// target. Throws InputError above 100 MB unless that is allowed, and above 4 GB.
Files export_glb(const MovingSurface& surface, const ExportTarget& target);
/// USD in text: a Mesh for the polygons of each body, BasisCurves for its lines. Times must be evenly spaced.
Files export_usda(const MovingSurface& surface, const ExportTarget& target);
/// Point caches with an .obj beside them, both of the vertices that faces and lines use, in the order of the surface:
/// all bodies are one object, since Blender numbers the vertices of each object anew. For .pc2 times must be evenly
/// spaced.
Files export_pc2(const MovingSurface& surface, const ExportTarget& target);
Files export_mdd(const MovingSurface& surface, const ExportTarget& target);
Files export_obj(const MovingSurface& surface, const ExportTarget& target);
/// Binary, little-endian; texture coordinates where each vertex has one.
Files export_ply(const MovingSurface& surface, const ExportTarget& target);
/// A .vtu for each frame and a .pvd that lists them; without the .pvd where there is one file.
Files export_vtu(const MovingCells& cells, const ExportTarget& target);

/// An OBJ file that is there as a whole or not at all.
void save_obj(const SurfaceMesh& mesh, const std::vector<Vec3>& positions, const std::string& path);

}  // namespace limber
