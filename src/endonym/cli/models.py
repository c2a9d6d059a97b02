"""``endonym models``: whom one can ask here, and how to get the others."""

import click

from ..models import PROVIDERS
from . import common


@click.command()
@common.json_option
def models(as_json: bool) -> None:
    """List the models that can be asked on this machine, their licences, and how to install the others."""
    from ..models.local import models as shelf

    found = list(shelf())
    if as_json:
        return common.put({"models": found, "providers": sorted(PROVIDERS)})
    for each in found:
        click.echo(f"{each.name:<22} {'here' if each.installed else each.install}")
        click.echo(f"{'':<22} {each.licence}; {each.origin}")
    click.echo(f"{'local/PATH.gguf':<22} any GGUF file")
    for name in sorted(PROVIDERS.keys() - {"local"}):
        click.echo(f"{name}/NAME")
    return None
