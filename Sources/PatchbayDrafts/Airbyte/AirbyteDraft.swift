import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// A definition written from a manifest of Airbyte.
///
/// A stream that a definition cannot express, or whose lines would have a fault, is left out with the reason.
struct AirbyteDraft {
    private(set) var text = ""
    var summary = DraftSummary()

    let manifest: AirbyteManifest
    private(set) var streams: [AirbyteStream] = []
    private var refused: [(name: String, reason: String)] = []
    /// The fields of a stream's resource by the path of their values.
    private var fields: [String: [[String]: String]] = [:]

    /// - Parameter only: the names of the lists to draft and their parents; all when empty.
    /// - Throws: `invalidValue` when no stream can be expressed.
    init(_ manifest: AirbyteManifest, only: [String], name: String, source: String) throws {
        self.manifest = manifest
        readStreams()
        let counts = Dictionary(grouping: streams.compactMap { HTTPAddress($0.url)?.origin }) { $0 }
        guard let origin = counts.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.key else {
            let unread = streams.prefix(3).map {
                ($0.name, "has an address that is not written out, \"\($0.url)\"")
            }
            let reasons = (refused + unread).prefix(3).map { "\($0.name) \($0.reason)" }
            throw PatchbayError(
                .invalidValue,
                "\(source) is a manifest of Airbyte without a stream that a definition can express: "
                    + (reasons.isEmpty ? "it has no streams" : reasons.joined(separator: "; ")))
        }
        var head = DraftText()
        head.comment(
            "Drafted from the Airbyte manifest \(DraftWords.shown(source)): read the comments and check "
                + "the definition.")
        let settings = streams.reduce(into: Set<String>()) { $0.formUnion($1.settings) }
        head.set("format", "1")
        let named = settings.reduce(origin) { $0.replacing(DraftSettings.marked($1) + ".", with: "") }
        head.set("api", DraftWords.name(DraftPath.api(ofOrigin: named), other: "api", bytesMax: 24))
        head.set("base-url", DraftSettings.written(origin, settings))
        for setting in settings.sorted() {
            head.set("setting.\(setting)", "the connector's setting of this name")
        }
        writeAuthorization(&head)
        writeSecondSecret(&head)
        var body = head
        try write(wanted(only), origin: origin, to: &body)
        guard !summary.lists.isEmpty else {
            throw PatchbayError(
                .invalidValue,
                "no stream of \(source) can be expressed: "
                    + refused.prefix(3).map { "\($0.name) \($0.reason)" }.joined(separator: "; "))
        }
        if !refused.isEmpty {
            body.blank()
            for (name, reason) in refused { body.comment("Left out: \(name) \(reason).") }
            summary.leftOut += refused.map { "\($0.name) \($0.reason)" }
        }
        text = body.text
    }

    private mutating func readStreams() {
        var names: Set<String> = []
        for stream in manifest.streams {
            let original = stream.value["name"]?.word ?? "rows"
            var name = DraftWords.name(original, other: "rows", bytesMax: 40)
            if ["header", "error"].contains(name) { name += "s" }
            while !names.insert(name).inserted { name += "-2" }
            do throws(AirbyteStream.Refusal) {
                streams.append(try AirbyteStream(stream, named: name, in: manifest))
            } catch {
                refused.append((name, error.reason))
            }
        }
    }

    private func wanted(_ only: [String]) throws -> [AirbyteStream] {
        guard !only.isEmpty else { return streams }
        var wanted: Set<String> = []
        for name in only {
            guard var stream = streams.first(where: { $0.name == name }) else {
                throw PatchbayError(
                    .invalidValue,
                    "there is no list \"\(name)\"; the lists are \(DraftWords.list(streams.map(\.name), max: 40))"
                )
            }
            while wanted.insert(stream.name).inserted, let parent = stream.parent,
                let owner = streams.first(where: { $0.original == parent.stream })
            { stream = owner }
        }
        return streams.filter { wanted.contains($0.name) }
    }

    // MARK: Streams

