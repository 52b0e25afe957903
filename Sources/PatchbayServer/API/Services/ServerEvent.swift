/// An event of a `text/event-stream`. The data is one line, because JSON contains no line breaks.
struct ServerEvent: Sendable {
    var id: String?
    let name: String
    /// JSON.
    let data: [UInt8]

    var text: [UInt8] {
        let id = id.map { "id: \($0)\n" } ?? ""
        return Array("\(id)event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
}
