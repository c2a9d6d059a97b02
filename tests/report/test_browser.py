"""The page in a browser: accessibility by axe, and the list of questions at 100,000 rows.

Needs Chromium; axe needs ``axe.min.js`` of npm's ``axe-core`` (``npm install axe-core``), in ``node_modules`` or named by AXE_CORE.
"""

import html as markup
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from endonym.report.disputed import Disputed
from endonym.report.figures import figures
from endonym.report.numbers import count
from endonym.report.page import page
from endonym.report.sample import LIMIT, Sample
from endonym.report.workspace import load

ROOT = Path(__file__).parents[2]
AXE = Path(os.environ.get("AXE_CORE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))
QUIET = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
browser = pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")


def dump(path: Path, profile: Path) -> str:
    """The page as it stands when its scripts have run."""
    plain = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000", f"--user-data-dir={profile}"]
    command = ["chromium", *plain, *QUIET, "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def with_script(text: str, script: str) -> str:
    """A page without its policy, so that a script of ours may look at it."""
    bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    return bare.replace("</body>", f"<script>{script}</script></body>")


WHEN_READY = """
new Promise((go) => { const look = () => document.documentElement.dataset.ready ? go() : setTimeout(look, 20); look(); })
  .then(%s).then((found) => { document.body.dataset.found = JSON.stringify(found); });
"""


def found(dumped: str):
    (text,) = re.findall(r'data-found="([^"]*)"', dumped)
    return json.loads(markup.unescape(text))


@browser
@pytest.mark.skipif(not AXE.is_file(), reason="needs npm's axe-core: npm install axe-core, or AXE_CORE=…/axe.min.js")
def test_axe_finds_no_fault(html, tmp_path):
    script = AXE.read_text(encoding="utf-8").replace("</script", "<\\/script")
    run = WHEN_READY % "() => axe.run().then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes[0].html]))"
    (tmp_path / "page.html").write_text(with_script(html, f"{script}</script><script>{run}"), encoding="utf-8")
    assert found(dump(tmp_path / "page.html", tmp_path / "profile")) == []


WIDEN = """() => {
  const row = document.querySelector('.scroll tr'), box = row.closest('.scroll'), root = document.documentElement;
  for (let n = 0; n < 60; n++) row.append(row.lastElementChild.cloneNode(true));
  row.lastElementChild.innerHTML = 'many models <span class="vh">words for a screen reader</span>';
  return [box.scrollWidth > box.clientWidth + 1000, root.scrollWidth <= root.clientWidth];
}"""


@browser
def test_a_wide_table_scrolls_in_its_box_and_not_the_page(html, tmp_path):
    (tmp_path / "page.html").write_text(with_script(html, WHEN_READY % WIDEN), encoding="utf-8")
    assert found(dump(tmp_path / "page.html", tmp_path / "profile")) == [True, True]


STEPS = """async () => {
  const $ = (id) => document.getElementById(id), nodes = () => document.querySelectorAll('[role=option]').length;
  const all = $('found').textContent, shown = nodes();
  $('list').scrollTop = 1e9; $('list').dispatchEvent(new Event('scroll'));
  const last = [...document.querySelectorAll('[role=option]')].pop().getAttribute('aria-posinset'), scrolled = nodes();
  $('q').value = 'NUMBER 99998?'; $('q').dispatchEvent(new Event('input')); await new Promise((go) => setTimeout(go, 400));
  const one = $('found').textContent, text = $('detail').textContent;
  $('q').value = ''; $('f-status').value = '1'; $('f-status').dispatchEvent(new Event('input'));
  const wrong = $('found').textContent;
  $('list').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
  return { all, shown, last, scrolled, one, text, wrong, at: $('list').getAttribute('aria-activedescendant'), title: document.title };
}"""


@browser
def test_a_hundred_thousand_rows_are_searched_and_few_are_in_the_page(workspace, tmp_path):
    hostile = "</script><script>document.title='owned'</script>"
    options = [["a", True], ["b", False]]
    stems = [f"Question number {n}?" for n in range(LIMIT)]
    rows = [[f"i{n}", s, f"{s} Answer:", "en", [], options, [[0, n % 2, n % 2, hostile, "", []]]] for n, s in enumerate(stems)]
    space = load(workspace)
    numbers = count(space, by=(), draws=100, seed=0)
    none = Disputed(scorers=[], pairs=[], rows=[])
    text = page(space, numbers, figures(numbers, space.series), Sample(models=["m"], labels=[], rows=rows), none)
    assert len(text) < 4_000_000
    (tmp_path / "page.html").write_text(with_script(text, WHEN_READY % STEPS), encoding="utf-8")
    seen = found(dump(tmp_path / "page.html", tmp_path / "profile"))
    assert (seen["all"], seen["last"]) == ("100,000 of 100,000 prompts", "100000")
    assert seen["shown"] < 60 and seen["scrolled"] < 60
    assert seen["one"] == "1 of 100,000 prompts" and hostile in seen["text"]
    assert (seen["wrong"], seen["at"]) == ("50,000 of 100,000 prompts", "row-49999")
    assert seen["title"] == "nations-test · endonym report"
