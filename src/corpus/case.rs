//! What a case is: one past incident as its owners told it.

use std::{fmt, str::FromStr};

use super::{
    audience::Audience,
    lang::{Lang, Localized},
    vocabulary::{Facet, TermId},
};

/// The identifier of a case: capitals, a hyphen and digits (`IL-0493`). It is also the file's name and never reused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId(String);

impl CaseId {
    /// Returns the identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not a case id.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("a case id is capitals, a hyphen and digits, such as `IL-0493`")]
pub struct InvalidCaseId;

impl FromStr for CaseId {
    type Err = InvalidCaseId;

    /// Accepts lower case and surrounding space: people type `il-0493`.
    fn from_str(text: &str) -> Result<Self, InvalidCaseId> {
        let text = text.trim().to_ascii_uppercase();
        let (prefix, number) = text.split_once('-').ok_or(InvalidCaseId)?;
        let prefix_ok =
            (2..=8).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_uppercase());
        let number_ok =
            (1..=8).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        if prefix_ok && number_ok {
            Ok(Self(text))
        } else {
            Err(InvalidCaseId)
        }
    }
}

/// A day, a month or a year of the Gregorian calendar, as exact as the source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartialDate {
    /// Year.
    pub year: u16,
    /// Month, 1 to 12, if known.
    pub month: Option<u8>,
    /// Day of the month, if known; only with a month.
    pub day: Option<u8>,
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

/// A text that is not a date.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("a date is `2021-03-25`, `2021-03` or `2021`, and must exist in the calendar")]
pub struct InvalidDate;

impl FromStr for PartialDate {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let mut parts = text.split('-');
        let mut number = |width: usize| -> Result<Option<u16>, InvalidDate> {
            parts
                .next()
                .map(|part| {
                    (part.len() == width && part.bytes().all(|b| b.is_ascii_digit()))
                        .then(|| part.parse().ok())
                        .flatten()
                        .ok_or(InvalidDate)
                })
                .transpose()
        };
        let year = number(4)?.ok_or(InvalidDate)?;
        let month = number(2)?.and_then(|month| u8::try_from(month).ok());
        let day = number(2)?.and_then(|day| u8::try_from(day).ok());
        if parts.next().is_some()
            || !(1950..=2100).contains(&year)
            || month.is_some_and(|month| !(1..=12).contains(&month))
        {
            return Err(InvalidDate);
        }
        if let (Some(month), Some(day)) = (month, day) {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = match month {
                2 if leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            if !(1..=days).contains(&day) {
                return Err(InvalidDate);
            }
        }
        Ok(Self { year, month, day })
    }
}

/// A length of time as incident reports give it: whole minutes, exact or approximate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ElapsedTime {
    /// Length in minutes.
    pub minutes: u32,
    /// Whether the source itself says "about".
    pub approximate: bool,
}

impl fmt::Display for ElapsedTime {
    /// Shown as the seeds show it: `0m`, `4h 7m`, `70h 34m`; hours are never folded into days.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.approximate {
            f.write_str("~")?;
        }
        match (self.minutes / 60, self.minutes % 60) {
            (0, minutes) => write!(f, "{minutes}m"),
            (hours, 0) => write!(f, "{hours}h"),
            (hours, minutes) => write!(f, "{hours}h {minutes}m"),
        }
    }
}

/// A text that is not a length of time.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "a length of time is `35m`, `4h`, `4h 7m` or `70h 34m`, with a leading `~` where the source says \"about\""
)]
pub struct InvalidElapsedTime;

impl FromStr for ElapsedTime {
    type Err = InvalidElapsedTime;

    fn from_str(text: &str) -> Result<Self, InvalidElapsedTime> {
        let (approximate, exact) = text
            .strip_prefix('~')
            .map_or((false, text), |rest| (true, rest));
        let number = |part: &str, unit: char| -> Result<u32, InvalidElapsedTime> {
            let digits = part.strip_suffix(unit).ok_or(InvalidElapsedTime)?;
            if digits.len() > 5 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(InvalidElapsedTime);
            }
            digits.parse().map_err(|_| InvalidElapsedTime)
        };
        let minutes = match exact.split_once(' ') {
            Some((hours, minutes)) => {
                let minutes = number(minutes, 'm')?;
                if minutes >= 60 {
                    return Err(InvalidElapsedTime);
                }
                number(hours, 'h')? * 60 + minutes
            }
            None if exact.ends_with('h') => number(exact, 'h')? * 60,
            None => number(exact, 'm')?,
        };
        Ok(Self {
            minutes,
            approximate,
        })
    }
}

