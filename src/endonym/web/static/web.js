"use strict";
// Small comforts; every page works without them. Text that was not saved is not left by mistake, Ctrl+Enter or Ctrl+S saves, and a
// link that is shown once is selected when it is reached.
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
  for (const link of document.querySelectorAll("input.link")) link.addEventListener("focus", () => link.select());
})();
