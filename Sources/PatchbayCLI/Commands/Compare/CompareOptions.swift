import ArgumentParser
import Patchbay
import PatchbayCompare
import PatchbaySystem
import PatchbayTerminal

/// The options that choose the storages, the workloads and the data.
struct CompareOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Compare the storages of these configuration files.", valueName: "config"),
        completion: .file())
    var configs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Compare these storages with their default settings (see \"patchbay plugins list\").",
            valueName: "names"))
    var storage = CommaList<String>([])

    @Option(
        help: ArgumentHelp(
            "Run only these workloads, else all that the rows permit.", valueName: "names"))
    var workloads = CommaList<String>([])

    @Option(
        help: "How many made-up users to store; several comma-separated numbers show how the times grow.",
        limits: CompareStorages.rowsMin...CompareStorages.rowsMax, default: "\(Self.usualRows)")
    var rows: CommaList<Int>?

    private static let usualRows = 10_000

    @Option(
        help: ArgumentHelp(
            "Compare with copies of the rows of this storage: a configuration file or storage:path.",
            valueName: "storage"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Compare with the rows of this recording instead, and its sync.", valueName: "file"),
        completion: .file())
    var recording: String?

    @Option(
        help: ArgumentHelp(
            "The resource whose rows are compared; that with the most rows when left out.",
            valueName: "resource"),
        completion: .resources)
    var resource: String?

    @Option(
        help: ArgumentHelp(
            "The definition of these rows, if nothing else selects one: a file, or a bundled one.",
            valueName: "name"), completion: .file())
    var definition: String?

    @Option(help: "The time for the whole comparison, in seconds.", limits: 0.01...86_400)
    var seconds = 60.0

    @Option(
        help: "The number of rounds, however long they take.", limits: 1...1_000,
        default: "until decided")
    var rounds: Int?

    @Option(help: "The number of readers in the workload \"readers\".", limits: 1...64)
    var threads = 2

    @Option(help: "The seed that determines all data and operations.", limits: 0 ... .max)
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Set storage.durability of all storages.", valueName: "level"),
        choices: Durability.self, default: "each storage's own setting")
    var durability: Durability?

    @Option(
        help: ArgumentHelp(
            "Keep the temporary data in this folder, else in TMPDIR or /var/tmp.", valueName: "folder"),
        completion: .file())
    var data: String?

    func validate() throws {
        if configs.isEmpty, storage.values.isEmpty {
            throw ValidationError(
                "nothing to compare; name storages (--storage sqlite,lmdb) or configuration files")
        }
        if from != nil, recording != nil {
            throw ValidationError("--from and --recording both give the rows; choose one")
        }
        guard from == nil, recording == nil else {
            if rows != nil {
                throw ValidationError(
                    "--rows is the number of made-up users; all rows of \(from == nil ? "--recording" : "--from") are "
                        + "compared")
            }
            return
        }
        if resource != nil || definition != nil {
            throw ValidationError(
                "\(resource == nil ? "--definition" : "--resource") needs --from or --recording")
        }
    }

    /// The rows to compare with.
    func comparedRows(isInterrupted: @escaping @Sendable () -> Bool) async throws -> ComparedRows {
        let origin = RowsOrigin(
            recording: try recording.map { try resolved($0, "--recording") }, storage: from,
            definition: definition)
        guard from != nil || recording != nil else { return try .synthetic() }
        return try await CompareRows(origin).rows(of: resource, isInterrupted: isInterrupted)
    }

    private func resolved(_ path: String, _ option: String) throws -> String {
        guard FileSystem.isTaken(path) else {
            throw PatchbayError(.invalidConfiguration, "\(option): there is no file \"\(path)\"")
        }
        return FileSystem.resolvedIfThere(path)
    }

    /// - Throws: `invalidConfiguration` for a workload that the rows do not permit.
    func settings(for rows: ComparedRows) throws -> CompareSettings {
        CompareSettings(
            rows: self.rows?.values ?? [Self.usualRows], resource: rows.resource.name,
            source: rows.source?.words, workloads: try rows.workloads(named: workloads.values).map(\.name),
            seconds: seconds, threads: threads, rounds: rounds, seed: seed, durability: durability,
            commandLine: ["patchbay"] + CommandLine.arguments.dropFirst(), startedAt: .now())
    }

    /// The folder for the temporary data.
    func folder() throws -> String {
        let folder =
            data ?? ProcessEnvironment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
        guard FileSystem.isTaken(folder) else {
            throw PatchbayError(
                .invalidConfiguration, "the folder \"\(folder)\" does not exist; choose another with --data")
        }
        return FileSystem.resolvedIfThere(folder)
    }
}

/// Comma-separated values in one argument.
struct CommaList<Value: LosslessStringConvertible & Sendable>: ExpressibleByArgument, Sendable {
    var values: [Value]

    init(_ values: [Value]) { self.values = values }

    init?(argument: String) {
        values = []
        for word in argument.split(separator: ",") {
            guard let value = Value(String(word)) else { return nil }
            values.append(value)
        }
    }

    var defaultValueDescription: String { values.map(\.description).joined(separator: ",") }
}
