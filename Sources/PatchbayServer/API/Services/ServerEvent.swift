import PatchbayJSON

/// An event as `text/event-stream` has it. JSON has no line breaks of its own, so one line holds the data.
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
