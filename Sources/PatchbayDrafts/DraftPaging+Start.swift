import PatchbayCore

/// The first request of a list, if paging begins with a value: `cursor=*`, `startIndex=1`.
extension DraftPaging {
    /// The request for the first page, and its parameters that paging sets later. The list's address keeps those, since
    /// without them many servers send no cursor, or fail.
    ///
    /// A request without such parameters is the first one. A value that may be in the middle of the list is not kept.
    var start: (sample: DraftSample, kept: Set<String>) {
        if isDescribed { return requiredStart }
        func ofPaging(_ sample: DraftSample) -> [(name: String, value: String)] {
            sample.parameters.filter { parameters.contains($0.name) }
        }
        if let first = samples.first(where: { ofPaging($0).isEmpty }) { return (first, []) }
        guard next?.hasPrefix("page") != true,
            let first = samples.first(where: { ofPaging($0).allSatisfy { DraftPaging.isStart($0.value) } })
        else { return (samples[0], []) }
        // Rows are counted from 0 unless the address says otherwise.
        return (first, Set(ofPaging(first).filter { !isOffset || $0.value != "0" }.map(\.name)))
    }

    /// A document's request, with the numbers that it requires even for the first page.
    private var requiredStart: (sample: DraftSample, kept: Set<String>) {
        var first = samples[0]
        let kept = parameters.intersection(first.required).filter { isPageNumber($0) || isOffset($0) }
        let words = next?.split(separator: " ").map(String.init) ?? []
        for place in first.parameters.indices
        where words.starts(with: ["page", first.parameters[place].name]) {
            first.parameters[place].value = words.count > 2 ? words[2] : "1"
        }
        return (first, kept)
    }

    /// The parameters with another value in the address of the next page: a request in the middle of the list has them,
    /// but the first one need not.
    func moved(_ next: (DraftSample) -> String?) -> [String] {
        samples.filter { !$0.isDescribed }.flatMap { sample in
            let address = next(sample).flatMap { sample.address?.resolving($0) }
            let items = address.map { PercentEncoding.items(ofQuery: $0.query) } ?? []
            return items.filter { item in !sample.parameters.contains { $0 == item } }.map(\.name)
        }
    }

    private var isOffset: Bool { next?.hasPrefix("offset") == true }

    /// Whether a value of a parameter stands for the beginning of a list, rather than for a place in it.
    private static func isStart(_ value: String) -> Bool {
        ["", "*", "0", "-1", "1", "first", "start", "initial", "null"].contains(value.lowercased())
    }

    /// The parameter in which a request sent such a value in place of a cursor.
    var sentCursor: String? {
        samples.lazy.flatMap(\.parameters).first { name, value in
            let folded = DraftWords.folded(name)
            return DraftPaging.isStart(value) && DraftPaging.isWord(name) && !DraftPaging.isCounter(name)
                && (folded.hasPrefix("cursor") || Self.cursorParameters.contains(folded))
        }?.name
    }
}
