// A browser, the served page, and what every test demands of both.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { chromium } from "playwright-core";

import { serve } from "../serve.mjs";

const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!CHROMIUM) {
  console.error("no Chromium: install Debian's package `chromium`, or name one with CHROMIUM=/path");
  process.exit(1);
}

const server = await serve(0);
export const origin = `http://127.0.0.1:${server.address().port}`;
// Root has no sandbox in a container.
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: CHROMIUM, args });
const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

export async function close() {
  await browser.close();
  server.close();
}

/** A page of a fresh profile; after `use` nothing may have been said in the console, and nothing asked of others. */
export async function withPage(options, use) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("blob:")) said.push(`asked ${request.url()}`);
  });
  try {
    await use(new Page(page));
    assert.deepEqual(said, []);
  } finally {
    await context.close();
  }
}

export class Page {
  constructor(page) {
    this.page = page;
  }

  /** Opens the page and waits for its first result. */
  async open(fragment = "") {
    await this.page.goto(`${origin}/${fragment}`);
    await this.page.waitForFunction(() => performance.getEntriesByName("first result").length > 0);
    await this.newest(0);
  }

  /** Waits until the result has a text. */
  async says(text) {
    await this.page.locator("#result").getByText(text, { exact: false }).first().waitFor();
  }

  /** The findings of the check, as facts: line, path, effect on cloud tags. */
  findings() {
    return this.page
      .locator(".findings li[data-check]")
      .evaluateAll((rows) => rows.map(({ dataset }) => [Number(dataset.line), dataset.verdict ?? "", dataset.check].join(" ").trim()));
  }

  result() {
    return this.page.locator("#result").innerText();
  }

  /** Does something that asks the engine, and waits until the newest question is answered. */
  async answered(doing) {
    const before = await this.page.evaluate(() => Number(document.getElementById("panel").dataset.asked));
    await doing();
    await this.newest(before);
  }

  /** Waits until a question was asked after question number `before`, and the newest one is answered. */
  async newest(before) {
    await this.page.waitForFunction((number) => {
      const { asked, answered } = document.getElementById("panel").dataset;
      return Number(asked) > number && asked === answered;
    }, before);
  }

  tab(name) {
    return this.answered(() => this.page.getByRole("tab", { name }).click());
  }

  example(title) {
    return this.answered(() => this.page.getByLabel("Example").selectOption({ label: title }));
  }

  editor(label) {
    return this.page.getByRole("textbox", { name: label, exact: true });
  }

  /** Puts a text into an editor through a file. */
  load(label, text) {
    const file = { name: "a.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) };
    return this.answered(() => this.page.getByLabel(`Open files: ${label}`).setInputFiles(file));
  }

  /** Opens a part, and waits for the editor in it if it has one. */
  async unfold(title) {
    const summary = this.page.locator("summary", { hasText: title }).first();
    await summary.click();
    const part = await summary.locator("..").elementHandle();
    await this.page.waitForFunction((one) => one.open && [...one.querySelectorAll(".editor")].every((editor) => editor.shadowRoot), part);
  }

  /** Types into an editor, at its beginning or its end. */
  type(label, where, text) {
    return this.answered(async () => {
      await this.editor(label).click();
      await this.page.keyboard.press(where === "end" ? "Control+End" : "Control+Home");
      await this.page.keyboard.type(text);
    });
  }

  /** The texts that are underlined in an editor. */
  underlined(label, severity) {
    const range = `.cm-lintRange-${severity}`;
    return this.page.evaluate(
      ([name, selector]) => {
        const hosts = [...document.querySelectorAll(".editor")];
        const host = hosts.find((one) => one.shadowRoot.querySelector(`[aria-label="${name}"]`));
        return [...host.shadowRoot.querySelectorAll(selector)].map((one) => one.textContent);
      },
      [label, range],
    );
  }

  /** The texts in an editor that have a color, each after its color's name, as far as they are in sight. */
  colored(label) {
    return this.editor(label).evaluate((content) => {
      const probe = document.body.appendChild(document.createElement("i"));
      const names = ["key", "text", "quiet", "special"].map((name) => {
        probe.style.color = `var(--${name})`;
        return [getComputedStyle(probe).color, name];
      });
      probe.remove();
      const name = new Map(names);
      const spans = [...content.querySelectorAll(".cm-line span")].filter((span) => !span.children.length);
      return spans.map((span) => [name.get(getComputedStyle(span).color), span.textContent]).filter(([color]) => color).map((pair) => pair.join(" "));
    });
  }

  /** What axe finds wrong. */
  async axe() {
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary}`));
  }

  /** Milliseconds of the last answers, as the page measured them. */
  answers() {
    return this.page.evaluate(() => performance.getEntriesByName("answer").map((entry) => entry.duration));
  }

  /** Milliseconds of processor time that the page and its worker took so far: those do not depend on what else runs. */
  async processorTime() {
    this.metrics ??= await this.page.context().newCDPSession(this.page);
    await this.metrics.send("Performance.enable");
    const { metrics } = await this.metrics.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "ProcessTime").value;
  }
}
