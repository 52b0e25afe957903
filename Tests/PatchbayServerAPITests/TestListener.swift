import PatchbayCore
import HTTPTypes
import PatchbayJSON
import PatchbayTestKit

@testable import PatchbayServer

/// A client that listens to events.
actor TestListener {
    struct Event: Sendable {
        let id: String?
        let name: String
        let data: JSONValue
    }

    private var received: [UInt8] = []
    private var isReading: Bool
    private var readers: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var task: Task<Void, Never>?
    private var hasEnded = false

    /// - Parameter isSlow: whether it reads nothing before ``read()``.
    init(
        _ fixture: APIFixture, _ path: String, _ fields: [String: String] = [:], isSlow: Bool = false
    ) async {
        isReading = !isSlow
        let response = await fixture.api.respond(to: APIFixture.request(.get, path, fields))
        guard case .stream(let write) = response.body else { return }
        task = Task {
            // Ends when it is cancelled or the server stops.
            try? await write(ServerResponse.Writer { try await self.take($0) })
            end()
        }
    }

    private func take(_ bytes: [UInt8]) async throws {
        while !isReading { await withCheckedContinuation { readers.append($0) } }
        try Task.checkCancellation()
        received += bytes
        wake()
    }

    func read() {
        isReading = true
        for reader in readers { reader.resume() }
        readers = []
    }

    private func end() {
        hasEnded = true
        wake()
    }

    private func wake() {
        for watcher in watchers { watcher.resume() }
        watchers = []
    }

    private func change() async { await withCheckedContinuation { watchers.append($0) } }

    var eventCount: Int { events.count }

    private var events: [Event] {
        String(decoding: received, as: UTF8.self).split(separator: "\n\n").compactMap { text in
            var id: String?, name = "", data = ""
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                switch parts[0] {
                case "id": id = parts[1]
                case "event": name = parts[1]
                case "data": data = parts[1]
                default: break
                }
            }
            return name.isEmpty
                ? nil : Event(id: id, name: name, data: (try? JSONValue(Array(data.utf8))) ?? .null)
        }
    }

    /// Waits for an event; earlier ones stay.
    func event(_ isWanted: (Event) -> Bool) async -> Event {
        while true {
            if let found = events.last(where: isWanted) { return found }
            if hasEnded { return Event(id: nil, name: "the stream has ended", data: .null) }
            await change()
        }
    }

    func text(_ isWanted: (String) -> Bool) async {
        while !isWanted(String(decoding: received, as: UTF8.self)), !hasEnded { await change() }
    }

    /// Waits for the end of the stream.
    func ended() async { while !hasEnded { await change() } }

    /// Leaves like a client that closes its connection.
    func leave() async {
        task?.cancel()
        read()
        await task?.value
    }
}
