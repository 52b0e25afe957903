import Foundation
import TestSupport

/// The files of the checkout from which this test was built.
struct SourceTree {
    struct File {
        /// The path from the root: `Sources/PatchbayCore/Rows/Row.swift`.
        let path: String
        let lines: [String]

        /// The module of the file, which is the folder below `Sources` or `Plugins`.
        var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

        var imports: [String] {
            lines.compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
                    words[..<keyword].allSatisfy({ importWords.contains($0) })
                else { return nil }
                return words[keyword + 1]
            }
        }

        private var importWords: Set<String> {
            [
                "public", "internal", "package", "private", "fileprivate", "@preconcurrency", "@testable",
                "@_exported",
            ]
        }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns all Swift files below some folders, ordered by path.
    static func swiftFiles(_ folders: String...) throws -> [File] {
        try paths(folders).filter { $0.hasSuffix(".swift") }.map { path in
            File(
                path: path,
                lines: try text(path).split(separator: "\n", omittingEmptySubsequences: false).map(
                    String.init))
        }
    }

    static func paths(_ folders: [String]) throws -> [String] {
        try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(
                atPath: Checkout.root.appendingPathComponent(folder).path
            )
            .map { folder + "/" + $0 }
        }.sorted()
    }
}
