import CPostgreSQL
import PatchbayCore

/// A connection to the server, used by one task at a time. Statements are sent in a pipeline: as many as possible at
/// once, followed by one wait for all their answers.
///
/// Safe, because it owns the handle and alone uses it.
@safe final class Connection {
    /// The purpose of a connection, which determines the settings of its session.
    enum Use { case reading, writing }

    /// The result expected for a message that was sent.
    private enum Expected {
        case nothing, answer
        case preparation(Int)
        case end
    }

    let options: ConnectionOptions
    let use: Use
    let handle: OpaquePointer
    /// The server's address, without secrets, for messages.
    let server: String
    /// Whether this connection has a session to itself, in which settings and prepared statements persist. A pooler
    /// may give each transaction another session.
    private(set) var isDirect = false
    private var expected: [Expected] = []
    private var prepared: Set<Int> = []
    /// Whether the server has sent a warning since ``forgetWarnings()``.
    private(set) var isWarned = false
    /// Whether the server has not answered in time. The connection is then abandoned, because an answer that arrives
    /// later would be taken for that of another statement.
    private var isUnanswered = false
    /// Whether the following statements may take long.
    var isLong = false
    /// ``WriteTransaction/identity``'s place, which stays the same as long as a direct connection.
    var place: String?

    /// Connects and applies the session's settings.
    ///
    /// - Throws: `PatchbayError` when the server cannot be used, ``ServerError`` when it cannot be reached.
    init(_ options: ConnectionOptions, for use: Use) throws {
        try LibPQ.load()
        self.options = options
        self.use = use
        server = try options.address.shown()
        let start = ContinuousClock.now
        guard let handle = unsafe options.address.connect() else {
            throw PatchbayError(.internalError, "there is not enough memory")
        }
        unsafe self.handle = handle
        receiveNotices()
        try finishConnecting(after: .now - start)
        try checkServer()
        let isReady = unsafe pq_enterPipeline(handle) == 1 && pq_setNonblocking(handle, 1) == 0
        guard isReady else { throw lost() }
        try setSession()
    }

    deinit { unsafe pq_finish(handle) }

    var serverVersion: Int { Int(unsafe pq_serverVersion(handle)) }

    /// Whether the connection is still open, as far as can be seen without a request.
    var isAlive: Bool {
        unsafe !isUnanswered && pq_consumeInput(handle) == 1 && pq_status(handle) == PQ_CONNECTION_OK
    }

    // MARK: Connecting

