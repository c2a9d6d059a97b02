"""The reader of XNationQA: small files of invented facts in the published shape, and the published files where they are at hand."""

import collections
import json
import re
from pathlib import Path

import pytest

from endonym.build.xnationqa import oddities, split, xnationqa
from endonym.errors import InputError, StorageError, TableError

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "xnationqa"
WORDS = {
    "English": ("Question: ", "Answer: "),
    "German": ("Frage: ", "Antwort: "),
    "Hindi": ("", "उत्तर:"),
    "Mandarin": ("问：", "Answer: "),
}


def prompt(stem, options, language="English"):
    before, cue = WORDS[language]
    return "\n".join([before + stem, *(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=False)), cue])


def war(number=0, **changes):
    """An entry on a war that never was, with two templates in two languages; the second German prompt copies the first."""
    years = ("1301", "1308", "1295", "1310")
    english = [prompt(stem, years) for stem in ("When was the War of Tin?", "In which year did the War of Tin start?")]
    german = [prompt("Wann\u200b\u200b war der Zinnkrieg?", years, "German")] * 2
    return {
        "id": f"us_{number}", "entity": f"War of Tin {number}", "answer": "1308", "type": "time", "translate_entity": {},
        "prompts": {"English": english, "German": german},
        "prompt_ans": {language: ["1308", "B. 1308", "B."] for language in ("English", "German")},
    } | changes  # fmt: skip


def park():
    """An entry on a park, whose Hindi question lacks the prefix and whose Chinese one ends with an English cue."""
    hindi, english, chinese = ("उत्तर", "दक्षिण", "पूर्व", "पश्चिम"), ("North", "South", "East", "West"), ("北", "南", "东", "西")
    return {
        "id": "uk_0", "entity": "Grey Park", "answer": ["West", "Isle"], "type": "location", "sub-type": "country",
        "prompts": {"Hindi": [prompt("पार्क कहाँ है?", hindi, "Hindi")], "English": [prompt("Where is Grey Park?", english)],
                    "Mandarin": [prompt("公园在哪里？", chinese, "Mandarin")]},
        "prompt_ans": {"Hindi": ["पश्चिम", "West", "D. West", "D."], "English": ["West", "West", "D. West", "D."],
                       "Mandarin": ["西", "West", "D. West", "D."]},
    }  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def to(*entries, name="war_qa_us.json"):
        text = entries[0] if entries and isinstance(entries[0], bytes) else json.dumps(entries).encode()
        (tmp_path / name).write_bytes(text)
        return tmp_path

    return to


def test_each_question_is_an_item(write):
    items = list(xnationqa(write(war())))
    assert [(item.lang, item.template) for item in items] == [("en", "1"), ("en", "2"), ("de", "1"), ("de", "2")]
    first = items[0]
    assert (first.stem, first.options, first.gold) == ("When was the War of Tin?", ("1301", "1308", "1295", "1310"), 1)
    assert (first.place, first.topic, first.entity, first.parallel) == ("US", "war", "war/us/us_0", "war/us/us_0/1")
    assert (first.source, first.maker) == ("war_qa_us.json#us_0", "xnationqa")
    assert first.meta == {"domain": "war", "country": "us", "entity_name": "War of Tin 0"}
    assert items[2].parallel == first.parallel


def test_the_prompt_is_kept_word_for_word(write):
    entry = war()
    items = list(xnationqa(write(entry)))
    assert [item.prompt for item in items] == entry["prompts"]["English"] + entry["prompts"]["German"]
    assert items[2].stem == "Wann\u200b\u200b war der Zinnkrieg?"


def test_places_prefixes_and_cues_of_other_kinds(write):
    read = {item.lang: item for item in xnationqa(write(park(), name="national_park_qa_uk.json"))}
    hindi, english, chinese = read["hi"], read["en"], read["zh"]
    assert (hindi.stem, hindi.options[3], hindi.gold) == ("पार्क कहाँ है?", "पश्चिम", 3)
    assert (chinese.stem, chinese.options) == ("公园在哪里？", ("北", "南", "东", "西"))
    assert (english.place, english.topic, english.meta["domain"]) == ("GB", "park", "park")


