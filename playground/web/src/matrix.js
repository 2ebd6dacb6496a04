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
  return cloud === "accepted" ? badge(["cloud accepts it", "good"]) : badge([cloud.replace("refused", "cloud rejects"), "bad"]);
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
  lead: "Shows which labels become cloud tags under each profile, how much of each limit they use, why the others are skipped, and whether the cloud’s own API accepts the tags.",
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
      grid("Profiles", "Each cell shows “tag” or the reason why the label is skipped, the lengths of the key (including the prefix plexsphere:) and the value against their limits, and whether the cloud’s own API accepts the tag.", specified, labels),
      grid("Strict profiles, if selected in the settings", "The same, with each key as the strict profile spells it.", strict.map((column) => ({ ...column, isSpelled: true })), labels),
    ];
  },
  files: ({ labels }) => [{ name: "labels.yaml", text: labels.text }],
  command: () => "# the limits of every profile and every cloud\npropagate profiles",
};