    /// Receives the server's notices, which libpq would otherwise print to standard error.
    private func receiveNotices() {
        _ = unsafe pq_setNoticeReceiver(
            handle,
            { context, notice in
                guard let context = unsafe context,
                    let state = unsafe pq_errorField(notice, PQ_FIELD_SQLSTATE)
                else { return }
                // Warnings, and a shutdown that ended a wait; states that start with "00" are notices.
                guard unsafe !isNotice(state) else { return }
                // The context is the connection itself, which exists as long as its handle.
                unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isWarned = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func setSession() throws(ServerError) {
        let answer = try query("SELECT pg_backend_pid()::bigint")
        // A pooler reports its own process number at connection time.
        isDirect = answer.integer(0, 0) == Int64(unsafe pq_backendPID(handle))
        if use == .writing, options.knowsTimeline { try requestTimeline() }
        guard isDirect else { return }
        try sendSettings(isLocal: false)
        _ = try finish()
    }

    /// Finds out whether the server states its timeline.
    private func requestTimeline() throws(ServerError) {
        do throws(ServerError) {
            try query("SELECT \(StoreTables.timeline)")
        } catch  where error.remedy == .none {
            // A standby does not state it before it is promoted.
            if !error.isAboutRecovery { options.forgetTimelines() }
        }
    }

    /// Sends the session's settings again when a pooler may have assigned another session to the transaction.
    func sendSettingsOfTransaction() throws(ServerError) {
        if !isDirect { try sendSettings(isLocal: true) }
    }

    /// - Parameter isLocal: whether the settings end with the current transaction.
    private func sendSettings(isLocal: Bool) throws(ServerError) {
        try send(
            Statement(options.settings(use), [ServerType.boolean], isKept: false), Arguments(isLocal))
    }

    // MARK: Statements

    /// Sends a statement that is not worth preparing, and waits for its answer.
    ///
    /// - Parameter text: the value of its only parameter; nil when it has none.
    @discardableResult
    func query(_ sql: String, with text: String? = nil) throws(ServerError) -> Answer {
        let statement = Statement(sql, text == nil ? [] : [ServerType.text], isKept: false)
        try send(statement, text.map { Arguments($0) } ?? Arguments(), isAnswered: true)
        guard let answer = try finish() else { throw lost() }
        return answer
    }

    /// Sends a statement without waiting. Its result is received by ``finish()``.
    func send(
        _ statement: Statement, _ arguments: Arguments = Arguments(), isAnswered: Bool = false
    ) throws(ServerError) {
        try prepare(statement)
        let isSent = unsafe arguments.withValues { values, lengths in
            unsafe send(statement, values.count, values.baseAddress, lengths.baseAddress)
        }
        guard isSent else { throw lost() }
        expected.append(isAnswered ? .answer : .nothing)
    }

    /// Sends a statement with values that are already in memory; a nil address is null.
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

    /// An array of ones, which requests the binary format for every value. Never freed or changed.
    nonisolated(unsafe) private static let binary: UnsafePointer<Int32> = {
        let count = Limits.fields + 16
        let formats = UnsafeMutablePointer<Int32>.allocate(capacity: count)
        unsafe formats.initialize(repeating: 1, count: count)
        return unsafe UnsafePointer(formats)
    }()

    /// Waits for the answers to all statements sent. Returns the last requested one.
    ///
    /// - Throws: the first error; the server has skipped the statements after it.
    func finish() throws(ServerError) -> Answer? {
        try sendEnd()
        return try receive()
    }

    /// Sends all buffered statements, and leaves their answers to the next ``finish()``.
    func finishLater() throws(ServerError) { try sendEnd() }

    private func sendEnd() throws(ServerError) {
        guard unsafe pq_sync(handle) == 1 else { throw lost() }
        expected.append(.end)
    }

    private func receive() throws(ServerError) -> Answer? {
        defer { expected.removeAll(keepingCapacity: true) }
        var wanted: Answer?, failure: ServerError?
        for next in expected {
            guard let result = unsafe try nextResult() else { throw failure ?? lost() }
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
            // A null result marks the end of a statement's results.
            while let rest = unsafe try nextResult() { unsafe pq_clear(rest) }
        }
        if let failure { throw failure }
        return wanted
    }

    /// Waits for the next result; nil marks the end of a statement's results.
    fileprivate func nextResult() throws(ServerError) -> OpaquePointer? {
        let limit = Int32(clamping: options.answerTimeoutMilliseconds(isLong: isLong))
        if isUnanswered || (unsafe pq_awaitResult(handle, limit)) == PQ_WAIT_TIMED_OUT {
            isUnanswered = true
            throw unanswered
        }
        return unsafe pq_result(handle)
    }

    private var unanswered: ServerError {
        ServerError(unansweredFor: options.answerTimeoutMilliseconds(isLong: isLong) / 1_000, server: server)
    }

    private var isLost: Bool { unsafe isUnanswered || pq_status(handle) != PQ_CONNECTION_OK }

    private func lost() -> ServerError {
        if isUnanswered { return unanswered }
        return ServerError(
            state: "", message: unsafe String(cString: pq_errorMessage(handle)), server: server)
    }

    func forgetWarnings() { isWarned = false }

    /// Sends rows to a table in the binary format of COPY, which is the fastest way and fails on an existing key.
    func copy(_ sql: String, _ rows: UnsafeRawBufferPointer) throws(ServerError) {
        _ = try finish()
        guard unsafe pq_exitPipeline(handle) == 1 else { throw lost() }
        let isBegun = unsafe pq_sendQuery(handle, sql, 0, nil, nil, nil, nil, 1) == 1
        guard isBegun, let begun = unsafe try nextResult() else { throw lost() }
        let status = unsafe pq_resultStatus(begun)
        unsafe pq_clear(begun)
        if status == PQ_COPY_IN {
            let bytes = unsafe rows.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard unsafe pq_putCopyData(handle, bytes, Int32(rows.count)) == 1,
                unsafe pq_putCopyEnd(handle, nil) == 1
            else { throw lost() }
        }
        var failure: ServerError?
        while let result = unsafe try nextResult() {
            if unsafe pq_resultStatus(result) != PQ_COMMAND_OK {
                failure = unsafe ServerError(result, server: server, isLost: isLost)
            }
            unsafe pq_clear(result)
        }
        guard unsafe pq_enterPipeline(handle) == 1 else { throw failure ?? lost() }
        if let failure { throw failure }
    }
}

/// Returns whether an SQLSTATE is that of a notice rather than a warning.
private func isNotice(_ state: UnsafePointer<CChar>) -> Bool {
    unsafe state[0] == CChar(UInt8(ascii: "0")) && state[1] == CChar(UInt8(ascii: "0"))
}

extension ServerError {
    /// Creates the error that a result contains.
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
