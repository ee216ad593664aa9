"""tools/structure.py counts what it says, on a small library written here and on this one."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

HEADER = """#pragma once
/// class Ghost { int a; };
namespace limber {
class Forward;
struct Plain { int a, b; double c; };
class Counted final : public Base<int>, private Other {
 public:
  explicit Counted(int n) : n_(n), list_{1, 2}, map_{{1, 2}} { list_.push_back(n); }
  int n() const { return n_; }
  std::function<int(int)> call() const;
  bool operator==(const Counted&) const = default;
  static constexpr int most = 3;
  using Pair = std::pair<int, int>;
  enum class Kind { a, b };
  struct Inner { int x; };
  class Nested {
    int y_ = 0;
  };

 private:
  int n_ = 0;
  std::vector<int> list_;
  std::map<int, std::array<int, 2>> map_ = {{1, {2, 3}}};
  std::function<void(int, int)> work_;  // int not_this_;
  double a_ = f(1, 2), b_{2}, c_[3];
  mutable Pair kept_, found_;
};
}
"""

SOURCE = """#include "limber/time/counted.hpp"
namespace limber {
namespace {
class Hidden {
  int x_;
};
}
std::function<int(int)> Counted::call() const {
  // not a line
  if (system.space().shared()) return {};

  try {
    work_(1, 2);
  } catch (const StepFailure& failure) {
    if (processes().size() > 1 || list_.size() > 1) throw;
  }
  if (failure_of([&] { work_(1, 2); })) return {};
  const char* text = "catch (const StepFailure&) shared()";
  return {};
}
}
"""


def run(*arguments):
    done = subprocess.run([sys.executable, ROOT / "tools/structure.py", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def counts(output):
    return {name.strip(): int(now) for name, now in re.findall(r"^(\w.*?)\s+(\d+) +\d+ +\d+$", output, re.MULTILINE)}


def write(root, name, text):
    path = root / "src/limber" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_small_library(tmp_path):
    write(tmp_path, "time/counted.hpp", HEADER)
    write(tmp_path, "time/counted.cpp", SOURCE)
    write(tmp_path, "linalg/solver.cpp", "class Solver { bool f() { return space.shared(); } };\n")
    status, output, _ = run(tmp_path)
    assert status == 0
    rows = {line.split()[0]: line.split()[1:] for line in output.splitlines() if line.endswith("pp")}
    # n_, list_, map_, work_, a_, b_, c_, kept_, found_; the class has 21 lines, call() 11
    assert rows == {"Counted": ["9", "32", "time/counted.hpp"], "Nested": ["1", "3", "time/counted.hpp"],
                    "Hidden": ["1", "3", "time/counted.cpp"], "Solver": ["0", "1", "linalg/solver.cpp"]}
    assert counts(output) == {"data members of the largest class": 9, "classes with more than 12 data members": 0,
                              "lines of the longest class, with its sources": 32, "classes with more than 300 lines": 0,
                              "mutable members": 2, "places that catch StepFailure": 1, "places with another way (failure_of)": 1,
                              "branches on the number of processes": 2}


def test_a_count_above_its_limit_is_an_error(tmp_path):
    members = "".join(f"  mutable int m{i}_;\n" for i in range(100))
    write(tmp_path, "time/large.hpp", f"class Large {{\n{members}}};\n")
    status, _, said = run("--check", tmp_path)
    assert status == 1
    assert "data members of the largest class: 100, allowed are " in said and "mutable members: 100" in said
    assert run(tmp_path)[0] == 0


def test_this_tree_keeps_its_limits():
    status, output, said = run("--check")
    assert status == 0, said
    assert re.search(r"^[A-Z]\w+ +\d+ +\d+   \w+/.*\.[ch]pp$", output, re.MULTILINE), "no class is listed"


def test_an_empty_tree_is_an_error(tmp_path):
    status, _, said = run(tmp_path)
    assert status == 1 and "no classes" in said
