"""A triple of a dump in; out: whether the mining needs it.

The one thing to know: predicates come from the queries themselves, so a query of one's own is served as the shipped ones are. In the
first pass (no entities given yet) every triple with one of them is kept; in the second only what is said of the given entities: their
own triples, those of their statements, and values of dates, which are shared between entities and may stand anywhere.
"""

from functools import cached_property

import msgspec

ENTITY, STATEMENT, VALUE = "http://www.wikidata.org/entity/", "http://www.wikidata.org/entity/statement/", "http://www.wikidata.org/value/"
DIRECT, NOVALUE = "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/prop/novalue/"
RANK, DEPRECATED = "http://wikiba.se/ontology#rank", "http://wikiba.se/ontology#DeprecatedRank"
TYPE, LABEL = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://www.w3.org/2000/01/rdf-schema#label"


class Kept(msgspec.Struct, frozen=True, dict=True):
    """What one pass keeps: predicates (IRIs), entities (none: all, the first pass), languages of labels in small letters."""

    predicates: frozenset[str]
    items: frozenset[str]
    langs: frozenset[str]
    second: bool = False

    @cached_property
    def tokens(self) -> frozenset[bytes]:
        """The predicates as they stand in N-Triples."""
        return frozenset(f"<{p}>".encode() for p in self.predicates)

    @cached_property
    def subjects(self) -> frozenset[bytes]:
        return frozenset(f"<{item}>".encode() for item in self.items)

    @cached_property
    def tags(self) -> frozenset[bytes]:
        return frozenset(lang.encode() for lang in self.langs)

    def line(self, subject: bytes, predicate: bytes, rest: bytes) -> bool:
        """Whether a line of N-Triples, whose predicate is one of ``tokens``, is to be kept; ``rest`` is its object and the dot."""
        if predicate == _RANK and not self.second:
            return rest.startswith(_DEPRECATED)
        if predicate == _TYPE:
            return rest.startswith(_NOVALUE) and self.mine(subject)
        if predicate == _LABEL:
            return subject in self.subjects and _tag(rest) in self.tags
        return not self.second or self.mine(subject)

    def mine(self, subject: bytes) -> bool:
        """Whether a subject is one of the entities, a statement about one, or the node of a value."""
        if subject in self.subjects or subject.startswith(_VALUE):
            return True
        if not subject.startswith(_STATEMENT):
            return False
        number = subject[len(_STATEMENT) :].partition(b"-")[0].upper()
        return b"<" + ENTITY.encode() + number + b">" in self.subjects


def direct(predicate: str) -> bool:
    """Whether a predicate goes from an entity straight to a value."""
    return predicate.startswith(DIRECT)


def _tag(rest: bytes) -> bytes:
    """The language of a literal at the end of a line: ``"Lisboa"@pt .`` → ``pt``."""
    text, at, tag = rest.rstrip(b" .\r\n\t").rpartition(b"@")
    return tag.lower() if at and text.endswith(b'"') else b""


_RANK, _DEPRECATED, _TYPE, _LABEL = (f"<{one}>".encode() for one in (RANK, DEPRECATED, TYPE, LABEL))
_STATEMENT, _VALUE, _NOVALUE = (f"<{one}".encode() for one in (STATEMENT, VALUE, NOVALUE))
