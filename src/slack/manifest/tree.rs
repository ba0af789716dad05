//! A small tree that is written as JSON or as YAML, its keys in the order given.

use std::fmt::Write as _;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Number(u32),
    Flag(bool),
    List(Vec<Self>),
    Table(Vec<(&'static str, Self)>),
}

impl Node {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(super) fn texts(texts: &[&str]) -> Self {
        Self::List(texts.iter().map(|text| Self::text(text)).collect())
    }

    /// Makes a table of the entries that there are.
    pub(super) fn table(entries: impl IntoIterator<Item = Option<(&'static str, Self)>>) -> Self {
        Self::Table(entries.into_iter().flatten().collect())
    }

    pub(super) fn json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out, 0);
        out.push('\n');
        out
    }

    pub(super) fn yaml(&self) -> String {
        let mut out = String::new();
        self.write_yaml(&mut out, 0);
        out
    }

    /// Returns a value that has no parts. YAML reads strings as JSON writes them.
    fn scalar(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(serde_json::Value::from(text.as_str()).to_string()),
            Self::Number(number) => Some(number.to_string()),
            Self::Flag(flag) => Some(flag.to_string()),
            Self::List(list) if list.is_empty() => Some("[]".to_owned()),
            Self::Table(entries) if entries.is_empty() => Some("{}".to_owned()),
            Self::List(_) | Self::Table(_) => None,
        }
    }

    fn write_json(&self, out: &mut String, depth: usize) {
        if let Some(scalar) = self.scalar() {
            out.push_str(&scalar);
            return;
        }
        let (open, close, parts): (_, _, Vec<(Option<&str>, &Self)>) = match self {
            Self::Table(entries) => {
                let parts = entries.iter().map(|(key, value)| (Some(*key), value));
                ('{', '}', parts.collect())
            }
            Self::List(list) => ('[', ']', list.iter().map(|value| (None, value)).collect()),
            _ => return,
        };
        out.push(open);
        for (at, (key, value)) in parts.into_iter().enumerate() {
            out.push_str(if at == 0 { "\n" } else { ",\n" });
            out.push_str(&"  ".repeat(depth + 1));
            if let Some(key) = key {
                // Writing to a string cannot fail.
                let _ = write!(out, "\"{key}\": ");
            }
            value.write_json(out, depth + 1);
        }
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
        out.push(close);
    }

    fn write_yaml(&self, out: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        match self {
            Self::Table(entries) => {
                for (at, (key, value)) in entries.iter().enumerate() {
                    // The first entry stands behind the dash of its list, if it is in one.
                    if at > 0 || out.is_empty() || out.ends_with('\n') {
                        out.push_str(&indent);
                    }
                    out.push_str(key);
                    out.push(':');
                    value.write_yaml_after(out, depth);
                }
            }
            Self::List(list) => {
                for value in list {
                    let _ = write!(out, "{indent}- ");
                    match value.scalar() {
                        Some(scalar) => {
                            let _ = writeln!(out, "{scalar}");
                        }
                        None => value.write_yaml(out, depth + 1),
                    }
                }
            }
            _ => {}
        }
    }

    fn write_yaml_after(&self, out: &mut String, depth: usize) {
        if let Some(scalar) = self.scalar() {
            let _ = writeln!(out, " {scalar}");
        } else {
            out.push('\n');
            self.write_yaml(out, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_keep_the_order() {
        let item = Node::table([
            Some(("z", Node::text("a: \"b\""))),
            Some(("a", Node::Number(1))),
        ]);
        let tree = Node::table([
            Some(("list", Node::List(vec![item, Node::text("x")]))),
            None,
            Some(("none", Node::List(Vec::new()))),
            Some(("flag", Node::Flag(true))),
        ]);
        let yaml = "list:\n  - z: \"a: \\\"b\\\"\"\n    a: 1\n  - \"x\"\nnone: []\nflag: true\n";
        assert_eq!(tree.yaml(), yaml);
        let json = "{\n  \"list\": [\n    {\n      \"z\": \"a: \\\"b\\\"\",\n      \"a\": 1\n    },\n    \"x\"\n  ],\n  \
                    \"none\": [],\n  \"flag\": true\n}\n";
        assert_eq!(tree.json(), json);
    }
}
