import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// A stream of a manifest as the lines of a resource.
struct AirbyteStream {
    /// Why a stream cannot be expressed.
    struct Refusal: Error {
        let reason: String
    }

    /// A parameter with a time, and the form of the time if it is not the connector's.
    typealias TimeParameter = (name: String, form: String?)

    /// A server whose name is not in the manifest.
    enum Server: Hashable {
        case computed
        /// A setting of the connector is the server's name or address.
        case setting(String)
    }

    /// The field of the parent with the value of the parent's own partition.
    static let parentMark = "{\u{4}}"

    /// The stream's own name, and that of the resource.
    let original: String
    let name: String
    var url = ""
    var path = ""
    var parameters: [(name: String, value: String)] = []
    var send = ParameterPlace.query
    var rows = JSONPath.whole
    var next: String?
    var end: String?
    /// The place in the last row of the value with which the next page is requested.
    var lastPath: [String]?
    /// The parameters with the beginning and the end of an interval.
    var times: (start: TimeParameter?, end: TimeParameter?) = (nil, nil)
    /// Whether the manifest does not state where the first sync begins.
    var isStartGuessed = false
    /// Whether texts of the address or of parameters contain times.
    var hasTimes = false
    /// The connector's form of times; nil for one that a definition cannot express.
    var form: TimeForm?
    /// The parameter whose value is the place where the next page begins.
    var tokenParameter: String?
    var since: Since?
    /// The rows that are kept, as in `NAME.where`.
    var condition: String?
    /// The connector's settings that requests need.
    var settings: Set<String> = []
    /// The connector's names of settings.
    var originals: [String: String] = [:]
    var headers: [(name: String, value: String)] = []
    /// The headers and parameters of which the value is a secret of the connector's configuration.
    var secrets: [Definition.Authorization] = []
    /// The argument that has one of several values, and these or a setting with them.
    var each: (argument: String, values: [String])?
    var key: [[String]] = []
    /// Whether the key is a guess, because the manifest states none, or the connector changes it.
    var isKeyGuessed = false
    /// The parent's original name, the word for its value in templates, and the place of the value in its rows.
    var parent: (stream: String, partition: String, path: [String])?
    /// Where requests have the values of partitions besides texts.
    var partitionOptions: [(option: Component, field: String, value: String)] = []
    /// The parameters that only these add.
    var partitionParameters: Set<String> = []
    /// Texts with computed values that requests lack, and where the connector sends them.
    var unsent: [(written: String, how: String)] = []
    /// The parent as the connector describes it, which need not be one of its lists.
    var parentStream: Component?
    var schema: JSONValue?
    /// The members that the connector adds to rows.
    var computed: Set<String> = []
    /// The members of which the connector changes the values.
    var changed: Set<String> = []
    /// The places of the values of members that the connector copies.
    var moved: [String: [String]] = [:]
    /// The arguments and fields of the parent whose values the connector adds to rows.
    var given: [String: String] = [:]
    /// What else changes the connector's rows: names of transformations.
    var changes: [String] = []
    /// How the server is known, if its name is not in the manifest.
    var server: Server?
    /// What was left out, and what the reader of the definition must know.
    var notes: [String] = []
    /// What is doubtful about the pages.
    var doubts: [DraftDoubt] = []
    /// What the summary has to name, because requests or rows lack it.
    var lacks: [AirbyteLack] = []

    let manifest: AirbyteManifest
    var values: [String: String] = [:]

    typealias Component = AirbyteManifest.Component

    init(_ stream: Component, named name: String, in manifest: AirbyteManifest) throws(Refusal) {
        original = stream.value["name"]?.word ?? name
        self.name = name
        self.manifest = manifest
        try Self.checkType(stream, ["DeclarativeStream", ""], manifest)
        let retriever = try part("retriever", of: stream, ["SimpleRetriever", ""])
        let requester = try part("requester", of: retriever, ["HttpRequester", ""])
        readKey(stream)
        if let decoder = manifest.component("decoder", of: retriever),
            manifest.component("parser", of: decoder)?.type != "JsonParser"
        {
            try Self.checkType(decoder, ["JsonDecoder", ""], manifest)
        }
        readSchema(manifest.component("schema_loader", of: stream))
        let cursor =
            manifest.component("incremental_sync", of: stream)
            ?? manifest.component("incremental_sync", of: retriever)
            ?? manifest.component("stream_slicer", of: retriever)
        form = Self.form(cursor?.value["datetime_format"]?.word ?? "")
        try readPartition(manifest.components("partition_router", of: retriever))
        try readRequest(requester)
        try checkPartitions()
        try readRows(try part("record_selector", of: retriever, ["RecordSelector", ""]))
        try readPages(manifest.component("paginator", of: retriever))
        try readTimes(cursor)
        checkLaterPages(retriever)
        readChanges(stream)
        let isKeyStated = !key.isEmpty
        dropComputed()
        if !isKeyStated { guessKey() }
    }

    /// Takes a member that lists of its rows need as the key of a stream without one.
    mutating func guessKey(at path: [String]) {
        guard key.isEmpty, !path.isEmpty, !computed.contains(path[0]) else { return }
        key = [path]
        isKeyGuessed = true
        let shown = DraftWords.shown(path.joined(separator: "/"))
        note("the stream has no primary key, for which \(shown), which other lists need, is a guess")
    }

