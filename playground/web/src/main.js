// The page: tabs, their texts, the question to the engine, and its answer.
import { check } from "./check.js";
import { copyable, h } from "./dom.js";
import { edit } from "./edit.js";
import { Editor } from "./editor.js";
import { engine } from "./engine.js";
import { examples } from "./examples.js";
import { matrix } from "./matrix.js";
import { path } from "./path.js";
import { completeSettings } from "./settings.js";
import { fragment, stateOf } from "./share.js";

const VIEWS = [check, edit, path, matrix];
const element = (id) => document.getElementById(id);

/** How many questions were asked. The panel shows the number of the last one, and of the last one that was answered. */
let asks = 0;

/** What is shown of one view: its editors and fields, kept while another is shown. */
class Pane {
  constructor(view) {
    this.view = view;
    this.editors = {};
    this.fields = {};
    this.lists = {};
    this.answer = undefined;
    this.result = h("section", { class: "result", id: "result", "aria-label": "Result", tabindex: "-1" });
    this.command = h("div");
    this.element = h("div", { class: `pane ${view.id}` });
    const main = h("div", { class: "texts" });
    const rest = h("div", { class: "rest" });
    const left = h("div", { class: "left" }, main, rest);
    for (const text of view.texts) {
      const editor = new Editor({ label: text.label, changed: () => this.ask(), complete: text.id === "settings" ? completeSettings : undefined });
      this.editors[text.id] = editor;
      const open = h("input", { type: "file", multiple: true, accept: ".yaml,.yml,.json,.txt", class: "hidden", "aria-label": `Open files: ${text.label}`, tabindex: "-1" });
      open.addEventListener("change", () => this.load(text.id, open));
      const button = h("button", { type: "button", class: "small", onclick: () => open.click() }, "Open…");
      if (text.isMain) main.append(h("section", { class: "text" }, h("div", { class: "head" }, h("h2", {}, text.label), open, button), editor.element));
      else {
        const part = h("details", { class: "text", id: `part-${view.id}-${text.id}` }, h("summary", {}, text.label), h("div", { class: "head" }, open, button), editor.element);
        part.addEventListener("toggle", () => part.open && editor.mount());
        rest.append(part);
      }
    }
    if (view.fields) {
      const fields = view.fields.map(({ id, label, value, hint }) => {
        const list = h("datalist", { id: `hints-${view.id}-${id}` }, (hint ?? []).map((option) => h("option", { value: option })));
        const input = h("input", { value, list: list.id, autocomplete: "off", spellcheck: "false" });
        this.lists[id] = list;
        input.addEventListener("input", () => this.ask());
        this.fields[id] = input;
        return h("label", {}, h("span", {}, label), input, list);
      });
      main.before(h("div", { class: "fields" }, fields));
    }
    rest.append(h("details", { class: "more" }, h("summary", {}, "Reproduce on the command line"), this.command));
    this.element.append(left, this.result);
  }

  /** Builds the editors that are in sight. */
  mount() {
    for (const { id, isMain } of this.view.texts) if (isMain) this.editors[id].mount();
  }

  async load(id, input) {
    const texts = await Promise.all([...input.files].map((file) => file.text()));
    input.value = "";
    if (!texts.length) return;
    this.editors[id].text = texts.join("\n---\n");
    this.ask();
  }

  /** The texts and fields by name. */
  get state() {
    const texts = Object.entries(this.editors).map(([id, editor]) => [id, editor.text]);
    const fields = Object.entries(this.fields).map(([id, input]) => [id, input.value]);
    return Object.fromEntries([...texts, ...fields]);
  }

  set state(state) {
    for (const [id, editor] of Object.entries(this.editors)) editor.text = String(state[id] ?? "");
    for (const { id, value } of this.view.fields ?? []) this.fields[id].value = String(state[id] ?? value);
  }

  get asked() {
    const named = Object.entries(this.editors).map(([id, editor]) => [id, { name: id, text: editor.text }]);
    const fields = Object.entries(this.fields).map(([id, input]) => [id, input.value]);
    return Object.fromEntries([...named, ...fields]);
  }

  async ask() {
    const began = performance.now();
    const number = (asks += 1);
    element("panel").dataset.asked = number;
    const asked = this.asked;
    try {
      const answer = await engine.ask(this.view.question(asked));
      if (!answer) return;
      this.answer = answer;
      this.show(asked, answer);
    } catch (error) {
      this.answer = undefined;
      this.result.replaceChildren(h("p", { class: "problem" }, error.message));
      tell(error.message);
    }
    // What a person waits for, where the browser's own tools and the tests find it.
    performance.measure("answer", { start: began });
    element("panel").dataset.answered = number;
  }

