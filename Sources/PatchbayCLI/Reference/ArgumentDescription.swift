import PatchbayJSON

/// An option, a flag or an argument, as the parser of its command describes it.
struct ArgumentDescription: Hashable {
    var kind = ""
    /// The names as they are typed, such as `--limit`; empty for an argument.
    var names: [String] = []
    var valueName = ""
    var help = ""
    var defaultValue: String?
    /// The possible values of a choice.
    var values: [String] = []
    /// The values that a shell can offer as completions.
    var completions: [String] = []
    /// Whether its value is the path of a file.
    var isFile = false
    var isOptional = false
    var isRepeating = false
    var isShown = true

    init(_ reader: inout JSONReader) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "kind": kind = try reader.readString()
            case "names": names = try Self.names(&reader)
            case "valueName": valueName = try reader.readString()
            case "abstract": help = try reader.readString()
            case "defaultValue": defaultValue = try reader.readString()
            case "allValues":
                try reader.beginArray()
                while try reader.nextElement() { values.append(try reader.readString()) }
            case "completionKind": try readCompletion(&reader)
            case "isOptional": isOptional = try reader.readBool()
            case "isRepeating": isRepeating = try reader.readBool()
            case "shouldDisplay": isShown = try reader.readBool()
            default: try reader.skipValue()
            }
        }
    }

    private mutating func readCompletion(_ reader: inout JSONReader) throws {
        try reader.beginObject()
        while let kind = try reader.nextKey() {
            isFile = kind == "file"
            try reader.beginObject()
            while let key = try reader.nextKey() {
                guard key == "values" else {
                    try reader.skipValue()
                    continue
                }
                try reader.beginArray()
                while try reader.nextElement() { completions.append(try reader.readString()) }
            }
        }
    }

    private static func names(_ reader: inout JSONReader) throws -> [String] {
        var names: [String] = []
        try reader.beginArray()
        while try reader.nextElement() {
            var name = ""
            var dashes = "--"
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if key == "name" {
                    name = try reader.readString()
                } else if try reader.readString() != "long" {
                    dashes = "-"
                }
            }
            names.append(dashes + name)
        }
        return names
    }
}
