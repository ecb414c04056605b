// The page's script: it inserts HTML fragments from the server. The address after "#" names the page.
"use strict";

const main = document.getElementById("main");
const dialog = document.getElementById("dialog");
const announcer = document.getElementById("status");
const stored = "vkloader"; // the secret's name in sessionStorage, which belongs to this tab and this port
let events = null; // ends the stream of a page that is live
let loading = 0;
const started = new Set(); // what ends the requests that have started processes
let shownPage = "";

function say(text) {
  announcer.textContent = text;
}

// problem returns an element with the reason of a failure.
function problem(text) {
  const p = document.createElement("p");
  p.className = "problem";
  p.setAttribute("role", "alert");
  p.textContent = text;
  return p;
}

// fail shows the reason why a page or part is missing.
function fail(text) {
  main.replaceChildren(problem(text));
}

// send sends a request with the secret and returns the answer.
async function send(path, fields, signal) {
  const options = { credentials: "omit", cache: "no-store", signal,
    headers: { "Vkloader-Secret": sessionStorage.getItem(stored) || "",
      "Vkloader-Variables": encodeURIComponent(history.state?.env || "") } };
  if (fields) {
    options.method = "POST";
    options.body = new URLSearchParams(fields);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (err) {
    if (err.name === "AbortError") {
      throw new Error("Stopped.");
    }
    throw new Error("vkloader ui has ended, or cannot be reached. Start it again in a terminal.");
  }
  if (!answer.ok) {
    throw new Error((await answer.text()).trim());
  }
  return answer;
}

// each calls a function for every line of an answer.
async function each(answer, call) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.forEach((line) => call(JSON.parse(line)));
  }
}

// ask returns the text of an answer, and shows the progress of a slow one in an element.
async function ask(path, fields, element) {
  const stop = new AbortController();
  const shows = element && waits(element, stop);
  if (path.startsWith("/start/")) {
    started.add(stop);
  }
  try {
    const answer = await send(path, fields, stop.signal);
    if (!fields) {
      return await answer.text();
    }
    let html;
    await each(answer, (line) => {
      if (line.html !== undefined) {
        html = line.html;
      } else if (shows) {
        shows(line.progress, line.trial);
      }
    });
    if (html === undefined) {
      throw new Error("vkloader ui has ended.");
    }
    return html;
  } catch (err) {
    throw err.name === "AbortError" ? new Error("Stopped.") : err;
  } finally {
    started.delete(stop);
    if (shows) {
      shows(null);
    }
  }
}

// waits shows a message above an element while its answer takes longer, with a button that cancels it. It returns a
// function that changes the message, or adds the result of a trial; null removes both.
function waits(element, stop) {
  const box = document.createElement("div");
  const text = document.createElement("span");
  const trials = document.createElement("ul");
  trials.setAttribute("aria-live", "polite");
  const button = document.createElement("button");
  box.className = "note waits";
  button.type = "button";
  button.textContent = "Stop";
  button.addEventListener("click", () => stop.abort());
  box.append(text, " ", button, trials);
  const begun = Date.now();
  let named = "";
  const show = () => {
    text.textContent = named || "Loading … " + Math.round((Date.now() - begun) / 1000) + " s";
    if (!box.isConnected) {
      element.before(box);
    }
  };
  const timer = setInterval(show, 1000);
  return (progress, trial) => {
    if (progress === null) {
      clearInterval(timer);
      box.remove();
      return;
    }
    named = progress ?? named;
    if (trial) {
      trials.append(document.createElement("li"));
      trials.lastChild.textContent = trial;
    }
    show();
  };
}

// address returns the page's address without "#/".
function address() {
  return location.hash.startsWith("#/") ? location.hash.slice(2) : "";
}

