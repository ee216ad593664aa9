#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/io/vtk_cells.hpp"

namespace limber {
namespace {

struct DataType {
  const char* name;
  enum Kind { integer, real } kind;
  std::size_t bytes;
  bool is_signed;
};
constexpr DataType data_types[] = {{"char", DataType::integer, 1, true},
                                   {"signed_char", DataType::integer, 1, true},
                                   {"unsigned_char", DataType::integer, 1, false},
                                   {"short", DataType::integer, 2, true},
                                   {"unsigned_short", DataType::integer, 2, false},
                                   {"int", DataType::integer, 4, true},
                                   {"unsigned_int", DataType::integer, 4, false},
                                   {"long", DataType::integer, 8, true},
                                   {"unsigned_long", DataType::integer, 8, false},
                                   {"vtkidtype", DataType::integer, 4, true},
                                   {"vtktypeint8", DataType::integer, 1, true},
                                   {"vtktypeuint8", DataType::integer, 1, false},
                                   {"vtktypeint16", DataType::integer, 2, true},
                                   {"vtktypeuint16", DataType::integer, 2, false},
                                   {"vtktypeint32", DataType::integer, 4, true},
                                   {"vtktypeuint32", DataType::integer, 4, false},
                                   {"vtktypeint64", DataType::integer, 8, true},
                                   {"vtktypeuint64", DataType::integer, 8, false},
                                   {"float", DataType::real, 4, true},
                                   {"double", DataType::real, 8, true},
                                   {"vtktypefloat32", DataType::real, 4, true},
                                   {"vtktypefloat64", DataType::real, 8, true}};
constexpr DataType plain_int{"int", DataType::integer, 4, true};
constexpr DataType plain_uchar{"unsigned_char", DataType::integer, 1, false};
constexpr DataType plain_float{"float", DataType::real, 4, true};

/// Names have %20 for a space, and the like.
std::string decoded(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    int code = 0;
    const bool coded = name[i] == '%' && i + 2 < name.size() &&
                       std::from_chars(name.data() + i + 1, name.data() + i + 3, code, 16).ptr == name.data() + i + 3;
    plain += coded ? static_cast<char>(code) : name[i];
    if (coded) i += 2;
  }
  return plain;
}

class VtkLegacyReader {
 public:
  VtkLegacyReader(const std::string& path, std::string_view text) : in_(path, text) {}

  SolidMesh read() {
    read_header();
    while (!in_.done()) read_section();
    if (!cell_types_seen_) in_.fail("the file ends, expected CELL_TYPES");
    TetMesh& mesh = cells_.draft.mesh;
    if (!region_.empty())
      for (const std::size_t cell : cells_.cell_of_solid) mesh.region.push_back(region_[cell]);
    for (const auto& [name, values] : values_) cells_.set_field(name, values, 0);
    return finished(std::move(cells_.draft), in_.path());
  }

 private:
  void read_header() {
    const std::string_view first = in_.rest_of_line();
    if (!first.starts_with("# vtk DataFile Version"))
      in_.fail(fmt::format("found {}, expected \"# vtk DataFile Version …\"", in_quotes(first)));
    in_.rest_of_line();
    const std::string encoding = lower(in_.word("ASCII or BINARY"));
    if (encoding == "binary") {
      binary_ = true;
      in_.places_by(Place::byte);
      in_.byte_order(big_endian);
    } else if (encoding != "ascii") {
      in_.fail(fmt::format("found {}, expected ASCII or BINARY", in_quotes(encoding)));
    }
    in_.rest_of_line();
    if (lower(in_.word("DATASET")) != "dataset") in_.fail("expected DATASET UNSTRUCTURED_GRID");
    const std::string_view type = in_.word("UNSTRUCTURED_GRID");
    if (lower(type) != "unstructured_grid")
      in_.fail(fmt::format("found the data set {}, expected UNSTRUCTURED_GRID", in_quotes(type)));
  }