def test_copies_are_two_items_of_one_id_and_are_counted(write):
    items = list(xnationqa(write(war())))
    assert items[2].id == items[3].id and len({item.id for item in items}) == 3
    counts = oddities(items)
    assert (counts["copies"], counts["zero_width"], counts["zero_width_characters"]) == (1, 2, 4)


def test_oddities_of_prefix_cue_and_options(write):
    entry = park()
    entry["prompts"]["Mandarin"] = [prompt("公园在哪里？", ("西", "南", "东", "西"), "Mandarin")]
    entry["prompts"]["English"] = [prompt("Where\u00a0is it?", ("West", "South", "East", "North"))]
    entry["prompt_ans"]["English"] = ["West", "West", "A. West", "A."]
    counts = oddities(xnationqa(write(entry, name="national_park_qa_uk.json")))
    assert {name: n for name, n in counts.items() if n} == {
        "no_prefix": 1, "cue_without_blank": 1, "cue_other_language": 1, "equal_options": 1, "gold_twice": 1, "no_break_space": 1,
        "key_differs": 1,
    }  # fmt: skip


def test_ids_and_entities_that_stand_twice_remain_apart(write):
    items = list(xnationqa(write(war(0), war(0), war(2, entity="War of Tin 0"))))
    assert sorted({item.entity for item in items}) == ["war/us/us_0", "war/us/us_0#2", "war/us/us_2"]
    counts = oddities(items)
    assert (counts["id_twice"], counts["entity_twice"], counts["copies"]) == (1, 2, 3)


def test_files_come_by_name_and_ids_may_repeat_across_them(write):
    write(war(), name="war_qa_us.json")
    folder = write(war(), name="leader_qa_spain.json")
    (folder / "README.md").write_text("no data")
    assert [item.entity for item in xnationqa(folder)][::4] == ["leader/spain/us_0", "war/us/us_0"]


def test_options_in_other_dress():
    stem, options, cue = split("Question: Where was A. Nobody born?\nＡ．Oslo\nＢ．Bergen\nC) Moss\n D: Bodø \nAnswer:")
    assert (stem, options, cue) == ("Where was A. Nobody born?", ("Oslo", "Bergen", "Moss", "Bodø"), "Answer:")
    assert split("A. a\nB. b\nC. c\nD. d")[0::2] == ("", "")


def changed(language="English", prompts=None, answers=None, **fields):
    entry = war(1)
    if prompts is not None:
        entry["prompts"][language] = prompts
    if answers is not None:
        entry["prompt_ans"][language] = answers
    return entry | fields


