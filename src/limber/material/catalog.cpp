#include "limber/material/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"

namespace limber {
namespace {

struct Row {
  MaterialInfo info;
  void (*complete)(MaterialParameters&);
  AnyMaterial (*make)(const MaterialParameters&);
};

template <class... M>
std::vector<Row> rows_of(const std::variant<M...>*) {
  return {Row{{M::name,
               M::description,
               M::formula,
               {M::parameters.begin(), M::parameters.end()},
               M::parameters_suffice,
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

void check_own(const MaterialInfo& info, const MaterialParameters& p, const std::string& where) {
  for (const auto& [given, value] : p.own) {
    const std::string& key = given;  // a lambda cannot capture a structured binding
    const auto& known = info.parameters;
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& q) { return q.name == key; });
    if (found == known.end()) {
      std::vector<std::string> takers;
      for (const Row& row : rows())
        for (const auto& q : row.info.parameters)
          if (q.name == key) takers.push_back(row.info.name);
      const std::string who = takers.empty() ? "" : fmt::format("; {} does", join(takers, " or "));
      throw InputError(fmt::format("{}.{}", where, key), fmt::format("{} does not take {}{}", info.name, key, who));
    }
    require_no_fault(*found, value, where);
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

std::string fault_of(const MaterialParameter& p, double value) {
  if (!std::isfinite(value)) return "is not finite";
  if (value > p.low && value < p.high) return "";
  return p.low == 0 && p.high == unlimited ? "is not positive" : fmt::format("is outside ({}, {})", p.low, p.high);
}

MaterialParameters complete_parameters(MaterialParameters p, const std::string& where) {
  const Row& row = find_row(p.model, where);
  check_own(row.info, p, where);
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
