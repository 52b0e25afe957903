import PatchbayDomain
import PatchbayJSON

/// How the pages of a list follow each other, as far as sample answers show.
struct DraftPaging {
    /// The value of `NAME.next`; nil when nothing was recognised.
    private(set) var next: String?
    /// The value of `NAME.end`.
    private(set) var end: String?
    private(set) var comments: [String] = []
    /// What the summary has to name.
    var doubts: [DraftDoubt] = []
    /// The parameters that paging sets, which the address of the list must not have.
    private(set) var parameters: Set<String> = []

    let samples: [DraftSample]
    let rows: JSONPath
    /// The path of the key in a row, and the field's name.
    let key: (path: [String], field: String)?
    var isDescribed: Bool { samples.first?.isDescribed ?? false }
    let members: [(path: [String], value: JSONValue)]

    /// The maximum number of answers that are compared with each other.
    private static let samplesMax = 50

    /// - Parameters:
    ///   - rows: the place of the rows in each answer.
    ///   - key: the path of the key in a row, and the field's name.
    ///   - fields: the names of the fields with JSON by the names of their members.
    init(
        _ samples: [DraftSample], rows: JSONPath, key: (path: [String], field: String)?,
        json fields: [String: String]
    ) {
        self.samples = Array(samples.prefix(Self.samplesMax))
        (self.rows, self.key) = (rows, key)
        members = self.samples.flatMap { DraftPaging.members(of: $0.body) }
        if isDescribed {
            // A document describes every way to request a page.
            let counters = self.samples.flatMap(\.parameters).filter { name, value in
                (isPageNumber(name) || isOffset(name)) && Int64(value) != nil
            }
            parameters.formUnion(counters.map(\.name))
            _ =
                address() || declaredCursor() || declaredHeader() || link() || number() || offset()
                || declaredLast() || declaredNumber() || declaredLinks() || guessedCursor() || guessedLink()
        } else {
            let found =
                link() || address() || sentMembers(fields) || cursor() || number() || offset()
                || last()
            if !found { _ = guessedCursor() || guessedNumber() || guessedLast() || guessedSize() }
        }
        if ["page", "offset", "last"].contains(where: { next?.hasPrefix($0) == true }) { addEnd() }
        if next?.hasPrefix("cursor") == true { addLastPage() }
        guard next == nil else { return }
        if isDescribed {
            let parameter = samples.lazy.flatMap(\.cursorOptions).first.map {
                "; the parameter \(DraftWords.shown($0)) may take a place in the list"
            }
            comments.append(
                "the document does not show how pages follow\(parameter ?? ""); if the list has further pages, add "
                    + "NAME.next")
            return
        }
        comments.append(
            "\(reason); if the list has further pages, add a line such as NAME.next = page PARAM, "
                + "NAME.next = offset PARAM or NAME.next = cursor PARAM PATH, because without one only a Link header "
                + "is followed")
    }

    /// Why the draft does not say how pages follow.
    private var reason: String {
        if let more { return "the member \(more) shows whether there is more, but not how to request it" }
        guard let total else { return "no further pages were seen" }
        return "the value of \(DraftWords.shown(total)) is more than the number of rows here, "
            + "but the answer does not show how to request the others"
    }

    // MARK: Certain

    private mutating func link() -> Bool {
        guard samples.contains(where: { $0.next != nil }) else { return false }
        return set("link", sending: moved { $0.next }, "the Link header names the next page")
    }

    private mutating func address() -> Bool {
        let found = members.first { path, value in
            guard case .text(let text) = value, DraftPaging.isNext(path) else { return false }
            return text.hasPrefix("http://") || text.hasPrefix("https://") || text.hasPrefix("/")
                || isBesidePrevious(path)
        }
        guard let found, let path = DraftPaging.spelled(found.path) else { return false }
        let sending = moved { sample in
            DraftPaging.members(of: sample.body).first { $0.path == found.path }?.value.word
        }
        return set(
            "url \(path)", sending: sending,
            "the member \(path) contains the address of the next page")
    }

    /// Whether a document's answer has `next`, `previous` and `results`, as the pages of Django REST framework have,
    /// where the first two are addresses.
    private func isBesidePrevious(_ path: [String]) -> Bool {
        let others = ["previous", "results"].map { Array(path.dropLast()) + [$0] }
        return isDescribed && path.last == "next" && !options.contains("next")
            && others.allSatisfy { other in members.contains { $0.path == other } }
    }

    /// Finds a value in one answer that was sent with another request.
    private mutating func cursor() -> Bool {
        for sample in samples {
            for (path, value) in DraftPaging.members(of: sample.body) {
                guard let word = value.word, !word.isEmpty, let spelled = DraftPaging.spelled(path),
                    !DraftPaging.isCount(path, value), let parameter = sent(word, after: sample)
                else { continue }
                return set(
                    "cursor \(parameter) \(spelled)", sending: [parameter],
                    "the value of \(spelled) was sent as \(DraftWords.shown(parameter)) with another request")
            }
        }
        return false
    }

