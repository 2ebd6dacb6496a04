//! Statements of the upstream documents besides the lines of `RULES`, and where this repository covers them.

/// One statement of a document.
pub(super) struct SourceStatement {
    /// The statement, paraphrased.
    pub(super) says: &'static str,
    /// Where it is implemented, or that it is out of the policy's scope.
    pub(super) here: &'static str,
    /// Cases, by topic and name.
    pub(super) cases: &'static [&'static str],
}

const fn statement(says: &'static str, here: &'static str, cases: &'static [&'static str]) -> SourceStatement {
    SourceStatement { says, here, cases }
}

/// Cluster API's page, besides its rules.
#[rustfmt::skip]
pub(super) const PAGES: &[SourceStatement] = &[
    statement("the topology of a Cluster has precedence over the ClusterClass", "[where to put a label](rules.md)",
        &["control-plane/topology_wins_over_class", "machine-deployment/topology_wins_over_class"]),
    statement("propagation is continuous, not only at creation", "missing entries are added at every write by anybody but a listed controller; an edit is reverted: `clusterApi.onConflict`",
        &["conflict/a_touch_heals", "conflict/a_dropped_key_is_restored"]),
    statement("labels with the prefix `node-role.kubernetes.io` reach the Node", "criterion of the row Machine → Node",
        &["node/node_role_labels_propagate", "node/node_role_is_equality"]),
    statement("labels of the domain `node-restriction.kubernetes.io` reach the Node", "criterion of the row Machine → Node",
        &["node/node_restriction_labels_propagate"]),
    statement("labels of the domain `node.cluster.x-k8s.io` reach the Node", "criterion of the row Machine → Node",
        &["node/node_domain_labels_propagate", "node/a_subdomain_needs_its_dot"]),
    statement("annotations of the domain `node.cluster.x-k8s.io` reach the Node (current page only)", "criterion of the row Machine → Node, since v1.10",
        &["node/annotations_propagate_by_the_node_domain_only", "node/before_v1_9_7_annotations_do_not_propagate"]),
    statement("the manager's flags `--additional-sync-machine-labels` and `--additional-sync-machine-annotations` (current page only)",
        "`clusterApi.node.additionalLabels` and `.additionalAnnotations`",
        &["node/an_expression_is_not_anchored", "node/expressions_for_annotations_are_not_for_labels"]),
    statement("labels of a MachineDeployment and of a MachineSet itself are not propagated", "a warning names the place that propagates",
        &["machine-set/top_level_labels_of_the_deployment_do_not_propagate"]),
    statement("annotations of a MachineDeployment reach its MachineSets", "**deviation**: annotations that are bookkeeping of controllers and clients are never added",
        &["machine-set/six_annotations_of_the_deployment_stay_behind", "machine-set/template_annotations_propagate_but_never_bookkeeping"]),
];

/// The proposal about in-place propagation.
#[rustfmt::skip]
pub(super) const PROPOSAL: &[SourceStatement] = &[
    statement("in-place mutable fields: metadata, minReadySeconds, the timeouts of Nodes, and later ones", "`FIELDS`: [fields.md](fields.md)",
        &["fields/a_machine_gets_every_field_of_its_set_v1beta2", "fields/a_machine_set_gets_every_field_of_its_deployment_v1beta2"]),
    statement("these fields propagate from ClusterClass and topology to control planes, MachineDeployments and Machines", "`FIELDS`",
        &["fields/a_topology_deployment_takes_each_field_from_topology_else_from_class_v1beta2",
          "fields/a_topology_control_plane_takes_each_field_from_topology_else_from_class_v1beta2"]),
    statement("class and topology set the top level of ControlPlane and MachineDeployment too", "`RULES`, rows Cluster Topology and ClusterClass",
        &["control-plane/class_and_topology_reach_both_places", "machine-deployment/class_and_topology_reach_both_places"]),
    statement("labels for an autoscaler are set on a MachineDeployment through the topology", "the same rows",
        &["machine-deployment/topology_alone_is_enough"]),
    statement("labels and annotations are always reconciled, also on existing objects", "missing entries are added at every write by anybody but a listed controller",
        &["conflict/a_touch_heals", "worked-example/from_cluster_to_node"]),
    statement("metadata and in-place fields of a MachineDeployment replace no Machine", "`EFFECTS`: [rollout.md](rollout.md)",
        &["rollout-machine-deployment/metadata_and_fields_of_the_template_are_in_place"]),
    statement("metadata and timeouts of a KubeadmControlPlane replace no Machine", "`EFFECTS`",
        &["rollout-control-plane/metadata_and_fields_of_the_machine_template_are_in_place"]),
    statement("timeouts reach the existing Machines of a control plane", "`FIELDS`",
        &["fields/a_control_plane_machine_gets_the_fields_of_its_control_plane_v1beta2",
          "fields/a_deleting_control_plane_machine_gets_timeouts_and_taints_only_v1beta2"]),
    statement("the hash label is a random string, not computed from the template", "`FORCED`: as stored; never computed",
        &["machine-set/a_hash_is_never_invented", "machine-set/a_dropped_hash_is_restored_in_both_places"]),
    statement("keys of users and other controllers on the same object stay", "only keys that a source has are written",
        &["machine/keys_of_the_user_stay", "node/keys_of_the_node_stay"]),
    statement("a key that its source drops is removed, by server-side apply", "**deviation**: left to Cluster API's controller, which stays the owner of the key",
        &["ownership/what_is_added_to_a_new_object_has_no_owner", "worked-example/a_removed_label_leaves_link_by_link"]),
    statement("server-side apply takes over existing, moved and restored objects", "[real controllers](../verification/conformance/cluster/README.md), steps `move` and `restore`",
        &["controllers/a_move_by_an_administrator_leaves_the_whole_chain"]),
    statement("the MachineDeployment controller picks the equal MachineSet that has the most Machines", "does not apply: the policy creates no objects", &[]),
    statement("MachinePools are added later", "`RULES`, rows that the page does not have", &["machine-pool/class_and_topology_reach_both_places", "pool-machine/template_metadata_and_two_labels_reach_it"]),
    statement("dropped from the proposal: propagation to templates", "no row",
        &["machine-parts/templates_receive_nothing", "machine-parts/bootstrap_templates_receive_nothing"]),
    statement("dropped from the proposal: one set of labels for MachineDeployment and MachineSet", "no row",
        &["machine-set/top_level_labels_of_the_deployment_do_not_propagate"]),
];

