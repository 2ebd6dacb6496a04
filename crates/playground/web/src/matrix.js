// The matrix: labels and profiles.
import { badge } from "./check.js";
import { count, h, sentence } from "./dom.js";

/** How much of a limit is taken. */
function bar(label, taken, limit) {
  const title = `${label}: ${taken} of ${limit}`;
  const isOver = taken > limit;
  const meter = h("span", { class: isOver ? "bar over" : "bar", "aria-hidden": "true" });
  const fill = h("span", {});
  fill.style.width = `${Math.min(100, (100 * taken) / limit)}%`;
  meter.append(fill);
  return h("span", { class: "limit", title }, meter, h("span", { class: isOver ? "bad" : null }, h("span", { class: "unseen" }, `${label} `), `${taken}/${limit}`));
}

function verdict(cloud) {
  if (!cloud || cloud === "unknown") return null;
  return cloud === "accepted" ? badge(["cloud takes it", "good"]) : badge([cloud.replace("refused", "cloud refuses"), "bad"]);
}

function cell({ tag, key, value, reason, message, cloud }, column) {
  return h(
    "td",
    { class: reason ? "no" : "yes" },
    h("strong", {}, reason ?? "tag"),
    column.isSpelled ? h("code", { class: "quiet" }, tag) : null,
    message ? h("details", { class: "why" }, h("summary", {}, "why"), sentence(message)) : null,
    bar(`key, ${column.unit}`, key, column.key),
    bar(`value, ${column.unit}`, value, column.value),
    verdict(cloud),
  );
}

function grid(title, caption, columns, labels) {
  const head = columns.map((column) => h("th", { scope: "col" }, column.name, bar("tags", column.made, column.tags)));
  const rows = Object.entries(labels).slice(0, 300).map(([key, value], index) =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, key), h("span", { class: "quiet" }, value)), columns.map((column) => cell(column.cells[index], column))),
  );
  return h(
    "section",
    {},
    h("h3", {}, title),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, h("table", { class: "matrix" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Label"), head)), h("tbody", {}, rows))),
  );
}

export const matrix = {
  id: "matrix",
  name: "Matrix",
  lead: "Which labels become cloud tags under which profile, how much of each limit they take, why the others are skipped, and what the cloud’s own interface says.",
  texts: [{ id: "labels", label: "Labels: qualified keys and their values", isMain: true }],
  question: ({ labels }) => ({ ask: "matrix", labels }),
  marks: (answer) => answer.marks,
  summary({ labels, specified, marks }) {
    if (marks.length) return `${count(marks.length, "problem")} in the text`;
    return `${count(Object.keys(labels).length, "label")}; tags: ${specified.map(({ name, made }) => `${name} ${made}`).join(", ")}`;
  },
  render({ labels, specified, strict }) {
    if (!Object.keys(labels).length) return [h("p", { class: "quiet" }, "No labels yet.")];
    return [
      grid("Profiles", "Tag, or the reason for none; the lengths of key (with the prefix plexsphere:) and value against their limits; and what the cloud itself takes.", specified, labels),
      grid("Strict profiles, where the settings choose them", "The same with keys spelled as the cloud takes them.", strict.map((column) => ({ ...column, isSpelled: true })), labels),
    ];
  },
  files: ({ labels }) => [{ name: "labels.yaml", text: labels.text }],
  command: () => "# what every profile and every cloud admits\npropagate profiles",
};
