"""``endonym new``: a workspace made from a recipe that comes with the package, ready for ``endonym run``.

In: a recipe, languages, countries, and who writes, judges, answers and reviews. Out: a folder with ``recipe.toml`` and, for a recipe of
documents, the prompts, the regions, the guidelines and ``sources/``; any other recipe names its files (``copies``). The one thing to know:
everything that a group may want to change is copied, so that the workspace says by itself what was done; a recipe's ``"@writer"`` and its
like are the places that are filled here.
"""

import contextlib
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
    """What a recipe was made for: ``lang`` (BCP 47) and ``places`` (ISO 3166-1); several of them, with commas, for a parallel benchmark.

    ``copies``: file of the workspace → the files of which the first that exists is copied, from the recipe's folder or the package's data;
    ``{lang}``, ``{short}`` (pt of pt-PT), ``{places}`` and ``{code}`` (pt of PT) stand for what was asked for; without any, those of CARTE.
    ``first``: what a person does first.
    """

    title: str
    lang: str
    places: str
    copies: dict[str, tuple[str, ...]] = {}
    first: str = ""


class Cast(msgspec.Struct, frozen=True, kw_only=True):
    """Who does what in a workspace."""

    writers: tuple[Model, ...]
    judges: tuple[Model, ...]
    panel: tuple[Model, ...]
    reviewers: tuple[Model, ...]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--recipe", "name", default="carte", show_default=True, metavar="NAME", help="Which recipe; --recipe help lists them.")
@click.option("--lang", default="", metavar="LANG",
              help="Language of the questions (fr), or a file of prompts; all languages (en,de,hi) of a parallel benchmark.")
@click.option("--places", default="", metavar="COUNTRY",
              help="Country whose regions are asked about (FR), or a file of regions; or countries (PT,DE).")
@click.option("--model", "models", multiple=True, metavar="NAME",
              help="Who writes the questions, or translates them: provider/name [key=value …].")
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
    copies = _named(folder, chosen, about, lang, places) if about.copies else _copies(folder, lang, places)
    cast = _cast(said, _schema(copies) if said["schema"] else {})
    words = _words(about, lang, places, copies, cast)
    if taken := [p for p in (folder / "recipe.toml", folder / "sources", *copies) if p.exists()]:
        raise InputError(f"{taken[0]}: is there already; a new workspace is made in a folder of its own")
    words |= {"name": [folder.resolve().name], "method": [method]}
    for target, source in copies.items():
        text = source.read_text(encoding="utf-8")
        store.write_text(target, filled(text, words, cast) if source.parent == chosen else text)
    own = (lang, places) == (about.lang, about.places) or bool(about.copies)
    if (chosen / "sources").is_dir():
        _sources(folder / "sources", chosen / "sources" if own else None)
    plan = (chosen / "recipe.toml").read_text(encoding="utf-8")
    store.write_text(folder / "recipe.toml", filled(plan, words, cast))
    steps = [*filter(None, [about.first]), *_lacking(copies, words), *_own_steps(folder, own)]
    _tell(folder, chosen.name, own, steps, as_json)


def _sources(folder: Path, shipped: Path | None) -> None:
    """The documents of a recipe, or an empty table of them."""
    if shipped:
        shutil.copytree(shipped, folder)
    else:
        store.write_text(folder / "sources.csv", HEAD)


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


def _named(folder: Path, chosen: Path, about: About, lang: str, places: str) -> dict[Path, Path]:
    """The same for a recipe that says itself what is copied. Raises InputError where none of the files that it names exists."""
    words = {"{lang}": lang, "{short}": lang.partition("-")[0], "{places}": places, "{code}": places.partition("-")[0].lower()}
    found: dict[Path, Path] = {}
    for target, names in about.copies.items():
        for word, value in words.items():
            names = tuple(name.replace(word, value) for name in names)
        there = [path for name in names for shelf in (chosen, benchmarks.data()) if (path := shelf / name).is_file()]
        if not there:
            raise InputError(f"recipe {chosen.name}: {target}: there is no {' nor '.join(names)}; choose another --lang or --places")
        found[folder / target] = there[0]
    return found


