#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/io/gmsh_cells.hpp"

namespace limber {
namespace {

/// Both encodings: `integer`, `size` and `real` read a word or bytes, as the header says.
class GmshWords {
 protected:
  GmshWords(const std::string& path, std::string_view text) : in_(path, text) {}

  bool binary() const { return encoding_ == Encoding::binary; }

  int integer(std::string_view expected) {
    return binary() ? in_.raw<std::int32_t>(expected) : in_.small_integer(expected);
  }
  long long size(std::string_view expected) {
    if (!binary()) return in_.integer(expected);
    if (size_bytes_ == 4) return in_.raw<std::uint32_t>(expected);
    const auto n = in_.raw<std::uint64_t>(expected);
    if (n > static_cast<std::uint64_t>(std::numeric_limits<long long>::max()))
      in_.fail(fmt::format("{} is too large for {}", n, expected));
    return static_cast<long long>(n);
  }
  double real(std::string_view expected) {
    return binary() ? in_.finite(in_.raw<double>(expected), expected) : in_.real(expected);
  }
  std::size_t count(std::string_view expected, std::size_t words, std::size_t bytes) {
    return in_.checked_count(size(expected), expected, binary() ? bytes : 2 * words);
  }
  void skip_reals(int n, std::string_view expected) {
    for (int i = 0; i < n; ++i) binary() ? in_.bytes(sizeof(double), expected) : in_.word(expected);
  }
  void open_row(std::string_view expected) {
    if (!binary()) in_.open_row(expected);
  }
  void close_row() {
    if (!binary()) in_.close_row();
  }

  enum class Encoding { ascii, binary };

  Cursor in_;
  Encoding encoding_ = Encoding::ascii;
  int size_bytes_ = 8;
};

/// Both versions.
class GmshReader : private GmshWords {
 public:
  GmshReader(const std::string& path, std::string_view text) : GmshWords(path, text) {}

  SolidMesh read() {
    read_format();
    while (!in_.done()) read_section();
    for (auto& entry : draft_.mesh.fields)
      entry.second.resize(draft_.solids(), std::numeric_limits<double>::quiet_NaN());
    return finished(std::move(draft_), in_.path());
  }

 private:
  void read_format() {
    in_.keyword("$MeshFormat");
    const std::string_view version = in_.word("the version, 2.2 or 4.1");
    if (version != "2.2" && version != "2" && version != "2.1" && version != "4.1")
      in_.fail(fmt::format("Gmsh format version {} is not read, expected 2.2 or 4.1", in_quotes(version)));
    version_ = version[0] - '0';
    const int encoding = in_.small_integer("the file type, 0 (ASCII) or 1 (binary)");
    if (encoding != 0 && encoding != 1)
      in_.fail(fmt::format("found file type {}, expected 0 (ASCII) or 1 (binary)", encoding));
    size_bytes_ = in_.small_integer("the data size, 4 or 8");
    if (size_bytes_ != 8 && !(size_bytes_ == 4 && version_ == 4))
      in_.fail(fmt::format("found data size {}, expected 8", size_bytes_));
    if (encoding == 1) read_byte_order();
    in_.keyword("$EndMeshFormat");
  }

  void read_byte_order() {
    encoding_ = Encoding::binary;
    in_.places_by(Place::byte);
    in_.rest_of_line();
    const auto one = in_.raw<std::int32_t>("the number 1 as four bytes");
    if (one == swapped_bytes(std::int32_t{1}))
      in_.byte_order(ByteOrder::swapped);
    else if (one != 1)
      in_.fail(fmt::format("found {}, expected the number 1 that shows the byte order", one));
  }

  void read_section() {
    const std::string section(in_.word("a section such as $Nodes"));
    if (section.size() < 2 || section[0] != '$' || section.starts_with("$End"))
      in_.fail(fmt::format("found {}, expected a section such as $Nodes or $Elements", in_quotes(section)));
    const std::string end = "$End" + section.substr(1);
    const bool known = section == "$Nodes" || section == "$Elements" || section == "$PhysicalNames" ||
                       (version_ == 4 && (section == "$Entities" || section == "$PartitionedEntities"));
    if (section == "$ElementData" && solid_tags_.size() > 0) {
      read_element_data();
      return in_.skip_past(end);
    }
    if (!known) return in_.skip_past(end);
    if (!sections_.insert(section).second) in_.fail(fmt::format("a second section {}", section));
    if (section == "$PhysicalNames") {
      read_names();
    } else {
      if (binary()) in_.rest_of_line();
      if (section == "$Nodes")
        read_nodes();
      else if (section == "$Elements")
        read_elements();
      else
        read_entities(section == "$Entities" ? Entities::whole : Entities::partitioned);
    }
    in_.keyword(end);
  }

