"""Models are asked each submitted question, plain and from inside the culture: a question that they all answer tells nothing.

In: submitted versions. Out: replies, kept with the version. The one thing to know: what has still to be asked is read from the
database, so that a server that was killed goes on where it stopped; answers come from the workspace's cache where they can.

Paper: Tuguesice, guidelines D2 and D3, appendix A (oracle).
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from sqlalchemy import select

from ..ask import ask
from ..errors import EndonymError
from ..evaluate.answer import mark, status, write
from ..records import Item, Model, Prompt
from .models import Probe, Question, Version
from .seams import Probes, Reply
from .site import Site
from .texts import item, latest

log = logging.getLogger("endonym.web")


class Asked:
    """The default probe: each model, plain and oracle, and oracle as from each sister culture."""

    def __init__(self, models: Sequence[Model], *, sisters: Sequence[str] = (), cache: Path | None = None) -> None:
        self.models, self.sisters, self.cache = models, sisters, cache

    def __call__(self, question: Item) -> Iterator[Reply]:
        for model in self.models:
            try:
                yield from self._asked(model, question)
            except EndonymError as problem:
                yield Reply(model=model.id, style="plain", text=str(problem), status="failed")

    def _asked(self, model: Model, question: Item) -> Iterator[Reply]:
        prompts, styles = self._prompts(question)
        for response, style in zip(ask(prompts, model=model, cache=self.cache), styles, strict=True):
            right = not response.error and mark(response.text, question)["strict"] > 0
            said = status(response, question, found=right)
            yield Reply(model=model.id, style=style, text=response.error or response.text, status=said, right=right)

    def _prompts(self, question: Item) -> tuple[list[Prompt], list[str]]:
        own = list(write([question], styles=("plain", "oracle") if question.place else ("plain",)))
        prompts, styles = own, [p.style for p in own]
        for place in self.sisters:
            other = msgspec.structs.replace(question, place=place)
            prompts = [*prompts, *write([other], styles=("oracle",))]
            styles.append(f"oracle:{place}")
        return prompts, styles


class Worker:
    """A thread that asks what has still to be asked, whenever it is woken."""

    def __init__(self, site: Site, probes: Probes) -> None:
        self.site, self.probes = site, probes
        self._awake, self._stopped = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="endonym-probes", daemon=True)

    def start(self) -> None:
        self.site.wake = self._awake.set
        self._awake.set()
        self._thread.start()

    def stop(self, *, timeout: float = 2.0) -> None:
        self._stopped.set()
        self._awake.set()
        self._thread.join(timeout)

    def _work(self) -> None:
        while not self._stopped.is_set():
            self._awake.wait()
            self._awake.clear()
            try:
                self.round()
            except Exception as problem:  # the thread outlives a database that is away for a moment; the class says enough for a log
                log.warning("probes: %s; they go on with the next submission", type(problem).__name__)

    def round(self) -> int:
        """Ask for every version that was not asked about; return their number."""
        done = 0
        while not self._stopped.is_set() and (waiting := self._waiting()):
            for version, question in waiting:
                if self._stopped.is_set():
                    break
                self._keep(version, _tried(self.probes, question))
                done += 1
        return done

    def _waiting(self) -> list[tuple[int, Item]]:
        chosen = latest().where(
            Question.project_id == self.site.project, Question.status.in_(("submitted", "discussion")), Version.probed == 0,
            Version.stem != "", Version.answer != "",
        )  # fmt: skip
        with self.site.database.reading() as s:
            return [(v.id, item(v, self.site.config, maker="")) for v in s.scalars(chosen.order_by(Question.updated).limit(20))]

    def _keep(self, version_id: int, replies: Iterable[Reply]) -> None:
        rows = [Probe(version_id=version_id, model=r.model, style=r.style, text=r.text, status=r.status, right=r.right) for r in replies]
        with self.site.database.writing() as s:
            found = s.scalar(select(Version).where(Version.id == version_id, Version.probed == 0))
            if found:
                found.probed = time.time()
                s.add_all(rows)


def _tried(probes: Probes, question: Item) -> list[Reply]:
    """Replies, or why there are none: one question that cannot be asked holds up no other."""
    try:
        return list(probes(question))
    except EndonymError as problem:
        return [Reply(model="", style="plain", text=str(problem), status="failed")]
