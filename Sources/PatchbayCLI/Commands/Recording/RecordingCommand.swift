import ArgumentParser

/// `patchbay recording`: the commands for recorded exchanges.
struct RecordingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recording", abstract: "Summarize, check or compare recordings (HAR 1.2).",
        subcommands: [Show.self, Check.self, Diff.self])
}
