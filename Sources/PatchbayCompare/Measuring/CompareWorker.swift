import CPlatform
import PatchbayCore

/// The process that measures one subject: it answers the requests on its standard input, and removes its files when the
/// input ends, even if the comparing process was killed.
package enum CompareWorker {
    /// Runs until the input ends.
    @concurrent
    package static func run(_ plugins: ComparePlugins) async throws {
        // Ctrl-C reaches all processes of a terminal; the comparing process ends this one.
        _ = signal(SIGINT, SIG_IGN)
        // Output of a storage must not mix with the replies.
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
            throw PatchbayError(.internalError, "the standard output is not open")
        }
        let frames = Frames(reading: STDIN_FILENO, writing: output)
        let session = BenchSession(plugins)
        do {
            while let request: BenchRequest = try frames.read() {
                let reply = await session.ask(request)
                session.replies.bytes += try frames.write(reply)
                session.replies.calls += 1
            }
        } catch {
            await session.close()
            throw error
        }
        await session.close()
    }
}
