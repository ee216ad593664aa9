#include "limber/scene/section.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/scene/schema.hpp"

namespace limber {
namespace {

/// Whole numbers without a point.
SchemaJson plain_number(double x) {
  if (x == std::floor(x) && std::abs(x) < 1e15) return static_cast<std::int64_t>(x);
  return x;
}

SchemaJson number_schema(const Range& r) {
  if (r == ranges::any) return reference("quantity");
  if (r == ranges::positive) return reference("positive");
  if (r == ranges::non_negative) return reference("non_negative");
  SchemaJson number{{"type", "number"}};
  if (std::isfinite(r.low)) number[r.ends == Range::Ends::open ? "exclusiveMinimum" : "minimum"] = plain_number(r.low);
  if (std::isfinite(r.high))
    number[r.ends == Range::Ends::closed ? "maximum" : "exclusiveMaximum"] = plain_number(r.high);
  return {{"anyOf", {number, reference("with_unit")}}};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string unit_text(const Quantity& quantity) {
  return replaced(replaced(replaced(quantity.unit, "^2", "²"), "^3", "³"), "*", " ");
}

std::string number_text(double x) { return replaced(fmt::format("{:.4g}", x), "-", "−"); }

std::string range_text(const Range& r) {
  if (r == ranges::any) return "";
  if (r == ranges::positive) return ", positive";
  if (r == ranges::non_negative) return ", zero or more";
  return fmt::format(", in {}{}, {}{}", r.ends == Range::Ends::open ? '(' : '[', number_text(r.low),
                     number_text(r.high), r.ends == Range::Ends::closed ? ']' : ')');
}

SchemaJson tuple(SchemaJson items, int count) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", count}, {"maxItems", count}};
}

Form of_shape(SchemaJson shape, const Quantity& quantity = quantity::ratio) {
  return {.quantity = quantity, .shape = std::move(shape)};
}

}  // namespace

SchemaJson reference(const std::string& definition) { return {{"$ref", "#/$defs/" + definition}}; }

Form Form::or_also(SchemaJson other) const {
  Form both = *this;
  both.or_else.push_back(std::move(other));
  return both;
}

SchemaJson Form::schema() const {
  SchemaJson s;
  switch (kind) {
    case Kind::number:
      s = number_schema(range);
      break;
    case Kind::vector:
      s = reference("vector");
      break;
    case Kind::whole:
      s = {{"type", "integer"}, {"minimum", least}};
      break;
    case Kind::flag:
      s = {{"type", "boolean"}};
      break;
    case Kind::text:
    case Kind::file:
    case Kind::run_folder:
      s = {{"type", "string"}, {"minLength", 1}};
      break;
    case Kind::files:
      s = {{"oneOf",
            {{{"type", "string"}, {"pattern", "[*?]"}},
             {{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}, {"minItems", 2}}}}};
      break;
    case Kind::word:
      s = reference(words);
      break;
    case Kind::points:
      s = reference("points");
      break;
    case Kind::other:
      s = shape;
      break;
  }
  if (or_else.empty()) return s;
  SchemaJson all = s.contains("anyOf") ? s["anyOf"] : SchemaJson::array({s});
  for (const SchemaJson& other : or_else) all.push_back(other);
  return {{"anyOf", all}};
}

std::string Form::allowed() const {
  std::string text = unit_text(quantity).empty() ? "" : " [" + unit_text(quantity) + "]";
  if (kind == Kind::number) text += range_text(range);
  if (kind == Kind::whole && least > 0) text += fmt::format(", at least {}", least);
  return text;
}

namespace form {

Form number(const Quantity& quantity, const Range& range) {
  return {.kind = Form::Kind::number, .quantity = quantity, .range = range};
}
Form positive(const Quantity& quantity) { return number(quantity, ranges::positive); }
Form non_negative(const Quantity& quantity) { return number(quantity, ranges::non_negative); }
Form vector(const Quantity& quantity) { return {.kind = Form::Kind::vector, .quantity = quantity}; }
Form lengths(int count) { return of_shape(tuple(reference("positive"), count), quantity::length); }
Form counts(int count) { return of_shape(tuple({{"type", "integer"}, {"minimum", 1}}, count)); }
Form whole(int least) { return {.kind = Form::Kind::whole, .least = least}; }
Form flag() { return {.kind = Form::Kind::flag}; }
Form text() { return {.kind = Form::Kind::text}; }
Form word(const std::string& kind) { return {.kind = Form::Kind::word, .words = kind}; }
Form only(const std::string& kind, const std::string& word) {
  SchemaJson shape = reference(kind);
  shape["const"] = word;
  return of_shape(shape);
}
Form file() { return {.kind = Form::Kind::file}; }
Form files() { return {.kind = Form::Kind::files}; }
Form run_folder() { return {.kind = Form::Kind::run_folder}; }
Form points() { return {.kind = Form::Kind::points, .quantity = quantity::length}; }
Form node_lists(int count) {
  return of_shape({{"type", "array"}, {"minItems", 1}, {"items", tuple(reference("node"), count)}});
}
Form section(const std::string& name) { return of_shape(reference(name)); }
Form list(const std::string& section, int least) {
  SchemaJson shape{{"type", "array"}, {"items", reference(section)}};
  if (least > 0) shape["minItems"] = least;
  return of_shape(shape);
}
Form other(const char* schema) { return of_shape(SchemaJson::parse(schema)); }

}  // namespace form

KnownKey::KnownKey(std::string key, Form what, std::string line, const Standard& given)
    : name(std::move(key)),
      form(std::move(what)),
      text(std::move(line)),
      kind(given.is_required ? Kind::required : Kind::optional),
      standard_words(given.words) {
  const std::string& w = standard_words;
  if (w.size() < 2 || w.front() != '`' || w.find('`', 1) != w.size() - 1) return;
  const auto value = SchemaJson::parse(w.substr(1, w.size() - 2), nullptr, false);
  if (!value.is_discarded()) standard = value;
}

std::optional<SchemaJson> standard_json(const Form&, double value) { return plain_number(value); }

std::optional<SchemaJson> standard_json(const Form&, const Vec3& value) {
  return SchemaJson::array({plain_number(value[0]), plain_number(value[1]), plain_number(value[2])});
}

std::optional<SchemaJson> standard_json(const Form&, const std::string& value) {
  if (value.empty()) return std::nullopt;
  return SchemaJson(value);
}

std::optional<SchemaJson> standard_json(const Form& form, std::size_t word) {
  return SchemaJson(known_words().at(form.words).at(word));
}

SectionTable::SectionTable(std::string section, std::vector<AnyKey> all_rows,
                           std::vector<std::pair<std::string, std::string>> apart, const char* also_schema)
    : name(std::move(section)),
      rows(std::move(all_rows)),
      exclusive(std::move(apart)),
      also(SchemaJson::parse(also_schema)) {}

void SectionTable::read_rows(const JsonSection& s, void* section) const {
  for (const AnyKey& row : rows)
    if (row.read_into)
      if (const auto c = s.find(row.name.c_str())) row.read_into(*c, row.form, section);
}

}  // namespace limber
