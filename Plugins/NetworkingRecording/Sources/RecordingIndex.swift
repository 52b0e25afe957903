import PatchbayCore

/// Maps requests to the entries that answer them.
struct RecordingIndex: Sendable {
    /// The maximum number of entries in all files of a recording.
    static let entryCountMax = 1_000_000

    /// The position of an entry.
    struct Entry: Sendable {
        let file: Int
        let number: Int
        let place: Range<Int>
        /// The status of the replayed answer.
        let status: Int
        /// Whether the body of the answer was recorded, or the answer has none.
        let hasBody: Bool
        /// When the request was sent; nil when the entry has no valid time.
        let startedAt: Timestamp?
        /// Whether the entry is not in ``RecordingIndex/unreadable``.
        let isReadable: Bool
        /// A digest of the recorded credentials; nil when there are none.
        let account: Int?
        /// The entry's place among all entries in the order of their times, or as recorded if one has no time.
        fileprivate(set) var moment = 0

        /// Whether the answer suits a request without a condition.
        var isWhole: Bool { status != 304 && hasBody && isReadable }
        /// Whether the answer is neither a failure nor unreadable.
        var isSuccess: Bool { status < 400 && (isWhole || status == 304 && isReadable) }
    }

    /// The answers to one request, in the order of their times.
    struct Group: Sendable {
        let key: RequestKey
        var entries: [Entry]
    }

    private(set) var files: [HARFile] = []
    private(set) var groups: [Group] = []
    private(set) var entryCount = 0
    /// The entries that cannot be replayed. Those whose address was read are also in ``groups``, so that only a request
    /// that needs one of them fails.
    private(set) var unreadable: [UnreadableEntry] = []
    private let softQueryItems: Set<String>
    private var groupByKey: [RequestKey: Int] = [:]
    /// The groups that differ only in soft query items, by their common key. The first of those with the largest pages
    /// is the first.
    private var groupsBySoftKey: [RequestKey: [Int]] = [:]

    init(_ paths: [String], softQueryItems: Set<String>, isGrowing: Bool) throws {
        self.softQueryItems = RecordingIndex.canonical(softQueryItems)
        for path in paths {
            files.append(try HARFile(path, isGrowing: isGrowing) { try add($2, $0, $1, in: path) })
        }
        sortByTime()
    }

    /// Indexes files for inspection.
    ///
    /// - Parameter refuse: called with each file that is not HAR; the file is left out unless this throws.
    init(
        inspecting paths: [String], softQueryItems: Set<String>,
        refuse: (_ path: String, _ error: PatchbayError) throws -> Void
    ) throws {
        self.softQueryItems = RecordingIndex.canonical(softQueryItems)
        for path in paths {
            do {
                files.append(try HARFile(path) { try add($2, $0, $1, in: path) })
            } catch let error as PatchbayError {
                try refuse(path, error)
                removeEntries(ofFile: files.count)
                unreadable.removeAll { $0.file == path }
            }
        }
        sortByTime()
    }

    /// Returns the group that answers a request. Prefers a group with its body over those with the body's parameters in
    /// the address and over one without a body, and all of these over groups that differ in soft query items, of which
    /// those without any come first.
    func group(for key: RequestKey) -> Int? {
        let keys = [key] + key.withParametersInQuery + [key.withoutBody]
        let soft = keys.map { $0.dropping(softQueryItems) }
        return (keys + soft).lazy.compactMap { groupByKey[$0] }.first
            ?? soft.lazy.compactMap { groupsBySoftKey[$0]?.first }.first
    }

    /// Returns the groups that answer a request, with all values of soft query items; the one with the request's own
    /// is the first.
    func family(of key: RequestKey) -> [Int] {
        for key in [key] + key.withParametersInQuery + [key.withoutBody] {
            let soft = key.dropping(softQueryItems)
            var groups = [key, soft].compactMap { groupByKey[$0] } + groupsBySoftKey[soft, default: []]
            var seen: Set<Int> = []
            groups.removeAll { !seen.insert($0).inserted }
            if !groups.isEmpty { return groups }
        }
        return []
    }

    /// The soft query items of a request whose name alone makes them soft: the size and the order of a page.
    func variant(of key: RequestKey) -> [QueryItem] {
        (key.query + (key.parameters ?? [])).filter { softQueryItems.contains($0.name) }
    }

    /// The number of rows in a page, if a soft query item states it; otherwise 0.
    func pageRows(of key: RequestKey) -> Int {
        variant(of: key).compactMap { Int($0.value) }.max() ?? 0
    }

    /// Returns the readable answers to exactly this request.
    func entries(for key: RequestKey) -> [Entry] {
        groupByKey[key].map { groups[$0].entries.filter(\.isReadable) } ?? []
    }

    /// Returns the fault of an entry; nil when it is readable.
    func fault(of entry: Entry) -> UnreadableEntry? {
        guard !entry.isReadable else { return nil }
        return unreadable.first { $0.number == entry.number && $0.file == files[entry.file].path }
    }

