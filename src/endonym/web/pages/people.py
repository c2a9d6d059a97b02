"""Who takes part: people, roles, invitations. For owners.

In: forms. Out: pages, and a link that is shown once. The one thing to know: a link's secret is kept nowhere; who loses it asks for another.
"""

import time

from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .. import auth
from ..models import ROLES, Invitation, Person
from ..visit import Visit


def people_page(v: Visit) -> Response:
    return _page(v)


def _page(v: Visit, link: str = "", problem: str = "", status: int = 200) -> Response:
    with v.reading() as s:
        people = s.scalars(select(Person).where(Person.project_id == v.site.project).order_by(Person.id)).all()
        open_ = (Invitation.project_id == v.site.project, Invitation.used == 0, Invitation.expires > time.time())
        invitations = s.scalars(select(Invitation).where(*open_).order_by(Invitation.id)).all()
    names = {p.id: p.pseudonym for p in people}
    return v.render("people.html", status, people=people, invitations=invitations, names=names, roles=ROLES, link=link, problem=problem)


def invite(v: Visit) -> Response:
    """Make a link for somebody new, or a new password for somebody who is here."""
    role, note = v.form.get("role", ""), v.text("note", most=200)
    with v.writing() as s:
        person = v.site.person(s, v.number("person")) if v.form.get("person") else None
        if v.form.get("person") and person is None:
            raise HTTPException(404)
        role = person.role if person else role
        if role not in ROLES:
            raise HTTPException(422)
        secret = auth.invite(s, v.site.project, role, note=note, by=v.person.id, person=person.id if person else None)
    return _page(v, link=str(v.request.url_for("join", token=secret)))


def withdraw(v: Visit) -> Response:
    """Make a link worthless."""
    with v.writing() as s:
        found = s.scalar(select(Invitation).where(Invitation.id == v.number("id"), Invitation.project_id == v.site.project))
        if found is None:
            raise HTTPException(404)
        found.expires = 0.0
    return v.go("/people", done="withdrawn")


def change(v: Visit) -> Response:
    """Give somebody another role, or let them go; whoever goes is signed out at once."""
    with v.writing() as s:
        person = v.site.person(s, v.number("id"))
        role, active = v.form.get("role", ""), v.form.get("active") == "yes"
        if person is None or role not in ROLES:
            raise HTTPException(404 if person is None else 422)
        lonely = person.role == "owner" and (role != "owner" or not active) and _only_owner(v, s, person)
        if not lonely:
            if person.role != role or not active:
                auth.sign_out_everywhere(s, person.id)
            person.role, person.active = role, active
    return _page(v, problem=v.t("people.last"), status=422) if lonely else v.go("/people", done="saved")


def _only_owner(v: Visit, s: Session, person: Person) -> bool:
    others = (Person.project_id == v.site.project, Person.role == "owner", Person.active, Person.id != person.id)
    return s.scalar(select(Person.id).where(*others)) is None
