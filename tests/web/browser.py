"""Browsers of people for the tests: Debian's Chromium driven by Playwright, a server of its own, axe.

``WEB_SHOTS=DIR`` keeps a picture of every page that is looked at: wide, wide and dark, on a phone.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .conftest import PASSWORD

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
CHROMIUM = shutil.which("chromium")
ROOT = Path(__file__).parents[2]
AXE = Path(os.environ.get("AXE_CORE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))
SHOTS = os.environ.get("WEB_SHOTS", "")
QUIET = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
PLAIN = ["--no-sandbox", "--disable-gpu"]
LISTS = {"domain", "guideline", "role", "table", "task_guideline"}
"""Fields that are chosen from, not written into."""
WIDE, PHONE = {"width": 1100, "height": 760}, {"width": 390, "height": 844}
SERIOUS = """async (only) => {
  const told = await axe.run(document, { preload: false, resultTypes: ["violations"], ...(only.length ? { runOnly: only } : {}) });
  return told.violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} ${n.any.map((a) => a.message).join(" ")}`));
}"""
TOO_WIDE = """() => { const page = document.documentElement;
  return page.scrollWidth <= page.clientWidth ? [] : [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > page.clientWidth + 1 && !e.closest(".scroll, nav, .vh"))
    .map((e) => e.outerHTML.slice(0, 120)).concat("too wide"); }"""


@contextmanager
def serving(workspace: Path, *more: str) -> Iterator[tuple[str, str]]:
    """``endonym web`` as a process of its own, on a free port: its address, and the link of the owner."""
    command = [sys.executable, "-u", "-m", "endonym", "web", str(workspace), "--port", "0", "--log", *more]
    with (workspace.parent / f"{workspace.name}.log").open("w+") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            link, base = (process.stdout.readline() for _ in range(2))  # type: ignore[union-attr]
            yield re.match(r"http://127\.0\.0\.1:\d+", base)[0], re.search(r"/join/[\w-]+", link)[0]  # type: ignore[index]
        finally:
            process.terminate()
            process.communicate(timeout=20)
        log.seek(0)
        assert "Traceback" not in log.read()


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's browser; no other is ever fetched."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET + PLAIN)
        yield browser
        browser.close()


class Visitor:
    """Somebody at a browser. ``by`` is how they act: mouse, touch or keys; without ``scripts`` the page's JavaScript is off."""

    def __init__(self, browser: Any, base: str, lang: str = "en-GB", *, by: str = "mouse", scripts: bool = True) -> None:
        phone = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2} if by == "touch" else {}
        self.by, self.size = by, PHONE if by == "touch" else WIDE
        context = browser.new_context(base_url=base, locale=lang, viewport=self.size, java_script_enabled=scripts, **phone)
        context.set_default_timeout(20_000)
        self.page = context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda m: self._told(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda problem: self.faults.append(str(problem)))
        self.page.on("response", self._answered)

    def _told(self, text: str) -> None:
        if "Failed to load resource" not in text:  # a page that says 409 is no fault of the page; files are looked at below
            self.faults.append(text)

    def _answered(self, response: Any) -> None:
        if response.status >= 500 or (response.status >= 400 and response.request.resource_type != "document"):
            self.faults.append(f"{response.status} {response.url}")

    def __getitem__(self, selector: str) -> Any:
        return self.page.locator(selector)

    @property
    def path(self) -> str:
        return re.sub(r"^https?://[^/]+", "", self.page.url)

    @property
    def me(self) -> str:
        return self["#me"].inner_text()

    def says(self, *texts: str) -> None:
        """Wait until a text stands on the page."""
        for text in texts:
            self.page.get_by_text(text).first.wait_for()

    def open(self, path: str) -> None:
        assert self.page.goto(path).status < 400, path

    def act(self, selector: str) -> None:
        """Press what stands there, in this visitor's way."""
        if self.by == "keys":
            self.reach(selector)
            self.page.keyboard.press("Enter")
        elif self.by == "touch":
            self[selector].tap()
        else:
            self[selector].click()

    def go(self, selector: str) -> None:
        """Press what leads to another page, and wait until it is there."""
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.act(selector)

    def reach(self, selector: str) -> None:
        """Come to a place by the Tab key."""
        self[selector].first.wait_for()
        for _ in range(150):
            if self.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector}: cannot be reached by the keyboard on {self.path}")

    def fill(self, **fields: str) -> None:
        """Write into fields by their ids; a list is chosen from."""
        for name, text in fields.items():
            selector = f"#{name.replace('_', '-')}"
            chosen = name in LISTS
            if self.by == "keys":
                self.reach(selector)
                self._choose(selector, text) if chosen else self._type(text)
            elif chosen:
                self[selector].select_option(text)
            else:
                self[selector].fill(text)

    def _type(self, text: str) -> None:
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def _choose(self, selector: str, value: str) -> None:
        """Go down a list to a value."""
        for _ in range(self[f"{selector} option"].count()):
            if self[selector].input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{value}: cannot be chosen by the keyboard")

    def pick(self, name: str, value: str) -> None:
        """Choose one of several."""
        group, one = f"[name={name}]", f'[name={name}][value="{value}"]'
        if self.by != "keys":
            return self[one].tap() if self.by == "touch" else self[one].check()
        self.reach(group)
        self.page.keyboard.press("Space")
        for _ in range(self[group].count()):
            if self[f"{group}:checked"].get_attribute("value") == value:
                return None
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{value}: cannot be chosen by the keyboard")

    def join(self, link: str) -> str:
        """Use an invitation; return the pseudonym."""
        self.open(link)
        self.fill(password=PASSWORD, again=PASSWORD)
        self.go("#join")
        return self.me

    def practise(self, answers: dict[str, str]) -> None:
        """Go through the practice round."""
        for _ in answers:
            self.pick("said", answers[self["main [name=id]"].input_value()])
            self.go("#answer-exercise")

    def write(self, do: str, **fields: str) -> int:
        """Fill the form and press one of its buttons; return the question's number."""
        self.fill(**fields)
        self.go(f"#{do}")
        return int(re.search(r"/questions/(\d+)", self.path)[1])  # type: ignore[index]

    def decide(self, question: int, verdict: str, *, guideline: str = "", reason: str = "") -> None:
        """Take a decision."""
        self.open(f"/adjudicate/{question}")
        self.fill(decide_reason=reason, **({"guideline": guideline} if guideline else {}))
        self.go(f"#{verdict}")

    def look(self, name: str) -> None:
        """Hold a page as it stands to axe, light and dark, and to the width of a phone."""
        self.page.wait_for_load_state()
        self.faults += [f"{name}: {fault}" for fault in self._axe()]
        self._shot(f"{name}-light")
        self.page.emulate_media(color_scheme="dark")
        self.faults += [f"{name}, dark: {fault}" for fault in self._axe("color-contrast")]
        self._shot(f"{name}-dark")
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(PHONE)
        self.faults += [f"{name}, phone: {fault}" for fault in self.page.evaluate(TOO_WIDE)]
        self._shot(f"{name}-phone")
        self.page.set_viewport_size(self.size)

    def _axe(self, *only: str) -> list[str]:
        if not AXE.is_file():
            return []
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        return self.page.evaluate(SERIOUS, list(only))

    def _shot(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)
