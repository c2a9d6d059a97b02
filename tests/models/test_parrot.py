"""The parrot says what it is told, and nothing else."""

import pytest

from endonym.models.parrot import Parrot
from endonym.records import Message, Model, Prompt

SAYS = [("B", "B"), (112, "112"), (1.5, "1.5"), ({"Who": "me"}, "me"), ({"Where": "here"}, ""), (["C", "C"], "C")]


@pytest.mark.parametrize("says, said", SAYS)
def test_what_it_says(says: object, said: str):
    prompt = Prompt(item="i", messages=(Message(role="user", content="Who is it?"),))
    (response,) = Parrot(Model(name="parrot/x", params={"says": says})).answer([prompt])
    assert (response.text, response.error) == (said, "")
