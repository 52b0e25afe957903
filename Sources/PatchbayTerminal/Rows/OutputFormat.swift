/// The output format of a command: the value of `--format`.
package enum OutputFormat: String, CaseIterable, Sendable {
    /// For people: aligned columns that fit the terminal.
    case table
    /// For programs: an object with `items` and the status of the `answer` if the command may query a source; else an
    /// array of objects, or one object if the command prints a single thing. Indented by two spaces.
    case json
    /// RFC 4180 with a header line; ``CSVText`` lists the details.
    case csv
    /// One JSON object per line.
    case jsonl
}
