import CPostgreSQL
import PatchbayCore

/// One connection to the server, on which statements are sent in a pipeline: as many as may be at once, and one wait
/// for all their answers. One task at a time uses it.
final class Connection {
    /// What a connection is for; the session is set accordingly.
    enum Use { case reading, writing, maintenance }

    /// What comes back for something that was sent.
    private enum Expected {
        case nothing, answer
        case preparation(Int)
        case end
    }

    let options: ConnectionOptions
    let use: Use
    private let handle: OpaquePointer
    /// The address, without secrets, for messages.
    let server: String
    /// Whether the session is ours alone, so that what is set and prepared in it stays. A pooler between us and the
    /// server may give each transaction another session.
    private(set) var isDirect = false
    private var expected: [Expected] = []
    private var prepared: Set<Int> = []
    /// Whether the server has warned since ``forgetWarnings()``.
    private(set) var isWarned = false

    /// Connects, and sets the session.
    ///
    /// - Throws: a `PatchbayError` when this server cannot be used, a ``ServerError`` when it cannot be reached.
    init(_ options: ConnectionOptions, for use: Use) throws {
        try LibPQ.load()
        self.options = options
        self.use = use
        server = try options.address.shown()
        guard let handle = options.address.connect() else {
            throw PatchbayError(.internalError, "there is not enough memory")
        }
        unsafe self.handle = handle
        hearNotices()
        try finishConnecting()
        try checkServer()
        guard unsafe pq_enterPipeline(handle) == 1 else { throw lost() }
        try setSession()
    }

    deinit { unsafe pq_finish(handle) }

    var serverVersion: Int { Int(unsafe pq_serverVersion(handle)) }

    /// Whether the server is still there, as far as it can be seen without asking.
    var isAlive: Bool { unsafe pq_consumeInput(handle) == 1 && pq_status(handle) == PQ_CONNECTION_OK }

    // MARK: Connecting