  void read_section() {
    const std::string_view word = in_.word("a section");
    const std::string section = lower(word);
    if (section == "points")
      read_points();
    else if (section == "cells")
      read_cells();
    else if (section == "cell_types")
      read_cell_types();
    else if (section == "cell_data" || section == "point_data")
      begin_data(section);
    else if (section == "scalars")
      read_scalars();
    else if (section == "field")
      read_field();
    else if (section == "metadata")
      skip_metadata();
    else if (!skip_attribute(section))
      in_.fail(fmt::format("found {}, expected a section such as POINTS, CELLS or CELL_DATA", in_quotes(word)));
  }

  DataType read_type() {
    const std::string_view word = in_.word("a data type");
    for (const DataType& t : data_types)
      if (lower(word) == t.name) return t;
    in_.fail(fmt::format("found the data type {}, expected one such as int, float or double", in_quotes(word)));
  }

  /// A count of values of type `t`.
  std::size_t value_count(long long n, std::string_view expected, const DataType& t) const {
    return in_.checked_count(n, expected, binary_ ? t.bytes : 2);
  }
  std::size_t total(std::size_t n, long long components, std::string_view expected, const DataType& t) const {
    if (components < 0 || components > 1000)
      in_.fail(fmt::format("found {} components, expected 0 to 1000", components));
    return value_count(static_cast<long long>(n) * components, expected, t);
  }

  /// Behind the line that announces binary data.
  void begin_values() {
    if (binary_) in_.rest_of_line();
  }

  template <class T>
  long long raw_integer(std::string_view expected) {
    const T x = in_.raw<T>(expected);
    if constexpr (std::is_same_v<T, std::uint64_t>)
      if (x > static_cast<std::uint64_t>(std::numeric_limits<long long>::max()))
        in_.fail(fmt::format("{} is too large for {}", x, expected));
    return static_cast<long long>(x);
  }
  long long read_integer(const DataType& t, std::string_view expected) {
    if (!binary_) return in_.integer(expected);
    switch (t.bytes) {
      case 1:
        return t.is_signed ? raw_integer<std::int8_t>(expected) : raw_integer<std::uint8_t>(expected);
      case 2:
        return t.is_signed ? raw_integer<std::int16_t>(expected) : raw_integer<std::uint16_t>(expected);
      case 4:
        return t.is_signed ? raw_integer<std::int32_t>(expected) : raw_integer<std::uint32_t>(expected);
      default:
        return t.is_signed ? raw_integer<std::int64_t>(expected) : raw_integer<std::uint64_t>(expected);
    }
  }
  double read_any_real(const DataType& t, std::string_view expected) {
    if (!binary_) return in_.any_real(expected);
    if (t.kind == DataType::integer) return static_cast<double>(read_integer(t, expected));
    return t.bytes == 4 ? in_.raw<float>(expected) : in_.raw<double>(expected);
  }
  double read_real(const DataType& t, std::string_view expected) {
    return in_.finite(read_any_real(t, expected), expected);
  }
  std::vector<long long> read_integers(std::size_t n, const DataType& t, std::string_view expected) {
    if (t.kind != DataType::integer) in_.fail(fmt::format("found the data type {}, expected an integer one", t.name));
    std::vector<long long> values(n);
    for (long long& v : values) v = read_integer(t, expected);
    return values;
  }
  void skip_values(std::size_t n, const DataType& t) {
    if (binary_)
      in_.bytes(n * t.bytes, "the values of an array");
    else
      for (std::size_t i = 0; i < n; ++i) in_.word("a value of an array");
  }

  void read_points() {
    const long long announced = in_.integer("the number of points");
    const DataType type = read_type();
    const std::size_t n = in_.checked_count(announced, "the number of points", 3 * (binary_ ? type.bytes : 2));
    begin_values();
    auto& nodes = cells_.draft.mesh.nodes;
    if (!nodes.empty()) in_.fail("a second section POINTS");
    nodes.resize(n);
    for (Vec3& x : nodes)
      for (double& c : x) c = read_real(type, "a coordinate");
  }

