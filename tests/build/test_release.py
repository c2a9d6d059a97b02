"""A release: what is in the folder, what the card counts, what the seal hides, and where every item went."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from endonym import store
from endonym.build import seal
from endonym.build.held_out import grouped, held_out
from endonym.build.native import header, native
from endonym.build.provenance import NOT_SAID, Workspace, funnel
from endonym.build.release import beside, opened, release
from endonym.build.terms import Terms, canary
from endonym.errors import InputError, IntegrityError, UnknownName
from endonym.records import Estimate, Item, Judgment, Manifest, Response, Score, Source

PLACES = ("FR-BRE", "FR-NOR", "FR-20R")
TOPICS = ("Langue & sciences du langage", "Démographie")


def item(n: int, **more: Any) -> Item:
    options = ["alpha", "beta", "gamma", "delta"]
    fields: dict[str, Any] = {
        "stem": f"Question numéro {n} ?",
        "options": (*(f"{o} {n}" for o in options), "Je ne sais pas"),
        "gold": n % 4,
        "abstain": 4,
        "lang": "fr",
        "place": PLACES[n % 3],
        "topic": TOPICS[n % 2],
        "subset": "LV" if n % 2 == 0 else "",
        "source": f"doc{n % 5}#1",
        "maker": "openai/maker",
        "meta": {"evidence": f"preuve secrète {n}"},
    }
    return Item(**{**fields, **more})


def put(tables: Path, name: str, rows: Iterable[Any], stage: str = "x", **made_from: str | list[str]) -> list[Any]:
    """A table with a manifest that says which tables it was made from."""
    pairs = [(p, t) for p, names in made_from.items() for t in ([names] if isinstance(names, str) else names)]
    inputs = {f"{p}:{t}": store.vouched(tables / f"{t}.jsonl").sha256 for p, t in pairs}
    kept = list(rows)
    store.write(tables / f"{name}.jsonl", kept, Manifest(stage=stage, inputs=inputs))
    return kept


def tiered(i: Item, n: int) -> Item:
    tier = ("Easy", "Medium", "Hard")[n % 3]
    meta = {**i.meta, "difficulty": tier, "difficulty_share": f"{(1.0, 0.5, 0.0)[n % 3]:.3f}", "difficulty_panel": "3 models|shots:0"}
    return msgspec.structs.replace(i, meta=meta)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """20 candidates and 3 rejects; 2 with an error, 4 dropped by the panel, 3 low, 1 not drawn, 1 lost without a word: 9 are left."""
    folder = tmp_path / "work" / "tables"
    put(folder, "documents", [Source(id=f"doc{n}", text="t", origin={"licence": "CC-BY-4.0" if n else "Etalab-2.0"}) for n in range(6)])
    put(folder, "reviewed", [Source(id=f"doc{n}", text="t") for n in range(5)], "validate.reviewed", sources="documents")
    put(
        folder,
        "review",
        [Judgment(item="doc5", judge="people/ane", criterion="document", value="reject")],
        "validate.review",
        sources="documents",
    )
    parts = [Source(id=f"doc{n}#1", text="t", origin={"licence": "CC-BY-4.0" if n else "Etalab-2.0"}) for n in range(5)]
    put(folder, "parts", parts, "build.split", sources="reviewed")
    put(folder, "candidates/openai--maker", [Response(prompt="p", model="openai/maker", text="[]")], "ask")
    replies = "candidates/openai--maker"
    candidates = put(folder, "candidates", map(item, range(20)), "build.compose.read", responses=replies, sources="parts")
    rejects = [
        Judgment(item=f"p of m #{n}", judge="check/malformed", criterion=c, value="error")
        for n, c in enumerate(("malformed", "malformed", "evidence"))
    ]
    put(folder, "rejects", rejects, "build.rejected", said=replies, sources="parts")
    found = [Judgment(item=c.id, judge="check/options", criterion="options", value="error") for c in candidates[:2]]
    found += [Judgment(item=candidates[10].id, judge="check/length", criterion="length", value="warning")]
    put(folder, "checks", found, "validate.check", items="candidates")
    checked = put(folder, "checked", candidates[2:], "validate.keep", items="candidates", judgments="checks")
    out = [Judgment(item=c.id, judge="keep", criterion="options", value="low") for c in candidates[:2]]
    put(folder, "checked-out", out, "validate.left_out", items="candidates", judgments="checks")
    scores = [Score(item=c.id, prompt="q", model=m, status="answered") for c in checked for m in ("openai/maker", "m/a", "m/b")]
    put(folder, "scores", scores, "evaluate.choose.read", items="checked")
    panelled = put(folder, "panelled", checked[4:], "validate.panel", items="checked", scores="scores")
    gone = [Judgment(item=c.id, judge="panel", criterion="panel", value="dropped") for c in checked[:4]]
    put(folder, "dropped", gone, "validate.dropped", items="checked", scores="scores")
    hard = put(folder, "hard", [tiered(i, n) for n, i in enumerate(panelled)], "validate.difficulty", items="panelled", scores="scores")
    said = [Judgment(item=h.id, judge=j, criterion="LN", value="5") for h in hard for j in ("openai/maker", "openai/other")]
    put(folder, "judged", said, "validate.judge.read", items="hard")
    kept = put(folder, "kept", hard[3:], "validate.keep", items="hard", judgments="judged")
    low = [Judgment(item=h.id, judge="keep", criterion="LN", value="low") for h in hard[:3]]
    put(folder, "kept-out", low, "validate.left_out", items="hard", judgments="judged")
    put(
        folder,
        "agreed",
        [Estimate(metric="alpha", value=None, n=14, group={"criterion": "LN", "judges": "all"}, note="n/a: equal")],
        "validate.agreement",
        judgments="judged",
    )
    put(folder, "balanced", kept[2:], "validate.balance", items="kept")
    put(
        folder,
        "surplus",
        [Judgment(item=kept[0].id, judge="balance", criterion="balance", value="left out")],
        "validate.surplus",
        items="kept",
    )
    return folder


TERMS = Terms(name="bench", licence="CC-BY-4.0", title="A bench")


def rows(card: str, title: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    part = card.split(f"## {title}\n")[1].split("\n## ")[0]
    return [[c.strip() for c in line.strip("|").split(" | ")] for line in part.splitlines() if line.startswith("|")]


def test_the_funnel_counts_every_item_once(tables: Path):
    steps = {s.table: s for s in funnel(Workspace(tables), ["balanced"])}
    assert [(s.table, s.noun, s.before, s.after, s.left) for s in steps.values()] == [
        ("documents", "documents", 6, 6, {}),
        ("reviewed", "documents", 6, 5, {"document: reject": 1}),
        ("parts", "documents", 5, 5, {}),
        ("candidates", "candidates", 23, 20, {"malformed": 2, "evidence": 1}),
        ("checked", "items", 20, 18, {"options: low": 2}),
        ("panelled", "items", 18, 14, {"dropped": 4}),
        ("hard", "items", 14, 14, {}),
        ("kept", "items", 14, 11, {"LN: low": 3}),
        ("balanced", "items", 11, 9, {"left out": 1, NOT_SAID: 1}),
    ]
    for step in steps.values():
        assert step.before - step.after == sum(step.left.values())


def test_an_edited_item_is_the_heir_of_its_parent(tables: Path):
    kept = list(store.rows(tables / "balanced.jsonl", Item))
    edited = [msgspec.structs.replace(kept[0], stem="Mieux dit ?", parent=kept[0].id), *kept[1:]]
    put(tables, "edited", edited, "validate.edited", items="balanced")
    assert funnel(Workspace(tables), ["edited"])[-1].left == {}


def test_a_public_folder(tables: Path, tmp_path: Path):
    done = release(tables, tmp_path / "out", TERMS)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["benchmark.jsonl", "card.md", "release.json"]
    items = list(native(tmp_path / "out/benchmark.jsonl"))
    assert items == list(store.rows(tables / "balanced.jsonl", Item))
    head = header(tmp_path / "out/benchmark.jsonl")
    assert head is not None
    assert (head.name, head.licence, head.languages, head.canary) == ("bench", "CC-BY-4.0", ("fr",), done.canary)
    for file in (tmp_path / "out").iterdir():
        assert done.canary in file.read_text(encoding="utf-8")
    told = json.loads((tmp_path / "out/release.json").read_text())
    assert told["sha256"]["benchmark.jsonl"] == hashlib.sha256((tmp_path / "out/benchmark.jsonl").read_bytes()).hexdigest()
    assert told["sha256"]["benchmark.jsonl"] in (tmp_path / "out/card.md").read_text(encoding="utf-8")


def test_the_same_workspace_gives_the_same_bytes(tables: Path, tmp_path: Path):
    for name in ("one", "two", "one"):
        release(tables, tmp_path / name, TERMS)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_the_card_counts(tables: Path, tmp_path: Path):
    release(tables, tmp_path / "out", TERMS)
    card = (tmp_path / "out/card.md").read_text(encoding="utf-8")
    items = list(native(tmp_path / "out/benchmark.jsonl"))
    counts = rows(card, "Items by topic and place")
    assert counts[0] == ["topic", "FR-20R", "FR-BRE", "FR-NOR", "all"]
    assert counts[-1][-1] == "9"
    cells = Counter((i.topic, i.place) for i in items)
    assert {(r[0], p): r[1 + n] for r in counts[2:-1] for n, p in enumerate(sorted(PLACES))} == {
        (t, p): str(cells[t, p]) if cells[t, p] else "–" for t in TOPICS for p in PLACES
    }
    lv = rows(card, "Subsets by place")
    assert (lv[0], lv[-1]) == (["place", "LV"], ["**all**", str(sum(i.subset == "LV" for i in items))])
    hard = rows(card, "Difficulty")
    tiers = Counter(i.meta["difficulty"] for i in items)
    assert [(r[0], r[1], r[3]) for r in hard[2:]] == [
        (t, str(tiers[t]), s) for t, s in (("Easy", "100.0 %"), ("Medium", "50.0 %"), ("Hard", "0.0 %"))
    ]
    gold = rows(card, "Where the right option stands")
    assert [int(n) for n in gold[2]] == [sum(i.gold == p for i in items) for p in range(len(gold[0]))]
    assert "m/a, m/b, openai/maker" in card


def test_the_card_says_who_judged_its_own_and_that_nobody_read(tables: Path, tmp_path: Path):
    release(tables, tmp_path / "out", TERMS)
    card = (tmp_path / "out/card.md").read_text(encoding="utf-8")
    assert "| openai/maker | LN | 9 | 9 |" in card
    assert "| openai/other | LN | 9 | 0 |" in card
    assert "**Some items were judged by the model that made them**" in card
    assert "0 of 9 items were judged by at least one person. Take it for unreviewed." in card
    assert "- 9 items were also answered by the model that made them" in card
    assert "| LN | all | alpha | n/a | – | 14 | n/a: equal |" in card
    assert "| CC-BY-4.0 | 4 |" in card
    assert "| balanced | validate.balance | items | 11 | 9 | left out 1; not said 1 |" in card


@pytest.mark.parametrize("mode", ["public", "gated", "sealed"])
def test_no_gold_answer_is_marked_in_a_card(tables: Path, tmp_path: Path, mode: str):
    key = seal.new_key(tmp_path / "key") if mode == "sealed" else ""
    release(tables, tmp_path / "out", msgspec.structs.replace(TERMS, mode=mode, recipients=(key,) if key else ()))
    card = (tmp_path / "out/card.md").read_text(encoding="utf-8")
    part = card.split("## Examples\n")[1].split("\n## ")[0]
    items = list(store.rows(tables / "balanced.jsonl", Item))
    shown = [i for i in items if i.stem in part]
    assert len(shown) == 6
    for one in shown:
        lines = [line for line in part.splitlines() if any(o in line for o in one.options[:4]) and f" {one.stem.split()[2]}" in line]
        marks = {re.sub(r"(alpha|beta|gamma|delta) \d+|^- [A-D]\.", "", line) for line in lines}
        assert marks == {" "}, marks
    assert "preuve secrète" not in card


def test_a_gated_folder_has_the_words_for_the_gate(tables: Path, tmp_path: Path):
    done = release(tables, tmp_path / "out", msgspec.structs.replace(TERMS, mode="gated"))
    gate = (tmp_path / "out/gate.md").read_text(encoding="utf-8")
    assert gate.startswith("---\nextra_gated_prompt: ")
    assert done.canary in gate


def test_a_sealed_folder_tells_no_answer_and_opens_to_the_same_bytes(tables: Path, tmp_path: Path):
    public = release(tables, tmp_path / "public", TERMS)
    whole = (tmp_path / "public/benchmark.jsonl").read_bytes()
    terms = msgspec.structs.replace(TERMS, mode="sealed", recipients=(seal.new_key(tmp_path / "key"),))
    done = release(tables, tmp_path / "out", terms)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["benchmark.jsonl.age", "card.md", "questions.jsonl", "release.json"]
    items = list(store.rows(tables / "balanced.jsonl", Item))
    open_ = b"".join((tmp_path / "out" / f).read_bytes() for f in ("card.md", "questions.jsonl", "release.json"))
    for one in items:
        for secret in (one.id, one.meta["evidence"], one.source):
            assert secret.encode() not in open_
    lines = [json.loads(line) for line in (tmp_path / "out/questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[0]["canary"] == done.canary == public.canary
    for row, one in zip(lines[1:], items, strict=True):
        assert row.keys() <= {"n", "kind", "stem", "options", "abstain", "lang", "place", "topic", "subset", "meta"}
        assert (row["stem"], tuple(row["options"])) == (one.stem, one.options)
        assert row["meta"].keys() == {"difficulty", "difficulty_share", "difficulty_panel"}
    assert (
        hashlib.sha256(whole).hexdigest().encode() not in open_
    )  # of a small benchmark it would tell the answers to whoever tries them all
    path = opened(tmp_path / "out", tmp_path / "key", tmp_path / "opened")
    assert path.read_bytes() == whole


def test_the_wrong_key_and_the_wrong_folder(tables: Path, tmp_path: Path):
    terms = msgspec.structs.replace(TERMS, mode="sealed", recipients=(seal.new_key(tmp_path / "key"),))
    release(tables, tmp_path / "out", terms)
    seal.new_key(tmp_path / "other")
    (tmp_path / "none").write_text("nothing\n")
    for key, folder, out, what in [
        ("other", "out", "o", "does not open"),
        ("none", "out", "o", "holds no secret key"),
        ("key", "work", "o", "only a sealed release"),
        ("key", "out", "out", "is the sealed folder itself"),
    ]:
        with pytest.raises(InputError, match=what):
            opened(tmp_path / folder, tmp_path / key, tmp_path / out)
    assert not (tmp_path / "o").exists()
    with pytest.raises(InputError, match="never written over"):
        seal.new_key(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="is no public key of age"):
        seal.seal(b"x", ("age1nonsense",))
    with pytest.raises(InputError, match="nobody could open it"):
        seal.seal(b"x", ())


def test_a_sealed_file_that_was_changed_does_not_open(tables: Path, tmp_path: Path):
    release(tables, tmp_path / "out", msgspec.structs.replace(TERMS, mode="sealed", recipients=(seal.new_key(tmp_path / "key"),)))
    path = tmp_path / "out/benchmark.jsonl.age"
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="does not open"):
        opened(tmp_path / "out", tmp_path / "key", tmp_path / "o")


def test_an_open_file_is_not_left_in_a_sealed_folder(tables: Path, tmp_path: Path):
    release(tables, tmp_path / "out", TERMS)
    sealed = msgspec.structs.replace(TERMS, mode="sealed", recipients=(seal.new_key(tmp_path / "key"),))
    with pytest.raises(InputError, match=r"holds benchmark\.jsonl, which is no part of a sealed release"):
        release(tables, tmp_path / "out", sealed)


def test_what_is_held_out_stands_beside_and_its_hash_in_the_card(tables: Path, tmp_path: Path):
    done = release(tables, tmp_path / "out", msgspec.structs.replace(TERMS, held_out=0.3, seed=1))
    shown, hidden = list(native(tmp_path / "out/benchmark.jsonl")), list(native(beside(tmp_path / "out", "held-out") / "held-out.jsonl"))
    assert (len(shown), len(hidden)) == (done.items, done.held_out)
    assert done.items + done.held_out == 9
    assert not {i.source for i in shown} & {i.source for i in hidden}
    open_ = b"".join(p.read_bytes() for p in (tmp_path / "out").iterdir())
    for one in hidden:
        assert one.stem.encode() not in open_
    sha = hashlib.sha256((beside(tmp_path / "out", "held-out") / "held-out.jsonl").read_bytes()).hexdigest()
    card = (tmp_path / "out/card.md").read_text(encoding="utf-8")
    assert sha in card
    assert f"| release | release | items | 9 | {done.items} | held out {done.held_out} |" in card


def test_groups_are_never_split():
    items = [
        item(n, entity=f"e{n // 4}" if n < 20 else "", source=f"s{n // 10}#{n}", parallel="p" if n in (3, 39) else "") for n in range(40)
    ]
    # Sources s0 to s3 of ten each; the entity of 8 to 11 ties s0 to s1, a question in two languages s0 to s3.
    assert sorted(map(len, grouped(items).values())) == [10, 30]
    shown, hidden = held_out(items, share=0.25, seed=0)
    assert len(shown) + len(hidden) == 40
    assert {i.source[:2] for i in hidden} == {"s2"}


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.8])
def test_the_share_is_met_as_nearly_as_groups_allow(share: float):
    items = [item(n, source=f"s{n // 3}") for n in range(300)]
    shown, hidden = held_out(items, share=share, seed=4)
    assert abs(len(hidden) - share * 300) <= 3
    assert {i.id for i in hidden} == {i.id for i in held_out(items[::-1], share=share, seed=4)[1]}
    assert {i.id for i in hidden} != {i.id for i in held_out(items, share=share, seed=5)[1]}
    assert shown == [i for i in items if i not in hidden]


def test_no_split_is_possible():
    with pytest.raises(InputError, match="no split of 4 items in 1 groups"):
        held_out([item(n, source="one") for n in range(4)], share=0.5)
    with pytest.raises(InputError, match="is not a share"):
        held_out([item(1)], share=1.5)


def test_which_table(tables: Path, tmp_path: Path):
    put(tables, "lv", list(store.rows(tables / "hard.jsonl", Item))[:2], items="hard")
    with pytest.raises(InputError, match="lv, balanced: which of them"):
        release(tables, tmp_path / "out", TERMS)
    with pytest.raises(UnknownName, match="did you mean 'balanced'"):
        release(tables, tmp_path / "out", TERMS, ["blanced"])
    assert release(tables, tmp_path / "out", TERMS, ["balanced", "lv"]).items == 11
    assert release(tables, tmp_path / "out", TERMS, ["candidates"]).items == 20


def test_a_table_that_was_changed_is_not_released(tables: Path, tmp_path: Path):
    path = tables / "balanced.jsonl"
    path.write_bytes(path.read_bytes().replace("numéro".encode(), b"numero"))
    with pytest.raises(IntegrityError):
        release(tables, tmp_path / "out", TERMS)


def test_nothing_to_release(tmp_path: Path):
    with pytest.raises(InputError, match="no such folder"):
        release(tmp_path / "tables", tmp_path / "out", TERMS)
    put(tmp_path / "tables", "scores", [])
    with pytest.raises(InputError, match="holds no items"):
        release(tmp_path / "tables", tmp_path / "out", TERMS)


def test_a_canary_hangs_on_name_and_questions_and_not_on_answers():
    one = canary("bench", [item(1)])
    assert one.startswith("bench canary ")
    assert one.endswith(": benchmark data, keep out of training corpora")
    assert canary("bench", [item(1, gold=2)]) == one
    assert canary("bench", [item(2)]) != one
    assert canary("other", [item(1)]) != one
