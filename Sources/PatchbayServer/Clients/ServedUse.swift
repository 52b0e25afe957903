package import PatchbayCore

/// What a client has used in an hour through one operation on one resource: a line of the account. It contains no
/// values, words, keys or statements.
package struct ServedUse: Hashable, Sendable {
    /// The client, operation, resource and hour that calls are counted for.
    package struct Line: Hashable, Sendable {
        /// The beginning of the hour.
        package var hour: Timestamp
        /// The name of the client; `owner` for the owner, `anyone` for clients without a token.
        package var client: String
        /// The operation of the API, such as `list`, or `mcp.` and the name of a tool; `proxy` for the source's API.
        package var operation: String
        /// The name of the resource; empty for an operation that concerns none or several.
        package var resource: String

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
    package var line: Line
    /// What they used.
    package var amounts: Amounts
}

extension ServedUse: StoredRecord {
    static let hour = RowColumn<Timestamp>(0, "hour_ms")
    static let client = RowColumn<String>(1, "client")
    static let operation = RowColumn<String>(2, "operation")
    static let resource = RowColumn<String>(3, "resource")
    static let calls = RowColumn<Int64>(4, "calls")
    static let failures = RowColumn<Int64>(5, "failures")
    static let rows = RowColumn<Int64>(6, "row_count")
    static let bytes = RowColumn<Int64>(7, "bytes")
    static let requests = RowColumn<Int64>(8, "requests")
    static let milliseconds = RowColumn<Int64>(9, "milliseconds")

    /// The columns in a storage; the key is hour, client, operation and resource.
    package static let collection = CollectionSchema(
        "served_use", key: hour.position, client.position, operation.position, resource.position,
        fields: [
            hour.field, client.field, operation.field, resource.field, calls.field, failures.field,
            rows.field,
            bytes.field, requests.field, milliseconds.field,
        ])

    /// Reads a stored line.
    package init(_ row: borrowing RowView) {
        line = Line(
            hour: row[Self.hour], client: row[Self.client], operation: row[Self.operation],
            resource: row[Self.resource])
        amounts = Amounts(
            calls: row[Self.calls], failures: row[Self.failures], rows: row[Self.rows],
            bytes: row[Self.bytes], requests: row[Self.requests], milliseconds: row[Self.milliseconds])
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        row[Self.hour] = line.hour
        row[Self.client] = line.client
        row[Self.operation] = line.operation
        row[Self.resource] = line.resource
        row[Self.calls] = amounts.calls
        row[Self.failures] = amounts.failures
        row[Self.rows] = amounts.rows
        row[Self.bytes] = amounts.bytes
        row[Self.requests] = amounts.requests
        row[Self.milliseconds] = amounts.milliseconds
    }

    /// Returns the lines since a time, in the order of their hours; none of a storage that has no account.
    package static func all(since time: Timestamp, in store: Store) async throws -> [ServedUse] {
        guard store.schema.has(collection) else { return [] }
        let bounds = Bounds.between(
            .including(.integer(Allowance.Period.hour.start(of: time).milliseconds)), nil)
        return try await store.read { try $0.list(ServedUse.self, Query(collection, bounds)) }
    }
}
