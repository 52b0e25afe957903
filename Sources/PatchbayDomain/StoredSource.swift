public import PatchbayCore

/// Which API the rows of a storage come from; the only row of its collection.
///
/// It is saved with the first row that a source tells. Ids of different APIs clash, so another API's source is refused
/// then.
public struct StoredSource: Hashable, Sendable {
    /// The row's key.
    public static let key: Key = 1

    /// ``Source/api``.
    public var api: String

    public init(api: String) { self.api = api }
}

extension StoredSource {
    /// An API of a server that has ids of its own: `github at ghe.example.com`.
    ///
    /// - Parameter server: host and port, without one that the scheme implies.
    public static func api(_ name: String, at server: String) -> String {
        "\(name) at \(server.lowercased())"
    }

    /// The server that `api` names beside the API that is noted; nil when it is another API, or names none.
    ///
    /// A note without a server may be older than the notes with one; then it stands for any server.
    package func server(of api: String) -> String? {
        let start = "\(self.api) at "
        guard api.utf8.starts(with: start.utf8) else { return nil }
        return String(decoding: api.utf8.dropFirst(start.utf8.count), as: UTF8.self)
    }
}

extension StoredSource: Record {
    static let id = Column<Int64>(0, "id")
    static let api = Column<String>(1, "api")

    public static let collection = Collection("sources", key: id.position, fields: [id.field, api.field])

    public init(_ row: borrowing Row) { self.init(api: row[Self.api]) }

    public func write(to row: inout RowBuilder) {
        row[Self.id] = 1
        row[Self.api] = api
    }
}