YEARS = ("1301", "1308", "1295", "1310")
GOOD = prompt("When?", YEARS)
ENTRIES = [
    (changed(id=1), " (id 1): id: expected text, found a whole number", 4),
    ({k: v for k, v in war(1).items() if k != "prompts"}, " (id us_1): prompts: is missing", 4),
    (changed(answer=None), " (id us_1): answer: expected text or a list, found null", 4),
    ("us_1", ": expected an object, found text", 4),
    (war(1, prompts={"German": war(1)["prompts"]["German"]}), " (id us_1): prompts.English: is missing", 6),
    (changed(prompts=[GOOD]), " (id us_1): prompts.English: 1 prompts, expected 2 as elsewhere in the file", 6),
    (changed(prompts=[]), " (id us_1): prompts.English: is empty", 6),
    (changed(prompts=[GOOD, None]), " (id us_1): prompts.English[1]: expected text, found null", 6),
    (changed(prompts=[GOOD, prompt("When?", YEARS[:3])]),
     " (id us_1): prompts.English[1]: options: lines with the letters A, B, C, expected", 7),
    (changed(prompts=[GOOD, "When?"]), " (id us_1): prompts.English[1]: options: lines with the letters none", 7),
    (changed(prompts=[GOOD, prompt("When?", ("1", "1308", "", "4"))]), " (id us_1): prompts.English[1]: options[2]: is empty", 7),
    (changed(prompts=[GOOD, GOOD.replace("Answer", "E. 1399\nAnswer")]),
     " (id us_1): prompts.English[1]: options: 'E. 1399 / Answer: ' after option D", 7),
    (changed(prompts=[GOOD, prompt("", YEARS)]), " (id us_1): prompts.English[1]: stem: is empty", 7),
    (changed(prompts=[GOOD, prompt("When?", ("1308", "1", "2", "3"))]),
     " (id us_1): prompts.English[1]: gold: two golds, prompt_ans keys B ('1'), but its text '1308' stands at A", 7),
    (changed(prompts=[GOOD, prompt("When?", ("0", "1", "2", "3"))]),
     " (id us_1): prompts.English[1]: gold: two golds, prompt_ans keys B ('1'), but its text '1308' stands nowhere", 7),
    (changed(answers=["1308", "A. 1308", "B."]), " (id us_1): prompt_ans.English: two golds, 'A. 1308' against 'B.' '1308'", 6),
    (changed(answers=["1308", "B. 1301", "B."]), " (id us_1): prompt_ans.English: two golds, 'B. 1301' against 'B.' '1308'", 6),
    (changed(answers=["1308", "B. 1308", "B, C"]), " (id us_1): prompt_ans.English: 'B, C' is no letter of A, B, C, D", 6),
    (changed(answers=["1308", "E. 1308", "E."]), " (id us_1): prompt_ans.English: 'E.' is no letter of A, B, C, D", 6),
    (changed(answers=["1308"]), " (id us_1): prompt_ans.English: 1 answers, expected [text,", 6),
    (changed(answers=["1308", "B. 1308", 2]), " (id us_1): prompt_ans.English[2]: expected text, found a whole number", 6),
    (changed(answer="1301"), " (id us_1): prompt_ans.English: '1308' is not in answer, '1301'", 6),
    (changed("Germn", prompts=[GOOD, GOOD]), " (id us_1): prompts.Germn: no language of XNationQA 'Germn'; did you mean 'German'?", 8),
    (changed(prompt_ans={"English": ["1308", "B. 1308", "B."]}), " (id us_1): prompt_ans.German: is missing", 6),
]  # fmt: skip


@pytest.mark.parametrize("bad, said, left", ENTRIES, ids=[said for _, said, _ in ENTRIES])
def test_a_fault_names_file_entry_and_field_and_can_be_skipped(write, bad, said, left):
    folder = write(war(), bad)
    with pytest.raises(TableError) as error:
        list(xnationqa(folder))
    assert str(error.value).startswith(f"{folder / 'war_qa_us.json'}: entry 2{said}")
    skipped = []
    assert len(list(xnationqa(folder, skipped=skipped))) == left
    assert len(skipped) == 1 and skipped[0].startswith(f"{folder / 'war_qa_us.json'}: entry 2{said}")


def test_an_entry_without_prompts(write):
    with pytest.raises(TableError, match=r"entry 1 \(id us_0\): prompts: is empty"):
        list(xnationqa(write(war(prompts={}))))


WHOLE = [
    (b'[{"id": "us_0",\n "entity": "War', "line 2, column 16: the JSON is cut off"),
    (b'[\n{"id": "us_0"x}]', "line 2, column 14: no JSON, "),
    (b'[{"id": "caf\xe9"}]', "line 1, column 13: is no UTF-8, found the byte 0xe9"),
    (b"[]", "holds no entry"),
    (b"{}", "expected a list, found an object"),
    (b"", "line 1, column 1: the JSON is cut off"),
]


@pytest.mark.parametrize("data, said", WHOLE, ids=[said for _, said in WHOLE])
def test_a_file_that_cannot_be_read_at_all(write, data, said):
    write(data, name="war_qa_spain.json")
    folder = write(war())
    with pytest.raises(TableError) as error:
        list(xnationqa(folder))
    assert str(error.value).startswith(f"{folder / 'war_qa_spain.json'}: {said}")
    skipped = []
    assert len(list(xnationqa(folder, skipped=skipped))) == 4
    assert len(skipped) == 1 and skipped[0].endswith("; nothing of this file was read")


def test_a_byte_order_mark_means_nothing(write):
    assert len(list(xnationqa(write(b"\xef\xbb\xbf" + json.dumps([war()]).encode())))) == 4


