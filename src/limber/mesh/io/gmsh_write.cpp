#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"

namespace limber {
namespace {

class Bytes {
 public:
  template <class T>
  void put(T x) {
    out_.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void sizes(std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t v : values) put(v);
  }
  void ints(std::initializer_list<std::int32_t> values) {
    for (const std::int32_t v : values) put(v);
  }
  void text(std::string_view s) { out_ += s; }
  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

int region_of(const CellsView& mesh, std::size_t t) { return mesh.region.empty() ? 1 : mesh.region[t]; }

/// One volume for each region, with the region as its physical tag.
void write_entities(Bytes& out, const CellsView& mesh, const std::map<int, std::int32_t>& volume_of_region) {
  const Box3 box = bounding_box(mesh.nodes);
  out.text("$Entities\n");
  out.sizes({0, 0, 0, volume_of_region.size()});
  for (const auto& [region, volume] : volume_of_region) {
    out.put(volume);
    for (const double x : box.min) out.put(x);
    for (const double x : box.max) out.put(x);
    out.sizes({mesh.region.empty() ? 0u : 1u});
    if (!mesh.region.empty()) out.put(std::int32_t{region});
    out.sizes({0});
  }
  out.text("\n$EndEntities\n");
}

void write_nodes(Bytes& out, const CellsView& mesh) {
  const std::uint64_t n = mesh.nodes.size();
  out.text("$Nodes\n");
  out.sizes({1, n, 1, n});
  out.ints({3, 1, 0});
  out.sizes({n});
  for (std::uint64_t i = 1; i <= n; ++i) out.put(i);
  for (const Vec3& x : mesh.nodes)
    for (const double c : x) out.put(c);
  out.text("\n$EndNodes\n");
}

/// A block for each run of cells of one region, which keeps their order.
void write_elements(Bytes& out, const CellsView& mesh, const std::map<int, std::int32_t>& volume_of_region) {
  const std::size_t n = mesh.count();
  std::vector<std::size_t> starts;
  for (std::size_t t = 0; t < n; ++t)
    if (t == 0 || region_of(mesh, t) != region_of(mesh, t - 1)) starts.push_back(t);
  out.text("$Elements\n");
  out.sizes({starts.size(), n, 1, n});
  starts.push_back(n);
  for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
    out.ints({3, volume_of_region.at(region_of(mesh, starts[b])), mesh.type(4, 5)});
    out.sizes({starts[b + 1] - starts[b]});
    for (std::size_t t = starts[b]; t < starts[b + 1]; ++t) {
      out.put(std::uint64_t{t + 1});
      for (const int i : mesh.cell(t)) out.put(static_cast<std::uint64_t>(i) + 1);
    }
  }
  out.text("\n$EndElements\n");
}

void write_field(Bytes& out, const std::string& name, const std::vector<double>& values) {
  out.text(fmt::format("$ElementData\n1\n\"{}\"\n1\n0\n3\n0\n1\n{}\n", name, values.size()));
  for (std::size_t t = 0; t < values.size(); ++t) {
    out.put(static_cast<std::int32_t>(t + 1));
    out.put(values[t]);
  }
  out.text("\n$EndElementData\n");
}

}  // namespace

void write_gmsh(const CellsView& mesh, const std::string& path) {
  std::map<int, std::int32_t> volume_of_region;
  for (std::size_t t = 0; t < mesh.count(); ++t) volume_of_region[region_of(mesh, t)];
  std::int32_t volumes = 0;
  for (auto& entry : volume_of_region) entry.second = ++volumes;

  Bytes out;
  out.text("$MeshFormat\n4.1 1 8\n");
  out.put(std::int32_t{1});
  out.text("\n$EndMeshFormat\n");
  if (!mesh.region_names.empty()) {
    out.text(fmt::format("$PhysicalNames\n{}\n", mesh.region_names.size()));
    for (const auto& [name, tag] : mesh.region_names) out.text(fmt::format("3 {} \"{}\"\n", tag, name));
    out.text("$EndPhysicalNames\n");
  }
  write_entities(out, mesh, volume_of_region);
  write_nodes(out, mesh);
  write_elements(out, mesh, volume_of_region);
  for (const auto& [name, values] : mesh.fields) write_field(out, name, values);
  save_file(path, out.str());
}

}  // namespace limber
