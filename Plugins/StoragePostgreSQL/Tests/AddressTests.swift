import PatchbayTestKit
import PatchbayCore
@testable import StoragePostgreSQL
import Testing
import TestSupport

@Suite("The address of a server", .needsLibPQ)
struct AddressTests {
    private func shown(_ url: String) -> Result<String, PatchbayError> {
        Result { () throws(PatchbayError) in
            try ServerAddress(url: url, password: nil, connectTimeoutSeconds: 10).shown()
        }
    }

    @Test("messages name the server, database and user")
    func names() throws {
        #expect(try shown("postgresql://me@db:5433/rows").get() == "user=me dbname=rows host=db port=5433")
        #expect(try shown("host=a,b target_session_attrs=read-write").get() == "host=a,b")
        #expect(try shown("").get() == "libpq's defaults")
    }

    @Test(
        "a password in the address is refused, and no message contains it",
        arguments: [
            "postgresql://me:hunter2@db/rows", "host=db password=hunter2",
            "host=db password='hunter2 and more'",
            "postgresql://db/rows?password=hunter2", "host=db sslpassword=hunter2",
        ])
    func password(_ url: String) async {
        for error in [shown(url), await opened(url)] {
            guard case .failure(let error) = error else {
                Issue.record("\(url) was accepted")
                continue
            }
            #expect(error.code == .invalidConfiguration)
            #expect(error.message.contains("storage.password"))
            #expect(!error.description.contains("hunter2"))
        }
        #expect(!ConfigurationValue(url, .code).shownText.contains("hunter2"))
    }

    @Test(
        "an invalid address is refused without quoting it",
        arguments: ["postgresql://me:hunter2%zz@db", "host=db hunter2", "postgresql://me:hunter2@[db/rows"])
    func malformed(_ url: String) async {
        guard case .failure(let error) = await opened(url) else {
            Issue.record("\(url) was accepted")
            return
        }
        #expect(error.code == .invalidConfiguration)
        #expect(!error.description.contains("hunter2"))
    }

    private func opened(_ url: String) async -> Result<String, PatchbayError> {
        let error = await fault {
            try await PostgreSQLStorage(url: url).open(StorageOpening(nil, .reading))
        }
        return error.map { .failure($0) } ?? .success("opened")
    }

    @Test("the plugin creates a storage from its settings, and needs no server before it is opened")
    func plugin() async throws {
        let plugin = Plugin<any Storage>.postgres
        #expect(
            plugin.options.map(\.key) == [
                "url", "password", "schema", "durability", "busy-timeout-ms", "connections-max",
                "connect-timeout-seconds", "answer-timeout-seconds",
            ])
        let storage = try await plugin.open(
            Settings("storage", ["url": "host=/nowhere", "busy-timeout-ms": "0"]))
        #expect(storage.features.contains(.sharedBetweenMachines))
        let error = await fault { try await storage.open(StorageOpening(nil, .reading)) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("/nowhere") == true)
    }

    @Test("the reason for a failed connection is found in any language")
    func connecting() {
        let german = """
            connection to server at "db" (10.0.0.1), port 15432 failed: FATAL:  28P01: Passwort-Authentifizierung \
            für Benutzer »ann« fehlgeschlagen
            LOCATION:  auth_failed, auth.c:326
            """
        let refused = ServerError(connecting: german, server: "host=db")
        #expect(refused.state == "28P01")
        #expect(refused.patchbayError.code == .permissionDenied)
        #expect(refused.remedy == .none)
        #expect(!refused.message.contains("LOCATION"))
        let away = ServerError(
            connecting: "connection to server at \"db\" (10.0.0.1), port 15432 failed: Connection refused\n"
                + "\tIs the server running on that host and accepting TCP/IP connections?\n",
            server: "host=db")
        #expect(away.state == "")
        #expect(away.remedy == .reconnect)
        #expect(away.patchbayError.message.contains("Connection refused; Is the server running"))
    }

    @Test(
        "a connection that fails because of TLS is not tried again",
        arguments: [
            "server does not support SSL, but SSL was required", "SSL error: certificate verify failed",
            "root certificate file \"/etc/postgresql/root.crt\" does not exist",
        ])
    func encryption(_ reason: String) {
        let error = ServerError(
            connecting: "connection to server at \"db\" (10.0.0.1), port 5432 failed: \(reason)\n",
            server: "host=db")
        #expect(error.remedy == .none)
        #expect(error.patchbayError.code == .invalidConfiguration)
        #expect(error.patchbayError.message.hasPrefix("no TLS connection to the server is possible: "))
    }

    @Test("a reserved or empty schema name is refused", arguments: ["", "pg_mine", "information_schema"])
    func schema(_ name: String) async {
        let error = await fault {
            _ = try await Plugin<any Storage>.postgres.open(Settings("storage", ["schema": name]))
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