// place inserts a fragment into an element and restores the focus.
function place(element, html) {
  const focused = document.activeElement && element.contains(document.activeElement) ? document.activeElement.id : "";
  const open = new Set(Array.from(element.querySelectorAll("details[open][id]"), (d) => d.id));
  const filters = Array.from(element.querySelectorAll("[data-filter]"), (by) => [by.id, by.value]);
  element.innerHTML = html;
  for (const [id, value] of address().split("?")[0] === shownPage ? filters : []) {
    if (document.getElementById(id)) {
      document.getElementById(id).value = value;
    }
  }
  filter();
  element.querySelectorAll("details[id]").forEach((d) => (d.open ||= open.has(d.id)));
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
  started.forEach((stop) => stop.abort());
  const wanted = address();
  let text;
  main.setAttribute("aria-busy", "true");
  try {
    text = await ask("/page/" + wanted, null, main);
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
    history.replaceState(history.state, "", "#/" + top.dataset.address);
  }
  for (const link of document.querySelectorAll("nav a")) {
    link.ariaCurrent = link.dataset.page === top.dataset.current ? "page" : null;
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
  if (page === "start" && history.state?.variables !== undefined && document.getElementById("start")) {
    Object.entries(history.state).forEach(([id, value]) => (document.getElementById(id).value = value));
    document.getElementById("start").focus();
  }
  follow();
  for (const element of main.querySelectorAll("[data-later]")) {
    part(element, element.dataset.later);
  }
}

// part inserts a part of a page that takes longer.
async function part(element, path) {
  element.setAttribute("aria-busy", "true");
  try {
    element.innerHTML = await ask(path, null, element);
  } catch (err) {
    element.textContent = err.message;
  }
  element.removeAttribute("aria-busy");
}

// start makes the server start child processes for a form, and inserts the result.
async function start(path, fields, element) {
  element.setAttribute("aria-busy", "true");
  try {
    const text = await ask(path, fields, element);
    if (element.isConnected) {
      place(element, text);
    }
    const found = element.querySelector("[data-address]");
    if (found) {
      history.replaceState(history.state, "", "#/" + found.dataset.address);
    }
    say("Done");
  } catch (err) {
    element.prepend(problem(err.message));
  }
  element.removeAttribute("aria-busy");
}

// follow listens for changes while the page is visible and has a live part.
async function follow() {
  events?.abort();
  events = null;
  const element = main.querySelector("[data-live]");
  if (!element || document.hidden) {
    return;
  }
  const mine = new AbortController();
  events = mine;
  try {
    await each(await send(element.dataset.live, null, mine.signal), (line) => place(element, line.html));
  } catch {
    // The next page shows the reason.
  }
}

// save makes the browser save a file of the server.
async function save(path) {
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await (await send(path)).blob());
    link.download = decodeURIComponent(path.split("?")[0].split("/").pop());
    link.click();
    say("Saved " + link.download);
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  } catch (err) {
    say(err.message);
  }
}

// encoded returns the query of a form without empty fields.
function encoded(form, submitter) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) {
    if (value !== "") {
      query.append(name, value);
    }
  }
  return query;
}

// go opens the address made of a form. Variables are no part of the address, which another page could have made: they
// are in the state of the tab's history, until a form with a field for them changes them.
function go(form, submitter) {
  const query = encoded(form, submitter);
  const env = form.elements.env ? form.elements.env.value : history.state?.env;
  query.delete("env");
  const fields = query.toString();
  visit("#/" + form.dataset.go + (fields ? "?" + fields : ""), { env });
}

// visit opens an address with a state of the tab's history.
function visit(to, state) {
  history[to === location.hash ? "replaceState" : "pushState"](state, "", to);
  load();
}

