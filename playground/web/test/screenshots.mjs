// The pictures of docs/playground.md.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { close, withPage } from "./browser.mjs";

const folder = fileURLToPath(new URL("../../../docs/", import.meta.url));

for (const [name, colorScheme, tab, example, height] of [
  ["check", "light", "Check", "Five mistakes in a Composition", 640],
  ["edit", "light", "Edit", "Change the version and a label of a MachineDeployment", 960],
  ["path", "dark", "Path", "A ClusterClass and a Cluster; the rest is predicted", 860],
  ["matrix", "light", "Matrix", "Labels of a web shop", 900],
]) {
  await withPage({ viewport: { width: 1080, height }, colorScheme }, async (it) => {
    await it.open();
    await it.tab(tab);
    await it.example(example);
    // The status is announced 150 ms after the answer; until then it is that of the previous view.
    await it.page.waitForTimeout(500);
    const status = await it.page.locator("#status").innerText();
    if (await it.page.locator(".problem").count() || /undefined/.test(status)) throw new Error(`${name}: ${status}`);
    const path = `${folder}playground-${name}.png`;
    await it.page.screenshot({ path });
    // A third of the size, where there is pngquant.
    spawnSync("pngquant", ["--force", "--output", path, "32", path]);
  });
}
await close();
