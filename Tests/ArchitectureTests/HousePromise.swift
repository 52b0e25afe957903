/// A promise that Patchbay makes for every storage, in one sentence, and the tests that check it.
struct HousePromise {
    let title: String
    let sentence: String
    /// The checks of `StorageConformance` that belong to it: all of a topic, or single ones by topic and sentence.
    var topics: [String] = []
    var checks: [String] = []
    /// Test files other than the conformance suite, relative to the root of the checkout.
    var tests: [String] = []

    static let all = [
        HousePromise(
            title: "Durability",
            sentence: """
                A committed write survives the end of the process at any moment, and with `storage.durability = full`
                also a power cut. With `normal`, a power cut may undo the newest commits and nothing else; with `off`,
                it may damage the storage.
                """,
            topics: ["reopen"],
            tests: [
                "Tests/CrashTests/CrashTests.swift", "Tests/CrashTests/SyncCrashLiveTests.swift",
                "Plugins/StorageFlatFile/Tests/FailingDiskTests.swift",
                "Plugins/StorageFlatFile/Tests/RecoveryTests.swift",
                "Plugins/StorageSQLite/Tests/LogTests.swift",
                "Plugins/StoragePostgreSQL/Tests/RestartTests.swift",
            ]),
        HousePromise(
            title: "Opening",
            sentence: """
                Opening creates a storage only when requested, and never in place of an existing file. Stored rows can
                be read on a full disk, on a read-only file system and without write permission. Without a schema, a
                storage opens with all of its collections, whichever program declared them.
                """,
            topics: ["opening"],
            tests: [
                "Plugins/StorageSQLite/Tests/ReadingAccessTests.swift",
                "Plugins/StorageLMDB/Tests/AccessTests.swift",
                "Plugins/StorageFlatFile/Tests/AccessTests.swift",
                "Plugins/StorageFlatFile/Tests/LinkTests.swift",
                "Plugins/StorageFlatFile/Tests/ReaderTests.swift",
                "Plugins/StoragePostgreSQL/Tests/AccessTests.swift",
                "Tests/PairingTests/OwnCollectionTests.swift",
            ]),
        HousePromise(
            title: "Atomicity",
            sentence: "A transaction takes effect completely or not at all, and only once.",
            topics: ["transactions"], tests: ["Plugins/StoragePostgreSQL/Tests/LostConnectionTests.swift"]),
        HousePromise(
            title: "Snapshots",
            sentence:
                "A read sees a consistent snapshot, even during a write. Each commit changes the revision.",
            topics: ["snapshots", "revision"],
            tests: [
                "Plugins/StorageSQLite/Tests/ReadingTests.swift",
                "Tests/PatchbayCoreTests/PoolTests.swift",
            ]),
        HousePromise(
            title: "Order",
            sentence: "Rows have the same order in every storage: text by its UTF-8 bytes, ties by key.",
            topics: ["order"],
            tests: [
                "Tests/PatchbayCoreTests/KeyEncodingTests.swift", "Tests/FormatTests/RowFormatTests.swift",
            ]),
        HousePromise(
            title: "Walks",
            sentence:
                "A query walks one index; bounds, prefix, after, order and limit mean the same in every storage.",
            topics: ["queries"],
            tests: [
                "Plugins/StorageSQLite/Tests/QueryPlanTests.swift",
                "Plugins/StorageSQLite/Tests/SegmentTests.swift",
                "Tests/PairingTests/PairingTests.swift",
            ]),
        HousePromise(
            title: "Indexes",
            sentence: "Every index contains every row once, and a unique index refuses a second row.",
            topics: ["indexes"], tests: ["Plugins/StorageFlatFile/Tests/IndexTests.swift"]),
        HousePromise(
            title: "Projection", sentence: "Requested fields are correct, whatever else is left out.",
            checks: ["queries: requested fields are correct, whatever else the row contains"]),
        HousePromise(
            title: "Migration",
            sentence: """
                Opening adds fields and indexes without loss; other changes are refused and change nothing. Version 2 of
                the schema adds to each row of a resource when a list first lacked it, and the number of its last
                change. Rows of version 1, and rows that other programs wrote, have no number until they change, and
                count as changed before all others. The number belongs to the storage: digests, copies and exports
                leave it out.
                """,
            topics: ["migration"],
            checks: ["maintenance: opening with a newer schema keeps a backup of the old state"],
            tests: [
                "Plugins/StorageSQLite/Tests/UpgradeTests.swift",
                "Plugins/StorageLMDB/Tests/UpgradeTests.swift",
                "Plugins/StorageFlatFile/Tests/MigrationTests.swift",
                "Tests/FormatTests/CompatibilityTests.swift", "Tests/PairingTests/MigrationTests.swift",
            ]),
        HousePromise(
            title: "Values and refusals",
            sentence:
                "Values are returned unchanged; those that no storage accepts are refused before they are stored.",
            topics: ["values"], tests: ["Tests/PatchbayCoreTests/RowTests.swift"]),
        HousePromise(
            title: "Trouble",
            sentence: """
                Damage, a full or unavailable disk, a lock and a second process each cause an error with its own code.
                The process continues, no rows are invented, and a check finds the damage. In `sqlite`, which has no
                checksums, neither a read nor a check notices most changed bytes of a value.
                """,
            topics: ["processes", "maintenance"],
            tests: [
                "Tests/CrashTests/FaultTests.swift", "Plugins/StorageSQLite/Tests/DamageTests.swift",
                "Plugins/StorageSQLite/Tests/HurtTests.swift", "Plugins/StorageLMDB/Tests/DamageTests.swift",
                "Plugins/StorageLMDB/Tests/HurtTests.swift", "Plugins/StorageFlatFile/Tests/FuzzTests.swift",
                "Plugins/StorageFlatFile/Tests/HurtTests.swift",
                "Plugins/StorageFlatFile/Tests/DecoderFuzzTests.swift",
                "Plugins/StoragePostgreSQL/Tests/ForeignHandsTests.swift",
            ]),
        HousePromise(
            title: "All of it together",
            sentence:
                "After each of many random steps, a storage returns the same rows as the model, the storage in memory.",
            topics: ["model"]),
    ]
}
