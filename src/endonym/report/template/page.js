"use strict";
// Everything that a model or an item says is put in as text, never as markup. Rows come packed (base64 of gzip of JSON), and
// only those that are in sight are in the page, so that a hundred thousand of them scroll as ten do.
(() => {
  const $ = (id) => document.getElementById(id);
  const { models, labels, outcomes, words, total, lang } = JSON.parse($("data").textContent);
  const [ITEM, STEM, PROMPT, LANG, LABELS, OPTIONS, REPLIES, TEXT] = [0, 1, 2, 3, 4, 5, 6, 7];
  const HEIGHT = 52;
  const rows = [];
  let found = [];
  let chosen = -1;
  let loaded = false;

  const letter = (n) => String.fromCharCode(65 + n);
  const number = (n) => n.toLocaleString(lang);
  const say = (text, values) => words[text].replace(/\{(\w+)\}/g, (_, name) => values[name]);

  function make(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function fill(select, values) {
    for (const [value, text] of [["", words["any"]], ...values]) {
      const option = make("option", "", text);
      option.value = value;
      select.append(option);
    }
  }

  function speech(node, row) {
    node.dir = "auto";
    if (row[LANG]) node.lang = row[LANG];
    return node;
  }

  // --- one question, whole

  function said([, , , text, error, likelihoods]) {
    const box = make("div", "said");
    if (text || (!error && !likelihoods.length)) {
      const pre = make("pre", "", text === "" ? words["(empty reply)"] : text);
      pre.dir = "auto";
      box.append(pre);
    }
    if (error) box.append(make("pre", "", error));
    if (likelihoods.length) box.append(make("span", "muted", words["log-likelihoods"] + " " + likelihoods.map((x, n) => letter(n) + " " + x).join("  ")));
    return box;
  }

  function outcome([, kind, position]) {
    const mark = kind === 0 ? "✓ " : kind === 1 ? "✗ " : "";
    return mark + outcomes[kind] + (position === null ? "" : ", " + letter(position));
  }

  function detail(row) {
    const box = $("detail");
    box.replaceChildren();
    if (!row) return;
    const facts = make("p", "labels");
    facts.append(make("span", "", words["question"] + " " + row[ITEM]));
    row[LABELS].forEach((value, n) => value && facts.append(make("span", "", labels[n] + ": " + value)));
    const options = make("ul", "options");
    const open = row[OPTIONS].every(([, gold]) => gold);
    // A prompt that shows all options needs only the right one named again.
    const whole = !open && row[OPTIONS].every(([text]) => row[PROMPT].includes(text));
    row[OPTIONS].forEach(([text, gold], n) => {
      if (!gold && whole) return;
      const line = speech(make("li", gold ? "gold" : "", open ? text : letter(n) + ". " + text), row);
      if (gold) line.append(make("span", "muted", " ✓ " + words["right answer"]));
      options.append(line);
    });
    const replies = make("div", "replies");
    for (const reply of row[REPLIES]) {
      const line = make("div");
      line.append(make("span", "who", models[reply[0]]), make("span", reply[1] === 0 ? "ok" : "", outcome(reply)), said(reply));
      replies.append(line);
    }
    box.append(facts, speech(make("pre", "", row[PROMPT]), row), options, replies);
    box.scrollTop = 0;
  }

  // --- the list: a box as high as all rows, with those in sight in it

  function line(n) {
    const row = found[n];
    const node = make("div", "row");
    node.id = "row-" + n;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", String(n === chosen));
    node.setAttribute("aria-posinset", String(n + 1));
    node.setAttribute("aria-setsize", String(found.length));
    node.style.top = n * HEIGHT + "px";
    node.style.height = HEIGHT + "px";
    const right = row[REPLIES].filter((reply) => reply[1] === 0).length;
    node.append(
      speech(make("span", "stem", row[STEM]), row),
      make("span", "score", [row[LANG], right + " " + words["of"] + " " + row[REPLIES].length + " " + words["right"]].filter(Boolean).join(" · ")),
    );
    node.addEventListener("click", () => choose(n));
    return node;
  }

  function draw() {
    const list = $("list");
    $("rows").style.height = found.length * HEIGHT + "px";
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 4);
    const last = Math.min(found.length, first + Math.ceil(list.clientHeight / HEIGHT) + 8);
    const nodes = [];
    for (let n = first; n < last; n += 1) nodes.push(line(n));
    $("rows").replaceChildren(...nodes);
    if (chosen >= first && chosen < last) list.setAttribute("aria-activedescendant", "row-" + chosen);
    else list.removeAttribute("aria-activedescendant");
  }

  function choose(n) {
    if (!found.length) return;
    chosen = Math.max(0, Math.min(found.length - 1, n));
    const list = $("list");
    const top = chosen * HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    draw();
    detail(found[chosen]);
  }

  function key(event) {
    const page = Math.max(1, Math.floor($("list").clientHeight / HEIGHT) - 1);
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page, Home: 0, End: found.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  }

  // --- what fits

  function matcher() {
    const sought = $("q").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [model, status, language] = ["f-model", "f-status", "f-lang"].map((id) => $(id).value);
    return (row) => {
      if (language && row[LANG] !== language) return false;
      if (model || status) {
        const fits = (reply) => (!model || reply[0] === Number(model)) && (!status || reply[1] === Number(status));
        if (!row[REPLIES].some(fits)) return false;
      }
      return sought.every((word) => row[TEXT].includes(word));
    };
  }

  function count() {
    const values = { n: number(loaded ? found.length : rows.length), total: number(total) };
    $("found").textContent = say(loaded ? "{n} of {total} prompts" : "unpacking: {n} of {total} prompts", values);
  }

  function filter() {
    found = rows.filter(matcher());
    $("list").scrollTop = 0;
    chosen = -1;
    count();
    if (found.length) choose(0);
    else {
      draw();
      $("rows").replaceChildren();
      detail(null);
    }
  }

  async function unpack(node) {
    const signs = atob(node.textContent);
    const bytes = new Uint8Array(signs.length);
    for (let n = 0; n < signs.length; n += 1) bytes[n] = signs.charCodeAt(n);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const part = JSON.parse(await new Response(stream).text());
    node.remove();
    for (const row of part) {
      const replies = row[REPLIES].map((reply) => reply[3] + " " + reply[4]);
      row.push([row[ITEM], row[PROMPT], ...row[LABELS], ...row[OPTIONS].map(([text]) => text), ...replies].join("\n").toLowerCase());
      rows.push(row);
    }
  }

  async function start() {
    $("browser").hidden = false;
    if (typeof DecompressionStream === "undefined") {
      $("found").textContent = words["This browser cannot unpack the questions (it has no DecompressionStream); they are in tables/, word for word."];
      return;
    }
    fill($("f-model"), models.map((name, n) => [String(n), name]));
    fill($("f-status"), outcomes.map((name, n) => [String(n), name]));
    for (const node of [...document.querySelectorAll("script.chunk")]) {
      await unpack(node);
      if (!found.length) filter();
      count();
    }
    const languages = new Set(rows.map((row) => row[LANG]));
    fill($("f-lang"), [...languages].filter(Boolean).sort().map((code) => [code, code]));
    loaded = true;
    filter();
    let wait = 0;
    $("q").addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(filter, 120); });
    for (const id of ["f-model", "f-status", "f-lang"]) $(id).addEventListener("input", filter);
    $("list").addEventListener("scroll", draw, { passive: true });
    $("list").addEventListener("keydown", key);
    window.addEventListener("resize", draw);
    document.documentElement.dataset.ready = "yes";
  }

  start();
})();
