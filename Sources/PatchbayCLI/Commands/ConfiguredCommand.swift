import ArgumentParser
import Patchbay
import PatchbayTerminal

/// A command that reads a configuration. The resources that the configuration declares are read before it runs.
protocol ConfiguredCommand: AsyncParsableCommand {
    var options: ConfigurationOptions { get }
    /// The word with which the command names a resource; nil if it names none.
    var resourceWord: String? { get }
    /// Whether a fault of a definition keeps the command from running.
    static var needsResources: Bool { get }
    /// Whether the command reports what the sources are, so that a source that cannot be opened is a fault.
    static var reportsSources: Bool { get }
}

extension ConfiguredCommand {
    var resourceWord: String? { nil }
    static var needsResources: Bool { false }
    static var reportsSources: Bool { false }
}

/// A verb whose first argument is a resource.
protocol ResourceVerb: ConfiguredCommand {
    var resource: ResourceArgument { get }

    func run(on declared: DeclaredResource) async throws
}

extension ResourceVerb {
    var resourceWord: String? { resource.name }
    static var needsResources: Bool { true }

    func run() async throws { try await run(on: try DeclaredResource(named: resource.name)) }
}

/// The resources that the configuration of a command declares.
struct ConfiguredResources {
    let resources: DeclaredResources
    /// The configuration file; nil when it could not be read.
    private(set) var file: GatewayConfiguration.Found?
    /// The faults that kept them from being read, ``resources`` then being those of an empty configuration, and those
    /// of sources that cannot be opened.
    let faults: [PatchbayError]

    /// - Parameters:
    ///   - word: the word that must name a resource; bundled definitions are read only if no source has it.
    ///   - needsSources: whether a source that cannot be opened is a fault.
    init(_ options: ConfigurationOptions, naming word: String? = nil, needsSources: Bool = false) async {
        let plugins = CommandLineTool.plugins
        do {
            let found = try CommandLineTool.found(named: options.config)
            file = found
            let (configuration, wrong) = GatewayConfiguration.reading(
                found, plugins: plugins, flags: options.flags)
            do {
                let declared = try await DeclaredResources(configuration) { chosen in
                    word.map { chosen.meant(by: $0).isEmpty } ?? false
                }
                resources = declared
                let isOpen = word.map { word in !declared.chosen.contains { $0.noun == word } } ?? false
                // A line that cannot be read may be the one that declares the unknown word.
                faults =
                    (isOpen ? wrong : []) + (needsSources || isOpen ? await configuration.sourceFaults() : [])
            } catch {
                // Bundled resources need no file, so this cannot fail the same way.
                resources = DeclaredResources(bundledWith: plugins)
                // `config check` lists the faults of the configuration itself.
                let all = wrong.isEmpty ? configuration.definitionFaults() : [wrong[0]]
                faults = all.isEmpty ? [error as? PatchbayError].compactMap(\.self) : all
            }
        } catch {
            resources = DeclaredResources(bundledWith: plugins)
            faults = [error as? PatchbayError].compactMap { $0 }
        }
    }
}