/// The specification of cloud tags.
#[rustfmt::skip]
pub(super) const TAGS: &[SourceStatement] = &[
    statement("nothing propagates by default; a definition opts in", "`cloudTagPropagation` of a definition",
        &["tags-registry/nothing_propagates_by_default", "tags-registry/a_definition_without_opt_in_makes_no_tag"]),
    statement("definitions of platform, domain and project can opt in", "`scope` of a definition",
        &["tags-registry/definitions_of_every_scope_can_opt_in"]),
    statement("three definitions of the platform are fixed and never opt in", "seeded definitions",
        &["tags-registry/the_seeded_origin_cannot_be_opted_in", "tags-registry/the_seeded_domain_cannot_be_opted_in",
          "tags-registry/the_seeded_mesh_ip_cannot_be_opted_in"]),
    statement("a tag's key is the prefix `plexsphere:` and the qualified key", "`cloudTags.prefix`",
        &["tags-profiles/a_cloud_tag_is_the_prefix_and_the_qualified_key"]),
    statement("a tag's value is the decoded text of the label", "assignments are decoded once",
        &["tags-labels/an_assignment_is_decoded_once"]),
    statement("provider names are not case-sensitive; an unknown provider gets the generic profile", "`PROFILES`",
        &["tags-profiles/a_provider_is_known_whatever_its_case", "tags-profiles/an_unknown_provider_gets_the_generic_profile"]),
    statement("lengths are counted in characters, for OpenStack in bytes", "`PROFILES`, column unit",
        &["tags-profiles/aws_tag_keys_have_at_most_128_runes", "tags-profiles/openstack_tag_keys_have_at_most_255_bytes"]),
    statement("if there are more tags than a profile allows, the lowest qualified keys are kept", "`count-cap`",
        &["tags-profiles/the_cap_goes_by_bytes_of_the_qualified_key", "tags-updates/one_label_more_takes_the_place_of_the_highest"]),
    statement("the same labels give the same tags", "invariant 4 of [ARCHITECTURE.md](../ARCHITECTURE.md#invariants)",
        &["tags-updates/an_identical_update_changes_nothing"]),
    statement("five reasons why a label does not become a tag; the first that applies is given", "the reasons below",
        &["tags-profiles/the_first_reason_of_the_table_counts"]),
    statement("a label that does not become a tag is logged and never fails the request", "one log line at level warning for each; `cloudTags.required` can refuse",
        &["tags-verify/a_skip_is_no_reason_to_refuse"]),
    statement("a registry that cannot be read fails the request", "`cloudTags.onRegistryFailure: reject`, the default",
        &["tags-registry/a_missing_registry_is_rejected_by_default", "tags-registry/a_forbidden_registry_is_rejected_by_default"]),
    statement("without tags the field is absent, not empty", "as stated",
        &["tags-composites/an_empty_set_leaves_the_field_absent"]),
    statement("adopted resources get no tags", "label or assignment `platform/origin: adopted`",
        &["tags-labels/an_adopted_composite_is_left_alone"]),
    statement("labels are read again at each apply", "at each write of the composite",
        &["tags-updates/labels_are_added_changed_and_removed", "tags-updates/a_touch_adds_missing_tags"]),
    statement("the definition declares `spec.cloudTags` as a map of strings", "`cloudTags.xrds`",
        &["tag-delivery-xrds/a_map_of_strings_survives", "tag-delivery-xrds/an_undeclared_field_is_dropped"]),
    statement("one patch copies the map to the tag field of each provider", "`cloudTags.compositions`: [delivery.md](delivery.md)",
        &["tag-delivery-compositions/a_missing_patch_is_named", "tag-delivery-compositions/labels_carry_the_tags_at_hetzner",
          "tag-delivery-compositions/metadata_carries_the_tags_of_a_nova_server"]),
];

/// Terms of the specification of cloud tags, and ours.
#[rustfmt::skip]
pub(super) const TERMS: &[(&str, &str)] = &[
    ("cloud tag", "cloud tag: an entry of `spec.cloudTags`"),
    ("Label Registry", "label registry: `cloudTags.definitions`, or LabelRegistry objects"),
    ("Label Definition, `cloud_tag_propagation`", "a definition, `cloudTagPropagation`"),
    ("Label Assignment", "a label of the composite, or an entry of its annotation `labels.plexsphere.com/assignments`"),
    ("PropagatingLabelSet", "the labels of the composite whose definition opts in"),
    ("LabelTagResolver", "the reads of the registry: [lookups.md](lookups.md)"),
    ("CloudTags, the transformer", "`crates/cloud-tags`"),
    ("SkippedLabel, SkipReason", "`skipped` in the part `cloudTags` of the report, and its `reason`"),
    ("tag profile", "profile: `PROFILES`, [tag-profiles.md](tag-profiles.md#profiles)"),
    ("Composite Resource, rendered", "the composite (XR) that is written"),
    ("`provisioned_resource`, `qualified_key`, `tag_key`, `provider`, `reason`", "the same attributes of the log line"),
];
