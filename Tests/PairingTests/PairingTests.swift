import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayGateway
import PatchbayTestKit
import TestSupport
import Testing

/// Every storage with every available recording: the answers must not depend on the storage.
@Suite("Pairings of storage and recording")
struct PairingTests {
    private static let storages = StoragePlaces.all

    /// The bundled recording, and the real ones if they are available.
    private static let recordings: [String] = {
        let real = Checkout.sharedRecordings.map { folder in
            ["users_list_2013.har", "users_and_details_2019.har"].map { "\(folder)/\($0)" }
        }
        return [Checkout.path("Recordings/sample.har")] + (real ?? [])
    }()

    private func gateway(
        _ storage: String, _ recording: String, in folder: String, _ places: StoragePlaces,
        isOffline: Bool = false
    ) async throws -> Gateway {
        let options = places.options(storage, at: "\(folder)/store.\(storage)")
        let values = [("storage", storage), ("source.path", recording)] + options
        let configuration = try GatewayConfiguration(
            flags: values.map { .init($0.0, $0.1, name: "test") }, environment: ["HOME": folder])
        return try await Gateway(configuration: configuration, isOffline: isOffline)
    }

    private func users(
        _ gateway: Gateway, after value: Int64 = 0, policy: Policy = .localFirst
    ) async throws -> Answer<ItemList> {
        let question = try gateway.question(gateway.resource("users"), after: value)
        return await gateway.list(question, limit: 20, policy: policy).ending
    }

    @Test("a list is the same over every storage, page by page", arguments: recordings)
    func lists(_ recording: String) async throws {
        var expected: [[[ItemValue?]]]?
        for storage in Self.storages {
            let folder = try TemporaryDirectory(), places = StoragePlaces()
            let gateway = try await gateway(storage, recording, in: folder.path, places)
            var windows: [[[ItemValue?]]] = []
            var after: Int64 = 0
            for _ in 0..<8 {
                let answer = try await users(gateway, after: after)
                windows.append(answer.value?.items.map(\.shownValues) ?? [])
                guard let next = answer.value?.next else { break }
                after = next
            }
            try await gateway.close()
            #expect(windows.first?.count == 20)
            #expect(expected == nil || expected == windows, "\(storage) differs")
            expected = windows
        }
    }

    @Test(
        "listed rows are available offline without the recording",
        arguments: storages.filter { $0 != "memory" })
    func offline(_ storage: String) async throws {
        for recording in Self.recordings {
            let folder = try TemporaryDirectory(), places = StoragePlaces()
            let first = try await gateway(storage, recording, in: folder.path, places)
            let online = try await users(first)
            try await first.close()
            let second = try await gateway(
                storage, folder.path + "/gone.har", in: folder.path, places, isOffline: true)
            let offline = try await users(second, policy: .localOnly)
            try await second.close()
            #expect(offline.value?.items.map(\.shownValues) == online.value?.items.map(\.shownValues))
            #expect(offline.age != nil)
        }
    }
}