    /// Writes parents before their children.
    private mutating func write(_ wanted: [AirbyteStream], origin: String, to text: inout DraftText) throws {
        var waiting = wanted, written: Set<String> = []
        while !waiting.isEmpty {
            let ready = waiting.filter { $0.parent.map { written.contains($0.stream) } ?? true }
            guard !ready.isEmpty else {
                refused += waiting.map {
                    ($0.name, "belongs to rows of \($0.parent?.stream ?? ""), which is left out")
                }
                return
            }
            waiting.removeAll { stream in ready.contains { $0.name == stream.name } }
            let children = wanted.filter { child in ready.contains { child.parent?.stream == $0.original } }
            for stream in ready {
                guard HTTPAddress(stream.url)?.origin == origin else {
                    refused.append((stream.name, "is at another server"))
                    continue
                }
                var trial = text
                let own = children.filter { $0.parent?.stream == stream.original }.compactMap {
                    $0.parent?.path
                }
                let list = write(stream, origin: origin, wanted: own, to: &trial)
                let faults = Definition.reading(path: "", bytes: Array(trial.text.utf8)).faults
                if let fault = faults.first {
                    refused.append((stream.name, "cannot be expressed: \(fault.message)"))
                } else {
                    text = trial
                    written.insert(stream.original)
                    summary.lists.append(list)
                }
            }
        }
    }

    private mutating func write(
        _ stream: AirbyteStream, origin: String, wanted: [[String]], to text: inout DraftText
    ) -> DraftSummary.List {
        let name = stream.name
        text.blank()
        for note in stream.notes { text.comment("\(note.prefix(1).uppercased())\(note.dropFirst()).") }
        var table = AirbyteFields(stream, wanted: wanted)
        fields[stream.original] = table.names
        var owner: String?
        var address = HTTPAddress(stream.url).map { String($0.pathOnly) } ?? ""
        if address.hasSuffix("/") { address.removeLast() }
        if !stream.path.isEmpty { address += (stream.path.hasPrefix("/") ? "" : "/") + stream.path }
        var since = stream.since, parameters = stream.parameters
        // A list whose rows are identified by their places is always requested whole.
        if table.key.isEmpty, let given = since, let parameter = given.parameter {
            if let start = given.start.flatMap({ Timestamp($0) }) {
                parameters.append((parameter, given.form.text(of: start)))
            }
            since = nil
        }
        var query = parameters.map { "\(PercentEncoding.segment($0.name))=\(Self.spelled($0.value))" }
            .joined(separator: "&")
        query = query.replacing("%5B", with: "[").replacing("%5D", with: "]").replacing("%2F", with: "/")
        var template = (address.isEmpty ? "/" : address) + (query.isEmpty ? "" : "?" + query)
        template = DraftSettings.written(template, stream.settings)
        if let parent = stream.parent, let other = streams.first(where: { $0.original == parent.stream }),
            let field = fields[parent.stream]?[parent.path]
        {
            template = template.replacing(parent.partition, with: "{\(other.name).\(field)}")
            owner = "{\(other.name).\(field)}"
        }
        text.set("\(name).path", template)
        if stream.send != .query { text.set("\(name).send", stream.send.rawValue) }
        if stream.rows != .whole { text.set("\(name).rows", stream.rows.description) }
        if let next = stream.next { text.set("\(name).next", next) }
        if let end = stream.end { text.set("\(name).end", end) }
        for (header, value) in stream.headers
        where !text.lines.contains(where: { $0.hasPrefix("header.\(header) =") }) {
            text.set("header.\(header)", value)
        }
        if let since, let field = table.names[since.path] {
            let words = [since.parameter, field].compactMap(\.self)
            let form = since.parameter == nil || since.form == .iso8601 ? [] : [since.form.description]
            text.set("\(name).since", (words + form).joined(separator: " "))
            if let start = since.start { text.set("\(name).since-start", start) }
            if let window = since.window { text.set("\(name).window", window) }
        }
        if let condition = stream.condition { text.set("\(name).where", condition) }
        let settings = Set(stream.settings.map(\.withUnderscores))
        // A template that is not valid is reported with the faults of the stream.
        let read = try? Template(reading: template, in: .list, settings: settings)
        let arguments = read?.arguments ?? []
        if let each = stream.each, arguments == [each.argument] {
            text.set("\(name).each", ([each.argument] + each.values).joined(separator: " "))
        } else if let each = stream.each {
            text.comment("{\(each.argument)} is an argument, one of \(DraftWords.list(each.values)).")
        }
        var key = table.key, owners: [(name: String, value: String)] = []
        if key.isEmpty {
            let effect = since == nil && stream.since != nil ? ", so every sync requests the whole list" : ""
            text.comment(
                "The stream has no primary key\(effect); look for a better one than the place in the list.")
            if let owner { owners.append((table.take("parent-id", .text), "text \(owner)")) }
            for argument in arguments {
                owners.append((table.take(argument, .text), "text {\(argument)}"))
            }
            key = owners.map(\.name) + [table.take("place", .integer)]
        }
        text.set("\(name).key", key.joined(separator: " "))
        for owner in owners { text.set("\(name).field.\(owner.name)", owner.value) }
        if table.key.isEmpty { text.set("\(name).field.\(key[key.count - 1])", "integer @place") }
        for line in table.lines { text.set("\(name).field.\(line.name)", line.value) }
        return DraftSummary.List(
            name: name, paging: stream.next?.split(separator: " ").first.map(String.init),
            isKeyPlace: table.key.isEmpty, isDirect: owner == nil && arguments.isEmpty)
    }

