import Foundation

/// A page of the documentation with blocks that tests generate: code after a line `<!-- block: NAME -->`.
public struct Article: Sendable {
    private static let writing = NSLock()
    private let file: URL

    /// - Parameter path: relative to the checkout's root.
    public init(_ path: String) { file = Checkout.root.appendingPathComponent(path) }

    /// Whether a block contains a text. With `PATCHBAY_UPDATE` in the environment, the block is replaced first.
    public func holds(_ text: String, as name: String) throws -> Bool {
        try Self.writing.withLock {
            let page = try String(contentsOf: file, encoding: .utf8)
            guard let start = page.range(of: "<!-- block: \(name) -->\n\n```text\n"),
                let end = page.range(of: "\n```\n", range: start.upperBound..<page.endIndex)
            else { return false }
            if ProcessInfo.processInfo.environment["PATCHBAY_UPDATE"] != nil {
                let updated = page.replacingCharacters(in: start.upperBound..<end.lowerBound, with: text)
                try Data(updated.utf8).write(to: file)
                return true
            }
            return page[start.upperBound..<end.lowerBound] == text
        }
    }
}