macro_rules! closed_list {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $slug:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// All values, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the value's name in files and in JSON.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug),+ }
            }

            /// Finds a value by its name.
            pub fn from_slug(slug: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.slug() == slug)
            }
        }
    };
}

closed_list! {
    /// Whether a case is shown.
    Status {
        /// Being written; checked by `lint`, never an answer.
        Draft = "draft",
        /// Shown.
        Published = "published",
        /// Kept for its id, never an answer.
        Withdrawn = "withdrawn",
    }
}

closed_list! {
    /// How grave the owners themselves graded the incident.
    Severity {
        /// The gravest.
        Sev1 = "sev1",
        /// Grave.
        Sev2 = "sev2",
        /// Moderate.
        Sev3 = "sev3",
        /// Slight.
        Sev4 = "sev4",
    }
}

closed_list! {
    /// What a responders' action did to the impact, where the source shows it.
    Outcome {
        /// It ended the impact.
        Resolved = "resolved",
        /// It eased the impact.
        Mitigated = "mitigated",
        /// It changed nothing.
        NoEffect = "no-effect",
        /// It made things worse.
        Worsened = "worsened",
    }
}

closed_list! {
    /// How far a follow-up had come when the source was written.
    FollowUpState {
        /// Finished.
        Done = "done",
        /// Begun.
        InProgress = "in-progress",
        /// Promised.
        Planned = "planned",
    }
}

closed_list! {
    /// What kind of text a source is.
    SourceKind {
        /// The provider's status page or its archive.
        OfficialStatus = "official-status",
        /// The owners' review after the fact.
        Postmortem = "postmortem",
        /// The owners' report, short or still preliminary.
        IncidentReport = "incident-report",
        /// A post on the owners' or an engineer's own blog.
        Blog = "blog",
        /// A talk by somebody who was there.
        Talk = "talk",
        /// An issue or change request in a repository.
        Issue = "issue",
        /// Press with first-hand statements.
        News = "news",
        /// A forum post by the owners.
        Forum = "forum",
        /// A regulator's or authority's report.
        RegulatorReport = "regulator-report",
    }
}

/// Something the responders did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// When, with its zone, as the source gives it (`18:46 UTC`).
    pub at: Option<String>,
    /// What it did to the impact.
    pub outcome: Option<Outcome>,
    /// What was done.
    pub text: Localized,
}

/// Something the owners promised or did afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// How far it had come.
    pub state: Option<FollowUpState>,
    /// What.
    pub text: Localized,
}

/// A text that the case's facts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Address, https only.
    pub url: String,
    /// The page's own title.
    pub title: Option<String>,
    /// What kind of text it is.
    pub kind: SourceKind,
    /// An archived copy.
    pub archived: Option<String>,
    /// The day on which a writer of ours read it.
    pub checked: Option<PartialDate>,
}

/// Further reading that the source names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Address, https only.
    pub url: String,
    /// What it is.
    pub title: String,
}

/// One past incident. A field that the source does not give is `None` or empty, and is shown as `–`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Identifier.
    pub id: CaseId,
    /// Whether it comes from the operator's own folder; the bundled ones are public.
    pub own: bool,
    /// Who may see it.
    pub audience: Audience,
    /// Who it happened to.
    pub organisation: String,
    /// When the impact began.
    pub date: Option<PartialDate>,
    /// Whether it is shown.
    pub status: Status,
    /// The case that replaces this one.
    pub superseded_by: Option<CaseId>,
    /// For editors; never shown.
    pub notes: Option<String>,
    /// The owners' own grade.
    pub severity: Option<Severity>,
    /// From the start of the impact to its being noticed.
    pub time_to_detect: Option<ElapsedTime>,
    /// From the start of the impact to its end.
    pub time_to_recover: Option<ElapsedTime>,
    /// Regions as the provider names them.
    pub regions: Vec<String>,
    /// Tags, by slug.
    pub tags: Vec<String>,
    /// Causes, one or two.
    pub causes: Vec<TermId>,
    /// Components involved, most central first.
    pub components: Vec<TermId>,
    /// Symptoms seen in the first minutes.
    pub symptoms: Vec<TermId>,
    /// Factors that the source itself blames.
    pub factors: Vec<TermId>,
    /// Error strings and identifiers, verbatim.
    pub signals: Vec<String>,
    /// One line: mechanism and impact.
    pub title: Localized,
    /// What did not work, for whom.
    pub impact_scope: Option<Localized>,
    /// Who was affected, how many.
    pub affected_users: Option<Localized>,
    /// The story in a few paragraphs.
    pub summary: Localized,
    /// What was seen, without the cause found later.
    pub symptoms_seen: Localized,
    /// What set it off.
    pub trigger: Option<Localized>,
    /// The mechanism.
    pub cause: Localized,
    /// How it was noticed.
    pub detection: Option<Localized>,
    /// What responders did, in order.
    pub actions: Vec<Action>,
    /// What the owners promised.
    pub follow_ups: Vec<FollowUp>,
    /// What the owners learned.
    pub lessons: Vec<Localized>,
    /// Where the facts come from.
    pub sources: Vec<Source>,
    /// Further reading.
    pub references: Vec<Reference>,
}