    /// A value of a parameter; words in braces stay.
    private static func spelled(_ value: String) -> String {
        value.hasPrefix("{") && value.hasSuffix("}") ? value : PercentEncoding.segment(value)
    }
}

/// The fields that a stream's schema declares.
struct AirbyteFields {
    private(set) var names: [[String]: String] = [:]
    private(set) var lines: [(name: String, value: String)] = []
    private(set) var key: [String] = []
    private var taken = DraftNames()

    /// - Parameter wanted: the places whose values children need.
    init(_ stream: AirbyteStream, wanted: [[String]]) {
        let properties = stream.schema?["properties"]?.members ?? []
        let times = stream.since.map { [$0.path] } ?? []
        for path in (stream.key + wanted + times).distinct {
            let declared = properties.first { path == [$0.name] }?.value
            let isTime = times.contains(path) && !stream.key.contains(path)
            let isNumber = declared.map { Self.types($0) == ["integer"] } ?? false
            add(path, isTime ? .time : isNumber ? .integer : .text, isLenient: false)
        }
        key = stream.key.compactMap { names[$0] }
        if key.count < stream.key.count { key = [] }
        let room = ItemState.declaredMax - lines.count - 3
        let others = properties.filter { names[[$0.name]] == nil && !stream.computed.contains($0.name) }
        for (name, schema) in others.prefix(max(0, room)) {
            let types = Self.types(schema), format = schema["format"]?.word ?? ""
            let type: ValueType =
                switch types {
                case ["string"]: format.hasPrefix("date") ? .time : .text
                case ["integer"]: .integer
                case ["number"], ["integer", "number"]: .real
                case ["boolean"]: .boolean
                default: .json
                }
            add([name], type, isLenient: type != .json)
        }
    }

    private static func types(_ schema: JSONValue) -> [String] {
        let words = schema["type"]?.word.map { [$0] } ?? schema["type"]?.elements.compactMap(\.word) ?? []
        return words.filter { $0 != "null" }.sorted()
    }

    mutating func take(_ name: String, _ type: ValueType) -> String { taken.take(name, type) }

    private mutating func add(_ path: [String], _ type: ValueType, isLenient: Bool) {
        let name = taken.take(path.joined(separator: "-"), type), stored = name.withUnderscores
        let word = type.rawValue + (isLenient ? "?" : "")
        let value = path == [stored] ? word : "\(word) \(JSONPath(path.map { .member($0) }))"
        // A member that no path can name is left out.
        guard (try? ResourceReader.field(stored, value, isDetail: false)) != nil,
            DraftText.line("field", value) != nil
        else { return }
        names[path] = name
        lines.append((name, value))
    }
}
