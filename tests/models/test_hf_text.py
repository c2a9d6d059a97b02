"""Tokens: one BOS, the chat template, and the seam between prompt and continuation."""

from pathlib import Path

import pytest
from hf_models import CHATML, answers, hf, raw, save, tokenizer

from endonym.errors import Unsupported
from endonym.models import Need
from endonym.models.hf_rows import Budget, groups
from endonym.records import Message, Prompt

pytest.importorskip("transformers")

TALK = (Message(role="system", content="Be brief."), Message(role="user", content="Which town?"))


def text(template: str = "", **settings: bool):
    from endonym.models.hf_text import Text

    return Text(tokenizer(template, **settings))


@pytest.mark.parametrize("bos", [True, False])
@pytest.mark.parametrize("template", [CHATML, "{{ bos_token }}" + CHATML])
def test_exactly_one_bos_whatever_template_and_tokenizer_do(template: str, bos: bool):
    made = text(template, bos=bos)
    ids = made.encode([made.render(TALK)])[0]
    expected = 1 if bos or template.startswith("{{") else 0
    assert ids.count(2) == expected
    assert ids[:expected] == [2] * expected


def test_a_bos_that_the_raw_text_brings_along_is_not_doubled():
    assert text().encode(["<bos>Lisbon", "Lisbon", "<bos><bos>Lisbon"])[0:3:1] == [text().encode(["Lisbon"])[0]] * 3
    assert text(bos=False).encode(["Lisbon"])[0].count(2) == 0


def test_the_template_is_told_not_to_think_and_no_clock():
    template = "{{ enable_thinking }} {{ strftime_now('%Y') }} {{ messages[-1].content }}"
    assert text(template).render(TALK) == "False 26 Jul 2024 Which town?"


def test_a_text_without_words_before_it_is_read_after_bos():
    (question,) = text(bos=False).questions([raw("", ["Lisbon", "Madrid"])], [""])
    assert question.stem == [2] and question.start == 1


def test_blanks_at_the_end_belong_to_the_continuation():
    made = text()
    spaced, plain = raw("Answer: ", ["A", "B"]), raw("Answer:", [" A", " B"])
    one, other = made.questions([spaced, plain], ["Answer: ", "Answer:"])
    assert one[1:] == other[1:]
    assert one.lengths == (1, 1)


def test_a_continuation_that_merges_with_the_prompt_moves_the_seam_for_all_of_them():
    made = text()
    joint = made.encode(["Answer: Lis", "Answer: Lisbon", "Answer: Lis3"])
    assert joint[1][: len(joint[0])] != joint[0], "the words must merge for this test to mean anything"
    (question,) = made.questions([raw("Answer: Lis", ["bon", "3"])], ["Answer: Lis"])
    assert [question.stem + tail for tail in question.tails] == joint[1:]
    assert question.lengths == tuple(len(j) - question.start for j in joint[1:])
    assert joint[0][: question.start] == question.stem[: question.start]


def test_a_chat_is_scored_behind_its_header(tmp_path: Path):
    who = hf(save(tmp_path, "llama", CHATML))
    prompt = Prompt(item="i", messages=TALK, continuations=("A", "B"), chat=True)
    shown = who.text.shown(prompt)
    assert shown.endswith("<|im_start|>assistant\n")
    (question,) = who.text.questions([prompt], [shown])
    assert question.stem == who.text.encode([shown])[0] and question.lengths == (1, 1)
    assert len(answers(who, [prompt])[0].loglikelihoods) == 2


def test_a_conversation_that_the_template_refuses_fails_alone(tmp_path: Path):
    refusing = "{% if messages[0].role == 'system' %}{{ raise_exception('no system here') }}{% endif %}" + CHATML
    who = hf(save(tmp_path, "llama", refusing))
    bad, good = Prompt(item="i", messages=TALK, chat=True, max_tokens=3), Prompt(item="j", messages=TALK[1:], chat=True, max_tokens=3)
    refused, answered = answers(who, [bad, good])
    assert "no system here" in refused.error and not answered.error and answered.finish_reason


def test_who_has_a_template_chats_and_who_has_none_cannot(tmp_path: Path):
    plain, chatty = hf(save(tmp_path / "plain", "llama")), hf(save(tmp_path / "chatty", "llama", CHATML))
    assert [who.chats(Need(generate=True)) for who in (plain, chatty)] == [False, True]
    assert not chatty.chats(Need(continuations=True))
    chatty.check(Need(chat=True, generate=True))
    with pytest.raises(Unsupported, match="no chat template; ask with chat = false"):
        plain.check(Need(chat=True, generate=True))


def test_sequences_are_grouped_by_what_they_share():
    french, english = [1, *range(100, 160)], [1, *range(200, 240)]
    rows = [[*french, 500 + n, 3] for n in range(10)] + [[*english, 600 + n, 3] for n in range(9)] + [[1, 7, 8]]
    found = groups(rows, [len(row) - 1 for row in rows])
    assert sorted((g.shared, len(g.members)) for g in found) == [(0, 1), (41, 9), (61, 10)]
    assert sorted(i for g in found for i in g.members) == list(range(20))
    assert groups([[1, 2, 3]] * 3, [2] * 3) == [(0, [0, 1, 2])]
    same = groups([[*french, 3]] * 20, [30] * 20)  # never beyond what may be shared
    assert [(g.shared, len(g.members)) for g in same] == [(30, 20)]


def test_batches_keep_to_the_budget_and_leave_nothing_out():
    rows = [[0] * n for n in (3, 9, 1, 7, 7, 30)]
    found = list(Budget(20, 100).batches(rows, len))
    assert sorted(map(len, sum(found, []))) == [1, 3, 7, 7, 9, 30]
    assert all(len(batch) == 1 or len(batch) * max(map(len, batch)) <= 20 for batch in found)
    assert [len(b) for b in Budget(1000, 4).batches(rows, len)] == [4, 2]
