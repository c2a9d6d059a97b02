"""Who may open what, and what a stranger's browser, text, link or sheet can do: nothing."""

import logging
import re
import time

import pytest
from starlette.routing import Route

from endonym.web import auth, security
from endonym.web.app import PAGES, routes
from endonym.web.models import Invitation, Person, Sitting
from endonym.web.visit import RANK

from .conftest import PASSWORD, QUESTION, decide, opened, write

WALKED = [(next(iter(r.methods - {"HEAD"})), r.path, r.endpoint.role) for r in routes() if isinstance(r, Route)]
ROLES = ("", "annotator", "adjudicator", "owner")
HOSTILE = """<script>alert(1)</script>"><img src=x onerror=alert(2)>'{{7*7}}${7*7}"""


def filled(path: str) -> str:
    return re.sub(r"\{(\w+)\}", "1", path)


@pytest.fixture
def everybody(people):
    found = {role: people.join(role) for role in ROLES if role}
    write(found["annotator"])
    return {"": people.anonymous(), **found}


def test_the_table_of_pages_is_the_route_table_and_says_who_may_do_what():
    assert sorted(WALKED) == sorted((m, p, r) for m, p, r, _ in PAGES)
    open_to_all = {(m, p) for m, p, role in WALKED if not role}
    assert open_to_all == {
        ("GET", "/"), ("GET", "/sign-in"), ("POST", "/sign-in"), ("GET", "/join/{token}"), ("POST", "/join/{token}"),
        ("POST", "/language"), ("GET", "/health"),
    }  # fmt: skip
    for _, path, role in WALKED:
        if path.startswith(("/people", "/export")):
            assert role == "owner", path
        if path.startswith(("/adjudicate", "/all")):
            assert role == "adjudicator", path


@pytest.mark.parametrize("visitor", ROLES)
def test_a_role_holds_on_every_route(everybody, visitor):
    browser = everybody[visitor]
    token = browser.token("/sign-in" if not visitor else "/guidelines")
    for method, path, role in WALKED:
        if path == "/sign-out" or (method == "POST" and RANK[visitor] >= RANK[role]):
            continue
        data = {"csrf": token} if method == "POST" else None
        answer = browser.request(method, filled(path), data=data, follow_redirects=False)
        if RANK[visitor] >= RANK[role]:
            assert answer.status_code != 403, (visitor, method, path)
        elif visitor:
            assert answer.status_code == 403, (visitor, method, path)
        else:
            assert answer.status_code == 303 and answer.headers["location"].startswith("/sign-in"), (method, path)


def test_every_post_needs_the_token_of_this_browser(everybody):
    other = everybody["adjudicator"].token()
    for method, path, _ in WALKED:
        if method != "POST":
            continue
        for wrong in ({}, {"csrf": ""}, {"csrf": "0" * 64}, {"csrf": other}):
            answer = everybody["owner"].post(filled(path), data={**QUESTION, **wrong}, follow_redirects=False)
            assert answer.status_code == 403, (path, wrong)
    crossed = everybody["owner"].post(
        "/people/invitations", data={"csrf": everybody["owner"].token(), "role": "owner"}, headers={"sec-fetch-site": "cross-site"}
    )
    assert crossed.status_code == 403


def test_a_get_changes_nothing(everybody, people):
    def state():
        with people.site.database.reading() as s:
            tables = [t for t in Person.metadata.sorted_tables if t.name != "alembic_version"]
            return {t.name: sorted(map(repr, s.execute(t.select()).all())) for t in tables}

    before = state()
    for method, path, _ in WALKED:
        if method == "GET":
            everybody["owner"].get(filled(path))
    assert state() == before


