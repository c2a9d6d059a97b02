"""Hand-written facts as triples in Wikidata's model: entities, statements with ranks, value nodes with precision and calendar.

``triples()`` gives N-Triples, ``entities()`` the same statements as Wikidata's JSON. Identifiers of classes and countries are
Wikidata's; those of entities are made up. What is odd on purpose stands at the end of its line: see ``ODD``.
"""

import zlib
from collections.abc import Iterator
from typing import Any

WD = "http://www.wikidata.org/"
COUNTRIES = {"FR": ("Q142", "France"), "PT": ("Q45", "Portugal"), "DE": ("Q183", "Germany")}
LANGS = ("en", "fr", "pt", "de", "es")

AREAS = """
FR-ARA|Auvergne-Rhône-Alpes|de=Auvergne-Rhône-Alpes
FR-BFC|Bourgogne-Franche-Comté
FR-BRE|Brittany|fr=Bretagne|pt=Bretanha|de=Bretagne|es=Bretaña
FR-CVL|Centre-Val de Loire
FR-GES|Grand Est
FR-HDF|Hauts-de-France
FR-IDF|Île-de-France
FR-NOR|Normandy|fr=Normandie|pt=Normandia|de=Normandie|es=Normandía
FR-NAQ|Nouvelle-Aquitaine|pt=Nova Aquitânia|es=Nueva Aquitania
FR-OCC|Occitania|fr=Occitanie|pt=Occitânia|de=Okzitanien|es=Occitania
FR-PDL|Pays de la Loire
FR-PAC|Provence-Alpes-Côte d'Azur
FR-20R|Corsica|fr=Corse|pt=Córsega|de=Korsika|es=Córcega
PT-01|Aveiro
PT-02|Beja
PT-03|Braga
PT-04|Bragança
PT-05|Castelo Branco
PT-06|Coimbra
PT-07|Évora
PT-08|Faro
PT-09|Guarda
PT-10|Leiria
PT-11|Lisbon|fr=Lisbonne|pt=Lisboa|de=Lissabon|es=Lisboa
PT-12|Portalegre
PT-13|Porto
PT-14|Santarém
PT-15|Setúbal
PT-16|Viana do Castelo
PT-17|Vila Real
PT-18|Viseu
DE-BW|Baden-Württemberg|fr=Bade-Wurtemberg
DE-BY|Bavaria|fr=Bavière|pt=Baviera|de=Bayern|es=Baviera
DE-BE|Berlin
DE-BB|Brandenburg|fr=Brandebourg|pt=Brandemburgo
DE-HB|Bremen|fr=Brême
DE-HH|Hamburg|fr=Hambourg|pt=Hamburgo
DE-HE|Hesse|de=Hessen
DE-MV|Mecklenburg-Vorpommern
DE-NI|Lower Saxony|fr=Basse-Saxe|pt=Baixa Saxónia|de=Niedersachsen|es=Baja Sajonia
DE-NW|North Rhine-Westphalia|fr=Rhénanie-du-Nord-Westphalie|de=Nordrhein-Westfalen
DE-RP|Rhineland-Palatinate|fr=Rhénanie-Palatinat|de=Rheinland-Pfalz
DE-SL|Saarland|fr=Sarre|pt=Sarre
DE-SN|Saxony|fr=Saxe|pt=Saxónia|de=Sachsen|es=Sajonia
DE-ST|Saxony-Anhalt|fr=Saxe-Anhalt|pt=Saxónia-Anhalt|de=Sachsen-Anhalt|es=Sajonia-Anhalt
DE-SH|Schleswig-Holstein
DE-TH|Thuringia|fr=Thuringe|pt=Turíngia|de=Thüringen|es=Turingia
"""
LEADERS = """
FR|Charles de Gaulle|1890-11-22
FR|Georges Pompidou|1911-07-05
FR|Valéry Giscard d'Estaing|1926-02-02
FR|François Mitterrand|1916-10-26
FR|Jacques Chirac|1932-11-29
FR|Nicolas Sarkozy|1955-01-28
FR|François Hollande|1954-08-12
FR|Emmanuel Macron|1977-12-21
FR|Vincent Auriol|1884-08-27
FR|René Coty|1882-03-20
FR|Albert Lebrun|1871-08-29
FR|Raymond Poincaré|1860-08-20
PT|Mário Soares|1924-12-07
PT|Jorge Sampaio|1939-09-18
PT|António Ramalho Eanes|1935-01-25
PT|Aníbal Cavaco Silva|1939-07-15
PT|Marcelo Rebelo de Sousa|1948-12-12
PT|António Costa|1961-07-17
PT|António Guterres|1949-04-30
PT|José Sócrates|1957-09-06
PT|Teófilo Braga|1843-02-24
PT|Manuel de Arriaga|1840-07-08
PT|António de Oliveira Salazar|1889-04-28
PT|Marcelo Caetano|1906-08-17
DE|Konrad Adenauer|1876-01-05
DE|Ludwig Erhard|1897-02-04
DE|Willy Brandt|1913-12-18
DE|Helmut Schmidt|1918-12-23
DE|Helmut Kohl|1930-04-03
DE|Gerhard Schröder|1944-04-07
DE|Angela Merkel|1954-07-17
DE|Olaf Scholz|1958-06-14
DE|Theodor Heuss|1884-01-31
DE|Heinrich Lübke|1894-10-14
DE|Gustav Heinemann|1899-07-23
DE|Walter Scheel|1919-07-08
"""
WARS = """
FR|Franco-Prussian War|1870-07-19|fr=guerre franco-allemande de 1870|de=Deutsch-Französischer Krieg
FR|Hundred Years' War|1337|fr=guerre de Cent Ans|de=Hundertjähriger Krieg|pt=Guerra dos Cem Anos
FR|Algerian War|1954-11-01|fr=guerre d'Algérie|de=Algerienkrieg|pt=Guerra da Argélia
FR|War of the Vendée|1793|fr=guerre de Vendée|de=Aufstand der Vendée
FR|Gallic Wars|-0058|fr=guerre des Gaules|de=Gallischer Krieg
PT|Portuguese Restoration War|1640-12-01|pt=Guerra da Restauração|fr=guerre de Restauration
PT|Liberal Wars|1828|pt=Guerra Civil Portuguesa|de=Miguelistenkrieg
PT|Angolan War of Independence|1961-02-04|pt=Guerra de Independência de Angola
PT|Portuguese Conquest of Somewhere|14xx
DE|German Peasants' War|1524|de=Deutscher Bauernkrieg|fr=guerre des Paysans allemands
DE|Thirty Years' War|1618-05-23|de=Dreißigjähriger Krieg|fr=guerre de Trente Ans|pt=Guerra dos Trinta Anos
DE|Austro-Prussian War|1866-06-14|de=Deutscher Krieg|fr=guerre austro-prussienne
DE|Second Schleswig War|1864-02-01|de=Deutsch-Dänischer Krieg|fr=guerre des Duchés
"""
PARKS = """
FR|Vanoise National Park|FR-ARA|fr=parc national de la Vanoise|de=Nationalpark Vanoise
FR|Écrins National Park|FR-ARA FR-PAC|fr=parc national des Écrins|de=Nationalpark Écrins
FR|Cévennes National Park|FR-OCC FR-ARA|fr=parc national des Cévennes|de=Nationalpark Cevennen
FR|Mercantour National Park|FR-PAC|fr=parc national du Mercantour|de=Nationalpark Mercantour
FR|Calanques National Park|FR-PAC|fr=parc national des Calanques|de=Nationalpark Calanques
FR|Pyrénées National Park|FR-NAQ FR-OCC|fr=parc national des Pyrénées|de=Nationalpark Pyrenäen
PT|Peneda-Gerês National Park|PT-03 PT-16 PT-17|pt=Parque Nacional da Peneda-Gerês|fr=parc national de Peneda-Gerês
DE|Bavarian Forest National Park|DE-BY|de=Nationalpark Bayerischer Wald|fr=parc national de la forêt de Bavière
DE|Berchtesgaden National Park|DE-BY|de=Nationalpark Berchtesgaden|fr=parc national de Berchtesgaden
DE|Harz National Park|DE-NI DE-ST|de=Nationalpark Harz|fr=parc national du Harz
DE|Saxon Switzerland National Park|DE-SN|de=Nationalpark Sächsische Schweiz
DE|Jasmund National Park|DE-MV|de=Nationalpark Jasmund|fr=parc national de Jasmund
DE|Eifel National Park|DE-NW|de=Nationalpark Eifel|fr=parc national de l'Eifel
DE|Hainich National Park|DE-TH|de=Nationalpark Hainich|fr=parc national de Hainich
"""
SITES = """
FR|Mont-Saint-Michel and its Bay|FR-NOR|fr=Mont-Saint-Michel et sa baie|de=Mont-Saint-Michel und seine Bucht
FR|Palace of Versailles|FR-IDF|fr=château de Versailles|de=Schloss Versailles|pt=Palácio de Versalhes
FR|Pont du Gard|FR-OCC
FR|Vézelay, Church and Hill|FR-BFC|fr=basilique et colline de Vézelay
FR|Gulf of Porto|FR-20R|fr=golfe de Porto|de=Golf von Porto
FR|Amiens Cathedral|FR-HDF|fr=cathédrale d'Amiens|de=Kathedrale von Amiens
FR|Loire Valley|FR-CVL FR-PDL|fr=val de Loire|de=Loiretal
PT|Monastery of Batalha|PT-10|pt=Mosteiro da Batalha|fr=monastère de Batalha|de=Kloster Batalha
PT|Alto Douro Wine Region|PT-17 PT-18 PT-09 PT-04|pt=Alto Douro Vinhateiro|fr=Haut-Douro
PT|Convent of Christ|PT-14|pt=Convento de Cristo|fr=couvent du Christ|de=Christuskloster
PT|University of Coimbra|PT-06|pt=Universidade de Coimbra|fr=université de Coimbra|de=Universität Coimbra
PT|Historic Centre of Évora|PT-07|pt=Centro Histórico de Évora|fr=centre historique d'Évora
PT|Belém Tower|PT-11|pt=Torre de Belém|fr=tour de Belém|de=Torre de Belém
DE|Cologne Cathedral|DE-NW|de=Kölner Dom|fr=cathédrale de Cologne|pt=Catedral de Colónia
DE|Speyer Cathedral|DE-RP|de=Speyerer Dom|fr=cathédrale de Spire
DE|Würzburg Residence|DE-BY|de=Würzburger Residenz|fr=résidence de Wurtzbourg
DE|Museum Island|DE-BE|de=Museumsinsel|fr=île aux musées
DE|Völklingen Ironworks|DE-SL|de=Völklinger Hütte|fr=usine sidérurgique de Völklingen
DE|Upper Middle Rhine Valley|DE-RP DE-HE|de=Oberes Mittelrheintal|fr=vallée du Haut-Rhin moyen
"""
ODD = {
    "Albert Lebrun": "also normal, another year: in dispute",
    "Vincent Auriol": "also normal; the year above is preferred",
    "René Coty": "also deprecated",
    "Teófilo Braga": "unknown value only",
    "Manuel de Arriaga": "no value only",
    "Raymond Poincaré": "circa",
    "Theodor Heuss": "no label but mul",
    "Walter Scheel": "no label at all",
    "Thirty Years' War": "Julian day kept",
    "Berchtesgaden National Park": "also an area it left",
    "Saxon Switzerland National Park": "no P131",
    "Belém Tower": "by way of a municipality",
    "Museum Island": "delisted",
}
FIRST = {"leader": 9_100_000, "war": 9_200_000, "park": 9_300_000, "heritage": 9_400_000}


