import PatchbayCore
import PatchbayDomain

/// A parsed link of a scripted list: `NAME page 2`.
struct ScriptedLink {
    let name: String
    let number: Int

    init(_ link: String) throws {
        guard let range = link.ranges(of: " page ").last, let number = Int(link[range.upperBound...]) else {
            throw ScriptedFeed.invalid(link)
        }
        name = String(link[..<range.lowerBound])
        self.number = number
    }
}

/// A page of the source.
struct ScriptedPage: Hashable, Sendable {
    var rows: [ScriptedFeed.Row]
    var next: String?
    var isFull: Bool
    var pageCount: Int64?
    var total: Int64?
    var isIncomplete = false
    var cap: Int64?

    init(_ rows: [ScriptedFeed.Row], next: String?, size: Int) {
        self.rows = rows
        self.next = next
        isFull = rows.count == size
    }

    func items(of resource: Resource) throws -> ItemPage {
        var page = ItemPage(try rows.map { try ScriptedFeed.item($0, of: resource) }, next: next)
        page.isFull = isFull
        page.pageCount = pageCount
        page.total = total
        page.isIncomplete = isIncomplete
        page.cap = cap
        return page
    }
}
