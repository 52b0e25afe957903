import Dispatch
public import Foundation
import Glibc
import Synchronization

/// A process started by a test. It can be signalled and waited for, and is killed after its time limit.
///
/// Foundation's `Process` is not used, because its `run` is not thread-safe and its wait has no limit. The child
/// inherits its three standard streams and no other descriptors.
public final class RunningProcess: Sendable {
    /// How a process ended.
    public enum TerminationReason: Sendable { case exit, uncaughtSignal }

    private enum State {
        case running
        /// The status that `waitpid` reports.
        case ended(Int32)
    }

    /// The identifier of the process.
    public let processIdentifier: pid_t
    private let state = Mutex(State.running)
    private let end = DispatchSemaphore(value: 0)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - streams: the descriptors that become standard input, output and error.
    ///   - limit: the maximum duration; after that it is killed, which a test sees as an end by SIGKILL.
    init(
        _ program: String, _ arguments: [String], environment: [String: String], directory: String,
        streams: [Int32], limit: Duration
    ) throws {
        processIdentifier = try Self.spawn(program, arguments, environment, directory, streams)
        Thread.detachNewThread { self.waitForEnd() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds))) {
            [weak self] in
            guard let self, isRunning else { return }
            print("killed after \(limit): \(program) \(arguments.joined(separator: " "))")
            send(SIGKILL)
        }
    }

    /// Whether the process has not ended.
    public var isRunning: Bool { if case .running = state.withLock({ $0 }) { true } else { false } }

    /// Sends a signal; does nothing after the process has ended.
    public func send(_ signal: Int32) {
        // Under the lock, so that the process id cannot have been reused.
        state.withLock { if case .running = $0 { _ = kill(processIdentifier, signal) } }
    }

    /// Sends SIGINT.
    public func interrupt() { send(SIGINT) }

    /// Sends SIGTERM.
    public func terminate() { send(SIGTERM) }

    /// Blocks the calling thread until the process has ended.
    public func waitUntilExit() {
        end.wait()
        end.signal()
    }

    /// Waits for the end without blocking a thread of the pool.
    public func ended() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.waitUntilExit()
                continuation.resume()
            }
        }
    }

    /// How the process ended; waits until it has.
    public var terminationReason: TerminationReason { status & 0x7F == 0 ? .exit : .uncaughtSignal }

    /// The exit status, or the signal's number.
    public var terminationStatus: Int32 { status & 0x7F == 0 ? (status >> 8) & 0xFF : status & 0x7F }

    private var status: Int32 {
        guard case .ended(let status) = state.withLock({ $0 }) else {
            preconditionFailure("the process is still running")
        }
        return status
    }

    private func waitForEnd() {
        var information = unsafe siginfo_t()
        // Leaves the process unreaped, so that its id is not reused until the state records that it has ended.
        while unsafe waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0 {}
        state.withLock { state in
            var status: Int32 = 0
            _ = unsafe waitpid(processIdentifier, &status, 0)
            state = .ended(status)
        }
        end.signal()
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ directory: String,
        _ streams: [Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // Uses descriptors above all of them first, because a stream may itself be one of the first three, or be
        // overwritten.
        let high = max(500, (streams.max() ?? 0) + 1)
        for (place, stream) in streams.enumerated() {
            let number = high + Int32(place)
            // Foundation's null device has no descriptor.
            if stream < 0 {
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            } else {
                unsafe posix_spawn_file_actions_adddup2(&actions, stream, number)
            }
        }
        for place in 0..<Int32(streams.count) {
            unsafe posix_spawn_file_actions_adddup2(&actions, high + place, place)
        }
        for descriptor in 3..<high + Int32(streams.count) {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        // posix_spawn cannot change the folder, so `env` changes it and then runs the program.
        let changer = "/usr/bin/env"
        let words =
            unsafe ([changer, "-C", directory, program] + arguments).map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let failure = unsafe posix_spawn(&identifier, changer, &actions, &attributes, words, variables)
        guard failure == 0 else {
            throw CocoaError(.executableLoad, userInfo: [NSFilePathErrorKey: program])
        }
        return identifier
    }
}