impl Case {
    /// Returns the case's terms of one facet.
    pub fn terms(&self, facet: Facet) -> &[TermId] {
        match facet {
            Facet::Cause => &self.causes,
            Facet::Component => &self.components,
            Facet::Symptom => &self.symptoms,
            Facet::Factor => &self.factors,
        }
    }

    /// Iterates over the case's terms of all facets.
    pub fn all_terms(&self) -> impl Iterator<Item = TermId> {
        Facet::ALL
            .iter()
            .flat_map(|facet| self.terms(*facet))
            .copied()
    }

    /// Returns the case with its texts in one language only.
    #[must_use]
    pub fn only(&self, lang: Lang) -> Self {
        let text = |text: &Localized| text.only(lang);
        let optional = |optional: &Option<Localized>| optional.as_ref().map(text);
        Self {
            title: text(&self.title),
            impact_scope: optional(&self.impact_scope),
            affected_users: optional(&self.affected_users),
            summary: text(&self.summary),
            symptoms_seen: text(&self.symptoms_seen),
            trigger: optional(&self.trigger),
            cause: text(&self.cause),
            detection: optional(&self.detection),
            actions: self
                .actions
                .iter()
                .map(|action| Action {
                    text: text(&action.text),
                    ..action.clone()
                })
                .collect(),
            follow_ups: self
                .follow_ups
                .iter()
                .map(|follow_up| FollowUp {
                    text: text(&follow_up.text),
                    ..follow_up.clone()
                })
                .collect(),
            lessons: self.lessons.iter().map(text).collect(),
            ..self.clone()
        }
    }

    /// Returns whether the case is for everybody: neither withdrawn nor limited to an audience.
    pub fn is_published(&self) -> bool {
        self.is_live() && self.audience == Audience::Everyone
    }

    /// Returns whether the case may be an answer to those who belong to its audience.
    pub fn is_live(&self) -> bool {
        self.status == Status::Published
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_ids_are_read_as_people_type_them() {
        assert_eq!(
            " il-0493 ".parse::<CaseId>().map(|id| id.to_string()),
            Ok("IL-0493".to_owned())
        );
        for bad in [
            "0493",
            "IL0493",
            "IL-",
            "IL-12a",
            "I-1",
            "ÄÖ-1",
            "IL-123456789",
        ] {
            assert_eq!(bad.parse::<CaseId>(), Err(InvalidCaseId), "{bad}");
        }
    }

    #[test]
    fn dates_are_as_exact_as_the_source_and_exist() {
        for good in ["2021", "2021-03", "2021-03-25", "2024-02-29"] {
            assert_eq!(
                good.parse::<PartialDate>().map(|date| date.to_string()),
                Ok(good.to_owned())
            );
        }
        for bad in [
            "",
            "21",
            "2021-3",
            "2021-13",
            "2021-02-29",
            "2021-03-25-1",
            "2021-03-",
            "+021",
        ] {
            assert_eq!(bad.parse::<PartialDate>(), Err(InvalidDate), "{bad}");
        }
    }

    #[test]
    fn lengths_of_time_keep_their_form() {
        for good in ["0m", "35m", "4h", "4h 7m", "70h 34m", "~2h"] {
            assert_eq!(
                good.parse::<ElapsedTime>().map(|time| time.to_string()),
                Ok(good.to_owned())
            );
        }
        for bad in ["", "h", "4", "4h7m", "4h 60m", "7m 4h", "1d", "999999m"] {
            assert_eq!(bad.parse::<ElapsedTime>(), Err(InvalidElapsedTime), "{bad}");
        }
    }
}
