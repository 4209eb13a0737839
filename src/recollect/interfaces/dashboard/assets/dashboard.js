// What the pages cannot do without a script: times in the reader's zone, copying, and the chat.
"use strict";

const STYLES = {
  day: { dateStyle: "medium" },
  moment: { dateStyle: "medium", timeStyle: "short" },
  second: { dateStyle: "medium", timeStyle: "medium" },
};

function showTimes(root) {
  const page = document.documentElement.lang;
  const language = navigator.languages.find((one) => one.startsWith(page)) || page;
  showDays(root, language);
  for (const option of root.querySelectorAll("option[data-time]")) {
    const name = option.textContent.slice(0, option.textContent.lastIndexOf(" · "));
    const moment = new Intl.DateTimeFormat(language, STYLES.moment).format(new Date(option.dataset.time));
    option.textContent = `${name} · ${moment}`;
    option.removeAttribute("data-time");
  }
  for (const element of root.querySelectorAll("time[data-style]")) {
    const style = STYLES[element.dataset.style] || STYLES.moment;
    const moment = new Date(element.dateTime);
    element.textContent = new Intl.DateTimeFormat(language, style).format(moment);
    element.title = moment.toLocaleString(language);
    element.removeAttribute("data-style");
  }
}

// The days of charts are those of the server, which counts by UTC: no zone moves them.
function showDays(root, language) {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  for (const element of root.querySelectorAll("[data-day]")) {
    const day = element.dataset.day;
    element.textContent = element.textContent.replace(day, format.format(new Date(day)));
    element.removeAttribute("data-day");
  }
}

// Browsers give the clipboard to pages by HTTPS and of this machine; elsewhere the old way works.
async function copyText(button) {
  const source = document.getElementById(button.dataset.copy);
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(source.textContent);
  } else {
    getSelection().selectAllChildren(source);
    if (!document.execCommand("copy")) return;
  }
  const label = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = label; }, 1500);
}

// Not by scrollIntoView: the Tab key would begin there, and miss the link that skips the menu.
function showCurrentPage() {
  const link = document.querySelector(".side nav [aria-current]");
  if (!link) return;
  const nav = link.closest("nav"), side = link.closest(".side");
  nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  side.scrollTop = link.offsetTop - side.clientHeight / 2;
}

// Menus close with Escape and when something else is clicked, as menus do.
function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
}

function addMessage(list, role, label) {
  const item = document.createElement("li");
  item.className = `message ${role}`;
  const head = document.createElement("p");
  head.className = "message-head";
  const name = document.createElement("strong");
  name.textContent = label;
  head.append(name);
  const text = document.createElement("div");
  text.className = "text";
  text.dir = "auto";
  item.append(head, text);
  list.append(item);
  return { item, text };
}

// Events of a stream, each with its name and data; a piece may end anywhere.
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    for (let end = waiting.indexOf("\n\n"); end >= 0; end = waiting.indexOf("\n\n")) {
      const [name, data] = waiting.slice(0, end).split("\n");
      waiting = waiting.slice(end + 2);
      yield { name: name.slice(7), data: JSON.parse(data.slice(6)) };
    }
  }
}

// Parts that our own server rendered, where everything stored is escaped.
function insertRendered(parent, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  parent.append(template.content);
  showTimes(parent);
}

function showProblem(kind) {
  const place = document.getElementById("problems");
  const problem = document.createElement("div");
  problem.className = "problem";
  const text = document.createElement("p");
  text.textContent = place.dataset[kind];
  const close = document.createElement("button");
  close.type = "button";
  close.className = "close";
  close.dataset.close = "";
  close.ariaLabel = place.dataset.close;
  close.textContent = "×";
  problem.append(text, close);
  place.replaceChildren(problem);
}

async function ask(form) {
  const field = form.elements.question;
  const question = field.value;
  const list = document.getElementById("talk");
  // One after the other: the second would begin another conversation. What is typed stays.
  if (!question.trim() || list.ariaBusy) return;
  document.getElementById("no-talk")?.remove();
  document.getElementById("problems").replaceChildren();
  const asked = addMessage(list, "user", form.dataset.user);
  asked.text.textContent = question;
  const answer = addMessage(list, "assistant", form.dataset.assistant);
  answer.text.textContent = form.dataset.waiting;
  answer.item.classList.add("waiting");
  const body = new URLSearchParams(new FormData(form));
  field.value = "";
  form.querySelector("button").disabled = true;
  list.setAttribute("aria-busy", "true");
  const giveUp = () => {
    asked.item.remove();
    answer.item.remove();
    field.value = field.value || question;
  };
  try {
    const headers = { Accept: "text/event-stream", "HX-Request": "true" };
    const response = await fetch(form.action, { method: "POST", body, headers });
    if (!response.ok) {
      giveUp();
      if (!response.headers.get("HX-Retarget")) return showProblem("failed");
      const problems = document.getElementById("problems");
      problems.replaceChildren();
      insertRendered(problems, await response.text());
      return;
    }
    if (response.headers.get("HX-Redirect")) {
      location.assign(response.headers.get("HX-Redirect"));
      return;
    }
    let text = "";
    for await (const { name, data } of eventsOf(response)) {
      answer.item.classList.remove("waiting");
      if (name === "piece") {
        text += data.text;
        answer.text.textContent = text;
      } else if (name === "answer") {
        answer.text.textContent = data.text;
        insertRendered(answer.item, data.html);
        form.elements.session.value = data.session;
        if (data.session) history.replaceState(null, "", `?session=${data.session}`);
      } else {
        insertRendered(answer.item, data.html);
        field.value = field.value || question;
      }
      answer.item.scrollIntoView({ block: "nearest" });
    }
  } catch {
    giveUp();
    showProblem("lost");
  } finally {
    form.querySelector("button").disabled = false;
    list.removeAttribute("aria-busy");
    field.focus();
  }
}

document.addEventListener("DOMContentLoaded", () => {
  showTimes(document);
  const form = document.getElementById("ask");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(form);
  });
  form?.elements.question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  showCurrentPage();
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copyText(button);
  if (event.target.closest(".close[data-close]")) {
    document.getElementById("problems").replaceChildren();
    document.getElementById("main").focus();
  }
  closeMenus(event.target);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  showTimes(event.target.parentElement || document);
});
// A page that nobody sees asks for nothing: what follows some progress goes on when it is seen again.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const element of document.querySelectorAll("[data-waits]")) {
    delete element.dataset.waits;
    htmx.trigger(element, "seen");
  }
});
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && event.target.matches("[data-follows]")) {
    event.preventDefault();
    event.target.dataset.waits = "";
    return;
  }
  // The problem of the request before is gone once another one succeeds.
  document.getElementById("problems").replaceChildren();
});
// The language changes, the page stays: also what was searched for since it was loaded.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form.preferences");
  if (form) form.elements.next.value = location.pathname + location.search;
});
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, () => showProblem("lost"));
}
// Our own problems say where they belong. Others, such as those of a proxy, must not replace a part.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (xhr.status >= 400 && !xhr.getResponseHeader("HX-Retarget")) {
    event.detail.shouldSwap = false;
    showProblem("failed");
  }
});
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.closest("form[data-reset]");
  // A refusal is shown, too, and so counts as successful.
  if (form && event.detail.xhr.status < 400 && event.target === form) {
    form.reset();
    document.querySelector("#facts .empty")?.remove();
  }
});
