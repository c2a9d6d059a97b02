"""Many calls in flight at once, behind an ordinary generator.

In: items, one at a time and never more than twice ``width`` ahead; a coroutine that works on one. Out: what it returns,
in any order, exactly one for each item. The one thing to know: the items are pulled by the caller's own thread (a
cursor of a database stays where it was opened), and only the event loop lives in another; finished work is handed over
in lists, because waking a thread for each would cost more than the call.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, closing, suppress
from itertools import islice
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")
Opened = Callable[[], AbstractAsyncContextManager[Callable[[T], Awaitable[R]]]]
AHEAD = 2
STOPPING = 10.0


def flow(items: Iterable[T], opened: Opened[T, R], width: int) -> Iterator[R]:
    """Work on items, ``width`` at a time, as ``batches`` does; gives what is done one by one."""
    with closing(batches(items, opened, width)) as lists:
        for done in lists:
            yield from done


def batches(items: Iterable[T], opened: Opened[T, R], width: int) -> Generator[list[R], None, None]:
    """Work on items; gives what was finished at the same time as one list. ``opened`` is entered in the loop's thread.

    An exception of the coroutine is raised here, and what is in flight is cancelled; an exception of ``items`` is raised
    after what is in flight has been handed over, since that has been paid for. Closing the generator cancels the rest.
    """
    source, loop, out, stop = iter(items), _Loop(opened, width), 0, None
    loop.start()
    try:
        while True:
            if stop is None:
                batch, stop = pull(source, AHEAD * width - out)
                out += len(batch)
                loop.feed(batch)
            if not out:
                break
            done = loop.done.get()
            if isinstance(done, BaseException):
                raise done
            out -= len(done)
            yield done
    finally:
        loop.stop()
    if not isinstance(stop, StopIteration):
        raise stop  # type: ignore[misc]  # set, or the loop above would not have ended


def once(opened: Opened[T, R], item: T) -> R:
    """Work on a single item, with or without an event loop already running in this thread."""
    return next(iter(list(flow([item], opened, 1))))


def pull(source: Iterator[T], most: int) -> tuple[list[T], Exception | None]:
    """Take up to ``most`` items, and what ended the source if it has ended."""
    batch: list[T] = []
    try:
        batch.extend(islice(source, most))
    except Exception as problem:
        return batch, problem
    return batch, StopIteration() if len(batch) < most else None


class _Loop(Generic[T, R]):
    """An event loop in a thread of its own, with ``width`` workers."""

    def __init__(self, opened: Opened[T, R], width: int) -> None:
        self.done: SimpleQueue[list[R] | BaseException] = SimpleQueue()
        self._opened, self._width = opened, width
        self._loop = asyncio.new_event_loop()
        self._todo: deque[T] = deque()
        self._idle: deque[asyncio.Future[None]] = deque()
        self._finished: list[R] = []
        self._main: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="endonym-calls", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def feed(self, batch: list[T]) -> None:
        """Give work to the loop; one that has died has left its reason in ``done``."""
        if batch:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._take, batch)

    def stop(self) -> None:
        """Cancel what is in flight and end the thread."""
        if self._thread.is_alive():
            with suppress(RuntimeError):  # the loop may just have closed by itself
                self._loop.call_soon_threadsafe(self._cancel)
            self._thread.join(STOPPING)

    def _cancel(self) -> None:
        if self._main:
            self._main.cancel()

    def _run(self) -> None:
        self._main = self._loop.create_task(self._serve())
        try:
            with suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._main)
        except ExceptionGroup as group:
            self.done.put(group.exceptions[0])
        except Exception as problem:
            self.done.put(problem)
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _serve(self) -> None:
        async with self._opened() as work, asyncio.TaskGroup() as group:
            for _ in range(self._width):
                group.create_task(self._worker(work))

    async def _worker(self, work: Callable[[T], Awaitable[R]]) -> None:
        async for item in self._items():
            self._finish(await work(item))

    async def _items(self) -> AsyncIterator[T]:
        while True:
            while not self._todo:
                waiting = self._loop.create_future()
                self._idle.append(waiting)
                await waiting
            yield self._todo.popleft()

    def _take(self, batch: list[T]) -> None:
        self._todo.extend(batch)
        for _ in range(min(len(batch), len(self._idle))):
            waiting = self._idle.popleft()
            if not waiting.done():
                waiting.set_result(None)

    def _finish(self, result: R) -> None:
        if not self._finished:
            self._loop.call_soon(self._hand_over)
        self._finished.append(result)

    def _hand_over(self) -> None:
        finished, self._finished = self._finished, []
        self.done.put(finished)
