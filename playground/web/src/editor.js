// Editors. Each is in a shadow root: there its styles are sheets and no elements, as the Content-Security-Policy asks.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";

import { color } from "./dom.js";
import { yaml } from "./yaml.js";

const underline = (name) => ({ backgroundImage: "none", textDecoration: `underline wavy ${color(name)} 1px`, textUnderlineOffset: "3px", paddingBottom: "0" });

const theme = EditorView.theme({
  "&": { color: color("ink"), backgroundColor: color("paper"), height: "100%", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: color("mono"), lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: color("ink") },
  ".cm-cursor": { borderLeftColor: color("ink") },
  ".cm-gutters": { backgroundColor: color("paper"), color: color("quiet"), border: "none" },
  ".cm-activeLine": { backgroundColor: color("line") },
  ".cm-activeLineGutter": { backgroundColor: color("line") },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: color("chosen") },
  ".cm-matchingBracket": { backgroundColor: `${color("chosen")} !important` },
  ".cm-lintRange-error": underline("bad"),
  ".cm-lintRange-warning": underline("warn"),
  ".cm-lintRange-info": underline("note"),
  ".cm-tooltip": { backgroundColor: color("raised"), color: color("ink"), border: `1px solid ${color("edge")}`, maxWidth: "min(34rem, 90vw)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: color("accent"), color: color("on-accent") },
  ".cm-diagnostic": { fontFamily: color("sans"), padding: "4px 8px" },
  ".cm-panels": { backgroundColor: color("raised"), color: color("ink") },
  ".cm-foldPlaceholder": { backgroundColor: color("line"), border: "none", color: color("quiet") },
});

export class Editor {
  #options;
  #view;
  #text = "";
  #marks = [];
  #quiet = false;

  /** `changed` is called after each edit by a person. Nothing is built before `mount`. */
  constructor(options) {
    this.#options = options;
    this.element = document.createElement("div");
    this.element.className = "editor";
  }

  /** Builds what is to be seen, once. */
  mount() {
    if (this.#view) return;
    const { label, changed, complete } = this.#options;
    const root = this.element.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":host { display: block } .holder, .cm-editor { height: 100% }");
    root.adoptedStyleSheets = [sheet];
    const holder = document.createElement("div");
    holder.className = "holder";
    root.append(holder);
    this.#view = new EditorView({
      root,
      parent: holder,
      state: EditorState.create({
        doc: this.#text,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          bracketMatching(),
          highlightActiveLine(),
          yaml,
          complete ? autocompletion({ override: [complete] }) : [],
          // Tab leaves the editor, so that a keyboard gets out.
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
          theme,
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.#quiet) changed();
          }),
        ],
      }),
    });
    this.mark(this.#marks);
  }

  get text() {
    return this.#view ? this.#view.state.doc.toString() : this.#text;
  }

  set text(text) {
    // As the editor itself has them.
    this.#text = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    if (!this.#view || this.#text === this.text) return;
    this.#quiet = true;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: this.#text }, selection: { anchor: 0 } });
    this.#quiet = false;
  }

  /** Underlines what is said about the text. */
  mark(marks) {
    this.#marks = marks;
    if (!this.#view) return;
    const { doc } = this.#view.state;
    const diagnostics = marks.slice(0, 500).map(({ from, to, severity, message }) => {
      const begin = Math.min(from, doc.length);
      const line = doc.lineAt(begin);
      // What has no length is shown on the whole line.
      const isPoint = to <= begin;
      return {
        from: isPoint ? line.from : begin,
        to: isPoint ? line.to : Math.min(to, doc.length),
        severity,
        message: message.replaceAll("`", ""),
      };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** Goes to a place. */
  show({ from, to }) {
    this.mount();
    const { length } = this.#view.state.doc;
    const anchor = Math.min(from, length);
    this.#view.focus();
    this.#view.dispatch({
      selection: { anchor, head: Math.min(Math.max(to, from), length) },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
  }
}
