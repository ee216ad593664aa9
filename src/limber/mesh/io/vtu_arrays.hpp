#pragma once  // internal
/// The data arrays of a VTK XML file: text, base64 inside the element, or a position in the appended section. The bytes
/// are [length | data], or with zlib [#blocks, size, last size, packed sizes… | blocks].

#include <limits>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "limber/mesh/io/cursor.hpp"

namespace limber {

class VtuFile {
 public:
  /// Throws InputError unless `text` is XML with a VTKFile of type UnstructuredGrid. `text` must outlive this.
  VtuFile(std::string path, std::string_view text);

  pugi::xml_node grid() const { return grid_; }
  /// A count given as an attribute, 0 to `largest`.
  long long count(pugi::xml_node node, const char* attribute,
                  long long largest = std::numeric_limits<int>::max()) const;
  /// Whether a DataArray has numbers with one component.
  bool is_scalar(pugi::xml_node array) const;
  /// The `n` values of a DataArray. In text, values of `reals` must be finite, those of `any_reals` need not.
  std::vector<double> reals(pugi::xml_node array, std::size_t n) const { return values<double>(array, n); }
  std::vector<double> any_reals(pugi::xml_node array, std::size_t n) const {
    return values<double>(array, n, Reals::any);
  }
  std::vector<long long> integers(pugi::xml_node array, std::size_t n) const { return values<long long>(array, n); }

  /// Throws InputError with the line of `node`.
  [[noreturn]] void fail(pugi::xml_node node, const std::string& what) const;

 private:
  enum class Coding { raw, base64 };
  enum class Reals { finite, any };
  struct Stream {
    std::string_view text;
    Coding coding;
    std::size_t capacity() const { return coding == Coding::raw ? text.size() : text.size() / 4 * 3 + 3; }
    std::string first(std::size_t n) const;
  };

  void cut_appended();
  template <class T>
  std::vector<T> values(pugi::xml_node array, std::size_t n, Reals reals = Reals::finite) const;
  template <class T>
  std::vector<T> ascii_values(pugi::xml_node array, std::size_t n, Reals reals) const;
  template <class T>
  std::vector<T> unpacked(pugi::xml_node array, const std::string& bytes, std::size_t n) const;
  std::size_t value_size(pugi::xml_node array) const;
  Stream stream(pugi::xml_node array) const;
  std::string payload(pugi::xml_node array, std::size_t expected_bytes) const;
  std::string inflated(pugi::xml_node array, const Stream& in, std::size_t expected_bytes) const;
  std::string first(pugi::xml_node array, const Stream& in, std::size_t n) const;
  std::size_t header_number(const std::string& bytes, std::size_t i) const;

  std::string path_;
  std::string_view text_;
  std::string xml_;            // text_ without the appended data; identical up to there
  std::string_view appended_;  // after the underscore
  pugi::xml_document document_;
  pugi::xml_node grid_;
  ByteOrder order_ = little_endian;
  Coding appended_coding_ = Coding::base64;
  std::size_t header_bytes_ = 4;
  bool compressed_ = false;
};

}  // namespace limber
