//! The objects that an object names, read without a value of the whole object.

use std::fmt;

use metadata_propagation::cluster_api::{CLUSTER_NAME, CORE_GROUP};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::object::{FleetObject, ObjectId, group_and_version};
use crate::relations::parent;

impl FleetObject {
    /// The objects that this one names: by references with kind and name, as its Cluster, or as what it is created from.
    /// One that names no namespace has that of this object.
    pub fn references(&self) -> Vec<ObjectId> {
        let mut found = References { of: &self.id, found: Vec::new() };
        let mut json = serde_json::Deserializer::from_str(&self.json);
        // What cannot be read names nothing more.
        let _ = (&mut found).deserialize(&mut json);
        let mut references = found.found;
        if matches!(&*self.id.kind, "Cluster" | "Node") {
            references.extend(parent(&self.id, &self.value()));
        }
        references
    }
}

/// What is found in one object.
struct References<'o> {
    of: &'o ObjectId,
    found: Vec<ObjectId>,
}

impl<'de> DeserializeSeed<'de> for &mut References<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Option<String>, D::Error> {
        value.deserialize_any(self)
    }
}

/// Returns a text, and collects what objects name.
impl<'de> Visitor<'de> for &mut References<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<String>, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Option<String>, A::Error> {
        while elements.next_element_seed(&mut *self)?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<String>, A::Error> {
        let mut reference = ObjectId { namespace: self.of.namespace.clone(), ..ObjectId::default() };
        while let Some(field) = fields.next_key::<String>()? {
            if ["managedFields", "status"].contains(&&*field) {
                fields.next_value::<IgnoredAny>()?;
                continue;
            }
            let Some(text) = fields.next_value_seed(&mut *self)?.filter(|text| !text.is_empty()) else { continue };
            match &*field {
                "apiVersion" => group_and_version(&text).0.clone_into(&mut reference.group),
                "apiGroup" => reference.group = text,
                "kind" => reference.kind = text,
                "name" => reference.name = text,
                "namespace" => reference.namespace = text,
                "clusterName" | CLUSTER_NAME => {
                    self.found.push(ObjectId::new(CORE_GROUP, "Cluster", &self.of.namespace, &text));
                }
                _ => {}
            }
        }
        if !reference.kind.is_empty() && !reference.name.is_empty() {
            self.found.push(reference);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Fleet;
    use crate::source::Source;

    #[test]
    fn an_object_names_its_cluster_its_owner_and_what_it_refers_to() {
        let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: m, namespace: f, \
            ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: o}]}, spec: {clusterName: c, template: \
            {spec: {bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: t}}}}}, \
            status: {kind: A, name: b}}";
        let fleet = Fleet::read(vec![Source { name: "f.yaml".to_owned(), text: text.to_owned() }]);
        let found: Vec<String> =
            fleet.objects().flat_map(FleetObject::references).map(|id| format!("{} {id}", id.group)).collect();
        let expected = [
            "cluster.x-k8s.io Cluster f/o",
            "cluster.x-k8s.io Cluster f/c",
            "bootstrap.cluster.x-k8s.io KubeadmConfigTemplate f/t",
        ];
        assert_eq!(found, expected);
    }
}
