import PatchbayCore

/// What a storage is, once it is open.
struct OpenedStore: Sendable {
    /// Everything that is stored.
    let schema: Schema
    /// A number that the storage got when it was made, so that another one in its place is noticed.
    let identity: [UInt8]
    /// The server, without secrets.
    let server: String
}

/// The tables that hold no rows of a collection:
///
/// - `patchbay_store`, one row: what the storage is, and its revision. A write locks it first, so it is the lock of
///   writers and of migrations too.
/// - `patchbay_schema`: the definition of each collection.
/// - `patchbay_commits`: a token for each of the newest commits, by which a writer whose connection was lost during
///   COMMIT finds out what has become of it.
enum StoreTables {
    static let store = "patchbay_store"
    static let schema = "patchbay_schema"
    static let commits = "patchbay_commits"
    static let names: Set<String> = [
        store, schema, commits, "patchbay_store_pkey", "patchbay_schema_pkey", "patchbay_commits_pkey",
    ]
    /// The tokens of so many commits are kept.
    static let commitsKept: Int64 = 100_000
    /// Older ones are removed after so many commits.
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
            VALUES (gen_random_uuid(), \(version), 1)
            """,
        ]
    }

    static func select(_ options: ConnectionOptions) -> Statement {
        Statement("SELECT revision, version, identity FROM \(options.qualified(store))")
    }

    /// Waits for other writers; fails (22012) when the storage is not the one that was opened, or its schema is newer.
    /// The answer need not be waited for.
    static func lock(_ options: ConnectionOptions) -> Statement {
        Statement(
            "SELECT 1 / (identity = $1 AND version <= $2)::integer FROM \(options.qualified(store)) FOR UPDATE",
            [ServerType.uuid, ServerType.integer])
    }

    /// The state of the failure of ``lock(_:)``: a division by zero.
    static let lockRefused = "22012"

    /// Counts a commit and remembers its token; fails when that was refused meanwhile.
    static func record(_ options: ConnectionOptions) -> Statement {
        Statement(
            """
            WITH store AS (UPDATE \(options.qualified(store)) SET revision = revision + 1 RETURNING revision)
            INSERT INTO \(options.qualified(commits)) (token, revision, is_refused)
            SELECT $1, (SELECT revision FROM store), false RETURNING revision
            """, [ServerType.uuid])
    }

    /// Says whether a commit was refused, and refuses one that has not come: should it come later, it fails. Written
    /// either way, so that its own commit waits for what the first one should have waited for.
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
