// The state of the page in the fragment of its address, which browsers send to nobody.

const BEGIN = "#s=";
/** More than this is no link that anybody made here. */
const LARGEST_TEXT = 8 << 20;

async function through(bytes, transformer, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(transformer).getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("too large");
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** The fragment for a state. */
export async function fragment(state) {
  const text = new TextEncoder().encode(JSON.stringify(state));
  const bytes = await through(text, new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return BEGIN + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state of a fragment, or nothing where there is none. Fails when it cannot be read. */
export async function stateOf(hash) {
  if (!hash.startsWith(BEGIN)) return undefined;
  const binary = atob(hash.slice(BEGIN.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const text = await through(bytes, new DecompressionStream("deflate-raw"), LARGEST_TEXT);
  return JSON.parse(new TextDecoder().decode(text));
}
