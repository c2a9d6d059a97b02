"""An OpenAI-compatible server that plays the writer, the judges and the panel of the CARTE recipe, in known numbers.

Run it as a process (``python scripted_carte.py``); it prints its URL. What a writer is asked about is told by the title of the document
in the prompt. After ``GET /counts?stop=N`` it leaves every call after the Nth without an answer, so that the caller can be killed in the
middle; ``stop=0`` has it answer again, and ``/counts`` tells what was asked and answered.
"""

import asyncio
import json
import re
import sys
from pathlib import Path

from aiohttp import web

sys.path.insert(0, str(Path(__file__).parent / "models"))
from fault_server import FaultServer  # noqa: E402

DROIT, HISTOIRE, ECO, LANGUE = (
    "Droit & politiques publiques", "Histoire & patrimoine", "Économie & industrie", "Langue & sciences du langage",
)  # fmt: skip


def q(question: str, options: list[str], answer: str, topic: str, region: str, evidence: str) -> dict:
    names = ("question", "options", "answer", "topic", "region", "evidence", "kind")
    return dict(zip(names, (question, options, answer, topic, region, evidence, "cause"), strict=True))


ALSACE = [  # five that are good
    q("En Alsace et en Moselle, quel texte de 1801 règle encore les rapports de l'État avec les cultes reconnus ?",
      ["Le Concordat", "L'édit de Nantes", "La loi Falloux", "La loi Guizot"], "A", DROIT, "FR-GES",
      "Le Concordat de 1801 y reste donc en vigueur"),
    q("Dans quelle ville du Grand Est le Conseil de l'Europe a-t-il son siège depuis 1949 ?",
      ["Metz", "Reims", "Strasbourg", "Colmar"], "C", "Institutions & gouvernance", "FR-GES",
      "Strasbourg est le siège du Conseil de l'Europe depuis 1949."),
    q("À Strasbourg, quel quartier bâti pendant la période allemande a rejoint la Grande Île au patrimoine mondial en 2017 ?",
      ["La Neustadt", "La Krutenau", "Le Neudorf", "La Robertsau"], "La Neustadt", HISTOIRE, "Grand Est",
      "en 2017, l’inscription a été étendue à la Neustadt, quartier\nbâti pendant la période allemande"),
    q("Quelle collectivité les deux départements alsaciens ont-ils formée le 1er janvier 2021 ?",
      ["La région Alsace", "La Collectivité européenne d'Alsace", "L'Eurométropole de Strasbourg", "Le Pays d'Alsace"], "B",
      "Institutions & gouvernance", "FR-GES", "les deux départements alsaciens ont formé la Collectivité européenne d'Alsace"),
    q("À Nancy, quelle place inscrite au patrimoine mondial en 1983 forme un ensemble avec les places de la Carrière et d'Alliance ?",
      ["La place Ducale", "La place Kléber", "La place d'Armes", "La place Stanislas"], "D", HISTOIRE, "FR-GES",
      "l'ensemble formé par la place Stanislas, la place de la Carrière et la place d'Alliance"),
]  # fmt: skip
MINIER = [  # three that are good, one with an invented quotation, one with three options
    q("Près de Lens, quelle compagnie minière a connu le 10 mars 1906 une explosion qui a tué 1 099 personnes ?",
      ["Anzin", "Aniche", "Courrières", "Béthune"], "C", HISTOIRE, "FR-HDF",
      "une explosion de poussières parcourt les galeries de la compagnie de Courrières"),
    q("Dans quelle commune du Pas-de-Calais le dernier puits du bassin minier a-t-il fermé en décembre 1990 ?",
      ["Liévin", "Oignies", "Bruay", "Hénin"], "B", ECO, "FR-HDF", "Le dernier puits du bassin, à Oignies, ferme le 21 décembre 1990."),
    q("Quel musée national s'est installé en décembre 2012 sur le carreau d'une ancienne fosse des Hauts-de-France ?",
      ["Le Louvre", "Orsay", "Guimet", "Cluny"], "A", "Culture, traditions & société", "FR-HDF",
      "le Louvre-Lens ouvre ses portes sur le carreau d'une ancienne fosse"),
    q("En quelle année la ville de Lille a-t-elle inauguré son port fluvial, dans le Nord ?", ["1920", "1935", "1951", "1968"], "B", ECO,
      "FR-HDF", "Le port fluvial de Lille est inauguré en 1935."),
    q("En 1993, quelle ligne à grande vitesse a relié Lille à Paris ?", ["La ligne Nord", "La ligne Est", "La ligne Ouest"], "A",
      "Transport & mobilité", "FR-HDF", "La ligne à grande vitesse Nord, en 1993"),
]  # fmt: skip
GOOD_LYON = q(
    "À Lancey, près de Grenoble, qui a capté en 1869 une haute chute d'eau pour faire tourner sa papeterie ?",
    ["Aristide Bergès", "Marcel Deprez", "Paul Héroult", "Zénobe Gramme"], "A", ECO, "FR-ARA",
    "l'ingénieur Aristide Bergès capte une chute d'eau de grande hauteur",
)  # fmt: skip
LYON = [  # one in English, one that speaks of the document, one of an unknown region, one good, and that one again
    q("In which year did the silk workers of Lyon rise for the first time to obtain a minimum price for their work?",
      ["1815", "1822", "1831", "1848"], "C", HISTOIRE, "FR-ARA",
      "En novembre 1831 et en avril 1834, les canuts se révoltent\npour obtenir un tarif minimum"),
    q("Selon le document, quel tunnel relie depuis 1965 Chamonix à Courmayeur ?",
      ["Le tunnel du Fréjus", "Le tunnel du Mont-Blanc", "Le tunnel du Simplon", "Le tunnel de Tende"], "B", "Infrastructure & réseaux",
      "FR-ARA", "Le tunnel du Mont-Blanc, long de 11,6 kilomètres, relie depuis 1965 Chamonix à Courmayeur"),
    q("En Savoie, quel animal le parc national de la Vanoise protège-t-il depuis 1963 ?",
      ["Le bouquetin", "Le mouflon", "Le lynx", "L'ours"], "A", "Environnement & biodiversité", "Savoie", "il protège le bouquetin"),
    GOOD_LYON,
    GOOD_LYON,
]  # fmt: skip
MOTS = [  # one good, the same in other words, one without an answer, one of an unknown topic; the fifth is missing
    q("À Marseille, que signifie l'expression « il y a dégun » dans la conversation courante ?",
      ["Il n'y a personne", "Il y a du vent", "Il y a du monde", "Il n'y a pas d'eau"], "A", LANGUE, "FR-PAC",
      "« il y a dégun » signifie qu'il n'y a personne"),
    q("À Marseille, que signifie « il y a dégun » dans la conversation courante ?",
      ["Il n'y a personne", "Il y a du vent", "Il y a du monde", "Il n'y a pas d'eau"], "A", LANGUE, "FR-PAC",
      "« il y a dégun » signifie qu'il n'y a personne"),
    {k: v for k, v in q("À Lyon, comment appelle-t-on familièrement un enfant ?", ["Un gone", "Un minot", "Un drôle", "Un gamin"], "A",
                        LANGUE, "FR-ARA", "À Lyon, un « gone » est un enfant.").items() if k != "answer"},
    q("À Lille, quel verbe dit-on quand il pleut à verse ?", ["Dracher", "Vaser", "Pleuviner", "Mouiller"], "A", "Météo", "FR-HDF",
      "Quand il pleut à verse, on dit à Lille qu'« il drache »."),
]  # fmt: skip
LV = [  # three that are good, one that the judges find untypical (« pochon »), one without a question
    q("Au marché de Lens, Odile renverse un seau et lance : « Passe-moi la wassingue ! » Que demande-t-elle ?",
      ["Une serpillière", "Une bassine", "Une éponge", "Une raclette"], "A", LANGUE, "FR-HDF",
      "Dans le Nord et le Pas-de-Calais, on passe la « wassingue », mot venu du flamand."),
    q("À la caisse d'une épicerie de Toulouse, une cliente dit : « Donnez-moi une poche. » Que veut-elle ?",
      ["Un sac", "Un tablier", "Une pile", "Un ticket"], "A", LANGUE, "FR-OCC",
      "un client de Toulouse ou de\nBordeaux dit souvent « une poche »"),
    q("À Strasbourg, Léa entre et sa grand-mère s'écrie : « Ferme, ça tire ! » De quoi se plaint-elle ?",
      ["D'un courant d'air", "D'un mal de dos", "D'une dispute", "D'une odeur"], "A", LANGUE, "FR-GES",
      "quelqu'un s'écrie : « Ferme, ça tire ! »"),
    q("À la caisse d'un magasin de Nantes, un client demande « un pochon ». Que veut-il emporter ?",
      ["Un sac", "Un carton", "Un panier", "Un filet"], "A", LANGUE, "FR-PDL", "un client de Nantes « un pochon »"),
    {"options": ["a", "b", "c", "d"], "answer": "A", "topic": LANGUE, "region": "FR-GES", "kind": "lexique", "evidence": "ça tire"},
]  # fmt: skip
HARD = "Oignies"
"""Nobody on the panel knows this one; the good answer of every other is known by house-1, and by house-2 where its stem is long."""


