import PatchbayCore
import PatchbayDomain

/// Writes the head and the end of a draft.
extension DraftWriter {
    mutating func writeAPI(_ samples: [DraftSample], origin: String?, name: String, source: String) {
        text.comment(
            "Drafted from \(DraftWords.shown(source)): read the comments, correct what is wrong, and check "
                + "the definition.")
        let isDescribed = samples.first?.isDescribed ?? false
        text.set("format", "1")
        text.set("api", name)
        if origin == nil { text.comment("The sample does not contain the address of the API; set it here.") }
        let server = origin ?? DraftSample.unknownOrigin
        if !text.set("base-url", server + DraftPath.fixed(base)) { text.set("base-url", server) }
        writeSettings()
        writeOpenValues(samples)
        let secret = samples.flatMap(\.parameters).first { name, _ in
            SecretNames.isSecret(parameter: name) || DraftPath.mayBeCredential(parameter: name)
        }?.name
        if let authorization = samples.lazy.compactMap(\.authorization).first {
            let isGuess = samples.contains(where: \.isAuthorizationGuess)
            if isGuess { summary.corrections.append("auth, which is a guess from the name of a header") }
            text.comment(
                isDescribed
                    ? isGuess
                        ? "Requests have this header; how it takes the token is a guess. Set source.token."
                        : "The document declares this way to send credentials; set source.token."
                    : authorization == .bearer
                        ? "Requests carried Authorization; set source.token. If it is refused, try basic."
                        : "Requests carried credentials this way; set source.token.")
            text.set("auth", authorization.words)
            if let second = samples.lazy.compactMap(\.secondAuthorization).first {
                text.comment("It requires a second secret; set source.second-token.")
                text.set("auth-second", second.words)
            }
            if case .header(let name, nil) = authorization, isDescribed, name.lowercased() == "authorization"
            {
                text.comment(
                    "The document does not say what comes before the token; if it is refused, add the word, such as "
                        + "auth = header Authorization Token.")
            }
        } else if let secret, !secret.contains(where: \.isWhitespace) {
            text.comment(
                isDescribed
                    ? "The document requires this parameter, which is probably a secret; set source.token."
                    : "Requests carried credentials this way; set source.token.")
            text.set("auth", "query \(secret)")
        } else {
            text.comment(
                (isDescribed ? "The document declares no credentials." : "No credentials were seen.")
                    + " If the API needs a token, add a line such as auth = bearer.")
        }
    }

    private mutating func writeSettings() {
        guard !settings.isEmpty else { return }
        text.comment(
            "Nearly every path of the document begins with this, so it is probably the same in all your requests. "
                + "Set it in source.settings.")
        for name in settings { text.set("setting.\(name)", "the \(name) at the front of the paths") }
    }

    /// Writes comments about values that a document leaves open, in its address and in headers.
    private mutating func writeOpenValues(_ samples: [DraftSample]) {
        let variables = samples.flatMap(\.assumed).distinct
        if !variables.isEmpty {
            text.comment(
                "The address contains the document's values for \(DraftWords.list(variables)); set yours.")
        }
        // A header that few lists require is not sent with every request.
        let required = samples.flatMap(\.headers)
        commonHeaders = Set(required.map(\.name)).filter { name in
            samples.count { $0.headers.contains { $0.name == name } } * 2 > samples.count
        }
        var headers: [String] = []
        for name in required.map(\.name).distinct where commonHeaders.contains(name) {
            let values = required.filter { $0.name == name }.map(\.value).distinct
            if values.count == 1, let value = values[0] {
                text.comment("The document requires this header, which has only this value.")
                text.set("header.\(name)", value)
            } else {
                headers.append(name)
            }
        }
        guard !headers.isEmpty else { return }
        summary.corrections.append(
            "the missing \(headers.count == 1 ? "header" : "headers") \(DraftWords.list(headers)), which the document "
                + "requires")
        text.comment(
            "The document requires the headers \(DraftWords.list(headers)); add a line header.NAME = VALUE for each."
        )
    }

    mutating func writeUnused(_ addresses: [String], others: Int) {
        guard !addresses.isEmpty || others > 0 else { return }
        if !addresses.isEmpty {
            summary.leftOut.append("\(Count.words(addresses.count, "answer")) without a list")
        }
        if others > 0 { summary.leftOut.append("\(Count.words(others, "answer")) of other servers") }
        text.blank()
        if !addresses.isEmpty {
            let shown = addresses.map { SecretNames.cleaned(address: $0) }.distinct
                .filter { DraftText.line("path", $0) != nil }
            text.comment("These answers were not used for a resource: \(DraftWords.list(shown)).")
        }
        if others > 0 {
            text.comment("\(Count.words(others, "answer")) of other servers were left out.")
        }
    }
}

extension Definition.Authorization {
    /// A word with a space as it is, any other text in quotes.
    private static func spelled(prefix: String) -> String {
        let word = prefix.dropLast()
        let isWord = prefix.hasSuffix(" ") && !word.isEmpty && !word.contains { " \"=".contains($0) }
        return isWord ? String(word) : "\"\(prefix)\""
    }

    /// The value in a definition.
    var words: String {
        switch self {
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .header(let name, let prefix):
            "header \(name)" + (prefix.map { " " + Self.spelled(prefix: $0) } ?? "")
        case .query(let name): "query \(name)"
        }
    }
}