def test_anothers_draft_is_neither_readable_nor_writable(people):
    ane = people.join("annotator")
    number = write(ane, do="save", answer="segredo")
    assert "segredo" in ane.get(f"/questions/{number}").text
    for role in ("annotator", "adjudicator", "owner"):
        other = people.join(role)
        reads = [f"/questions/{number}", f"/questions/{number}/edit", *([f"/adjudicate/{number}"] if role != "annotator" else [])]
        for path in reads:
            assert other.get(path).status_code == 404, (role, path)
        assert other.submit(f"/questions/{number}/edit", {**QUESTION, "base": "1", "do": "save"}).status_code == 404
        assert other.submit(f"/questions/{number}/comments", {"text": "olá"}).status_code == 404
        if role != "annotator":
            assert other.submit(f"/adjudicate/{number}/edit", {**QUESTION, "base": "1"}).status_code == 404
            assert decide(other, number).status_code == 404
        pages = ["/questions", "/progress", "/tasks", *(["/adjudicate", "/all"] if role != "annotator" else [])]
        assert not any("segredo" in other.get(page).text for page in [*pages, *(["/export/questions.csv"] if role == "owner" else [])])
    assert "Version 2" not in ane.get(f"/questions/{number}").text


def test_a_submitted_question_is_not_shown_to_other_annotators(people):
    number = write(people.join("annotator"))
    assert people.join("annotator").get(f"/questions/{number}").status_code == 404


def test_nobody_decides_on_a_question_of_their_own(people):
    rui = people.join("adjudicator")
    number = write(rui)
    assert decide(rui, number).status_code == 422
    assert rui.submit(f"/adjudicate/{number}/override", {"base": "1", "criterion": "mark", "reason": "x"}).status_code == 422


def test_a_sitting_is_new_at_each_sign_in_and_a_planted_cookie_is_worth_nothing(people):
    ane = people.join("annotator")
    victim = people.anonymous()
    victim.cookies.set("endonym", planted := "planted-by-another")
    token = victim.token("/sign-in")
    answer = victim.post("/sign-in", data={"csrf": token, "name": ane.pseudonym, "password": PASSWORD, "next": "/"})
    assert ane.pseudonym in answer.text
    attacker = people.anonymous()
    attacker.cookies.set("endonym", planted)
    assert attacker.get("/questions", follow_redirects=False).headers["location"].startswith("/sign-in")
    before = [c.value for c in victim.cookies.jar if c.name == "endonym"]
    assert planted not in before[-1:]
    victim.submit("/sign-out")
    reused = people.anonymous()
    reused.cookies.set("endonym", before[-1])
    assert reused.get("/questions", follow_redirects=False).status_code == 303


def test_cookies_cannot_be_read_by_scripts_nor_sent_from_elsewhere(people):
    cookie = people.anonymous().get("/sign-in").headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
    over_tls = people.anonymous()
    over_tls.base_url = "https://testserver"
    answer = over_tls.get("/sign-in")
    assert "Secure" in answer.headers["set-cookie"] and answer.headers["set-cookie"].startswith("__Host-endonym=")
    assert "strict-transport-security" in answer.headers


def test_sign_in_says_the_same_of_a_wrong_name_and_a_wrong_password_and_stops_who_guesses(people):
    ane, guesser = people.join("annotator"), people.anonymous()
    token = guesser.token("/sign-in")

    def guess(name: str, password: str):
        return guesser.post("/sign-in", data={"csrf": token, "name": name, "password": password})

    wrong, nobody = guess(ane.pseudonym, "not the password"), guess("nobody-99", "not the password")
    assert wrong.status_code == nobody.status_code == 401
    assert wrong.text.replace(ane.pseudonym, "") == nobody.text.replace("nobody-99", "")
    for _ in range(4):
        guess(ane.pseudonym, "not the password")
    locked = guess(ane.pseudonym, PASSWORD)
    assert locked.status_code == 429 and int(locked.headers["retry-after"]) > 0
    assert guess("nobody-98", "x").status_code == 401, "one name's lock is not another's"


