"""``endonym new``: a workspace made from a recipe that comes with the package, ready for ``endonym run``.

In: a recipe, a language, a country, and who writes, judges, answers and reviews. Out: a folder with ``recipe.toml``, the prompts, the
regions, the guidelines and ``sources/``. The one thing to know: everything that a group may want to change is copied, so that the
workspace says by itself what was done; a recipe's ``"@writer"`` and its like are the places that are filled here.
"""

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from .. import benchmarks, store
from ..errors import InputError, UnknownName
from ..kitchen import file_name
from ..models import provider
from ..records import Model
from . import common

HEAD = "file,title,lang,place,topic,licence,url,note\n"
SHEET = "review.csv"


class About(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a recipe was made for: ``lang`` (BCP 47) and ``places`` (ISO 3166-1)."""

    title: str
    lang: str
    places: str


class Cast(msgspec.Struct, frozen=True, kw_only=True):
    """Who does what in a workspace."""

    writers: tuple[Model, ...]
    judges: tuple[Model, ...]
    panel: tuple[Model, ...]
    reviewers: tuple[Model, ...]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--recipe", "name", default="carte", show_default=True, metavar="NAME", help="Which recipe; --recipe help lists them.")
@click.option("--lang", default="", metavar="LANG", help="Language of the questions (fr), or a file of prompts.")
@click.option("--places", default="", metavar="COUNTRY", help="Country whose regions are asked about (FR), or a file of regions.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Who writes the questions: provider/name [key=value …].")
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Who judges them; the writer if not given. May be repeated.")
@click.option("--panel", multiple=True, metavar="NAME", help="Who answers them; the writer if not given. May be repeated.")
@click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Who reads the documents; people/reviewer if not given.")
@click.option("--method", type=click.Choice(["letters", "texts", "generate"]), default="letters", show_default=True,
              help="How the panel answers.")
@click.option("--schema", is_flag=True, help="Have the writer's server enforce the JSON schema of the questions (openai/…).")
@common.json_option
def new(folder: Path, name: str, lang: str, places: str, method: str, as_json: bool, **said: Any) -> None:
    """Make a workspace DIR from a recipe; then: endonym run DIR."""
    chosen, about = find(name, lang, places)
    lang, places = lang or about.lang, places or about.places
    copies = _copies(folder, lang, places)
    cast = _cast(said, _schema(copies) if said["schema"] else {})
    if taken := [p for p in (folder / "recipe.toml", folder / "sources", *copies) if p.exists()]:
        raise InputError(f"{taken[0]}: is there already; a new workspace is made in a folder of its own")
    for target, source in copies.items():
        store.write_text(target, source.read_text(encoding="utf-8"))
    own = (lang, places) == (about.lang, about.places)
    if own:
        shutil.copytree(chosen / "sources", folder / "sources")
    else:
        store.write_text(folder / "sources" / "sources.csv", HEAD)
    plan = (chosen / "recipe.toml").read_text(encoding="utf-8")
    store.write_text(folder / "recipe.toml", filled(plan, folder.resolve().name, _language(copies), method, cast))
    _tell(folder, chosen.name, own, as_json)


def recipes() -> dict[str, Path]:
    """The recipes that come with the package: name → folder."""
    return {path.parent.name: path.parent for path in sorted(benchmarks.data().glob("recipes/*/recipe.toml"))}


def find(name: str, lang: str, places: str) -> tuple[Path, About]:
    """A recipe, or that of its kin (``carte-es``) which was made for this language and country. Raises UnknownName."""
    known = recipes()
    if name not in known:
        raise UnknownName("recipe", name, known)
    kin = [(path, _about(path)) for other, path in known.items() if other.startswith(f"{name}-")]
    fitting = [pair for pair in kin if (lang, places or pair[1].places) == (pair[1].lang, pair[1].places)]
    own = _about(known[name])
    return fitting[0] if fitting and lang != own.lang else (known[name], own)


def _about(path: Path) -> About:
    return msgspec.toml.decode((path / "about.toml").read_bytes(), type=About)


def _copies(folder: Path, lang: str, places: str) -> dict[Path, Path]:
    """File of the workspace → the file that it is copied from."""
    guidelines = benchmarks.data() / "guidelines"
    short = Path(lang).stem if lang.endswith(".toml") else lang
    review, judging = (_either(guidelines, names) for names in ((f"document.{short}", "document"), (f"lv.{short}", "lv.en")))
    return {
        folder / "compose.toml": _shipped("compose", lang, "language"), folder / "places.toml": _shipped("places", places, "country"),
        folder / "guidelines" / "document.toml": review, folder / "guidelines" / "judges.toml": judging,
    }  # fmt: skip


def _either(folder: Path, names: tuple[str, str]) -> Path:
    return next(path for name in names if (path := folder / f"{name}.toml").is_file())


def _shipped(shelf: str, word: str, noun: str) -> Path:
    """A user's file, or the one that the package has for a language or a country. Raises UnknownName, InputError."""
    if word.endswith(".toml"):
        if not Path(word).is_file():
            raise InputError(f"{word}: no such file")
        return Path(word)
    known = {path.stem: path for path in sorted((benchmarks.data() / shelf).glob("*.toml"))}
    if word not in known:
        raise InputError(f"{UnknownName(noun, word, known)}; write a file like {next(iter(known))}.toml and name it instead")
    return known[word]


def _language(copies: dict[Path, Path]) -> str:
    return next(tomllib.loads(s.read_text(encoding="utf-8"))["lang"] for t, s in copies.items() if t.name == "compose.toml")


def _schema(copies: dict[Path, Path]) -> dict[str, Any]:
    """The setting with which an OpenAI-compatible server enforces the JSON of a reply."""
    from ..build.compose_schema import response_format
    from ..build.compose_wording import read_places, read_wording

    by = {target.name: source for target, source in copies.items()}
    return {"extra_body": {"response_format": response_format(read_wording(by["compose.toml"]), read_places(by["places.toml"]))}}


def _cast(said: dict[str, Any], more: dict[str, Any]) -> Cast:
    """Read everybody's names; the writer does what nobody else was named for. Raises InputError, UnknownName."""
    bare = tuple(map(common.model, said["models"] or ("local/smollm2",)))
    if more and (other := next((m for m in bare if m.provider != "openai"), None)):
        raise InputError(f"--schema: {other.name} is no server that enforces schemas (openai/…)")
    writers = tuple(Model(name=m.name, params={**m.params, **more}) for m in bare)
    judges, panel = (tuple(map(common.model, said[key])) or bare for key in ("judges", "panel"))
    reviewers = tuple(_reviewer(word) for word in said["reviewers"] or ("people/reviewer",))
    for model in (*writers, *judges, *panel, *reviewers):
        provider(Model(name=model.name, params={k: v for k, v in model.params.items() if k != "chat"})).close()
    return Cast(writers=writers, judges=judges, panel=panel, reviewers=reviewers)


def _reviewer(word: str) -> Model:
    """A person has a sheet in the workspace, unless another place is named."""
    model = common.model(word)
    if model.provider != "people" or "sheet" in model.params:
        return model
    name = SHEET if word == "people/reviewer" else f"review-{file_name(model.name.partition('/')[2])}.csv"
    return Model(name=model.name, params={**model.params, "sheet": name})


def filled(text: str, name: str, lang: str, method: str, cast: Cast) -> str:
    """A recipe with its places filled. Raises InputError for a place that nobody knows."""
    groups = {"writer": cast.writers, "judge": cast.judges, "panel": cast.panel, "reviewer": cast.reviewers}
    words = {"name": [name], "lang": [lang], "method": [method], **{key: list(map(_spec, models)) for key, models in groups.items()}}

    def put(place: re.Match[str]) -> str:
        key = place[1]
        if key not in words:
            raise InputError(f"recipe: {UnknownName('place', key, words)}")
        return ", ".join(map(inline, words[key]))

    return re.sub(r'"@([\w-]+)"', put, text)


def _spec(model: Model) -> Any:
    return {"name": model.name, "params": model.params} if model.params else model.name


def inline(value: Any) -> str:
    """A value as TOML within a line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {inline(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    return msgspec.json.encode(value).decode()


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else inline(name)


def _next_steps(folder: Path, own: bool) -> Iterator[str]:
    if not own:
        yield f"  put your documents into {folder / 'sources'}, and a row for each into {folder / 'sources' / 'sources.csv'}"
    yield f"  endonym run {folder}       (it stops where a person has to fill a sheet, and goes on when it is filled)"


def _tell(folder: Path, name: str, own: bool, as_json: bool) -> None:
    if as_json:
        return common.put({"out": str(folder), "recipe": name, "documents": own})
    common.say(f"{name} → {folder}")
    for line in _next_steps(folder, own):
        common.say(line)
    return None
