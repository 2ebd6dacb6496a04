// The check: what the policy finds in objects as they are stored, and whether cloud tags survive.
import { count, h, sentence } from "./dom.js";

const VERDICTS = {
  fails: ["never created", "bad"],
  lost: ["tags lost", "bad"],
  "cannot-tell": ["cannot tell", "note"],
  kept: ["tags kept", "good"],
};
const LEVELS = { error: ["error", "bad"], warning: ["warning", "warn"], note: ["note", "note"] };
const DEFINES_TAGS = ["Composition", "CompositeResourceDefinition"];

export const badge = ([text, color]) => h("span", { class: `badge ${color}` }, text);

/** What happens to cloud tags as a whole: the most severe of the findings. A note without a verdict is about something else. */
function delivery({ kind, isConcerned, findings }) {
  if (!isConcerned || !DEFINES_TAGS.includes(kind)) return undefined;
  const verdicts = findings.map((finding) => finding.verdict ?? (finding.level === "note" ? "kept" : "lost"));
  return ["fails", "lost", "cannot-tell"].find((verdict) => verdicts.includes(verdict)) ?? "kept";
}

function state(object) {
  if (!object.isConcerned) return ["not checked", "none"];
  const verdict = delivery(object);
  if (verdict) return VERDICTS[verdict];
  for (const level of ["error", "warning", "note"]) {
    if (object.findings.some((finding) => finding.level === level)) return LEVELS[level];
  }
  return object.inert ? ["skipped", "none"] : ["no findings", "good"];
}

function row(finding, show) {
  const { level, verdict, line, message, check, at } = finding;
  return h(
    "li",
    { "data-line": line, "data-at": at, "data-check": check, "data-verdict": verdict },
    h("button", { type: "button", class: "place", onclick: () => show(finding) }, `line ${line}`),
    h("p", {}, badge(LEVELS[level]), verdict ? badge(VERDICTS[verdict]) : null, " ", sentence(message), " ", h("span", { class: "quiet" }, check)),
  );
}

function card(object, show) {
  const { title, findings, inert, isConcerned } = object;
  const why = !isConcerned
    ? "The settings do not enable checks of this object."
    : inert && !findings.length
      ? `Skipped: ${inert}.`
      : null;
  return h(
    "li",
    { class: "card" },
    h("h3", {}, h("button", { type: "button", class: "link", onclick: () => show(object) }, title), " ", badge(state(object))),
    why ? h("p", { class: "quiet" }, why) : null,
    findings.length ? h("ul", { class: "findings" }, findings.map((finding) => row(finding, show))) : null,
  );
}

const SHOWN = 200;

export const check = {
  id: "check",
  name: "Check",
  lead: "Checks whether a CompositeResourceDefinition and a Composition keep cloud tags, and whether objects have the labels and annotations that their owners propagate. Findings are underlined in the manifests.",
  texts: [
    { id: "manifests", label: "Manifests", isMain: true },
    { id: "settings", label: "Settings of the policy" },
  ],
  question: ({ manifests, settings }) => ({ ask: "check", manifests, settings }),
  marks: (answer) => [...answer.marks, ...answer.objects.flatMap((object) => object.findings)],
  problems: (answer) => answer.marks,
  summary({ objects, marks }) {
    const findings = objects.flatMap((object) => object.findings);
    const of = (level) => findings.filter((finding) => finding.level === level).length;
    const broken = marks.filter((mark) => mark.severity === "error").length;
    const told = `${count(objects.length, "object")}: ${count(of("error"), "error")}, ${count(of("warning"), "warning")}, ${count(of("note"), "note")}`;
    return broken ? `${count(broken, "problem")} in the texts; ${told}` : told;
  },
  render({ objects }, { show }) {
    if (!objects.length) return [h("p", { class: "quiet" }, "No objects yet: paste manifests, open files, or choose an example.")];
    const more = objects.length - SHOWN;
    return [
      h("ul", { class: "cards" }, objects.slice(0, SHOWN).map((object) => card(object, (place) => show(object.text, place)))),
      more > 0 ? h("p", { class: "quiet" }, `and ${count(more, "object")} more`) : null,
    ];
  },
  files: ({ manifests, settings }) => [
    { name: "manifests.yaml", text: manifests.text },
    { name: "settings.yaml", text: settings.text },
  ],
  command: () => "propagate check manifests.yaml --settings settings.yaml",
};
