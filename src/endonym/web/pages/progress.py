"""How far the work is: for an annotator their own, for adjudicators everybody's.

In: nothing. Out: a page of numbers. The one thing to know: a share without its number of questions is not shown.
"""

from starlette.responses import Response

from .. import numbers
from ..visit import Visit


def progress_page(v: Visit) -> Response:
    everybody = v.may("adjudicator")
    with v.reading() as s:
        counts = numbers.statuses(s, v.site)
        authors = numbers.authors(s, v.site, None if everybody else v.person)
        domains, probes = numbers.domains(s, v.site), numbers.probes(s, v.site) if everybody else []
        words = [("", numbers.first_words(s, v.site)), *numbers.task_words(s, v.site)] if everybody else []
    measured = [(name, len({j.judge for j in said}), *numbers.agreement(said)) for name, said in words]
    return v.render("progress.html", counts=counts, authors=authors, domains=domains, probes=probes, agreement=measured,
                    guidelines=numbers.guidelines(authors), everybody=everybody)  # fmt: skip
