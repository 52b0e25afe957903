package import HTTPTypes
package import PatchbayCore
import PatchbaySystem
import Synchronization

/// Replays recorded HTTP exchanges from HAR 1.2 files instead of using the network. It never sends anything.
///
/// Use it offline, in tests and for comparisons. Opening reads each file once and keeps an index of about 800 bytes per
/// exchange. Answers stay on disk until they are needed, so a recording may be larger than memory.
///
/// - A request matches when method, scheme, host, port, path and query items are equal, ignoring the order and
///   percent-encoding of the items. If a body was recorded, it must be equal too, with form parameters in any order.
///   Credentials in queries and forms (`client_id` and the names in `SecretNames`, such as `client_secret`,
///   `access_token` and `token`, and any name with the value `REDACTED`) are ignored. Bodies in JSON are equal if their
///   values are, whatever their spelling. The parameters of a form may have been recorded as the members of a JSON
///   object, or in the address of a POST or a GET.
/// - An entry that is not a HAR entry fails only a request that needs it. Bodies that are in files beside the recording
///   (`_file`, as Playwright writes them) are read from its folder, and from nowhere else.
/// - A 304 with the contents from a browser's cache is replayed as 200. Requests that got no answer (no `response`, or
///   a status that is 0, negative or null) are left out.
/// - A request that was recorded several times gets the answers in order, and then the last one again. An answer
///   without its body is passed over if another one has it. If the answers depend on fields of the request (`Vary`),
///   it gets those that were recorded for its own values, if there are any.
/// - A HEAD request that was not recorded gets the head of the next answer to the same GET.
/// - A conditional request gets 304 when the client has the recorded answer: the entity tags match weakly (RFC 9110,
///   section 8.8.3.2) or, without a tag, `Last-Modified` is equal.
/// - Credentials are removed from the addresses in `Link` and `Location`, because lists are stored with these.
/// - Bodies are inflated, so `Content-Encoding`, `Content-Length` and `Transfer-Encoding` are left out.
///
/// Safe for concurrent use.
package final class Recording: Networking {
    /// The file's or folder's name, for messages.
    package let name: String
    let index: RecordingIndex
    private let ignoresCase: Bool
    private let replay: Mutex<Replay>
    /// What the answers of a group depend on; see ``RecordedVariants``.
    let variants = Mutex<[Int: RecordedVariants]>([:])

    /// Opens a file, or a folder of `*.har` files, which are read in order of their names.
    ///
    /// - Parameter softQueryItems: optional query items by `name`, or items with a default value as `name=value`. A
    ///   request that was not recorded gets the answer to one that differs only in these. A page of another size still
    ///   has a `Link` to the next one, and `since=0` means the same as no `since`.
    /// - Parameter isGrowing: whether a recorder may append entries. Only the entries present at opening are used.
    /// - Throws: `invalidConfiguration` naming file and position when the recording does not exist, is not HAR, or
    ///   exceeds a limit (256 MiB per entry, a million entries); `permissionDenied` when it may not be read.
    package static func open(
        _ path: String, softQueryItems: Set<String> = usualSoftQueryItems, isGrowing: Bool = false
    ) throws -> Recording {
        let index = try RecordingIndex(
            files(of: path), softQueryItems: softQueryItems, isGrowing: isGrowing)
        return Recording(path, index)
    }

    /// Returns the host of the first exchange whose host and path `isWanted` accepts; nil when there is none. The rest
    /// is not read.
    ///
    /// - Throws: errors of ``open(_:softQueryItems:isGrowing:)`` in the part that is read. Unreadable entries are
    ///   passed over.
    package static func firstHost(
        in path: String, where isWanted: (_ host: String, _ path: String) -> Bool
    ) throws -> String? {
        do {
            for file in try files(of: path) {
                _ = try HARFile(file) { _, _, line in
                    guard case .success(let line) = line, line.status >= 100,
                        let key = RequestKey(method: "GET", url: line.url, body: .none),
                        isWanted(key.host, key.path)
                    else { return }
                    throw FoundHost(host: key.host)
                }
            }
            return nil
        } catch let found as FoundHost {
            return found.host
        }
    }

    /// Thrown to stop reading a file.
    private struct FoundHost: Error { let host: String }

    /// Common query items for the size of a page, the start of a list and its order.
    package static let usualSoftQueryItems: Set<String> = [
        "per_page", "limit", "since=0", "page=1", "cursor=",
        "sort", "order=asc", "order=desc", "direction=asc", "direction=desc",
    ]

    /// Query items of known APIs: those of Slack's lists that add members to rows or leave out archived ones, and the
    /// defaults of Slack's list of conversations and of GitHub's list of a user's repositories.
    package static let softQueryItemsByAPI: [String: Set<String>] = [
        "github": ["type=owner"],
        "slack": [
            "types=public_channel", "exclude_archived", "include_locale", "presence=true", "presence=false",
        ],
    ]

    init(_ path: String, _ index: RecordingIndex, ignoresCase: Bool = false) {
        name = path.split(separator: "/").last.map(String.init) ?? path
        self.index = index
        self.ignoresCase = ignoresCase
        replay = Mutex(Replay(groupCount: index.groups.count))
    }

    /// Returns the recording of a server that treats `/users/Ada` and `/users/ada` as the same. A request that was not
    /// recorded gets the answer to one whose path and query differ only in case.
    package func ignoringCase() -> Recording { Recording(name, index, ignoresCase: true) }

    /// The number of recorded exchanges.
    package var entryCount: Int { index.entryCount }

    /// The distinct hosts of requests, the most frequent first.
    package var hosts: [String] { index.hosts }

    /// - Throws: `notFound` when the request was not recorded, or was recorded without the body of its answer;
    ///   `invalidConfiguration` when the file changed on disk.
    package func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let key = RequestKey(request, body: body)
        let condition = Condition(request)
        if let (group, position) = try RecordedStep.current?.answer(to: key, in: index) {
            let entry = try entry(of: group, at: position, under: condition, prefersFormer: true) { _ in }
            return try response(entry, to: request, under: condition)
        }
        if let group = group(for: key) {
            let entry = try nextEntry(of: group, to: request, under: condition)
            return try response(entry, to: request, under: condition)
        }
        guard let group = key.withBody.flatMap(group) else { throw unknown(key) }
        let selected = try variants(of: group).selected(by: request)
        let position = selected?.first ?? replay.withLock { $0.position(of: group) }
        let entry = try entry(of: group, at: position, under: condition) { _ in }
        return try response(entry, to: request, under: condition)
    }

    private func group(for key: RequestKey) -> Int? {
        index.group(for: key) ?? (ignoresCase ? index.groupIgnoringCase(of: key) : nil)
    }

    /// Returns the file itself, or the `*.har` files of a folder in order of their names.
    ///
    /// - Throws: `invalidConfiguration` when there is none.
    package static func files(of path: String) throws -> [String] {
        var names: [String] = []
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else { throw .missing }
            guard status.kind == .folder else { return [path] }
            names = try OpenFile(path, .folder, isLinkFollowed: true).names()
        } catch {
            throw PatchbayError.unreadable(path, error)
        }
        names.removeAll { $0.hasPrefix(".") || !$0.lowercased().hasSuffix(".har") }
        guard !names.isEmpty else {
            throw PatchbayError(
                .invalidConfiguration, "the folder \"\(path)\" contains no *.har files; name another folder")
        }
        return names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
    }

    /// Returns the next entry of a group, or of those that were recorded for the fields of a request.
    private func nextEntry(
        of group: Int, to request: HTTPRequest, under condition: Condition
    ) throws -> RecordingIndex.Entry {
        if let selected = try variants(of: group).selected(by: request) {
            return index.groups[group].entries[replay.withLock { $0.take(group, among: selected) }]
        }
        let count = index.groups[group].entries.count
        let position = replay.withLock { $0.take(group, of: count) }
        return try entry(of: group, at: position, under: condition) { used in
            replay.withLock { $0.skip(group, past: used, of: count) }
        }
    }

    /// Returns the entry at a position of a group, or one in its place. A recorded 304 answers only requests with its
    /// tag; others get a whole answer, or the 304 if there is none and they have a condition. An entry without its body
    /// is passed over for a whole one.
    ///
    /// - Parameters:
    ///   - prefersFormer: whether the last whole entry before the position comes before those after it.
    ///   - passOver: called with the position of a whole entry that takes the place of another.
    private func entry(
        of group: Int, at position: Int, under condition: Condition, prefersFormer: Bool = false,
        passOver: (Int) -> Void
    ) throws -> RecordingIndex.Entry {
        let entries = index.groups[group].entries
        let entry = entries[position]
        if entry.isWhole { return entry }
        if entry.status == 304, entry.isReadable, try condition.isKnown(answer(entry).headerFields) {
            return entry
        }
        let former = entries[..<position].lastIndex(where: \.isWhole)
        let later = entries[position...].firstIndex(where: \.isWhole)
        if let whole = prefersFormer ? former ?? later : later ?? former {
            passOver(whole)
            return entries[whole]
        }
        guard entry.status != 304 || condition.isPresent else {
            throw fault(entry, .notFound, Recording.notModified)
        }
        return entry
    }

    /// Why a recorded 304 without contents is not an answer, in words that continue after the entry.
    static let notModified =
        "has the status 304 without contents, so it answers only conditional requests; record it again with an empty "
        + "browser cache"

    func answer(_ entry: RecordingIndex.Entry) throws -> RecordedAnswer {
        if let fault = index.fault(of: entry) { throw fault.error }
        return try index.files[entry.file].answer(of: entry.number, at: entry.place)
    }

    private func response(
        _ entry: RecordingIndex.Entry, to request: HTTPRequest, under condition: Condition
    ) throws -> Response {
        let answer = try answer(entry)
        if answer.status == 200, condition.isKnown(answer.headerFields) {
            return Response(
                head: HTTPResponse(status: .notModified, headerFields: answer.headerFields), body: [])
        }
        guard request.method != .head else { return Response(head: answer.head, body: []) }
        switch answer.body {
        case .success(let body): return Response(head: answer.head, body: body)
        case .failure(.missing):
            throw fault(entry, .notFound, RecordedAnswer.bodiless)
        case .failure(.unattached(.missing(let name))):
            throw fault(entry, .notFound, AttachedBody.Fault.missing(name).words())
        case .failure(.unattached(let problem)):
            throw fault(entry, .invalidConfiguration, problem.words())
        case .failure(.notBase64): throw fault(entry, .invalidResponse, "has a body that is not base64")
        case .failure(.compressed): throw fault(entry, .invalidResponse, RecordedAnswer.compressed)
        case .failure(.unknownEncoding(let name)):
            throw fault(entry, .invalidResponse, "has a body in the unknown encoding \"\(name)\"")
        }
    }

    private func fault(_ entry: RecordingIndex.Entry, _ code: PatchbayError.Code, _ problem: String)
        -> PatchbayError
    {
        PatchbayError(
            code, "entry \(entry.number) of the recording \"\(index.files[entry.file].path)\" \(problem)")
    }

    private func unknown(_ key: RequestKey) -> PatchbayError {
        let nearest = index.nearest(to: key).map {
            "the nearest of its \(entryCount) entries is \($0.description)"
        }
        let hosts = hosts.prefix(3).joined(separator: ", ")
        let unreadable = index.unreadable.count
        let damage =
            unreadable == 0
            ? ""
            : "; \(Count.words(unreadable, "entry is", "entries are")) unreadable, see \"recording check\""
        let contents =
            (nearest ?? (hosts.isEmpty ? "it is empty" : "it has exchanges with \(hosts)")) + damage
        return PatchbayError(
            .notFound,
            "the recording \"\(name)\" does not contain an answer to \(key.description); record the request, or "
                + "send one that was recorded (\(contents))")
    }
}
