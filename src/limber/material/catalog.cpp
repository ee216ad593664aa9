#include "limber/material/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <sstream>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"

namespace limber {
namespace {

struct Row {
  MaterialInfo info;
  void (*complete)(MaterialParameters&);
  AnyMaterial (*make)(const MaterialParameters&);
};

std::vector<std::string> words_of(const char* text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

template <std::size_t n>
std::vector<std::vector<std::string>> sets_of(const std::array<const char*, n>& texts) {
  std::vector<std::vector<std::string>> all;
  for (const char* text : texts) all.push_back(words_of(text));
  return all;
}

template <class... M>
std::vector<Row> rows_of(const std::variant<M...>*) {
  return {Row{{M::name,
               M::description,
               M::formula,
               {M::parameters.begin(), M::parameters.end()},
               sets_of(M::sufficient),
               M::needs_positive_det},
              M::complete,
              [](const MaterialParameters& p) -> AnyMaterial { return M(p); }}...};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = rows_of(static_cast<const AnyMaterial*>(nullptr));
  return all;
}

const Row& find_row(const std::string& model, const std::string& where) {
  std::vector<std::string> names;
  for (const Row& row : rows()) {
    if (same_name(row.info.name, model)) return row;
    names.push_back(row.info.name);
  }
  const std::string near = nearest_name(model, names);
  throw InputError(where + ".model", fmt::format("unknown material \"{}\"{}; the materials are {}", model,
                                                 near.empty() ? "" : " (did you mean \"" + near + "\"?)", join(names)));
}

void require_no_fault(const MaterialParameter& p, double value, const std::string& where) {
  if (const std::string fault = fault_of(p, value); !fault.empty())
    throw InputError(where + "." + p.name, fmt::format("{} {}", value, fault));
}

const MaterialParameter& own_parameter(const MaterialInfo& info, const std::string& key, const std::string& where) {
  for (const MaterialParameter& p : info.parameters)
    if (p.name == key) return p;
  std::vector<std::string> takers;
  for (const Row& row : rows())
    for (const auto& q : row.info.parameters)
      if (q.name == key) takers.push_back(row.info.name);
  const std::string who =
      takers.empty() ? "" : fmt::format("; {} {}", join(takers, " or "), takers.size() > 1 ? "do" : "does");
  throw InputError(fmt::format("{}.{}", where, key), fmt::format("{} does not take {}{}", info.name, key, who));
}

/// One number for a list is a list of one.
void check_own(const MaterialInfo& info, MaterialParameters& p, const std::string& where) {
  for (auto it = p.own.begin(); it != p.own.end();) {
    const MaterialParameter& q = own_parameter(info, it->first, where);
    require_no_fault(q, it->second, where);
    if (q.most > 1) p.lists[it->first] = {it->second};
    it = q.most > 1 ? p.own.erase(it) : std::next(it);
  }
  for (const auto& [key, values] : p.lists) {
    const MaterialParameter& q = own_parameter(info, key, where);
    const std::string path = fmt::format("{}.{}", where, key);
    if (q.most == 1) throw InputError(path, "expected a number, got the list " + in_words(values));
    if (values.empty()) throw InputError(path, "is empty");
    if (values.size() > static_cast<std::size_t>(q.most))
      throw InputError(path, fmt::format("has {} numbers; {} takes at most {}", values.size(), info.name, q.most));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const std::string fault = fault_of(q, values[i]); !fault.empty())
        throw InputError(fmt::format("{}[{}]", path, i), fmt::format("{} {}", values[i], fault));
  }
}

M3<double> plain(const Mat3& F) {
  M3<double> A;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(i, j) = F(i, j);
  return A;
}

Matrix to_matrix(const M9<double>& H) {
  Matrix A(9, 9);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) A(i, j) = H(i, j);
  return A;
}

}  // namespace

const std::vector<MaterialInfo>& material_catalog() {
  static const auto list = [] {
    std::vector<MaterialInfo> all;
    for (const Row& row : rows()) all.push_back(row.info);
    return all;
  }();
  return list;
}

const std::vector<MaterialParameter>& common_material_parameters() {
  static const std::vector<MaterialParameter> both = {{"young", "Pa", 0, unlimited, "", "Young's modulus E"},
                                                      {"poisson", "", -1, 0.5, "", "Poisson's ratio ν"}};
  return both;
}

const MaterialInfo* find_material(const std::string& model) {
  for (const MaterialInfo& info : material_catalog())
    if (same_name(info.name, model)) return &info;
  return nullptr;
}

std::string missing_key(const MaterialInfo& info, const std::function<bool(const std::string&)>& given) {
  std::vector<std::vector<std::string>> ways(1);
  for (const MaterialParameter& p : common_material_parameters()) ways[0].push_back(p.name);
  ways.insert(ways.end(), info.sufficient.begin(), info.sufficient.end());
  const auto lacking = [&](const auto& way) { return std::count_if(way.begin(), way.end(), std::not_fn(given)); };
  const auto best =
      std::min_element(ways.begin(), ways.end(), [&](const auto& a, const auto& b) { return lacking(a) < lacking(b); });
  const auto missing = std::find_if_not(best->begin(), best->end(), given);
  return missing == best->end() ? "" : *missing;
}

std::string fault_of(const MaterialParameter& p, double value) {
  if (!std::isfinite(value)) return "is not finite";
  if (value > p.low && value < p.high) return "";
  return p.low == 0 && p.high == unlimited ? "is not positive" : fmt::format("is outside ({}, {})", p.low, p.high);
}

MaterialParameters complete_parameters(MaterialParameters p, const std::string& where) {
  const Row& row = find_row(p.model, where);
  check_own(row.info, p, where);
  require_no_fault(common_material_parameters()[1], p.poisson, where);
  try {
    row.complete(p);
  } catch (const InputError& e) {
    throw InputError(where + "." + e.where(), e.message());
  }
  require_no_fault(common_material_parameters()[0], p.young, where);
  require_no_fault(common_material_parameters()[1], p.poisson, where);
  return p;
}

AnyMaterial make_material(const MaterialParameters& p, const std::string& where) {
  return find_row(p.model, where).make(complete_parameters(p, where));
}

const char* name(const AnyMaterial& any) {
  return std::visit([]<class M>(const M&) { return M::name; }, any);
}

bool needs_positive_det(const AnyMaterial& any) {
  return std::visit([]<class M>(const M&) { return M::needs_positive_det; }, any);
}

Volumetric volumetric(const AnyMaterial& any) {
  return std::visit([]<class M>(const M&) { return M::volumetric; }, any);
}

AnyMaterial softened(const AnyMaterial& any, double by) {
  return std::visit(
      [&]<class M>(M m) -> AnyMaterial {
        if constexpr (M::volumetric != Volumetric::none) m.soften(by);
        return m;
      },
      any);
}

double energy(const AnyMaterial& any, const Mat3& F) {
  return std::visit([&](const auto& m) { return m.energy(plain(F)); }, any);
}

Mat3 stress(const AnyMaterial& any, const Mat3& F) {
  const M3<double> P = std::visit([&](const auto& m) { return m.stress(plain(F)); }, any);
  Mat3 A;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(i, j) = P(i, j);
  return A;
}

Matrix hessian(const AnyMaterial& any, const Mat3& F) {
  return std::visit([&](const auto& m) { return to_matrix(m.hessian(plain(F))); }, any);
}

Matrix hessian_psd(const AnyMaterial& any, const Mat3& F) {
  return std::visit([&](const auto& m) { return to_matrix(m.hessian_psd(plain(F))); }, any);
}

}  // namespace limber
