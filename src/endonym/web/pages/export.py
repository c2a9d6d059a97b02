"""The way out: tables of the workspace, and a sheet. For owners.

In: a click. Out: tables. The one thing to know: nothing here leaves the machine but the sheet that the browser asks for.
"""

from starlette.responses import Response

from ...errors import EndonymError
from .. import export
from ..visit import Visit


def export_page(v: Visit) -> Response:
    return v.render("export.html", made=None, problem="")


def export_tables(v: Visit) -> Response:
    """Write the tables and say what stands in them."""
    try:
        made = export.export(v.site)
    except EndonymError as problem:
        return v.render("export.html", 409, made=None, problem=str(problem))
    return v.render("export.html", made=made, problem="")


def questions_csv(v: Visit) -> Response:
    with v.reading() as s:
        body = export.listing(s, v.site)
    return Response(body, media_type="text/csv; charset=utf-8", headers={"content-disposition": 'attachment; filename="questions.csv"'})
