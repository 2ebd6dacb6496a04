// How many tests passed and failed, for `results` of verification/tasks.
export default async function* counted(source) {
  let comparisons = 0;
  let differences = 0;
  for await (const event of source) {
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    // A file is a test of its own in some versions of Node.
    if (event.data.details?.type === "suite" || event.data.name.endsWith(".mjs")) continue;
    comparisons += 1;
    if (event.type === "test:fail") differences += 1;
  }
  yield JSON.stringify({ versions: { node: process.version }, parts: { page: { comparisons, differences } } });
}
