"""The core as an engine uses it: installed with CMake, found with find_package, linked without Python."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import mesh_files
import pytest
import specimens

import hitbox
from hitbox._model.mass import mass_properties

ROOT = Path(__file__).parent.parent
PUBLIC = ROOT / "core" / "include"
STRICT = "-Wall -Wextra -Wshadow -Wconversion -Werror"  # an engine may be that strict with our headers
FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def tool(name: str) -> str | None:
    """Look beside this Python first, where `make test` installs it."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


NINJA = tool("ninja")
GENERATOR = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}"] if NINJA else []
pytestmark = [pytest.mark.builds, pytest.mark.skipif(tool("cmake") is None, reason="needs cmake")]


def cmake(*arguments: object) -> None:
    command = [tool("cmake"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def built(source: Path, folder: Path, prefix: Path) -> Path:
    """Build a project that finds hitbox in `prefix`, and return the folder of its programs."""
    cmake("-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *GENERATOR)
    cmake("--build", folder, "--parallel", 2)
    return folder


def output_of(*command: object, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """Build the core, and return the folder where it is installed."""
    prefix, build = tmp_path_factory.mktemp("prefix"), ROOT / "build" / "core"
    # The build is kept, so that only changed files are compiled again.
    cmake("-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", "-DHITBOX_PRECOMPILE=ON", *GENERATOR)
    cmake("--build", build, "--parallel", 2)
    cmake("--install", build, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="module")
def link_core(prefix, tmp_path_factory) -> Path:
    return built(ROOT / "examples" / "link_core", tmp_path_factory.mktemp("link_core"), prefix) / "link_core"


def test_only_public_headers_are_installed(prefix):
    installed = {path.relative_to(prefix / "include") for path in prefix.glob("include/**/*.hpp")}
    assert installed == {path.relative_to(PUBLIC) for path in PUBLIC.rglob("*.hpp")}


def test_another_project_links_the_installed_core(link_core):
    assert (
        output_of(link_core)
        == "box 48.000000 from -1.000000 -2.000000 -3.000000 to 1.000000 2.000000 3.000000\n"
    )


@pytest.fixture(scope="module")
def torus(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("meshes") / "torus.obj"
    mesh = specimens.torus(segments=16, sides=8)
    path.write_bytes(mesh_files.obj(mesh.vertices, specimens.polygons_of(mesh)))
    return path


@pytest.mark.parametrize("count", [None, 5], ids=["tolerance", "count"])
def test_it_finds_the_shapes_that_python_finds(link_core, torus, count):
    expected = []
    for shape in hitbox.fit(torus, count):
        low, high = (" ".join(f"{x:.6f}" for x in end) for end in shape.bounds)
        expected.append(f"{shape.kind} {shape.volume:.6f} from {low} to {high}")
    assert len(expected) > 1
    assert output_of(link_core, torus, *([] if count is None else [count])).splitlines() == expected


def test_it_says_what_is_wrong_with_a_file(link_core, tmp_path):
    path = tmp_path / "cut.obj"
    path.write_text("v 0 0 0\nf 1 2 3\n")
    done = subprocess.run([link_core, path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"link_core: .*cut\.obj: .*\n", done.stderr)


def project(folder: Path, rules: str) -> None:
    folder.joinpath("CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(engine LANGUAGES CXX)\n"
        "set(CMAKE_NO_SYSTEM_FROM_IMPORTED ON)  # so that warnings from our headers count\n"
        f"find_package(hitbox REQUIRED)\nadd_compile_options({STRICT.replace(' ', ';')})\n{rules}"
    )


PROGRAM_PER_FILE = """file(GLOB sources *.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE hitbox::hitbox)
endforeach()
"""


def test_each_public_header_compiles_on_its_own(prefix, tmp_path):
    names = [path.relative_to(PUBLIC).as_posix() for path in sorted(PUBLIC.rglob("*.hpp"))]
    assert len(names) > 20
    for k, name in enumerate(names):
        (tmp_path / f"header_{k}.cpp").write_text(f"#include <{name}>\n#include <{name}>\n")
    project(tmp_path, "file(GLOB sources *.cpp)\nadd_library(headers OBJECT ${sources})\n"
                      "target_link_libraries(headers PRIVATE hitbox::hitbox)\n")  # fmt: skip
    built(tmp_path, tmp_path / "build", prefix)


NUMBERS = """#include <cstdio>
#include <hitbox/hitbox.hpp>

int main(int, char** arguments) {
  const auto print = [](auto... numbers) { (std::printf("%.17g ", static_cast<double>(numbers)), ...); };
  hitbox::Run run;
  const hitbox::Mesh mesh = hitbox::read(arguments[1]).value();
  const auto fitted = hitbox::fit(mesh, {.count = 5}, run);
  const hitbox::EvaluateOptions options{.samples = 5000, .seed = 3, .certify = true};
  const auto found = hitbox::evaluate(mesh, fitted->shapes, options, run);
  for (const auto& each : {found->all_surfaces, found->union_boundary, found->outer_surface})
    print(each.mean, each.hausdorff, each.samples);
  print(found->coverage.outside, found->coverage.largest, found->coverage.mean);
  print(found->diagonal, found->nbytes);
  print(found->volume, found->union_volume.value, found->union_volume.error, found->overlap);
  const auto& bounds = *found->bounds;
  for (const auto& each : {bounds.all_surfaces, bounds.outer_surface, bounds.sticks_out, bounds.mean_all})
    print(each.low, each.high);
  const auto solid = hitbox::mass_properties(mesh, 7, run);
  const auto shapes = hitbox::mass_properties(fitted->shapes, 7, run);
  for (const auto* weighed : {&solid, &shapes}) {
    const hitbox::MassProperties& body = weighed->value();
    print(body.mass, body.center.x, body.center.y, body.center.z);
    for (const double each : body.inertia) print(each);
  }
  for (const hitbox::Sphere& each : hitbox::fit_spheres(mesh, {}, run).value().spheres)
    print(each.center.x, each.center.y, each.center.z, each.radius);
  const auto tree = hitbox::fit_tree(mesh, 20, {}, run);
  for (const hitbox::Shape& each : tree->at(7, run).value().shapes) print(hitbox::volume(each));
}
"""


def numbers_of_python(path: Path) -> list[float]:
    """Return what the program above prints."""
    mesh = hitbox.load(path)
    fitted = hitbox.fit(mesh, 5)
    found = hitbox.evaluate(mesh, fitted, samples=5000, seed=3, certify=True)
    numbers: list[float] = []
    for each in (found.all_surfaces, found.union_boundary, found.outer_surface):
        numbers += [each.mean, each.hausdorff, each.samples]
    coverage, union, bounds = found.coverage, found.union_volume, found.bounds
    numbers += [coverage.outside, coverage.largest, coverage.mean, found.diagonal, found.nbytes]
    numbers += [found.volume, union.value, union.error, found.overlap]
    numbers += [*bounds.all_surfaces, *bounds.outer_surface, *bounds.sticks_out, *bounds.mean_all]
    for body in (mass_properties(mesh, 7), mass_properties(fitted, 7)):
        numbers += [body.mass, *body.center, *body.inertia]
    for sphere in hitbox.fit_spheres(mesh):
        numbers += [*sphere.center, sphere.radius]
    return numbers + [shape.volume for shape in hitbox.fit_tree(mesh, 20).at(7)]


def test_its_numbers_are_those_of_python(prefix, torus, tmp_path):
    (tmp_path / "numbers.cpp").write_text(NUMBERS)
    project(tmp_path, PROGRAM_PER_FILE)
    found = output_of(built(tmp_path, tmp_path / "build", prefix) / "numbers", torus)
    assert list(map(float, found.split())) == pytest.approx(numbers_of_python(torus), rel=1e-11, abs=1e-12)


# An L of three sides of 0.6, 0.2 and 0.25: two boxes of 0.03 and 0.02.
BRACKET = "".join(
    f"v {x} {y} {z}\n"
    for z in (0, 0.25)
    for x, y in ((0, 0), (0.6, 0), (0.6, 0.2), (0.2, 0.2), (0.2, 0.6), (0, 0.6))
) + "f 1 6 5 4 3 2\nf 7 8 9 10 11 12\n" + "".join(
    f"f {k + 1} {(k + 1) % 6 + 1} {(k + 1) % 6 + 7} {k + 7}\n" for k in range(6)
)  # fmt: skip

FUNCTION = """#include <cassert>
#include <cstdio>
#include <cstring>
#include <hitbox/hitbox.hpp>

int main() {
  const hitbox::Mesh mesh = hitbox::read("bracket.obj").value();
  hitbox::Run run;
%s}
"""


def blocks_of(page: Path) -> list[tuple[str, str | None]]:
    """Return each C++ block as a program, and its output if a block of text follows."""
    fences = list(FENCE.finditer(page.read_text(encoding="utf-8")))
    blocks = []
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] != "cpp":
            continue
        says = (
            after is not None and after[1] == "text" and not fence.string[fence.end() : after.start()].strip()
        )
        program = fence[2] if "int main(" in fence[2] else FUNCTION % fence[2]
        blocks.append((program, after[2] if says else None))
    return blocks


def test_the_examples_of_the_page_compile_and_run(prefix, tmp_path):
    blocks = blocks_of(ROOT / "docs" / "cpp.md")
    assert len(blocks) > 8
    for k, (program, _) in enumerate(blocks):
        (tmp_path / f"block_{k}.cpp").write_text(program)
    project(tmp_path, PROGRAM_PER_FILE)
    built(tmp_path, tmp_path / "build", prefix)
    (tmp_path / "bracket.obj").write_text(BRACKET)
    for k, (program, expected) in enumerate(blocks):
        said = output_of(tmp_path / "build" / f"block_{k}", cwd=tmp_path)
        if expected is not None:
            assert said.split() == expected.split(), program


def test_each_verb_of_the_core_has_an_example():
    text = (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8")
    code = "".join(fence[2] for fence in FENCE.finditer(text) if fence[1] == "cpp")
    verbs = set()
    for path in PUBLIC.glob("hitbox/*.hpp"):
        verbs |= set(re.findall(r"^Result<.*> (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert {"fit", "read", "evaluate"} <= verbs
    assert {verb for verb in verbs if f"hitbox::{verb}(" not in code} == set()