    /// The query items in the encoding in which they are compared: `page[number]=1` as `page%5Bnumber%5D=1`.
    private static func canonical(_ items: Set<String>) -> Set<String> {
        Set(
            items.map { item in
                let parts = item.utf8.split(
                    separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                return parts.map { PercentEncoding.queryPart($0) }.joined(separator: "=")
            })
    }

    private mutating func add(
        _ entry: Result<RecordedRequest.Line, EntryFault>, _ number: Int, _ place: Range<Int>, in path: String
    ) throws {
        guard entryCount + unreadable.count < RecordingIndex.entryCountMax else {
            throw EntryFault.tooMany(RecordingIndex.entryCountMax)
        }
        let line: RecordedRequest.Line
        switch entry {
        case .success(let read): line = read
        case .failure(let fault):
            unreadable.append(UnreadableEntry(fault, number: number, in: path))
            return
        }
        if let fault = line.fault {
            unreadable.append(UnreadableEntry(fault, number: number, in: path))
        } else {
            // A request without an answer, such as one that the browser gave up, is not an exchange.
            guard line.status >= 100 else { return }
            entryCount += 1
        }
        // Browsers also record addresses without a host, such as `data:`, which are never requested.
        guard let key = RequestKey(method: line.method, url: line.url, body: line.body) else { return }
        let entry = Entry(
            file: files.count, number: number, place: place, status: line.replayedStatus,
            hasBody: line.hasBody, startedAt: line.startedAt, isReadable: line.fault == nil,
            account: line.account)
        groups[group(of: key)].entries.append(entry)
    }

    /// Sorts the answers to each request by time, because a HAR file need not be sorted. If one of them has no time,
    /// all remain in recorded order.
    private mutating func sortByTime() {
        for group in groups.indices where groups[group].entries.count > 1 {
            let entries = groups[group].entries
            let times = entries.compactMap(\.startedAt)
            guard times.count == entries.count else { continue }
            let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
            groups[group].entries = order.map { entries[$0] }
        }
        let isTimed = groups.allSatisfy { $0.entries.allSatisfy { $0.startedAt != nil } }
        var places: [(time: Int64, file: Int, number: Int, group: Int, entry: Int)] = []
        for group in groups.indices {
            for (place, entry) in groups[group].entries.enumerated() {
                let time = isTimed ? entry.startedAt?.milliseconds ?? 0 : 0
                places.append((time, entry.file, entry.number, group, place))
            }
        }
        places.sort(by: <)
        for (moment, place) in places.enumerated() {
            groups[place.group].entries[place.entry].moment = moment
        }
    }

    /// Removes the entries of a file that turned out not to be HAR.
    private mutating func removeEntries(ofFile file: Int) {
        let former = groups
        (groups, groupByKey, groupsBySoftKey) = ([], [:], [:])
        entryCount = 0
        for group in former {
            let entries = group.entries.filter { $0.file != file }
            guard !entries.isEmpty else { continue }
            groups[self.group(of: group.key)].entries = entries
            entryCount += entries.count(where: \.isReadable)
        }
    }

    /// Returns the group of a key, adding a new one if needed.
    private mutating func group(of key: RequestKey) -> Int {
        if let group = groupByKey[key] { return group }
        groups.append(Group(key: key, entries: []))
        let group = groups.count - 1
        groupByKey[key] = group
        let soft = key.dropping(softQueryItems)
        guard soft != key else { return group }
        let others = groupsBySoftKey[soft, default: []]
        // The page after a small one was often not recorded.
        let known = others.first.map { pageRows(of: groups[$0].key) } ?? -1
        let isLargest = pageRows(of: key) > known
        groupsBySoftKey[soft, default: []].insert(group, at: isLargest ? 0 : others.count)
        return group
    }

    /// The distinct hosts, the most frequent first.
    var hosts: [String] {
        var counts: [String: Int] = [:]
        for group in groups { counts[group.key.host, default: 0] += group.entries.count }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// Returns the group of a request whose path and query differ only in case, ignoring soft query items. Searches all
    /// groups, because it is called only for requests that were not recorded.
    func groupIgnoringCase(of key: RequestKey) -> Int? {
        let key = key.dropping(softQueryItems)
        return groups.firstIndex { $0.key.isEqual(key, ignoringCaseAnd: softQueryItems) }
    }

    /// Returns the recorded request closest to one that was not recorded: of the same host, with the longest common
    /// prefix of the path, and then with the smallest edit distance. Nil when not even the first path segment is the
    /// same.
    func nearest(to key: RequestKey) -> RequestKey? {
        let ranked = groups.filter { $0.key.origin == key.origin }.map { group in
            (key: group.key, likeness: group.key.commonSegmentCount(with: key))
        }
        guard let best = ranked.map(\.likeness).max(), best > 0 || key.path == "/" else { return nil }
        let candidates = ranked.filter { $0.likeness == best }.prefix(RecordingIndex.comparedMax).map(\.key)
        let word = EditDistance.nearest(to: key.description, in: candidates.map(\.description))
        return candidates.first { $0.description == word } ?? candidates.first
    }

    /// The maximum number of requests whose edit distance is computed.
    private static let comparedMax = 500
}

extension RequestKey {
    fileprivate func commonSegmentCount(with other: RequestKey) -> Int {
        zip(path.split(separator: "/"), other.path.split(separator: "/")).prefix { $0 == $1 }.count
    }
}
