import PatchbaySystem

extension PatchbayError {
    /// A fact about a failure: a value for programs, from which the text for people is derived. None contains a secret.
    public enum Detail: Hashable, Sendable {
        /// Where the setting or the line of a definition is written.
        case at(ConfigurationValue.Origin)
        /// The file or folder.
        case file(String)
        /// An offset in the file, in bytes.
        case byte(Int)
        /// The address of a request.
        case url(String)
        /// The HTTP status of an answer.
        case status(Int)
        /// When a source that refused because of a limit accepts requests again.
        case retryAt(Timestamp)
        /// The exceeded limit, in the unit that the message names.
        case limit(Int)
        /// The address of a storage's server.
        case server(String)
        /// The operating system's `errno`.
        case systemError(Int32)
        /// The collection of the row.
        case collection(String)
        /// The index, or the file of an index.
        case index(String)
        /// The key of a row or of a setting.
        case key(String)
        /// The field of a row.
        case field(String)
        /// The number of a row in an answer, from 0.
        case row(Int)
        /// The number of rows that an import had saved before it failed.
        case rowsImported(Int)
        /// Anything else, for people: a name and a text.
        case note(String, String)

        /// The name for people. An error has at most one detail of a name.
        package var name: String {
            switch self {
            case .at: "at"
            case .file: "file"
            case .byte: "byte"
            case .url: "url"
            case .status: "status"
            case .retryAt: "retry at"
            case .limit: "limit"
            case .server: "server"
            case .systemError: "system"
            case .collection: "collection"
            case .index: "index"
            case .key: "key"
            case .field: "field"
            case .row: "row"
            case .rowsImported: "rows imported before"
            case .note(let name, _): name
            }
        }

        /// The value for people.
        package var text: String {
            switch self {
            case .at(let origin): origin.description
            case .retryAt(let time): time.description
            case .systemError(let code): SystemError(code).words
            case .byte(let number), .status(let number), .limit(let number), .row(let number),
                .rowsImported(let number):
                String(number)
            case .file(let text), .url(let text), .server(let text), .collection(let text), .index(let text),
                .key(let text), .field(let text), .note(_, let text):
                text
            }
        }

        /// Whether the message already contains it. The numbers in a message may have other meanings, but it always
        /// states a limit.
        fileprivate func isMentioned(in message: String) -> Bool {
            switch self {
            case .limit: true
            case .byte(let offset): message.contains("byte \(offset)")
            case .status(let status): message.contains("\(status)")
            case .row, .rowsImported, .key, .field: false
            default: message.contains(text)
            }
        }
    }

    /// The message, followed by the details that it does not state.
    public var summary: String {
        let more = details.filter { !$0.isMentioned(in: message) }.sorted { $0.name < $1.name }
            .map { "\($0.name): \($0.text)" }
        return message + (more.isEmpty ? "" : " (\(more.joined(separator: ", ")))")
    }

    /// The file or folder at fault, or the configuration file or definition that contains the fault.
    public var file: String? {
        first {
            switch $0 {
            case .file(let path), .at(.file(let path, _)): path
            default: nil
            }
        }
    }
    /// The line of a configuration file, a definition or an imported file, from 1.
    public var line: Int? { first { if case .at(.file(_, let line)) = $0 { line } else { nil } } }
    /// The offset of the fault in the file, in bytes.
    public var byte: Int? { first { if case .byte(let offset) = $0 { offset } else { nil } } }
    /// The address of the failed request, without secrets.
    public var url: String? { first { if case .url(let url) = $0 { url } else { nil } } }
    /// The HTTP status of the answer; nil when there was none.
    public var status: Int? { first { if case .status(let status) = $0 { status } else { nil } } }
    /// When a source that refused because of a limit accepts requests again; nil when that is unknown.
    public var retryAt: Timestamp? { first { if case .retryAt(let time) = $0 { time } else { nil } } }
    /// The exceeded limit, in the unit that the message names.
    public var limit: Int? { first { if case .limit(let limit) = $0 { limit } else { nil } } }
    /// The server of the storage, without secrets; nil for a storage in files.
    public var server: String? { first { if case .server(let server) = $0 { server } else { nil } } }
    /// The operating system's `errno`.
    public var systemError: Int32? { first { if case .systemError(let code) = $0 { code } else { nil } } }
    /// The collection of the row at fault.
    public var collection: String? { first { if case .collection(let name) = $0 { name } else { nil } } }
    /// The index that refuses a row, or is damaged.
    public var index: String? { first { if case .index(let name) = $0 { name } else { nil } } }
    /// The key of the row at fault, or of the setting.
    public var key: String? { first { if case .key(let key) = $0 { key } else { nil } } }
    /// The field at fault.
    public var field: String? { first { if case .field(let name) = $0 { name } else { nil } } }
    /// The number of the row at fault in an answer, from 0.
    public var row: Int? { first { if case .row(let number) = $0 { number } else { nil } } }
    /// The number of rows that an import had saved before it failed.
    public var rowsImported: Int? { first { if case .rowsImported(let count) = $0 { count } else { nil } } }

    /// The text of a ``Detail/note(_:_:)``.
    package func note(_ name: String) -> String? {
        first { if case .note(name, let text) = $0 { text } else { nil } }
    }

    private func first<Value>(_ value: (Detail) -> Value?) -> Value? { details.lazy.compactMap(value).first }
}

extension PatchbayError.Code {
    /// The code for a system call that failed for a path or an address.
    package init(systemError number: Int32) {
        self =
            switch SystemError(number) {
            case _ where DiskSpace.isUsedUp(number): .storageFull
            case .accessDenied, .notPermitted, .readOnly: .permissionDenied
            case .missing, .noFolder: .notFound
            case .taken: .conflict
            case .tryAgain, .busy, .addressInUse: .busy
            // The path is too long, or names a folder, a link or a pipe where a file is needed.
            case .isFolder, .nameTooLong, .link, .tooManyLinks, .noOtherEnd: .invalidValue
            default: .internalError
            }
    }
}
