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
  const own = (name) => readFileSync(join(root, "playground/web/examples", name), "utf8");
  const of = (...names) => names.map((name) => readFileSync(join(root, "examples", name), "utf8")).join("---\n");
  const write = (title, name, more = {}) => {
    const [old, written, others = ""] = own(name).split(/^=== .*\n/m).slice(1);
    return { tab: "edit", title, state: { old, new: written, others, settings: "# the defaults\n", ...more } };
  };
  // Every YAML file of a blueprint but the sample composites.
  const parts = (name) => readdirSync(join(root, "examples/blueprints", name)).filter((file) => /^(xrd|composition).*\.yaml$/.test(file)).sort().reverse();
  const blueprints = readdirSync(join(root, "examples/blueprints"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && parts(entry.name).length)
    .map(({ name }) => ({
      tab: "check",
      title: `Blueprint ${name}`,
      state: { manifests: of(...parts(name).map((file) => `blueprints/${name}/${file}`)), settings: BLUEPRINTS },
    }));
  return [
    { tab: "check", title: "Five mistakes in a Composition", state: { manifests: own("mistakes.yaml"), settings: BLUEPRINTS } },
    { tab: "check", title: "A definition that loses tags", state: { manifests: own("definition.yaml"), settings: BLUEPRINTS } },
    ...blueprints,
    { tab: "check", title: "Composites of four providers", state: { manifests: of("composites.yaml"), settings: of("composites-settings.yaml") } },
    { tab: "check", title: "A Cluster API fleet", state: { manifests: of("fleet.yaml"), settings: "# the defaults\n" } },
    write("Change the version and a label of a MachineDeployment", "rollout.yaml"),
    write("A Machine label that a selector matches", "selector.yaml", { open: ["others"] }),
    write("A new Machine gets what its MachineSet propagates", "machine.yaml", { open: ["others"] }),
    write("A topology entry is renamed", "topology.yaml"),
    write("A composite gets its cloud tags", "composite.yaml", { settings: of("composites-settings.yaml"), open: ["others"] }),
    ...[
      ["A label that reaches the Node", "node.cluster.x-k8s.io/pool"],
      ["A label that is set in two places", "team"],
      ["A label in a field that does not propagate", "wrong"],
      ["An annotation that defers an upgrade", "topology.cluster.x-k8s.io/defer-upgrade"],
    ].map(([title, key]) => ({ tab: "path", title, state: { manifests: of("fleet.yaml"), settings: "# the defaults\n", key } })),
    { tab: "path", title: "A ClusterClass and a Cluster; the rest is predicted", state: { manifests: own("topology-only.yaml"), settings: "# the defaults\n", key: "team" } },
    { tab: "path", title: "From label to cloud tag", state: { manifests: of("composites.yaml"), settings: of("composites-settings.yaml"), key: "acme/cost centre" } },
    { tab: "matrix", title: "Labels of a web shop", state: { labels: own("labels.yaml") } },
    { tab: "matrix", title: "Labels at the length limits", state: { labels: own("limits.yaml") } },
  ];
}