def written(shown: str) -> tuple[str, str]:
    """What the writer writes about the document of a prompt, and why it stopped."""
    document = shown.partition("<<<\n")[2]
    whole = json.dumps({"questions": ALSACE}, ensure_ascii=False)
    if "variation régionale de la langue" in shown:
        return json.dumps({"questions": LV}, ensure_ascii=False), "stop"
    if "droit local" in document[:80]:
        return f"Voici les questions.\n{whole}\nBonne lecture !", "stop"
    if "bassin minier" in document[:80]:
        text = json.dumps({"questions": MINIER}, ensure_ascii=False, indent=1)
        return f"```json\n{text[:-3].rstrip()},\n]}}\n```", "stop"
    if "Bretagne" in document[:80]:
        return whole[: len(whole) // 2], "length"
    if "Corse" in document[:80]:
        return whole.replace("Conseil de l'Europe", "Conseil de l\\'Europe"), "stop"
    return json.dumps({"questions": LYON if "soie" in document[:80] else MOTS}, ensure_ascii=False), "stop"


def right(shown: str) -> str:
    """The letter of the right answer to a question of the panel, as it stands in the prompt."""
    known = next(each for each in (*ALSACE, *MINIER, *LYON, *MOTS, *LV) if each.get("question", "\0") in shown)
    answer = known["answer"]
    gold = known["options"]["ABCD".index(answer)] if len(answer) == 1 else answer
    return next(m[1] for m in re.finditer(r"^([A-E])[.)] (.*)$", shown, re.M) if m[2] == gold)


class CarteServer(FaultServer):
    """Answers as writer, judge or panel, by what it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.stop, self.told = 0, 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        told = self.told
        while self.stop and sum(self.calls.values()) >= self.stop:
            self.faults["held"] += 1
            await asyncio.sleep(0.02)
        if told != self.told:  # whoever asked is dead by now
            return web.Response(status=503)
        return await super().handle(request)

    async def counts(self, request: web.Request) -> web.Response:
        if "stop" in request.query:
            self.stop, self.faults["held"] = int(request.query["stop"]), 0
            self.told += 1
        return await super().counts(request)

    def reply(self, body: dict, fault: str) -> dict:
        shown, reason = body["messages"][-1]["content"], "stop"
        if '{"questions"' in shown:
            self.faults["written"] += 1
            self.faults["schema"] += "response_format" in body
            text, reason = written(shown)
        elif "Note :" in shown or "Note:" in shown:
            self.faults["judged"] += 1
            text = "Note : 2" if "pochon" in shown.partition("<<<")[2] and "attesté" in shown.partition("<<<")[0] else "Note : 5"
        else:
            self.faults["answered"] += 1
            letter = right(shown)
            knows = HARD not in shown and (body["model"] == "house-1" or "Strasbourg" in shown)
            text = letter if knows else next(c for c in "ABCD" if c != letter)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": reason, "message": message}
        return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}, "model": body["model"], "object": "x"}


async def main() -> None:
    async with CarteServer().running() as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
