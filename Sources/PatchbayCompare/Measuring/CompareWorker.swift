import PatchbayCore
import PatchbaySystem

/// The process that measures one subject: it answers the requests on its standard input, which is a socket, and removes
/// its files when the input ends, even if the comparing process was killed.
package enum CompareWorker {
    /// Runs until the input ends.
    @concurrent
    package static func run(_ plugins: ComparePlugins) async throws {
        // Ctrl-C reaches all processes of a terminal; the comparing process ends this one.
        Signal.ignore(Signal.interrupt)
        let frames = Frames(socket: 0)
        let session = BenchSession(plugins)
        do {
            while let request: BenchRequest = try frames.read() {
                let reply = await session.send(request)
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
