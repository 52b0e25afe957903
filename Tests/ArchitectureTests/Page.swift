import Foundation
import TestSupport

/// A page of Markdown with its links and headings.
struct Page {
    let path: String
    let text: String

    init(_ path: String) throws {
        self.path = path
        text = try SourceTree.text(path)
    }

    /// Every page of the documentation.
    static func all() throws -> [Page] {
        let roots = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        let below = try SourceTree.paths(["Docs", "Plugins", "Sources", "Recordings", "Benchmarks"]).filter {
            $0.hasSuffix(".md") && !$0.contains("/.build")
        }
        return try (roots + below).map(Page.init)
    }

    /// The file and the heading of each link without a scheme: `(Docs/Errors.md, nil)`.
    var links: [(file: String, heading: String?)] {
        let targets = text.matches(of: /\]\(([^)\s]*)\)/).map(\.1).filter { !$0.contains(":") }
        return targets.map { target in
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
        }
    }

    /// The anchors of the headings, as GitHub forms them.
    var headings: Set<String> {
        var names: Set<String> = []
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            names.insert(
                String(
                    title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map {
                        $0 == " " ? "-" : $0
                    }))
        }
        return names
    }

    /// Returns what is wrong with a link, or nil when its target exists.
    func fault(in link: (file: String, heading: String?)) throws -> String? {
        let folder = Checkout.root.appendingPathComponent(path).deletingLastPathComponent()
        let file = link.file.isEmpty ? Checkout.path(path) : folder.appendingPathComponent(link.file).path
        guard FileManager.default.fileExists(atPath: file) else { return "\(path) links to \(link.file)" }
        guard let heading = link.heading else { return nil }
        let root = Checkout.root.standardizedFileURL.path + "/"
        let target = URL(fileURLWithPath: file).standardizedFileURL.path.replacingOccurrences(
            of: root, with: "")
        let isThere = try Page(target).headings.contains(heading)
        return isThere ? nil : "\(path) links to #\(heading) of \(target)"
    }
}
