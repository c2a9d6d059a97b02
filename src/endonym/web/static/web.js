"use strict";
// Small comforts; every page works without them. Text that was not saved is not left by mistake, Ctrl+Enter or Ctrl+S saves, a link
// that is shown once is selected when it is reached, and what a page says to those without scripts is said otherwise.
(() => {
  let changed = false;
  for (const form of document.querySelectorAll("form[data-guard]")) {
    form.addEventListener("input", () => { changed = true; });
    form.addEventListener("submit", () => { changed = false; });
  }
  addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || (event.key !== "Enter" && event.key !== "s")) return;
    const button = document.querySelector("[data-shortcut=save]");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  for (const said of document.querySelectorAll("[data-live]")) said.textContent = said.dataset.live;
  for (const link of document.querySelectorAll("input.link")) link.addEventListener("focus", () => link.select());
})();
