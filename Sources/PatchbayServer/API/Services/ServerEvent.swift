import PatchbayJSON

/// An event of a `text/event-stream`. The data is one line, because the JSON contains no line breaks.
struct ServerEvent: Sendable {
    var id: String?
    let name: String
    let data: JSONValue

    var text: [UInt8] {
        var json = JSONWriter()
        json.value(data)
        let id = id.map { "id: \($0)\n" } ?? ""
        return Array("\(id)event: \(name)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}
