import ArgumentParser
import PatchbayCore

extension StorageCommand {
    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Write a consistent copy of the storage to a new file or folder.",
            discussion: """
                The copy has the same format as the original; set storage.path to open it. Other processes may read \
                and write meanwhile.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The path of the copy, which must not exist yet.", completion: .file())
        var path: String

        func validate() throws {
            if path.isEmpty { throw ValidationError("the path of the backup is empty") }
        }

        func run() async throws {
            Interruption.explain("the backup is incomplete; remove it and back up again")
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex,
                !Folder.exists(at: String(path[..<slash]))
            {
                throw PatchbayError(
                    .notFound,
                    "the folder \"\(path[..<slash])\" does not exist; create it, or choose another path")
            }
            try await ChosenStorage(options.load()).withStore { store in
                try await ProgressBar.errors.showing {
                    try await store.storage.backup(to: path, progress: $0)
                }
            }
            Message.note("backed up to \"\(path)\"")
        }
    }
}
