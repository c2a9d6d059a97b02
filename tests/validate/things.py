"""Small items, scores and judgments for the tests of this room."""

from endonym.records import Item, Judgment, Score


def item(n: int, **more: object) -> Item:
    fields = {
        "stem": f"Question {n} ?",
        "options": ("a", "b", "c", "Je ne sais pas"),
        "gold": n % 3,
        "abstain": 3,
        "lang": "fr",
        "place": "FR-BRE",
    }
    return Item(**{**fields, **more})  # type: ignore[arg-type]


def score(of: Item, model: str, right: bool = False, status: str = "answered", **more: object) -> Score:
    choice = of.gold if right else (None if status not in ("answered", "abstained") else ((of.gold or 0) + 1) % 3)
    fields = {"item": of.id, "prompt": f"p-{of.id}", "model": model, "status": status, "right": right, "choice": choice}
    return Score(**{**fields, **more})  # type: ignore[arg-type]


def judged(of: Item, judge: str, criterion: str, value: str = "", status: str = "answered", note: str = "") -> Judgment:
    return Judgment(item=of.id, judge=judge, criterion=criterion, value=value, status=status, note=note)  # type: ignore[arg-type]