def rows(text: str) -> list[list[str]]:
    return [line.split("|") for line in text.strip().splitlines()]


def q_of(topic: str, name: str) -> str:
    """The made-up identifier of an entity; a test finds it by name."""
    table = {"leader": LEADERS, "war": WARS, "park": PARKS, "heritage": SITES}[topic]
    return f"Q{FIRST[topic] + [row[1] for row in rows(table)].index(name)}"


def area_q(code: str) -> str:
    return f"Q{9_500_000 + [row[0] for row in rows(AREAS)].index(code)}"


def entities() -> Iterator[dict[str, Any]]:
    """Wikidata's JSON, in the shape of its dumps."""
    yield from _classes()
    for code, name, *labels in rows(AREAS):
        country = COUNTRIES[code[:2]][0]
        claims = [("P31", _item(f"Q{9_600_000 + list(COUNTRIES).index(code[:2])}")), ("P17", _item(country)), ("P300", _text(code))]
        yield _entity(area_q(code), _labels(name, labels), claims)
    for country, name, day in rows(LEADERS):
        q, office = q_of("leader", name), f"Q{9_700_000 + list(COUNTRIES).index(country)}"
        claims = [("P31", _item("Q5")), ("P39", _item(office)), *_births(name, day)]
        yield _entity(q, _leader_labels(name), claims)
    for country, name, day, *labels in rows(WARS):
        if day == "14xx":
            start = _time("+1500-00-00T00:00:00Z", 7)
        else:
            start = _time(_stamp(day), 11 if day.count("-") == 2 and day[0] != "-" else 9, julian=name == "Thirty Years' War")
        prop = "P585" if name == "Liberal Wars" else "P580"
        claims = [("P31", _item("Q8000001")), ("P710", _item(_state(country))), (prop, start)]
        yield _entity(q_of("war", name), _labels(name, labels), claims)
    for topic, table in (("park", PARKS), ("heritage", SITES)):
        for country, name, codes, *labels in rows(table):
            kind = [("P31", _item("Q46169"))] if topic == "park" else [("P31", _item("Q8000002")), ("P1435", _listed(name))]
            claims = [*kind, ("P17", _item(COUNTRIES[country][0])), *_places(name, codes.split())]
            yield _entity(q_of(topic, name), _labels(name, labels), claims)


