#pragma once  // internal
/// One table for each section of a scene. A row has the key, where its value goes, what may stand there (with quantity
/// and range), one line of text and the default. The reader, docs/scene.schema.json and the tables of docs/scene.md
/// come from it; `make scene-docs` writes the latter two.

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "limber/scene/reader.hpp"

namespace limber {

using SchemaJson = nlohmann::ordered_json;

/// What may stand at a key.
struct Form {
  enum class Kind { number, vector, whole, flag, text, word, points, file, files, run_folder, other };
  Kind kind = Kind::other;
  Quantity quantity = quantity::ratio;
  Range range = {};                      // of a number
  int least = 0;                         // of a whole number
  std::string words = {};                // kind of word in known_words()
  SchemaJson shape = {};                 // of what is none of these, as JSON Schema
  std::vector<SchemaJson> or_else = {};  // what may stand there instead, as JSON Schema; read by hand

  Form or_also(SchemaJson other) const;
  SchemaJson schema() const;
  /// Unit and range for people: " [m], positive".
  std::string allowed() const;
};

namespace form {
Form number(const Quantity& quantity, const Range& range = {});
Form positive(const Quantity& quantity);
Form non_negative(const Quantity& quantity);
Form vector(const Quantity& quantity);
/// Positive lengths, or whole numbers from 1, along so many axes.
Form lengths(int count);
Form counts(int count);
Form whole(int least);
Form flag();
Form text();  // not empty
Form word(const std::string& kind);
/// This word of the kind and no other.
Form only(const std::string& kind, const std::string& word);
Form points();
/// What names files: one, those of a sequence (a pattern or a list), or the folder of a run. These rows are the one
/// list of them (scene_files.hpp); they are read with read_file_name.
Form file();
Form files();
Form run_folder();
/// Lists of so many node numbers each.
Form node_lists(int count);
Form section(const std::string& name);
Form list(const std::string& section, int least = 0);
/// Anything else, as JSON Schema.
Form other(const char* schema);
}  // namespace form

SchemaJson reference(const std::string& definition);

/// The last column of a row: required, or the default in words. Nothing: the member's initial value, if it has one.
/// A single value in backquotes, as in "`1`", is the default of the schema too.
struct Required {};
inline constexpr Required required{};
struct Standard {
  Standard() = default;
  Standard(Required) : is_required(true) {}               // NOLINT: rows are written without its name
  Standard(const char* text) : words(text) {}             // NOLINT
  Standard(std::string text) : words(std::move(text)) {}  // NOLINT
  bool is_required = false;
  std::string words;
};

/// A row, whoever reads it.
struct KnownKey {
  enum class Kind { optional, required };
  KnownKey(std::string key, Form what, std::string line, const Standard& standard = {});
  std::string name;
  Form form;
  std::string text;  // "{}" where unit and range stand; else they follow it
  Kind kind = Kind::optional;
  std::string standard_words;
  std::optional<SchemaJson> standard;  // the default as a value
};

template <class M>
inline constexpr bool is_optional = false;
template <class M>
inline constexpr bool is_optional<std::optional<M>> = true;

template <class M>
void read_value(const JsonCursor& place, const Form& form, M& value) {
  if constexpr (is_optional<M>) {
    read_value(place, form, value.emplace());
  } else if constexpr (std::is_enum_v<M>) {
    value = place.choice<M>(form.words);
  } else if constexpr (std::is_same_v<M, bool>) {
    value = place.boolean();
  } else if constexpr (std::is_integral_v<M>) {
    value = static_cast<M>(place.integer(form.least));
  } else if constexpr (std::is_floating_point_v<M>) {
    value = place.number(form.quantity, form.range);
  } else if constexpr (std::is_same_v<M, Vec3>) {
    value = place.vector(form.quantity);
  } else if constexpr (std::is_same_v<M, std::vector<Vec3>>) {
    value = place.points();
  } else {
    value = form.kind == Form::Kind::word ? place.word(form.words) : place.filled_text();
  }
}

/// A default as JSON; nothing where it is not set.
std::optional<SchemaJson> standard_json(const Form& form, double value);
std::optional<SchemaJson> standard_json(const Form& form, const Vec3& value);
std::optional<SchemaJson> standard_json(const Form& form, const std::string& value);
std::optional<SchemaJson> standard_json(const Form& form, std::size_t word);
template <class M>
std::optional<SchemaJson> standard_of(const Form& form, const M& value) {
  if constexpr (is_optional<M>)
    return value ? standard_of(form, *value) : std::nullopt;
  else if constexpr (std::is_same_v<M, bool>)
    return SchemaJson(value);
  else if constexpr (std::is_enum_v<M>)
    return standard_json(form, static_cast<std::size_t>(value));
  else if constexpr (std::is_arithmetic_v<M>)
    return standard_json(form, static_cast<double>(value));
  else if constexpr (std::is_same_v<M, std::vector<Vec3>>)
    return SchemaJson::array();
  else
    return standard_json(form, value);
}

/// A row with its reader, of a section whose type is not known here: rows of all sections share their code.
struct AnyKey : KnownKey {
  using KnownKey::KnownKey;
  explicit AnyKey(const KnownKey& row) : KnownKey(row) {}
  std::function<void(const JsonCursor&, const Form&, void* section)> read_into;  // none: read by hand
};

/// A row of a section that becomes a T. It has no members of its own.
template <class T>
struct Key : AnyKey {
  using Read = std::function<void(const JsonCursor&, T&)>;
  /// Goes into a member.
  template <class M>
  Key(std::string key, M T::*member, Form what, std::string line, const Standard& given = {})
      : AnyKey(std::move(key), std::move(what), std::move(line), given) {
    read_into = [member](const JsonCursor& c, const Form& shape, void* t) {
      read_value(c, shape, static_cast<T*>(t)->*member);
    };
    if (!standard && !given.is_required && given.words.empty()) standard = standard_of(form, T().*member);
  }
  /// Goes where `read` puts it.
  Key(std::string key, Read read, Form what, std::string line, const Standard& given = {})
      : AnyKey(std::move(key), std::move(what), std::move(line), given) {
    read_into = [put = std::move(read)](const JsonCursor& c, const Form&, void* t) { put(c, *static_cast<T*>(t)); };
  }
  /// Read by hand.
  explicit Key(const KnownKey& row) : AnyKey(row) {}
  Key(std::string key, Form what, std::string line, const Standard& given = {})
      : AnyKey(std::move(key), std::move(what), std::move(line), given) {}
};

/// Rows of a section that becomes a T.
template <class T>
struct Rows {
  Rows() = default;
  Rows(std::initializer_list<Key<T>> rows) : all(rows.begin(), rows.end()) {}
  void add(const Key<T>& row) { all.push_back(row); }
  void add(const Rows& more) { all.insert(all.end(), more.all.begin(), more.all.end()); }
  std::vector<AnyKey> all;
};
template <class T>
Rows<T> joined(Rows<T> rows, const Rows<T>& more) {
  rows.add(more);
  return rows;
}

/// t.member = read(place)
template <class T, class M, class ReadIt>
auto into(M T::*member, ReadIt read) {
  return [=](const JsonCursor& c, T& t) { t.*member = read(c); };
}
/// The same for each element of a list.
template <class T, class M, class ReadIt>
auto each_into(std::vector<M> T::*member, ReadIt read, std::size_t least = 0) {
  return [=](const JsonCursor& c, T& t) {
    for (const JsonCursor& item : c.items(least)) (t.*member).push_back(read(item));
  };
}

struct SectionTable {
  SectionTable(std::string section, std::vector<AnyKey> all_rows,
               std::vector<std::pair<std::string, std::string>> apart = {}, const char* also_schema = "{}");
  /// All rows that are not read by hand, in their order.
  void read_rows(const JsonSection& s, void* section) const;

  std::string name;
  std::vector<AnyKey> rows;
  std::vector<std::pair<std::string, std::string>> exclusive;  // keys that do not go together
  SchemaJson also;                                             // what else the schema demands
};

template <class T>
struct Section : SectionTable {
  Section(std::string section, Rows<T> all_rows, std::vector<std::pair<std::string, std::string>> apart = {},
          const char* also_schema = "{}")
      : SectionTable(std::move(section), std::move(all_rows.all), std::move(apart), also_schema) {}

  void read(const JsonSection& s, T& t) const { read_rows(s, &t); }
  T read(const JsonCursor& place) const {
    T t;
    read(place.section(name), t);
    return t;
  }
};

}  // namespace limber
