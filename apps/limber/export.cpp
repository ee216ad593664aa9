#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/exchange/catalog.hpp"
#include "limber/movie/export_run.hpp"

namespace limber::app {
namespace {

struct ExportArguments {
  std::string directory, output;
  long frame = -1;  // −1: all
  long every = 1;
  double fps = 0;  // 0: as stored
  bool large = false, json = false;
};

int export_report(const ExportArguments& a, const ExportFacts& facts) {
  const bool cells = facts.what == ExportFacts::What::cells;
  const char *points = cells ? "nodes" : "vertices", *faces = cells ? "cells" : "faces";
  if (a.json) {
    const nlohmann::json j{{"files", facts.files},
                           {"frames", facts.frames},
                           {"notes", facts.notes},
                           {points, facts.points},
                           {faces, facts.faces}};
    write_text("", j.dump() + "\n");
    return 0;
  }
  const Files& files = facts.files;
  std::string text = files.front() +
                     (files.size() > 2   ? " to "
                      : files.size() > 1 ? " and "
                                         : "") +
                     (files.size() > 1 ? files.back() : "");
  text += fmt::format(": {}", facts.frames == 1 ? "1 frame" : fmt::format("{} frames", facts.frames));
  text += cells ? fmt::format(", {} cells, {} nodes\n", facts.faces, facts.points)
                : fmt::format(", {} faces, {} vertices\n", facts.faces, facts.points);
  for (const std::string& note : facts.notes) text += note + "\n";
  write_text("", text);
  return 0;
}

int export_command(const ExportArguments& a) {
  TimeLeft left;
  ExportOptions options{a.frame, a.every, a.fps, a.large ? Large::allowed : Large::refused};
  options.progress = [&left](double done) { left.show(done, fmt::format("{:.0f} %", 100 * done)); };
  return export_report(a, export_run(a.directory, a.output, options));
}

std::string export_footer() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats())
    text += fmt::format("  {:<7}{}\n", format.extension, format.description);
  return text +
         "\nExample:\n"
         "  limber export out/bunny -o bunny.glb --fps 30      one file that plays\n"
         "  limber export out/bunny -o bunny.pc2               bunny.pc2 and bunny.obj, for Blender's Mesh Cache\n"
         "  limber export out/bunny -o bunny.obj               bunny_0000.obj, bunny_0001.obj, ...\n"
         "  limber export out/bunny -o last.obj --frame 50     one frame\n"
         "  limber export out/bunny -o bunny.pvd --every 10    bunny.pvd, bunny_0000.vtu, ... for ParaView\n\n"
         "A body that was made from a surface appears as that surface: its polygons, texture coordinates and names, "
         "moved\n"
         "with the body. Others appear as the boundary of their tetrahedra, their triangles or their lines. y is up.";
}

}  // namespace

void add_export(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("export", "Write the motion of a run for Blender, ParaView and others");
  command->footer(export_footer());
  auto a = std::make_shared<ExportArguments>();
  command->add_option("directory", a->directory, "Directory of a run")->required();
  command->add_option("-o,--output", a->output, "File to write; its extension is the format, see below")->required();
  auto* frame = command->add_option("--frame", a->frame, "Only this frame, from 0, without a number in the name")
                    ->check(CLI::NonNegativeNumber);
  auto* every = command->add_option("--every", a->every, "Every Nth stored frame")
                    ->check(CLI::Range(1L, 1000000000L))
                    ->excludes(frame);
  command->add_option("--fps", a->fps, "Frames for each second of simulated time (those that are stored)")
      ->check(CLI::Range(1e-3, 1e6))
      ->excludes(frame)
      ->excludes(every);
  command->add_flag("--large", a->large, "Allow a .glb of more than 100 MB");
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([=, &action] { action = [a] { return export_command(*a); }; });
}

}  // namespace limber::app