def test_guessing_many_names_from_one_place_is_stopped_too(people, monkeypatch):
    monkeypatch.setattr(auth, "password_fits", lambda kept, password: False)
    guesser = people.anonymous()
    token = guesser.token("/sign-in")
    codes = [guesser.post("/sign-in", data={"csrf": token, "name": f"n-{n}", "password": "x"}).status_code for n in range(42)]
    assert codes[:40] == [401] * 40 and codes[40:] == [429, 429]


def test_an_invitation_works_once_and_not_when_old_or_withdrawn(people):
    link = people.link("annotator")
    first, second = people.anonymous(), people.anonymous()
    form = {"password": PASSWORD, "again": PASSWORD}
    assert first.submit(link, form, page=link).status_code == 200
    assert second.get(link).status_code == 404 and second.submit(link, form, page="/sign-in").status_code == 404
    old = people.link("annotator")
    with people.site.database.writing() as s:
        s.query(Invitation).filter(Invitation.used == 0).update({"expires": time.time() - 1})
    assert people.anonymous().get(old).status_code == 404
    owner, gone = people.join("owner"), people.link("owner")
    with people.site.database.reading() as s:
        number = s.query(Invitation).filter(Invitation.used == 0, Invitation.expires > time.time()).one().id
    owner.submit(f"/people/invitations/{number}/withdraw")
    assert people.anonymous().get(gone).status_code == 404


def test_secrets_are_kept_as_hashes_and_are_in_no_log(people, workspace, caplog):
    with caplog.at_level(logging.DEBUG):
        link = people.link("annotator")
        ane = people.anonymous()
        ane.submit(link, {"password": PASSWORD, "again": PASSWORD, "email": "ane@example.org"}, page=link)
        cookie = next(c.value for c in ane.cookies.jar if c.name == "endonym")
        ane.submit("/write", {**QUESTION, **opened(ane), "answer": "o meu segredo"})
    kept = b"".join(p.read_bytes() for p in workspace.glob("web.db*"))
    secrets = (link.rsplit("/", 1)[1], PASSWORD, cookie)
    assert not any(secret.encode() in kept for secret in secrets)
    logged = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("httpx"))
    assert "/join/{token}" in logged, "nothing was logged, so nothing was tested"
    assert not any(secret in logged for secret in (*secrets, "ane@example.org", "o meu segredo"))


def test_a_fault_of_the_server_tells_nothing(people, caplog, monkeypatch):
    from starlette.testclient import TestClient

    ane = people.join("annotator")
    monkeypatch.setattr(people.site, "checks", lambda *a, **k: (_ for _ in ()).throw(RuntimeError("private words")))
    quiet = TestClient(people.app, raise_server_exceptions=False)
    quiet.cookies = ane.cookies
    answer = quiet.post("/check", data={"csrf": ane.token(), "stem": "private words"})
    assert answer.status_code == 500 and "private" not in answer.text and answer.headers["x-frame-options"] == "DENY"
    assert not any("private" in r.getMessage() for r in caplog.records if r.name == "endonym.web")


@pytest.mark.parametrize("path", ["/sign-in", "/nowhere", "/static/web.css", "/static/nothing", "/questions", "/health"])
def test_every_answer_has_the_safe_headers(people, path):
    headers = people.anonymous().get(path, follow_redirects=False).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert ("no-store" in headers.get("cache-control", "")) == (not path.startswith("/static/"))


def test_pages_hold_no_inline_script_style_or_handler(everybody):
    for method, path, _ in WALKED:
        if method == "GET":
            text = everybody["owner"].get(filled(path)).text
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", text), path


