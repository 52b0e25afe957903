public import PatchbayCore

/// An open source: its resources, and the feeds of their rows and pictures.
public struct Source: Sendable {
    /// The name in messages: `api.github.com (recording users.har)`.
    public var name: String
    /// What all answers depend on besides the request: the server as the first word, the credentials that are sent as
    /// the second, and others. A cursor of a list is valid only for the same identity. The default is the name; it is
    /// empty if it is not known, because the source is closed. It changes when a source replaces its credentials.
    public var identity: String {
        get { currentIdentity?() ?? fixedIdentity }
        set { (fixedIdentity, currentIdentity) = (newValue, nil) }
    }
    private var fixedIdentity: String
    /// The identity of a source that may replace its credentials; nil if ``identity`` stays the same.
    package var currentIdentity: (@Sendable () -> String)?
    /// The recording that answers in place of the server; nil for a source that sends requests. An answer from a
    /// recording is as old as the recording, however recently it was stored.
    package var recording: String?
    /// The prefix of the names of its collections: `github` in `github_users`. Lower-case letters, digits and
    /// underscores.
    public var word = "source"
    /// The server that assigned the rows' ids, for APIs whose servers each assign their own; nil for the API's usual
    /// server.
    public var server: String?
    /// What the source can list, show or search.
    package var resources: [ResourceDeclaration] = []
    /// The resources that a closed source may have instead (``ConfiguredSource/resources``).
    package var candidates: [SourceResources] = []
    /// Returns the rows of its resources; nil for a source that has none.
    public var feed: (any ResourceFeed)?
    /// Returns the pictures of rows; nil for a source that has none.
    public var pictures: (any PictureSource)?
    /// Reads saved answers; nil for a source without a decoder.
    package var decoder: (any AnswerDecoder)?
    /// The source's API without interpretation of its answers.
    package var raw: (any RawSource)?
    /// The source's server, for requests of other programs through `patchbay serve`; nil for a source without a server.
    package var upstream: Upstream?
    /// Requests the state of the source and of the credentials; one request, which costs no budget.
    public var status: (@Sendable () async throws -> SourceStatus)?
    /// The remaining budget of requests; nil when nothing counts them.
    public var budget: (@Sendable () async -> RequestBudget?)?
    /// The maximum number of simultaneous requests of one use case, at least 1. A source with small limits, such as one
    /// without credentials, has 1.
    public var concurrency = 1
    /// Whether gateways over one storage share requests: when several want the same rows, one sends the request and the
    /// others wait for the rows it saves.
    public var sharesRequests = false
    /// The requests sent since the source was opened; nil when nothing counts them.
    package var requests: (@Sendable () -> RequestCounts)?
    /// Whether requests carry a configured token; false for an API whose definition sets no `auth`.
    package var sendsToken = true
    /// Releases what the source holds open, such as connections and threads; nil when it holds nothing.
    public var close: (@Sendable () async throws -> Void)?

    /// Whether no requests may be sent, as for the placeholder of a source that is left closed.
    package var isClosed = false

    /// Creates a source without resources, whose identity is its name.
    public init(name: String) {
        self.name = name
        fixedIdentity = name
    }

    /// Creates a source with the resources of a definition, whose identity is its name.
    public init(name: String, _ definition: BundledDefinition) {
        self.init(name: name)
        word = definition.definition.api
        resources = definition.definition.resources
    }

    /// What answers with rows of a resource depend on: the ``identity``, and as the last word, the definition of the
    /// resource, so that a change of one resource leaves the lists of others as they are.
    package func identity(of resource: Resource) -> String { resource.declaration.identity(at: identity) }
}

/// The number of requests that are left before a source refuses.
public struct RequestBudget: Hashable, Sendable {
    /// The number of requests left until the reset; 0 when the budget is used up.
    public var remaining: Int
    /// When the budget is reset; nil when that is not known.
    public var resetsAt: Timestamp?

