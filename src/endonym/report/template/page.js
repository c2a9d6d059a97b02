"use strict";
// Everything that a model or an item says is put in as text, never as markup.
(() => {
  const { rows, statuses } = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const STEP = 20;
  let shown = STEP;
  let found = rows;

  function make(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function fill(select, values) {
    for (const value of values) {
      const option = make("option", "", value);
      option.value = value;
      select.append(option);
    }
  }

  const letter = (n) => String.fromCharCode(65 + n);

  function said(reply, row) {
    const box = make("div", "said");
    if (reply.text || (!reply.error && !reply.loglikelihoods.length)) {
      const pre = make("pre", "", reply.text === "" ? "(empty reply)" : reply.text);
      pre.dir = "auto";
      box.append(pre);
    }
    if (reply.error) box.append(make("pre", "", reply.error));
    if (reply.loglikelihoods.length) {
      box.append(make("span", "muted", "log-likelihoods " + reply.loglikelihoods.map((x, n) => letter(n) + " " + x).join("  ")));
    }
    return box;
  }

  function outcome(reply) {
    if (reply.status !== "answered") return reply.status + (reply.position === null ? "" : ", " + letter(reply.position));
    return (reply.right ? "✓ right" : "✗ not right") + (reply.position === null ? "" : ", " + letter(reply.position));
  }

  function card(row) {
    const item = make("li");
    const labels = make("p", "labels");
    for (const [name, value] of row.labels) labels.append(make("span", "", name + ": " + value));
    const prompt = make("pre", "", row.prompt);
    prompt.dir = "auto";
    if (row.lang) prompt.lang = row.lang;
    const options = make("ul", "options");
    // A prompt that shows all options needs only the right one named again.
    const whole = row.options.every(([text]) => row.prompt.includes(text));
    row.options.forEach(([text, gold], n) => {
      if (gold || !whole) options.append(make("li", gold ? "gold" : "", letter(n) + ". " + text));
    });
    const replies = make("div", "replies");
    for (const reply of row.replies) {
      const line = make("div");
      line.append(make("span", "who", reply.model), make("span", reply.right ? "ok" : "", outcome(reply)), said(reply, row));
      replies.append(line);
    }
    item.append(labels, prompt, options, replies);
    return item;
  }

  function outcomes(reply) {
    return reply.status === "answered" ? (reply.right ? "right" : "not right") : reply.status;
  }

  function matches(row, words, model, status, lang) {
    if (lang && row.lang !== lang) return false;
    const replies = row.replies.filter((r) => (!model || r.model === model) && (!status || outcomes(r) === status));
    if ((model || status) && !replies.length) return false;
    return words.every((word) => row.text.includes(word));
  }

  function show() {
    $("list").replaceChildren(...found.slice(0, shown).map(card));
    $("found").textContent = found.length.toLocaleString("en") + (found.length === 1 ? " prompt" : " prompts");
    $("more").hidden = shown >= found.length;
  }

  function filter() {
    const words = $("q").value.toLowerCase().split(/\s+/).filter(Boolean);
    found = rows.filter((row) => matches(row, words, $("f-model").value, $("f-status").value, $("f-lang").value));
    shown = STEP;
    show();
  }

  for (const row of rows) {
    const parts = [row.item, row.prompt, ...row.labels.map(([, v]) => v), ...row.options.map(([t]) => t), ...row.replies.map((r) => r.text + " " + r.error)];
    row.text = parts.join("\n").toLowerCase();
  }
  const unique = (values) => [...new Set(values)].filter(Boolean).sort();
  fill($("f-model"), unique(rows.flatMap((row) => row.replies.map((r) => r.model))));
  fill($("f-status"), ["right", "not right", ...statuses]);
  fill($("f-lang"), unique(rows.map((row) => row.lang)));
  for (const id of ["q", "f-model", "f-status", "f-lang"]) $(id).addEventListener("input", filter);
  $("more").addEventListener("click", () => {
    const first = shown;
    shown += STEP;
    show();
    const next = $("list").children[first];
    next.tabIndex = -1;
    next.focus();
  });
  $("browser").hidden = false;
  show();
})();