def test_hostile_text_in_every_field_is_shown_as_text(people, workspace):
    owner, ane, rui = people.join("owner"), people.join("annotator"), people.join("adjudicator")
    fields = {"stem": HOSTILE + "?", "answer": HOSTILE, "variants": HOSTILE + "\n" + HOSTILE + "2", "note": HOSTILE}
    ane.submit("/account", {"email": HOSTILE})
    form = {**fields, "domain": "food", **opened(ane), "do": "ask", "reason": HOSTILE}
    number = int(re.search(r"/questions/(\d+)", str(ane.submit("/write", form).url))[1])
    ane.submit(f"/questions/{number}/comments", {"text": HOSTILE})
    rui.submit(f"/adjudicate/{number}/edit", {**fields, "answer": HOSTILE + "3", "domain": "food", "base": "1"})
    decide(rui, number, "reject", base=2, guideline="L1", reason=HOSTILE)
    owner.submit("/people/invitations", {"role": "annotator", "note": HOSTILE})
    stale = ane.submit(f"/questions/{number}/edit", {**form, "base": "1", "do": "save"})
    asked = [stale, ane.submit("/check", fields), ane.submit("/write", {**form, "domain": HOSTILE})]
    asked.append(rui.submit(f"/adjudicate/{number}", {"base": "1"}))
    asked.append(ane.submit("/sign-in", {"name": HOSTILE[:50], "password": "x", "next": HOSTILE}))
    asked += [owner.submit("/tasks", {"name": HOSTILE, "table": HOSTILE, "guideline": HOSTILE})]
    paths = [f"/questions/{number}", f"/questions/{number}/edit", f"/adjudicate/{number}", "/all", "/questions", "/people", "/progress"]
    pages = [owner.get(p) for p in paths] + [ane.get(p) for p in paths] + [rui.get(p) for p in paths]
    shown = 0
    for answer in [*asked, *pages, owner.get("/sign-in", params={"next": HOSTILE}), owner.get("/all", params={"status": HOSTILE})]:
        assert "<script>alert" not in answer.text and "<img src=x" not in answer.text, answer.url
        assert "49" not in re.sub(r'value="[0-9a-f]{64}"|value="[\w.-]+"', "", answer.text) or "{{7*7}}" in answer.text
        shown += "&lt;script&gt;alert" in answer.text
    assert shown >= 10, "the hostile text was shown nowhere, so nothing was tested"


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil", "/\tevil", "javascript:alert(1)", "http:evil",
        "/%0d%0aX: y", "", "x",
    ],
)
def test_a_redirect_never_leaves_the_site(people, path):
    ane = people.join("annotator")
    other = people.anonymous()
    form = {"csrf": other.token("/sign-in"), "name": ane.pseudonym, "password": PASSWORD, "next": path}
    for answer in (
        other.post("/sign-in", data=form, follow_redirects=False),
        ane.submit("/language", {"lang": "fr", "next": path}, follow=False),
    ):
        where = answer.headers["location"]
        assert answer.status_code == 303 and where.startswith("/") and not where.startswith(("//", "/\\")), where
        assert "\r" not in where and "\n" not in where


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/models.py", "/static/....//app.py", "/static//etc/passwd"]
)
def test_files_beside_the_static_ones_cannot_be_had(people, path):
    answer = people.anonymous().get(path)
    assert answer.status_code == 404 and "import" not in answer.text


def test_a_task_reads_only_tables_of_the_workspace(people, workspace):
    owner = people.join("owner")
    (workspace.parent / "outside.jsonl").write_text('{"stem":"x"}\n', encoding="utf-8")
    for table in ("../outside", "../../etc/passwd", "/etc/passwd", str(workspace.parent / "outside")):
        assert owner.submit("/tasks", {"name": "t", "table": table, "guideline": "answer: answer/1"}).status_code == 422
    for name in ("../x", "a/b", ".hidden", "", "x\x00y/"):
        assert owner.submit("/tasks", {"name": name, "table": "items", "guideline": "answer: answer/1"}).status_code == 422


def test_a_guideline_file_lies_in_the_workspace(workspace):
    from endonym.errors import InputError
    from endonym.web.app import create_app

    (workspace / "web.toml").write_text('guidelines = "../../secret.toml"\n', encoding="utf-8")
    with pytest.raises(InputError, match="outside the workspace"):
        create_app(workspace)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =cmd|' /C calc'!A0", "＝1+1", "\r=1"])
