// The page's script: it puts fragments of HTML in place that the server makes. The address after "#" names the page.
"use strict";

const main = document.getElementById("main");
const dialog = document.getElementById("dialog");
const announcer = document.getElementById("status");
let csrf = "";
let events = null; // the stream of a page that is live
let loading = 0;
let shownPage = "";

function say(text) {
  announcer.textContent = text;
}

// fail shows why there is nothing to show.
function fail(text) {
  const p = document.createElement("p");
  p.className = "problem";
  p.setAttribute("role", "alert");
  p.textContent = text;
  main.replaceChildren(p);
}

async function ask(path, fields) {
  const options = { credentials: "same-origin", cache: "no-store" };
  if (fields) {
    options.method = "POST";
    options.headers = { "Vkloader-Csrf": csrf };
    options.body = new URLSearchParams(fields);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("vkloader ui has ended, or cannot be reached. Start it again in a terminal.");
  }
  csrf = answer.headers.get("Vkloader-Csrf") || csrf;
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(text.trim());
  }
  return text;
}

// address is the page's address without "#/".
function address() {
  return location.hash.startsWith("#/") ? location.hash.slice(2) : "";
}

// place puts a fragment into an element, and the focus back where it was.
function place(element, html) {
  const focused = document.activeElement && element.contains(document.activeElement) ? document.activeElement.id : "";
  const open = new Set(Array.from(element.querySelectorAll("details[open][id]"), (d) => d.id));
  element.innerHTML = html;
  for (const d of element.querySelectorAll("details[id]")) {
    if (open.has(d.id)) {
      d.open = true;
    }
  }
  let to = focused && document.getElementById(focused);
  if (to && to.disabled && to.dataset.or) {
    to = document.getElementById(to.dataset.or);
  }
  if (to) {
    to.focus({ preventScroll: true });
  }
  return Boolean(to);
}

async function load() {
  const mine = ++loading;
  const wanted = address();
  let text;
  main.setAttribute("aria-busy", "true");
  try {
    text = await ask("/page/" + wanted);
  } catch (err) {
    if (mine === loading) {
      main.removeAttribute("aria-busy");
      fail(err.message);
    }
    return;
  }
  if (mine !== loading) {
    return;
  }
  const kept = place(main, text);
  main.removeAttribute("aria-busy");
  const top = main.firstElementChild;
  document.title = top.dataset.title + " – vkloader";
  if (top.dataset.address) {
    history.replaceState(null, "", "#/" + top.dataset.address);
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.page === top.dataset.current) {
      link.setAttribute("aria-current", "page");
    } else {
      link.removeAttribute("aria-current");
    }
  }
  const page = address().split("?")[0];
  if (page !== shownPage) {
    if (shownPage !== "" && !kept) {
      main.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    say(top.dataset.title);
  } else if (top.dataset.say || top.querySelector("[data-say]")) {
    say(top.dataset.say || top.querySelector("[data-say]").dataset.say);
  }
  shownPage = page;
  follow();
  for (const element of main.querySelectorAll("[data-later]")) {
    part(element, element.dataset.later);
  }
}

// part puts a part of a page in place that takes longer.
async function part(element, path) {
  element.setAttribute("aria-busy", "true");
  try {
    const text = await ask(path);
    element.innerHTML = text;
  } catch (err) {
    element.textContent = err.message;
  }
  element.removeAttribute("aria-busy");
}

// follow listens while the page has something live on it and is seen.
function follow() {
  if (events) {
    events.close();
    events = null;
  }
  const element = main.querySelector("[data-live]");
  if (!element || document.hidden) {
    return;
  }
  events = new EventSource(element.dataset.live);
  events.onmessage = (event) => place(element, event.data);
}

// encoded is the query of a form; fields without a value are left out.
function encoded(form, submitter) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) {
    if (value !== "") {
      query.append(name, value);
    }
  }
  return query;
}

// go leads to the address that is made of a form.
function go(form, submitter) {
  const query = encoded(form, submitter).toString();
  const to = "#/" + form.dataset.go + (query ? "?" + query : "");
  if (to === location.hash) {
    load();
  } else {
    location.hash = to;
  }
}

// change shows what a change does, or makes it.
async function change(path, fields) {
  let text;
  try {
    text = await ask(path, fields);
  } catch (err) {
    dialog.replaceChildren();
    const p = document.createElement("p");
    p.className = "problem";
    p.textContent = err.message;
    const close = document.createElement("button");
    close.textContent = "Close";
    close.dataset.close = "";
    dialog.append(p, close);
    if (!dialog.open) {
      dialog.showModal();
    }
    return;
  }
  dialog.innerHTML = text;
  const done = dialog.querySelector("[data-done]");
  if (done) {
    say(done.textContent);
    dialog.close();
    await load();
    return;
  }
  if (!dialog.open) {
    dialog.showModal();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.dataset.go !== undefined) {
    go(form, event.submitter);
  } else if (event.submitter && event.submitter.name === "part") {
    const into = document.getElementById(form.dataset.into);
    into.textContent = "One moment …";
    part(into, "/part/" + event.submitter.value + "?" + encoded(form));
  } else if (form.dataset.change) {
    change("/change/" + form.dataset.change, new FormData(form, event.submitter));
  } else if (form.dataset.post) {
    change(form.dataset.post, new FormData(form, event.submitter));
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && form.dataset.go !== undefined && form.dataset.at === "change") {
    go(form);
  }
});

document.addEventListener("click", (event) => {
  const element = event.target.closest("[data-close], [data-skip], [data-copy]");
  if (!element) {
    return;
  }
  if (element.dataset.copy) {
    navigator.clipboard.writeText(document.getElementById(element.dataset.copy).textContent).then(
      () => say("Copied"),
      () => say("The browser does not let the page copy"),
    );
    return;
  }
  if (element.dataset.skip !== undefined) {
    event.preventDefault();
    main.focus();
    return;
  }
  dialog.close();
});

// Rows that are dragged: the form gets "move" with what is dragged and where it is dropped. Buttons do the same.
let dragged = null;
document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest("[data-drag]");
  if (dragged) {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
  }
});
document.addEventListener("dragover", (event) => {
  const over = event.target.closest && event.target.closest("[data-drag]");
  if (dragged && over && over.dataset.drag !== dragged.dataset.drag) {
    event.preventDefault();
  }
});
document.addEventListener("drop", (event) => {
  const over = event.target.closest("[data-drag]");
  if (!dragged || !over || over.dataset.drag === dragged.dataset.drag) {
    return;
  }
  event.preventDefault();
  const form = over.closest("form");
  if (form) {
    const button = document.createElement("button");
    button.name = "do";
    button.value = "to:" + dragged.dataset.drag + ":" + over.dataset.drag;
    button.hidden = true;
    form.append(button);
    form.requestSubmit(button);
  }
  dragged = null;
});

window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#/") || location.hash === "") {
    load();
  }
});
document.addEventListener("visibilitychange", follow);

async function start() {
  const found = /^#token=([A-Z0-9]+)$/i.exec(location.hash);
  if (found) {
    history.replaceState(null, "", "#/");
    const answer = await fetch("/session", { method: "POST", headers: { "Vkloader-Token": found[1] } });
    if (!answer.ok && answer.status !== 403) {
      fail(await answer.text());
      return;
    }
  }
  await load();
}

start();
