//! Where JSON values end: the one pass over bytes that raw objects need.
//!
//! The fields of the object at hand are read by JSON's grammar; of what is skipped only strings and brackets are looked
//! at. What is written is parsed in full before it leaves the engine.

/// Where a value begins and ends in its text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

/// A position in a text.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Scanner::at(text, 0)
    }

    /// A scanner at a place in a text.
    pub(crate) fn at(text: &'a str, at: usize) -> Self {
        Scanner { text, at }
    }

    /// How far it is.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// What stands in a part of the text.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.begin..span.end).unwrap_or_default()
    }

    /// The fields of the object that begins here; `None` where there is none. `read` is handed each key with its quotes,
    /// and a scanner that stands at the value, which it leaves behind the value.
    pub(crate) fn object(&mut self, mut read: impl FnMut(Span, &mut Self) -> Option<()>) -> Option<()> {
        self.open(b'{')?;
        if self.close(b'}') {
            return Some(());
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            self.expect(b':')?;
            self.space();
            read(key, self)?;
            self.space();
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// The elements of the list that begins here; `None` where there is none. `read` is handed a scanner that stands at
    /// each of them, and leaves it behind the element.
    pub(crate) fn list(&mut self, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.open(b'[')?;
        if self.close(b']') {
            return Some(());
        }
        loop {
            self.space();
            read(self)?;
            self.space();
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// The value that begins here, skipped over.
    pub(crate) fn value(&mut self) -> Option<Span> {
        let start = self.at;
        match self.peek()? {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => self.nested()?,
            _ => {
                let rest = self.text.as_bytes().get(start..)?;
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
            }
        }
        (self.at > start).then_some(Span { begin: start, end: self.at })
    }

    /// Whether nothing but white space is left.
    pub(crate) fn is_done(&mut self) -> bool {
        self.space();
        self.at == self.text.len()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn nested(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let mut depth = 0_usize;
        loop {
            let byte = *bytes.get(at)?;
            at += 1;
            match byte {
                b'"' => at = end_of_string(bytes, at)?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at;
                        return Some(());
                    }
                }
                _ => {}
            }
        }
    }

    /// The string that begins here, quotes included.
    fn string(&mut self) -> Option<Span> {
        let begin = self.at;
        self.expect(b'"')?;
        self.at = end_of_string(self.text.as_bytes(), self.at)?;
        Some(Span { begin, end: self.at })
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        self.space();
        self.expect(bracket)
    }

    fn close(&mut self, bracket: u8) -> bool {
        self.space();
        self.expect(bracket).is_some()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Index behind the quote that ends the string whose inside begins at `at`. Eight bytes at a time.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // A byte that is zero borrows from its high bit: the lowest such bit is exact.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    loop {
        while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*word);
            let found = zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
            at += (found.trailing_zeros() / 8) as usize;
            if found != 0 {
                break;
            }
        }
        let special = bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        at += special + 1;
        if bytes.get(at - 1) == Some(&b'"') {
            return Some(at);
        }
        // What follows a backslash is part of it.
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Option<Vec<(&str, &str)>> {
        let mut fields = Vec::new();
        let mut scanner = Scanner::new(text);
        scanner.object(|key, scanner| {
            let value = scanner.value()?;
            fields.push((scanner.slice(key), scanner.slice(value)));
            Some(())
        })?;
        scanner.is_done().then_some(fields)
    }

    fn elements(text: &str) -> Option<Vec<&str>> {
        let mut elements = Vec::new();
        Scanner::new(text).list(|scanner| {
            let value = scanner.value()?;
            elements.push(scanner.slice(value));
            Some(())
        })?;
        Some(elements)
    }

    #[test]
    fn fields_end_where_their_values_end() {
        let text = "{ \"a\" : {\"x\":[1,\"}\"]} ,\n\"b\\\"\":\"\\\\\",\"c\":-1.5e3 , \"d\":[],\"long long key\":\"long \\\" value]\"}";
        assert_eq!(
            fields(text).unwrap(),
            [
                ("\"a\"", "{\"x\":[1,\"}\"]}"),
                ("\"b\\\"\"", "\"\\\\\""),
                ("\"c\"", "-1.5e3"),
                ("\"d\"", "[]"),
                ("\"long long key\"", "\"long \\\" value]\""),
            ]
        );
        assert_eq!(fields(" {} "), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_object_is_none() {
        for text in [
            "",
            "[]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1,}",
            "{\"a\":1} x",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":\"",
            "{\"a\":{]",
            "{\"a\":1 2}",
        ] {
            assert_eq!(fields(text), None, "{text}");
        }
    }

    #[test]
    fn elements_are_told_apart() {
        assert_eq!(elements("[1, \"a,b\" ,[2,3],{}]").unwrap(), ["1", "\"a,b\"", "[2,3]", "{}"]);
        assert_eq!(elements(" [ ] ").unwrap(), Vec::<&str>::new());
        for text in ["{}", "[1", "[1,]", "[1 2]"] {
            assert_eq!(elements(text), None, "{text}");
        }
    }

    #[test]
    fn strings_end_at_every_offset() {
        for length in 0..40 {
            for (inside, after) in [("", ""), ("\\\"", ""), ("\\\\", "\"\\"), ("\\u00e9", "}]")] {
                let text = format!("{}{inside}\"{after}", "a\u{e9}".repeat(length));
                assert_eq!(end_of_string(text.as_bytes(), 0), Some(text.len() - after.len()), "{text}");
                assert_eq!(end_of_string(text.trim_end_matches(after).trim_end_matches('"').as_bytes(), 0), None);
            }
        }
    }
}
