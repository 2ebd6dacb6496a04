#!/usr/bin/env bats
# Generated from cases.txt: every case through kwctl.

load helpers

@test "beyond-cluster-api/a_key_that_is_no_longer_selected_leaves" {
    replay beyond-cluster-api--a_key_that_is_no_longer_selected_leaves
}

@test "beyond-cluster-api/a_standalone_machines_keys_go_to_its_infrastructure" {
    replay beyond-cluster-api--a_standalone_machines_keys_go_to_its_infrastructure
}

@test "conflict/a_changed_value_is_rejected" {
    replay conflict--a_changed_value_is_rejected
}

@test "conflict/a_changed_value_is_restored" {
    replay conflict--a_changed_value_is_restored
}

@test "conflict/verify_rejects_what_is_missing" {
    replay conflict--verify_rejects_what_is_missing
}

@test "control-plane/up_to_v1_13_a_patch_of_labels_changes_no_control_plane" {
    replay control-plane--up_to_v1_13_a_patch_of_labels_changes_no_control_plane
}

@test "controllers/the_core_manager_passes" {
    replay controllers--the_core_manager_passes
}

@test "controllers/the_topology_controller_that_compares_is_answered_with_what_is_stored" {
    replay controllers--the_topology_controller_that_compares_is_answered_with_what_is_stored
}

@test "fields/an_edited_field_is_restored" {
    replay fields--an_edited_field_is_restored
}

@test "guards-adoption/a_new_machine_with_a_hash_is_refused" {
    replay guards-adoption--a_new_machine_with_a_hash_is_refused
}

@test "guards-node-keys/a_label_put_on_a_machine" {
    replay guards-node-keys--a_label_put_on_a_machine
}

@test "guards-selector-labels/a_lost_hash_is_refused_without_its_set" {
    replay guards-selector-labels--a_lost_hash_is_refused_without_its_set
}

@test "lookup/a_failed_read_lets_a_provider_set_its_provider_id" {
    replay lookup--a_failed_read_lets_a_provider_set_its_provider_id
}

@test "lookup/a_forbidden_read_is_rejected" {
    replay lookup--a_forbidden_read_is_rejected
}

@test "lookup/a_key_that_a_provider_removes_is_not_put_back_from_the_cache" {
    replay lookup--a_key_that_a_provider_removes_is_not_put_back_from_the_cache
}

@test "lookup/a_kind_not_granted_in_one_version_is_asked_for_in_the_other" {
    replay lookup--a_kind_not_granted_in_one_version_is_asked_for_in_the_other
}

@test "lookup/a_missing_parent_is_accepted_by_default" {
    replay lookup--a_missing_parent_is_accepted_by_default
}

@test "lookup/a_missing_parent_is_rejected" {
    replay lookup--a_missing_parent_is_rejected
}

@test "lookup/a_paused_cluster_stops_a_change" {
    replay lookup--a_paused_cluster_stops_a_change
}

@test "lookup/an_unreachable_cluster_is_warned_about" {
    replay lookup--an_unreachable_cluster_is_warned_about
}

@test "machine-set/template_labels_reach_the_set_and_its_template" {
    replay machine-set--template_labels_reach_the_set_and_its_template
}

@test "node/annotations_propagate_by_the_node_domain_only" {
    replay node--annotations_propagate_by_the_node_domain_only
}

@test "other-control-plane/a_dropped_key_is_removed_and_the_record_shrinks" {
    replay other-control-plane--a_dropped_key_is_removed_and_the_record_shrinks
}

@test "other-control-plane/machine_template_metadata_and_cluster_name_reach_a_machine" {
    replay other-control-plane--machine_template_metadata_and_cluster_name_reach_a_machine
}

@test "rollout-stance/a_rollout_is_rejected" {
    replay rollout-stance--a_rollout_is_rejected
}

@test "rollout-topology/version_and_failure_domain_replace_machines" {
    replay rollout-topology--version_and_failure_domain_replace_machines
}

@test "tag-delivery-compositions/a_later_patch_of_what_is_above_replaces_the_tags" {
    replay tag-delivery-compositions--a_later_patch_of_what_is_above_replaces_the_tags
}

@test "tag-delivery-compositions/a_missing_patch_is_named" {
    replay tag-delivery-compositions--a_missing_patch_is_named
}

@test "tag-delivery-xrds/declare_adds_the_declaration" {
    replay tag-delivery-xrds--declare_adds_the_declaration
}

@test "tags-composites/a_composite_of_v1_is_stamped" {
    replay tags-composites--a_composite_of_v1_is_stamped
}

@test "tags-clouds/the_key_of_a_platform_label_at_hetzner" {
    replay tags-clouds--the_key_of_a_platform_label_at_hetzner
}

@test "tags-nested/what_the_parent_forwards_stays" {
    replay tags-nested--what_the_parent_forwards_stays
}

@test "tags-registry/definitions_come_from_the_named_object" {
    replay tags-registry--definitions_come_from_the_named_object
}

@test "tags-required/a_missing_tag_is_refused" {
    replay tags-required--a_missing_tag_is_refused
}

@test "tags-strict/hetzner_strict_spells_keys_so_that_the_cloud_takes_them" {
    replay tags-strict--hetzner_strict_spells_keys_so_that_the_cloud_takes_them
}

@test "tags-verify/missing_tags_are_refused" {
    replay tags-verify--missing_tags_are_refused
}
