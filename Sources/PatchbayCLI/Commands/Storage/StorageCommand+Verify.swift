import ArgumentParser
import Patchbay
import PatchbayQuery
import PatchbayTerminal

extension StorageCommand {
    struct Verify: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check all stored data for damage.",
            discussion: """
                Checks the files as far as their format allows, then every row and every index entry, and the texts \
                for "patchbay find" if there are any. At most \
                \(Verification.faultsMax) faults go to standard output; if there are any, the exit status is \
                \(ExitStatus.corrupted.rawValue). Other processes may write meanwhile.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .format, help: "The output format.")
        var format = OutputFormat.table

        func run() async throws {
            Interruption.explain("nothing was changed")
            let hasTexts = try await ChosenStorage(options.load()).withStore { store in
                try Schema.gateway.requireNotOlder(than: store.schema)
                let verification = try await ProgressBar.errors.showing {
                    try await store.verify(progress: $0)
                }
                try write(verification, of: store.schema.transferable)
                // An unfinished copy may have no faults.
                try await store.requireFinishedCopy()
                return try await TextIndex.file(of: store) != nil
            }
            if hasTexts { try await verifyTexts() }
        }

        /// Compares the texts for `patchbay find` with the rows. An index with faults is made again when it is used.
        private func verifyTexts() async throws {
            try await options.withGateways(isOffline: true) { gateways in
                let index = try await TextIndex(gateways)
                let faults = try await ProgressBar.errors.showing { try await index.verify(progress: $0) }
                if faults.isEmpty { return }
                if format != .json { try write(faults) }
                let path = faults[0].file ?? ""
                Message.note(
                    "the text index differs from the storage; remove \"\(path)\", and it is made again")
                throw ExitStatus.corrupted
            }
        }

        private func write(_ verification: Verification, of schema: Schema) throws {
            let counts = schema.collections.compactMap { collection in
                verification.collections.first { $0.rows > 0 && $0.collection == collection }
                    .map { "\($0.rows) \(collection.name)" }
            }
            let rows = counts.isEmpty ? "an empty storage" : counts.joined(separator: ", ")
            let faults = verification.faults
            if !faults.isEmpty || format == .json { try write(faults) }
            let more = faults.count == Verification.faultsMax ? " or more" : ""
            let found =
                faults.isEmpty ? "no faults" : faults.count == 1 ? "1 fault" : "\(faults.count)\(more) faults"
            Message.note("\(found) in \(rows)")
            if !faults.isEmpty { throw ExitStatus.corrupted }
        }

        private func write(_ faults: [StorageFault]) throws {
            let records = faults.map {
                OutputRecord([
                    ("file", OutputValue($0.file)), ("place", OutputValue($0.place)),
                    ("fault", .text($0.message)),
                ])
            }
            let columns = [TableColumn("file"), TableColumn("place"), TableColumn("fault", wraps: true)]
            try RecordWriter(format).write(
                records, header: columns.map(\.title), table: Table(columns, of: records))
        }
    }
}
