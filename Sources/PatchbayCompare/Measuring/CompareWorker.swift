#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// The process that measures one subject: it does what it is asked on its standard input, and removes its files when
/// the input ends, also when the process that asked was killed.
package enum CompareWorker {
    /// Runs until the input ends.
    @concurrent
    package static func run(_ plugins: ComparePlugins) async throws {
        // Ctrl-C goes to all processes of a terminal; the one that asks ends this one.
        _ = signal(SIGINT, SIG_IGN)
        // What a storage prints must not come between the replies.
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
            throw PatchbayError(.internalError, "the standard output is not open")
        }
        let frames = Frames(reading: STDIN_FILENO, writing: output)
        let session = BenchSession(plugins)
        do {
            while let message = try frames.read() {
                let reply = await session.reply(to: try BenchRequest(bytes: message))
                session.replyCount += 1
                try frames.write(reply.bytes)
            }
        } catch {
            await end(session)
            throw error
        }
        await end(session)
    }

    private static func end(_ session: BenchSession) async {
        // The one who asked has gone, or was told already why the storage does not close; the files are removed.
        try? await session.end()
    }
}
