import PatchbayGateway
import ArgumentParser
import PatchbayTerminal

/// `patchbay doctor`: checks that everything in a configuration works.
struct DoctorCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, storage, token, clock, limits and network.",
        discussion: """
            Prints one line per check, with advice on how to fix what it found. The exit status is that of the first \
            failure. Whether the storage can be written is tried without storing anything. The source is sent one \
            request, the check of its definition; GitHub does not count it against the limits.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Flag(help: "Do not query the source.")
    var offline = false

    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    func run() async throws {
        let checks = try await Checkup(options: options, requests: requests, isOffline: offline).run()
        let records = checks.map {
            OutputRecord([
                ("check", .text($0.name)), ("verdict", .text($0.verdict.word)),
                ("finding", .text($0.finding)),
                ("advice", OutputValue($0.advice)),
            ])
        }
        let columns = [
            TableColumn("check"), TableColumn("verdict"), TableColumn("finding", wraps: true),
            TableColumn("advice", wraps: true),
        ]
        try RecordWriter(format).write(records, columns: columns)
        for case .fail(let status) in checks.map(\.verdict) { throw status }
    }
}
