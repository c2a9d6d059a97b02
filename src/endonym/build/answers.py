"""Questions without answers in, open items out: people from there answer, and every answer weighs as many people as gave it.

In: questions (sources: text, language, place). Out: a page for each and each person's replies; of them items whose ``accept`` holds the
answers with their votes; with ``unanswered`` a reason for every question that became none. The one thing to know: "I do not know" and "does
not apply" are answers of their own and are counted in ``meta``; nobody's silence is a vote. Models may be asked like people, and
``meta["answered_by"]`` says who answered: people, model, or both.
Paper: BLEnD (Myung et al. 2024), section 3 and its release (five annotators; answers with votes); Tuguesice, section 5.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..records import Item, Judgment, Message, Prompt, Response, Source
from ..thoughts import without_thoughts
from . import transpose_check as check
from .transpose_page import Answer, answer_page, wording
from .votes import apart, same, tally

VERSION = "1"
METHOD = "answers"


class Said(NamedTuple):
    """What one person said to a question: answers; or one of ``unknown``, ``not_here``, ``failed``."""

    person: str
    answers: tuple[str, ...] = ()
    silent: str = ""


class Counted(NamedTuple):
    """A question with all that was said to it."""

    question: Source
    said: tuple[Said, ...]

    def of(self, silent: str) -> int:
        return sum(each.silent == silent for each in self.said)

    @property
    def given(self) -> list[Said]:
        return [each for each in self.said if each.answers]


def write(questions: Iterable[Source], *, candidates: bool = False, file: Path | None = None) -> Iterator[Prompt]:
    """Put every question to everybody. ``candidates``: show what a model would answer, which sways people.

    ``file``: other words than the shipped ones for the questions' language. Raises InputError for a question without a place.
    """
    for each in questions:
        turns = (Message(role="user", content=answer_page(each, wording(each.lang, file), candidates=candidates)),)
        yield Prompt(item=each.id, messages=turns, method=METHOD, max_tokens=64)


def read(responses: Iterable[Response], prompts: Iterable[Prompt], questions: Iterable[Source], *, file: Path | None = None,
         least: int = 1, not_here: float = 0.6, subset: str = "") -> Iterator[Item]:  # fmt: skip
    """The questions that at least ``least`` people answered, in their order.

    ``not_here``: the share of those asked from which on "does not apply" leaves a question out; BLEnD leaves out at 3 of 5.
    ``meta`` has ``answered_by``, and of people asked, those who answered, ``unknown`` and ``not_here``: how many.
    """
    for each in _counted(responses, prompts, questions, file):
        if not _fault(each, least, not_here):
            articles = wording(each.question.lang, file).answer.articles
            accept = tally([(said.person, said.answers) for said in each.given], articles)
            yield check.item(each.question, accept, subset=subset, meta=_meta(each))


def unanswered(said: Iterable[Response], asked: Iterable[Prompt], questions: Iterable[Source], *, file: Path | None = None,
               least: int = 1, not_here: float = 0.6) -> Iterator[Judgment]:  # fmt: skip
    """The questions that became no item: criterion ``not_here`` or ``unanswered``; tables and settings are those of ``read``."""
    for each in _counted(said, asked, questions, file):
        if why := _fault(each, least, not_here):
            counts = [f"{len(each.given)} of {len(each.said)} answered"]
            counts += [f"{n} {words}" for name, words in _SILENT.items() if (n := each.of(name))]
            note = f"{', '.join(counts)}: {each.question.text[:120]}"
            yield Judgment(item=each.question.id, judge=f"check/{why}", criterion=why, value="error", guideline="answers/1", note=note)


_SILENT = {"unknown": "do not know", "not_here": "say that it does not apply", "failed": "gave no reply"}


def _fault(each: Counted, least: int, not_here: float) -> str:
    asked = len(each.said) - each.of("failed")
    if asked and each.of("not_here") >= not_here * asked:
        return "not_here"
    return "unanswered" if len(each.given) < max(1, least) else ""


def _meta(each: Counted) -> dict[str, str]:
    kinds = {"people" if said.person.startswith("people/") else "model" for said in each.given}
    counts = {"asked": len(each.said), "answered": len(each.given), "unknown": each.of("unknown"), "not_here": each.of("not_here")}
    return {"answered_by": "+".join(sorted(kinds, reverse=True)), **{name: str(n) for name, n in counts.items()}}


def _counted(responses: Iterable[Response], prompts: Iterable[Prompt], questions: Iterable[Source],
             file: Path | None) -> Iterator[Counted]:  # fmt: skip
    """Every question that was put, with all that was said. Raises InputError where the questions are others than those that were put."""
    every, subject = {each.id: each for each in questions}, {p.id: p.item for p in prompts}
    if missing := sorted(set(subject.values()) - every.keys()):
        raise InputError(f"questions: {missing[0]} was put and is not among them; name the table that the prompts were made of")
    said: dict[str, list[Said]] = defaultdict(list)
    for response in responses:
        question = every[subject[response.prompt]]
        said[question.id].append(heard(response, wording(question.lang, file).answer))
    yield from (Counted(each, tuple(said[key])) for key, each in every.items() if key in said)


def heard(response: Response, told: Answer) -> Said:
    """What a reply says: answers, with semicolons between them; where there is none, which silence it is."""
    if response.error:
        return Said(response.model, silent="failed")
    parts = apart(without_thoughts(response.text))
    not_here, unknown = ({same(word) for word in words} for words in (told.not_here, told.unknown))
    answers = tuple(part for part in parts if same(part, told.articles) and same(part) not in not_here | unknown)
    if answers:
        return Said(response.model, answers)
    return Said(response.model, silent="not_here" if any(same(part) in not_here for part in parts) else "unknown")
