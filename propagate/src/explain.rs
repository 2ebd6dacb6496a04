//! `propagate explain`: the propagation path of a label, with the rule or the reason at each step.

mod columns;
mod json;
mod kubelet;
mod tree;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use fleet::{
    Fleet, Hierarchy, Locator, Member, Origin, Placement, State, help_of_skips, help_of_unknown, registered_labels,
    tag_field,
};
use metadata_propagation::{NotApplicableReason, Report, Settings, Skipped};

use self::kubelet::Kubelets;
use crate::args::{ExplainArgs, PlainFormat};
use crate::classes::{MissingClass, missing};
use crate::live::{self, Question};
use crate::names::{self, begins, is_meant};
use crate::output::report::Where;
use crate::output::text::visible;
use crate::style::{BOLD, DIM};
use crate::{Exit, Failure, input, output, progress, registries, settings};

const HELP: Style = AnsiColor::Cyan.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let (key, paths) = args.sources.key_and_paths(args.key.as_ref(), &args.paths);
    let is_folder = |key: &&String| paths.is_empty() && !args.live.is_named() && Path::new(key).is_dir();
    if let Some(key) = key.as_ref().filter(is_folder) {
        return Err(Failure(format!(
            "`{key}` is a directory; to read it, use `--filename {key}`; for a label or annotation of this name, use \
             `--label-columns {key}`"
        )));
    }
    let question = Question { object: Some(&args.object), is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &paths, &question)?;
    let fleet = &input.fleet;
    let hierarchy = Hierarchy::with_composites(fleet, &settings);
    let mut meant = meant(&hierarchy, args);
    let predicted = if meant.is_empty() { predicted(&hierarchy, args) } else { Vec::new() };
    meant.extend(&predicted);
    let unnamed = UnnamedGroups::of(fleet, &settings);
    let kubelets = Kubelets(registered_labels(fleet, &hierarchy));
    let mut out = String::new();
    // Columns are for trees, also that of one object.
    let is_one = args.object.contains('/') && args.label_columns.is_empty();
    // For many objects a key is a column.
    let columns: Vec<String> = args.label_columns.iter().chain(&key).cloned().collect();
    if is_one && key.is_none() {
        meant = meant.into_iter().flat_map(|number| with_composite(&hierarchy, number)).collect();
    }
    if args.output == PlainFormat::Json {
        let values: serde_json::Value = match &key {
            Some(key) if is_one => {
                meant.iter().map(|number| json::propagation_path(&hierarchy, *number, key)).collect()
            }
            None if is_one => {
                meant.iter().filter_map(|number| json::object(&hierarchy, *number, (&unnamed, &kubelets))).collect()
            }
            _ => meant.iter().filter_map(|number| json::tree((&hierarchy, &kubelets), *number, &columns)).collect(),
        };
        out = format!("{values:#}\n");
    } else if is_one {
        for (index, number) in meant.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            match &key {
                Some(key) => propagation_path(&hierarchy, (fleet, &unnamed, &kubelets), *number, key, &mut out),
                None => object(&hierarchy, *number, (&unnamed, &kubelets), &mut out),
            }
        }
    } else {
        out = tree::tree((&hierarchy, &kubelets), &meant, &columns);
    }
    if meant.is_empty() && args.output == PlainFormat::Text {
        out = names::nothing(&args.object, fleet.objects().map(|object| &object.id));
    }
    output::print(out.as_bytes())?;
    if let Some(asked) = input.asked.as_ref().filter(|_| meant.is_empty()) {
        progress::end();
        anstream::eprintln!("read {asked}; use `--namespace` for another namespace, or `--all-namespaces`");
    }
    // A label that is not known has its reason in its row.
    let is_shown = |class: &MissingClass<'_>| {
        let mut shown = meant.iter().filter_map(|number| hierarchy.member(*number));
        shown.any(|member| class.is_named_by(&member.id))
    };
    for class in missing(fleet).into_iter().filter(|class| columns.is_empty() && is_shown(class)) {
        progress::end();
        anstream::eprintln!("note: {}", class.sentence("shown with what it makes"));
    }
    for member in predicted.iter().filter_map(|number| hierarchy.member(*number)) {
        progress::end();
        anstream::eprintln!(
            "note: `{}` is not in the input; {} is predicted and fits this name",
            args.object,
            member.id
        );
    }
    if meant.is_empty() {
        input::note(&input);
    }
    let is_unread = |number: &usize| {
        let inert = hierarchy.member(*number).and_then(|member| member.report.inert.as_ref());
        inert.is_some_and(|inert| inert.reason == NotApplicableReason::RegistryUnavailable)
    };
    if meant.iter().any(is_unread) {
        for sentence in registries::missing(fleet, &settings) {
            progress::end();
            anstream::eprintln!("warning: {sentence}");
        }
    }
    let is_unreadable = input::warn(&input);
    if let Some(key) = &key
        && let Some(warning) = no_key(&hierarchy, args, key)
    {
        anstream::eprintln!("warning: {warning}");
    }
    Ok(Exit::first([(is_unreadable, Exit::Unreadable), (meant.is_empty(), Exit::Nothing)]))
}

