package import PatchbayCore

/// What a client has used in an hour through one operation on one resource: a line of the account. It contains no
/// values, words, keys or statements.
package struct ServedUse: Hashable, Sendable {
    /// The client, operation, resource and hour that calls are counted for.
    package struct Line: Hashable, Sendable {
        /// The beginning of the hour.
        package var hour = Timestamp(milliseconds: 0)
        /// The name of the client; `owner` for the owner, `anyone` for clients without a token.
        package var client = ""
        /// The operation of the API, such as `list`, or `mcp.` and the name of a tool; `proxy` for the source's API.
        package var operation = ""
        /// The name of the resource; empty for an operation that concerns none or several.
        package var resource = ""

        var key: Key { [.integer(hour.milliseconds), .text(client), .text(operation), .text(resource)] }
    }

    /// Numbers that are added up.
    package struct Amounts: Hashable, Sendable {
        /// The number of calls, and of those that failed or were refused.
        package var calls: Int64 = 0, failures: Int64 = 0
        /// The number of rows and the size of the bodies that were sent.
        package var rows: Int64 = 0, bytes: Int64 = 0
        /// The number of requests that were sent to sources.
        package var requests: Int64 = 0
        /// The time until the answers were known, in milliseconds.
        package var milliseconds: Int64 = 0

        static func += (left: inout Amounts, right: Amounts) {
            for number in [\Amounts.calls, \.failures, \.rows, \.bytes, \.requests, \.milliseconds] {
                left[keyPath: number] = left[keyPath: number].addingClamped(right[keyPath: number])
            }
        }
    }

    /// What the calls have in common.
    package var line = Line()
    /// What they used.
    package var amounts = Amounts()

    package init() {}

    init(line: Line, amounts: Amounts) {
        self.line = line
        self.amounts = amounts
    }
}

extension ServedUse: ColumnRecord {
    static let hour = RecordColumn(0, "hour_ms", \Self.line.hour)
    static let client = RecordColumn(1, "client", \Self.line.client)
    static let operation = RecordColumn(2, "operation", \Self.line.operation)
    static let resource = RecordColumn(3, "resource", \Self.line.resource)

    package static let columns = [
        hour, client, operation, resource, RecordColumn(4, "calls", \Self.amounts.calls),
        RecordColumn(5, "failures", \Self.amounts.failures), RecordColumn(6, "row_count", \Self.amounts.rows),
        RecordColumn(7, "bytes", \Self.amounts.bytes), RecordColumn(8, "requests", \Self.amounts.requests),
        RecordColumn(9, "milliseconds", \Self.amounts.milliseconds),
    ]

    /// The columns in a storage; the key is hour, client, operation and resource.
    package static let collection = CollectionSchema(
        "served_use", key: hour.position, client.position, operation.position, resource.position,
        fields: fields)

    /// Returns the lines since a time, in the order of their hours; none of a storage that has no account.
    package static func all(since time: Timestamp, in store: Store) async throws -> [ServedUse] {
        guard store.schema.has(collection) else { return [] }
        let bounds = Bounds.between(
            .including(.integer(Allowance.Period.hour.start(of: time).milliseconds)), nil)
        return try await store.read { try $0.list(ServedUse.self, Query(collection, bounds)) }
    }
}
