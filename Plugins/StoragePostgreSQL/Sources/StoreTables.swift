import PatchbayCore

/// An open storage.
struct OpenedStore: Sendable {
    /// All stored collections.
    let schema: Schema
    /// The identifier that the storage received when it was created, by which a replacement is detected.
    let identity: [UInt8]
    /// The server's address, without secrets.
    let server: String
}

/// The tables other than those of collections:
///
/// - `patchbay_store`: one row with the storage's identity and its revision. Every write locks this row first, so it is
///   also the lock of writers and migrations.
/// - `patchbay_schema`: the definition of each collection.
/// - `patchbay_commits`: a token for each of the newest commits. A writer that lost its connection during COMMIT looks
///   for its token to learn whether the commit took effect.
enum StoreTables {
    static let store = "patchbay_store"
    static let schema = "patchbay_schema"
    static let commits = "patchbay_commits"
    static let names: Set<String> = [
        store, schema, commits, "patchbay_store_pkey", "patchbay_schema_pkey", "patchbay_commits_pkey",
    ]
    /// The number of newest commits whose tokens are kept.
    static let commitsKept: Int64 = 100_000
    /// The number of commits between two removals of older tokens.
    static let commitsBetweenRemovals: Int64 = 1_000

    static func create(_ options: ConnectionOptions, version: Int) -> [String] {
        [
            """
            CREATE TABLE \(options.qualified(store)) (
                single boolean PRIMARY KEY DEFAULT true CHECK (single),
                identity uuid NOT NULL,
                version bigint NOT NULL,
                revision bigint NOT NULL)
            WITH (fillfactor = 20)
            """,
            """
            CREATE TABLE \(options.qualified(schema)) (
                name text COLLATE "C" PRIMARY KEY,
                definition text NOT NULL)
            """,
            """
            CREATE TABLE \(options.qualified(commits)) (
                token uuid PRIMARY KEY,
                revision bigint NOT NULL,
                is_refused boolean NOT NULL)
            """,
            """
            INSERT INTO \(options.qualified(store)) (identity, version, revision)
            VALUES (gen_random_uuid(), \(version), \(next(after: "0", options)))
            """,
        ]
    }

    /// The number of bits of a revision that count commits; the bits above them are the server's timeline, which a
    /// failover increases. So revisions of commits that a failover lost are not given again.
    static let countBits = 40
    /// The server's timeline.
    static let timeline =
        "(('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint & 4194303)"

    /// The revision after another one.
    static func next(after revision: String, _ options: ConnectionOptions) -> String {
        options.knowsTimeline
            ? "greatest(\(revision) + 1, \(timeline) << \(countBits))" : "\(revision) + 1"
    }

    /// Raises a revision of an earlier timeline, and returns it.
    static func beginTimeline(_ options: ConnectionOptions) -> String {
        """
        UPDATE \(options.qualified(store)) SET revision = \(timeline) << \(countBits)
        FROM (SELECT revision AS former FROM \(options.qualified(store))) AS known
        WHERE revision >> \(countBits) BETWEEN 1 AND \(timeline) - 1 RETURNING known.former
        """
    }

    /// What distinguishes the table from a restored copy, and the timeline from others: the database may be a copy of
    /// another one, and the table may have been emptied and filled again.
    static func place(_ options: ConnectionOptions) -> Statement {
        Statement(
            "SELECT (SELECT oid FROM pg_database WHERE datname = current_database())::bigint, tableoid::bigint, "
                + "pg_relation_filenode(tableoid)::bigint, \(options.knowsTimeline ? timeline : "0::bigint") FROM "
                + options.qualified(store))
    }

    /// The number of columns of ``place(_:)``.
    static let placeColumns = 4

    static func select(_ options: ConnectionOptions) -> Statement {
        Statement("SELECT revision, version, identity FROM \(options.qualified(store))")
    }

    /// Waits for other writers and locks the store. Fails with 22012 when it is not the one that was opened, or has a
    /// newer schema, so the result itself need not be examined.
    static func lock(_ options: ConnectionOptions) -> Statement {
        Statement(
            "SELECT 1 / (identity = $1 AND version <= $2)::integer FROM \(options.qualified(store)) \(options.locking)",
            [ServerType.uuid, ServerType.integer])
    }

    /// The SQLSTATE of a failed ``lock(_:)``, which is a division by zero.
    static let lockRefused = "22012"

    /// Increments the revision and records a commit's token. Fails when the token was refused meanwhile.
    static func record(_ options: ConnectionOptions) -> Statement {
        Statement(
            """
            WITH store AS (UPDATE \(options.qualified(store)) SET revision = \(next(after: "revision", options))
            RETURNING revision)
            INSERT INTO \(options.qualified(commits)) (token, revision, is_refused)
            SELECT $1, (SELECT revision FROM store), false RETURNING revision
            """, [ServerType.uuid])
    }

    /// Returns whether a commit was refused, and refuses one that has not arrived: should it arrive later, it fails.
    /// The statement writes in either case, so that its own commit waits for the same standbys as the first should
    /// have.
    static func settle(_ options: ConnectionOptions) -> Statement {
        Statement(
            """
            INSERT INTO \(options.qualified(commits)) AS known (token, revision, is_refused)
            SELECT $1, revision, true FROM \(options.qualified(store))
            ON CONFLICT (token) DO UPDATE SET revision = known.revision RETURNING is_refused
            """, [ServerType.uuid])
    }

    static func removeCommits(_ options: ConnectionOptions) -> Statement {
        Statement(
            "DELETE FROM \(options.qualified(commits)) WHERE revision < $1", [ServerType.integer])
    }
}

/// The one row of `patchbay_store`.
struct StoreRow {
    let revision: Int64
    let version: Int
    let identity: [UInt8]

    /// - Throws: `corrupted` when there is not exactly one row; ``ServerError`` when the table does not exist.
    init(_ connection: Connection) throws {
        let statement = StoreTables.select(connection.options)
        try connection.send(statement, isAnswered: true)
        guard let answer = try connection.finish(), answer.rowCount == 1 else {
            throw PatchbayError(
                .corrupted,
                "the table patchbay_store does not have exactly one row; restore the database from a copy",
                [.server(connection.server)])
        }
        revision = answer.integer(0, 0)
        version = Int(answer.integer(0, 1))
        identity = unsafe Array(answer.bytes(0, 2))
    }
}