/// A hint that a key may have been meant as something else.
fn no_key(hierarchy: &Hierarchy, args: &ExplainArgs, key: &str) -> Option<String> {
    let kind = &args.object;
    let namespace = args.sources.namespace.as_deref();
    let object = format!("{kind}/{key}");
    let is_name = || hierarchy.members().iter().any(|member| is_meant(&member.id, &object, namespace));
    if !kind.contains('/') && is_name() {
        return Some(format!("`{key}` was read as a label or annotation; to name the object, write `{object}`"));
    }
    let is_folder = Path::new(key).is_dir();
    is_folder
        .then(|| format!("`{key}` was read as a label or annotation; to read the directory, use `--filename {key}`"))
}

fn meant(hierarchy: &Hierarchy, args: &ExplainArgs) -> Vec<usize> {
    let members = hierarchy.members().iter().enumerate();
    let meant = members.filter(|(_, member)| is_meant(&member.id, &args.object, args.sources.namespace.as_deref()));
    meant.map(|(number, _)| number).collect()
}

/// A claim with its composite, or another object alone.
fn with_composite(hierarchy: &Hierarchy, number: usize) -> Vec<usize> {
    let member = hierarchy.member(number).filter(|member| is_claim(member));
    let children = member.map_or(&[][..], |member| &member.children);
    std::iter::once(number).chain(children.iter().copied()).collect()
}

fn is_claim(member: &Member) -> bool {
    member.report.inert.as_ref().is_some_and(|inert| inert.reason == NotApplicableReason::Claim)
}

/// The predicted objects that stand for an object which is not in the input: of those whose name it may have, the ones
/// with the longest name.
fn predicted(hierarchy: &Hierarchy, args: &ExplainArgs) -> Vec<usize> {
    let namespace = args.sources.namespace.as_deref();
    let members = hierarchy.members().iter().enumerate().filter(|(_, member)| member.origin.is_none());
    let fitting = members.filter_map(|(number, member)| Some((begins(&member.id, &args.object, namespace)?, number)));
    let fitting: Vec<(usize, usize)> = fitting.collect();
    let longest = fitting.iter().map(|(length, _)| *length).max();
    fitting.into_iter().filter(|(length, _)| Some(*length) == longest).map(|(_, number)| number).collect()
}

/// The API groups of composites that the files define and no setting names.
struct UnnamedGroups(BTreeSet<String>);

impl UnnamedGroups {
    fn of(fleet: &Fleet, settings: &Settings) -> UnnamedGroups {
        let groups = fleet.composite_groups().into_iter().map(|(_, group)| group);
        UnnamedGroups(groups.filter(|group| !settings.cloud_tags.has_group(group)).collect())
    }

    /// Why no label of a composite becomes a cloud tag, if that is because no setting names its API group.
    fn reason(&self, member: &Member) -> Option<String> {
        let group = self.0.get(&member.id.group)?;
        Some(format!("no setting names the API group `{group}`, so no label becomes a cloud tag"))
    }

