"""An OpenAI-compatible server on 127.0.0.1 that misbehaves as it is told, and counts.

What goes wrong is written into the prompt, one fault a try (the last one stays): ``"… [[429,500,ok]]"``. A prompt
without such a script meets a random fault with the probability ``rate``, drawn from the seed, the prompt and the number
of the try, so that a run can be repeated. Use it in a thread (``with FaultServer() as server``) or as a process
(``python fault_server.py --rate 0.01``, which prints its URL).
"""

import argparse
import asyncio
import contextlib
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator

from aiohttp import web

MODEL = "house-1"
RANDOM = ("429", "429-after", "500", "503", "hang", "cut", "half", "wrong", "empty", "200-error")
AFTER = 0.05
STATUS = {
    "400": 400,
    "401": 401,
    "402": 402,
    "403": 403,
    "404": 404,
    "422": 422,
    "429": 429,
    "500": 500,
    "502": 502,
    "503": 503,
    "504": 504,
}
LETTERS = [("A", -2.0), (" A", -2.5), ("B", -0.5), ("\n", -3.0), ("The", -4.0)]
"""First tokens in the order of a bad sorter: whoever wants the least has to look at all of them."""


class FaultServer:
    """Counts by prompt: ``calls`` (requests that arrived), ``answered`` (whole answers that were sent)."""

    def __init__(self, *, rate: float = 0.0, seed: int = 0, logprobs: str = "yes", most_tops: int = 20, hang: float = 30.0) -> None:
        self.rate, self.seed, self.logprobs, self.most_tops, self.hang = rate, seed, logprobs, most_tops, hang
        self.calls: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.bodies: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.in_flight = self.most_in_flight = 0
        self.pause = 0.0
        self.mended = False
        """Set: whatever a prompt says, nothing goes wrong any more."""
        self.url = ""

    def plan(self, text: str, number: int) -> str:
        """What happens at the ``number``-th try (from 1) of a prompt."""
        if self.mended:
            return "ok"
        if script := re.search(r"\[\[(.*?)\]\]", text):
            steps = [s.strip() for s in script[1].split(",")]
            return steps[min(number, len(steps)) - 1]
        rng = random.Random(f"{self.seed}:{text}:{number}")
        return rng.choice(RANDOM) if rng.random() < self.rate else "ok"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._handle(request)
        finally:
            self.in_flight -= 1

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        text = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
        self.calls[text] += 1
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self.times.append(time.monotonic())
        fault = self.plan(text, self.calls[text])
        self.faults[fault] += 1
        if self.pause:
            await asyncio.sleep(self.pause)
        if fault in ("hang", "cut", "half"):
            return await self._break(request, fault, body)
        if (status := STATUS.get(fault.partition("-")[0])) is not None:
            return self._refuse(status, fault, request)
        if body.get("logprobs") and (self.logprobs == "refused" or body.get("top_logprobs", body["logprobs"]) > self.most_tops):
            return web.json_response({"error": {"message": "top_logprobs: not so many"}}, status=400)
        self.answered[text] += 1
        return web.json_response(self.reply(body, fault))

    def _refuse(self, status: int, fault: str, request: web.Request) -> web.Response:
        key = request.headers.get("Authorization", "")
        error = {"message": f"told to give {fault} to {key}", "code": fault.partition("-")[2] or None}
        headers = {"Retry-After": str(AFTER)} if fault.endswith("after") else {"Retry-After": "3600"} if fault.endswith("tomorrow") else {}
        return web.json_response({"error": error}, status=status, headers=headers)

    async def _break(self, request: web.Request, fault: str, body: dict) -> web.StreamResponse:
        if fault == "hang":
            await asyncio.sleep(self.hang)
        whole = json.dumps(self.reply(body, "ok")).encode()
        if fault == "half":
            return web.Response(body=whole[: len(whole) // 2], content_type="application/json")
        response = web.StreamResponse(headers={"Content-Length": str(len(whole)), "Content-Type": "application/json"})
        await response.prepare(request)
        await response.write(whole[: len(whole) // 2])
        if request.transport is not None:
            request.transport.abort()
        return response

    def reply(self, body: dict, fault: str) -> dict:
        """A whole answer: the text repeats the last word of the prompt, so that a mix-up shows."""
        shown = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
        text = "" if fault == "empty" else f"echo {shown}"
        choice: dict = {"index": 0, "finish_reason": {"filter": "content_filter", "cut-off": "length"}.get(fault, "stop"), "text": text}
        if "messages" in body:
            del choice["text"]
            choice["message"] = {"role": "assistant", "content": text, "reasoning_content": "B, or rather C"}
        if fault == "refusal":
            choice["message"] |= {"content": None, "refusal": "I would rather not."}
        if fault == "200-error":
            return {"error": {"message": "upstream is busy", "code": 502}}
        if fault == "no-choices":
            return {"choices": []}
        if body.get("logprobs") and self.logprobs == "yes":
            choice["logprobs"] = self.logs(body, fault)
        usage = {"prompt_tokens": 7, "completion_tokens": 3}
        model = "another-model" if fault == "wrong" else MODEL
        return {"choices": [choice], "usage": usage, "model": model, "system_fingerprint": "fp_7", "object": "x", "extra": {"a": [1]}}

    def logs(self, body: dict, fault: str) -> dict:
        """Log-probabilities in the shape of the door: chat, or completions with or without an echo."""
        tops = [("Sure", -0.1), ("I", -2.0)] if fault == "no-letters" else LETTERS
        if "messages" in body:
            return {"content": [{"token": "B", "logprob": -0.5, "top_logprobs": [{"token": t, "logprob": p} for t, p in tops]}]}
        if body.get("echo"):
            words = re.findall(r"\s*\S+", body["prompt"]) + [" next"]
            return {"tokens": words, "token_logprobs": [None] + [-0.25 * len(w) for w in words[1:]], "top_logprobs": [None] * len(words)}
        return {"tokens": ["B"], "token_logprobs": [-0.5], "top_logprobs": [dict(tops)]}

    async def models(self, request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": MODEL}]})

    async def counts(self, request: web.Request) -> web.Response:
        return web.json_response({"calls": self.calls, "answered": self.answered, "faults": self.faults})

    @contextlib.asynccontextmanager
    async def running(self, port: int = 0):
        app = web.Application()
        app.add_routes([web.post("/v1/chat/completions", self.handle), web.post("/v1/completions", self.handle)])
        app.add_routes([web.get("/v1/models", self.models), web.get("/counts", self.counts)])
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            yield self
        finally:
            await runner.cleanup()

    def __enter__(self) -> "FaultServer":
        self._loop, ready = asyncio.new_event_loop(), threading.Event()
        self._stop = asyncio.Event()

        async def serve() -> None:
            async with self.running():
                ready.set()
                await self._stop.wait()

        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(serve()), daemon=True)
        self._thread.start()
        if not ready.wait(10):
            raise RuntimeError("the server did not start")
        return self

    def __exit__(self, *problem: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()


@contextlib.contextmanager
def dead_url() -> Iterator[str]:
    """A URL where nobody answers, and where nobody else will sit down meanwhile."""
    import socket

    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hang", type=float, default=30.0)
    told = parser.parse_args()
    async with FaultServer(rate=told.rate, seed=told.seed, hang=told.hang).running(told.port) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
