// The path: where a label or annotation goes, from the top of the fleet down.
import { badge } from "./check.js";
import { count, fold, h, sentence } from "./dom.js";

const STATES = {
  set: ["set here", "note"],
  present: ["propagates", "good"],
  predicted: ["propagates", "good"],
  missing: ["propagates, not set yet", "good"],
  differs: ["propagates, different value here", "warn"],
  "not-propagated": ["stops", "bad"],
  tag: ["cloud tag", "good"],
  "no-tag": ["no tag", "bad"],
};

const PROPAGATES = ["differs", "missing", "present", "predicted"];

const stateOf = ({ state }) => (typeof state === "string" ? state : Object.keys(state)[0]);

/** The state of an object as a whole: that of its most important place. */
function stateOfAll({ placements }) {
  const states = placements.map(stateOf);
  return [...PROPAGATES, "set", "tag", "no-tag", "not-propagated"].find((state) => states.includes(state));
}

/** What is to be said of an object as a whole. */
function whole(object) {
  const { unknown } = object;
  const found = stateOfAll(object);
  if (found) return STATES[found];
  return unknown ? ["unknown", "none"] : ["not set", "none"];
}

/** Places with the same value, state and reason in one line. */
function grouped(placements) {
  const groups = new Map();
  for (const placement of placements) {
    const look = JSON.stringify([placement.value, placement.state, placement.why]);
    groups.set(look, [...(groups.get(look) ?? []), placement]);
  }
  return [...groups.values()];
}

function line(placements, show, isOnly) {
  const [first] = placements;
  const state = stateOf(first);
  const value = first.value === null ? null : [" = ", h("code", { class: "value" }, first.value === "" ? '""' : first.value)];
  const found = state === "differs" ? [" instead of ", h("code", {}, first.state.differs)] : null;
  const places = placements.filter(({ place }) => place).map(({ place, at }) => h("button", { type: "button", class: "place", onclick: () => show(place), "aria-label": `line ${place.line}: ${at}` }, `line ${place.line}`));
  return h(
    "li",
    { class: state },
    h("p", {}, isOnly ? null : [badge(STATES[state]), " "], state === "not-propagated" ? "from " : null, placements.map(({ at }, index) => [index ? ", " : null, h("code", {}, at)]), value, found, " ", places),
    first.why ? h("p", { class: "quiet" }, sentence(first.why)) : null,
  );
}

/** Children that look alike, all below them included, share a branch. */
function groups(objects, children) {
  const look = (number) => {
    const { kind, place, placements, children: below } = objects[number];
    return JSON.stringify([kind, Boolean(place), placements.map(({ at, value, state, why }) => [at, value, state, why]), below.map(look)]);
  };
  const found = new Map();
  for (const child of children) {
    const seen = look(child);
    found.set(seen, [...(found.get(seen) ?? []), child]);
  }
  return [...found.values()];
}

function branch(objects, [number, ...others], show) {
  const object = objects[number];
  const { title, place, placements, unknown, children } = object;
  const name = place ? h("button", { type: "button", class: "link", onclick: () => show(place) }, title) : h("strong", {}, title);
  const state = whole(object);
  const isOnly = new Set(placements.map(stateOf)).size === 1;
  return h(
    "li",
    {},
    h(
      "div",
      { class: `node ${state[1]} ${place ? "" : "predicted"}` },
      h("p", {}, name, " ", badge(state), others.length ? ` and ${others.length} more like it` : null, place ? null : h("span", { class: "quiet" }, " created by controllers")),
      placements.length ? h("ul", {}, grouped(placements).map((group) => line(group, show, isOnly))) : null,
      !placements.length && unknown ? h("p", { class: "quiet" }, sentence(unknown)) : null,
    ),
    children.length ? h("ul", {}, groups(objects, children).map((group) => branch(objects, group, show))) : null,
  );
}

/** The picture of `propagate graph`. As an image it has its own styles, which the page's policy would not let in. */
function drawn(picture) {
  if (!picture) return null;
  const { svg, description } = picture;
  if (!svg) return h("p", { class: "quiet" }, sentence("Too many different objects for one picture; use `propagate graph` to draw a single cluster."));
  const src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = h("img", { src, alt: description });
  // Loaded or not, it is needed once.
  for (const event of ["load", "error"]) image.addEventListener(event, () => URL.revokeObjectURL(src));
  return fold("As a picture", { class: "picture" }, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Picture" }, image));
}

export const path = {
  id: "path",
  name: "Path",
  lead: "Choose a label or annotation to see where it propagates, from the ClusterClass to the Node or from a label to a cloud tag, by which rule, and where it stops. Objects that controllers would create have a dashed border.",
  texts: [
    { id: "manifests", label: "Manifests", isMain: true },
    { id: "settings", label: "Settings of the policy" },
  ],
  fields: [{ id: "key", label: "Label or annotation", value: "" }],
  hints: (answer) => ({ key: answer.keys }),
  question: ({ manifests, settings, key }) => ({ ask: "path", manifests, settings, key }),
  marks: (answer) => answer.marks,
  problems: (answer) => answer.marks.filter((mark) => mark.severity === "error"),
  summary({ objects, marks }, { key }) {
    const broken = marks.filter((mark) => mark.severity === "error").length;
    const states = objects.map(stateOfAll);
    const of = (...wanted) => states.filter((state) => wanted.includes(state)).length;
    const summary = `${key || "no key"}: set at ${of("set")}, propagates to ${of(...PROPAGATES)}, stops at ${of("not-propagated")} of ${count(objects.length, "object")}`;
    return broken ? `${count(broken, "problem")} in the texts; ${summary}` : summary;
  },
  render({ objects, roots, keys, picture }, { show, pane }) {
    if (!objects.length) return [h("p", { class: "quiet" }, "No objects yet: paste manifests, open files, or choose an example.")];
    const choose = (key) => {
      pane.fields.key.value = key;
      pane.ask();
    };
    const chosen = pane.fields.key.value;
    const chips = keys.slice(0, 14).map((key) => h("li", {}, h("button", { type: "button", class: "small", "aria-pressed": String(key === chosen), onclick: () => choose(key) }, key)));
    const to = (place) => show("manifests", place);
    const image = drawn(picture);
    // It stays open from answer to answer.
    if (image?.tagName === "DETAILS") {
      image.open = Boolean(pane.isDrawn);
      image.addEventListener("toggle", () => (pane.isDrawn = image.open));
    }
    return [
      h("ul", { class: "chips", "aria-label": "Keys in these objects" }, chips),
      image,
      h("ul", { class: "tree", "aria-label": `Propagation path of ${chosen}` }, groups(objects, roots).slice(0, 100).map((group) => branch(objects, group, to))),
    ];
  },
  files: ({ manifests, settings }, answer) => [
    { name: "manifests.yaml", text: manifests.text },
    { name: "settings.yaml", text: settings.text },
    { name: "path.svg", text: answer?.picture?.svg ?? "" },
  ],
  command({ key }, { objects, roots }) {
    const root = objects[roots.find((number) => objects[number].placements.length) ?? roots[0]];
    const object = root ? root.title.replace(" ", "/") : "KIND/NAME";
    return `propagate explain ${object} '${key.replaceAll("'", "'\\''")}' --filename manifests.yaml --settings settings.yaml`;
  },
};
