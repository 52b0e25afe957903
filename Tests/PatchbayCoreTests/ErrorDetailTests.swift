import Glibc
import PatchbayCore
import Testing

@Suite("The details of an error")
struct ErrorDetailTests {
    /// A detail, its texts for people, and its value from the accessor, as text.
    private struct Case {
        let detail: PatchbayError.Detail
        let name: String
        let text: String
        let value: (PatchbayError) -> String?

        init(
            _ detail: PatchbayError.Detail, _ name: String, _ text: String,
            _ value: @escaping (PatchbayError) -> String?
        ) {
            self.detail = detail
            self.name = name
            self.text = text
            self.value = value
        }
    }

    private static let line = ConfigurationValue.Origin.file(path: "a.conf", line: 3)
    private static let time = Timestamp(milliseconds: 1_790_000_000_000)

    /// Every detail except `server`, which has no accessor.
    private static var cases: [Case] {
        [
            Case(.at(line), "at", "a.conf:3") { error in error.line.map { "\(error.file ?? ""):\($0)" } },
            Case(.file("/x"), "file", "/x") { $0.file },
            Case(.byte(7), "byte", "7") { $0.byte.map { "\($0)" } },
            Case(.url("https://x.example/"), "url", "https://x.example/") { $0.url },
            Case(.status(404), "status", "404") { $0.status.map { "\($0)" } },
            Case(.retryAt(time), "retry at", time.description) { $0.retryAt?.description },
            Case(.limit(10), "limit", "10") { $0.limit.map { "\($0)" } },
            Case(.systemError(2), "system", "no such file or directory") { error in
                error.systemError == 2 ? "no such file or directory" : nil
            },
            Case(.collection("users"), "collection", "users") { $0.collection },
            Case(.index("by_name"), "index", "by_name") { $0.index },
            Case(.key("storage.path"), "key", "storage.path") { $0.key },
            Case(.field("name"), "field", "name") { $0.field },
            Case(.row(0), "row", "0") { $0.row.map { "\($0)" } },
            Case(.rowsImported(5), "rows imported before", "5") { $0.rowsImported.map { "\($0)" } },
            Case(.note("pid", "12"), "pid", "12") { $0.note("pid") },
        ]
    }

    @Test("each accessor returns the value of its detail, and nil without it")
    func accessors() {
        let cases = Self.cases
        let all = PatchbayError(.internalError, "x", cases.map(\.detail))
        for each in cases {
            #expect(each.detail.name == each.name && each.detail.text == each.text, "\(each.name)")
            let error = PatchbayError(.internalError, "x", [each.detail])
            #expect(each.value(error) == each.text, "\(each.name)")
            #expect(each.value(PatchbayError(.internalError, "x")) == nil, "\(each.name)")
            // The line of a configuration names a file, too, and is the first of all details here.
            #expect(each.value(all) == (each.name == "file" ? "a.conf" : each.text), "\(each.name)")
        }
    }

    @Test("an option or environment variable at fault is neither a file nor a line")
    func origins() {
        for origin in [ConfigurationValue.Origin.flag(name: "--x"), .environment(name: "X"), .code] {
            let error = PatchbayError(.invalidConfiguration, "x", [.at(origin)])
            #expect(error.file == nil && error.line == nil)
        }
    }

    @Test("the summary adds the details that the message does not state, ordered by name")
    func summary() {
        let details: [PatchbayError.Detail] = [
            .key("k"), .file("/x"), .limit(10), .status(404), .server("db.example"),
        ]
        #expect(
            PatchbayError(.notFound, "404 for k at /x", details).summary
                == "404 for k at /x (key: k, server: db.example)")
        #expect(PatchbayError(.notFound, "nothing").summary == "nothing")
    }

    @Test(
        "the errors of system calls have the codes of their causes",
        arguments: [
            (ENOSPC, .storageFull), (EDQUOT, .storageFull), (EROFS, .permissionDenied), (ENOTDIR, .notFound),
            (EEXIST, .conflict), (EADDRINUSE, .busy), (ELOOP, .invalidValue), (ENAMETOOLONG, .invalidValue),
            (EIO, .internalError),
        ] as [(Int32, PatchbayError.Code)])
    func systemErrors(_ number: Int32, _ code: PatchbayError.Code) {
        #expect(PatchbayError.Code(systemError: number) == code)
    }
}
