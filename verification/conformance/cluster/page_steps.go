package main

// stepAbout is what happens in each step, for the page.
var stepAbout = map[string]string{
	"create": "a ClusterClass with templates; a Cluster with a control plane, two MachineDeployments and a " +
		"MachinePool; the same keys in topology, class and template, and forced keys",
	"add-keys": "labels and annotations are added to class and topology; one meets the criteria of a Node",
	"change-values": "their values change, right after Alice wrote every derived object, so that the host has the old " +
		"sources in its cache",
	"remove-keys": "they are removed, again right after Alice wrote every derived object",
	"fields":      "timeouts, readiness gates, minReadySeconds, taints and the deletion order are set",
	"idle":        "no user does anything for 15 seconds",
	"scale":       "a third Machine, and back",
	"edit-derived": "Alice changes and removes propagated labels on ten kinds of derived objects, labels in templates, " +
		"and seven fields",
	"own-keys":            "Alice adds keys of her own, which stay, and keys in a template, which are propagated",
	"pause":               "edits while the Cluster is paused stay; after it is resumed, everything is corrected",
	"deleting-machine":    "a hook holds back the deletion of a Machine: fields still reach it, metadata does not",
	"standalone":          "a MachineSet without a MachineDeployment, and parts that Alice creates for it by hand",
	"other-control-plane": "a third-party control plane with a Machine",
	"v1beta1-client":      "a client of the older API version edits labels and a timeout",
	"move": "the Cluster is paused, removed, created again by an administrator with its ownerReferences, and " +
		"resumed, as `clusterctl move` does",
	"remove-moved": "the class loses a label and an annotation that the moved objects have",
	"delete":       "the Cluster is deleted, until nothing is left",
	"dropped-unapplied": "while Cluster API's core manager may not write, Alice makes a MachineSet and two Machines with their " +
		"parts; the MachineSet's template loses a label and an annotation that the policy added to them; one Machine and its " +
		"parts lose them when Alice writes them again, as where no controller runs, the others when the manager may write again",
	"re-parent": "while the Cluster is paused, Alice moves a Machine to the MachineSet of another MachineDeployment: " +
		"its owner, its labels, the replicas of both",
	"restore": "while the Cluster is paused, a Machine, its infrastructure, bootstrap configuration and Secret are " +
		"lost; a backup tool creates them again with their labels and without owners, children first",
	"remove-restored": "the class loses a label and an annotation that the restored objects have",
	"autoscaler": "a MachineDeployment is handed over to an autoscaler, which scales it with the subresource and with " +
		"an update, marks Machines for deletion and removes a mark",
	"health-check": "a MachineHealthCheck replaces a Machine that Alice has marked",
	"two-appliers": "two programs apply labels to one Machine with server-side apply; one of them keeps applying the old " +
		"value of a propagated key, and is answered with the new one",
	"provider": "a control plane and its Machine are created; its controller writes the Machine as its template " +
		"describes it",
	"provider-removes":  "the template loses a label, right after an edit of the Machine; the controller removes it",
	"provider-renames":  "a label gets another name and one another value; the controller writes both",
	"provider-identity": "the controller corrects `cluster.x-k8s.io/control-plane`, then its ownerReference",
	"healed":            "the reads succeed again, and every derived object is written once: what was missed is completed",
	"sources":           "labels and fields are added to the topology, annotations to the class: two keys for each writer",
	"edit-in-every-way": "nine writers change and remove them on ten kinds of derived objects, in metadata, templates and " +
		"fields: `kubectl edit`, a program's update, client-side apply, server-side apply without force and " +
		"with it, Argo CD client-side and server-side, `helm upgrade`, Flux",
	"apply-again":    "those that apply apply once more",
	"remove-sources": "class and topology lose all of it",
	"apply-still":    "those that apply still apply their own values, which stay now",
	"release":        "they apply nothing any more: everything goes",
	"hand-made": "Alice makes a Machine with its parts by hand below a MachineSet; then the MachineSet's template " +
		"loses what the policy added",
	"backfill": "while the policy is absent, parts of Machines lose keys; empty patches restore some and " +
		"server-side apply others; that manager releases them; then class and topology lose them",
	"backfill-stored": "while the policy is absent, parts of Machines lose keys, and a third-party control plane gets a Machine " +
		"that lacks its labels; `propagate backfill` completes them",
	"recorded-first": "the Machine controller manages a Node of the same API server and may not write it for a moment; the Machine gains a label " +
		"and an annotation, and an administrator writes the Node; then the controller may write again, and the Machine loses both",
	"set-and-dropped": "while Cluster API's managers may not write, the topology gains a label, an annotation, a timeout, a taint and a " +
		"readiness gate, Alice writes everything derived, and the topology loses them; then the managers may write again",
	"owners-emptied": "the topology gains a label and an annotation; Alice replaces everything derived by files with `managedFields: []` and " +
		"without what was gained; then the topology loses it",
	"owners-stale": "the same, with files from before the topology gained it, whose `managedFields` are of that time",
	"older-entry": "the same, while a manager applies in the older version of the API: first other values, then those of the topology, " +
		"and nothing after the topology has lost them",
	"storage-migration": "the same, while the policy is absent; then the API server's storage version migrator applies every object without " +
		"a change, and Cluster API completes the rest",
	"restore-with-owners": "while the Cluster is paused, a Machine and its parts are restored from a backup from before the topology lost a " +
		"label and an annotation, and get the `managedFields` of that time, as Velero does",
	"move-with-owners": "the Cluster is moved and each new object gets the `managedFields` of the old one, as `clusterctl move` does; Alice " +
		"edits what is derived, and the topology loses it",
	"owners-stripped": "Alice removes the `managedFields` of everything derived by `[{}]`, and the topology loses a label and an annotation, " +
		"which go nevertheless",
	"extension":              "an extension is started that agrees to every in-place update",
	"in-place-workers":       "a MachineDeployment gets a failure domain: a Machine moves to a new MachineSet and is updated",
	"three-control-planes":   "the control plane gets three Machines",
	"in-place-control-plane": "the control plane's kubeadm configuration changes: two of its Machines are updated",
	"edit-moved":             "Alice changes a propagated label on the moved Machines",
	"taint":                  "class and topology get taints, of both kinds of propagation",
	"edit-taints":            "Alice changes and removes taints of two Machines; a third one is created",
	"change-taints":          "a taint of the topology changes its value, another one goes",
	"untaint":                "the workers of the topology lose their taints",
	"k3s-create":             "a Cluster with a control plane of K3s, whose template has labels; so has the infrastructure's template",
	"k3s-add":                "the control plane's template gains a label, an annotation and another timeout",
	"k3s-change":             "their values change, right after Alice wrote the Machine and its parts",
	"k3s-remove":             "they go, again right after Alice wrote",
	"k3s-forced":             "the template has `cluster.x-k8s.io/control-plane` and `…/control-plane-name`, which K3s sets itself; Alice writes",
	"k3s-edit":               "Alice changes and removes propagated labels on the Machine, its infrastructure and its bootstrap configuration",
	"k3s-dropped": "while K3s may not write, the template gains a label and an annotation, Alice writes the Machine and its " +
		"parts, and the template loses them; then K3s may write again",
	"register": "kubelets create and update their Nodes, with the admission plugin `NodeRestriction`: one of a " +
		"Machine with its `nodeRef`, one that names another's Machine, one whose Machine has no `nodeRef` yet",
}
