// The edit: what the policy answers to a write.
import { badge } from "./check.js";
import { copyable, count, fold, h, sentence, table } from "./dom.js";

const EFFECTS = {
  "no effect": ["no effect", "none"],
  "in place": ["in place", "good"],
  scale: ["scale", "note"],
  "replaced when deleted": ["replaced when deleted", "note"],
  "cannot tell": ["cannot tell", "note"],
  waits: ["waits", "note"],
  "scheduled rollout": ["scheduled rollout", "warn"],
  rollout: ["rollout", "bad"],
  refused: ["refused", "bad"],
  destructive: ["destructive", "bad"],
};

const plain = (value) => (value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value));
const code = (text) => h("code", {}, text);

function section(title, ...children) {
  return h("section", {}, h("h4", {}, title), ...children);
}

function impact({ report, edits }, show) {
  const found = report?.rollout?.edits ?? [];
  if (!found.length) return null;
  const row = (edit, index) => [
    h("button", { type: "button", class: "place", onclick: () => show(edits[index]) }, `line ${edits[index].line}`),
    code(edit.at),
    badge(EFFECTS[edit.effect] ?? [edit.effect, "none"]),
  ];
  const approved = report.rollout.approved;
  return section(
    "Effects on Machines",
    table("Effects of this edit on Machines", ["Where", "Path", "Effect"], found.map(row)),
    approved ? h("p", {}, "Approved: ", approved) : null,
  );
}

function changes({ report }) {
  const found = report?.changes ?? [];
  if (!found.length) return null;
  const row = ({ at, key, action, from, to, rule, source }) => [
    action,
    [code(at), ": ", code(key)],
    action === "added" ? plain(to) : `${plain(from)} → ${plain(to)}`,
    [sentence(rule), source ? h("span", { class: "quiet" }, ` from ${source}`) : null],
  ];
  return section("Changes by the policy", table("Entries that the policy adds, changes or removes", ["Action", "Entry", "Value", "Rule"], found.map(row)));
}

function skipped({ report }) {
  const found = report?.skipped ?? [];
  if (!found.length) return null;
  const row = ({ map, key, from, reason }) => [code(key), map, from, reason];
  return fold(`Not propagated (${found.length})`, {}, table("Keys that are not propagated, with the reason", ["Key", "Map", "From", "Reason"], found.map(row)));
}

function tags({ report }) {
  const found = report?.cloudTags;
  if (!found) return null;
  const row = (label) => [code(label.qualifiedKey), code(label.tagKey), label.reason];
  return section(
    `Cloud tags under profile ${found.profile}`,
    h("p", {}, count(Object.keys(found.tags).length, "tag"), found.skipped.length ? `, ${count(found.skipped.length, "label")} skipped` : ""),
    found.skipped.length ? table("Labels that do not become tags", ["Label", "Tag", "Reason"], found.skipped.map(row)) : null,
  );
}

function findings({ report, findings: places }, show) {
  const found = report?.findings ?? [];
  const colours = { reject: ["error", "bad"], warn: ["warning", "warn"], ignore: ["note", "note"] };
  if (!found.length) return null;
  const item = ({ stance, message, check }, index) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "place", onclick: () => show(places[index]) }, `line ${places[index].line}`),
      h("p", {}, badge(colours[stance]), " ", sentence(message), " ", h("span", { class: "quiet" }, check)),
    );
  return section("Findings", h("ul", { class: "findings" }, found.map(item)));
}

/** Owners of Machines that edits change through a ClusterClass, and from which edit each field comes. */
function affected(owners) {
  if (!owners.length) return null;
  const row = ({ effect, text, because }) => [text, badge(EFFECTS[effect] ?? [effect, "none"]), because.map((chain) => h("div", {}, chain))];
  const caption = "Owners of Machines that edits change through a ClusterClass";
  return h("div", { class: "card" }, section("Owners", table(caption, ["Owner", "Effect", "Because of"], owners.slice(0, 200).map(row))));
}

/** Effects on other objects. */
function below(further) {
  if (!further.length) return null;
  const row = ({ title, isPredicted, at, key, from, to }) => [
    [title, isPredicted ? h("span", { class: "quiet" }, " created by controllers") : null],
    [code(at), ": ", code(key)],
    to === null ? ["removed: ", plain(from)] : from === null ? plain(to) : `${from} → ${to}`,
  ];
  const caption = "Labels and annotations that are added, changed or removed in objects that this request does not write";
  return h("div", { class: "card" }, section("Effects on other objects", table(caption, ["Object", "Entry", "Value"], further.slice(0, 200).map(row))));
}

