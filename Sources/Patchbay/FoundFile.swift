import PatchbayCore

/// A configuration file that was found in the working directory and not chosen by the user.
///
/// It may come from anyone, for example in a cloned repository or an unpacked archive. Without consent it may choose
/// plugins, numbers, words and paths inside its folder. It must not name secrets, addresses or network options, nor
/// paths outside its folder, because these run programs, send tokens elsewhere, or write where the user did not choose.
package struct FoundFile {
    static let name = "patchbay.conf"

    /// The path, with links in its folder resolved.
    package let place: String
    /// The lines that need consent.
    package let entries: [ConfigurationFile.Entry]
    private let bytes: [UInt8]
    private let environment: [String: String]

    /// - Throws: `invalidConfiguration` when the file's folder cannot be examined.
    init(
        _ file: ConfigurationFile, bytes: [UInt8], _ kinds: [ConfigurationKind],
        _ environment: [String: String]
    ) throws {
        let slash = file.path.lastIndex(of: "/")
        let written = slash.map { file.path[..<$0].isEmpty ? "/" : String(file.path[..<$0]) } ?? "."
        guard let folder = ResolvedPath.existing(written) else {
            throw FileReading.failure(written, "cannot be examined")
        }
        place = (folder == "/" ? "" : folder) + "/" + FoundFile.name
        self.bytes = bytes
        self.environment = environment
        entries = file.entries.filter { entry in
            Consent(kinds, folder: folder, environment).isNeeded(for: entry)
        }
    }

    /// Returns why the file is not used, or nil.
    func refusal() throws -> PatchbayError? {
        guard !entries.isEmpty else { return nil }
        let records = ConsentRecords(environment: environment)
        if try records.holds(place, bytes) { return nil }
        return PatchbayError(
            .permissionDenied,
            "the configuration file \"\(place)\" was found, not chosen, and sets options that need your consent: "
                + "\(keys); read it, then run \"patchbay config trust\", or choose another file with --config"
        )
    }

    private var keys: String {
        let shown = entries.prefix(5).map { "\($0.key) (line \($0.line))" }
        let rest = entries.count > shown.count ? ["and \(entries.count - shown.count) more"] : []
        return (shown + rest).joined(separator: ", ")
    }
}

extension FoundFile {
    /// Reads the file at a path that ends in `patchbay.conf`, to give or withdraw consent.
    ///
    /// - Throws: `invalidValue` for a file of another name, `notFound`, `invalidConfiguration`.
    package init(
        at path: String, plugins: PluginSet, environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        guard path == FoundFile.name || path.hasSuffix("/" + FoundFile.name) else {
            throw PatchbayError(
                .invalidValue,
                "only a file named \(FoundFile.name) is found without being chosen; \"\(path)\" needs no consent"
            )
        }
        guard let bytes = try ConfigurationSearch.bytes(of: path) else {
            throw PatchbayError(.notFound, "the configuration file \"\(path)\" does not exist")
        }
        let file = ConfigurationFile.reading(path: path, bytes: bytes).file
        try self.init(file, bytes: bytes, plugins.kinds, environment)
    }

    /// Records that the user has consented to the present contents of the file.
    package func trust() throws { try ConsentRecords(environment: environment).add(place, bytes) }

    /// Removes the consent; false when there was none.
    package func distrust() throws -> Bool { try ConsentRecords(environment: environment).remove(place) }
}

/// Decides which entries of a found file need consent.
private struct Consent {
    private let kinds: [ConfigurationKind]
    private let folder: String
    private let environment: [String: String]

    init(_ kinds: [ConfigurationKind], folder: String, _ environment: [String: String]) {
        self.kinds = kinds
        self.folder = folder
        self.environment = environment
    }

    func isNeeded(for entry: ConfigurationFile.Entry) -> Bool {
        if entry.key == "networking" || entry.key.hasPrefix("networking.") { return true }
        if entry.key.hasPrefix("serve.") { return true }
        return kinds.flatMap({ $0.types(of: entry.key) }).contains { type in
            switch type {
            case .integer, .boolean, .choice, .word: false
            // An address, a definition, which contains one, or a text that only its plugin can interpret.
            case .text, .space, .nameOrPath, .secret: true
            case .path: !isInside(entry.value)
            }
        }
    }

    private func isInside(_ path: String) -> Bool {
        do throws(PatchbayError) {
            // The name of a source is one part of a path, whichever it is.
            let variables = environment.merging([GatewayConfiguration.sourceNameVariable: "source"]) { $1 }
            let path = try PathExpansion(environment: variables).expand(path, from: folder)
            guard let target = ResolvedPath.target(path) else { return false }
            return folder == "/" || target == folder || target.hasPrefix(folder + "/")
        } catch {
            // A path with a missing variable is a fault and is not used.
            return true
        }
    }
}