    /// Takes the server's notices, which would otherwise go to the standard error.
    private func hearNotices() {
        _ = unsafe pq_setNoticeReceiver(
            handle,
            { context, notice in
                guard let context = unsafe context,
                    let state = unsafe pq_errorField(notice, PQ_FIELD_SQLSTATE)
                else { return }
                // Warnings, and a shutdown that cut a wait short; "00" are notices.
                guard unsafe !isNotice(state) else { return }
                // The connection itself, which is there as long as its handle.
                unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isWarned = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Tries a second time when the first has failed, so that the answer says why: libpq tells a state that does not
    /// depend on the server's language only when it was asked to before.
    private func finishConnecting() throws(ServerError) {
        if unsafe pq_status(handle) == PQ_CONNECTION_OK { return }
        _ = unsafe pq_setErrorVerbosity(handle, PQ_ERRORS_VERBOSE)
        unsafe pq_reset(handle)
        if unsafe pq_status(handle) == PQ_CONNECTION_OK { return }
        let words = unsafe String(cString: pq_errorMessage(handle))
        // libpq finds out by itself that there is none, and tells no state.
        if unsafe pq_needsPassword(handle) == 1 {
            throw ServerError(state: "28P01", message: "it asks for a password", server: server)
        }
        throw ServerError(connecting: words, server: server)
    }

    private func checkServer() throws(PatchbayError) {
        guard serverVersion >= 130_000 else {
            throw PatchbayError(
                .unsupported,
                "the server is PostgreSQL \(LibPQ.text(ofVersion: Int32(serverVersion))); "
                    + "the storage needs 13 or newer",
                ["server": server])
        }
        let encoding = parameter("server_encoding")
        guard encoding == "UTF8" else {
            throw PatchbayError(
                .unsupported,
                "the database has the encoding \(encoding); make one with UTF8 (createdb --encoding UTF8) and "
                    + "set it in storage.url",
                ["server": server])
        }
    }

    /// What the server has told of one of its settings when we connected.
    func parameter(_ name: String) -> String {
        unsafe pq_parameterStatus(handle, name).map { unsafe String(cString: $0) } ?? ""
    }

    private func setSession() throws(ServerError) {
        let answer = try query("SELECT pg_backend_pid()::bigint")
        // A pooler tells a number of its own.
        isDirect = answer.integer(0, 0) == Int64(unsafe pq_backendPID(handle))
        guard isDirect else { return }
        var isLocal = Arguments()
        isLocal.append(false)
        _ = try query(options.settings(use), [ServerType.boolean], isLocal)
    }

    // MARK: Asking

    /// Sends one statement that is not worth keeping, and waits for its answer.
    @discardableResult
    func query(
        _ sql: String, _ types: [UInt32] = [], _ arguments: Arguments = Arguments()
    ) throws(ServerError) -> Answer {
        try send(Statement(sql, types, isKept: false), arguments, isAnswered: true)
        guard let answer = try finish() else { throw lost() }
        return answer
    }

    /// Sends a statement without waiting. What the server says of it comes with ``finish()``.
    func send(
        _ statement: Statement, _ arguments: Arguments = Arguments(), isAnswered: Bool = false
    ) throws(ServerError) {
        try prepare(statement)
        let isSent = arguments.withValues { values, lengths in
            unsafe send(statement, arguments.count, values, lengths)
        }
        guard isSent else { throw lost() }
        expected.append(isAnswered ? .answer : .nothing)
    }

    /// The same for values that lie somewhere already; a nil address is null.
    func send(
        _ statement: Statement, _ values: UnsafeBufferPointer<UnsafePointer<CChar>?>,
        _ lengths: UnsafeBufferPointer<Int32>
    ) throws(ServerError) {
        try prepare(statement)
        guard unsafe send(statement, values.count, values.baseAddress, lengths.baseAddress) else {
            throw lost()
        }
        expected.append(.nothing)
    }

    private var prepares: Bool { isDirect && options.preparesStatements }

    private func prepare(_ statement: Statement) throws(ServerError) {
        guard prepares, let number = statement.number, !prepared.contains(number) else { return }
        let count = Int32(statement.types.count)
        guard unsafe pq_sendPrepare(handle, statement.name, statement.sql, count, statement.types) == 1
        else { throw lost() }
        expected.append(.preparation(number))
        prepared.insert(number)
    }

    private func send(
        _ statement: Statement, _ count: Int, _ values: UnsafePointer<UnsafePointer<CChar>?>?,
        _ lengths: UnsafePointer<Int32>?
    ) -> Bool {
        let formats = unsafe Connection.binary
        if prepares, statement.number != nil {
            return unsafe pq_sendPrepared(handle, statement.name, Int32(count), values, lengths, formats, 1)
                == 1
        }
        return unsafe pq_sendQuery(
            handle, statement.sql, Int32(count), statement.types, values, lengths, formats, 1) == 1
    }

    /// So many ones: every value is sent in binary form. Never freed, never changed.
    nonisolated(unsafe) private static let binary: UnsafePointer<Int32> = {
        let count = Limits.fields + 16
        let formats = UnsafeMutablePointer<Int32>.allocate(capacity: count)
        unsafe formats.initialize(repeating: 1, count: count)
        return unsafe UnsafePointer(formats)
    }()

    /// Waits for the answers to all that was sent. Returns the last one that was wanted.
    ///
    /// - Throws: the first error; what was sent after it was not done.
    func finish() throws(ServerError) -> Answer? {
        try sendEnd()
        return try receive()
    }

    /// Sends what lies here, and leaves the answers to the next ``finish()``.
    func finishLater() throws(ServerError) { try sendEnd() }

    private func sendEnd() throws(ServerError) {
        guard unsafe pq_sync(handle) == 1 else { throw lost() }
        expected.append(.end)
    }

    private func receive() throws(ServerError) -> Answer? {
        defer { expected.removeAll(keepingCapacity: true) }
        var wanted: Answer?, failure: ServerError?
        for next in expected {
            guard let result = unsafe pq_result(handle) else { throw failure ?? lost() }
            let answer = unsafe Answer(result)
            let status = unsafe pq_resultStatus(result)
            if status == PQ_PIPELINE_SYNC { continue }
            let isDone = status == PQ_TUPLES_OK || status == PQ_COMMAND_OK
            if !isDone {
                if case .preparation(let number) = next { prepared.remove(number) }
                if failure == nil, status != PQ_PIPELINE_ABORTED {
                    failure = unsafe ServerError(result, server: server, isLost: isLost)
                }
                if isLost { throw failure ?? lost() }
            } else if case .answer = next {
                wanted = answer
            }
            // Nothing marks the end of a statement's results.
            while let rest = unsafe pq_result(handle) { unsafe pq_clear(rest) }
        }
        if let failure { throw failure }
        return wanted
    }

    private var isLost: Bool { unsafe pq_status(handle) != PQ_CONNECTION_OK }

    private func lost() -> ServerError {
        ServerError(state: "", message: unsafe String(cString: pq_errorMessage(handle)), server: server)
    }

    func forgetWarnings() { isWarned = false }
}

extension Connection {
    /// Hands a table rows in the binary form of COPY, which is the quickest way in and refuses a key that is there.
    func copy(_ sql: String, _ rows: UnsafeRawBufferPointer) throws(ServerError) {
        _ = try finish()
        guard unsafe pq_exitPipeline(handle) == 1 else { throw lost() }
        let isBegun = unsafe pq_sendQuery(handle, sql, 0, nil, nil, nil, nil, 1) == 1
        guard isBegun, let begun = unsafe pq_result(handle) else { throw lost() }
        let status = unsafe pq_resultStatus(begun)
        unsafe pq_clear(begun)
        if status == PQ_COPY_IN {
            let bytes = unsafe rows.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard unsafe pq_putCopyData(handle, bytes, Int32(rows.count)) == 1,
                unsafe pq_putCopyEnd(handle, nil) == 1
            else { throw lost() }
        }
        var failure: ServerError?
        while let result = unsafe pq_result(handle) {
            if unsafe pq_resultStatus(result) != PQ_COMMAND_OK {
                failure = unsafe ServerError(result, server: server, isLost: isLost)
            }
            unsafe pq_clear(result)
        }
        guard unsafe pq_enterPipeline(handle) == 1 else { throw failure ?? lost() }
        if let failure { throw failure }
    }
}

/// Whether a state is that of a notice, which warns of nothing.
private func isNotice(_ state: UnsafePointer<CChar>) -> Bool {
    unsafe state[0] == CChar(UInt8(ascii: "0")) && state[1] == CChar(UInt8(ascii: "0"))
}

extension ServerError {
    /// The error that a result holds.
    fileprivate init(_ result: OpaquePointer, server: String, isLost: Bool) {
        func field(_ field: CInt) -> String {
            unsafe pq_errorField(result, field).map { unsafe String(cString: $0) } ?? ""
        }
        let state = field(PQ_FIELD_SQLSTATE), detail = field(PQ_FIELD_DETAIL)
        let message = field(PQ_FIELD_MESSAGE) + (detail.isEmpty ? "" : " (\(detail))")
        self.init(
            state: state, message: message.isEmpty && isLost ? "the connection was lost" : message,
            server: server)
    }
}
