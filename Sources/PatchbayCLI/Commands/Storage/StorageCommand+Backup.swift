import ArgumentParser
import PatchbayCore
import PatchbaySystem
import PatchbayTerminal

extension StorageCommand {
    struct Backup: ConfiguredCommand {
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
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex,
                !FileSystem.exists(at: String(path[..<slash]))
            {
                let folder = String(path[..<slash])
                throw FileSystem.isTaken(folder)
                    ? PatchbayError(.invalidValue, "\"\(folder)\" is not a folder; choose another path")
                    : PatchbayError(
                        .notFound,
                        "the folder \"\(folder)\" does not exist; create it, or choose another path")
            }
            let chosen = try ChosenStorage(options.load())
            try await Interruption.cancelling("nothing was backed up") { [path] in
                try await chosen.withStore { store in
                    try await ProgressBar.errors.showing {
                        try await store.storage.backup(to: path, progress: $0)
                    }
                }
                let backup = try ChosenStorage(side: "\(chosen.plugin):\(path)")
                let copy = try await Store(backup.make(.writing), schema: nil, access: .writing)
                try await copy.endIncarnation()
                try await copy.close()
            }
            Message.note("backed up to \"\(path)\"")
        }
    }
}
