package import PatchbayCore

/// The server that the rows of an API come from.
///
/// It is saved with the first row of the API. Because ids of different servers clash, another server with the same word
/// is refused from then on. Other APIs have other words and so other collections.
package struct StoredAPI: Hashable, Sendable {
    /// ``Source/word``: the prefix of the API's collections.
    package var word = ""
    /// ``Source/server``; nil for the API's usual one.
    package var server: String?

    package init() {}

    package init(_ word: String, server: String? = nil) {
        self.word = word
        self.server = server
    }

    package var key: Key { .text(word) }
}

extension StoredAPI: ColumnRecord {
    static let word = RecordColumn(0, "word", \Self.word)
    static let server = RecordColumn(1, "server", \Self.server)

    package static let columns = [word, server]

    package static let collection = CollectionSchema("apis", key: word.position, fields: fields)
}

extension StoredAPI: CustomStringConvertible {
    package var description: String { server.map { "\(word) at \($0)" } ?? word }
}