  void read_names() {
    const std::size_t n = in_.count("the number of physical names", 6);
    for (std::size_t i = 0; i < n; ++i) {
      const int dimension = in_.small_integer("the dimension of a physical group");
      const int tag = in_.small_integer("the tag of a physical group");
      const std::string_view rest = in_.rest_of_line();
      const std::size_t open = rest.find('"'), close = rest.rfind('"');
      if (open == std::string_view::npos || open == close)
        in_.fail(fmt::format("found {}, expected a name in double quotes", in_quotes(rest)));
      if (dimension == 3) draft_.mesh.region_names[std::string(rest.substr(open + 1, close - open - 1))] = tag;
    }
  }

  enum class Entities { whole, partitioned };

  void read_entities(Entities kind) {
    if (kind == Entities::partitioned) {
      size("the number of partitions");
      const std::size_t ghosts = count("the number of ghost entities", 2, 8);
      for (std::size_t g = 0; g < 2 * ghosts; ++g) integer("a ghost entity");
    }
    std::size_t n[4];
    for (std::size_t& k : n) k = count("the number of entities", 5, 4);
    for (int dimension = 0; dimension < 4; ++dimension)
      for (std::size_t e = 0; e < n[dimension]; ++e) read_entity(kind, dimension);
  }

  void read_entity(Entities kind, int dimension) {
    const int tag = integer("the tag of an entity");
    if (kind == Entities::partitioned) {
      integer("the dimension of the parent entity");
      integer("the tag of the parent entity");
      skip_integers("the number of partitions of an entity");
    }
    skip_reals(dimension == 0 ? 3 : 6, "the bounding box of an entity");
    const std::size_t groups = count("the number of physical tags", 1, 4);
    for (std::size_t g = 0; g < groups; ++g) {
      const int physical = integer("a physical tag");
      if (g == 0 && dimension == 3) physical_of_volume_[tag] = physical;
    }
    if (dimension > 0) skip_integers("the number of bounding entities");
  }

  void skip_integers(std::string_view expected) {
    const std::size_t n = count(expected, 1, 4);
    for (std::size_t i = 0; i < n; ++i) integer("an entity tag");
  }

  void read_nodes() {
    if (version_ == 2)
      read_nodes_2();
    else
      read_nodes_4();
    if (const long long* twice = tags_.sort()) in_.fail(fmt::format("two nodes have the tag {}", *twice));
  }

  void read_nodes_2() {
    const std::size_t n = in_.count("the number of nodes", 8);
    if (binary()) in_.rest_of_line();
    reserve_nodes(n);
    for (std::size_t i = 0; i < n; ++i) {
      open_row("a node");
      tags_.add(integer("the number of a node"));
      read_point();
      close_row();
    }
  }

  void read_nodes_4() {
    const std::size_t blocks = count("the number of node blocks", 4, 12);
    const std::size_t n = count("the number of nodes", 4, 24);
    size("the smallest node tag");
    size("the largest node tag");
    reserve_nodes(n);
    for (std::size_t b = 0; b < blocks; ++b) {
      const int dimension = integer("the dimension of an entity");
      integer("the tag of an entity");
      const int parametric = integer("0 or 1 (parametric)");
      if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
        in_.fail(fmt::format("found a node block of dimension {} with parametric {}, expected 0 to 3 and 0 or 1",
                             dimension, parametric));
      const std::size_t in_block = count("the number of nodes of a block", 4, 24);
      for (std::size_t i = 0; i < in_block; ++i) tags_.add(size("a node tag"));
      for (std::size_t i = 0; i < in_block; ++i) {
        open_row("a node");
        read_point();
        if (parametric == 1) skip_reals(dimension, "a parametric coordinate");
        close_row();
      }
    }
    if (draft_.mesh.nodes.size() != n)
      in_.fail(fmt::format("the node blocks hold {} nodes, expected {}", draft_.mesh.nodes.size(), n));
  }

  void reserve_nodes(std::size_t n) {
    tags_.reserve(n);
    draft_.mesh.nodes.reserve(n);
  }

  void read_point() {
    Vec3 x;
    for (double& c : x) c = real("a coordinate");
    draft_.mesh.nodes.push_back(x);
  }

  void read_elements() {
    if (sections_.count("$Nodes") == 0) in_.fail("$Elements stands before $Nodes");
    if (version_ == 4)
      read_elements_4();
    else
      read_elements_2();
  }

  void read_elements_2() {
    const std::size_t n = in_.count("the number of elements", 4);
    if (binary()) in_.rest_of_line();
    for (std::size_t done = 0; done < n;) {
      open_row("an element");
      long long number = binary() ? 0 : integer("the number of an element");
      const GmshCell& cell = read_cell_type();
      const int block = binary() ? integer("the number of elements of a block") : 1;
      if (block < 1 || static_cast<std::size_t>(block) > n - done)
        in_.fail(fmt::format("found a block of {} elements, expected 1 to {} (of {} in all)", block, n - done, n));
      const std::size_t tags = in_.checked_count(integer("the number of tags"), "the number of tags", 2);
      for (int i = 0; i < block; ++i) {
        if (binary()) number = integer("the number of an element");
        int region = 0;
        for (std::size_t k = 0; k < tags; ++k) {
          const int tag = integer("a tag");
          if (k == 0 || (k == 1 && region == 0)) region = tag;  // physical, or else elementary
        }
        read_cell(cell, number, region);
      }
      close_row();
      done += static_cast<std::size_t>(block);
    }
  }

