internal import PatchbayCore
internal import PatchbayJSON

extension Comparison {
    /// Reads what ``JSONReport`` wrote.
    ///
    /// - Throws: `invalidValue` for a text that is none, that another version wrote, that is longer than
    ///   ``JSONReport/bytesMax`` or that lacks something; the message says what and at which byte.
    package init(json bytes: [UInt8]) throws {
        guard bytes.count <= JSONReport.bytesMax else {
            throw Comparison.unreadable("it has \(bytes.count) bytes; the limit is \(JSONReport.bytesMax)")
        }
        do {
            var reader = JSONReader(bytes.span.bytes)
            try self.init(reading: &reader)
            try reader.finish()
        } catch let error as JSONError {
            throw Comparison.unreadable(error.description)
        }
    }

    private static func unreadable(_ why: String) -> PatchbayError {
        PatchbayError(
            .invalidValue,
            "this is no comparison that can be read: \(why); take one that `patchbay compare --format json` wrote"
        )
    }

    private init(reading reader: inout JSONReader) throws {
        var format = ""
        var version: Int64 = 0
        var found = Comparison(machine: .none, versions: [], settings: .none, subjects: [])
        try reader.object([
            "format", "version", "settings", "machine", "subjects", "results", "isComplete",
        ]) { reader, key in
            switch key {
            case "format": format = try reader.readString()
            case "version": version = try reader.readInteger()
            case "isComplete": found.isComplete = try reader.readBool()
            case "settings": found.settings = try CompareSettings(reading: &reader)
            case "machine": found.machine = try Machine(reading: &reader)
            case "versions": found.versions = try reader.array { try NameAndValue(reading: &$0) }
            case "subjects": found.subjects = try reader.array { try Subject(reading: &$0) }
            case "results": found.results = try reader.array { try WorkloadResult(reading: &$0) }
            case "differences": found.differences = try reader.array { try Difference(reading: &$0) }
            case "failures": found.failures = try reader.array { try SubjectFailure(reading: &$0) }
            default: try reader.skipValue()
            }
            let isOther = key == "format" && format != JSONReport.format
            guard !isOther, key != "version" || version == JSONReport.version else {
                throw JSONError(
                    message: "expected \(JSONReport.format) of version \(JSONReport.version)",
                    offset: reader.offset)
            }
        }
        self = found
    }
}

extension CompareSettings {
    fileprivate static let none = CompareSettings(
        rows: [], workloads: [], seconds: 0, threads: 0, rounds: 0, seed: 0, durability: nil,
        startedAt: Timestamp(milliseconds: 0))

    fileprivate init(reading reader: inout JSONReader) throws {
        var settings = CompareSettings.none
        try reader.object(["rows", "seed", "threads", "rounds", "seconds"]) { reader, key in
            switch key {
            case "rows": settings.rows = try reader.array { try $0.count() }
            case "workloads": settings.workloads = try reader.array { try $0.readString() }
            case "seconds": settings.seconds = try reader.figure()
            case "threads": settings.threads = try reader.count()
            case "rounds": settings.rounds = try reader.count()
            case "seed": settings.seed = try reader.parsed("a seed") { UInt64($0) } ?? 0
            case "durability":
                settings.durability = try reader.parsed("a durability") { Durability(rawValue: $0) }
            case "recording": settings.recording = try reader.optional { try $0.readString() }
            case "commandLine": settings.commandLine = try reader.array { try $0.readString() }
            case "startedAt":
                settings.startedAt = try reader.parsed("a time") { Timestamp($0) } ?? settings.startedAt
            default: try reader.skipValue()
            }
        }
        self = settings
    }
}

extension Machine {
    fileprivate static let none = Machine(
        processor: "", cores: 0, memoryBytes: 0, kernel: "", distribution: "", fileSystem: "")

    fileprivate init(reading reader: inout JSONReader) throws {
        var machine = Machine.none
        try reader.object([]) { reader, key in
            switch key {
            case "processor": machine.processor = try reader.readString()
            case "cores": machine.cores = try reader.count()
            case "memoryBytes": machine.memoryBytes = try reader.count()
            case "kernel": machine.kernel = try reader.readString()
            case "distribution": machine.distribution = try reader.readString()
            case "fileSystem": machine.fileSystem = try reader.readString()
            default: try reader.skipValue()
            }
        }
        self = machine
    }
}

extension NameAndValue {
    fileprivate init(reading reader: inout JSONReader) throws {
        var pair = NameAndValue("", "")
        try reader.object(["name", "value"]) { reader, key in
            switch key {
            case "name": pair.name = try reader.readString()
            case "value": pair.value = try reader.readString()
            default: try reader.skipValue()
            }
        }
        self = pair
    }
}

extension Subject {
    fileprivate init(reading reader: inout JSONReader) throws {
        var subject = Subject(name: "", storage: "", settings: [])
        try reader.object(["name", "storage"]) { reader, key in
            switch key {
            case "name": subject.name = try reader.readString()
            case "storage": subject.storage = try reader.readString()
            case "settings": subject.settings = try reader.array { try NameAndValue(reading: &$0) }
            default: try reader.skipValue()
            }
        }
        self = subject
    }
}
