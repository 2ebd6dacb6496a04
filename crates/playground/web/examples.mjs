// Examples to begin with: files of the repository, and of examples/ here.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const BLUEPRINTS = `cloudTags:
  composites:
    - apiGroups: [blueprints.plexsphere.com]
      provider: { path: spec.parameters.provider }
  compositions: reject
  xrds: reject
`;

/** Every example: its tab, its title, and the texts. Those that `open` names are shown from the beginning. */
export function examples(root) {
  const own = (name) => readFileSync(join(root, "crates/playground/web/examples", name), "utf8");
  const of = (...names) => names.map((name) => readFileSync(join(root, "examples", name), "utf8")).join("---\n");
  const write = (title, name, more = {}) => {
    const [old, written, others = ""] = own(name).split(/^=== .*\n/m).slice(1);
    return { tab: "edit", title, state: { old, new: written, others, settings: "# the defaults\n", ...more } };
  };
  const blueprints = readdirSync(join(root, "examples/blueprints"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      tab: "check",
      title: `Blueprint ${name}`,
      state: { manifests: of(`blueprints/${name}/xrd.yaml`, `blueprints/${name}/composition.yaml`), settings: BLUEPRINTS },
    }));
  return [
    { tab: "check", title: "Five mistakes in a Composition", state: { manifests: own("mistakes.yaml"), settings: BLUEPRINTS } },
    { tab: "check", title: "A definition that loses tags", state: { manifests: own("definition.yaml"), settings: BLUEPRINTS } },
    ...blueprints,
    { tab: "check", title: "Composites of four providers", state: { manifests: of("composites.yaml"), settings: of("composites-settings.yaml") } },
    { tab: "check", title: "A Cluster API fleet", state: { manifests: of("fleet.yaml"), settings: "# the defaults\n" } },
    write("A version and a label of a MachineDeployment", "rollout.yaml"),
    write("A label that a Machine is selected by", "selector.yaml", { open: ["others"] }),
    write("A new Machine gets what its MachineSet propagates", "machine.yaml", { open: ["others"] }),
    write("A topology entry is renamed", "topology.yaml"),
    write("A composite gets its cloud tags", "composite.yaml", { settings: of("composites-settings.yaml"), open: ["others"] }),
    { tab: "matrix", title: "Labels of a web shop", state: { labels: own("labels.yaml") } },
    { tab: "matrix", title: "At the limits", state: { labels: own("limits.yaml") } },
  ];
}
