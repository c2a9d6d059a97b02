"""The door: sign in and out, use an invitation, choose a language, change a password.

In: forms. Out: pages, and a cookie. The one thing to know: what is said to somebody who failed is the same whether the name exists.
"""

import time

from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .. import auth, security
from ..models import Person
from ..visit import Visit
from ..words import languages


def home(v: Visit) -> Response:
    if v.someone is None:
        return v.go("/sign-in")
    return v.go("/adjudicate" if v.may("adjudicator") else "/questions")


def sign_in_page(v: Visit) -> Response:
    return v.go("/") if v.someone else v.render("sign_in.html", next=security.local(v.query("next") or "/"), name="", problem="")


def sign_in(v: Visit) -> Response:
    name, password = v.text("name", most=60), v.form.get("password", "")[: auth.LONGEST]
    onward = security.local(v.form.get("next", "/"))
    with v.reading() as s:
        if auth.locked(s, v.site.project, name, v.address):
            return _again(v, name, onward, "sign-in.locked", 429)
        person = s.scalar(select(Person).where(Person.project_id == v.site.project, Person.pseudonym == name.lower(), Person.active))
    if not auth.password_fits(person.password if person else "", password) or person is None:
        with v.writing() as s:
            auth.failed(s, v.site.project, name, v.address)
        return _again(v, name, onward, "sign-in.wrong", 401)
    with v.writing() as s:
        auth.forgive(s, v.site.project, name, v.address)
        auth.sign_out(s, v.cookie)
        cookie = auth.sign_in(s, person)
    return v.sealed(v.go(onward), cookie=cookie)


def _again(v: Visit, name: str, onward: str, problem: str, status: int) -> Response:
    response = v.render("sign_in.html", status, next=onward, name=name, problem=v.t(problem))
    if status == 429:
        response.headers["retry-after"] = str(int(auth.WINDOW))
    return response


def sign_out(v: Visit) -> Response:
    with v.writing() as s:
        auth.sign_out(s, v.cookie)
    return v.sealed(v.go("/sign-in", done="out"), cookie=security.token())


def join_page(v: Visit) -> Response:
    return _join(v)


def _join(v: Visit, problem: str = "", status: int = 200) -> Response:
    secret = str(v.request.path_params["token"])
    with v.reading() as s:
        found = auth.invitation(s, v.site.project, secret)
        person = v.site.person(s, found.person_id) if found and found.person_id else None
    if found is None:
        return v.refuse(404, v.t("join.spent"))
    given = {"role": found.role, "person": person, "action": f"/join/{secret}", "email": v.form.get("email", "")}
    return v.render("join.html", status, problem=problem, **given)


def join(v: Visit) -> Response:
    """Make a person of an invitation, and sign them in."""
    password, email = v.form.get("password", ""), v.text("email", most=200)
    if problem := _password_problem(v, password, v.form.get("again", "")):
        return _join(v, problem, 422)
    secret = str(v.request.path_params["token"])
    with v.writing() as s:
        found = auth.invitation(s, v.site.project, secret, lock=True)
        if found is None:
            return v.refuse(404, v.t("join.spent"))
        person = auth.join(s, found, password, lang=v.lang, email=email)
        auth.sign_out(s, v.cookie)
        cookie = auth.sign_in(s, person)
    return v.sealed(v.go("/account", done="joined"), cookie=cookie)


def _password_problem(v: Visit, password: str, again: str) -> str:
    if not auth.SHORTEST <= len(password) <= auth.LONGEST:
        return v.t("password.short", n=auth.SHORTEST)
    return "" if password == again else v.t("password.differs")


def language(v: Visit) -> Response:
    """Speak another language from now on."""
    chosen = v.form.get("lang", "")
    if chosen not in languages():
        raise HTTPException(422)
    if v.someone:
        with v.writing() as s:
            s.get_one(Person, v.person.id).lang = chosen
    response = v.go(v.form.get("next", "/"))
    response.set_cookie("lang", chosen, max_age=int(365 * auth.DAY), httponly=True, samesite="lax", secure=v.secure)
    return response


def account_page(v: Visit) -> Response:
    return v.render("account.html", problem="")


def account(v: Visit) -> Response:
    """Change the password (all other browsers are signed out) or the e-mail address."""
    with v.reading() as s:
        person = s.get_one(Person, v.person.id)
    if "email" in v.form:
        with v.writing() as s:
            s.get_one(Person, person.id).email = v.text("email", most=200)
        return v.go("/account", done="saved")
    if not auth.password_fits(person.password, v.form.get("old", "")[: auth.LONGEST]):
        return v.render("account.html", 422, problem=v.t("password.wrong"))
    if problem := _password_problem(v, v.form.get("password", ""), v.form.get("again", "")):
        return v.render("account.html", 422, problem=problem)
    kept = auth.password_hash(v.form["password"])
    with v.writing() as s:
        s.get_one(Person, person.id).password = kept
        auth.sign_out_everywhere(s, person.id)
        cookie = auth.sign_in(s, person)
    return v.sealed(v.go("/account", done="saved"), cookie=cookie)


def health(v: Visit) -> Response:
    """For a watcher: the database answers."""
    with v.reading() as s:
        s.scalar(select(Person.id).limit(1))
    return Response(f"ok {int(time.time())}\n", media_type="text/plain")
