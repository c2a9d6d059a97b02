"""The whole way in real browsers: three annotators and two adjudicators, from an invitation to a release.

Needs playwright and Chromium; axe needs ``axe.min.js`` of npm's ``axe-core``, in ``node_modules`` or named by AXE_CORE.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from endonym import store
from endonym.records import Item, Judgment

from .browser import AXE, CHROMIUM, Visitor, chromium, serving

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
CONFIG = 'name = "Por dentro"\nlang = "pt-PT"\nplace = "PT"\nopinions = {opinions}\n'
RULE = 'id = "clear/1"\ncriterion = "clear"\nquestion = "Is the question clear?"\nscale = [1, 5]\n'
PRACTICE = """[[exercise]]
id = "weather"
stem = "Costuma chover aqui no inverno?"
answer = "sim"
breaks = ["L7"]
why = "Responde-se com sim ou não."
[[exercise]]
id = "emergency"
stem = "Que número se marca quando há um incêndio?"
answer = "112"
why = "Toda a gente o sabe."
"""
RIGHT = {"weather": "L7", "emergency": ""}
BLOCKED = {"stem": "Quem é o presidente de Portugal neste momento?", "answer": "Fulano", "domain": "politics"}
FLOWER = {"stem": "Que flor se põe na lapela em abril?", "answer": "cravo", "variants": "um cravo", "domain": "feasts"}
HOURS = {"stem": "A que horas abrem normalmente as lojas?", "answer": "9 horas", "domain": "work"}
EARLY = "A que horas abre o comércio de manhã?"
CAKE = {"stem": "Que bolo se come no dia de Reis?", "answer": "bolo-rei", "variants": "bolo rei", "domain": "feasts"}
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
SOUP = {"stem": "Que sopa leva couve e chouriço?", "answer": "caldo verde", "domain": "food"}


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture
def project(tmp_path):
    """Make a workspace."""

    def made(*, opinions: int = 1) -> Path:
        (folder := tmp_path / "inside").mkdir()
        (folder / "web.toml").write_text(CONFIG.format(opinions=opinions), encoding="utf-8")
        (folder / "guideline.toml").write_text(RULE, encoding="utf-8")
        (folder / "training.toml").write_text(PRACTICE, encoding="utf-8")
        return folder

    return made


def invited(owner: Visitor, role: str, note: str = "") -> str:
    if not owner.path.startswith("/people"):
        owner.open("/people")
    owner.fill(role=role, invite_note=note)
    owner.go("#invite")
    return owner["#link"].input_value()


def arrived(owner: Visitor, visitor: Visitor, role: str) -> Visitor:
    visitor.join(invited(owner, role))
    return visitor


def at_work(owner: Visitor, visitor: Visitor) -> Visitor:
    """An annotator who has come through the practice round."""
    arrived(owner, visitor, "annotator")
    visitor.go("#start")
    visitor.practise(RIGHT)
    visitor.go("#start")
    return visitor


def shown_round(owner: Visitor, ane: Visitor) -> Visitor:
    """The same, and every page on the way is looked at."""
    link = invited(owner, "annotator", "a cousin of Ane's")
    owner.look("people")
    ane.open("/sign-in")
    ane.look("sign-in")
    ane.open(link)
    ane.look("join")
    ane.join(link)
    ane.look("account")
    ane.go("#start")
    ane.says("Antes da primeira pergunta")
    ane.look("training")
    ane.practise(RIGHT)
    ane.open("/guidelines")
    ane.look("guidelines")
    ane.open("/write")
    return ane


def test_from_invitation_to_release(browser, project):
    workspace = project(opinions=2)
    with serving(workspace) as (base, link):
        owner = Visitor(browser, base)
        owner.join(link)
        ane, rui = shown_round(owner, Visitor(browser, base, "pt-PT")), at_work(owner, Visitor(browser, base, by="touch"))
        zoe = at_work(owner, Visitor(browser, base, "fr-FR", by="keys"))
        dora, eva = (arrived(owner, Visitor(browser, base, lang), "adjudicator") for lang in ("pt-PT", "en-GB"))
        flower, soup = taught(ane), ane_writes_more(ane)
        hours, cake = drafted(rui), zoe.write("submit", **CAKE)
        for adjudicator in (dora, eva):
            adjudicator.decide(flower, "accept")
        both_texts(dora, rui, hours)
        for adjudicator in (dora, eva):
            adjudicator.decide(hours, "accept")
        rejected(dora, eva, ane, soup)
        discussed(dora, eva, cake)
        kept(eva)
        hostile(eva, dora, owner)
        judged(owner, rui)
        numbers(eva, zoe)
        exported(owner)
        everybody = (owner, ane, rui, zoe, dora, eva)
        assert [v.faults for v in everybody] == [[]] * len(everybody)
        makers = {FLOWER["stem"]: ane.me, EARLY: rui.me, CAKE["stem"]: zoe.me}
    released(workspace, makers)


def taught(ane: Visitor) -> int:
    """A hard rule speaks while one writes, blocks the submission, and keeps the text."""
    ane.fill(**BLOCKED)
    ane["#live .error"].first.wait_for()
    ane.says("diz de que cultura se trata")
    ane.look("write-live")
    number = ane.write("submit")
    ane["#blocked"].wait_for()
    assert ane["#stem"].input_value() == BLOCKED["stem"] and "Portugal" in ane["#findings-stem"].inner_text()
    ane.look("write-blocked")
    assert ane.write("submit", **FLOWER) == number
    ane.says("Enviada.")
    return number


def ane_writes_more(ane: Visitor) -> int:
    ane.open("/questions")
    ane.go("#new")
    return ane.write("submit", **SOUP)


def drafted(rui: Visitor) -> int:
    """A draft with a warning is saved on a phone, found again among one's own, and submitted in spite of the warning."""
    number = rui.write("save", **HOURS)
    rui.says("Saved.", "has exceptions")
    rui.go('nav a[href="/questions"]')
    rui.go(f'a[href="/questions/{number}"]')
    rui.go("#edit")
    assert rui["#stem"].input_value() == HOURS["stem"]
    rui.go("#submit")
    rui.says("Submitted.")
    return number


