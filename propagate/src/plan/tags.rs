//! What becomes of cloud tags, in lines that the formats for readers share.

use std::collections::BTreeMap;

use fleet::{EntryDifference, Happens, ObjectId, ReachedResource, TagChange, TagFate, TaggedObject, count};

use super::words::change;

/// Objects that are listed one by one; of more, each key has a line with their number.
const LISTED: usize = 5;

/// One line.
pub(super) enum TagLine {
    /// What the lines that follow are about.
    Title(String),
    /// A sign and the rest of the line.
    Change(char, String),
    /// What becomes of it on the way to the cloud; whether it is not what was meant.
    Fate(bool, String),
}

/// The lines about objects, or about keys if there are many objects.
pub(super) fn lines(tags: &[TaggedObject], is_verbose: bool) -> Vec<TagLine> {
    if tags.len() > LISTED && !is_verbose {
        return keys(tags).into_iter().map(|(line, _)| line).collect();
    }
    tags.iter().flat_map(of_object).collect()
}

fn of_object(tagged: &TaggedObject) -> Vec<TagLine> {
    let claim = if tagged.is_claim { " (a claim: tags of its composite)" } else { "" };
    let is_own = matches!(&*tagged.because, [one] if *one == tagged.id.to_string());
    let because = match (tagged.happens, tagged.because.is_empty() || is_own) {
        (Happens::Created, _) => " is created".to_owned(),
        (Happens::Deleted, _) => " is deleted".to_owned(),
        (Happens::Changed, true) => String::new(),
        (Happens::Changed, false) => format!(": because of {}", tagged.because.join(", ")),
    };
    let mut lines = vec![TagLine::Title(format!("{}{claim}{because}", tagged.id))];
    lines.extend(tagged.changes.iter().map(|one| of_change(tagged, one)));
    for resource in &tagged.resources {
        lines.push(of_resource(resource, &of_one(resource)));
        if !is_alike(tagged, resource) {
            lines.extend(resource.changes.iter().map(|one| {
                let (sign, rest) = change(&entry(&tagged.id, &resource.field, one));
                // In a list of strings, a tag has no value.
                let is_alone = sign != '~' && rest.ends_with("=\"\"");
                TagLine::Change(sign, if is_alone { rest.trim_end_matches("=\"\"").to_owned() } else { rest })
            }));
        }
    }
    lines.extend(tagged.unknown.iter().map(|sentence| TagLine::Fate(true, format!("cannot tell: {sentence}"))));
    lines
}

fn of_change(tagged: &TaggedObject, one: &TagChange) -> TagLine {
    let (sign, rest) = change(&entry(&tagged.id, &tagged.at, one));
    TagLine::Change(sign, format!("{rest}: {}", one.reason))
}

fn entry(id: &ObjectId, at: &str, TagChange { key, from, to, .. }: &TagChange) -> EntryDifference {
    let (id, key, from, to) = (id.clone(), key.clone(), from.clone(), to.clone());
    EntryDifference { id, is_predicted: false, at: at.into(), key, from, to }
}

/// Whether the tags of a resource change as those of the object do.
fn is_alike(tagged: &TaggedObject, resource: &ReachedResource) -> bool {
    let of = |changes: &[TagChange]| -> Vec<_> {
        changes.iter().map(|it| (it.key.clone(), it.from.clone(), it.to.clone())).collect()
    };
    of(&tagged.changes) == of(&resource.changes)
}

/// A resource by its names.
fn of_one(resource: &ReachedResource) -> String {
    let ReachedResource { kind, name, field, composition, changes, .. } = resource;
    let field = if field.is_empty() { String::new() } else { format!(" {field}") };
    let mut by: Vec<&str> = changes.iter().map(|change| &*change.reason).collect();
    by.sort_unstable();
    by.dedup();
    let by = match &*by {
        [] => String::new(),
        [one] => format!(", by {one}"),
        [one, rest @ ..] => format!(", by {one} and {}", count(rest.len(), "other place")),
    };
    format!("{kind} `{name}`{field}{by} of Composition `{composition}`")
}

