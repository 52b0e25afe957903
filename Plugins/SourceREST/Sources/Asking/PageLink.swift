import PatchbayCore
import PatchbayDomain

/// The link to a page, as it is stored: its address, and in the fragment what a request needs besides.
///
///     https://api.example.org/rows?page=3#40          the page's first row has this place
///     https://api.example.org/rows?page=3#since=0     the page belongs to the period that begins there
struct PageLink {
    let address: String
    /// The place of the page's first row in the list; 0 where no field has it.
    var place = 0
    /// The beginning of the period, in milliseconds since 1970; nil for a list that is not read in periods.
    var since: Int64?

    init(_ address: String) { self.address = address }

    /// Reads ``text``.
    init(reading text: String) {
        let parts = text.split(separator: "#", maxSplits: 1)
        address = String(parts.first ?? "")
        for word in parts.dropFirst().first?.split(separator: "&") ?? [] {
            if word.hasPrefix("since=") { since = Int64(word.dropFirst(6)) } else { place = Int(word) ?? 0 }
        }
    }

    var text: String {
        let words = (place == 0 ? [] : ["\(place)"]) + (since.map { ["since=\($0)"] } ?? [])
        return words.isEmpty ? address : address + "#" + words.joined(separator: "&")
    }
}

/// A period of a list that is read in periods, one after another (`NAME.window`).
struct Period {
    let start: Timestamp
    let end: Timestamp

    /// The first period of a list, or the one that a link belongs to; nil for a list that is not read in periods.
    init?(_ question: ListQuestion, next: PageLink?) {
        guard let since = question.resource.declaration.since, let length = since.window,
            let first = since.start, case .list(let name) = question.subject,
            question.resource.declaration.list(named: name)?.template.hasUntil == true
        else { return nil }
        var start = first
        if case .time(let time)? = question.since { start = time }
        if let time = next?.since { start = Timestamp(milliseconds: time) }
        self.start = start
        end = start.advanced(by: length)
    }

    /// The link to the first page of the period after this one, which has no rows if it would begin in the future.
    func next(_ question: ListQuestion, at now: Timestamp, _ server: RESTServer) throws -> String? {
        guard end <= now else { return nil }
        var link = PageLink(try ListRequest.start(question, from: end, server).text)
        link.since = end.milliseconds
        return link.text
    }
}
