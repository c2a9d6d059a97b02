"""The outputs that XNationQA's script saves: matched by place, domain, id, language and template; scored as the paper defines."""

import json
import statistics

import pytest

from endonym.build.xnationqa import xnationqa
from endonym.build.xnationqa_outputs import named, xnationqa_outputs
from endonym.cli import run
from endonym.errors import InputError, TableError
from endonym.metrics import accuracy, frame, macro, pairwise, total_coverage

LETTERS = "ABCD"
CUE = {"English": "Answer: ", "German": "Antwort: "}


def entry(number, gold="B", copies=False, ident=None):
    """A war that never was, two languages, four templates; with ``copies`` the last German prompt copies the third."""
    years = ("1301", "1308", "1295", "1310")

    def prompts(language):
        stems = [f"{language} wording {1 + min(t, 2) if copies and language == 'German' else 1 + t} of war {number}?" for t in range(4)]
        return ["\n".join([stem, *(f"{a}. {y}" for a, y in zip(LETTERS, years, strict=True)), CUE[language]]) for stem in stems]

    year = years[LETTERS.index(gold)]
    return {
        "id": ident or f"war_{number}", "entity": f"War {number}", "answer": year, "prompts": {name: prompts(name) for name in CUE},
        "prompt_ans": {name: [year, f"{gold}. {year}", f"{gold}."] for name in CUE},
    }  # fmt: skip


@pytest.fixture
def data(tmp_path):
    def write(*entries, name="war_qa_us.json"):
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(entries), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def saved(tmp_path):
    def write(texts, name="us_war_Model-7B_chat.json"):
        folder = tmp_path / "outputs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(texts), encoding="utf-8")
        return folder

    return write


def answers(letters):
    """One text a template from letters, as in ``BBBA``."""
    return [f" {letter}. " for letter in letters]


def test_texts_are_matched_by_place_domain_id_language_and_template(data, saved):
    folder = data(entry(0), entry(1, "C"))
    data(entry(0), name="leader_qa_us.json")
    items = {item.id: item for item in xnationqa(folder)}
    rows = list(xnationqa_outputs(saved({"war_1": {"German": answers("ABCD"), "English": answers("DCBA")}}), items.values()))
    found = [(items[r["item"]].entity, items[r["item"]].lang, items[r["item"]].template, r["text"], r["model"]) for r in rows]
    assert found == [
        ("war/us/war_1", lang, str(t), f" {letter}. ", "Model-7B_chat")
        for lang, said in (("de", "ABCD"), ("en", "DCBA")) for t, letter in enumerate(said, 1)
    ]  # fmt: skip


def test_names_of_files(tmp_path):
    assert named(tmp_path / "us_national_park_Mixtral-8x7B.json") == ("us", "national_park", "Mixtral-8x7B")
    assert named(tmp_path / "mexico_monuments_a_b_c.json") == ("mexico", "monuments", "a_b_c")
    with pytest.raises(TableError, match="did you mean 'japan'"):
        named(tmp_path / "japn_war_m.json")
    with pytest.raises(TableError, match="no domain of XNationQA 'castles_m'"):
        named(tmp_path / "us_castles_m.json")


def test_an_id_that_stands_twice_means_its_last_entry_as_in_the_script(data, saved):
    items = {i.id: i for i in xnationqa(data(entry(0, ident="x"), entry(1, ident="x")))}
    rows = xnationqa_outputs(saved({"x": {"English": answers("ABCD")}}), items.values())
    assert {items[r["item"]].entity for r in rows} == {"war/us/x#2"}


def test_an_exact_copy_has_one_row(data, saved):
    items = list(xnationqa(data(entry(0, copies=True))))
    rows = list(xnationqa_outputs(saved({"war_0": {"German": answers("ABCC")}}), items))
    assert [r["text"] for r in rows] == [" A. ", " B. ", " C. "]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"war_9": {"English": answers("AAAA")}}, "id war_9: is not in the benchmark"),
        ({"war_0": {"English": answers("A")}}, "id war_0: English: 1 texts, expected 4"),
        ({"war_0": {"Englsh": answers("AAAA")}}, "did you mean 'English'"),
        ({"war_0": {"Hindi": answers("AAAA")}}, "id war_0: Hindi: 4 texts, expected 0"),
        ({"war_0": ["A"]}, "not id → language → list of texts"),
    ],
)
def test_what_does_not_fit_is_told_with_file_and_id(data, saved, texts, said):
    items = list(xnationqa(data(entry(0))))
    with pytest.raises(TableError, match="us_war_Model-7B_chat.json") as told:
        list(xnationqa_outputs(saved(texts), items))
    assert said in str(told.value)


