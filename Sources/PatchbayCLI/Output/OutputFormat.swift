internal import ArgumentParser

/// How a command prints what it found; the word after `--format`.
enum OutputFormat: String, CaseIterable, Sendable {
    /// For people: aligned columns that fit the terminal.
    case table
    /// For programs: an object with `items` and what is known of the `answer` where a source can be asked; else an
    /// array of objects, or one object where a command prints one thing. Indented by two spaces.
    case json
    /// RFC 4180 with a header line; see ``CSVText`` for what it leaves open.
    case csv
    /// One JSON object a line.
    case ndjson
}

extension OutputFormat: ExpressibleByArgument {}
