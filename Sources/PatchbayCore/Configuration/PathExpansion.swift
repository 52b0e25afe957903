/// Replaces `~` and `${NAME}` in a path, and resolves a relative path against a folder.
package struct PathExpansion: Sendable {
    private let environment: [String: String]

    /// Creates an expansion that takes `${NAME}` and the home folder, `HOME`, from these variables.
    package init(environment: [String: String]) { self.environment = environment }

    /// - Parameter folder: the folder of a relative path; nil leaves the path relative.
    /// - Throws: `invalidConfiguration` naming a variable that is not set.
    package func expand(_ path: String, from folder: String?) throws(PatchbayError) -> String {
        var path = try replacingVariables(path)
        if path == "~" || path.hasPrefix("~/") { path = try variable("HOME", in: path) + path.dropFirst() }
        guard let folder, !path.hasPrefix("/"), !folder.isEmpty else { return path }
        return folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }

    private func replacingVariables(_ path: String) throws(PatchbayError) -> String {
        if !path.utf8.contains(UInt8(ascii: "$")) { return path }
        var expanded = ""
        var rest = path[...]
        while let dollar = rest.firstIndex(of: "$") {
            expanded += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            guard rest.first == "{" else {
                expanded += "$"
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                throw PatchbayError(.invalidConfiguration, "\"\(path)\": \"${\" without a closing \"}\"")
            }
            expanded += try variable(String(rest[rest.index(after: rest.startIndex)..<end]), in: path)
            rest = rest[rest.index(after: end)...]
        }
        return expanded + rest
    }

    private func variable(_ name: String, in path: String) throws(PatchbayError) -> String {
        let value = environment[name] ?? ""
        guard let place = PathExpansion.standardPlaces[name] else {
            if !value.isEmpty { return value }
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\": the environment variable \(name) is not set; set it, or write the path without it"
            )
        }
        // The specification requires relative values to be ignored.
        return value.hasPrefix("/") ? value : try variable("HOME", in: path) + place
    }

    /// The default XDG base directories (XDG Base Directory Specification 0.8).
    private static let standardPlaces = [
        "XDG_DATA_HOME": "/.local/share", "XDG_CONFIG_HOME": "/.config", "XDG_CACHE_HOME": "/.cache",
        "XDG_STATE_HOME": "/.local/state",
    ]
}
