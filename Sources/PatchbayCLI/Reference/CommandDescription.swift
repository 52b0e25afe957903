import ArgumentParser
import PatchbayJSON

/// A command as its parser describes it (ArgumentParser's dump of its help, version 0).
struct CommandDescription {
    var name = ""
    var abstract = ""
    var discussion = ""
    var isShown = true
    var arguments: [ArgumentDescription] = []
    var subcommands: [CommandDescription] = []

    /// A command with all those below it.
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
