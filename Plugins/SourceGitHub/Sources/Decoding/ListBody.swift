import PatchbayDomain
import PatchbayJSON

/// What a list's JSON holds.
struct ListBody<Item> {
    var items: [Item] = []
    /// Of a search: how many there are in all.
    var total: Int64?
    /// Of a search: whether it ran out of time.
    var isIncomplete = false
}

/// What may be an item of a list.
protocol ListItem {
    /// - Throws: ``FieldFault`` or `JSONError`.
    static func item(_ reader: inout JSONReader) throws -> Self
}

extension User: ListItem {
    static func item(_ reader: inout JSONReader) throws -> User {
        try UserDecoder.user(&reader, hasDetail: false)
    }
}

extension Repository: ListItem {
    static func item(_ reader: inout JSONReader) throws -> Repository {
        try RepositoryDecoder.repository(&reader, hasDetail: false)
    }
}

extension Commit: ListItem {
    static func item(_ reader: inout JSONReader) throws -> Commit { try CommitDecoder.commit(&reader) }
}
