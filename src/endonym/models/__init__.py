"""The shelf of providers: everyone who can answer a prompt, people too.

Add one: a file here and a line below, or an entry point in the group ``endonym.models``. A provider is loaded when
it is first asked for, so that none is paid for at import.
"""

from importlib import import_module
from importlib.metadata import entry_points

from ..errors import UnknownName
from ..records import Model
from .base import Need, Provider

PROVIDERS: dict[str, str] = {
    "deepl": "endonym.models.deepl:DeepL",
    "google": "endonym.models.google:Google",
    "hf": "endonym.models.hf:HF",
    "local": "endonym.models.local:Local",
    "mt": "endonym.models.mt:MT",
    "openai": "endonym.models.openai:OpenAI",
    "parrot": "endonym.models.parrot:Parrot",
    "people": "endonym.models.people:People",
}


def provider(model: Model) -> Provider:
    """Find who answers for a model; raise UnknownName where nobody does."""
    shelf = {**{e.name: e.value for e in entry_points(group="endonym.models")}, **PROVIDERS}
    if model.provider not in shelf or "/" not in model.name:
        raise UnknownName("provider", model.provider, shelf) if model.provider not in shelf else _nameless(model, shelf)
    module, _, name = shelf[model.provider].partition(":")
    return getattr(import_module(module), name)(model)


def _nameless(model: Model, shelf: dict[str, str]) -> UnknownName:
    return UnknownName("model", model.name, [f"{p}/NAME" for p in shelf])


__all__ = ["PROVIDERS", "Model", "Need", "Provider", "provider"]
