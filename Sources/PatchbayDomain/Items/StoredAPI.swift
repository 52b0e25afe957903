package import PatchbayCore

/// The server that the rows of an API come from.
///
/// It is saved with the first row of the API. Because ids of different servers clash, another server with the same word
/// is refused from then on. Other APIs have other words and so other collections.
package struct StoredAPI: Hashable, Sendable {
    /// ``Source/word``: the prefix of the API's collections.
    package var word: String
    /// ``Source/server``; nil for the API's usual one.
    package var server: String?

    package init(_ word: String, server: String? = nil) {
        self.word = word
        self.server = server
    }

    package var key: Key { .text(word) }
}

extension StoredAPI: StoredRecord {
    static let word = RowColumn<String>(0, "word")
    static let server = RowColumn<String?>(1, "server")

    package static let collection = CollectionSchema(
        "apis", key: word.position, fields: [word.field, server.field])

    package init(_ row: borrowing RowView) { self.init(row[Self.word], server: row[Self.server]) }

    package func write(to row: inout RowBuilder) {
        row[Self.word] = word
        row[Self.server] = server
    }
}

extension StoredAPI: CustomStringConvertible {
    package var description: String { server.map { "\(word) at \($0)" } ?? word }
}
