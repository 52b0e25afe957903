import Foundation
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

@Suite("Printed rows")
struct PrintedRowsTests {
    @Test("contain only what the source sent, the gateway's notes, and nulls")
    func users() async throws {
        let folder = try TemporaryDirectory()
        let gateway = try await Gateway(
            configuration: try GatewayConfiguration(
                flags: [.init("storage", "memory", name: "test")], environment: ["HOME": folder.path]))
        let users = try gateway.resource("users"), records = ItemRecords(users.declaration)
        let sync = gateway.sync(try gateway.question(users))
        _ = await sync.run()
        let listed = try await gateway.list("users", limit: 200).ending.value?.items ?? []
        try await gateway.close()

        let sent = try sentObjects(in: Checkout.path("Recordings/sample.har"))
        let notes = Set(records.names.more + [ItemRecords.hasDetail, ItemRecords.override("name")])
        #expect(listed.count > 100)
        for item in listed {
            var json = JSONWriter()
            json.beginObject()
            records.write(item, to: &json)
            json.endObject()
            let printed = try #require(
                try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
            let id = try #require(printed["id"] as? Int)
            for (name, value) in printed where !notes.contains(name) && !(value is NSNull) {
                let isSent = sent.contains { $0["id"] as? Int == id && same($0[name], value) }
                #expect(isSent, "the source did not send the \(name) \(value) of \(id)")
            }
        }
    }

    private func same(_ one: Any?, _ other: Any) -> Bool {
        (one as? NSObject).map { $0.isEqual(other) } ?? false
    }

    /// All objects with an id in the bodies of a recording, at any depth.
    private func sentObjects(in path: String) throws -> [[String: Any]] {
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        let log = (file as? [String: Any])?["log"] as? [String: Any]
        let entries = try #require(log?["entries"] as? [[String: Any]])
        var objects: [[String: Any]] = []
        func collect(_ value: Any) {
            if let array = value as? [Any] { array.forEach(collect) }
            guard let object = value as? [String: Any] else { return }
            if object["id"] != nil { objects.append(object) }
            object.values.forEach(collect)
        }
        for entry in entries {
            let content = (entry["response"] as? [String: Any])?["content"] as? [String: Any]
            guard let text = content?["text"] as? String,
                let body = try? JSONSerialization.jsonObject(with: Data(text.utf8))
            else { continue }
            collect(body)
        }
        return objects
    }
}
