//! The elements of a JSON list, one at a time: only one is in memory, and a broken one takes no other away.

use std::io::{self, BufRead};

/// Longest element that is read, in bytes. Slack's messages stay far below.
pub const ELEMENT_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// What is wrong with a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("is no JSON list; the file is left out")]
    NoList,
    #[error("is cut off; what stands before is taken")]
    CutOff { line: u64 },
    #[error("an entry is longer than {} MiB; it is left out", ELEMENT_LIMIT_BYTES / 1024 / 1024)]
    TooLong { line: u64 },
    #[error("something stands after the end of the list; it is left out")]
    After { line: u64 },
}

impl Problem {
    pub(super) const fn line(self) -> Option<u64> {
        match self {
            Self::NoList => None,
            Self::CutOff { line } | Self::TooLong { line } | Self::After { line } => Some(line),
        }
    }
}

/// An element with the line where it begins, or what is wrong.
pub(super) type Element<'e> = Result<(u64, &'e [u8]), Problem>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The list has not begun.
    Before,
    /// Between elements.
    Between,
    /// In an object or list so deep.
    Inside(usize),
    /// In a number, a word, or whatever it is.
    Bare,
    /// The list has ended.
    After,
}

struct Splitter {
    state: State,
    in_string: bool,
    escaped: bool,
    line: u64,
    /// Bytes since the line began, while there were only spaces.
    indent: Option<usize>,
    /// The indentation of elements, when each begins on a line of its own.
    element_indent: Option<usize>,
    /// Line where the element began.
    began: u64,
    element: Vec<u8>,
    too_long: bool,
}

/// Calls `take` for each element of the list, until that returns `false`.
pub(super) fn split(
    mut reader: impl BufRead,
    take: &mut dyn FnMut(Element<'_>) -> bool,
) -> io::Result<()> {
    let mut splitter = Splitter {
        state: State::Before,
        in_string: false,
        escaped: false,
        line: 1,
        indent: Some(0),
        element_indent: None,
        began: 1,
        element: Vec::new(),
        too_long: false,
    };
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            splitter.finish(take);
            return Ok(());
        }
        let length = buffer.len();
        for byte in buffer {
            if !splitter.push(*byte, take) {
                return Ok(());
            }
        }
        reader.consume(length);
    }
}

impl Splitter {
    /// Takes a byte; `false` ends the reading.
    fn push(&mut self, byte: u8, take: &mut dyn FnMut(Element<'_>) -> bool) -> bool {
        let go_on = self.step(byte, take);
        match byte {
            b'\n' => {
                self.line += 1;
                self.indent = Some(0);
                // No string goes over a line: one that seems to is broken, and must not hide what follows.
                self.in_string = false;
                self.escaped = false;
            }
            b' ' | b'\t' => self.indent = self.indent.map(|indent| indent + 1),
            _ => self.indent = None,
        }
        go_on
    }

    fn step(&mut self, byte: u8, take: &mut dyn FnMut(Element<'_>) -> bool) -> bool {
        match self.state {
            State::Before => match byte {
                b'[' => self.state = State::Between,
                // Also a byte order mark.
                b' ' | b'\t' | b'\n' | b'\r' | 0xEF | 0xBB | 0xBF => {}
                _ => {
                    take(Err(Problem::NoList));
                    return false;
                }
            },
            State::Between => match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' => {}
                b']' => self.state = State::After,
                _ => self.begin(byte),
            },
            State::Inside(depth) => return self.inside(byte, depth, take),
            State::Bare => match byte {
                b',' | b']' | b'\n' => {
                    let go_on = self.end(take);
                    if byte == b']' {
                        self.state = State::After;
                    }
                    return go_on;
                }
                _ => self.keep(byte),
            },
            State::After => {
                if !byte.is_ascii_whitespace() {
                    take(Err(Problem::After { line: self.line }));
                    return false;
                }
            }
        }
        true
    }

    fn inside(
        &mut self,
        byte: u8,
        depth: usize,
        take: &mut dyn FnMut(Element<'_>) -> bool,
    ) -> bool {
        if self.in_string {
            self.keep(byte);
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_string = false;
            }
            return true;
        }
        let is_aligned = self.indent.is_some_and(|indent| indent > 0)
            && self.indent == self.element_indent
            && byte == b'{';
        if is_aligned {
            // In files written with indentation nothing within an element stands where elements begin: the one before
            // has lost a bracket.
            let go_on = self.end(take);
            self.begin(byte);
            return go_on;
        }
        self.keep(byte);
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.state = State::Inside(depth + 1),
            b'}' | b']' if depth == 1 => return self.end(take),
            b'}' | b']' => self.state = State::Inside(depth - 1),
            _ => {}
        }
        true
    }

    fn begin(&mut self, byte: u8) {
        self.began = self.line;
        if matches!(byte, b'{' | b'[') {
            self.element_indent = self.element_indent.or(self.indent);
            self.state = State::Inside(1);
        } else {
            self.state = State::Bare;
        }
        self.keep(byte);
    }