  void read_elements_4() {
    const std::size_t blocks = count("the number of element blocks", 4, 12);
    const std::size_t n = count("the number of elements", 2, static_cast<std::size_t>(2 * size_bytes_));
    size("the smallest element tag");
    size("the largest element tag");
    std::size_t done = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      integer("the dimension of an entity");
      const int entity = integer("the tag of an entity");
      const GmshCell& cell = read_cell_type();
      const auto words = static_cast<std::size_t>(1 + cell.nodes);
      const std::size_t in_block = count("the number of elements of a block", words, words * size_bytes_);
      const auto physical = physical_of_volume_.find(entity);
      for (std::size_t i = 0; i < in_block; ++i) {
        open_row("an element");
        const long long number = size("the tag of an element");
        read_cell(cell, number, physical == physical_of_volume_.end() ? entity : physical->second);
        close_row();
      }
      done += in_block;
    }
    if (done != n) in_.fail(fmt::format("the element blocks hold {} elements, expected {}", done, n));
  }

  const GmshCell& read_cell_type() {
    const int type = integer("an element type");
    const GmshCell* cell = gmsh_cell(type);
    if (cell == nullptr) in_.fail(fmt::format("element type {} is not known", type));
    if (cell->curved()) in_.fail(not_linear(fmt::format("element type {} ({})", type, cell->name)));
    return *cell;
  }

  void read_cell(const GmshCell& cell, long long number, int region) {
    nodes_.clear();
    for (int k = 0; k < cell.nodes; ++k) {
      const long long tag = version_ == 4 ? size("a node tag") : integer("a node number");
      nodes_.push_back(tags_.find(tag));
      if (nodes_.back() < 0) fail_unknown_node(tag);
    }
    if (!draft_.add_cell(cell.solid, nodes_)) return;
    draft_.mesh.region.push_back(region);
    solid_tags_.add(number);
  }

  /// Text tags (a name first), real tags, integer tags (step, components, rows, …), then the rows: element, values. Of
  /// several steps the last counts. The tags are text in binary files too.
  void read_element_data() {
    if (const long long* twice = solid_tags_.sort()) in_.fail(fmt::format("two cells have the number {}", *twice));
    std::string name;
    const std::size_t names = in_.count("the number of string tags", 2);
    in_.rest_of_line();
    for (std::size_t i = 0; i < names; ++i) {
      const std::string_view line = in_.rest_of_line();
      const auto open = line.find('"'), close = line.rfind('"');
      if (open == std::string_view::npos || open == close)
        in_.fail(fmt::format("found {}, expected a name in double quotes", in_quotes(line)));
      if (i == 0) name = line.substr(open + 1, close - open - 1);
    }
    const std::size_t reals = in_.count("the number of real tags", 2);
    for (std::size_t i = 0; i < reals; ++i) in_.any_real("a real tag");
    const std::size_t integers = in_.count("the number of integer tags", 2);
    long long tags[3] = {0, 0, 0};
    for (std::size_t i = 0; i < integers; ++i) {
      const long long tag = in_.integer("an integer tag");
      if (i < 3) tags[i] = tag;
    }
    if (name.empty() || tags[1] != 1) return;
    const std::size_t rows = in_.checked_count(tags[2], "the number of rows", binary() ? 12 : 4);
    if (binary()) in_.rest_of_line();
    std::vector<double>& field = draft_.mesh.fields[name];
    field.resize(draft_.solids(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < rows; ++i) {
      open_row("a row of element data");
      const int solid = solid_tags_.find(integer("the number of an element"));
      const double value = binary() ? in_.raw<double>("a value") : in_.any_real("a value");
      if (solid >= 0) field[static_cast<std::size_t>(solid)] = value;
      close_row();
    }
  }

  [[noreturn]] void fail_unknown_node(long long tag) const {
    if (tags_.size() == 0) in_.fail(fmt::format("node {} is named, but the file has no nodes", tag));
    in_.fail(fmt::format("there is no node {}; the file has {} nodes, {} to {}", tag, tags_.size(), tags_.smallest(),
                         tags_.largest()));
  }

  MeshDraft draft_;
  TagMap tags_, solid_tags_;  // of nodes, of tetrahedra or hexahedra
  std::vector<int> nodes_;    // of the present cell
  std::map<int, int> physical_of_volume_;
  std::set<std::string> sections_;
  int version_ = 0;
};

}  // namespace

SolidMesh read_gmsh(const std::string& path, const FileLoader& load) {
  const std::string text = load(path);
  return GmshReader(path, text).read();
}

}  // namespace limber
