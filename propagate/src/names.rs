//! Objects by the names that kubectl accepts.

use fleet::{ObjectId, count, plural};
use metadata_propagation::cluster_api::CORE_GROUP;

/// Short names of kinds.
///
/// Source: the CustomResourceDefinitions of Cluster API and of Crossplane, and `kubectl api-resources`.
const SHORT: &[(&str, &str)] = &[
    ("cc", "ClusterClass"),
    ("cl", "Cluster"),
    ("comp", "Composition"),
    ("ext", "ExtensionConfig"),
    ("kcp", "KubeadmControlPlane"),
    ("ma", "Machine"),
    ("md", "MachineDeployment"),
    ("mhc", "MachineHealthCheck"),
    ("mhcs", "MachineHealthCheck"),
    ("mp", "MachinePool"),
    ("ms", "MachineSet"),
    ("no", "Node"),
    ("xrd", "CompositeResourceDefinition"),
    ("xrds", "CompositeResourceDefinition"),
];

/// The maximum number of letters in which a misspelled word differs from the suggested one.
const TYPOS: usize = 3;

/// Kind, namespace and name of `KIND`, `KIND/NAME` or `KIND/NAMESPACE/NAME`.
pub(crate) fn parts(object: &str) -> (&str, Option<&str>, Option<&str>) {
    let mut parts = object.splitn(3, '/');
    match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        (kind, namespace, name @ Some(_)) => (kind, namespace, name),
        (kind, name, None) => (kind, None, name),
    }
}

/// Whether `KIND`, `KIND/NAME` or `KIND/NAMESPACE/NAME` names an object.
pub(crate) fn is_meant(id: &ObjectId, object: &str, namespace: Option<&str>) -> bool {
    let (kind, own_namespace, name) = parts(object);
    let namespace = own_namespace.or(namespace);
    is_kind(id, kind)
        && name.is_none_or(|name| id.name == name)
        && namespace.is_none_or(|namespace| id.namespace == namespace || id.namespace.is_empty())
}

/// Whether a predicted object stands for `KIND/NAME` or `KIND/NAMESPACE/NAME`, because a controller appends something to the
/// name before its `*`: the length of what both names begin with.
pub(crate) fn begins(id: &ObjectId, object: &str, namespace: Option<&str>) -> Option<usize> {
    let (.., name) = parts(object);
    let (name, begin) = (name?, id.name.strip_suffix('*')?);
    let appended = name.strip_prefix(begin).filter(|rest| !rest.is_empty())?;
    let is_created = appended.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let created = ObjectId { name: name.to_owned(), ..id.clone() };
    (is_created && is_meant(&created, object, namespace)).then_some(begin.len())
}

/// Whether a word names the kind of an object: the kind, its plural or its short name, in any case, with or without its
/// group and version.
pub(crate) fn is_kind(id: &ObjectId, word: &str) -> bool {
    let word = word.to_lowercase();
    let (word, group) = word.split_once('.').map_or((&*word, None), |(word, group)| (word, Some(group)));
    let is_group = |group: &str| {
        let without_version = group.split_once('.').filter(|(version, _)| is_version(version)).map(|(_, group)| group);
        id.group == group || without_version == Some(&*id.group)
    };
    let is_short = SHORT.iter().any(|(short, kind)| *short == word && *kind == id.kind);
    let is_word = is_short || id.kind.to_lowercase() == word || plural(&id.kind) == word;
    // Other projects have kinds of these names, too.
    let is_default = id.group == CORE_GROUP || !OF_CORE.contains(&&*id.kind);
    is_word && group.map_or(is_default, is_group)
}

/// Kinds of Cluster API that are meant if no group is written.
const OF_CORE: [&str; 5] = ["Cluster", "Machine", "MachineDeployment", "MachineSet", "MachinePool"];

/// Whether a word names an object, and not a label or annotation: prefixes of keys contain dots, and kinds may too.
pub(crate) fn is_object<'i>(word: &str, namespace: Option<&str>, mut ids: impl Iterator<Item = &'i ObjectId>) -> bool {
    let (kind, ..) = parts(word);
    match kind.contains('.') {
        true => ids.any(|id| is_meant(id, word, namespace)),
        false => ids.any(|id| is_kind(id, kind)),
    }
}

fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// The message if nothing matches, with suggestions.
pub(crate) fn nothing<'i>(object: &str, ids: impl Iterator<Item = &'i ObjectId>) -> String {
    let ids: Vec<&ObjectId> = ids.collect();
    let (kind, rest) = object.split_once('/').map_or((object, None), |(kind, rest)| (kind, Some(rest)));
    let name = rest.map(|rest| rest.rsplit('/').next().unwrap_or_default());
    let of_kind: Vec<&&ObjectId> = ids.iter().filter(|id| is_kind(id, kind)).collect();
    let close = |a: &str, b: &str| Some(strsim::damerau_levenshtein(a, b)).filter(|typos| *typos <= TYPOS);
    let guess = match name {
        // There are objects of that kind in other namespaces.
        None if !of_kind.is_empty() => None,
        Some(name) if !of_kind.is_empty() => {
            let alike = of_kind.iter().filter_map(|ObjectId { kind, namespace, name: found, .. }| {
                let guess = match found == name {
                    true => format!("{kind}/{namespace}/{found}"),
                    false => format!("{kind}/{found}"),
                };
                Some((close(found, name)?, guess))
            });
            alike.min()
        }
        _ => {
            let word = kind.to_lowercase();
            let alike = ids.iter().filter_map(|id| {
                let typos =
                    [id.kind.to_lowercase(), plural(&id.kind)].iter().filter_map(|of| close(of, &word)).min()?;
                Some((typos, name.map_or(id.kind.clone(), |name| format!("{}/{name}", id.kind))))
            });
            alike.min()
        }
    };
    let guess = guess.map(|(_, guess)| format!("; did you mean `{guess}`?")).unwrap_or_default();
    format!("no {object} among {}{guess}\n", count(ids.len(), "object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(group: &str, kind: &str, name: &str) -> ObjectId {
        ObjectId::new(group, kind, "fleet", name)
    }

    #[test]
    fn kinds_have_the_names_that_kubectl_takes() {
        let machine = id("cluster.x-k8s.io", "Machine", "m");
        for (word, expected) in [
            ("Machine", true),
            ("machines", true),
            ("ma/m", true),
            ("machine.cluster.x-k8s.io", true),
            ("machines.v1beta2.cluster.x-k8s.io/fleet/m", true),
            ("machines.example.com", false),
            ("md", false),
            ("machine/other", false),
            ("machine/other/m", false),
        ] {
            assert_eq!(is_meant(&machine, word, None), expected, "{word}");
        }
        assert!(is_meant(&id("", "Ingress", "i"), "ingresses", Some("fleet")));
        assert!(!is_meant(&machine, "machine", Some("other")));
    }

    #[test]
    fn a_name_in_the_cluster_fits_that_of_a_predicted_object() {
        let node = ObjectId { namespace: String::new(), ..id("", "Node", "shop-web-*") };
        for (word, expected) in [
            ("Node/shop-web-x7k2p-1", Some(9)),
            ("no/shop-web-x7k2p", Some(9)),
            ("Node/shop-web-", None),
            ("Node/shop-batch-x7k2p", None),
            ("Node/shop-web-a.b", None),
            ("Machine/shop-web-x7k2p", None),
            ("Node", None),
        ] {
            assert_eq!(begins(&node, word, None), expected, "{word}");
        }
        assert_eq!(begins(&id("", "Node", "shop-web-1"), "Node/shop-web-1", None), None);
    }

    #[test]
    fn a_key_is_no_object_though_it_looks_like_one() {
        let ids = [id("cluster.x-k8s.io", "Machine", "m"), id("", "Node", "n")];
        for (word, expected) in [
            ("machine/m", true),
            ("machine/misspelled", true),
            ("nodes", true),
            ("team", false),
            ("example.com/team", false),
            ("machine.cluster.x-k8s.io/m", true),
            ("machine.cluster.x-k8s.io/exclude-node-draining", false),
            ("node.cluster.x-k8s.io/pool", false),
        ] {
            assert_eq!(is_object(word, None, ids.iter()), expected, "{word}");
        }
    }

    #[test]
    fn what_may_be_meant_is_named() {
        let ids = [id("cluster.x-k8s.io", "Machine", "worker-1"), id("cluster.x-k8s.io", "Cluster", "prod")];
        for (word, expected) in [
            ("Machin/worker-1", "no Machin/worker-1 among 2 objects; did you mean `Machine/worker-1`?\n"),
            ("machine/fleet/worker1", "no machine/fleet/worker1 among 2 objects; did you mean `Machine/worker-1`?\n"),
            (
                "machine/other/worker-1",
                "no machine/other/worker-1 among 2 objects; did you mean `Machine/fleet/worker-1`?\n",
            ),
            ("clutser", "no clutser among 2 objects; did you mean `Cluster`?\n"),
            ("Pod", "no Pod among 2 objects\n"),
            ("cl/staging", "no cl/staging among 2 objects\n"),
        ] {
            assert_eq!(nothing(word, ids.iter()), expected, "{word}");
        }
    }
}