def _classes() -> Iterator[dict[str, Any]]:
    """Countries with their states of old, classes, offices, a municipality, a war and a president of nowhere."""
    for n, (code, (q, name)) in enumerate(COUNTRIES.items()):
        office, before = _item(f"Q{9_700_000 + n}"), _item(f"Q{9_710_000 + n}")
        yield _entity(q, _labels(name, []), [("P297", _text(code)), ("P1906", office), ("P1365", before)])
        yield _entity(f"Q{9_710_000 + n}", _labels(f"Kingdom of {name}", []), [("P31", _item("Q3624078"))])
        yield _entity(f"Q{9_600_000 + n}", _labels(f"first-level area of {name}", []), [("P279", _item("Q10864048"))])
        yield _entity(f"Q{9_700_000 + n}", _labels(f"President of {name}", []), [("P31", _item("Q4164871"))])
    yield _entity("Q8000001", _labels("war of some kind", []), [("P279", _item("Q198"))])
    yield _entity("Q8000003", _labels("Lisbon municipality", []), [("P131", _item(area_q("PT-11")))])
    yield _entity("Q8000004", _labels("War of Nowhere", []), [("P31", _item("Q198")), ("P580", _time("+1900-00-00T00:00:00Z", 9))])
    yield _entity("Q8000005", _labels("King of a Novel", []), [("P31", _item("Q15632617")), ("P39", _item("Q9700000"))])
    gone = ("P576", _time("+1976-00-00T00:00:00Z", 9))
    claims = [("P31", _item("Q9600001")), ("P17", _item("Q45")), ("P300", _text("PT-99")), gone]
    yield _entity("Q8000006", _labels("Old Province", []), claims)


