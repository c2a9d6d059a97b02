"""The web pages of a workspace: people inside a culture write open questions, see findings as they write, and adjudicators decide.

In: a workspace (``web.toml`` says for which culture) and a database. Out: tables like any other, written by ``export``. The one thing
to know: nothing is ever edited in place; a text is a version, a decision is a row, and what is shown is the latest of each.

Paper: Tuguesice (guideline-driven method, sections 3 and 4).
"""