function card(write, show) {
  const { title, accepted, code: status, kubectl, patch, report, place, inert } = write;
  const verdict = accepted ? (patch.length ? ["accepted with changes", "good"] : ["accepted unchanged", "good"]) : [`rejected (${status})`, "bad"];
  return h(
    "li",
    { class: "card" },
    h("h3", {}, h("button", { type: "button", class: "link", onclick: () => show(place) }, title), " ", badge(verdict)),
    copyable(`kubectl output for ${title}`, `$ kubectl apply --server-side -f new.yaml\n${kubectl}`),
    impact(write, show),
    findings(write, show),
    changes(write),
    tags(write),
    inert ? h("p", { class: "quiet" }, "Skipped: ", sentence(inert), ".") : null,
    skipped(write),
    patch.length ? fold(`JSON patch (${count(patch.length, "operation")})`, {}, copyable("JSON patch", JSON.stringify(patch, null, 2))) : null,
    report ? fold("Full report, as in the audit annotation", {}, copyable("Report", JSON.stringify(report, null, 2))) : null,
  );
}

export const edit = {
  id: "edit",
  name: "Edit",
  lead: "Shows how the policy responds to a write: warnings or a rejection, the changes that it makes, and the effects on Machines. An object that is not among the old objects is created.",
  texts: [
    { id: "old", label: "Old objects, as stored", isMain: true },
    { id: "new", label: "New objects, as submitted", isMain: true },
    { id: "others", label: "Other objects of the cluster" },
    { id: "settings", label: "Settings of the policy" },
  ],
  fields: [
    { id: "user", label: "Username", value: "alice", hint: ["alice", "system:serviceaccount:capi-system:capi-manager"] },
    { id: "fieldManager", label: "Field manager", value: "kubectl" },
  ],
  question: ({ old, new: written, others, settings, user, fieldManager }) => ({ ask: "edit", old, new: written, others, settings, user, fieldManager }),
  marks: (answer) => answer.marks,
  // What is found in the new objects is with each of them.
  problems: ({ marks, writes }) => marks.filter((mark) => mark.text !== "new" || !writes.length),
  summary({ writes, marks }) {
    const refused = writes.filter((write) => !write.accepted).length;
    const broken = marks.filter((mark) => mark.severity === "error" && !writes.length).length;
    if (broken) return `${count(broken, "problem")} in the texts`;
    const warnings = writes.flatMap((write) => write.warnings).length;
    const changed = writes.flatMap((write) => write.report?.changes ?? []).length;
    return `${count(writes.length, "write")}: ${refused} rejected, ${count(warnings, "warning")}, ${count(changed, "change")} by the policy`;
  },
  render({ writes, owners, further }, { show }) {
    if (!writes.length) return [h("p", { class: "quiet" }, "No writes yet: edit the new objects, or choose an example.")];
    return [h("ul", { class: "cards" }, writes.slice(0, 50).map((write) => card(write, (place) => show("new", place)))), affected(owners), below(further)];
  },
  files({ old, new: written, others, settings }, answer) {
    const files = [
      { name: "old.yaml", text: old.text },
      { name: "new.yaml", text: written.text },
      { name: "others.yaml", text: others.text },
      { name: "settings.yaml", text: settings.text },
    ];
    const [first] = answer?.writes ?? [];
    if (first) {
      files.push({ name: "patch.json", text: `${JSON.stringify(first.patch, null, 2)}\n` });
      files.push({ name: "request.json", text: `${JSON.stringify(first.request, null, 2)}\n` });
    }
    return files;
  },
  command({ old, others, user }, { writes }) {
    const object = writes[0]?.title.replace(" ", "/") ?? "KIND/NAME";
    const quoted = `'${user.replaceAll("'", "'\\''")}'`;
    const more = [others.text.trim() && " --filename others.yaml", old.text.trim() && " --old old.yaml"].filter(Boolean).join("");
    return [
      "# the effects on these objects and on those that controllers create from them",
      "propagate plan old.yaml new.yaml --settings settings.yaml",
      "",
      "# run the policy itself on the request, with recorded responses to its lookups",
      `propagate session ${object} --filename new.yaml${more} --user ${quoted} --settings settings.yaml`,
      "kwctl run annotated-policy.wasm --allow-context-aware --request-path request.json --settings-path settings.yaml --replay-host-capabilities-interactions session.yml",
    ].join("\n");
  },
};
