import PatchbayCore

/// What a draft contains and what it lacks, for the person who edits it.
struct DraftSummary {
    /// What is known of one list.
    struct List {
        let name: String
        /// The first word of `NAME.next`; nil when pages are unknown.
        var paging: String?
        var isKeyGuess = false
        var isKeyPlace = false
        /// What is doubtful about its pages.
        var doubts: [DraftDoubt] = []
        /// Whether it needs neither a parent nor an argument.
        var isDirect = false
    }

    var lists: [List] = []
    /// What was left out, as parts of a sentence.
    var leftOut: [String] = []
    /// What must be corrected before the definition is used, as parts of a sentence.
    var corrections: [String] = []

    private static let namesMax = 12

    private func names(where matches: (List) -> Bool) -> String {
        DraftWords.list(lists.filter(matches).map(\.name), max: Self.namesMax)
    }

    /// The list to try first, which preferably needs no argument and follows its pages.
    var first: List? {
        lists.first { $0.isDirect && $0.paging != nil } ?? lists.first { $0.isDirect } ?? lists.first
    }

    var lines: [String] {
        var lines = ["\(Count.words(lists.count, "list")): \(names { _ in true })"]
        let kinds = Set(lists.compactMap(\.paging)).sorted().map { kind in
            "\(lists.count { $0.paging == kind }) by \(kind)"
        }
        let unknown = lists.count { $0.paging == nil }
        let single =
            "\(unknown) unknown and read as one page (\(names { $0.paging == nil })); add NAME.next if there are more"
        lines.append("pages: " + (kinds + (unknown > 0 ? [single] : [])).joined(separator: ", "))
        if lists.contains(where: \.isKeyGuess) {
            lines.append("keys that are guesses: \(names { $0.isKeyGuess })")
        }
        if lists.contains(where: \.isKeyPlace) {
            lines.append(
                "keys that are only the place in the list: \(names { $0.isKeyPlace }); look for better ones")
        }
        let corrections =
            lists.flatMap(\.doubts).distinct.map { doubt in
                doubt.words(names { $0.doubts.contains(doubt) })
            } + corrections
        if !corrections.isEmpty { lines.append("to correct: " + corrections.joined(separator: "; ")) }
        if !leftOut.isEmpty { lines.append("left out: " + leftOut.joined(separator: "; ")) }
        return lines
    }
}