def _state(country: str) -> str:
    n = list(COUNTRIES).index(country)
    return f"Q{9_710_000 + n}" if country != "PT" else COUNTRIES[country][0]


def _births(name: str, day: str) -> list[tuple[str, dict[str, Any]]]:
    born = ("P569", _time(_stamp(day), 11))
    other = _time(_stamp(str(int(day[:4]) + 1)), 9)
    match ODD.get(name, "").split(";")[0]:
        case "also normal, another year: in dispute":
            return [born, ("P569", other)]
        case "also normal":
            return [("P569", other), ("P569", born[1] | {"rank": "preferred"})]
        case "also deprecated":
            return [born, ("P569", other | {"rank": "deprecated"})]
        case "unknown value only":
            return [("P569", {"snaktype": "somevalue"})]
        case "no value only":
            return [("P569", {"snaktype": "novalue"})]
        case "circa":
            return [("P569", born[1] | {"qualifiers": [("P1480", _item("Q5727902"))]})]
    return [born]


def _places(name: str, codes: list[str]) -> list[tuple[str, dict[str, Any]]]:
    if ODD.get(name) == "no P131":
        return []
    if ODD.get(name) == "by way of a municipality":
        return [("P131", _item("Q8000003"))]
    found = [("P131", _item(area_q(code))) for code in codes]
    if ODD.get(name) == "also an area it left":
        found.append(("P131", _item(area_q("DE-BW")) | {"qualifiers": [("P582", _time("+1950-00-00T00:00:00Z", 9))]}))
    return found


