import CPostgreSQL
import PatchbayCore

/// The address of the server and the credentials, in libpq's terms.
struct ServerAddress: Sendable {
    /// A URI or `key = value` pairs; libpq takes missing parts from its variables, files and defaults.
    var url: String
    var password: String?
    var connectTimeoutSeconds: Int

    /// The parts of an address that contain no secrets.
    private static let shownKeywords = ["service", "host", "hostaddr", "port", "dbname", "user"]
    private static let secretKeywords = ["password", "sslpassword"]

    /// Parses the address and returns the parts that may be shown.
    ///
    /// - Throws: `invalidConfiguration` when the address cannot be parsed or contains a password.
    func shown() throws(PatchbayError) -> String {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe pq_parse(url, &message) else {
            // libpq's message would quote the address, including any secret in it.
            unsafe pq_freeMemory(message)
            throw PatchbayError(
                .invalidConfiguration,
                "storage.url is not an address of PostgreSQL; write it as "
                    + "\"postgresql://user@host/database\" or \"host=... dbname=... user=...\"")
        }
        defer { unsafe pq_freeOptions(options) }
        var shown: [String] = []
        var option = unsafe options
        while let name = unsafe option.pointee.keyword {
            let keyword = unsafe String(cString: name)
            if let value = unsafe option.pointee.value, unsafe value.pointee != 0 {
                if Self.secretKeywords.contains(keyword) { throw Self.holdsPassword }
                if Self.shownKeywords.contains(keyword) {
                    shown.append("\(keyword)=\(unsafe String(cString: value))")
                }
            }
            unsafe option += 1
        }
        return shown.isEmpty ? "libpq's defaults" : shown.joined(separator: " ")
    }

    private static let holdsPassword = PatchbayError(
        .invalidConfiguration,
        "storage.url contains a password, which files and process lists would show; remove it and set "
            + "storage.password, or write it into ~/.pgpass")

    /// The connection parameters. Later ones override earlier ones, so the address overrides the defaults here.
    private var parameters: [(String, String)] {
        var parameters = [
            ("connect_timeout", String(connectTimeoutSeconds)),
            // Detect a server that has vanished, instead of waiting for the system's much longer time-outs.
            ("tcp_user_timeout", "15000"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("fallback_application_name", "patchbay"), ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
        if let password { parameters.append(("password", password)) }
        return parameters
    }

    /// Connects to the server; the status of the result says whether that succeeded.
    func connect() -> OpaquePointer? {
        let parameters = parameters
        return unsafe withCStrings(parameters.map(\.0)) { keywords in
            unsafe withCStrings(parameters.map(\.1)) { values in unsafe pq_connect(keywords, values, 1) }
        }
    }

    private func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let bytes = texts.map { Array($0.utf8CString) }
        let all = bytes.flatMap { $0 }
        return unsafe all.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var place = 0
            for text in bytes {
                unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + place })
                place += text.count
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
        }
    }
}
