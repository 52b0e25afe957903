import PatchbayCore

/// The faults of a definition, collected while it is read.
struct DefinitionFaults {
    typealias Entry = ConfigurationFile.Entry

    let path: String
    private var found: [(line: Int, error: PatchbayError)] = []

    init(path: String) { self.path = path }

    var isEmpty: Bool { found.isEmpty }

    /// In the order of their lines.
    var errors: [PatchbayError] { found.ordered { [$0.line] }.map(\.error) }

    mutating func add(_ entry: Entry, _ problem: String) {
        add(line: entry.line, "\(entry.key): \(problem)")
    }

    mutating func add(line: Int, _ message: String) {
        found.append(
            (line, PatchbayError(.invalidConfiguration, message, [.at(.file(path: path, line: line))])))
    }
}

/// Why a value is not valid, and the valid form.
package struct DefinitionFault: Error {
    package let problem: String

    init(_ problem: String) { self.problem = problem }
}
