import ArgumentParser
import Patchbay
import PatchbayCore

extension StorageCommand {
    struct Compact: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give back the space of what was deleted or replaced.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            Interruption.explain("no row is lost; compact again when you like")
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
    /// What all files take on the disk.
    fileprivate var bytes: Int { files.reduce(0) { $0 + $1.bytes } }
}