def test_paths(write, tmp_path):
    folder = write(war())
    with pytest.raises(InputError, match="is a file; expected the folder that holds"):
        list(xnationqa(folder / "war_qa_us.json"))
    with pytest.raises(StorageError, match=f"did you mean '{tmp_path.name}'"):
        list(xnationqa(tmp_path.with_name(tmp_path.name + "x")))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(TableError, match="holds none of the files DOMAIN_qa_COUNTRY.json"):
        list(xnationqa(empty))


@pytest.mark.parametrize("name, said", [("war_qa_jpan.json", "did you mean 'japan'"), ("wars_qa_us.json", "did you mean 'war'")])
def test_a_file_of_an_unknown_name_is_not_left_out_in_silence(write, name, said):
    with pytest.raises(TableError, match=said):
        list(xnationqa(write(war(), name=name)))


# The published files: what the reader says against plain code that shares nothing with it.


@pytest.fixture(scope="module")
def published():
    if not PUBLISHED.is_dir():
        pytest.skip("the published files are not at hand")
    return list(xnationqa(PUBLISHED))


@pytest.fixture(scope="module")
def plain():
    """(file, entry's number, entry, language, template, prompt) of every question."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published files are not at hand")
    return [
        (file.name, number, entry, language, template, text)
        for file in sorted(PUBLISHED.glob("*.json"))
        for number, entry in enumerate(json.loads(file.read_text(encoding="utf-8")))
        for language, texts in entry["prompts"].items()
        for template, text in enumerate(texts)
    ]


def test_all_of_the_published_questions_are_read(published):
    assert len(published) == 49_280  # table and section 3 of the paper, with 1,760 entities
    assert collections.Counter(item.lang for item in published) == dict.fromkeys(("en", "hi", "es", "ja", "zh", "ru", "de"), 7_040)
    assert len({item.entity for item in published}) == 1_760
    assert set(collections.Counter(item.parallel for item in published).values()) == {7}
    assert collections.Counter(item.template for item in published) == dict.fromkeys("1234", 12_320)


def test_published_prompts_and_golds_word_for_word(published, plain):
    expected = collections.Counter()
    for file, _, entry, language, _, text in plain:
        letter = entry["prompt_ans"][language][-1][0]
        gold = re.search(rf"^{letter}\. (.*)$", text, re.MULTILINE)[1]
        expected[file, entry["id"], language, text, gold, letter] += 1
    names = {"en": "English", "hi": "Hindi", "es": "Spanish", "ja": "Japanese", "zh": "Mandarin", "ru": "Russian", "de": "German"}
    read = collections.Counter(
        (*item.source.split("#"), names[item.lang], item.prompt, item.options[item.gold], "ABCD"[item.gold]) for item in published
    )
    assert read == expected


def test_published_oddities_against_plain_counts(published, plain):
    counts = oddities(published)
    per_entry = collections.defaultdict(list)
    for file, number, _, language, _, text in plain:
        per_entry[file, number, language].append(text)
    assert counts["copies"] == sum(len(texts) - len(set(texts)) for texts in per_entry.values())
    texts = [row[5] for row in plain]
    assert counts["zero_width"] == sum("\u200b" in text for text in texts)
    assert counts["zero_width_characters"] == sum(text.count("\u200b") for text in texts)
    assert counts["cue_without_blank"] == sum(text[-1] != " " for text in texts)
    assert counts["cue_other_language"] == sum(row[3] != "English" and row[5].endswith("Answer: ") for row in plain)
    heads = ("Question: ", "Frage: ", "Pregunta: ", "Вопрос: ", "प्रश्न: ", "问题：", "问：", "質問: ", "質問：")
    assert counts["no_prefix"] == sum(not text.startswith(heads) for text in texts)
    assert counts["equal_options"] == sum(len({line[3:] for line in text.split("\n")[1:5]}) < 4 for text in texts)
    entries = {(row[0], row[1]): row[2] for row in plain}
    letters = [{answers[-1] for answers in entry["prompt_ans"].values()} for entry in entries.values()]
    assert counts["key_differs"] == sum(len(several) > 1 for several in letters)
    assert counts["entity_twice"] == len(entries) - len({(file, entry["entity"]) for (file, _), entry in entries.items()})
    assert counts["id_twice"] == len(entries) - len({(file, entry["id"]) for (file, _), entry in entries.items()})
