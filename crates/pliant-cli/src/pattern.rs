//! Names as people write them: `*` and `?`, in any case, and what they may have meant.

use std::str::FromStr;

/// A name in which `*` stands for any text and `?` for any one character. Case does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<char>);

impl Pattern {
    /// A pattern from what the command line says.
    pub(crate) fn new(text: &str) -> Self {
        Self(lower(text))
    }

    /// Whether a whole name fits. Takes at most as many steps as both lengths multiplied.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let name = lower(name);
        let (mut at, mut in_name) = (0, 0);
        // The last star, and how far it reaches in the name.
        let mut star: Option<(usize, usize)> = None;
        while in_name < name.len() {
            match self.0.get(at) {
                Some('*') => {
                    star = Some((at, in_name));
                    at += 1;
                }
                Some(&c) if c == '?' || c == name[in_name] => {
                    at += 1;
                    in_name += 1;
                }
                _ => {
                    let Some((place, reach)) = star else { return false };
                    star = Some((place, reach + 1));
                    (at, in_name) = (place + 1, reach + 1);
                }
            }
        }
        self.0[at..].iter().all(|&c| c == '*')
    }
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Two names with a colon between them: a pair of objects, in either order. One name alone means a
/// pair with anything.
///
/// Names may have colons themselves: a pair fits if it fits at any of the colons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairPattern {
    text: String,
    sides: Vec<[Pattern; 2]>,
}

impl FromStr for PairPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("write A:B, two names of objects; * stands for any text".into());
        }
        let pair = |a: &str, b: &str| [Pattern::new(a), Pattern::new(b)];
        let mut sides: Vec<[Pattern; 2]> =
            text.match_indices(':').map(|(at, _)| pair(&text[..at], &text[at + 1..])).collect();
        if sides.is_empty() {
            sides.push(pair(text, "*"));
        }
        Ok(Self { text: text.into(), sides })
    }
}

impl PairPattern {
    /// Whether two objects are such a pair.
    pub(crate) fn matches(&self, names: [&str; 2]) -> bool {
        let [a, b] = names;
        let fits = |[first, second]: &[Pattern; 2]| {
            (first.matches(a) && second.matches(b)) || (first.matches(b) && second.matches(a))
        };
        self.sides.iter().any(fits)
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// The names most like one that nobody has, the most likely first; at most three.
pub(crate) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: String = lower(wanted).into_iter().collect();
    let mut near: Vec<(usize, &str)> = known
        .map(|name| {
            let name_lower: String = lower(name).into_iter().collect();
            let distance = strsim::damerau_levenshtein(&wanted, &name_lower);
            let contained = !wanted.is_empty() && name_lower.contains(&wanted);
            (if contained { 0 } else { distance }, name)
        })
        .filter(|&(distance, name)| distance <= 1 + name.chars().count() / 3)
        .collect();
    near.sort();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in [
            ("run", "Run"),
            ("*", ""),
            ("*", "anything"),
            ("r*n", "rain on"),
            ("r?n", "RUN"),
            ("*sword*", "2H_Sword_Offhand"),
            ("a*b*c", "a_b_b_c"),
            ("äh*", "Ähre"),
        ] {
            assert!(Pattern::new(pattern).matches(name), "{pattern} {name}");
        }
        for (pattern, name) in [("run", "running"), ("r?n", "rn"), ("a*b", "abc"), ("", "a")] {
            assert!(!Pattern::new(pattern).matches(name), "{pattern} {name}");
        }
        // Not exponential.
        let stars = "*a".repeat(40);
        assert!(!Pattern::new(&stars).matches(&("a".repeat(39) + "b")));
    }

    #[test]
    fn pairs_have_no_order_and_names_may_have_colons() {
        let pair =
            |text: &str, a: &str, b: &str| text.parse::<PairPattern>().unwrap().matches([a, b]);
        assert!(pair("sword:shield*", "shield_round", "Sword"));
        assert!(!pair("sword:shield*", "sword", "sword"));
        assert!(pair("sword", "sword", "anything") && pair("sword", "x", "sword"));
        assert!(pair("rig:hand:rig:sword", "rig:sword", "rig:hand"));
        assert!(!pair("a:b", "a", "c"));
        assert!("".parse::<PairPattern>().is_err());
    }

    #[test]
    fn names_that_were_meant() {
        let known = ["Idle", "Walking_A", "Running_A", "Running_B"];
        assert_eq!(nearest("idel", known.into_iter()), ["Idle"]);
        assert_eq!(nearest("running", known.into_iter()), ["Running_A", "Running_B"]);
        assert!(nearest("zzz", known.into_iter()).is_empty());
    }
}
