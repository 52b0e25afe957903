import ArgumentParser
import Patchbay
import PatchbayServer
import PatchbayTerminal

/// `patchbay cache`: the commands for the answers that `patchbay serve` keeps.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Show or clear the answers that \"patchbay serve\" keeps.",
        subcommands: [Info.self, Clear.self])

    struct Info: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Show the number and size of kept answers.")

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .format, help: "The output format.")
        var format = OutputFormat.table

        func run() async throws {
            let configuration = try options.load()
            let server = try ServerOptions(try await configuration.servingSettings())
            let content = try await ChosenStorage(configuration).withStore(GatewayServer.schema, .reading) {
                try await AnswerCache.content(of: $0)
            }
            let record = OutputRecord([
                ("answers", .integer(Int64(content.answers))), ("bytes", .integer(Int64(content.bytes))),
                ("limit", .integer(Int64(server.proxy.cacheBytesMax))),
                ("least_recent_use", OutputValue(content.leastRecentUse?.description)),
                ("latest_use", OutputValue(content.latestUse?.description)),
            ])
            let columns = [
                TableColumn("answers", alignment: .right), TableColumn("bytes", alignment: .right),
                TableColumn("limit", alignment: .right),
                TableColumn("least recent use", field: "least_recent_use"),
                TableColumn("latest use", field: "latest_use"),
            ]
            try RecordWriter(format).write([record], table: Table(columns, of: [record]))
        }
    }

    struct Clear: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Delete all kept answers, including those of a running server.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            let chosen = try ChosenStorage(options.load())
            guard try confirmation.allows("delete all answers kept in \(chosen.name)") else {
                return
            }
            let count = try await chosen.withStore(GatewayServer.schema, .writing) {
                try await AnswerCache.clear($0)
            }
            Message.note("deleted \(count) answers")
        }
    }
}
