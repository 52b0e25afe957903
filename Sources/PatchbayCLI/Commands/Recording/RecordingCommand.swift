import ArgumentParser

/// `patchbay recording`: what recorded exchanges hold.
struct RecordingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recording", abstract: "Look at, check or compare recorded exchanges (HAR 1.2).",
        subcommands: [Show.self, Check.self, Diff.self])
}