def _listed(name: str) -> dict[str, Any]:
    ended = {"qualifiers": [("P582", _time("+2009-00-00T00:00:00Z", 9))]} if ODD.get(name) == "delisted" else {}
    return _item("Q9259") | ended


def _stamp(day: str) -> str:
    era, rest = ("-", day[1:]) if day[0] == "-" else ("+", day)
    parts = [*rest.split("-"), "00", "00"][:3]
    return f"{era}{parts[0]}-{parts[1]}-{parts[2]}T00:00:00Z"


def _labels(name: str, given: list[str]) -> dict[str, str]:
    """English; every label given; the English name in Spanish too, so that some languages are there and some missing."""
    return {"en": name, "es": name, **dict(one.split("=") for one in given)}


def _leader_labels(name: str) -> dict[str, str]:
    odd = ODD.get(name, "")
    return {} if odd == "no label at all" else {"mul": name} if odd == "no label but mul" else dict.fromkeys(LANGS, name)


def _item(q: str) -> dict[str, Any]:
    return {"snaktype": "value", "value": {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": q}}}


def _text(text: str) -> dict[str, Any]:
    return {"snaktype": "value", "value": {"type": "string", "value": text}}


def _time(time: str, precision: int, julian: bool = False) -> dict[str, Any]:
    model = f"{WD}entity/" + ("Q1985786" if julian else "Q1985727")
    return {"snaktype": "value", "value": {"type": "time", "value": {"time": time, "precision": precision, "calendarmodel": model}}}


def _entity(q: str, labels: dict[str, str], claims: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    grouped: dict[str, list[Any]] = {}
    for n, (prop, claim) in enumerate(claims):
        snak = {"snaktype": claim["snaktype"], "property": prop, **({"datavalue": claim["value"]} if "value" in claim else {})}
        qualifiers: dict[str, list[Any]] = {}
        for other, held in claim.get("qualifiers", []):
            qualifiers.setdefault(other, []).append({"snaktype": "value", "property": other, "datavalue": held["value"]})
        made = {"mainsnak": snak, "type": "statement", "id": f"{q.lower()}$AAAA-{n}", "rank": claim.get("rank", "normal")}
        grouped.setdefault(prop, []).append(made | ({"qualifiers": qualifiers} if qualifiers else {}))
    named: Any = {lang: {"language": lang, "value": text} for lang, text in labels.items()}
    return {"type": "item", "id": q, "labels": named or [], "claims": grouped or [], "descriptions": {}, "sitelinks": {}}


# The same as RDF, written apart from the package's own way from JSON to RDF, so that either checks the other.

TIMES = {("+1618-05-23T00:00:00Z", True): "1618-06-02T00:00:00Z"}
"""Julian days as Wikidata's RDF has them: ten days later in the 17th century."""


def triples() -> Iterator[str]:
    """N-Triples of all entities."""
    for entity in entities():
        subject = f"<{WD}entity/{entity['id']}>"
        for label in (entity["labels"] or {}).values():
            yield f'{subject} <http://www.w3.org/2000/01/rdf-schema#label> "{label["value"]}"@{label["language"]} .'
            yield f'{subject} <http://schema.org/description> "something called {label["value"]}"@{label["language"]} .'
        for prop, claims in (entity["claims"] or {}).items():
            best = "preferred" if any(claim["rank"] == "preferred" for claim in claims) else "normal"
            for claim in claims:
                yield from _statement(subject, prop, claim, truthy=claim["rank"] == best)


def _statement(subject: str, prop: str, claim: dict[str, Any], *, truthy: bool) -> Iterator[str]:
    node = f"<{WD}entity/statement/{claim['id'].replace('$', '-')}>"
    yield f"{subject} <{WD}prop/{prop}> {node} ."
    yield f"{node} <http://wikiba.se/ontology#rank> <http://wikiba.se/ontology#{claim['rank'].capitalize()}Rank> ."
    snak = claim["mainsnak"]
    if snak["snaktype"] == "novalue":
        yield f"{node} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{WD}prop/novalue/{prop}> ."
        return
    value = f"_:{claim['id'].replace('$', 'x').replace('-', 'x')}" if snak["snaktype"] == "somevalue" else _value(snak["datavalue"])
    yield f"{node} <{WD}prop/statement/{prop}> {value} ."
    if truthy:
        yield f"{subject} <{WD}prop/direct/{prop}> {value} ."
    if snak["snaktype"] == "value" and snak["datavalue"]["type"] == "time":
        yield from _node(node, prop, snak["datavalue"]["value"])
    for other, qualifiers in claim.get("qualifiers", {}).items():
        for qualifier in qualifiers:
            yield f"{node} <{WD}prop/qualifier/{other}> {_value(qualifier['datavalue'])} ."


def _value(data: dict[str, Any]) -> str:
    if data["type"] == "wikibase-entityid":
        return f"<{WD}entity/{data['value']['id']}>"
    return f'"{data["value"]}"' if data["type"] == "string" else _moment(data["value"])


def _moment(value: dict[str, Any]) -> str:
    stamp = TIMES.get((value["time"], value["calendarmodel"].endswith("86")), value["time"].removeprefix("+"))
    if stamp.startswith("-"):
        stamp = f"-{int(stamp[1:5]) - 1:04d}{stamp[5:]}"
    return f'"{stamp.replace("-00-00T", "-01-01T")}"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def _node(statement: str, prop: str, value: dict[str, Any]) -> Iterator[str]:
    node = f"<{WD}value/{zlib.crc32(repr(value).encode()):08x}>"
    yield f"{statement} <{WD}prop/statement/value/{prop}> {node} ."
    yield f"{node} <http://wikiba.se/ontology#timeValue> {_moment(value)} ."
    yield f'{node} <http://wikiba.se/ontology#timePrecision> "{value["precision"]}"^^<http://www.w3.org/2001/XMLSchema#integer> .'
    yield f"{node} <http://wikiba.se/ontology#timeCalendarModel> <{value['calendarmodel']}> ."
