import PatchbayCore

/// Where the keys of a resource are in its definition, so that messages can name the line to correct.
package struct DefinitionLines: Hashable, Sendable {
    /// The name of the file, without its folder.
    private let file: String
    private let first: Int
    /// By key without the resource's name: `next`.
    private let lines: [String: Int]

    init(path: String, first: Int, lines: [String: Int]) {
        file = path.split(separator: "/").last.map(String.init) ?? path
        self.first = first
        self.lines = lines
    }

    /// The line with a key, or else the line to which it would be added: `github.conf:12`.
    package func place(of key: String) -> String { "\(file):\(lines[key] ?? lines["path"] ?? first)" }
}

extension Shortfall {
    /// The same with the line of the definition that would settle it, and with the address of the answer, if known.
    package func located(in declaration: ResourceDeclaration, at address: String? = nil) -> Shortfall {
        let key = kind == .keys ? "key" : "next"
        let places = [
            declaration.lines.map { "at: \($0.place(of: key))" }, address.map { "url: \($0)" },
        ].compactMap(\.self)
        return places.isEmpty ? self : Shortfall(kind, "\(reason) (\(places.joined(separator: ", ")))")
    }
}

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
