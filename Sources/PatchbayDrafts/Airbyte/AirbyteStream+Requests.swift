import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads the address and the parameters of requests.
extension AirbyteStream {
    mutating func readRequest(_ requester: Component) throws(Refusal) {
        let method = requester.value["http_method"]?.word?.uppercased() ?? "GET"
        guard let base = (requester.value["url_base"] ?? requester.value["url"])?.word else {
            throw Refusal(reason: "has no address")
        }
        readAddress(base, requester)
        path = try text(requester.value["path"]?.word ?? "", requester)
        // The beginning of a query without parameters.
        while path.hasSuffix("?") || path.hasSuffix("&") { path.removeLast() }
        try readParameters(requester, "request_parameters")
        // An empty one, which many connectors have, is none.
        let body = ["request_body_json", "request_body_data", "request_body"].first { name in
            guard let body = requester.value[name] else { return false }
            return body.word.map { !$0.isEmpty } ?? !body.members.isEmpty
        }
        guard method == "POST" || body == nil else { throw Refusal(reason: "sends a body with \(method)") }
        guard ["GET", "POST"].contains(method) else { throw Refusal(reason: "sends \(method)") }
        if method == "POST" {
            guard parameters.isEmpty, !path.contains("?"), !url.contains("?") else {
                throw Refusal(reason: "has parameters in the address of a POST")
            }
            send = body == "request_body_data" ? .form : .json
            if let body { try readParameters(requester, body) }
        }
        readHeaders(requester)
    }

    /// Reads the server's address. A server whose name is computed becomes one that does not exist, because the token
    /// must not be sent to a server whose name was only guessed.
    private mutating func readAddress(_ base: String, _ requester: Component) {
        let mark = "\u{1}"
        url = AirbyteTemplate(base, requester.parameters).parts.map { part in
            switch part {
            case .literal(let text): text
            case .setting(let name, let other): other ?? DraftSettings.marked(setting(name))
            default: mark
            }
        }.joined()
        guard url.contains(mark) else { return }
        if let start = url.firstRange(of: "://")?.upperBound {
            let host = url[start...].prefix { !"/?#".contains($0) }
            if host.contains(mark) {
                let labels = host.replacing(mark, with: "").prefix { $0 != ":" }.split(separator: ".")
                let isName = labels.allSatisfy { $0.utf8.allSatisfy(\.isHostByte) }
                isHostComputed = true
                url.replaceSubrange(
                    host.startIndex..<host.endIndex,
                    with: ((isName ? labels : []) + ["invalid"]).joined(separator: "."))
            }
        }
        guard url.contains(mark) else { return }
        note("a part of the address is computed; correct \"value\" in it", base)
        url.replace(mark, with: "value")
    }

    private mutating func readHeaders(_ requester: Component) {
        for (name, value) in manifest.object("request_headers", of: requester)?.members ?? [] {
            let template = AirbyteTemplate(value.word ?? "", requester.parameters)
            if case .setting(let setting, _)? = template.parts.last,
                SecretNames.isSecret(field: name) || SecretNames.mayBeSecret(parameter: setting)
            {
                switch template.parts.first {
                case .setting? where template.parts.count == 1:
                    secrets.append(.header(name: name.lowercased(), prefix: nil))
                    continue
                case .literal(let prefix)? where template.parts.count == 2:
                    let isBearer = prefix == "Bearer " && name.lowercased() == "authorization"
                    secrets.append(isBearer ? .bearer : .header(name: name.lowercased(), prefix: prefix))
                    continue
                default: break
                }
            }
            guard let literal = template.literal, !SecretNames.isSecret(field: name) else {
                note("the header \(DraftWords.shown(name)) is left out", value.word ?? name)
                continue
            }
            headers.append((name.lowercased(), literal))
        }
    }

    /// Whether requests have an option where a definition sends parameters: in the address, or in the body of a POST.
    func isSent(_ option: Component) -> Bool {
        let places = send == .query ? ["request_parameter"] : ["body_json", "body_data"]
        return places.contains(option.value["inject_into"]?.word ?? "")
    }

    /// The name of the parameter or header of an option; nil, with a note, for one that is computed or empty.
    mutating func fieldName(of option: Component) -> String? {
        let path = option.value["field_path"]?.elements ?? []
        let written = option.value["field_name"]?.word ?? (path.count == 1 ? path[0].word ?? "" : "")
        return parameterName(written, option)
    }

    private mutating func parameterName(_ written: String, _ component: Component) -> String? {
        let name = AirbyteTemplate(written, component.parameters).literal ?? ""
        guard name.isEmpty else { return name }
        note(
            written.isEmpty
                ? "a parameter without a name is left out"
                : "the parameter \(DraftWords.shown(written)) is left out, because its name is computed",
            written)
        return nil
    }

    private mutating func readParameters(_ requester: Component, _ member: String) throws(Refusal) {
        guard let value = manifest.object(member, of: requester) else { return }
        for (written, value) in value.parameters() {
            guard let name = parameterName(written, requester) else { continue }
            let template = AirbyteTemplate(value, requester.parameters)
            switch template.expression {
            case .start?: times.start = name
            case .end?: times.end = name
            case .setting(let setting, nil)?:
                let isTime = ["date", "time", "since", "after"].contains {
                    DraftWords.split(setting).contains($0)
                }
                let isSecret =
                    SecretNames.isSecret(parameter: name) || SecretNames.mayBeSecret(parameter: setting)
                if isSecret, !isTime, member == "request_parameters" {
                    secrets.append(.query(name: name))
                } else if isTime || DraftPath.mayBeSecret((name, ""))
                    || SecretNames.mayBeSecret(parameter: setting)
                {
                    note("the parameter \(DraftWords.shown(name)) with a setting is left out", value)
                } else {
                    parameters.append((name, "{\(self.setting(setting))}"))
                }
            case .setting(_, let other?)?: if !other.isEmpty { parameters.append((name, other)) }
            default:
                let isMixed = template.literal == nil && template.parts.count > 1
                // The error of a text would only repeat that the value is computed.
                guard !isMixed, let text = try? text(value, requester) else {
                    note(
                        "the parameter \(DraftWords.shown(name)) is left out, because its value is computed",
                        value)
                    continue
                }
                if !text.isEmpty { parameters.append((name, text)) }
            }
        }
    }

    /// The name of a setting of the definition for one of the connector.
    mutating func setting(_ original: String) -> String {
        var name = DraftWords.name(original, other: "value")
        if Template.reservedWords.contains(name) { name += "-value" }
        settings.insert(name)
        return name
    }

    /// A text whose expressions are settings, arguments or fields of the parent.
    mutating func text(_ written: String, _ component: Component) throws(Refusal) -> String {
        var text = ""
        for part in AirbyteTemplate(written.trimmed, component.parameters).parts {
            switch part {
            case .literal(let literal): text += literal
            // An address must not lose a part because the manifest has an empty default for it.
            case .setting(let name, let other):
                text += other.flatMap { $0.isEmpty ? nil : $0 } ?? "{\(setting(name))}"
            case .partition(let name):
                guard let value = values[name] else {
                    throw Refusal(
                        reason: "needs \(DraftWords.shown(name)), which no partition has"
                            + manifest.place(of: written))
                }
                text += value
            default:
                throw Refusal(
                    reason: "computes \"\(DraftWords.shown(written))\"\(manifest.place(of: written))")
            }
        }
        return text
    }
}

extension UInt8 {
    /// Whether the name of a server may contain this byte.
    fileprivate var isHostByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}