def both_texts(dora: Visitor, rui: Visitor, hours: int) -> None:
    """An adjudicator writes another version while the author writes: the author sees both, and puts them together."""
    rui.open(f"/questions/{hours}/edit")
    dora.go('nav a[href="/adjudicate"]')
    dora.look("queue")
    dora.open(f"/adjudicate/{hours}")
    dora.says("admite exceções")
    dora.act("#edit-version summary")
    dora.fill(stem=EARLY)
    dora.go("#save-version")
    dora.says("Guardada como nova versão.")
    rui.fill(variants="nove horas")
    rui.go("#save")
    rui["#stale"].wait_for()
    rui.says(EARLY, dora.me)
    assert rui["#stem"].input_value() == HOURS["stem"] and rui["#variants"].input_value() == "nove horas"
    rui.look("stale")
    rui.fill(stem=EARLY)
    rui.go("#save")
    rui.go("#submit")


def rejected(dora: Visitor, eva: Visitor, ane: Visitor, soup: int) -> None:
    """Two reject under a guideline; the author reads why."""
    dora.decide(soup, "reject", guideline="L4", reason="há várias")
    eva.decide(soup, "reject", guideline="L4", reason="more than one")
    ane.open(f"/questions/{soup}")
    ane.says("recusada", "há várias", "more than one")
    ane.look("rejected")


def hostile(eva: Visitor, dora: Visitor, owner: Visitor) -> None:
    """Markup in every field stays text, wherever it is shown."""
    eva.open("/write")
    eva.fill(stem=SCRIPT)
    eva["#live .findings"].first.wait_for()
    harmless(eva)
    eva.act("#ask-adjudicators summary")
    number = eva.write("ask", answer=SCRIPT, variants=f"{SCRIPT}2", domain="food", note=SCRIPT, reason=SCRIPT)
    eva.fill(text=SCRIPT)
    eva.go("#comment")
    invited(owner, "annotator", SCRIPT)
    harmless(owner)
    dora.open(f"/adjudicate/{number}")
    dora.look("adjudicate-blocked")
    dora.decide(number, "reject", guideline="L1", reason=SCRIPT)
    for path in (f"/adjudicate/{number}", "/all", f"/questions/{number}", f"/questions/{number}/edit"):
        eva.open(path)
        harmless(eva)
    written = [eva[f"#{name}"].input_value() for name in ("stem", "answer", "variants", "note")]
    assert written == [SCRIPT, SCRIPT, f"{SCRIPT}2", SCRIPT]


def harmless(visitor: Visitor) -> None:
    """The text stands there as it was written, and nothing of it was done."""
    assert SCRIPT in visitor["main"].inner_text() or visitor["#stem"].input_value() == SCRIPT, visitor.path
    assert visitor.page.title() != "owned" and not visitor["img"].count()


def kept(eva: Visitor) -> None:
    """Text is saved by a key, and not left by mistake."""
    eva.open("/write")
    eva.fill(stem=SOUP["stem"])
    eva.page.once("dialog", lambda dialog: dialog.dismiss())
    with eva.page.expect_event("dialog") as asked:
        eva.act('nav a[href="/questions"]')
    assert asked.value.type == "beforeunload" and eva.path == "/write" and eva["#stem"].input_value() == SOUP["stem"]
    with eva.page.expect_navigation():
        eva.page.keyboard.press("Control+s")
    eva.says("Saved.")


