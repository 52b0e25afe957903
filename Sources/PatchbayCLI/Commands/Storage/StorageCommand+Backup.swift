import ArgumentParser
import Patchbay
import PatchbayCore

extension StorageCommand {
    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the storage, as of one moment, to a new file or folder.",
            discussion: """
                The copy is of the same kind and opens like the original: name it as storage.path. Others may read and \
                write meanwhile.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "Where the copy goes; nothing may be there yet.")
        var path: String

        func validate() throws {
            if path.isEmpty { throw ValidationError("the path of the backup is empty") }
        }

        func run() async throws {
            Interruption.explain("the backup is not whole; remove what is at its path and back up again")
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex,
                !POSIX.isFolder(String(path[..<slash]))
            {
                throw PatchbayError(
                    .notFound,
                    "the folder \"\(path[..<slash])\" does not exist; create it, or take another path")
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
