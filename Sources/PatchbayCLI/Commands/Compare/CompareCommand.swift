import ArgumentParser
import Patchbay
import PatchbayCompare
import PatchbayTerminal

/// `patchbay compare`: measures storages, to help choose one.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Measure storages side by side and check that their answers agree.",
        discussion: """
            Each storage runs in its own process and a new folder, all run the same operations in turns, and their \
            answers are compared. The rows are made-up users, or copies of those in a storage (--from) or a recording.

              patchbay compare --storage sqlite,lmdb,flatfile --rows 100000
              patchbay compare --storage sqlite,lmdb --from patchbay.conf --resource repos
              patchbay compare fast.conf safe.conf --recording commits.har

            The exit status is \(ExitStatus.differences.rawValue) when two storages answered differently. Workloads:
            \(Workload.named.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
              index-NAME: read the 20 rows from a random row on, in the order of the index NAME
            """)

    @OptionGroup var options: CompareOptions

    @OptionGroup var output: CompareOutput

    @OptionGroup var terminal: TerminalOptions

    func run() async throws {
        let subjects = try CompareSubjects(options).subjects, folder = try options.folder()
        Interruption.note()
        let rows = try await comparedRows()
        let settings = try options.settings(for: rows), output = try output.prepared()
        let lines = Terminal.errors.allowsRedrawing ? nil : ProgressLines(of: "seconds", write: Message.note)
        let comparison = try await ProgressBar.errors.showing { show in
            try await CompareStorages.run(
                subjects, of: rows, settings: settings, folder: folder,
                place: .processes(arguments: [CompareWorkerCommand.name]),
                isInterrupted: { Interruption.isNoted }
            ) { progress in
                show(progress)
                lines?.show(progress)
            }
        }
        try output.write(comparison)
        try end(comparison)
    }

    private func comparedRows() async throws -> ComparedRows {
        do {
            return try await options.comparedRows { Interruption.isNoted }
        } catch {
            guard Interruption.isNoted else { throw error }
            // The error may be a consequence of the interruption.
            Message.write("patchbay: interrupted; nothing was measured")
            Interruption.end()
        }
    }

    /// Reports failures and differences, and chooses the exit status.
    private func end(_ comparison: Comparison) throws {
        for failure in comparison.failures {
            let place = failure.workload.map { " in \($0) with \(failure.rows) rows" } ?? ""
            Message.write("patchbay: \(failure.subject) failed\(place): \(failure.message)")
        }
        for difference in comparison.differences {
            let field = difference.field.map { ", field \($0)" } ?? ""
            Message.write(
                "patchbay: \(difference.subject) answers differently from \(difference.reference) in "
                    + "\(difference.workload) with \(difference.rows) rows: \(difference.query): row "
                    + "\(difference.key)\(field): \(difference.reference) has \(difference.expected), "
                    + "\(difference.subject) has \(difference.found)")
        }
        if Interruption.isNoted {
            Message.write(
                "patchbay: interrupted; the report covers what was measured until then, and the test data is removed"
            )
            Interruption.end()
        }
        if !comparison.differences.isEmpty { throw ExitStatus.differences }
        if let failure = comparison.failures.first { throw ExitStatus(failure.code) }
    }
}

/// `patchbay compare-worker`: the child process in which ``CompareCommand`` measures one storage.
struct CompareWorkerCommand: AsyncParsableCommand {
    static let name = "compare-worker"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Measure a storage for \"patchbay compare\".", shouldDisplay: false)

    func run() async throws {
        try await CompareWorker.run(
            ComparePlugins(
                storages: CommandLineTool.plugins.storages, engines: CommandLineTool.engines,
                resources: CompareRows.resources, replay: CompareRows.replay))
    }
}
