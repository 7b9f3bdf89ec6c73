//! Which animations are played: one take after the other.

use anyhow::{Result, bail, ensure};
use pliant_io::{Animation, Scene};

use super::Source;
use crate::pattern::{Pattern, nearest};
use crate::terminal::plain;

/// One way to play all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Take {
    /// The animation's name, or its number if it has none; empty if nothing is played.
    pub(crate) name: String,
    /// For each file the animation that it plays.
    pub(crate) animations: Vec<Option<usize>>,
}

/// The takes that the command line asks for, each `FILE@ANIMATION` or `ANIMATION`: a name, a number,
/// a pattern, or `all`. Without any there is one take, in which each file plays its first.
pub(super) fn takes(
    sources: &[Source],
    wanted: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<Take>> {
    let mut base: Vec<Option<usize>> = sources.iter().map(first).collect();
    let mut fixed = vec![false; sources.len()];
    let mut everywhere = Vec::new();
    for wanted in wanted {
        let Some((source, name)) = of_one_file(sources, wanted) else {
            everywhere.push(wanted.as_str());
            continue;
        };
        let chosen = chosen(&sources[source].scene, name);
        match chosen[..] {
            [one] => (base[source], fixed[source]) = (Some(one), true),
            [] => bail!(unknown(&sources[source..=source], name)),
            _ => bail!("--animation {wanted}: {} animations fit: name one", chosen.len()),
        }
    }
    if everywhere.is_empty() {
        note_others(sources, wanted.is_empty(), notes);
        return Ok(vec![Take { name: label_of(sources, &base), animations: base }]);
    }
    // For each file what it plays of what is wanted, with the names that takes go by.
    let played: Vec<Vec<(String, usize)>> = sources
        .iter()
        .zip(&fixed)
        .map(|(source, fixed)| {
            if *fixed {
                return Vec::new();
            }
            let numbers = everywhere.iter().flat_map(|name| chosen(&source.scene, name));
            let mut numbers: Vec<usize> = numbers.collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers.into_iter().map(|number| (label(&source.scene, number), number)).collect()
        })
        .collect();
    for wanted in &everywhere {
        let exists = |source: &Source| !chosen(&source.scene, wanted).is_empty();
        ensure!(sources.iter().any(exists), "{}", unknown(sources, wanted));
    }
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in played.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if let [only] = names[..] {
        for ((source, played), base) in sources.iter().zip(&played).zip(&base) {
            if let (true, Some(first)) = (played.is_empty(), base) {
                let first = plain(&source.scene.animations()[*first].name);
                let file = source.name();
                notes.push(format!(
                    "{file}: has no animation {only:?}; it plays its first, \"{first}\""
                ));
            }
        }
    }
    let take = |name: &str| Take {
        name: name.into(),
        animations: played
            .iter()
            .zip(&base)
            .map(|(played, base)| {
                let own = played.iter().find(|(own, _)| own == name);
                own.map(|&(_, number)| number).or(*base)
            })
            .collect(),
    };
    Ok(names.into_iter().map(take).collect())
}

fn first(source: &Source) -> Option<usize> {
    (!source.scene.animations().is_empty()).then_some(0)
}

/// The file that a `FILE@ANIMATION` names, if it names one of those given.
fn of_one_file<'a>(sources: &[Source], wanted: &'a str) -> Option<(usize, &'a str)> {
    let places = wanted.match_indices('@').map(|(at, _)| (&wanted[..at], &wanted[at + 1..]));
    places.into_iter().find_map(|(file, name)| {
        let named = |source: &Source| {
            source.file.as_os_str() == file
                || source.file.file_name().is_some_and(|name| name == file)
        };
        Some((sources.iter().position(named)?, name))
    })
}

/// The animations of a scene that a name, a number, a pattern or `all` means, ascending.
fn chosen(scene: &Scene, wanted: &str) -> Vec<usize> {
    let animations = scene.animations();
    let those = |fits: &dyn Fn(&Animation) -> bool| -> Vec<usize> {
        (0..animations.len()).filter(|&number| fits(&animations[number])).collect()
    };
    if let Some(number) = animations.iter().position(|one| one.name == wanted) {
        return vec![number];
    }
    let pattern = Pattern::new(wanted);
    let by_pattern = those(&|one| pattern.matches(&one.name));
    if !by_pattern.is_empty() {
        return by_pattern;
    }
    if wanted.eq_ignore_ascii_case("all") {
        return those(&|_| true);
    }
    wanted.parse().ok().filter(|&number: &usize| number < animations.len()).into_iter().collect()
}

/// What a take is called that plays an animation.
fn label(scene: &Scene, number: usize) -> String {
    let name = &scene.animations()[number].name;
    let same = scene.animations().iter().filter(|one| one.name == *name).count();
    if name.is_empty() || same > 1 {
        format!("{number} {name}").trim_end().into()
    } else {
        name.clone()
    }
}

fn label_of(sources: &[Source], animations: &[Option<usize>]) -> String {
    let mut played = sources.iter().zip(animations);
    let name = played.find_map(|(source, number)| Some(label(&source.scene, (*number)?)));
    name.unwrap_or_default()
}

/// Says that there are more animations than the first, where nobody chose.
fn note_others(sources: &[Source], nobody_chose: bool, notes: &mut Vec<String>) {
    let most = sources.iter().map(|source| source.scene.animations().len()).max().unwrap_or(0);
    if nobody_chose && most > 1 {
        notes.push(format!(
            "there are {most} animations, and only the first is played: --animation all plays all"
        ));
    }
}

/// That an animation is not there, and which are.
fn unknown(sources: &[Source], wanted: &str) -> String {
    let names = sources.iter().flat_map(|source| source.scene.animations());
    let near = nearest(wanted, names.map(|one| one.name.as_str()));
    let near = match near[..] {
        [] => String::new(),
        _ => {
            let near: Vec<String> =
                near.iter().map(|name| format!("\"{}\"", plain(name))).collect();
            format!(" (did you mean {}?)", near.join(" or "))
        }
    };
    let mut text = format!("there is no animation {wanted:?}{near}; known are:");
    for source in sources {
        let names = source.scene.animations().iter().enumerate();
        let names: Vec<String> =
            names.map(|(number, one)| format!("{number} \"{}\"", plain(&one.name))).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        text += &format!("\n  {}: {names}", source.name());
    }
    text
}
