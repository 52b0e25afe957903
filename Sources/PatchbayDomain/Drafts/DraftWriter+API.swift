import PatchbayCore

/// Writes what a draft contains besides resources.
extension DraftWriter {
    mutating func writeAPI(_ samples: [DraftSample], origin: String?, name: String, source: String) {
        text.comment(
            "Drafted from \(DraftWords.shown(source)): read the comments, correct what is wrong, and check "
                + "the definition.")
        let host = origin.map { String($0.drop { $0 != "/" }.dropFirst(2)) }
        let isDescribed = samples.first?.isDescribed ?? false
        let isKnown = origin != nil && !(isDescribed && origin == DraftSample.unknownOrigin)
        text.set("api", (isKnown ? host.map(DraftPath.api) : nil) ?? DraftWords.name(name, other: "api"))
        if !isKnown { text.comment("The sample does not contain the address of the API; set it here.") }
        let server = origin ?? DraftSample.unknownOrigin, path = base.isEmpty ? "" : DraftPath.fixed(base)
        if !text.set("base-url", server + path) { text.set("base-url", server) }
        writeAssumed(samples)
        let secret = samples.flatMap(\.parameters).first { SecretNames.isSecret(parameter: $0.name) }?.name
        if let authorization = samples.lazy.compactMap(\.authorization).first {
            text.comment(
                isDescribed
                    ? "The document declares this way to send credentials; set source.token."
                    : authorization == .bearer
                        ? "Requests carried Authorization; set source.token. If it is refused, try basic."
                        : "Requests carried credentials this way; set source.token.")
            text.set("auth", authorization.words)
        } else if let secret, !secret.contains(where: \.isWhitespace) {
            text.comment("Requests carried credentials this way; set source.token.")
            text.set("auth", "query \(secret)")
        } else {
            text.comment(
                (isDescribed ? "The document declares no credentials." : "No credentials were seen.")
                    + " If the API needs a token, add a line such as auth = bearer.")
        }
    }

    /// Writes what a document leaves open: values in its address, and headers.
    private mutating func writeAssumed(_ samples: [DraftSample]) {
        let variables = samples.flatMap(\.assumed).distinct
        if !variables.isEmpty {
            text.comment(
                "The address contains the document's values for \(DraftWords.list(variables)); set yours.")
        }
        var missing: [String] = []
        for name in samples.flatMap(\.headers).map(\.name).distinct {
            let uses = samples.filter { $0.headers.contains { $0.name == name } }
            // A header that few lists require is not sent with every request.
            guard uses.count * 2 > samples.count else { continue }
            let value = uses.lazy.compactMap { $0.headers.first { $0.name == name }?.value }.first
            if let value, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                text.set("header.\(name)", value)
            {
                continue
            }
            missing.append(name)
        }
        guard !missing.isEmpty else { return }
        text.comment(
            "The document requires the headers \(DraftWords.list(missing)); add a line header.NAME = VALUE for each."
        )
    }

    mutating func writeUnused(_ addresses: [String], others: Int) {
        guard !addresses.isEmpty || others > 0 else { return }
        text.blank()
        if !addresses.isEmpty {
            let shown = addresses.map { SecretNames.cleaned(address: $0) }.distinct
                .filter { DraftText.line("path", $0) != nil }
            text.comment("These answers were not used for a resource: \(DraftWords.list(shown)).")
        }
        if others > 0 {
            text.comment("\(DraftWords.counted(others, "answer")) of other servers were left out.")
        }
    }
}

extension Definition.Authorization {
    /// The value in a definition.
    var words: String {
        switch self {
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .header(let name, let prefix): "header \(name)" + (prefix.map { " " + $0 } ?? "")
        case .query(let name): "query \(name)"
        }
    }
}