    /// Whether requests need the row to which the parent's row belongs.
    var namesGrandparent: Bool {
        path.contains(Self.parentMark) || parameters.contains { $0.value.contains(Self.parentMark) }
            || given.values.contains(Self.parentMark)
    }

    static func checkType(
        _ component: Component, _ types: [String], _ manifest: AirbyteManifest
    ) throws(Refusal) {
        if let name = component.className {
            throw Refusal(
                reason: "needs the Python class \(DraftWords.shown(name))\(manifest.place(of: name))")
        }
        guard types.contains(component.type) else {
            throw Refusal(
                reason: "has a \(DraftWords.shown(component.type))\(manifest.place(of: component.type))")
        }
    }

    func part(_ name: String, of parent: Component, _ types: [String]) throws(Refusal) -> Component {
        guard let component = manifest.component(name, of: parent) else {
            throw Refusal(reason: "has no \(name)")
        }
        try Self.checkType(component, types, manifest)
        return component
    }

    // MARK: Rows

    private mutating func readRows(_ selector: Component) throws(Refusal) {
        let extractor = try part("extractor", of: selector, ["DpathExtractor", ""])
        var steps: [JSONPath.Step] = []
        for step in (extractor.value["field_path"] ?? extractor.value["field_pointer"])?.elements ?? [] {
            steps.append(try self.step(step, extractor))
        }
        if let expander = manifest.component("record_expander", of: extractor) {
            if !steps.isEmpty { steps.append(.each) }
            for step in expander.value["expand_records_from_field"]?.elements ?? [] {
                steps.append(try self.step(step, expander))
            }
            // Members that the connector adds.
            let copied = manifest.components("parent_fields_to_copy", of: expander)
            computed.formUnion(["original_record"] + copied.compactMap { $0.value["target_field"]?.word })
        }
        rows = JSONPath(steps)
        guard let filter = manifest.component("record_filter", of: selector) else { return }
        try Self.checkType(filter, ["RecordFilter", ""], manifest)
        let written = filter.value["condition"]?.word ?? ""
        condition = Self.condition(written)
        guard condition == nil else { return }
        lacks.append(.filter)
        note("rows are not filtered", written.isEmpty ? "record_filter" : written)
    }

    private func step(_ written: JSONValue, _ component: Component) throws(Refusal) -> JSONPath.Step {
        let word = AirbyteTemplate(written.word ?? "", component.parameters).literal
        // Rows at any depth have no path.
        guard let word, word != "**" else {
            throw Refusal(reason: "computes the place of its rows\(manifest.place(of: written.word ?? ""))")
        }
        return word == "*" ? .each : .member(word)
    }

    /// `{{ record.kind == 'a' }}` or `{{ not record.hidden }}` as a condition of a definition; nil for another
    /// expression.
    private static func condition(_ text: String) -> String? {
        let form = /\{\{\s*(not\s+)?(record[.\[][^=!<>]*?)\s*(?:(==|!=)\s*["']([^"'{}]+)["'])?\s*\}\}/
        guard let match = text.trimmed.wholeMatch(of: form)?.output,
            case .record(let member)? = AirbyteTemplate("{{\(match.2)}}").expression,
            let path = DraftPaging.spelled(member)
        else { return nil }
        guard let value = match.4 else { return (match.1 == nil ? "" : "not ") + path }
        return match.1 == nil ? "\(path) \(match.3 == "==" ? "=" : "!=") \(value)" : nil
    }

    private mutating func readKey(_ stream: Component) {
        guard let key = stream.value["primary_key"] else { return }
        let paths = key.elements.isEmpty ? [key] : key.elements
        self.key = paths.map { path in
            path.word.map { [AirbyteTemplate($0, stream.parameters).literal ?? ""] }
                ?? path.elements.compactMap(\.word)
        }.filter { !$0.isEmpty && $0 != [""] }
    }

    /// Takes a declared member whose name is that of an id, because a place in the list is a weak key.
    private mutating func guessKey() {
        guard let properties = schema?["properties"] else { return }
        let name = ["id", "_id", "uuid", "guid", "gid", "Id", "ID"].first { name in
            guard let type = properties[name]?["type"], !computed.contains(name) else { return false }
            let types = type.word.map { [$0] } ?? type.elements.compactMap(\.word)
            return types.contains { ["integer", "string"].contains($0) }
        }
        guard let name else { return }
        key = [[name]]
        isKeyGuessed = true
        note("the stream has no primary key, for which \(name) is a guess")
    }

    private mutating func readSchema(_ loader: Component?) {
        if let schema = loader.flatMap({ manifest.object("schema", of: $0) }) {
            self.schema = schema
            return
        }
        let file = loader?.value["file_path"]?.word.flatMap {
            AirbyteTemplate($0, loader?.parameters ?? [:]).literal
        }
        let names = [file?.split(separator: "/").last.map(String.init), "\(original).json"].compactMap(\.self)
        // A schema that cannot be read is as good as none, which a note states.
        for name in names {
            guard let text = try? manifest.reading("schemas/\(name)") else { continue }
            schema = try? JSONValue(text)
            return
        }
        note("no schema was found, so only the key is declared")
    }
}
