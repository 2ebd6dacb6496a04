// YAML in an editor: its colors and folds, line by line. A parser that builds a tree overflows its stack on text that is
// nested thousands of levels deep, and takes the editor with it.
import { HighlightStyle, StreamLanguage, foldService, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

import { color } from "./dom.js";

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: color("key") },
  { tag: tags.string, color: color("text") },
  { tag: tags.comment, color: color("quiet"), fontStyle: "italic" },
  { tag: tags.meta, color: color("special") },
]);

// A key has a limit: without one, each word of minified JSON would be followed to the end of its line.
const KEY = /^[^\s#,[\]{}&*!|>'"%@`:](?:[^\s#,[\]{}:]|[ \t](?!#)|:(?!\s|$)){0,300}(?=[ \t]*:(?:\s|$))/;
const QUOTED_KEY = /^(?:"(?:[^"\\]|\\.){0,300}"|'[^']{0,300}')(?=[ \t]*:)/;
const REST = { '"': /^(?:[^"\\]|\\.?)*("?)/, "'": /^(?:[^']|'')*('?)/ };

const language = StreamLanguage.define({
  name: "yaml",
  languageData: { commentTokens: { line: "#" } },
  /** The quote of a string that is still open, the column of the last key, and that of the key of a block scalar. */
  startState: () => ({ quote: null, key: 0, scalar: null }),
  token(stream, state) {
    if (stream.sol()) {
      if (stream.match(/^\s+$/)) return null;
      state.key = stream.indentation();
      if (state.scalar !== null && state.key <= state.scalar) state.scalar = null;
      if (stream.match(/^(?:---|\.\.\.)(?=\s|$)/)) return "meta";
    }
    if (state.scalar !== null) {
      stream.skipToEnd();
      return "string";
    }
    if (!state.quote) {
      // White space, and what begins an item.
      if (stream.match(/^(?:\s+|[-?](?=\s|$))/)) return null;
      if (stream.match(QUOTED_KEY) || stream.match(KEY)) {
        state.key = stream.column();
        return "propertyName";
      }
      if (stream.match(/^#.*/)) return "comment";
      if (stream.match(/^[&*!][^\s,[\]{}]*/)) return "meta";
      if (stream.match(/^[|>][-+\d]*\s*$/)) {
        state.scalar = state.key;
        return "meta";
      }
      state.quote = stream.eat(/["']/) ?? null;
    }
    if (state.quote) {
      if (stream.match(REST[state.quote])[1]) state.quote = null;
      return "string";
    }
    // A word, or one of the signs that end it.
    if (!stream.match(/^[^\s,[\]{}]+/)) stream.next();
    return null;
  },
});

/** A line folds the lines below it that are indented deeper, a key also the items below it that are not. */
const folds = foldService.of(({ doc }, start) => {
  const first = doc.lineAt(start);
  const indentation = first.text.search(/\S/);
  if (indentation < 0) return null;
  const isItem = (text) => /^\s*-\s/.test(text);
  let end = first.to;
  for (let number = first.number + 1; number <= doc.lines; number += 1) {
    const { text, to } = doc.line(number);
    const deeper = text.search(/\S/);
    if (deeper < 0) continue;
    if (deeper < indentation || (deeper === indentation && (isItem(first.text) || !isItem(text)))) break;
    end = to;
  }
  return end > first.to ? { from: first.to, to: end } : null;
});

export const yaml = [language, folds, syntaxHighlighting(highlight)];