def test_an_empty_folder_and_a_broken_file(data, tmp_path):
    items = list(xnationqa(data(entry(0))))
    (tmp_path / "none").mkdir()
    with pytest.raises(TableError, match="holds none of"):
        list(xnationqa_outputs(tmp_path / "none", items))
    with pytest.raises(InputError):
        list(xnationqa_outputs(tmp_path / "nowhere", items))
    (tmp_path / "none" / "us_war_m.json").write_text('{"war_0": {')
    with pytest.raises(TableError, match="us_war_m.json"):
        list(xnationqa_outputs(tmp_path / "none", items))


SAID = {
    "war_0": {"English": "BBBB", "German": "BBBA"},  # known in both
    "war_1": {"English": "BBBA", "German": "BBAA"},  # known in English
    "war_2": {"English": "AAAA", "German": "BBBB"},  # known in German
    "war_3": {"English": "ABAA", "German": "AAAA"},  # known in neither
    "war_4": {"English": "BBBB", "German": "BBAA"},  # a copy: templates 3 and 4 are one question, wrong both
}


def test_the_papers_numbers_from_its_own_outputs(data, saved, tmp_path, capsys):
    """Accuracy, SD over languages, TC and pairwise TC by the paper's definitions, copies counted as the paper counts them."""
    folder = data(*(entry(n, copies=n == 4) for n in range(5)))
    outputs = saved({ident: {lang: answers(said) for lang, said in langs.items()} for ident, langs in SAID.items()})
    work = tmp_path / "work"
    args = ["evaluate", f"xnationqa:{folder}", "--responses", str(outputs), "--reading", "xnationqa-paper", "--out", str(work), "--json"]
    assert run(args) == 0
    statuses = json.loads(capsys.readouterr().out)["statuses"]
    assert {s: n for s, n in statuses.items() if n} == {"answered": 40}
    scores = frame(work / "tables" / "scores.jsonl")
    right = {lang: [said[lang].count("B") for said in SAID.values()] for lang in ("English", "German")}
    shares = [sum(right["German"]) / 20, sum(right["English"]) / 20]
    assert [e.value for e in accuracy.estimate(scores, by=("lang",), draws=100)] == pytest.approx(shares)
    assert macro.estimate(scores, draws=100)[0].value == pytest.approx(statistics.mean(shares))
    assert macro(statistic="sd").estimate(scores, draws=100)[0].value == pytest.approx(statistics.pstdev(shares))
    known = [{n for n, k in enumerate(right[lang]) if k >= 3} for lang in ("English", "German")]
    tc = len(known[0] & known[1]) / len(known[0] | known[1])
    assert total_coverage.estimate(scores, draws=100)[0].value == pytest.approx(tc) == pytest.approx(1 / 4)
    (pair,) = pairwise(scores, draws=100)
    assert (pair.group, pair.value) == ({"lang.a": "de", "lang.b": "en"}, pytest.approx(tc))


def test_a_part_of_the_benchmark_takes_a_part_of_the_outputs(data, saved, tmp_path, capsys):
    folder = data(*(entry(n) for n in range(3)))
    outputs = saved({f"war_{n}": {"English": answers("BBBB")} for n in range(2)})
    work = tmp_path / "work"
    args = ["evaluate", f"xnationqa:{folder}", "--responses", str(outputs), "--where", "lang=en", "--out", str(work), "--json"]
    assert run(args) == 0
    statuses = json.loads(capsys.readouterr().out)["statuses"]
    assert (statuses["answered"], statuses["failed"]) == (8, 4)


def test_a_folder_for_another_benchmark_is_refused(saved, capsys):
    assert run(["evaluate", "nations-mini", "--responses", str(saved({}))]) == 2
    assert "outputs in a folder are read for xnationqa:PATH only" in capsys.readouterr().err