def test_no_cell_of_a_sheet_is_a_formula(text):
    assert security.cell(text).startswith("'")
    assert security.sheet([[text]]).decode("utf-8-sig").lstrip('"').startswith("'")


def test_the_sheet_of_questions_is_safe_to_open(people):
    import csv
    import io

    owner, ane = people.join("owner"), people.join("annotator")
    write(ane, stem="=HYPERLINK(1)?", answer="@x", note="+1")
    cells = [c for row in csv.reader(io.StringIO(owner.get("/export/questions.csv").content.decode("utf-8-sig"))) for c in row]
    assert "'=HYPERLINK(1)?" in cells and "'@x" in cells and not any(c.lstrip()[:1] in ("=", "+", "-", "@") for c in cells if c)


def test_a_form_that_is_too_large_is_refused_and_has_the_headers(people):
    ane = people.join("annotator")
    token = ane.token()
    answer = ane.post("/write", data={"csrf": token, "stem": "x" * 300_000})
    assert answer.status_code == 413 and answer.headers["x-frame-options"] == "DENY"
    assert ane.post("/write", data={"csrf": token, **{f"f{n}": "x" for n in range(500)}}).status_code in (400, 413, 422, 500)


def test_a_text_that_is_too_long_is_refused_not_cut(people):
    ane = people.join("annotator")
    answer = ane.submit("/write", {**QUESTION, **opened(ane), "stem": "x" * 1001, "do": "save"})
    assert answer.status_code == 422 and "is too long" in answer.text and "x" * 1001 in answer.text


def test_control_characters_are_not_kept(people):
    assert security.clean("a\x00b\u202ec\r\nd\u2066e") == "abc\nde"
    assert security.clean("São") == security.clean("Sa\u0303o")
    number = write(ane := people.join("annotator"), answer="man\x00tei\u202ega")
    assert "manteiga" in ane.get(f"/questions/{number}").text


def test_who_was_let_go_is_signed_out_and_a_project_keeps_an_owner(people):
    owner, ane = people.join("owner"), people.join("annotator")
    with people.site.database.reading() as s:
        keys = {p.pseudonym: p.id for p in s.query(Person).all()}
    assert owner.submit(f"/people/{keys[ane.pseudonym]}", {"role": "annotator"}).status_code == 200
    assert ane.get("/questions", follow_redirects=False).status_code == 303
    again = people.anonymous()
    form = {"csrf": again.token("/sign-in"), "name": ane.pseudonym, "password": PASSWORD}
    assert again.post("/sign-in", data=form).status_code == 401
    assert owner.submit(f"/people/{keys[owner.pseudonym]}", {"role": "annotator", "active": "yes"}).status_code == 422
    assert owner.get("/people").status_code == 200


def test_a_new_password_closes_the_other_sittings(people):
    ane, elsewhere = people.join("annotator"), people.anonymous()
    form = {"csrf": elsewhere.token("/sign-in"), "name": ane.pseudonym, "password": PASSWORD}
    elsewhere.post("/sign-in", data=form)
    assert elsewhere.get("/questions", follow_redirects=False).status_code == 200
    new = {"old": PASSWORD, "password": "another long phrase", "again": "another long phrase"}
    assert ane.submit("/account", {**new, "old": "wrong"}).status_code == 422
    assert ane.submit("/account", new).status_code == 200
    assert elsewhere.get("/questions", follow_redirects=False).status_code == 303
    assert ane.get("/questions", follow_redirects=False).status_code == 200


def test_a_sitting_ends(people):
    ane = people.join("annotator")
    with people.site.database.writing() as s:
        s.query(Sitting).update({"expires": time.time() - 1})
    assert ane.get("/questions", follow_redirects=False).status_code == 303


def test_the_database_is_readable_by_its_owner_alone(people, workspace):
    assert (workspace / "web.db").stat().st_mode & 0o077 == 0