fn of_resource(resource: &ReachedResource, what: &str) -> TagLine {
    match &resource.fate {
        TagFate::InPlace => TagLine::Fate(false, format!("in place {what}")),
        TagFate::Created => TagLine::Fate(false, format!("created {what}")),
        TagFate::Deleted => TagLine::Fate(false, format!("deleted {what}")),
        TagFate::Never(reason) => TagLine::Fate(true, format!("no effect {what}: {reason}")),
        TagFate::Refused(reason) => TagLine::Fate(true, format!("refused {what}: {reason}")),
        TagFate::CannotTell(reason) => TagLine::Fate(true, format!("cannot tell {what}: {reason}")),
    }
}

/// A line for each key and reason, with the number of objects, and one for each kind of resource and fate; each with the
/// first object that it is about.
pub(super) fn keys(tags: &[TaggedObject]) -> Vec<(TagLine, &TaggedObject)> {
    let mut groups: Vec<(&TaggedObject, &TagChange, usize, bool)> = Vec::new();
    let mut known = BTreeMap::new();
    for tagged in tags {
        for one in &tagged.changes {
            let sign = (one.from.is_some(), one.to.is_some());
            let key = (&tagged.at, &one.key, sign, &one.reason, because(tagged));
            let number = *known.entry(key).or_insert(groups.len());
            match groups.get_mut(number) {
                Some((_, first, count, is_one)) => {
                    *count += 1;
                    *is_one &= (&first.from, &first.to) == (&one.from, &one.to);
                }
                None => groups.push((tagged, one, 1, true)),
            }
        }
    }
    let of_keys = groups.into_iter().map(|(tagged, one, number, is_one)| {
        let (sign, values) = change(&entry(&tagged.id, &tagged.at, one));
        let what = if is_one { values } else { format!("{} {}", tagged.at, one.key) };
        let because = because(tagged);
        let because = if because.is_empty() { String::new() } else { format!("; because of {because}") };
        let line = format!("{what} of {}: {}{because}", objects(number, tagged), one.reason);
        (TagLine::Change(sign, line), tagged)
    });
    let mut lines: Vec<(TagLine, &TaggedObject)> = of_keys.collect();
    let mut fates: BTreeMap<_, (&TaggedObject, &ReachedResource, usize)> = BTreeMap::new();
    let mut unknown: BTreeMap<&str, (&TaggedObject, usize)> = BTreeMap::new();
    for tagged in tags {
        for resource in &tagged.resources {
            let key = (&resource.fate, &resource.kind, &resource.field, &resource.composition, &resource.name);
            fates.entry(key).or_insert((tagged, resource, 0)).2 += 1;
        }
        for sentence in &tagged.unknown {
            unknown.entry(sentence).or_insert((tagged, 0)).1 += 1;
        }
    }
    lines.extend(fates.into_values().map(|(tagged, resource, number)| {
        let what = format!("{} for {}", of_one(resource), objects(number, tagged));
        (of_resource(resource, &what), tagged)
    }));
    lines.extend(unknown.into_iter().map(|(sentence, (tagged, number))| {
        (TagLine::Fate(true, format!("cannot tell for {}: {sentence}", objects(number, tagged))), tagged)
    }));
    lines
}

/// Such as `1000 objects (XDatabase shop/orders, …)`.
fn objects(number: usize, first: &TaggedObject) -> String {
    if number == 1 { first.id.to_string() } else { format!("{number} objects ({}, …)", first.id) }
}

/// What the change is in, other than the object itself.
fn because(tagged: &TaggedObject) -> String {
    let own = tagged.id.to_string();
    tagged.because.iter().filter(|id| **id != own).cloned().collect::<Vec<_>>().join(", ")
}