    /// Finds an object or an array, in an answer or its last row, whose values were sent with another request.
    private mutating func sentMembers(_ fields: [String: String]) -> Bool {
        for sample in samples {
            let values = DraftPaging.members(of: sample.body, withObjects: true)
            for (path, value) in values {
                guard let path = DraftPaging.spelled(path),
                    let sent = SentMembers(value, after: sample, samples)
                else { continue }
                return set(
                    "cursor \(sent.parameter ?? "*") \(path)", sending: sent.names,
                    "the values in \(path) were sent with another request")
            }
            for (member, value) in RowPlaces.rows(at: rows, in: sample.body)?.last?.members ?? [] {
                guard let field = fields[member],
                    let sent = SentMembers(value, after: sample, samples), let parameter = sent.parameter
                else { continue }
                return set(
                    "last \(parameter) \(field)", sending: sent.names,
                    "the values in the last row's \(field) were sent with another request")
            }
        }
        return false
    }

    /// The parameter in which another request sent a value.
    private func sent(_ word: String, after sample: DraftSample) -> String? {
        for other in samples {
            let found = other.parameters.first { name, value in
                value == word && !DraftPaging.isCounter(name) && DraftPaging.isWord(name)
                    && !sample.parameters.contains { $0.name == name && $0.value == word }
            }
            if let found { return found.name }
        }
        return nil
    }

    private mutating func number() -> Bool {
        guard let (name, values) = parameter(where: isPageNumber) else { return false }
        let isStated = samples[0].roles[name] != .page(first: nil)
        // Counting from 0 requests the first page twice if pages count from 1, and counting from 1 loses a page if they
        // count from 0. Only rows that their place identifies would be stored twice.
        let unstated: Int64 = key == nil ? 1 : 0
        let first = isStated ? (values.contains { Int64($0) == 0 } ? 0 : 1) : unstated
        return set(
            "page \(name)\(first == 0 ? " 0" : "")",
            "the parameter \(name) is the number of the page"
                + (isStated ? "" : "; that the first is \(first) is a guess"),
            doubt: isStated ? nil : .firstPage(taken: first))
    }

    private mutating func offset() -> Bool {
        guard let (name, values) = parameter(where: isOffset) else { return false }
        let place =
            isDescribed && values[0] == "1"
            ? "of the page's first row, counted from 1" : "of rows before the page"
        return set("offset \(name)", "the parameter \(name) is the number \(place)")
    }

    private mutating func parameter(where fits: (String) -> Bool) -> (name: String, values: [String])? {
        let all = samples.flatMap(\.parameters)
        let found = all.first { fits($0.name) && Int64($0.value) != nil }
        guard let name = found?.name, DraftPaging.isWord(name) else { return nil }
        let values = all.filter { $0.name == name }.map(\.value)
        // A document's list that begins at 1 has this number in its address.
        let isStart = isDescribed && isOffset(name) && values[0] != "0"
        if isStart { parameters.remove(name) } else { parameters.insert(name) }
        return (name, values)
    }

    /// Finds the key of the last row of one answer in another request.
    private mutating func last() -> Bool {
        guard let key else { return false }
        for sample in samples {
            guard let row = RowPlaces.rows(at: rows, in: sample.body)?.last,
                let word = row.word(at: key.path), let parameter = sent(word, after: sample)
            else { continue }
            return set(
                "last \(parameter) \(key.field)", sending: [parameter],
                "another request sent the last row's \(key.field) as \(DraftWords.shown(parameter))")
        }
        return false
    }

    /// The name of a member with a number of rows that the only answer does not have.
    var total: String? {
        guard samples.count == 1, !samples[0].isDescribed,
            let count = RowPlaces.rows(at: rows, in: samples[0].body)?.count
        else { return nil }
        return members.first { path, value in
            guard let name = path.last, case .number(let text) = value else { return false }
            return (DraftWords.split(name).contains("total") || Self.totals.contains(DraftWords.folded(name)))
                && Int64(text) ?? 0 > Int64(count)
        }?.path.last
    }

    var more: String? {
        member(Self.flags) { if case .bool = $1 { true } else { false } }.flatMap(DraftPaging.spelled)
    }

    /// The path of the first member with one of these names that fits.
    func member(_ names: Set<String>, where fits: ([String], JSONValue) -> Bool) -> [String]? {
        members.first { names.contains(DraftWords.folded($0.path.last ?? "")) && fits($0.path, $0.value) }?
            .path
    }

    private mutating func addEnd() {
        guard let more else { return }
        end = "not \(more)"
        comments.append("the member \(more) shows whether there is more")
    }

    /// A document's last answer may have a cursor, too, to request new rows later.
    private mutating func addLastPage() {
        let found = member(Self.lastFlags) { if case .bool = $1 { true } else { false } }
        guard isDescribed, let last = found.flatMap(DraftPaging.spelled) else { return }
        end = last
        comments.append("the member \(last) shows whether this is the last page")
    }

    /// - Parameter sending: the parameters that the next page's request sets.
    mutating func set(
        _ next: String, sending names: [String] = [], _ comment: String, doubt: DraftDoubt? = nil
    ) -> Bool {
        self.next = next
        doubts += doubt.map { [$0] } ?? []
        parameters.formUnion(names)
        comments.append(comment)
        return true
    }
}