def _words(about: About, lang: str, places: str, copies: dict[Path, Path], cast: Cast) -> dict[str, list[Any]]:
    """What ``"@lang"``, ``"@places"`` and, in a parallel benchmark, ``"@langs"``, ``"@others"`` and ``"@form"`` stand for.

    ``"@every"`` is every language of the benchmark or of its templates.
    """
    if "," not in about.lang:
        return {"lang": [_language(copies, lang)], "places": [places], "country": _country(places, lang) if about.copies else []}
    langs, countries = (list(dict.fromkeys(common.names(text))) for text in (lang, places))
    if len(langs) < 2 or not all(re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", one) for one in langs):
        raise InputError(f"--lang {lang}: name the language of the templates and those that they are translated into, as {about.lang}")
    if not countries or not all(re.fullmatch("[A-Z]{2}", one) for one in countries):
        raise InputError(f"--places {places}: name countries (ISO 3166-1), as {about.places}")
    if langs[0] not in (known := _templates(copies).get("languages", [])):
        raise UnknownName("language with templates (the first of --lang)", langs[0], known)
    engines = {model.provider for model in cast.writers} & {"mt", "deepl", "google", "people"}
    words = {"lang": langs[:1], "langs": langs, "others": langs[1:], "every": list(dict.fromkeys([*langs, *known]))}
    return {**words, "places": countries, "form": ["text" if engines else "json"]}


def _country(place: str, lang: str) -> list[str]:
    """What the country of a place is called in a language and in English, as CLDR has it."""
    from babel import Locale, UnknownLocaleError

    names: list[str] = []
    for tag in (lang, "en"):
        with contextlib.suppress(ValueError, UnknownLocaleError):
            names.append(str(Locale.parse(tag, sep="-").territories.get(place.partition("-")[0].upper(), "")))
    return list(dict.fromkeys(filter(None, names)))


def _templates(copies: dict[Path, Path]) -> dict[str, Any]:
    return next((tomllib.loads(s.read_text(encoding="utf-8")) for t, s in copies.items() if t.name == "templates.toml"), {})


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


def _language(copies: dict[Path, Path], lang: str) -> str:
    """The language of the prompts, where questions are made by models; else the one that was asked for."""
    return next((tomllib.loads(s.read_text(encoding="utf-8"))["lang"] for t, s in copies.items() if t.name == "compose.toml"), lang)


def _schema(copies: dict[Path, Path]) -> dict[str, Any]:
    """The setting with which an OpenAI-compatible server enforces the JSON of a reply."""
    from ..build.compose_schema import response_format
    from ..build.compose_wording import read_places, read_wording

    by = {target.name: source for target, source in copies.items()}
    if not {"compose.toml", "places.toml"} <= by.keys():
        raise InputError("--schema: in this recipe no model writes questions")
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


def filled(text: str, words: dict[str, list[Any]], cast: Cast) -> str:
    """A recipe with its places filled. Raises InputError for a place that nobody knows."""
    groups = {"writer": cast.writers, "judge": cast.judges, "panel": cast.panel, "reviewer": cast.reviewers}
    words = {**words, **{key: list(map(_spec, models)) for key, models in groups.items()}}

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


def _own_steps(folder: Path, own: bool) -> Iterator[str]:
    if not own:
        yield f"put your documents into {folder / 'sources'}, and a row for each into {folder / 'sources' / 'sources.csv'}"
    yield f"endonym run {folder}       (it stops where a person has to fill a sheet, and goes on when it is filled)"


def _lacking(copies: dict[Path, Path], words: dict[str, list[Any]]) -> Iterator[str]:
    """What templates lack: the forms of the names of countries."""
    known = _templates(copies).get("countries", {})
    if known and (lacking := sorted(set(words["places"]) - known.keys())):
        yield f"templates.toml has no forms of the names of {', '.join(lacking)}: write them first, like the others there"


def _tell(folder: Path, name: str, own: bool, steps: list[str], as_json: bool) -> None:
    if as_json:
        return common.put({"out": str(folder), "recipe": name, "documents": own})
    common.say(f"{name} → {folder}")
    for line in steps:
        common.say(f"  {line}")
    return None
