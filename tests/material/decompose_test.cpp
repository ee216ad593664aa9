#include "limber/material/decompose.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "limber/core/types.hpp"

namespace limber {
namespace {

M3<double> plain(const Mat3& F) {
  M3<double> A;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(i, j) = F(i, j);
  return A;
}
Mat3 eigen(const M3<double>& A) {
  Mat3 F;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) F(i, j) = A(i, j);
  return F;
}

class Decompose : public testing::Test {
 protected:
  std::mt19937 generator{3};
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); }
  Mat3 rotation() {
    const double angle = uniform(0, 3);
    const Vec3 axis{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  }
};

TEST_F(Decompose, SvdRebuildsF) {
  for (int trial = 0; trial < 2000; ++trial) {
    Vec3 s{uniform(0, 2), uniform(0, 2), uniform(-2, 2)};
    if (trial % 7 == 1) s[1] = s[0];
    if (trial % 7 == 2) s[2] = 0;
    if (trial % 7 == 3) s[1] = s[2] = 0;
    if (trial % 7 == 4) s[2] *= 1e-10;
    if (trial % 7 == 5) s[1] = -s[2];
    if (trial % 700 == 6) s.setZero();
    const Mat3 F = rotation() * s.asDiagonal() * rotation().transpose();
    const Svd<double> d = svd(plain(F));
    const Mat3 U = eigen(d.U), V = eigen(d.V);
    const Vec3 found(d.s[0], d.s[1], d.s[2]);
    const double tiny = 4e-15 * (1 + s.norm());
    EXPECT_LT((U * found.asDiagonal() * V.transpose() - F).norm(), tiny);
    EXPECT_LT((U.transpose() * U - Mat3::Identity()).norm(), 4e-15);
    EXPECT_LT((V.transpose() * V - Mat3::Identity()).norm(), 1e-14);
    EXPECT_GT(U.determinant(), 0.5);
    EXPECT_GT(V.determinant(), 0.5);
    EXPECT_GE(found[0] - found[1], -tiny);
    EXPECT_GE(found[1] - std::abs(found[2]), -tiny);
    const Vec3 reference = F.jacobiSvd().singularValues();
    EXPECT_LT((found.cwiseAbs() - reference).norm(), tiny);
  }
}

TEST_F(Decompose, PolarIsTheNearestRotation) {
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 s{uniform(0.3, 2), uniform(0.3, 2), trial % 2 ? uniform(0.1, 2) : uniform(-0.2, 2)};
    const Mat3 U = rotation(), V = rotation(), F = U * s.asDiagonal() * V.transpose();
    EXPECT_LT((eigen(polar(plain(F)).R) - U * V.transpose()).norm(), 1e-13) << s.transpose();
  }
}

TEST_F(Decompose, PolarOfNearlySingularMatricesIsARotation) {
  const std::vector<Vec3> stretches = {{0, 0, 0},    {1, 0, 0},    {1, 1e-8, 0},       {1, 1, 0},       {1, 1, -1},
                                       {1, .5, -.5}, {3, 2, -1.9}, {1e-9, 1e-9, 1e-9}, {1, 1e-3, 1e-3}, {1e6, 1, 1}};
  for (const Vec3& s : stretches) {
    const Mat3 F = rotation() * s.asDiagonal() * rotation().transpose();
    const Mat3 R = eigen(polar(plain(F)).R);
    EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-13) << s.transpose();
    EXPECT_GT(R.determinant(), 0.5);
    // No rotation comes nearer to F: R : F is the sum of the signed singular values.
    EXPECT_NEAR(R.cwiseProduct(F).sum(), s.sum(), 1e-13 * (1 + s.norm())) << s.transpose();
  }
}

TEST_F(Decompose, PositivePart) {
  for (int trial = 0; trial < 300; ++trial) {
    Vec3 lambda{uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)};
    if (trial % 5 == 0) lambda[1] = lambda[0];
    const Mat3 Q = rotation(), A = Q * lambda.asDiagonal() * Q.transpose();
    const Mat3 expected = Q * lambda.cwiseMax(0).asDiagonal() * Q.transpose();
    EXPECT_LT((eigen(positive_part(plain(0.5 * (A + A.transpose())))) - expected).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace limber