    fn keep(&mut self, byte: u8) {
        if self.element.len() < ELEMENT_LIMIT_BYTES {
            self.element.push(byte);
        } else {
            self.too_long = true;
        }
    }

    fn end(&mut self, take: &mut dyn FnMut(Element<'_>) -> bool) -> bool {
        self.state = State::Between;
        let go_on = if self.too_long {
            take(Err(Problem::TooLong { line: self.began }))
        } else {
            take(Ok((self.began, &self.element)))
        };
        self.element.clear();
        // One long element must not keep its room.
        self.element.shrink_to(64 * 1024);
        self.too_long = false;
        self.in_string = false;
        self.escaped = false;
        go_on
    }

    fn finish(&mut self, take: &mut dyn FnMut(Element<'_>) -> bool) {
        match self.state {
            State::After => {}
            State::Before => {
                take(Err(Problem::NoList));
            }
            State::Between => {
                take(Err(Problem::CutOff { line: self.line }));
            }
            State::Inside(_) | State::Bare => {
                take(Err(Problem::CutOff { line: self.began }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8], buffer: usize) -> (Vec<(u64, String)>, Vec<Problem>) {
        let (mut elements, mut problems) = (Vec::new(), Vec::new());
        split(BufReader::with_capacity(buffer, text), &mut |element| {
            match element {
                Ok((line, bytes)) => {
                    elements.push((line, String::from_utf8_lossy(bytes).into_owned()));
                }
                Err(problem) => problems.push(problem),
            }
            true
        })
        .expect("memory can be read");
        (elements, problems)
    }

    fn check(text: &str, elements: &[(u64, &str)], problems: &[Problem]) {
        let (found, wrong) = read(text.as_bytes(), 3);
        let found: Vec<(u64, &str)> = found
            .iter()
            .map(|(line, element)| (*line, element.as_str()))
            .collect();
        assert_eq!(
            (found.as_slice(), wrong.as_slice()),
            (elements, problems),
            "{text}"
        );
    }

    #[test]
    fn lists_are_split() {
        check("[]", &[], &[]);
        check("\u{feff} [ ]\n", &[], &[]);
        check(
            r#"[{"a":[1,{"b":"]}"}]},5,"x",{"c":"\"{"}]"#,
            &[
                (1, r#"{"a":[1,{"b":"]}"}]}"#),
                (1, "5"),
                (1, "\"x\""),
                (1, r#"{"c":"\"{"}"#),
            ],
            &[],
        );
    }

    #[test]
    fn what_is_broken_takes_nothing_else_away() {
        let cut = "[\n    {\"a\": 1},\n    {\"b\": [2";
        check(cut, &[(2, "{\"a\": 1}")], &[Problem::CutOff { line: 3 }]);
        check("[{}", &[(1, "{}")], &[Problem::CutOff { line: 1 }]);
        check("{\"ok\": false}", &[], &[Problem::NoList]);
        check("", &[], &[Problem::NoList]);
        check("[{}]x", &[(1, "{}")], &[Problem::After { line: 1 }]);
        // A bracket is missing, then a quotation mark.
        let lost = "[\n    {\n        \"a\": {\"x\": 1,\n        \"t\": 2\n    },\n    {\n        \"b\": \"oops\n    },\n    {\n        \"c\": 3\n    }\n]";
        let (elements, problems) = read(lost.as_bytes(), 7);
        let lines: Vec<u64> = elements.iter().map(|(line, _)| *line).collect();
        assert_eq!((lines, problems.len()), (vec![2, 6, 9], 0));
        assert_eq!(elements[2].1, "{\n        \"c\": 3\n    }");
    }

    #[test]
    fn nothing_grows_without_bounds() {
        let mut text = b"[{\"a\": \"".to_vec();
        text.resize(ELEMENT_LIMIT_BYTES + 100, b'x');
        text.extend_from_slice(b"\"},\n{\"b\": 1}]");
        let (elements, problems) = read(&text, 8192);
        assert_eq!(problems, [Problem::TooLong { line: 1 }]);
        assert_eq!(elements, [(2, "{\"b\": 1}".to_owned())]);
    }

    proptest! {
        #[test]
        fn any_list_comes_back(values in prop::collection::vec("\\PC{0,20}", 0..8), pretty: bool) {
            let list: Vec<_> = values
                .iter()
                .map(|text| serde_json::json!({"text": text, "nested": [{"x": text}]}))
                .collect();
            let text = if pretty {
                serde_json::to_string_pretty(&list)
            } else {
                serde_json::to_string(&list)
            };
            let text = text.expect("values are JSON");
            let (elements, problems) = read(text.as_bytes(), 5);
            prop_assert!(problems.is_empty());
            let again: Vec<serde_json::Value> = elements
                .iter()
                .map(|(_, element)| serde_json::from_str(element).expect("an element"))
                .collect();
            prop_assert_eq!(again, list);
        }

        #[test]
        fn no_bytes_break_it(bytes: Vec<u8>) {
            read(&bytes, 4);
        }
    }
}
