// The matrix: labels and profiles.
import { count, h } from "./dom.js";

/** How much of a limit is taken. */
function bar(label, taken, limit) {
  const title = `${label}: ${taken} of ${limit}`;
  return h("span", { class: "limit" }, h("meter", { min: 0, max: limit, high: limit * 0.9, value: Math.min(taken, limit), title, "aria-label": title }), h("span", {}, `${taken}/${limit}`));
}

const UNITS = { runes: "characters", bytes: "bytes" };

function cell({ key, value, reason, message }, profile) {
  return h(
    "td",
    { class: reason ? "bad" : "good", title: message },
    h("strong", {}, reason ?? "tag"),
    bar(`key, ${UNITS[profile.unit] ?? profile.unit}`, key, profile.key),
    bar(`value, ${UNITS[profile.unit] ?? profile.unit}`, value, profile.value),
  );
}

export const matrix = {
  id: "matrix",
  name: "Matrix",
  lead: "Which labels become cloud tags under which profile, how much of each limit they take, and why the others are skipped. Labels are qualified keys and their values.",
  texts: [{ id: "labels", label: "Labels", isMain: true }],
  question: ({ labels }) => ({ ask: "matrix", labels }),
  marks: (answer) => answer.marks,
  summary: ({ labels, profiles }) => `${count(labels.length, "label")}; tags: ${profiles.map(({ name, made }) => `${name} ${made}`).join(", ")}`,
  render({ labels, profiles }) {
    if (!labels.length) return [h("p", { class: "quiet" }, "No labels yet.")];
    const head = profiles.map((profile) => h("th", { scope: "col" }, profile.name, bar("tags", profile.made, profile.tags)));
    const rows = labels.slice(0, 300).map(({ key, value, tag, cells }) =>
      h("tr", {}, h("th", { scope: "row" }, h("code", {}, key), h("span", { class: "quiet" }, tag), h("span", { class: "quiet" }, value)), cells.map((one, index) => cell(one, profiles[index]))),
    );
    const caption = "Tag, or the reason for none; below it the lengths of the tag’s key and value against the profile’s limits";
    return [
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Labels and profiles" },
        h("table", { class: "matrix" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Label"), head)), h("tbody", {}, rows)),
      ),
    ];
  },
  files: ({ labels }) => [{ name: "labels.yaml", text: labels.text }],
  command: () => "propagate profiles",
};
