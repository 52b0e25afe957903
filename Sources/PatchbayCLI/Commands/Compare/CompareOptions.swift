import ArgumentParser
import Patchbay
import PatchbayCompare
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
            "Run only these workloads, else all. Those named recorded-... and ingest need --recording.",
            valueName: "names"))
    var workloads = CommaList<String>([])

    @Option(
        help: "How many users to store; several comma-separated numbers show how the times grow.",
        limits: CompareStorages.rowsMin...CompareStorages.rowsMax)
    var rows = CommaList([10_000])

    @Option(
        help:
            "The length of a round for the slowest storage, in seconds; writes run a fixed number of operations.",
        limits: 0.01...600)
    var seconds = 0.4

    @Option(help: "How many rounds to measure, after a short warm-up round.", limits: 1...1_000)
    var rounds = 5

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
            "Keep the temporary data in this folder; choose one on the disk that you will use. "
                + "TMPDIR, or /var/tmp, when left out.", valueName: "folder"), completion: .file())
    var data: String?

    @Option(
        help: ArgumentHelp("Also replay this recording of a list of users.", valueName: "file"),
        completion: .file())
    var recording: String?

    func validate() throws {
        if configs.isEmpty, storage.values.isEmpty {
            throw ValidationError(
                "nothing to compare; name storages (--storage sqlite,lmdb) or configuration files")
        }
    }

    func settings() throws -> CompareSettings {
        CompareSettings(
            rows: rows.values, workloads: try chosenWorkloads(), seconds: seconds, threads: threads,
            rounds: rounds, seed: seed, durability: durability,
            recording: recording?.split(separator: "/").last.map(String.init),
            commandLine: ["patchbay"] + CommandLine.arguments.dropFirst(), startedAt: .now())
    }

    private func chosenWorkloads() throws -> [String] {
        guard !workloads.values.isEmpty else {
            return (Workload.usual + (recording == nil ? [] : Workload.replaying)).map(\.name)
        }
        let chosen = try workloads.values.map(Workload.named).map(\.name)
        if recording == nil, let name = chosen.first(where: { Workload.replaying.map(\.name).contains($0) }) {
            throw PatchbayError(
                .invalidConfiguration, "the workload \"\(name)\" replays a recording; add --recording FILE")
        }
        return Workload.all.map(\.name).filter(chosen.contains)
    }

    /// The folder for the temporary data.
    func folder() throws -> String {
        let folder =
            data ?? ProcessEnvironment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
        guard POSIX.exists(folder) else {
            throw PatchbayError(
                .invalidConfiguration, "the folder \"\(folder)\" does not exist; choose another with --data")
        }
        return POSIX.resolved(folder)
    }

    /// Returns the path of the recording after checking that it can be opened.
    func checkedRecording() async throws -> String? {
        guard let recording else { return nil }
        let path = POSIX.resolved(recording)
        try await CompareOptions.openRecording(path).close?()
        return path
    }

    static func openRecording(_ path: String) async throws -> Source {
        let flags = [("source", "recorded"), ("source.path", path)]
        let configuration = try GatewayConfiguration(
            plugins: CommandLineTool.plugins, flags: flags.map { .init($0.0, $0.1, name: "--recording") },
            environment: [:])
        return try await configuration.openSource()
    }
}
