"""A workspace written by hand: two models, three languages, four places, two topics, every status, hostile text."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from endonym import store
from endonym.records import Item, Manifest, Message, Model, Prompt, Response, Score

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> & \u2028 {{ 7*7 }}"
LANGS, PLACES, TOPICS = ("en", "fr", "pt"), ("FR", "PT", "JP", ""), ("parks", "wars")
MODELS = {"local/smollm2": {"engine": "torch", "precision": "bfloat16"}, "local/gemma3-270m": {"engine": "torch", "precision": "float32"}}
STEMS = {"en": "Where does the {} of entity {} lie?", "fr": "Où se trouve {} de l'entité {} ?", "pt": "Onde fica {} da entidade {}?"}


def items() -> list[Item]:
    """144 questions: 3 languages × 4 places × 2 topics × 6 entities; gold goes round the positions."""
    return [_item(p, place, topic, e, lang) for p, place in enumerate(PLACES) for topic in TOPICS for e in range(6) for lang in LANGS]


def _item(p: int, place: str, topic: str, e: int, lang: str) -> Item:
    stem = STEMS[lang].format(topic, f"{place or 'nowhere'}-{e}")
    return Item(
        stem=stem, options=("Lyon", "Porto", "Kyoto", "Lima"), gold=(p + e) % 4, lang=lang, place=place, topic=topic, template="where",
        entity=f"{place}/{topic}/{e}", parallel=f"{place}/{topic}/{e}", meta={"region": "all" if e < 3 else "coast"},
    )  # fmt: skip


def status_of(n: int, model: int) -> str:
    """Most are answered; of every 24 prompts one each is something else."""
    return {3: "abstained", 7: "unparsed", 11: "truncated", 15: "refused", 19: "failed"}.get((n + 5 * model) % 24, "answered")


def write(folder: Path, *, made: Iterable[Item] | None = None, change: Callable[[Score], Score] = lambda score: score) -> Path:
    """Write tables as the stages do, each with its manifest; ``change`` may alter each score."""
    tables, rows = folder / "tables", list(items() if made is None else made)
    (folder).mkdir(parents=True, exist_ok=True)
    (folder / "recipe.toml").write_text('name = "nations-test"\n', encoding="utf-8")
    was = {"items:items": store.write(tables / "items.jsonl", rows, Manifest(stage="build.read", version="1")).sha256}
    prompts = [Prompt(item=i.id, messages=(Message(role="user", content=_asked(i)),), order=(0, 1, 2, 3), method="generate") for i in rows]
    plan = Manifest(stage="evaluate.choose.write", params={"method": "generate"}, inputs=was, version="1")
    asked = {"prompts:scores/prompts": store.write(tables / "scores" / "prompts.jsonl", prompts, plan).sha256}
    scores, inputs = [], {**asked, **was}
    for m, (name, facts) in enumerate(MODELS.items()):
        replies = [_reply(n, m, name, p, i) for n, (p, i) in enumerate(zip(prompts, rows, strict=True))]
        scores += [change(score) for _, score in replies]
        table = "scores/" + name.replace("/", "--")
        ask = Manifest(stage="ask", params={"model": name}, inputs=asked, version="1", facts=facts)
        inputs[f"responses:{table}"] = store.write(tables / f"{table}.jsonl", [r for r, _ in replies], ask).sha256
    store.write(tables / "scores.jsonl", scores, Manifest(stage="evaluate.choose.read", inputs=inputs, version="1"))
    return folder


def _asked(item: Item) -> str:
    return item.stem + "".join(f"\n{'ABCD'[n]}. {o}" for n, o in enumerate(item.options)) + "\nAnswer:"


def _reply(n: int, m: int, name: str, prompt: Prompt, item: Item) -> tuple[Response, Score]:
    status: Any = status_of(n, m)
    # The first model always says B; the second knows two of three.
    position = 1 if m == 0 else (item.gold or 0) if n % 3 else (n // 3) % 4
    chose = position if status == "answered" else None
    text = {
        "answered": f"The answer is {'ABCD'[position]}.", "unparsed": HOSTILE, "refused": "I cannot help with that.",
        "abstained": "I don't know.", "truncated": "Let me think about",
    }.get(status, "")  # fmt: skip
    response = Response(prompt=prompt.id, model=Model(name=name).id, text=text, error="HTTP 429" if status == "failed" else "")
    score = Score(
        item=item.id, prompt=prompt.id, model=Model(name=name).id, status=status, right=chose == item.gold, choice=chose, position=chose,
        gold_position=item.gold, options=4, method="generate", lang=item.lang, place=item.place, topic=item.topic, entity=item.entity,
        template=item.template, parallel=item.parallel, meta=item.meta,
    )  # fmt: skip
    return response, score


def replaced(score: Score, **fields: Any) -> Score:
    return msgspec.structs.replace(score, **fields)
