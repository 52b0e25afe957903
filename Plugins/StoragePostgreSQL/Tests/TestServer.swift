import PatchbayCore
@testable import StoragePostgreSQL
import TestSupport

/// Storages on the server of the tests.
enum TestServer {
    static func storage(
        _ schema: String, url: String = PostgreSQLServer.url ?? "", connectionsMax: Int = 4,
        busyTimeoutMilliseconds: Int = 30_000
    ) -> PostgreSQLStorage {
        PostgreSQLStorage(
            url: url, schema: schema, connectionsMax: connectionsMax,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds)
    }
}
