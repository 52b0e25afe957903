import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay version`: describes the program. `patchbay --version` is the same, with the same options.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version, the commit that it was built from, and its plugins.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        let build = Build()
        var values: [(String, OutputValue)] = [
            ("version", .text(PatchbayVersion.current)), ("commit", OutputValue(build.commit)),
            ("date", OutputValue(build.day)), ("swift", OutputValue(build.toolchain)),
        ]
        let plugins = CommandLineTool.plugins.descriptions
        for kind in CommandLineTool.plugins.kinds.filter(\.isChoice).map(\.name) {
            values.append((kind, .list(plugins.filter { $0.kind == kind }.map(\.name))))
        }
        let columns = [TableColumn("build"), TableColumn("value", wraps: true)]
        try RecordWriter(output.format).write(
            OutputRecord(values), table: Table(columns, rows: values.map { [$0, $1.description] }))
    }
}
