import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads the lists of which a stream consists: one for each row of its parent, or for each of several values.
extension AirbyteStream {
    mutating func readPartition(_ routers: [Component]) throws(Refusal) {
        var parents: [Parent] = []
        for router in routers {
            try Self.checkType(
                router,
                [
                    "SubstreamPartitionRouter", "ListPartitionRouter", "SinglePartitionRouter",
                    "SingleSlice", "SubstreamSlicer", "ListStreamSlicer", "",
                ], manifest)
            if router.type.hasPrefix("List") {
                readList(router)
            } else if !router.type.hasPrefix("Single") {
                parents.append(try readParent(of: router))
            }
        }
        // Of all pairs that the connector requests, the ones of a row and its own parent exist.
        if parents.count == 2, belongs(parents[0], to: parents[1]) { parents.swapAt(0, 1) }
        guard let inner = parents.last else { return }
        guard parents.count == 1 || parents.count == 2 && belongs(inner, to: parents[0]) else {
            throw Refusal(reason: "belongs to rows of several streams")
        }
        if parents.count == 2 { add(parents[0], as: Self.parentMark) }
        // The field's name is known when the parent has been read.
        let word = "{\u{1}}"
        parentStream = inner.stream
        let key = inner.key.split { ".[]'\"".contains($0) }.map(String.init)
        parent = (inner.stream.value["name"]?.word ?? "", word, key)
        add(inner, as: word)
    }

    /// A stream whose rows have lists, the member of a row that requests need, and the name of its value.
    private struct Parent {
        let stream: Component
        let key: String
        let field: String
        let option: Component?
    }

    private mutating func readList(_ router: Component) {
        guard let field = router.value["cursor_field"]?.word else { return }
        let argument = "{\(DraftWords.name(field, other: "value"))}"
        values[field] = argument
        readValues(of: router, as: String(argument.dropFirst().dropLast()))
        if let option = manifest.component("request_option", of: router) {
            partitionOptions.append((option, field, argument))
        }
    }

    private func readParent(of router: Component) throws(Refusal) -> Parent {
        let configurations = manifest.components("parent_stream_configs", of: router)
        guard let parent = configurations.first else {
            throw Refusal(reason: "does not say to which stream it belongs")
        }
        guard configurations.count == 1 else { throw Refusal(reason: "belongs to rows of several streams") }
        guard let stream = manifest.parent(in: parent), let key = parent.value["parent_key"]?.word,
            let field = parent.value["partition_field"]?.word
        else { throw Refusal(reason: "does not say to which stream it belongs") }
        return Parent(
            stream: stream, key: key, field: field, option: manifest.component("request_option", of: parent))
    }

    /// Whether the rows of a stream belong to those of another one, and are requested with the same member of these.
    private func belongs(_ inner: Parent, to outer: Parent) -> Bool {
        let routers = manifest.component("retriever", of: inner.stream).map {
            manifest.components("partition_router", of: $0)
        }
        let configurations = (routers ?? []).flatMap { manifest.components("parent_stream_configs", of: $0) }
        guard configurations.count == 1, let owner = manifest.parent(in: configurations[0]) else {
            return false
        }
        return owner.value["name"]?.word == outer.stream.value["name"]?.word
            && configurations[0].value["parent_key"]?.word == outer.key
    }

    private mutating func add(_ parent: Parent, as word: String) {
        values[parent.field] = word
        if let option = parent.option { partitionOptions.append((option, parent.field, word)) }
    }

    /// The values of a list of partitions: as they are, or a setting that has them with commas between.
    private mutating func readValues(of router: Component, as argument: String) {
        if case .setting(let name, _)? = AirbyteTemplate(router.value["values"]?.word ?? "").expression {
            return add(argument, ["{\(setting(name))}"])
        }
        let values = manifest.object("values", of: router)?.elements.compactMap(\.word) ?? []
        let spelled = values.map { PercentEncoding.segment($0) }.distinct
        if spelled.isEmpty { return notes.append("{\(argument)} is an argument") }
        add(argument, spelled)
    }

    /// Renames arguments whose names a definition refuses, because they are reserved, or almost those of settings.
    mutating func renameArguments(besides settings: [String]) {
        var arguments = DraftArguments(settings: settings)
        for (field, value) in values.sorted(by: { $0.key < $1.key })
        where value != parent?.partition && value != Self.parentMark {
            let argument = String(value.dropFirst().dropLast())
            let free = arguments.take(argument, suffix: "-value"), renamed = "{\(free)}"
            guard free != argument else { continue }
            values[field] = renamed
            path = path.replacing(value, with: renamed)
            for place in parameters.indices { parameters[place].value.replace(value, with: renamed) }
            given = given.mapValues { $0 == value ? renamed : $0 }
            notes = notes.map { $0.replacing(value, with: renamed) }
            if each?.argument == argument { each?.argument = free }
        }
    }

    /// Adds the values of an argument. A definition has those of one argument only.
    private mutating func add(_ argument: String, _ values: [String]) {
        guard each != nil else {
            each = (argument, values)
            return
        }
        notes.append("{\(argument)} is an argument, one of \(DraftWords.list(values))")
    }

    /// Adds the parameters with values of partitions.
    mutating func addPartitions() {
        for (option, field, value) in partitionOptions {
            guard isSent(option) else {
                let place = option.value["inject_into"]?.word ?? ""
                unsent.append(("stream_partition.\(field)", "in \(DraftWords.shown(place))"))
                continue
            }
            guard let name = fieldName(of: option) else {
                unsent.append(("stream_partition.\(field)", "in a parameter whose name is not written out"))
                continue
            }
            partitionParameters.insert(name)
            parameters.append((name, value))
        }
    }

    /// Refuses a stream whose requests lack the value of a partition, because the answers would have the rows of one
    /// partition, or other rows.
    func checkPartitions() throws(Refusal) {
        func isSent(_ value: String) -> Bool {
            path.contains(value) || parameters.contains { $0.value.contains(value) }
        }
        for (field, value) in values.sorted(by: { $0.key < $1.key }) where !isSent(value) {
            if let (written, how) = unsent.first(where: { Self.mentions(field, in: $0.written) }) {
                throw Refusal(reason: "sends the value of its partition \(how)\(manifest.place(of: written))")
            }
        }
        for (written, _) in unsent {
            guard let name = Self.members(of: written).first(where: { values[$0] == nil }) else { continue }
            throw Refusal(
                reason:
                    "needs \(DraftWords.shown(name)), which no partition has\(manifest.place(of: written))")
        }
        guard let parent, !isSent(parent.partition), !namesGrandparent else { return }
        throw Refusal(reason: "does not send which row of \(DraftWords.shown(parent.stream)) it belongs to")
    }

    /// Whether a text has the value of the partition's field, or the whole partition.
    private static func mentions(_ field: String, in text: String) -> Bool {
        let isWhole = text.firstMatch(of: /stream_(?:slice|partition)\s*(?![\w\s.\[])/) != nil
        return isWhole || members(of: text).contains(field)
    }

    /// The values of partitions that a text reads.
    private static func members(of text: String) -> [String] {
        let form = /stream_(?:slice|partition)\s*(?:\[|\.\s*get\(|\.)\s*["']?([A-Za-z_0-9]+)/
        let times = ["start_time", "start_date", "start", "end_time", "end_date", "end", "get"]
        return text.matches(of: form).map { String($0.output.1) }.filter { !times.contains($0) }
    }
}
