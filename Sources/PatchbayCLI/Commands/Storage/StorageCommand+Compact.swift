import ArgumentParser
import Patchbay
import PatchbayTerminal

extension StorageCommand {
    struct Compact: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact", abstract: "Free the space of deleted and replaced rows.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            Interruption.explain("no rows were lost; run the same command to start over")
            let (before, after) = try await ChosenStorage(options.load()).withStore(nil, .writing) { store in
                try await store.requireFinishedCopy()
                let before = try await store.storage.describe().bytes
                try await ProgressBar.errors.showing { try await store.storage.compact(progress: $0) }
                return (before, try await store.storage.describe().bytes)
            }
            Message.note("compacted: \(before) bytes before, \(after) bytes after")
        }
    }
}

extension StorageDescription {
    /// The size of all files on disk.
    fileprivate var bytes: Int { files.reduce(0) { $0 + $1.bytes } }
}
