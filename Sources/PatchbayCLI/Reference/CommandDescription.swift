import ArgumentParser
import PatchbayJSON

/// A command as described by its parser (ArgumentParser's help dump, version 0).
struct CommandDescription {
    var name = ""
    var abstract = ""
    var discussion = ""
    var isShown = true
    var arguments: [ArgumentDescription] = []
    var subcommands: [CommandDescription] = []

    /// Describes a command with all its subcommands.
    init(of command: any ParsableCommand.Type) throws {
        let bytes = Array(command._dumpHelp().utf8)
        var reader = JSONReader(bytes.span.bytes)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "command" {
                self = try CommandDescription(&reader)
            } else {
                try reader.skipValue()
            }
        }
        try reader.finish()
    }

    /// The shown commands without subcommands, each with the words that run it.
    var leaves: [(name: String, command: CommandDescription)] { leaves(name) }

    private func leaves(_ words: String) -> [(name: String, command: CommandDescription)] {
        guard isShown, name != "help" else { return [] }
        if subcommands.isEmpty { return [(words, self)] }
        return subcommands.flatMap { $0.leaves("\(words) \($0.name)") }
    }

    private init(_ reader: inout JSONReader) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "commandName": name = try reader.readString()
            case "abstract": abstract = try reader.readString()
            case "discussion": discussion = try reader.readString()
            case "shouldDisplay": isShown = try reader.readBool()
            case "arguments":
                try reader.beginArray()
                while try reader.nextElement() { arguments.append(try ArgumentDescription(&reader)) }
            case "subcommands":
                try reader.beginArray()
                while try reader.nextElement() { subcommands.append(try CommandDescription(&reader)) }
            default: try reader.skipValue()
            }
        }
    }
}
