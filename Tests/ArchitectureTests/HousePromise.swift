/// What Patchbay promises of every storage, in one sentence, and where it is tested.
struct HousePromise {
    let title: String
    let sentence: String
    /// Which checks of `StorageConformance` it is made of: a topic, or a topic and a sentence.
    var topics: [String] = []
    var checks: [String] = []
    /// Test files beside the conformance suite, from the root of the checkout.
    var tests: [String] = []

    static let all = [
        HousePromise(
            title: "Durability",
            sentence: """
                A committed write survives the end of the process at any moment, with `storage.durability = full` a
                power cut too; with `normal` a power cut may undo the newest commits and nothing else; with `off` it
                may damage the storage.
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
                Opening creates only where it is asked to, and never in place of a file that exists. What is stored can
                be read on a full disk, on a read-only file system and without write permission. Without a schema a
                storage opens with every collection that it holds, whichever program declared it.
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
            title: "Atomicity", sentence: "A transaction is there as a whole or not at all, and once.",
            topics: ["transactions"], tests: ["Plugins/StoragePostgreSQL/Tests/LostConnectionTests.swift"]),
        HousePromise(
            title: "Snapshots",
            sentence: "A read sees one moment, also while a write is open. Each commit changes the revision.",
            topics: ["snapshots", "revision"],
            tests: [
                "Plugins/StorageSQLite/Tests/ReadingTests.swift",
                "Plugins/StorageLMDB/Tests/ReaderPoolTests.swift",
            ]),
        HousePromise(
            title: "Order",
            sentence: "Rows stand in the same order everywhere: text by its UTF-8 bytes, ties by key.",
            topics: ["order"],
            tests: [
                "Tests/PatchbayCoreTests/KeyEncodingTests.swift", "Tests/FormatTests/RowFormatTests.swift",
            ]),
        HousePromise(
            title: "Walks",
            sentence:
                "A query is a walk along one index: bounds, prefix, after, order and limit mean what they say.",
            topics: ["queries"],
            tests: [
                "Plugins/StorageSQLite/Tests/QueryPlanTests.swift",
                "Plugins/StorageSQLite/Tests/SegmentTests.swift",
                "Tests/PairingTests/PairingTests.swift",
            ]),
        HousePromise(
            title: "Indexes",
            sentence: "Every index holds every row once, and a unique one refuses a second.",
            topics: ["indexes"], tests: ["Plugins/StorageFlatFile/Tests/IndexTests.swift"]),
        HousePromise(
            title: "Projection", sentence: "Fields that were asked for are right, whatever is left out.",
            checks: ["queries: requested fields are correct, whatever else the row contains"]),
        HousePromise(
            title: "Migration",
            sentence:
                "Opening adds fields and indexes without loss; whatever else is refused and nothing touched.",
            topics: ["migration"],
            checks: ["maintenance: opening with a newer schema keeps a backup of the old state"],
            tests: [
                "Plugins/StorageSQLite/Tests/UpgradeTests.swift",
                "Plugins/StorageLMDB/Tests/UpgradeTests.swift",
                "Plugins/StorageFlatFile/Tests/MigrationTests.swift",
            ]),
        HousePromise(
            title: "Values and refusals",
            sentence:
                "Values come back as they went in; what no storage can keep is refused before it is stored.",
            topics: ["values"], tests: ["Tests/PatchbayCoreTests/RowTests.swift"]),
        HousePromise(
            title: "Trouble",
            sentence: """
                Damage, a full or closed disk, a lock and a second process each give an error with its own code; the
                process goes on, nothing is invented, and a check finds damage.
                """,
            topics: ["processes", "maintenance"],
            tests: [
                "Tests/CrashTests/DamageTests.swift", "Plugins/StorageSQLite/Tests/DamageTests.swift",
                "Plugins/StorageSQLite/Tests/HurtTests.swift", "Plugins/StorageLMDB/Tests/DamageTests.swift",
                "Plugins/StorageLMDB/Tests/HurtTests.swift", "Plugins/StorageFlatFile/Tests/FuzzTests.swift",
                "Plugins/StorageFlatFile/Tests/HurtTests.swift",
                "Plugins/StorageFlatFile/Tests/DecoderFuzzTests.swift",
                "Plugins/StoragePostgreSQL/Tests/ForeignHandsTests.swift",
            ]),
        HousePromise(
            title: "All of it together",
            sentence:
                "After each of many random steps a storage answers as the model, the storage in memory, does.",
            topics: ["model"], tests: ["Plugins/StorageSQLite/Tests/ModelTests.swift"]),
    ]
}
