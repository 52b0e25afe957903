import NetworkingRecording
package import PatchbayCore

/// The contents of a recording, by endpoint.
package struct RecordingSummary: Sendable {
    /// The exchanges with one method, host and path.
    package struct Endpoint: Sendable {
        /// The method of the requests, such as `GET`.
        package let method: String
        /// The host of the requests in canonical form.
        package let host: String
        /// The path; `{id}`, `{sha}` and `{name}` stand for numbers, Git hashes and many names.
        package let path: String
        /// The counts of this endpoint's exchanges.
        package let counts: Counts
    }

    /// The counts of some exchanges.
    package struct Counts: Sendable {
        /// The number of requests, with or without an answer.
        package private(set) var exchanges = 0
        /// Answers that are pages of a list.
        package private(set) var pages = 0
        /// Pages whose next page was not recorded.
        package private(set) var gaps = 0
        /// The number of answers with each status; 0 stands for no answer.
        package private(set) var statuses: [Int: Int] = [:]
        /// When the first and the last exchange began; nil when no entry states it.
        package private(set) var first: Timestamp?
        /// The time when the last exchange began; nil when no entry states it.
        package private(set) var last: Timestamp?
    }

    /// The number of HAR files that were read.
    package let files: Int
    /// In the order of host, path and method.
    package let endpoints: [Endpoint]
    /// All exchanges together, including those without a host.
    package let counts: Counts
    /// Entries that are not HAR entries; they are not counted elsewhere.
    package let unreadable: Int
    /// The hosts, most frequent first.
    package let hosts: [String]

    /// Reads a HAR file, or the `*.har` files of a folder. Memory use is that of the largest entry, not of the file.
    ///
    /// - Throws: `invalidConfiguration` when there is none or a file is not a HAR file; `permissionDenied`.
    package init(of path: String) throws {
        let paths = try Recording.files(of: path)
        let recording = try Recording.inspecting(files: paths, name: path) { throw $1 }
        var trees: [Server: EndpointTree] = [:]
        var all = Counts()
        var unreadable = 0
        try recording.forEachExchange { entry in
            guard case .success(let exchange) = entry else {
                unreadable += 1
                return
            }
            let counts = Counts(exchange, in: recording)
            all = all.adding(counts)
            guard let place = exchange.place else { return }
            let server = Server(host: place.host, method: exchange.method)
            trees[server, default: EndpointTree()].add(place.path, counts)
        }
        files = paths.count
        self.unreadable = unreadable
        hosts = recording.hosts
        counts = all
        endpoints = trees.flatMap { server, tree in
            tree.endpoints().map {
                Endpoint(method: server.method, host: server.host, path: $0.path, counts: $0.counts)
            }
        }.sorted { ($0.host, $0.path, $0.method) < ($1.host, $1.path, $1.method) }
    }

    private struct Server: Hashable {
        let host: String
        let method: String
    }
}

extension RecordingSummary.Counts {
    fileprivate init(_ exchange: RecordedExchange, in recording: Recording) {
        exchanges = 1
        pages = exchange.isPage ? 1 : 0
        gaps = exchange.isGap(in: recording) ? 1 : 0
        statuses = [exchange.status: 1]
        first = exchange.startedAt
        last = exchange.startedAt
    }

    func adding(_ other: Self) -> Self {
        var sum = self
        sum.exchanges += other.exchanges
        sum.pages += other.pages
        sum.gaps += other.gaps
        sum.statuses.merge(other.statuses, uniquingKeysWith: +)
        sum.first = [first, other.first].compactMap { $0 }.min()
        sum.last = [last, other.last].compactMap { $0 }.max()
        return sum
    }
}

extension RecordedExchange {
    /// Whether the next page of a list is missing from the recording.
    func isGap(in recording: Recording) -> Bool {
        nextPage.map { !recording.isAnswered(method: "GET", url: $0) } ?? false
    }
}

/// The recorded exchanges of one method and host by path, with names and numbers in paths combined.
///
/// A number becomes `{id}`, a Git hash `{sha}`. More than ``namesMax`` names in one place become `{name}`; the first
/// part of a path stays as it is. So the tree stays small however many paths there are.
struct EndpointTree {
    static let namesMax = 8

    private var children: [String: EndpointTree] = [:]
    private var counts: RecordingSummary.Counts?

    mutating func add(_ path: String, _ counts: RecordingSummary.Counts) {
        add(path.split(separator: "/").map(Self.template)[...], counts, isFirst: true)
    }

    /// The requested paths in alphabetical order, with their counts.
    func endpoints(below path: String = "") -> [(path: String, counts: RecordingSummary.Counts)] {
        let own = counts.map { [(path: path.isEmpty ? "/" : path, counts: $0)] } ?? []
        return own
            + children.sorted { $0.key < $1.key }.flatMap { $0.value.endpoints(below: "\(path)/\($0.key)") }
    }

    private static let anyName = "{name}"

    private mutating func add(
        _ parts: ArraySlice<String>, _ counts: RecordingSummary.Counts, isFirst: Bool
    ) {
        guard let part = parts.first else {
            self.counts = self.counts.map { $0.adding(counts) } ?? counts
            return
        }
        let isJoined = children[Self.anyName] != nil && !isFirst && !part.hasPrefix("{")
        let name = isJoined ? Self.anyName : part
        children[name, default: EndpointTree()].add(parts.dropFirst(), counts, isFirst: false)
        if !isFirst { joinNames() }
    }

    /// Combines the names of one place when there are too many.
    private mutating func joinNames() {
        let names = children.keys.filter { !$0.hasPrefix("{") }
        let isJoined = children[Self.anyName] != nil && !names.isEmpty
        guard isJoined || names.count > Self.namesMax else { return }
        var joined = children[Self.anyName] ?? EndpointTree()
        for name in names.sorted() {
            if let child = children.removeValue(forKey: name) { joined.merge(child) }
        }
        children[Self.anyName] = joined
    }

    private mutating func merge(_ other: EndpointTree) {
        if let counts = other.counts { self.counts = self.counts.map { $0.adding(counts) } ?? counts }
        for (name, child) in other.children { children[name, default: EndpointTree()].merge(child) }
        joinNames()
    }

    private static func template(_ part: Substring) -> String {
        if part.isASCIIDigits { return "{id}" }
        let isHash = [40, 64].contains(part.utf8.count) && part.allSatisfy(\.isHexDigit)
        return isHash ? "{sha}" : String(part)
    }
}
