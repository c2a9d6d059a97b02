"""Have replies to open questions judged under a guideline, by models and by people: the same question, the same answers.

In: items, the prompts and the responses that are to be judged (and, to read, what the judges said). Out: prompts for the judges, then
judgments, and with ``graded`` scores whose ``marks`` hold the judge's word beside those of the other scorers. A judgment's
``item`` names the reply: ``PROMPT of MODEL``. A verdict that cannot be read is unparsed, never a middle value.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..errors import InputError, TableError
from ..records import Guideline, Item, Judgment, Message, Prompt, Response, Score
from ..thoughts import strip_thinking

VERSION = "1"
GUIDELINE = Path(__file__).parent.parent / "data" / "guidelines" / "answer.toml"


def guideline(path: Path = GUIDELINE) -> Guideline:
    """Read a guideline; raise TableError naming file and field."""
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=Guideline)
    except OSError as problem:
        raise TableError(f"{path}: {(problem.strerror or str(problem)).lower()}") from problem
    except msgspec.DecodeError as problem:
        raise TableError(f"{path}: not a guideline: {problem}") from problem
    if len(found.answers) < 2:
        raise TableError(f"{path}: answers: a guideline for replies has at least two")
    return found


def reply_id(response: Response) -> str:
    """The name of a reply, as the item of a judgment."""
    return f"{response.prompt} of {response.model}"


def write(items: Iterable[Item], asked: Iterable[Prompt], said: Iterable[Response], *, file: Path = GUIDELINE) -> Iterator[Prompt]:
    """Put the guideline's question about every reply; a failed call has none."""
    told, known, prompts = guideline(file), {i.id: i for i in items}, {p.id: p.item for p in asked}
    for response in said:
        if not response.error:
            text = page(told, known[prompts[response.prompt]], strip_thinking(response.text))
            turns = (Message(role="user", content=text),)
            yield Prompt(item=reply_id(response), messages=turns, method=f"judge:{told.id}", gap=" ", max_tokens=64)


def page(told: Guideline, item: Item, reply: str) -> str:
    """What a judge sees. The reply stands between marks, so that nothing in it can pass for the guideline's words."""
    accepted = "; ".join(a.text for a in item.accept)
    examples = [*told.good, *told.bad]
    parts = [told.advice.strip(), *examples, "", f"Question: {item.stem}", f"Accepted: {accepted}", "Reply, between the marks:", "<<<"]
    parts += [reply.replace("<<<", "‹‹‹").replace(">>>", "›››"), ">>>", f"{told.question} ({' / '.join(told.answers)})", "Verdict:"]
    return "\n".join(parts)


def read(responses: Iterable[Response], prompts: Iterable[Prompt], *, file: Path = GUIDELINE) -> Iterator[Judgment]:
    """Take every response for a judgment; one that the guideline does not allow is kept as unparsed, without a value."""
    told, subject = guideline(file), {p.id: p.item for p in prompts}
    for response in responses:
        value = "" if response.error else verdict(response.text, told.answers)
        status = "failed" if response.error else "answered" if value else "unparsed"
        yield Judgment(
            item=subject[response.prompt], judge=response.model, criterion=told.criterion, value=value, status=status, guideline=told.id
        )  # fmt: skip


def verdict(text: str, answers: tuple[str, ...]) -> str:
    """The answer that a judge gave: what stands after the last "verdict", else the only one that is named; "" where there is none."""
    said = strip_thinking(text).lower()
    names = "|".join(sorted(map(re.escape, answers), key=len, reverse=True))
    last = re.findall(rf"verdict\W{{0,6}}({names})\b", said)
    if last:
        return last[-1]
    named = set(re.findall(rf"(?<!\w)(?<!not )({names})(?!\w)", said))
    return named.pop() if len(named) == 1 else ""


def graded(scores: Iterable[Score], judgments: Iterable[Judgment], *, judge: str = "") -> Iterator[Score]:
    """Lay a judge's word beside the other marks of each score: 1 for the guideline's first answer, 0 for another.

    ``judge`` may be left out where there is but one. Raises InputError where it has to be named.
    """
    said: dict[str, dict[str, Judgment]] = {}
    for judgment in judgments:
        said.setdefault(judgment.judge, {})[judgment.item] = judgment
    if judge not in said and (judge or len(said) != 1):
        raise InputError(f"judge: {judge!r} is none of {', '.join(sorted(said)) or 'nobody'}")
    chosen = said[judge or next(iter(said))]
    for score in scores:
        found = chosen.get(f"{score.prompt} of {score.model}")
        marks = {"judge": float(found.value == "right")} if found and found.status == "answered" else {}
        yield msgspec.structs.replace(score, marks={**score.marks, **marks})