    /// Prints the reason, with the setting that is missing.
    fn add(&self, member: &Member, out: &mut String) {
        let Some(reason) = self.reason(member) else { return };
        let _ = writeln!(out, "  {reason}");
        let help = "add the group to `cloudTags.composites`, and use `--settings`: `propagate check` prints an example";
        add_help(Some(&help.to_owned()), "  ", out);
    }
}

/// All labels and annotations of one object, and where they are set.
fn object(hierarchy: &Hierarchy, number: usize, (unnamed, kubelets): (&UnnamedGroups, &Kubelets), out: &mut String) {
    let Some(member) = hierarchy.member(number) else { return };
    let _ = writeln!(out, "{BOLD}{}{BOLD:#}{}", member.id, note(member));
    unnamed.add(member, out);
    if let Some(reason) = &member.unknown {
        let _ = writeln!(out, "  skipped: {reason}");
        add_help(help_of_unknown(reason).as_ref(), "  ", out);
    }
    let mut last = "";
    for entry in &member.carried {
        if entry.at != last {
            let _ = writeln!(out, "  {}", entry.at);
            last = &entry.at;
        }
        let placement = Placement::of(entry, member);
        let place = entry.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let value = placement.value.as_deref().unwrap_or_default();
        let _ = writeln!(
            out,
            "    {}={}{} {DIM}{}{place}{DIM:#}",
            entry.key,
            visible(value),
            in_words(&placement.state),
            entry.source
        );
    }
    kubelets.add(hierarchy, number, out);
    if let Some(tags) = &member.report.cloud_tags {
        let _ = writeln!(out, "  {}, profile `{}`", tag_field(&member.id), tags.profile);
        for (tag, value) in &tags.tags {
            let _ = writeln!(out, "    {tag}={value}");
        }
        for label in &tags.skipped {
            let _ = writeln!(out, "    {}", label.fact());
        }
        for (key, reason) in &tags.not_propagating {
            let _ = writeln!(out, "    {key}: {reason}");
        }
    }
    let skipped: Vec<_> = member.report.skipped.iter().filter(|skip| skip.instead.is_none()).collect();
    if !skipped.is_empty() {
        let _ = writeln!(out, "  not propagated");
    }
    for skip in skipped {
        let value = skip.value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
        let _ = writeln!(out, "    {}{value} {DIM}{}: {}{DIM:#}", skip.key, skip.from, skip.reason);
    }
    let skipped = member.report.skipped.iter().filter(|skip| skip.instead.is_none());
    for help in skipped.map(help_of_skips).collect::<BTreeSet<String>>() {
        add_help(Some(&help), "    ", out);
    }
    for misplaced in member.report.skipped.iter().filter_map(Skipped::misplaced) {
        let _ = writeln!(out, "    {misplaced}");
    }
    let Report { skipped, cloud_tags, .. } = &*member.report;
    let is_known = member.unknown.is_none() && unnamed.reason(member).is_none();
    if is_known
        && member.carried.is_empty()
        && kubelets.of(number).is_empty()
        && skipped.is_empty()
        && cloud_tags.is_none()
    {
        let claim = member.report.inert.as_ref().filter(|_| is_claim(member)).map(ToString::to_string);
        if let Some(reason) = claim.as_ref().or(member.rejection.as_ref()) {
            let _ = writeln!(out, "  {reason}");
            return;
        }
        let _ = writeln!(out, "  nothing propagates to it");
        let help = format!(
            "name a label or annotation (`propagate explain {}/{} KEY`), or a kind for its tree",
            member.id.kind, member.id.name
        );
        add_help(Some(&help).filter(|_| !member.children.is_empty()), "  ", out);
    }
}

/// What to do, printed below the line it is about.
fn add_help(help: Option<&String>, indent: &str, out: &mut String) {
    if let Some(help) = help {
        let _ = writeln!(out, "{indent}{HELP}help{HELP:#}: {help}");
    }
}

