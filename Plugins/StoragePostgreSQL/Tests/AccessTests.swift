import PatchbayCore
@testable import PatchbayTestKit
@testable import StoragePostgreSQL
import Testing
import TestSupport

@Suite("Access rights, and the errors of opening", .mayBlock, .needsPostgreSQL)
struct AccessTests {
    private let server = TestServer()

    private func opening(_ words: String, password: String? = nil, wait: Int = 0) async -> PatchbayError? {
        let storage = PostgreSQLStorage(
            url: "\(PostgreSQLServer.url ?? "") \(words)", password: password, schema: server.schema,
            busyTimeoutMilliseconds: wait)
        return await fault {
            try await storage.open(Sample.schema)
            try await storage.close()
        }
    }

    @Test("the error of opening names a database that does not exist")
    func missingDatabase() async throws {
        let error = try #require(await opening("dbname=nothing_of_the_kind", wait: 10_000))
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains("nothing_of_the_kind"))
    }

    @Test("a wrong password is refused at once, and no message contains a password")
    func wrongPassword() async throws {
        let wrong = try #require(await opening("user=guarded", password: "close sesame", wait: 10_000))
        #expect(wrong.code == .permissionDenied)
        #expect(wrong.message.contains("guarded"))
        #expect(!wrong.description.contains("close sesame"))
        let none = try #require(await opening("user=guarded passfile=/dev/null", wait: 10_000))
        #expect(none.code == .permissionDenied)
        // The right password only fails later, for lack of rights in the database.
        let right = try #require(await opening("user=guarded", password: "open sesame"))
        #expect(right.note("postgresql")?.contains("42501") == true)
    }

    @Test("opening waits for a server that refuses connections for the configured time")
    func missingServer() async throws {
        let start = ContinuousClock.now
        // Port 1 refuses connections.
        let error = try #require(await opening("host=127.0.0.1 port=1", wait: 300))
        #expect(error.code == .busy)
        #expect(error.code.isRetryable)
        #expect(ContinuousClock.now - start > .milliseconds(100))
    }

    @Test(
        "opening fails at once when the socket or the host does not exist",
        arguments: ["host=/nowhere", "host=/nowhere,/elsewhere", "host=no-such-host.invalid"])
    func noServer(_ words: String) async throws {
        let start = ContinuousClock.now
        let error = try #require(await opening(words, wait: 60_000))
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains("correct storage.url"))
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("a user with one connection can write and read")
    func oneConnection() async throws {
        let role = "single_\(UInt32.random(in: 0 ... .max))"
        try server.psql("CREATE ROLE \(role) LOGIN SUPERUSER CONNECTION LIMIT 1")
        try server.psql("ALTER ROLE \(role) NOSUPERUSER; GRANT CREATE ON DATABASE postgres TO \(role)")
        let storage = server.storage("user=\(role)")
        try await storage.open(Sample.schema)
        for id in 1...3 as ClosedRange<Int64> {
            try await storage.put([Sample.person(id)], in: Sample.people)
            #expect(try await storage.rows(Query(Sample.people)).count == Int(id))
        }
        try await storage.close()
        try server.psql("DROP SCHEMA \"\(server.schema)\" CASCADE; DROP OWNED BY \(role); DROP ROLE \(role)")
    }

    @Test("with several servers, the one that accepts writes is used")
    func severalServers() async throws {
        let host = try #require(PostgreSQLServer.url?.split(separator: " ").first { $0.hasPrefix("host=") })
        let storage = server.storage("host=/nowhere,\(host.dropFirst(5)) target_session_attrs=read-write")
        try await storage.open(Sample.schema)
        try await storage.put([Sample.person(1)], in: Sample.people)
        try await storage.close()
    }

    @Test("the error of a closed storage has its server as a detail, and no file")
    func closed() async throws {
        let storage = server.storage()
        try await storage.open(Sample.schema)
        try await storage.close()
        let read = try #require(await fault { try await storage.read { _ in } })
        let write = try #require(await fault { try await storage.write { _ in } })
        for error in [read, write] {
            #expect(error.code == .unsupported && error.file == nil)
            #expect(error.details.map(\.name) == ["server"])
        }
    }

    @Test(
        "a read-only server is opened for reading, and the error of a write says why",
        arguments: StorageAccess.allCases)
    func readOnlyServer(_ access: StorageAccess) async throws {
        let writing = try await server.open()
        try await writing.put([Sample.person(1)], in: Sample.people)
        let reading = server.storage("options='-c default_transaction_read_only=on'")
        try await reading.open(StorageOpening(Sample.schema, access))
        #expect(try await reading.rows(Query(Sample.people)) == [Sample.person(1)])
        let error = await fault { try await reading.put([Sample.person(2)], in: Sample.people) }
        #expect(error?.code == .permissionDenied)
        #expect(await fault { try await reading.compact { _ in } }?.code == .permissionDenied)
        try await reading.close()
        try await writing.close()
    }

    @Test("a user who may only read opens the storage for reading; one without rights gets an error")
    func readingUser() async throws {
        let writing = try await server.open()
        try await writing.put([Sample.person(1)], in: Sample.people)
        let role = "role_\(server.schema)"
        try server.psql("CREATE ROLE \"\(role)\" LOGIN")
        defer { _ = try? server.psql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"") }
        #expect(await opening("user=\(role)")?.code == .permissionDenied)
        try server.psql(
            "GRANT USAGE ON SCHEMA \"\(server.schema)\" TO \"\(role)\"; "
                + "GRANT SELECT ON ALL TABLES IN SCHEMA \"\(server.schema)\" TO \"\(role)\"")
        let reading = try await server.open("user=\(role)")
        #expect(try await reading.rows(Query(Sample.people)) == [Sample.person(1)])
        let error = await fault { try await reading.put([Sample.person(2)], in: Sample.people) }
        #expect(error?.code == .permissionDenied)
        try await reading.close()
        try await writing.close()
    }

    @Test("a user who does not own the tables can write them, but compacting them is an error")
    func vacuum() async throws {
        let owner = try await server.open()
        let role = "role_\(server.schema)"
        try server.psql("CREATE ROLE \"\(role)\" LOGIN")
        defer { _ = try? server.psql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"") }
        try server.psql(
            "GRANT USAGE ON SCHEMA \"\(server.schema)\" TO \"\(role)\"; "
                + "GRANT ALL ON ALL TABLES IN SCHEMA \"\(server.schema)\" TO \"\(role)\"")
        let storage = try await server.open("user=\(role)")
        try await storage.put([Sample.person(1)], in: Sample.people)
        let error = try #require(await fault { try await storage.compact { _ in } })
        #expect(error.code == .permissionDenied)
        #expect(error.message.hasPrefix("the user may not vacuum the table"))
        try await owner.compact { _ in }
        try await storage.close()
        try await owner.close()
    }

    @Test(
        "a server without a free connection is busy; reads and writes of one storage take turns on a single one"
    )
    func tooManyConnections() async throws {
        let role = "role_\(server.schema)"
        try server.psql(
            "CREATE ROLE \"\(role)\" LOGIN CONNECTION LIMIT 1; GRANT CREATE ON DATABASE postgres TO \"\(role)\""
        )
        defer { _ = try? server.psql("DROP OWNED BY \"\(role)\" CASCADE; DROP ROLE \"\(role)\"") }
        let storage = try await server.open("user=\(role)")
        let error = await fault {
            try await server.open("user=\(role)", busyTimeoutMilliseconds: 200).close()
        }
        #expect(error?.code == .busy)
        #expect(error?.note("postgresql")?.contains("53300") == true)
        try await storage.put([Sample.person(1)], in: Sample.people)
        #expect(try await storage.rows(Query(Sample.people)).count == 1)
        try await storage.put([Sample.person(2)], in: Sample.people)
        try await storage.close()
    }

    @Test("a storage that several tasks open at the same time is created once")
    func manyCreators() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<8 as Range<Int64> {
                group.addTask {
                    let storage = try await server.open()
                    try await storage.put([Sample.person(id)], in: Sample.people)
                    try await storage.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try server.psql("SELECT count(*) FROM people") == "8")
        #expect(try server.psql("SELECT count(*) FROM patchbay_store") == "1")
    }

    @Test(
        "a session waits for locks, and lets a writer stay idle, for no longer than configured",
        arguments: [(Durability.full, "on"), (.normal, "off"), (.off, "off")])
    func session(_ durability: Durability, _ commit: String) throws {
        let address = ServerAddress(url: PostgreSQLServer.url ?? "", password: nil, connectTimeoutSeconds: 10)
        let options = ConnectionOptions(
            address, schema: server.schema, durability: durability, busyTimeoutMilliseconds: 1_234,
            answerTimeoutSeconds: 15)
        let connection = try Connection(options, for: .writing)
        #expect(connection.isDirect)
        let names = [
            "lock_timeout", "idle_in_transaction_session_timeout", "synchronous_commit", "enable_sort",
        ]
        let values = try names.map { try connection.query("SELECT current_setting('\($0)')").text(0, 0) }
        #expect(values == ["1234ms", "30s", commit, "off"])
        let reading = try Connection(options, for: .reading)
        #expect(try reading.query("SELECT current_setting('lock_timeout')").text(0, 0) == "1234ms")
    }

    @Test("a description names the server, tables and settings; a pooler is a concern", .needsPgBouncer)
    func describes() async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1)], in: Sample.people)
        let direct = try await storage.describe()
        #expect(direct.engine.hasPrefix("PostgreSQL "))
        #expect(direct.files.contains { $0.path == "\(server.schema).people" && $0.bytes > 0 })
        #expect(direct.settings.contains(.init("schema", server.schema)))
        #expect(direct.concerns.isEmpty)
        try await storage.close()
        let pooled = PostgreSQLStorage(url: PostgreSQLServer.poolerURL ?? "", schema: server.schema)
        try await pooled.open(Sample.schema)
        let concerns = try await pooled.describe().concerns
        #expect(concerns.count == 1)
        #expect(concerns.first?.finding.contains("pooler") == true)
        try await pooled.close()
    }

    @Test("the error of a backup names the alternative")
    func backup() async throws {
        let storage = try await server.open()
        let error = await fault { try await storage.backup(to: "/nowhere") { _ in } }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("export") == true)
        try await storage.close()
    }
}
