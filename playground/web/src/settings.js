// Completion of settings, from their schema.
import schema from "../../../docs/settings.schema.json";

const resolve = (node) => (node?.$ref ? { ...schema.$defs[node.$ref.split("/").at(-1)], ...node, $ref: undefined } : node);

/** The alternatives of a part of the schema, references followed. */
function alternatives(node) {
  const one = resolve(node);
  if (!one) return [];
  const inner = [...(one.anyOf ?? []), ...(one.oneOf ?? [])].flatMap(alternatives);
  return inner.length ? [one, ...inner] : [one];
}

/** What is below a key. */
function below(nodes, key) {
  return nodes.flatMap((node) => {
    const child = node.properties?.[key] ?? (typeof node.additionalProperties === "object" ? node.additionalProperties : undefined);
    return alternatives(child).flatMap((one) => (one.items ? [one, ...alternatives(one.items)] : [one]));
  });
}

const INDENT = /^(\s*(?:- +)*)/;
const KEY = /^(\s*(?:- +)*)([\w./-]+):\s*$/;

/** The keys that a line is below, by indentation. */
function keysAbove(doc, number, indent) {
  const keys = [];
  let least = indent;
  for (let at = number - 1; at > 0 && least > 0; at -= 1) {
    const found = KEY.exec(doc.line(at).text);
    if (found && found[1].length < least) {
      keys.unshift(found[2]);
      least = found[1].length;
    }
  }
  return keys;
}

const values = (node) => [
  ...(node.enum ?? (node.const === undefined ? [] : [node.const])).map((value) => ({ label: String(value), detail: node.description })),
  ...(node.type === "boolean" ? [{ label: "true" }, { label: "false" }] : []),
];

/** Keys, and values of a few words, as the schema of the settings has them. */
export function completeSettings(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const indent = INDENT.exec(before)[1].length;
  const keys = keysAbove(context.state.doc, line.number, indent);
  const nodes = keys.reduce((found, key) => below(found, key), alternatives(schema));
  const value = /^\s*(?:- +)*([\w./-]+):\s+([\w-]*)$/.exec(before);
  if (value) {
    const options = below(nodes, value[1]).flatMap(values);
    return options.length ? { from: context.pos - value[2].length, options } : null;
  }
  const word = /^\s*(?:- +)*([\w-]*)$/.exec(before);
  if (!word || (!word[1] && !context.explicit)) return null;
  const fields = nodes.flatMap((node) => Object.entries(node.properties ?? {})).filter(([, child]) => child.type !== "null");
  const options = fields.map(([label, child]) => ({ label, apply: `${label}: `, info: resolve(child).description, type: "property" }));
  return options.length ? { from: context.pos - word[1].length, options } : null;
}
