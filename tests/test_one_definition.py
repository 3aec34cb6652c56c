"""No type of the core has two definitions in one namespace: a program would use one of them for both.

The linker does not see it, and neither does a compiler that reads one file at a time.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cpp_types import definitions, types_in

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"
# All that one program may link: the tests link the core, and so does the extension.
FILES = sorted(file for folder in (CORE, ROOT / "bindings") for file in folder.rglob("*.[ch]pp"))

pytestmark = pytest.mark.skipif(not CORE.is_dir(), reason="needs the sources")


def test_no_type_is_defined_in_two_files():
    found = definitions(FILES)
    assert len(found) > 200
    twice = {name: [str(file.relative_to(ROOT)) for file in files] for name, files in found.items()}
    assert {name: files for name, files in twice.items() if len(files) > 1} == {}


# The definitions are read from text: the compiler, which reads the same headers, must know no others.
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs GCC, which lists the classes that it has seen")
def test_every_class_that_the_compiler_sees_in_a_header_is_found(tmp_path):
    headers = [file for folder in ("include", "src") for file in sorted((CORE / folder).rglob("*.hpp"))]
    source, listing = tmp_path / "all.cpp", tmp_path / "classes.txt"
    source.write_text("".join(f'#include "{header}"\n' for header in headers), encoding="utf-8")
    folders = ["-I", CORE / "include", "-I", CORE / "src"]
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-fdump-lang-class={listing}", *folders, source]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if "unrecognized" in done.stderr:
        pytest.skip("this g++ is another compiler")
    assert done.returncode == 0, done.stderr
    # Not the instances of templates, nor what is local to a function.
    seen = set(re.findall(r"^Class (hitbox::[\w:]+)$", listing.read_text(), re.MULTILINE))
    assert len(seen) > 150
    assert seen <= set(definitions(headers))


A, B = "namespace hitbox::internal::parts {\n", "}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("struct Piece { int a; };", "struct Piece { double a, b; };"),
        ("struct Piece { int a; };", "class Piece final : public Base<int> { int a; };"),
        ("enum class Piece { one };", "enum class Piece : uint8_t { one, two };"),
        ("union alignas(64) Piece { int a; };", "struct [[nodiscard]] Piece { int a; };"),
        (
            "template <class T> struct Piece { T a; };",
            "template <class T, std::vector<T>* v = nullptr> class Piece {};",
        ),
        ("int f() { return 1; } struct Piece {};", "int f() { struct Piece {}; } struct Piece {};"),
        (
            "struct Piece {};",
            "}  // namespace\nnamespace hitbox { namespace internal::parts { struct Piece {}; }",
        ),
        ("struct Piece {};", "namespace { struct Other {}; } struct Piece {};"),
        ('const char* s = "struct { \\" \'{\' /*"; struct Piece {};', "char c = '{'; struct Piece {}; // }"),
        ("struct Piece {};", "#define OPEN {\nstruct Piece {};"),
        ("struct Piece {};", "for (struct Other o : all) { run(); } struct Piece {};"),
    ],
)
def test_two_definitions_of_a_planted_type_are_found(one, other, tmp_path):
    files = [tmp_path / "one.cpp", tmp_path / "other.hpp"]
    for file, text in zip(files, (one, other), strict=True):
        file.write_text(A + text + "\n" + B, encoding="utf-8")
    twice = {name for name, where in definitions(files).items() if where == files}
    assert twice == {"hitbox::internal::parts::Piece"}


@pytest.mark.parametrize(
    "text",
    [
        "namespace { struct Piece { int a; }; }",
        "namespace hitbox { namespace { struct Piece { struct Inner {}; }; } }",
        "namespace hitbox { void f() { struct Piece {}; auto g = [] { struct Piece {}; }; } }",
        "namespace hitbox { struct Piece; class Piece; enum Piece : int; }",
        "namespace hitbox { struct Piece f(class Piece piece) { return piece; } }",
        "namespace hitbox { template <class Piece> Piece f(Piece piece) { return piece; } }",
        "namespace hitbox { struct Piece piece = {}; struct Piece other{}; }",
        '// struct Piece {\n/* struct Piece {}; */ const char* s = R"(struct Piece {)";',
    ],
)
def test_what_each_file_may_have_of_its_own_is_no_definition(text):
    assert list(types_in(text)) == []


def test_members_and_special_cases_of_a_template_have_names_of_their_own():
    text = (
        "namespace a { struct Outer { enum class Kind { x }; struct Inner; }; struct Outer::Inner {};"
        ' template <> struct Outer<int> {}; } extern "C" { struct Plain {}; }'
    )
    assert list(types_in(text)) == ["a::Outer", "a::Outer::Kind", "a::Outer::Inner", "a::Outer<int>", "Plain"]


def test_braces_that_the_reader_does_not_understand_are_an_error():
    for text in ("namespace a {", "}"):
        with pytest.raises(ValueError, match="brace"):
            list(types_in(text))