    /// Creates a budget; `resetsAt` is nil when the reset is not known.
    public init(remaining: Int, resetsAt: Timestamp? = nil) {
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}

/// The resources of an API, and the prefix of their collections.
package struct SourceResources: Sendable {
    /// ``Source/word``.
    package var word: String
    private let declared: @Sendable () -> [ResourceDeclaration]
    private let described: @Sendable () -> (server: String?, decoder: (any AnswerDecoder)?)

    /// - Parameter resources: evaluated each time they are needed, so that a definition is read only if it is used.
    package init(word: String, _ resources: @autoclosure @escaping @Sendable () -> [ResourceDeclaration]) {
        self.word = word
        declared = resources
        described = { (nil, nil) }
    }

    /// The resources of an API.
    ///
    /// - Parameter baseURL: the address of the API; nil for the address in its definition.
    package init(_ api: SourceAPI, at baseURL: @autoclosure @escaping @Sendable () -> String?) {
        word = api.word
        declared = { api.definition.resources }
        described = {
            let address = baseURL() ?? api.definition.baseURL
            return (address.flatMap(api.server), api.decoder?(address ?? ""))
        }
    }

    /// The declarations of the resources, evaluated on each access.
    package var resources: [ResourceDeclaration] { declared() }

    /// The same resources under another word.
    package func renamed(_ word: String) -> SourceResources {
        var renamed = self
        renamed.word = word
        return renamed
    }

    /// ``Source/server``.
    package var server: String? { described().server }
    /// ``Source/decoder``.
    package var decoder: (any AnswerDecoder)? { described().decoder }
}

/// A source whose options were read and which needs at most a network to be opened.
public struct ConfiguredSource: Sendable {
    /// The resources that the source may have, for a gateway that leaves it closed. There are several candidates when
    /// only the open source knows which it has, such as a recording; then the rows in the storage decide.
    package let resources: [SourceResources]
    /// Opens the source. The caller releases it with ``Source/close``.
    package let open: @Sendable (SourceContext) async throws -> Source
    /// Throws the error of ``open`` that can be known without a network, such as a missing recording.
    package var check: @Sendable () throws -> Void = {}
    /// ``Source/identity`` without credentials; nil if only the open source knows it.
    package var identity: @Sendable () -> String? = { nil }

    /// Creates a source that `open` opens; without a definition, a gateway that leaves it closed knows no resources.
    public init(
        _ definition: BundledDefinition? = nil,
        open: @escaping @Sendable (SourceContext) async throws -> Source
    ) {
        let resources = definition.map {
            [SourceResources(word: $0.definition.api, $0.definition.resources)]
        }
        self.init(resources: resources ?? [], open: open)
    }

    package init(
        resources: [SourceResources], open: @escaping @Sendable (SourceContext) async throws -> Source
    ) {
        self.resources = resources
        self.open = open
    }

    /// The same source with another prefix for its collections.
    package func renamed(_ word: String) -> ConfiguredSource {
        var renamed = ConfiguredSource(resources: resources.map { $0.renamed(word) }) { [open] context in
            var source = try await open(context)
            source.word = word
            source.candidates = source.candidates.map { $0.renamed(word) }
            return source
        }
        renamed.check = check
        renamed.identity = identity
        return renamed
    }
}

/// An API that Patchbay understands, whether its answers come from the network or from a recording.
public struct SourceAPI: Sendable {
    /// The value of `source` in a configuration: `source = github`.
    public let name: String
    /// One phrase: what to set as the address.
    public var baseURLHelp = "where the API is"
    /// ``Source/word``; the default is the name.
    public var word: String
    private let describe: @Sendable () -> Definition
    /// ``Upstream/pathAlias``.
    package var pathAlias: String?
    /// ``Source/server`` for a base URL.
    public var server: @Sendable (_ baseURL: String) -> String? = { _ in nil }
    /// ``Source/decoder`` for a base URL.
    package var decoder: (@Sendable (_ baseURL: String) -> any AnswerDecoder)?
    /// Whether the definition has settings, which is known before it is read.
    package var hasSettings = false
    /// The hosts that serve the API.
    private var hosts: @Sendable () -> [String]
    /// Returns what an answer's body states about limits by the definition's rules.
    package var bodyLimit: (@Sendable (Response) -> BodyLimit)?
    /// Whether the definition marks the body of an answer below 400 as an error; false if it is not JSON.
    package var marksError: @Sendable ([UInt8]) -> Bool = { _ in false }
    /// Opens the API so that next pages at other servers are requested at the base URL; nil if it cannot.
    package var openingKeepingBaseURL: Opening?
    private var opening: Opening

