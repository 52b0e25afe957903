public import PatchbayCore

/// A source that was opened: its resources, and where their rows and pictures come from.
public struct Source: Sendable {
    /// What messages call it: `api.github.com (recording users.har)`.
    public var name: String
    /// What answers depend on beside the question: the server and whose credentials are sent. The cursor of a
    /// list is of no use to another; the name when nothing else is set.
    public var identity: String
    /// The recording that answers in place of the server; nil for a source that is asked itself. An answer of a
    /// recording is as old as the recording, however fresh it is to the storage.
    public var recording: String?
    /// Whose rows these are, in the names of collections: `github` in `github_users`. Lower-case letters, digits and
    /// underscores.
    public var word = "source"
    /// The server whose ids the rows have, where servers of one API have ids of their own; nil for the API's usual one.
    public var server: String?
    /// What the source can list, show or search.
    public var resources: [ResourceDeclaration] = []
    /// What a closed source may have instead (``ConfiguredSource/resources``).
    public var candidates: [SourceResources] = []
    /// Where the rows of its resources come from; nil for a source that has none.
    public var feed: (any ResourceFeed)?
    /// Where the pictures of rows come from; nil for a source that has none.
    public var pictures: (any PictureSource)?
    /// Reads answers that somebody saved; nil for a source that has none.
    public var decoder: (any AnswerDecoder)?
    /// The source's API, without understanding its answers.
    public var raw: (any RawSource)?
    /// The source's server, for requests that others make; nil for a source that has none.
    public var upstream: Upstream?
    /// Asks how the source and the credentials are; one request, which costs no budget.
    public var status: (@Sendable () async throws -> SourceStatus)?
    /// What may still be asked, where somebody counts.
    public var budget: (@Sendable () async -> RequestBudget?)?
    /// How many questions at the same time the source takes from one use case, at least 1. A source whose limits are
    /// small, such as one that is asked without credentials, takes one.
    public var concurrency = 1
    /// Whether its requests are worth sharing: of several gateways over one storage that want the same rows, one
    /// requests them, and the others wait for what it saves.
    public var sharesRequests = false
    /// What was sent since the source was opened, where somebody counts.
    public var requests: (@Sendable () -> RequestCounts)?
    /// Gives back what the source holds open: connections, threads. Nil when it holds nothing.
    public var close: (@Sendable () async throws -> Void)?

    /// Whether nothing may be requested: what stands in for a source that is left closed.
    package var isClosed = false

    public init(name: String) {
        self.name = name
        identity = name
    }
}

/// How many requests a source still answers.
public struct RequestBudget: Hashable, Sendable {
    public var remaining: Int
    /// When it is filled again; nil when that is not known.
    public var resetsAt: Timestamp?

    public init(remaining: Int, resetsAt: Timestamp? = nil) {
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}

/// The resources of an API, and the word that their collections begin with.
public struct SourceResources: Sendable {
    /// ``Source/word``.
    public var word: String
    private let declared: @Sendable () -> [ResourceDeclaration]
    private let described: @Sendable () -> (server: String?, decoder: (any AnswerDecoder)?)

    /// - Parameter resources: evaluated each time they are needed, so that nobody reads a definition for nothing.
    public init(word: String, _ resources: @autoclosure @escaping @Sendable () -> [ResourceDeclaration]) {
        self.word = word
        declared = resources
        described = { (nil, nil) }
    }

    /// Those of an API.
    ///
    /// - Parameter baseURL: where the API is; nil is the address of its definition.
    public init(_ api: SourceAPI, at baseURL: @autoclosure @escaping @Sendable () -> String?) {
        word = api.word
        declared = { api.definition.resources }
        described = {
            let address = baseURL() ?? api.definition.baseURL
            return (address.flatMap(api.server), api.decoder?(address ?? ""))
        }
    }

    public var resources: [ResourceDeclaration] { declared() }

    /// The same resources under another word.
    public func renamed(_ word: String) -> SourceResources {
        var renamed = self
        renamed.word = word
        return renamed
    }

    /// ``Source/server``.
    public var server: String? { described().server }
    /// ``Source/decoder``.
    public var decoder: (any AnswerDecoder)? { described().decoder }
}

/// A source whose options were read: what it still needs is a network, unless it needs none.
public struct ConfiguredSource: Sendable {
    /// What the source may have, for a gateway that leaves it closed. Several when only the source itself can say
    /// which, such as a recording: then the storage decides, by the rows it holds.
    public let resources: [SourceResources]
    public let open: @Sendable (SourceContext) async throws -> Source

    public init(
        resources: [SourceResources] = [], open: @escaping @Sendable (SourceContext) async throws -> Source
    ) {
        self.resources = resources
        self.open = open
    }

    /// The same source, whose rows are kept in collections that begin with another word.
    public func renamed(_ word: String) -> ConfiguredSource {
        ConfiguredSource(resources: resources.map { $0.renamed(word) }) { [open] context in
            var source = try await open(context)
            source.word = word
            source.candidates = source.candidates.map { $0.renamed(word) }
            return source
        }
    }
}

/// An API that Patchbay understands, whatever brings its answers: the network or a recording.
public struct SourceAPI: Sendable {
    /// The word for the source in a configuration: `source = github`.
    public let name: String
    /// One sentence: what to set as the address.
    public var baseURLHelp = "where the API is"
    /// ``Source/word``; the name when nothing else is set.
    public var word: String
    private let describe: @Sendable () -> Definition
    /// ``Upstream/pathAlias``.
    public var pathAlias: String?
    /// ``Source/server``, by the base URL.
    public var server: @Sendable (_ baseURL: String) -> String? = { _ in nil }
    /// ``Source/decoder``, by the base URL.
    public var decoder: (@Sendable (_ baseURL: String) -> any AnswerDecoder)?
    private let opening: @Sendable (any Networking, _ baseURL: String, _ fingerprint: String?) -> Source

    /// - Parameter definition: called whenever something about the API is needed, and not before. It should keep what
    ///   takes long, as ``BundledDefinition`` does.
    public init(
        name: String, definition: @escaping @Sendable () -> Definition,
        open:
            @escaping @Sendable (
                _ networking: any Networking, _ baseURL: String, _ fingerprint: String?
            ) -> Source
    ) {
        self.name = name
        word = name
        describe = definition
        opening = open
    }

    /// The API's address, hosts, limits and resources.
    public var definition: Definition { describe() }

    /// Opens the API of a server.
    ///
    /// - Parameter fingerprint: distinguishes the credentials that a layer adds from others without revealing them,
    ///   such as the start of a digest; nil without credentials. Answers that were given to others are not asked to be
    ///   confirmed.
    public func open(
        _ networking: any Networking, _ baseURL: String, fingerprint: String? = nil
    ) -> Source {
        var source = opening(networking, baseURL, fingerprint)
        source.word = word
        source.resources = definition.resources
        return source
    }
}
