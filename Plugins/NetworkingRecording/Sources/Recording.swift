public import HTTPTypes
public import PatchbayCore
import Synchronization

/// Recorded HTTP exchanges, as HAR 1.2 files, in the place of the network. It never sends anything.
///
/// Use it to run offline, in tests and to compare. Opening reads each file once and keeps an index of about
/// 800 bytes an exchange; answers stay on disk until they are wanted, so a recording may be larger than the
/// memory.
///
/// - A request matches when method, scheme, host, port and path are equal and so are the query items, in any
///   order and any percent-encoding. Of a request recorded with a body the body must be equal too, form
///   parameters in any order. Credentials in queries and forms (`client_id`, and what `SecretNames` holds:
///   `client_secret`, `access_token`, `token` and others) do not count.
/// - A request that was recorded several times gets the answers in their order, and the last one again at
///   the end.
/// - A conditional request gets 304 when the recorded answer is the one that the asker has: the entity tags
///   compare weakly (RFC 9110, section 8.8.3.2), or without one the `Last-Modified` is the same.
/// - Bodies are inflated, so `Content-Encoding`, `Content-Length` and `Transfer-Encoding` are left out.
///
/// Safe to use from several tasks at once.
public final class Recording: Networking {
    /// The file's or folder's name, for messages.
    public let name: String
    let index: RecordingIndex
    private let ignoresCase: Bool
    private let replay: Mutex<Replay>

    /// Opens one file, or a folder with `*.har` files, which count in the order of their names.
    ///
    /// - Parameter softQueryItems: query items that are wishes, by `name`, or that say what holds without
    ///   them, as `name=value`. A request that was not recorded gets the answer to one that differs only in
    ///   these: a page of another size still says in its `Link` header how the list goes on, and `since=0`
    ///   is the start of a list as no `since` is.
    /// - Parameter isGrowing: whether a recorder adds entries behind those that are there. Then only those count that
    ///   were there when it was opened.
    /// - Throws: `invalidConfiguration` naming file and place when there is no such recording, when it is no
    ///   HAR, or when a limit is passed: 256 MiB an entry, a million entries; `permissionDenied` when it may
    ///   not be read.
    public static func open(
        _ path: String, softQueryItems: Set<String> = usualSoftQueryItems, isGrowing: Bool = false
    ) throws -> Recording {
        let index = try RecordingIndex(
            files(of: path), softQueryItems: softQueryItems, isGrowing: isGrowing)
        return Recording(path, index)
    }

    /// The host of the first exchange that `isWanted` accepts; nil when there is none. What follows it is not read.
    ///
    /// - Throws: what ``open(_:softQueryItems:isGrowing:)`` throws of the part that is read.
    public static func firstHost(
        in path: String, where isWanted: (_ host: String) -> Bool
    ) throws -> String? {
        do {
            for file in try files(of: path) {
                _ = try HARFile(file) { _, _, line in
                    let url = try line.get().url
                    guard let host = RequestKey(method: "GET", url: url, body: .none)?.host, isWanted(host)
                    else { return }
                    throw FoundHost(host: host)
                }
            }
            return nil
        } catch let found as FoundHost {
            return found.host
        }
    }

    /// Ends the reading of a file.
    private struct FoundHost: Error { let host: String }

    /// What lists take as a wish or as the start of the list.
    public static let usualSoftQueryItems: Set<String> = ["per_page", "limit", "since=0", "page=1"]

    init(_ path: String, _ index: RecordingIndex, ignoresCase: Bool = false) {
        name = path.split(separator: "/").last.map(String.init) ?? path
        self.index = index
        self.ignoresCase = ignoresCase
        replay = Mutex(Replay(groupCount: index.groups.count))
    }

    /// The recording of a server that takes `/users/Ada` and `/users/ada` for the same: what was not recorded gets the
    /// answer to a request whose path and query differ in the case of their letters only.
    public func ignoringCase() -> Recording { Recording(name, index, ignoresCase: true) }

    /// How many exchanges were recorded.
    public var entryCount: Int { index.entryCount }

    /// The distinct hosts that were asked, the most frequent first.
    public var hosts: [String] { index.hosts }

    /// - Throws: `notFound` when the request was not recorded, or its answer without the body; `offline`
    ///   when what was recorded is that no answer came; `invalidConfiguration` when the file changed on
    ///   disk.
    public func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let key = RequestKey(request, body: body)
        let folded = { [self] in ignoresCase ? index.groupIgnoringCase(of: key) : nil }
        guard let group = index.group(for: key) ?? folded() else { throw unknown(key) }
        let condition = Condition(request)
        let entry = try nextEntry(of: group, under: condition)
        return try response(entry, to: request, under: condition)
    }
}

extension Recording {
    /// The file itself, or the `*.har` files of a folder in the order of their names.
    ///
    /// - Throws: `invalidConfiguration` when there is none.
    public static func files(of path: String) throws -> [String] {
        guard try FileSystem.isFolder(path) else { return [path] }
        let names = try FileSystem.names(inFolder: path).filter { $0.hasSuffix(".har") }
        guard !names.isEmpty else {
            throw PatchbayError(
                .invalidConfiguration, "the folder \"\(path)\" holds no recording; put *.har files into it")
        }
        return names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
    }

    /// The entry whose turn it is. A recorded 304 answers only who asks with its tag; others get an answer
    /// in full.
    private func nextEntry(of group: Int, under condition: Condition) throws -> RecordingIndex.Entry {
        let entries = index.groups[group].entries
        let position = replay.withLock { $0.take(group, of: entries) }
        let entry = entries[position]
        guard entry.status == 304, try !condition.isKnown(answer(entry).headerFields) else { return entry }
        let whole = replay.withLock { $0.take(group, of: entries, unconditionalFrom: position) }
        return whole.map { entries[$0] } ?? entry
    }

    func answer(_ entry: RecordingIndex.Entry) throws -> RecordedAnswer {
        try index.files[entry.file].answer(of: entry.number, at: entry.place)
    }

    private func response(
        _ entry: RecordingIndex.Entry, to request: HTTPRequest, under condition: Condition
    ) throws -> Response {
        let answer = try answer(entry)
        guard answer.status >= 100 else { throw fault(entry, .offline, "records that no answer came") }
        if answer.status == 200, condition.isKnown(answer.headerFields) {
            return Response(
                head: HTTPResponse(status: .notModified, headerFields: answer.headerFields), body: [])
        }
        guard request.method != .head else { return Response(head: answer.head, body: []) }
        switch answer.body {
        case .success(let body): return Response(head: answer.head, body: body)
        case .failure(.missing):
            throw fault(entry, .notFound, "was recorded without its body; save the recording with contents")
        case .failure(.notBase64): throw fault(entry, .invalidResponse, "has a body that is not base64")
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
        let hint = nearest ?? (hosts.isEmpty ? "it is empty" : "it holds other exchanges with \(hosts)")
        return PatchbayError(
            .notFound,
            "the recording \"\(name)\" does not contain an answer to \(key.description); \(hint)")
    }
}
