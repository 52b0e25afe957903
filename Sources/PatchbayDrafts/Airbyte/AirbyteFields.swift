import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// The fields that a stream's schema declares.
struct AirbyteFields {
    private(set) var names: [[String]: String] = [:]
    private(set) var types: [[String]: ValueType] = [:]
    private(set) var lines: [(name: String, value: String)] = []
    private(set) var key: [String] = []
    /// The members for which a resource has no room.
    private(set) var leftOut: [String] = []
    private var taken = DraftNames()

    /// Fields that the key of a stream without one may need.
    private static let ownersMax = 3

    /// The values of members that are arguments and fields of the parent.
    private let given: [String: (type: ValueType, text: String)]

    /// - Parameters:
    ///   - wanted: the places whose values children need.
    ///   - given: the values of members that are arguments and fields of the parent.
    ///   - reserved: the number of further fields for which there must be room.
    init(
        _ stream: AirbyteStream, wanted: [[String]], given: [String: (type: ValueType, text: String)] = [:],
        reserved: Int = 0
    ) {
        self.given = given
        let properties = stream.schema?["properties"]?.members ?? []
        let times = stream.since.map { [$0.path] } ?? []
        for path in (stream.key + wanted + times).distinct {
            let declared = properties.first { path == [$0.name] }?.value
            let isTime = times.contains(path) && !stream.key.contains(path)
            let isNumber = declared.map { Self.types($0) == ["integer"] } ?? false
            add(path, isTime ? .time : isNumber ? .integer : .text, isLenient: false, stream)
        }
        key = stream.key.compactMap { names[$0] }
        if key.count < stream.key.count { key = [] }
        let others = properties.filter {
            names[[$0.name]] == nil && (given[$0.name] != nil || !stream.computed.contains($0.name))
        }
        .map { (name: $0.name, type: Self.type($0.value)) }
        let room = max(
            0,
            ItemState.declaredMax - lines.count
                - (key.isEmpty || stream.isKeyGuessed ? Self.ownersMax : reserved)
        )
        let chosen = Set(others.indices.ordered { [others[$0].type == .json ? 1 : 0] }.prefix(room))
        leftOut = others.indices.filter { !chosen.contains($0) }.map { others[$0].name }
        for place in others.indices where chosen.contains(place) {
            add([others[place].name], others[place].type, isLenient: others[place].type != .json, stream)
        }
    }

    private static func types(_ schema: JSONValue) -> [String] {
        let words = schema["type"]?.word.map { [$0] } ?? schema["type"]?.elements.compactMap(\.word) ?? []
        return words.filter { $0 != "null" }.sorted()
    }

    private static func type(_ schema: JSONValue) -> ValueType {
        switch types(schema) {
        case ["string"]: (schema["format"]?.word ?? "").hasPrefix("date") ? .time : .text
        case ["integer"]: .integer
        case ["number"], ["integer", "number"]: .real
        case ["boolean"]: .boolean
        default: .json
        }
    }

    mutating func take(_ name: String, _ type: ValueType) -> String { taken.take(name, type) }

    /// Adds a field for the member at `path` of the connector's rows.
    private mutating func add(
        _ path: [String], _ type: ValueType, isLenient: Bool, _ stream: AirbyteStream
    ) {
        let given = path.count == 1 ? given[path[0]] : nil, type = given?.type ?? type
        let name = taken.take(path.joined(separator: "-"), type), stored = name.withUnderscores
        let word = type.rawValue + (isLenient && given == nil ? "?" : "")
        let place = path.first.flatMap { stream.moved[$0] }.map { $0 + path.dropFirst() } ?? path
        let member = JSONPath(members: place).description
        let value = given == nil && place == [stored] ? word : "\(word) \(given?.text ?? member)"
        // A member that no path can name is left out.
        guard (try? ResourceReader.field(stored, value, isDetail: false)) != nil,
            DraftText.line("field", value) != nil
        else { return }
        names[path] = name
        types[path] = type
        lines.append((name, value))
    }
}