  void read_cells() {
    if (!offsets_.empty()) in_.fail("a second section CELLS");
    const long long a = in_.integer("the number of cells"), b = in_.integer("the size of the cell list");
    begin_values();
    if (in_.peek().starts_with("OFFSETS")) return read_cells_with_offsets(a, b);

    const std::size_t n = value_count(a, "the number of cells", plain_int);
    const std::size_t size = value_count(b, "the size of the cell list", plain_int);
    if (size < n) in_.fail(fmt::format("the cell list has {} numbers for {} cells, expected more", size, n));
    offsets_ = {0};
    for (std::size_t cell = 0; cell < n; ++cell) {
      const long long nodes = read_integer(plain_int, "the number of nodes of a cell");
      const long long room = static_cast<long long>(size) - static_cast<long long>(connectivity_.size() + cell + 1);
      if (nodes < 0 || nodes > room)
        in_.fail(fmt::format("cell {} has {} nodes, expected 0 to {}, the rest of the cell list", cell, nodes, room));
      for (long long k = 0; k < nodes; ++k) connectivity_.push_back(read_integer(plain_int, "a node of a cell"));
      offsets_.push_back(static_cast<long long>(connectivity_.size()));
    }
    if (connectivity_.size() + n != size)
      in_.fail(fmt::format("the cells take {} numbers, expected {}", connectivity_.size() + n, size));
  }

  /// VTK 5.1: offsets, one more than cells, and the nodes of all cells.
  void read_cells_with_offsets(long long offsets, long long nodes) {
    in_.keyword("OFFSETS");
    DataType type = read_type();
    const std::size_t n = value_count(offsets, "the number of offsets", type);
    begin_values();
    offsets_ = read_integers(n, type, "an offset");
    in_.keyword("CONNECTIVITY");
    type = read_type();
    const std::size_t size = value_count(nodes, "the size of the connectivity", type);
    begin_values();
    connectivity_ = read_integers(size, type, "a node of a cell");
    if (offsets_.empty() && size == 0) offsets_ = {0};
    if (offsets_.empty() || offsets_.front() != 0 || !std::is_sorted(offsets_.begin(), offsets_.end()) ||
        offsets_.back() != static_cast<long long>(size))
      in_.fail(fmt::format("the offsets must grow from 0 to {}, the size of the connectivity", size));
  }

  void read_cell_types() {
    const std::size_t n = value_count(in_.integer("the number of cell types"), "the number of cell types", plain_int);
    if (cell_types_seen_) in_.fail("a second section CELL_TYPES");
    if (offsets_.empty()) in_.fail("CELL_TYPES stands before CELLS");
    if (n + 1 != offsets_.size())
      in_.fail(fmt::format("found {} cell types, expected {}, one for each cell", n, offsets_.size() - 1));
    begin_values();
    const Fail fail = [this](const std::string& what) { in_.fail(what); };
    for (std::size_t cell = 0; cell < n; ++cell) {
      const long long type = read_integer(plain_int, "a cell type");
      std::span<const long long> nodes(connectivity_.data() + offsets_[cell],
                                       connectivity_.data() + offsets_[cell + 1]);
      std::vector<long long> of_faces;
      if (type == 42) nodes = of_faces = polyhedron_nodes(nodes);
      cells_.add_cell(cell, type, nodes, 0, fail);
    }
    cell_types_seen_ = true;
  }

  /// A polyhedron is a list of faces: #faces, then for each #nodes and its nodes.
  std::vector<long long> polyhedron_nodes(std::span<const long long> stream) const {
    std::vector<long long> nodes;
    for (std::size_t at = 1; at < stream.size();) {
      const long long n = stream[at++];
      if (n < 0 || n > static_cast<long long>(stream.size() - at)) in_.fail("a polyhedron's list of faces is broken");
      nodes.insert(nodes.end(), stream.begin() + at, stream.begin() + at + n);
      at += static_cast<std::size_t>(n);
    }
    return nodes;
  }

  void begin_data(const std::string& section) {
    const std::size_t n = in_.checked_count(in_.integer("the number of values"), "the number of values", 1);
    in_cell_data_ = section == "cell_data";
    const std::size_t expected =
        in_cell_data_ ? std::max<std::size_t>(offsets_.size(), 1) - 1 : cells_.draft.mesh.nodes.size();
    if (n != expected)
      in_.fail(fmt::format("{} {}, expected {}", in_cell_data_ ? "CELL_DATA" : "POINT_DATA", n, expected));
    tuples_ = n;
  }