  show(asked, answer) {
    const { view, editors } = this;
    const marks = view.marks(answer);
    for (const [id, editor] of Object.entries(editors)) {
      // An answer to an older text may have other places; the next one is on its way.
      if (editor.text === asked[id].text) editor.mark(marks.filter((mark) => mark.text === id));
    }
    const go = (id, place) => this.go(id, place);
    const list = (view.problems ?? view.marks)(answer).slice(0, 50).map((mark) =>
      h("li", {}, h("button", { type: "button", class: "place", onclick: () => go(mark.text, mark) }, `${mark.text}, line ${mark.line}`), h("p", { class: mark.severity }, mark.message)),
    );
    const told = list.length ? h("ul", { class: "findings problems" }, list) : null;
    this.result.replaceChildren(...[told, ...view.render(answer, { show: go, pane: this })].flat().filter(Boolean));
    this.command.replaceChildren(h("p", {}, "Save the files below, then run:"), copyable("Command line", view.command(asked, answer)), downloads(view.files(asked, answer)));
    for (const [id, options] of Object.entries(view.hints?.(answer) ?? {})) this.lists[id].replaceChildren(...options.map((option) => h("option", { value: option })));
    tell(view.summary(answer, asked));
  }

  go(id, place) {
    const editor = this.editors[id];
    const part = editor.element.closest("details");
    if (part) part.open = true;
    editor.show(place);
  }
}

function downloads(files) {
  const button = ({ name, text }) => {
    const save = () => {
      const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      const link = h("a", { href: url, download: name });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    };
    return h("li", {}, h("button", { type: "button", class: "small", onclick: save }, name));
  };
  return h("ul", { class: "downloads", "aria-label": "Files to download" }, files.filter(({ text }) => text.trim()).map(button));
}

let telling;
/** Prints the findings once the user stops typing. */
function tell(text) {
  clearTimeout(telling);
  telling = setTimeout(() => (element("status").textContent = text), 150);
}

const panes = new Map();
let pane;

function open(id) {
  const view = VIEWS.find((one) => one.id === id) ?? VIEWS[0];
  let isNew = false;
  if (!panes.has(view.id)) {
    panes.set(view.id, new Pane(view));
    isNew = true;
  }
  pane = panes.get(view.id);
  for (const tab of element("tabs").children) {
    const isChosen = tab.id === `tab-${view.id}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  element("panel").setAttribute("aria-labelledby", `tab-${view.id}`);
  element("lead").textContent = view.lead;
  element("tools").replaceChildren(...tools(view));
  element("view").replaceChildren(pane.element);
  return isNew;
}

function tools(view) {
  const of = examples.filter((example) => example.tab === view.id);
  const select = h("select", {}, h("option", { value: "" }, "Choose…"), of.map(({ title }, index) => h("option", { value: index }, title)));
  select.addEventListener("change", () => {
    const example = of[select.value];
    if (example) load(example.state);
  });
  const share = h("button", { type: "button" }, "Share by link");
  share.addEventListener("click", async () => {
    history.replaceState(null, "", await fragment({ tab: view.id, ...pane.state }));
    let where = "The link is in the address bar";
    try {
      await navigator.clipboard.writeText(location.href);
      where += " and on the clipboard";
    } catch {
      // The address bar has it.
    }
    tell(`${where}; the texts are in the part after #, which browsers do not send to any server.`);
  });
  return [h("label", {}, h("span", {}, "Example"), select), share];
}

function load(state) {
  pane.state = state;
  for (const part of pane.element.querySelectorAll("details.text")) {
    // What an example is about is open.
    part.open = Boolean(state.open?.includes(part.id.split("-").at(-1)));
  }
  // The engine answers while the editors are built.
  const answered = pane.ask();
  pane.mount();
  return answered;
}

function first(id) {
  return examples.find((example) => example.tab === id)?.state ?? {};
}

function choose(id) {
  const isNew = open(id);
  // Asked again, so that what is announced is about what is shown.
  return isNew ? load(first(id)) : pane.ask();
}

async function start() {
  const tabs = VIEWS.map(({ id, name }) => h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "panel", onclick: () => choose(id) }, name));
  element("tabs").append(...tabs);
  element("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.indexOf(event.target), End: tabs.length - 1 - tabs.indexOf(event.target) }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
  addEventListener("hashchange", follow);
  if (!(await follow())) await choose(VIEWS[0].id);
  performance.measure("first result");
  navigator.serviceWorker?.register("service-worker.js").catch(() => {});
}

/** Opens what the address holds, if it holds anything. */
async function follow() {
  let state;
  try {
    state = await stateOf(location.hash);
  } catch {
    await choose(VIEWS[0].id);
    tell("This link cannot be read; it may be truncated.");
    return true;
  }
  if (!state || typeof state !== "object") return false;
  open(state.tab);
  await load(state);
  return true;
}

start();
