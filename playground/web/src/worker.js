// The engine, in a thread of its own: whatever it does, the page answers.
import init, { answer } from "../../../target/playground/bindings/playground.js";

let ready;

onmessage = async ({ data }) => {
  if (data.module) {
    ready = init({ module_or_path: data.module });
    return;
  }
  try {
    await ready;
    postMessage({ id: data.id, answer: answer(data.question) });
  } catch (error) {
    postMessage({ id: data.id, failed: String(error) });
  }
};
