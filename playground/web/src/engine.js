// Questions to the engine in its worker: one at a time, of those that wait only the newest, none for longer than a limit.

/** Milliseconds after which the engine is restarted. */
const LIMIT = 5000;

class Engine {
  #module = WebAssembly.compileStreaming(fetch("engine.wasm"));
  #worker;
  #id = 0;
  #asked;
  #waiting;

  constructor() {
    this.#start();
  }

  /** The answer, or nothing where a newer question took the place of this one. */
  ask(question) {
    return new Promise((resolve, reject) => {
      this.#waiting?.resolve(undefined);
      this.#waiting = { question, resolve, reject };
      this.#next();
    });
  }

  #start() {
    this.#worker = new Worker("worker.js", { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#answered(data);
    this.#worker.onerror = () => this.#restart("the engine failed and was restarted");
    const worker = this.#worker;
    this.#module.then(
      (module) => worker.postMessage({ module }),
      () => this.#asked?.reject(new Error("the engine could not be loaded")),
    );
  }

  async #next() {
    if (this.#asked || !this.#waiting) return;
    const asked = this.#waiting;
    this.#waiting = undefined;
    this.#asked = asked;
    asked.id = ++this.#id;
    // Loading has no limit: it is the network's.
    try {
      await this.#module;
    } catch {
      this.#asked = undefined;
      asked.reject(new Error("the engine could not be loaded"));
      return;
    }
    asked.timer = setTimeout(
      () => this.#restart(`the engine took longer than ${LIMIT / 1000} seconds and was stopped`),
      LIMIT,
    );
    this.#worker.postMessage({ id: asked.id, question: JSON.stringify(asked.question) });
  }

  #answered({ id, answer, failed }) {
    if (failed) return this.#restart("the engine failed and was restarted");
    if (id !== this.#asked?.id) return;
    const asked = this.#done();
    const read = JSON.parse(answer);
    if (read.error) asked.reject(new Error(read.error));
    else asked.resolve(read);
    this.#next();
  }

  #restart(reason) {
    this.#worker.terminate();
    this.#start();
    this.#done()?.reject(new Error(reason));
    this.#next();
  }

  #done() {
    const asked = this.#asked;
    clearTimeout(asked?.timer);
    this.#asked = undefined;
    return asked;
  }
}

/** The one engine: it loads while the rest of the page does. */
export const engine = new Engine();