/// The whole propagation path of one key through an object.
fn propagation_path(
    hierarchy: &Hierarchy,
    (fleet, unnamed, kubelets): (&Fleet, &UnnamedGroups, &Kubelets),
    number: usize,
    key: &str,
    out: &mut String,
) {
    let mut locator = Locator::new(fleet.sources());
    for step in hierarchy.propagation_path(number, key) {
        let Some(member) = hierarchy.member(step.member) else { continue };
        let (marked, end) =
            if step.member == number { (BOLD, BOLD.render_reset()) } else { (Style::new(), BOLD.render_reset()) };
        let _ = writeln!(out, "{marked}{}{end}{}", member.id, note(member));
        unnamed.add(member, out);
        let is_registered = kubelets.add_label(hierarchy, step.member, key, out);
        if step.placements.is_empty() && step.patches.is_empty() && !is_registered {
            let reason =
                hierarchy.unknown(step.member).map(|(member, reason)| format!(": {} is skipped: {reason}", member.id));
            let _ =
                writeln!(out, "  `{key}` is not set here and does not propagate here{}", reason.unwrap_or_default());
            let help = match hierarchy.unknown(step.member) {
                Some((_, reason)) => help_of_unknown(reason),
                None if unnamed.reason(member).is_some() => None,
                None => Some(match hierarchy.place_above(step.member) {
                    Some(place) => format!("set it in {place}"),
                    None => "set it in one of the places that `propagate rules` lists".to_owned(),
                }),
            };
            add_help(help.as_ref(), "  ", out);
        }
        let is_alike = |a: &Placement, b: &Placement| {
            (&a.value, &a.state, &a.why, &a.help) == (&b.value, &b.state, &b.why, &b.help)
        };
        for placements in step.placements.chunk_by(is_alike) {
            let Some(placement) = placements.first() else { continue };
            let value = placement.value.as_ref().map(|value| format!(" {}", visible(value))).unwrap_or_default();
            let places =
                placements.iter().filter(|placement| has_position(member, placement)).filter_map(|placement| {
                    Some(place(&mut locator, fleet, (member.origin.as_ref()?, &placement.at), &[key.to_owned()]))
                });
            let places: String = places.collect();
            let arrow = if placement.state == State::NotPropagated { "from " } else { "" };
            let at: Vec<&str> = placements.iter().map(|placement| &*placement.at).collect();
            let _ = writeln!(out, "  {arrow}{}:{value}{}{places}", at.join(", "), in_words(&placement.state));
            if let Some(why) = &placement.why {
                let _ = writeln!(out, "    {DIM}{why}{DIM:#}");
            }
            add_help(placement.help.as_ref(), "    ", out);
        }
        for used in &step.patches {
            let at = format!("spec.patches[{}]", used.patch);
            let place = member.origin.as_ref().map(|origin| place(&mut locator, fleet, (origin, &at), &[]));
            let _ = writeln!(out, "  {at}:{}\n    {DIM}{used}{DIM:#}", place.unwrap_or_default());
        }
    }
}

/// Where an entry is, as file, line and column.
fn place(locator: &mut Locator<'_>, fleet: &Fleet, (origin, at): (&Origin, &str), keys: &[String]) -> String {
    format!(" {DIM}{}{DIM:#}", Where::of(fleet, locator.locate(origin, at, keys)))
}

/// Whether the file has a position for an entry: that of the entry, or of the map that it belongs in.
fn has_position(member: &Member, placement: &Placement) -> bool {
    let is_written = || member.written.pointer(&format!("/{}", placement.at.replace('.', "/"))).is_some();
    match &placement.state {
        State::NotPropagated | State::NoTag => false,
        State::Missing | State::Tag => is_written(),
        State::Set | State::Present | State::Predicted | State::Differs(_) => true,
    }
}

/// Whether nothing is set at the place that is printed.
pub(crate) fn is_absent(state: &State) -> bool {
    matches!(state, State::NotPropagated | State::NoTag)
}

/// The text printed after the value of an entry.
fn in_words(state: &State) -> String {
    let style = match state {
        State::Set | State::Predicted => Style::new(),
        State::Present | State::Tag => GOOD,
        State::Missing | State::Differs(_) | State::NotPropagated | State::NoTag => BAD,
    };
    let words = state.in_words();
    if words.is_empty() { words } else { format!(" {style}{words}{style:#}") }
}

/// The text printed after the name of an object.
pub(crate) fn note(member: &Member) -> &'static str {
    if member.origin.is_none() { " (predicted)" } else { "" }
}
