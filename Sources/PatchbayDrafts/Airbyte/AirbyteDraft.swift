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
    /// The streams that are drafted, unless their lines have a fault.
    private(set) var drafted: [AirbyteStream] = []
    private var refused: [(name: String, reason: String)] = []
    /// The fields of a stream's resource by the path of their values.
    private(set) var fields: [String: AirbyteFields] = [:]
    /// The fields with the row or the argument to which the rows of a stream belong, for children that need these.
    private(set) var ownerFields: [String: (name: String, type: ValueType)] = [:]

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
            let other = manifest.dynamicCount > 0 ? "fixed " : ""
            let reasons = (refused + unread).prefix(3).map { "\($0.name) \($0.reason)" }
            throw PatchbayError(
                .invalidValue,
                "\(source) is a manifest of Airbyte without a stream that a definition can express: "
                    + (reasons.isEmpty ? "it has no \(other)streams" : reasons.joined(separator: "; ")))
        }
        for stream in try wanted(only) {
            if HTTPAddress(stream.url)?.origin == origin {
                drafted.append(stream)
            } else {
                refuse(stream, "is at another server")
            }
        }
        drafted = withEqualHeaders(drafted)
        var head = DraftText()
        head.comment(
            "Drafted from the Airbyte manifest \(DraftWords.shown(source)): read the comments and check "
                + "the definition.")
        let settings = drafted.reduce(into: Set<String>()) { $0.formUnion($1.settings) }
        for place in drafted.indices { drafted[place].renameArguments(besides: settings.sorted()) }
        head.set("format", "1")
        let server = streams.first { HTTPAddress($0.url)?.origin == origin && $0.server != nil }?.server
        let host = server == nil ? origin : String(origin.dropLast("invalid".count))
        let named = settings.reduce(host) { $0.replacing(DraftSettings.marked($1) + ".", with: "") }
        head.set("api", DraftWords.name(DraftPath.api(ofOrigin: named), other: "api", bytesMax: 24))
        if let server { writeServer(server, &head) }
        head.set("base-url", DraftSettings.written(origin, settings))
        let originals = streams.reduce(into: [:]) { $0.merge($1.originals) { first, _ in first } }
        for setting in settings.sorted() {
            let words = originals[setting].flatMap(manifest.words)
            // Words that a line cannot have.
            if let words, head.set("setting.\(setting)", words) { continue }
            head.set("setting.\(setting)", "the connector's setting of this name")
        }
        writeAuthorization(&head)
        writeSecondSecret(&head)
        writePace(&head)
        var body = head
        write(drafted, to: &body)
        guard !summary.lists.isEmpty else {
            throw PatchbayError(
                .invalidValue,
                "no stream of \(source) can be expressed: "
                    + refused.prefix(3).map { "\($0.name) \($0.reason)" }.joined(separator: "; "))
        }
        let lists = Set(summary.lists.map(\.name))
        summarize(streams.filter { lists.contains($0.name) })
        if !refused.isEmpty {
            body.blank()
            for (name, reason) in refused { body.comment("Left out: \(name) \(reason).") }
            summary.leftOut += refused.map { "\($0.name) \($0.reason)" }
        }
        if manifest.dynamicCount > 0 {
            let lists = "the lists that the connector makes from answers (dynamic_streams)"
            body.blank()
            body.comment("Left out: \(lists).")
            summary.leftOut.append(lists)
        }
        text = body.text
    }

    private mutating func readStreams() {
        var names: Set<String> = []
        var waiting = manifest.streams[...], originals = Set(waiting.compactMap { $0.value["name"]?.word })
        while let stream = waiting.popFirst() {
            let original = stream.value["name"]?.word ?? "rows"
            var name = DraftWords.name(original, other: "rows", bytesMax: 40)
            if ["header", "error"].contains(name) { name += "s" }
            while !names.insert(name).inserted { name += "-2" }
            do throws(AirbyteStream.Refusal) {
                let stream = try AirbyteStream(stream, named: name, in: manifest)
                streams.append(stream)
                // A parent may be requested only for its children.
                if let parent = stream.parentStream, let other = parent.value["name"]?.word,
                    originals.insert(other).inserted
                {
                    waiting.append(parent)
                }
            } catch {
                refused.append((name, error.reason))
            }
        }
        for parent in streams.compactMap(\.parent) {
            for place in streams.indices where streams[place].original == parent.stream {
                streams[place].guessKey(at: parent.path)
            }
        }
    }

    mutating func refuse(_ stream: AirbyteStream, _ reason: String) { refused.append((stream.name, reason)) }

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
    private mutating func write(_ wanted: [AirbyteStream], to text: inout DraftText) {
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
                var trial = text
                let own = children.filter { $0.parent?.stream == stream.original }.compactMap {
                    $0.parent?.path
                }
                let list = write(stream, wanted: own, to: &trial)
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
        _ stream: AirbyteStream, wanted: [[String]], to text: inout DraftText
    ) -> DraftSummary.List {
        let name = stream.name
        text.blank()
        for note in stream.notes { text.comment("\(note.prefix(1).uppercased())\(note.dropFirst()).") }
        let owner = owner(of: stream)
        let outer = outerOwner(of: stream)
        let given = stream.given.mapValues { value -> (type: ValueType, text: String) in
            if value == AirbyteStream.parentMark, let outer { return (outer.type, outer.text) }
            return value == stream.parent?.partition ? owner ?? (.text, value) : (.text, value)
        }
        let isGrandparent = streams.contains {
            $0.parent?.stream == stream.original && $0.namesGrandparent
        }
        let undeclared = stream.undeclaredLastPath.map { [$0] } ?? []
        var table = AirbyteFields(
            stream, wanted: wanted + undeclared, given: given, reserved: isGrandparent ? 1 : 0)
        fields[stream.original] = table
        var since = stream.since, parameters = stream.parameters
        // A list whose rows are identified by their places is always requested whole, and so is one without a time.
        let isTime = since.map { table.types[$0.path] == .time } ?? true
        if table.key.isEmpty || !isTime, let given = since, let parameter = given.parameter {
            if let start = Timestamp(given.start) {
                parameters.append((parameter, PercentEncoding.segment(given.form.text(of: start))))
            }
            since = nil
        }
        var template = Self.template(stream, parameters)
        if let owner, let parent = stream.parent {
            template = template.replacing(parent.partition, with: owner.text)
            // Without such a field the template is a fault, which leaves the stream out.
            if let outer { template = template.replacing(AirbyteStream.parentMark, with: outer.text) }
        }
        text.set("\(name).path", template)
        if stream.send != .query { text.set("\(name).send", stream.send.rawValue) }
        if stream.rows != .whole { text.set("\(name).rows", stream.rows.description) }
        for path in undeclared {
            guard let field = table.names[path] else { continue }
            text.comment("No schema declares \(field), the place in the list; its type is a guess.")
        }
        if let next = stream.next { text.set("\(name).next", next) }
        if let end = stream.end { text.set("\(name).end", end) }
        for (header, value) in stream.headers
        where !text.lines.contains(where: { $0.hasPrefix("header.\(header) =") }) {
            guard !text.set("header.\(header)", value) else { continue }
            summary.leftOut.append("the header \(DraftWords.shown(header)) of \(name)")
        }
        if let since, isTime, let field = table.names[since.path] {
            let words = [since.parameter, field].compactMap(\.self)
            let form = since.parameter == nil || since.form == .iso8601 ? [] : [since.form.description]
            text.set("\(name).since", (words + form).joined(separator: " "))
            text.set("\(name).since-start", since.start)
            if let window = since.window { text.set("\(name).window", window) }
            if let overlap = since.overlap { text.set("\(name).since-overlap", overlap) }
        } else if !isTime {
            let field = stream.since.flatMap { table.names[$0.path] }
            text.comment(
                "Later syncs fetch the whole list, because "
                    + (field.map { "\($0) is a part of the key, which is not a time." }
                        ?? "no path can name the member with the time."))
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
        }
        // The rows of two lists may have the same one.
        if key.isEmpty || stream.isKeyGuessed {
            if let owner {
                let name = table.take("parent-id", owner.type)
                owners.append((name, "\(owner.type.rawValue) \(owner.text)"))
            }
            // A row of the parent may be identified by several of its fields.
            if stream.namesGrandparent, let outer {
                let name = table.take("parent-\(outer.name)", outer.type)
                owners.append((name, "\(outer.type.rawValue) \(outer.text)"))
            }
            for argument in arguments {
                owners.append((table.take(argument, .text), "text {\(argument)}"))
            }
            key = owners.map(\.name) + (key.isEmpty ? [table.take("place", .integer)] : key)
        }
        if isGrandparent, let text = owner?.text ?? arguments.first.map({ "{\($0)}" }) {
            let type = owner?.type ?? .text
            if owners.isEmpty {
                owners.append((table.take("parent-id", type), "\(type.rawValue) \(text)"))
            }
            ownerFields[stream.original] = (owners[0].name, type)
        }
        text.set("\(name).key", key.joined(separator: " "))
        for owner in owners { text.set("\(name).field.\(owner.name)", owner.value) }
        if table.key.isEmpty { text.set("\(name).field.\(key[key.count - 1])", "integer @place") }
        for line in table.lines { text.set("\(name).field.\(line.name)", line.value) }
        if !table.leftOut.isEmpty {
            text.comment(
                "Left out, because a resource has at most \(ItemState.declaredMax) fields: "
                    + "\(DraftWords.list(table.leftOut, max: 30)).")
        }
        return DraftSummary.List(
            name: name, paging: stream.next?.split(separator: " ").first.map(String.init),
            isKeyGuess: stream.isKeyGuessed, isKeyPlace: table.key.isEmpty, doubts: stream.doubts,
            isDirect: owner == nil && arguments.isEmpty)
    }
}