    /// Opens the API of a server. The fingerprint is that of the present credentials, which may be replaced later.
    public typealias Opening =
        @Sendable (
            _ networking: any Networking, _ baseURL: String, _ fingerprint: @escaping @Sendable () -> String?
        ) -> Source

    /// Creates an API with the name, hosts, authorisation and resources of a definition.
    ///
    /// - Parameter open: returns the source with its feed; its resources are set afterwards.
    public init(_ definition: BundledDefinition, open: @escaping Opening) {
        self.init(name: definition.name, definition: { definition.definition }, open: open)
        setWhatIsKnownBefore(definition)
    }

    /// - Parameter definition: called whenever the definition is needed, and not before. It should cache what takes
    ///   long, as ``BundledDefinition`` does.
    package init(
        name: String, definition: @escaping @Sendable () -> Definition, open: @escaping Opening
    ) {
        self.name = name
        word = name
        describe = definition
        hosts = { definition().hosts }
        opening = open
    }

    /// Sets what is known of a bundled definition before it is read.
    package mutating func setWhatIsKnownBefore(_ definition: BundledDefinition) {
        hasSettings = definition.hasSettings
        hosts = { definition.hosts }
    }

    /// Whether a host serves this API.
    package func isSpoken(by host: String) -> Bool { Definition.isSpoken(by: host, hosts: hosts()) }

    /// Makes ``open(_:_:fingerprint:)`` request next pages at other servers at the base URL, if the API can.
    package mutating func keepBaseURL() { opening = openingKeepingBaseURL ?? opening }

    /// The API's address, hosts, limits and resources.
    package var definition: Definition { describe() }

    /// Opens the API of a server.
    ///
    /// - Parameter fingerprint: distinguishes the credentials that a layer adds from others without revealing them,
    ///   such as the start of a digest; nil without credentials. Answers to other credentials are not revalidated.
    public func open(
        _ networking: any Networking, _ baseURL: String, fingerprint: String? = nil
    ) -> Source {
        open(networking, baseURL) { fingerprint }
    }

    /// The same with credentials that may be replaced later.
    package func open(
        _ networking: any Networking, _ baseURL: String, fingerprint: @escaping @Sendable () -> String?
    ) -> Source {
        var source = opening(networking, baseURL, fingerprint)
        source.word = word
        source.resources = definition.resources
        return source
    }

    /// The ``Source/identity`` of the API of a server, which is not opened.
    package func identity(at baseURL: String, fingerprint: String?) -> String {
        opening(Unconnected(), baseURL) { fingerprint }.identity
    }
}

/// What a gateway provides to a source that it opens.
public struct SourceContext: Sendable {
    /// Opens the network; called only by a source that sends requests.
    public let networking: @Sendable () async throws -> any Networking
    /// The gateway's store, for data that a source keeps between runs; nil when the source is opened without one. It is
    /// opened after the source, so call this only when the store is needed.
    public var store: (@Sendable () async throws -> Store)?
    /// Called with each request when it has ended, on any thread and concurrently; nil when nothing listens.
    package var report: (@Sendable (RequestLogEntry) -> Void)?
    /// Called when a wait for a rate limit begins, on any thread; nil when nothing listens.
    package var waiting: (@Sendable (RateLimitWait) -> Void)?
    /// Texts that must not appear in an answer, such as the password of a proxy; a source adds its token.
    package var secrets: [String] = []

    /// Creates a context without a store, secrets and callbacks.
    package init(networking: @escaping @Sendable () async throws -> any Networking) {
        self.networking = networking
    }
}
