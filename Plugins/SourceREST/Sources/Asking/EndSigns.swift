import PatchbayDomain
import PatchbayJSON

/// The members of an answer that usually state whether a list continues, wherever they are beside its rows.
struct EndSigns {
    /// A member with its path in the answer and its value as a definition and a message spell it.
    struct Sign: Equatable {
        let path: String
        let value: String
        /// The names of the objects around the member.
        fileprivate let place: [String]

        init(path: JSONPath, _ value: String) {
            (self.path, self.value) = (path.description, value)
            place = path.leadingNames.dropLast()
        }
    }

    /// A number of rows of the whole list.
    private(set) var total: Sign?
    /// A member that states that more rows follow.
    private(set) var more: Sign?
    /// A member that states that none follow.
    private(set) var noMore: Sign?
    /// The numbers of this page, counted from 0 or 1, and of the last one.
    private(set) var pages: (page: Int64, last: Int64, sign: Sign)?
    /// Members with a cursor or an address of a next page.
    private(set) var next: [Sign] = []

    /// Whether the cursor or address of a next page is beside a member that states that no more rows follow: the cursor
    /// after the last row, which some APIs name on the last page.
    func isSettled(_ next: Sign) -> Bool { noMore?.place == next.place }

    /// Members deeper than this are parts of rows.
    private static let depthMax = 3
    private static let totals: Set = [
        "total", "totalcount", "totalresults", "totalitems", "totalrecords", "totalrows", "totalelements",
        "numfound", "odata.count",
    ]
    private static let continuing: Set = [
        "more", "moreresults", "moreitems", "morerecords", "morerows", "morepages", "moredata",
        "moreavailable", "istruncated", "truncated", "nextpage",
    ]
    private static let ending: Set = [
        "last", "islast", "islastpage", "lastpage", "done", "isfinished", "endofstream",
    ]
    private static let nexts: Set = [
        "next", "nexturl", "nexturi", "nextlink", "nexthref", "nextpage", "nextpageurl", "nextpagelink",
        "nextpagetoken",
        "nextcursor", "nextpagecursor", "nexttoken", "nextoffset", "nextmarker", "nextcontinuation",
        "continuation", "continuationtoken", "odata.nextlink", "nextbatch", "afterurl", "aftercursor",
    ]
    private static let pageNumbers: Set = ["page", "currentpage", "pagenumber", "pageindex"]
    private static let lastPages: Set = [
        "lastpage", "totalpages", "pages", "pagecount", "pagestotal", "numpages",
    ]

    private static func isContinuing(_ folded: String) -> Bool {
        continuing.contains(folded) || folded.hasPrefix("hasmore") || folded.hasPrefix("hasnext")
    }

    private static func isNext(_ folded: String) -> Bool {
        nexts.contains(folded) || folded.hasPrefix("more") && folded.hasSuffix("url")
    }

    /// The place of the rows if their own members would be found; nil otherwise.
    private let rows: [String]?

    /// Finds the signs in a body; none in a body that is not JSON or not an object.
    ///
    /// - Parameter rows: the place of the rows, whose members are values.
    init(_ body: [UInt8], beside rows: JSONPath) {
        let names = rows.leadingNames
        self.rows = rows.steps.dropFirst(names.count).allSatisfy { $0 == .each } ? names : nil
        guard let value = BodyValue(at: JSONPath.whole, in: body) else { return }
        find(in: value, [], depth: 0)
    }

    private mutating func find(in value: BodyValue, _ path: [String], depth: Int) {
        guard depth < Self.depthMax, path != rows else { return }
        notePages(value.members, path)
        for (name, value) in value.members {
            let path = path + [name]
            note(value, folded: Self.folded(name), path)
            if case .object = value, Self.folded(name) == "continue" {
                // MediaWiki's: the member of its list, and one of the same name as the object.
                next += value.members.filter { $0.name != name }.compactMap { member in
                    member.value.word.map {
                        Sign(path: JSONPath(members: path + [member.name]), $0)
                    }
                }
            } else if case .object = value, Self.folded(name) == "lastevaluatedkey" {
                // DynamoDB's cursor is a key.
                let sign = Sign(path: JSONPath(members: path), "a key")
                more = value.isEmpty ? more : more ?? sign
            } else if case .object = value, name != "_shards" {
                // Elasticsearch counts its shards there.
                if Self.isNext(Self.folded(name)) { noteLink(value, path) }
                find(in: value, path, depth: depth + 1)
            }
        }
    }

    /// Notes the number of the page beside that of the last one.
    private mutating func notePages(_ members: [(name: String, value: BodyValue)], _ path: [String]) {
        func number(_ names: Set<String>) -> (name: String, value: Int64)? {
            for (name, value) in members where names.contains(Self.folded(name)) {
                if let number = value.word.flatMap(Int64.init(json:)) { return (name, number) }
            }
            return nil
        }
        guard let page = number(Self.pageNumbers), let last = number(Self.lastPages) else { return }
        let place = JSONPath(members: path + [last.name])
        pages = pages ?? (page.value, last.value, Sign(path: place, "\(last.value) on page \(page.value)"))
    }

    /// A name as the names of signs are spelled: in lower case, without separators.
    static func folded(_ name: String) -> String { name.lowercased().filter { !"_-@ ".contains($0) } }

    /// Notes a link that is an object: HAL's and JSON:API's `"next": {"href": ADDRESS}`.
    private mutating func noteLink(_ value: BodyValue, _ path: [String]) {
        for (name, value) in value.members where name == "href" || name == "url" {
            guard let word = value.word else { continue }
            next.append(Sign(path: JSONPath(members: path + [name]), word))
        }
    }

    private mutating func note(_ value: BodyValue, folded: String, _ path: [String]) {
        let spelled = value.word ?? (value == .boolean(true) ? "true" : "false")
        let sign = Sign(path: JSONPath(members: path), spelled)
        switch value {
        case .boolean(let isTrue) where Self.isContinuing(folded):
            if isTrue { more = more ?? sign } else { noMore = noMore ?? sign }
        case .boolean(let isTrue) where Self.ending.contains(folded):
            if isTrue { noMore = noMore ?? sign } else { more = more ?? sign }
        case .text, .number:
            guard let word = value.word else { break }
            if Self.totals.contains(folded), Int64(json: word) ?? -1 >= 0 { total = total ?? sign }
            if Self.isContinuing(folded), ["1", "true"].contains(word.lowercased()) {
                more = more ?? sign
            }
            if Self.isNext(folded) { next.append(sign) }
        default: break
        }
    }
}
