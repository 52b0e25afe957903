import PatchbayCore

/// Reads a secret from its configured source: `env:NAME`, `file:PATH` or `command:PROGRAM ARGUMENTS`.
struct SecretReading {
    let environment: [String: String]

    private static let bytesMax = 4096

    /// The secret, without white space around it.
    ///
    /// - Throws: `invalidConfiguration` when there is none, or when users other than the owner may read or write the
    ///   file. No message contains the secret.
    func secret(_ entry: EffectiveConfiguration.Entry) throws -> String {
        let place = entry.value.text
        let text =
            if place.hasPrefix("env:") {
                try variable(entry, String(place.dropFirst("env:".count)))
            } else if place.hasPrefix("command:") {
                try command(entry)
            } else {
                try file(entry)
            }
        let secret = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !secret.isEmpty else { throw fault(entry, "contains no secret") }
        return secret
    }

    private func variable(_ entry: EffectiveConfiguration.Entry, _ name: String) throws -> String {
        guard let text = environment[name] else {
            throw fault(entry, "names a variable that is not set; set it, or remove \(entry.key)")
        }
        return text
    }

    private func file(_ entry: EffectiveConfiguration.Entry) throws -> String {
        let written = String(entry.value.text.dropFirst("file:".count))
        let path = try PathExpansion(environment: environment).expand(written, from: entry.value.folder)
        do throws(FileReading.Fault) {
            let bytes = try FileReading.bytes(of: path, bytesMax: SecretReading.bytesMax, .secret)
            guard let bytes else { throw FileReading.Fault(words: "does not exist") }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw fault(entry, error.words)
        }
    }

    private func command(_ entry: EffectiveConfiguration.Entry) throws -> String {
        let words = String(entry.value.text.dropFirst("command:".count))
        do throws(SecretCommand.Failure) {
            return String(
                decoding: try SecretCommand(words, environment: environment).output(), as: UTF8.self)
        } catch {
            throw fault(entry, error.words)
        }
    }

    private func fault(_ entry: EffectiveConfiguration.Entry, _ problem: String) -> PatchbayError {
        PatchbayError(
            .invalidConfiguration, "\(entry.key): \"\(entry.value.shownText)\" \(problem)",
            [.at(entry.value.origin)])
    }
}

extension ConfigurationValue {
    /// The folder of the file that contains the value; nil for any other origin.
    var folder: String? {
        guard case .file(let path, _) = origin, let end = path.lastIndex(of: "/") else { return nil }
        return String(path[..<end])
    }
}
