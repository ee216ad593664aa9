#include "limber/material/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

struct Row {
  MaterialInfo info;
  bool takes_mooney_constants;
  AnyMaterial (*make)(const MaterialParameters&);
};

template <class... M>
std::vector<Row> rows_of(const std::variant<M...>*) {
  return {Row{{M::name, M::description, M::formula},
              M::takes_mooney_constants,
              [](const MaterialParameters& p) -> AnyMaterial { return M(p); }}...};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = rows_of(static_cast<const AnyMaterial*>(nullptr));
  return all;
}

std::string lowered(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

const Row& find_row(const std::string& model, const std::string& where) {
  std::vector<std::string> names;
  for (const Row& row : rows()) {
    if (row.info.name == lowered(model)) return row;
    names.push_back(row.info.name);
  }
  const std::string near = nearest_name(model, names);
  throw InputError(where + ".model", fmt::format("unknown material \"{}\"{}; the materials are {}", model,
                                                 near.empty() ? "" : " (did you mean \"" + near + "\"?)", join(names)));
}

void require_positive(double value, const std::string& where) {
  if (!std::isfinite(value) || value <= 0) throw InputError(where, fmt::format("{} is not a finite number > 0", value));
}

void check_mooney_constants(const MaterialParameters& p, const MooneyRivlin& m, const std::string& where) {
  if (p.bulk) require_positive(*p.bulk, where + ".bulk");
  if (!std::isfinite(m.c10)) throw InputError(where + ".c10", fmt::format("{} is not a finite number", m.c10));
  if (!std::isfinite(m.c01)) throw InputError(where + ".c01", fmt::format("{} is not a finite number", m.c01));
  if (m.c10 + m.c01 <= 0)
    throw InputError(where + (p.c10 ? ".c10" : ".c01"),
                     fmt::format("c10 + c01 = {} must be > 0 (half the shear modulus)", m.c10 + m.c01));
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

std::vector<MaterialInfo> material_catalog() {
  std::vector<MaterialInfo> list;
  for (const Row& row : rows()) list.push_back(row.info);
  return list;
}

AnyMaterial make_material(const MaterialParameters& p, const std::string& where) {
  const Row& row = find_row(p.model, where);
  require_positive(p.young, where + ".young");
  if (!(p.poisson > -1 && p.poisson < 0.5))
    throw InputError(where + ".poisson", fmt::format("{} is outside (-1, 0.5)", p.poisson));
  if (!row.takes_mooney_constants)
    for (const auto& [key, value] : {std::pair{"c10", p.c10}, std::pair{"c01", p.c01}, std::pair{"bulk", p.bulk}})
      if (value)
        throw InputError(where + "." + key, fmt::format("{} does not take {}; mooney_rivlin does", row.info.name, key));
  AnyMaterial m = row.make(p);
  if (const auto* mooney = std::get_if<MooneyRivlin>(&m)) check_mooney_constants(p, *mooney, where);
  return m;
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
