package import PatchbayCore
package import PatchbayDomain

/// Answers SQL, and finds words, in the stored rows of gateways, for a server that does not link an engine itself.
///
/// The module PatchbayQuery makes it:
///
///     let server = try await GatewayServer(gateways, options, figures, questions: StoredQuestions(gateways))
public struct StoredQuestions: Sendable {
    /// A statement of SQL with its values and limits.
    package struct Statement: Sendable {
        package var sql: String
        /// The values of parameters by their names, as a person has typed them, or with types.
        package var typed: [String: String] = [:]
        package var values: [String: OutputValue] = [:]
        /// The maximum number of rows, and of their bytes.
        package var rows: Int, bytes: Int
        /// Nil for the usual time.
        package var time: Duration?

        package init(_ sql: String, rows: Int, bytes: Int, time: Duration?) {
            self.sql = sql
            self.rows = rows
            self.bytes = bytes
            self.time = time
        }
    }

    /// The rows of an answer, as they are produced.
    package struct Rows: Sendable {
        package let columns: [String]
        package let rows: any AsyncSequence<[OutputValue], any Error> & Sendable
        /// How the rows ended; nil before the last one was read.
        package let ending: @Sendable () -> Ending?

        package init(
            columns: [String], rows: any AsyncSequence<[OutputValue], any Error> & Sendable,
            ending: @escaping @Sendable () -> Ending?
        ) {
            self.columns = columns
            self.rows = rows
            self.ending = ending
        }
    }

    /// How the rows of an answer ended.
    package struct Ending: Sendable {
        /// Why rows may be missing; nil when none are.
        package let reason: String?
        /// The tables that the statement reads.
        package let tables: [Table]

        package init(reason: String?, tables: [Table]) {
            self.reason = reason
            self.tables = tables
        }
    }

    /// A table that a statement reads, with the state of its lists.
    package struct Table: Sendable {
        package let name: String
        package let resource: Resource
        package let listsSynced, listsPartial: Int
        package let oldestSync, newestSync: Timestamp?

        package init(
            name: String, resource: Resource, listsSynced: Int, listsPartial: Int,
            oldestSync: Timestamp?, newestSync: Timestamp?
        ) {
            self.name = name
            self.resource = resource
            self.listsSynced = listsSynced
            self.listsPartial = listsPartial
            self.oldestSync = oldestSync
            self.newestSync = newestSync
        }
    }

    package let answer: @Sendable (Statement) async throws -> Rows
    /// Finds rows by words: in these resources or all, at most the given number.
    package let find: @Sendable (String, [Resource]?, Int) async throws -> FoundRows
    /// Keeps an index of words that exists up to date, until the task is cancelled.
    package let follow: @Sendable () async -> Void
    /// Answers the same about some resources, or views of them, as if there were no others.
    package let restricted: @Sendable ([Resource]) -> StoredQuestions

    package init(
        answer: @escaping @Sendable (Statement) async throws -> Rows,
        find: @escaping @Sendable (String, [Resource]?, Int) async throws -> FoundRows,
        follow: @escaping @Sendable () async -> Void,
        restricted: @escaping @Sendable ([Resource]) -> StoredQuestions
    ) {
        self.answer = answer
        self.find = find
        self.follow = follow
        self.restricted = restricted
    }
}