def discussed(dora: Visitor, eva: Visitor, cake: int) -> None:
    """Where two differ it is discussed: each sees the other's reason only then."""
    dora.decide(cake, "reject", guideline="E3", reason="nem toda a gente")
    eva.open(f"/adjudicate/{cake}")
    assert "nem toda a gente" not in eva["main"].inner_text()
    eva.decide(cake, "accept")
    eva.says("in discussion", "nem toda a gente")
    eva.look("discussion")
    eva.open(f"/questions/{cake}")
    eva.fill(text="Every bakery sells it.")
    eva.go("#comment")
    dora.open(f"/adjudicate/{cake}")
    dora.says("Every bakery sells it.")
    dora.decide(cake, "accept", reason="convencida")
    eva.open("/all?status=accepted")
    eva.says(CAKE["stem"])
    eva.look("all")


def judged(owner: Visitor, rui: Visitor) -> None:
    """Rows of a table are put to people: a task is opened, worked at on a phone, and closed."""
    owner.open("/export")
    owner.go("#export")
    owner.open("/tasks")
    owner.fill(task_name="clear", table="items", task_guideline="guideline: clear/1")
    owner.go("#open-task")
    rui.go('nav a[href="/tasks"]')
    rui.go('main a[href="/tasks/1"]')
    rui.look("task")
    rui.pick("value", "4")
    rui.go("#judge")
    rui.says("1 of 3 done")
    owner.go("#turn-1")
    owner.says("The task is closed.")
    owner.look("tasks")


def numbers(eva: Visitor, zoe: Visitor) -> None:
    eva.go('nav a[href="/progress"]')
    eva.says("Krippendorff α")
    eva.look("progress")
    for name in ("progress", "questions"):
        zoe.open(f"/{name}")
        zoe.look(f"{name}-own")


def exported(owner: Visitor) -> None:
    owner.open("/export")
    owner.go("#export")
    owner.says("3 rows")
    owner.look("export")


def released(workspace: Path, makers: dict[str, str]) -> None:
    """What was accepted, and nothing else, is in the folder that is given away."""
    out = workspace.parent / "given"
    command = [sys.executable, "-m", "endonym", "release", str(workspace), "--out", str(out), "--licence", "CC-BY-4.0"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    made = {item.stem: item for item in store.read(workspace / "tables" / "items.jsonl", Item)}
    assert {stem: item.maker.removeprefix("people/") for stem, item in made.items()} == makers
    assert [a.text for a in made[CAKE["stem"]].accept] == ["bolo-rei", "bolo rei"], "what was written by keyboard alone"
    given = "".join(p.read_text(encoding="utf-8") for p in out.rglob("*.jsonl"))
    assert all(stem in given for stem in makers) and SOUP["stem"] not in given and HOURS["stem"] not in given
    assert "CC-BY-4.0" in (out / "card.md").read_text(encoding="utf-8")
    said = list(store.read(workspace / "tables" / "judged" / "clear.jsonl", Judgment))
    assert [(j.value, j.judge) for j in said] == [("4", f"people/{makers[EARLY]}")]


def test_the_basics_work_without_javascript(browser, project):
    with serving(project()) as (base, link):
        owner, ane, rui = (Visitor(browser, base, lang, scripts=False) for lang in ("en-GB", "fr-FR", "pt-PT"))
        owner.join(link)
        at_work(owner, ane)
        arrived(owner, rui, "adjudicator")
        number = ane.write("submit", **BLOCKED)
        ane["#blocked"].wait_for()
        ane.says("règle obligatoire", "Sans JavaScript")
        assert ane.write("save", **HOURS) == number == ane.write("submit")
        rui.decide(number, "discuss", reason="a que horas?")
        rui.act("#edit-version summary")
        rui.fill(stem=EARLY)
        rui.go("#save-version")
        rui.decide(number, "accept")
        ane.open(f"/questions/{number}")
        ane.says("acceptée", "a que horas?", EARLY)
        owner.open("/export")
        owner.go("#export")
        owner.says("1 row")
        assert [v.faults for v in (owner, ane, rui)] == [[], [], []]


@pytest.mark.skipif(not AXE.is_file(), reason="needs npm's axe-core: npm install axe-core, or AXE_CORE=…/axe.min.js")
def test_what_is_wrong_with_a_page_is_found(browser):
    style = "pre { width: 900px } @media (prefers-color-scheme: dark) { p { color: #222; background: #000 } }"
    somebody = Visitor(browser, "http://127.0.0.1")
    somebody.page.set_content(f'<html lang="en"><style>{style}</style><main><h1>x</h1><p>text</p><input><pre>wide</pre>')
    somebody.look("bad")
    for place, rule in (("bad: ", "label"), ("bad, dark: ", "color-contrast"), ("bad, phone: ", "<pre>")):
        assert any(fault.startswith(f"{place}{rule}") for fault in somebody.faults), (rule, somebody.faults)
    assert not any(fault.startswith("bad: color-contrast") for fault in somebody.faults), "the light page is well"