// change shows the effect of a change, or makes it.
async function change(path, fields) {
  try {
    dialog.innerHTML = await ask(path, fields, main);
  } catch (err) {
    const close = document.createElement("button");
    close.textContent = "Close";
    close.dataset.close = "";
    dialog.replaceChildren(problem(err.message), close);
  }
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
  const starts = event.submitter?.dataset.start || form.dataset.start;
  if (form.dataset.launch !== undefined) {
    launch(form, event.submitter);
  } else if (form.dataset.go !== undefined) {
    go(form, event.submitter);
  } else if (starts) {
    start("/start/" + starts, new FormData(form), document.getElementById(form.dataset.into));
  } else if (event.submitter?.name === "part") {
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

// launch starts the program of a form, and shows its lines as they come.
async function launch(form, submitter) {
  const [output, stop, end] = ["output", "stop", "end"].map((id) => document.getElementById(id));
  const list = output.querySelector("ol");
  const mine = new AbortController();
  started.forEach((other) => other.abort());
  started.add(mine);
  output.hidden = false;
  list.replaceChildren();
  end.textContent = "Running …";
  stop.disabled = false;
  stop.onclick = () => mine.abort();
  stop.focus();
  try {
    await each(await send("/launch", new FormData(form, submitter), mine.signal), (line) => {
      if (line.end !== undefined) {
        end.textContent = line.end;
        return;
      }
      const item = document.createElement("li");
      item.dataset.level = line.level;
      item.textContent = line.line;
      item.hidden = !wanted(item);
      list.append(item);
      if (list.childElementCount > 5000) {
        list.firstElementChild.remove();
      }
    });
  } catch (err) {
    end.textContent = mine.signal.aborted ? "Stopped." : err.message;
  }
  started.delete(mine);
  stop.disabled = true;
}

// wanted reports whether the page's filters let an element through: a select by its level, a field by its text.
function wanted(element) {
  return Array.from(main.querySelectorAll("[data-filter]")).every((by) => {
    const value = by.value.toLowerCase();
    const text = by.tagName === "SELECT" ? element.dataset.level : element.textContent.toLowerCase();
    return !element.matches(by.dataset.filter) ||
      (by.tagName === "SELECT" ? text.startsWith(value) : text.includes(value));
  });
}

// filter hides the elements that the page's filters do not let through.
function filter() {
  for (const by of main.querySelectorAll("[data-filter]")) {
    main.querySelectorAll(by.dataset.filter).forEach((element) => (element.hidden = !wanted(element)));
  }
}

document.addEventListener("input", (event) => {
  if (event.target.dataset.filter) {
    filter();
  }
});

// Slow parts are fetched when the user opens them.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (details.open && details.dataset.fetch) {
      part(details.querySelector("[data-into]"), details.dataset.fetch);
      delete details.dataset.fetch;
    }
  },
  true,
);

document.addEventListener("click", (event) => {
  const element = event.target.closest("[data-close], [data-skip], [data-copy], [data-save], [data-with], [data-keep]");
  if (!element) {
    return;
  }
  if (element.dataset.save) {
    save(element.dataset.save);
    return;
  }
  if (element.dataset.with !== undefined) {
    visit("#/start", { app: element.dataset.app, variables: element.dataset.with });
    return;
  }
  if (element.dataset.copy) {
    navigator.clipboard.writeText(document.getElementById(element.dataset.copy).textContent).then(
      () => say("Copied"),
      () => say("The browser does not let the page copy"),
    );
    return;
  }
  if (element.dataset.keep !== undefined) {
    event.preventDefault();
    visit(element.hash, history.state);
    return;
  }
  if (element.dataset.skip !== undefined) {
    event.preventDefault();
    main.focus();
    return;
  }
  dialog.close();
});

window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#/") || location.hash === "") {
    load();
  }
});
document.addEventListener("visibilitychange", follow);

// The window shows overrides that a terminal has changed meanwhile. It loads the page again unless the user has typed
// something, or a process of the page runs.
window.addEventListener("focus", async () => {
  const [banner, fresh] = [document.getElementById("banner"), document.createElement("template")];
  const html = banner && (await ask("/part/banner").catch(() => null));
  fresh.innerHTML = html;
  if (html === null || fresh.innerHTML === banner.innerHTML || !banner.isConnected) {
    return;
  }
  banner.innerHTML = html;
  const typed = Array.from(main.querySelectorAll("input, textarea"))
    .some((e) => e.value !== e.defaultValue || e.checked !== e.defaultChecked);
  if (!typed && !dialog.open && !main.querySelector("#output:not([hidden]), [aria-busy]")) {
    load();
  }
});

// begin exchanges the token of the printed address for the secret.
async function begin() {
  const found = /^#token=([A-Z0-9]+)$/i.exec(location.hash);
  if (found) {
    history.replaceState(null, "", "#/");
    const answer = await fetch("/session", { method: "POST", credentials: "omit",
      headers: { "Vkloader-Token": found[1] } });
    const text = await answer.text();
    if (answer.ok) {
      sessionStorage.setItem(stored, text);
    } else if (!sessionStorage.getItem(stored)) {
      fail(text);
      return;
    }
  }
  await load();
}

begin();
