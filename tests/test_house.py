"""The house stays liveable: floors, sizes, no circles, quiet imports, exports that exist."""

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import endonym
from endonym import stages

ROOT = Path(endonym.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
RECORDED = Path(__file__).parent / "stage_sources.json"


def floors() -> dict[str, int]:
    lines = (re.match(r"\s+(\d)  (.+)", line) for line in (endonym.__doc__ or "").splitlines())
    return {name.strip(): int(m[1]) for m in lines if m for name in m[2].split(",")}


def imports(path: Path) -> set[str]:
    """The rooms of this package that a module imports, at its top or within a function; dotted where it names a module."""
    rel = path.relative_to(ROOT)
    package = ["endonym", *rel.parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            full = [*base, *(node.module.split(".") if node.module else [])]
            names = [full] if node.module else [[*full, a.name] if _module([*full, a.name]) else full for a in node.names]
            found |= {".".join(n[1:]) for n in names if len(n) > 1}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("endonym."):
            found.add((node.module or "").removeprefix("endonym."))
    return found


def _module(dotted: list[str]) -> bool:
    path = ROOT.joinpath(*dotted[1:])
    return path.is_dir() or path.with_suffix(".py").exists()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_imports_only_from_floors_below_its_own(path: Path):
    here = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if here.startswith("__"):
        return
    floor = floors()
    assert here in floor, f"{here} stands on no floor: name it in endonym/__init__.py"
    for target in imports(path):
        room = target.split(".")[0]
        assert room == here or floor[room] < floor[here], f"{here} (floor {floor[here]}) imports {room} (floor {floor[room]})"


def test_there_are_no_import_circles():
    graph = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): imports(p) for p in MODULES}
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"a circle: {' → '.join([*above[above.index(name) :], name])}"
        if name in done or name not in graph:
            return
        for target in graph[name]:
            if target != name:
                visit(target, (*above, name))
        done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_and_functions_are_small_and_modules_say_what_they_are(path: Path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) < 300
    assert ast.get_docstring(tree), "no module docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length < 40, f"{node.name} has {length} lines"
        assert not isinstance(node, ast.Assert), "assert is not for users"
        assert not (isinstance(node, ast.ExceptHandler) and node.type is None), "bare except"


def test_import_is_quiet_and_light():
    code = "import endonym, endonym.cli, endonym.ask, sys; print(sorted(m for m in sys.modules if m in HEAVY))"
    heavy = "HEAVY={'torch','numpy','polars','altair','transformers','aiohttp','scipy','rich'};"
    out = subprocess.run([sys.executable, "-c", heavy + code], capture_output=True, text=True, check=True)
    assert (out.stdout.strip(), out.stderr) == ("[]", "")


def test_help_loads_no_verb():
    code = "import sys; from endonym.cli import run; run(['--help']); print([m for m in sys.modules if m.startswith('endonym.')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "['endonym.cli']"


def closure(names: set[str]) -> set[Path]:
    """The modules of its room and the stage's own that its meaning rests on, with the tables of words beside them."""
    found: set[Path] = set()
    todo = list(names)
    while todo:
        path = ROOT / (todo.pop().replace(".", "/") + ".py")
        if path.exists() and path not in found:
            found.add(path)
            todo += [t for t in imports(path) if floors()[t.split(".")[0]] == floors()["build"]]
    return found


def source(do: str) -> str:
    """A hash of what a stage's code says, without comments and docstrings."""
    import hashlib

    module = stages.STAGES[do].partition(":")[0].removeprefix("endonym.")
    paths = closure({module} | ({t.partition(":")[0].removeprefix("endonym.") for t in readers()} if do == "build.read" else set()))
    text = "".join(_bare(p) for p in sorted(paths))
    words = [t.read_text(encoding="utf-8") for t in sorted({t for p in paths for t in p.parent.glob("*.toml")})]
    return hashlib.sha256((text + "".join(words)).encode()).hexdigest()[:16]


def readers() -> list[str]:
    from endonym.build import READERS

    return list(READERS.values())


def _bare(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def test_a_stage_whose_source_changed_has_another_version():
    """After a change that alters what a stage makes: raise VERSION in its module. Then record it: python tests/test_house.py."""
    recorded = json.loads(RECORDED.read_text())
    for do in stages.STAGES:
        now = {"version": stages.version(stages.stage(do)), "source": source(do)}
        assert do in recorded, f"{do} is new: record it with python tests/test_house.py"
        if recorded[do]["source"] != now["source"]:
            assert recorded[do]["version"] != now["version"], f"{do}: its source changed and its VERSION did not"
            raise AssertionError(f"{do}: record its new version with python tests/test_house.py")


@pytest.mark.parametrize("do", stages.STAGES)
def test_a_stage_keeps_the_rule(do: str):
    """Tables are positional and settings are keywords, all of them annotated."""
    import inspect

    code = stages.stage(do)
    functions = [code.write, code.read] if inspect.ismodule(code) else [code]
    for function in functions:
        for name, parameter in inspect.signature(function).parameters.items():
            assert parameter.annotation is not inspect.Parameter.empty, f"{do}: {name} has no annotation"
            keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            assert keyword == (not str(parameter.annotation).split("[")[0].endswith(("Iterable", "Sequence"))), f"{do}: {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_a_module_exports_exists(path: Path):
    name = "endonym." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
    module = importlib.import_module(name.removesuffix(".__init__"))
    for exported in getattr(module, "__all__", []):
        assert hasattr(module, exported)


if __name__ == "__main__":
    now = {do: {"version": stages.version(stages.stage(do)), "source": source(do)} for do in sorted(stages.STAGES)}
    RECORDED.write_text(json.dumps(now, indent=1) + "\n")