  void read_scalars() {
    const std::string name = decoded(in_.word("the name of the scalars"));
    const DataType type = read_type();
    const std::string_view rest = in_.rest_of_line();
    long long components = 1;
    if (rest.find_first_not_of(" \t") != std::string_view::npos) {
      Cursor words(in_.path(), rest);
      components = words.integer("the number of components");
    }
    if (lower(in_.peek()) == "lookup_table") {
      in_.word("LOOKUP_TABLE");
      in_.word("the name of a lookup table");
      begin_values();
    }
    read_array(name, tuples_, components, type);
  }

  /// Keeps the values if there is one of each cell.
  void read_array(const std::string& name, std::size_t tuples, long long components, const DataType& type) {
    const std::size_t n = total(tuples, components, "the number of values", type);
    if (!in_cell_data_ || !cell_types_seen_ || components != 1 || tuples != tuples_) return skip_values(n, type);
    const int rank = region_rank(name);
    const bool region = rank >= 0 && type.kind == DataType::integer && (rank_ < 0 || rank < rank_);
    if (!region) {
      std::vector<double> values(n);
      for (double& x : values) x = read_any_real(type, "a value of an array");
      values_[name] = std::move(values);
      return;
    }
    if (rank_ >= 0) values_[region_name_].assign(region_.begin(), region_.end());  // a name that means less
    rank_ = rank;
    region_name_ = name;
    region_.resize(n);
    for (int& r : region_) {
      const long long value = read_integer(type, "a region");
      if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
        in_.fail(fmt::format("region {} is too large", value));
      r = static_cast<int>(value);
    }
  }

  void read_field() {
    in_.word("the name of the field");
    const std::size_t arrays = in_.checked_count(in_.integer("the number of arrays"), "the number of arrays", 2);
    for (std::size_t a = 0; a < arrays; ++a) {
      const std::string name = decoded(in_.word("the name of an array"));
      if (name == "NULL_ARRAY") continue;
      if (name == "METADATA") {  // belongs to the array before it
        skip_metadata();
        --a;
        continue;
      }
      const long long components = in_.integer("the number of components");
      const std::size_t tuples = in_.checked_count(in_.integer("the number of tuples"), "the number of tuples", 1);
      const DataType type = read_type();
      begin_values();
      read_array(name, tuples, components, type);
    }
  }

  void skip_metadata() {
    in_.rest_of_line();
    while (in_.left() > 0 && !in_.rest_of_line().empty()) {
    }
  }

  bool skip_attribute(const std::string& section) {
    long long components = 1;
    std::size_t n = tuples_;
    DataType type = binary_ ? plain_uchar : plain_float;
    if (section == "color_scalars" || section == "lookup_table") {
      in_.word("a name");
      const long long size = in_.integer("the number of components");
      components = section == "lookup_table" ? 4 : size;
      if (section == "lookup_table") n = in_.checked_count(size, "the size of the lookup table", 4);
    } else {
      if (section == "vectors" || section == "normals")
        components = 3;
      else if (section == "tensors")
        components = 9;
      else if (section == "tensors6")
        components = 6;
      else if (section != "texture_coordinates" && section != "global_ids" && section != "pedigree_ids" &&
               section != "edge_flags")
        return false;
      in_.word("the name of the values");
      if (section == "texture_coordinates") components = in_.integer("the dimension");
      type = read_type();
    }
    begin_values();
    skip_values(total(n, components, "the number of values", type), type);
    return true;
  }

  Cursor in_;
  bool binary_ = false, cell_types_seen_ = false, in_cell_data_ = false;
  VtkDraft cells_;
  std::vector<long long> offsets_, connectivity_;  // cell c has the nodes connectivity_[offsets_[c] … offsets_[c+1])
  std::map<std::string, std::vector<double>> values_;  // of all cells, by name; regions left out
  std::vector<int> region_;                            // of all cells, or empty
  std::string region_name_;                            // that region_ came from
  int rank_ = -1;                                      // of that name
  std::size_t tuples_ = 0;                             // of the present CELL_DATA or POINT_DATA
};

}  // namespace

SolidMesh read_vtk_legacy(const std::string& path, const FileLoader& load) {
  const std::string text = load(path);
  return VtkLegacyReader(path, text).read();
}

}  // namespace limber
