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
        url = AirbyteTemplate(base, requester.parameters).parts.map { part in
            switch part {
            case .literal(let text): text
            case .setting(let name, let other): other ?? DraftSettings.marked(setting(name))
            default: "value"
            }
        }.joined()
        let isKnown = AirbyteTemplate(base, requester.parameters).parts.allSatisfy {
            switch $0 {
            case .literal, .setting: true
            default: false
            }
        }
        if !isKnown { note("a part of the address is computed; correct base-url") }
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
            guard parameters.isEmpty else {
                throw Refusal(reason: "has parameters in the address of a POST")
            }
            send = body == "request_body_data" ? .form : .json
            if let body { try readParameters(requester, body) }
        }
        for (name, value) in manifest.object("request_headers", of: requester)?.members ?? [] {
            let template = AirbyteTemplate(value.word ?? "", requester.parameters)
            if case .setting(let setting, _)? = template.expression,
                SecretNames.isSecret(field: name) || SecretNames.mayBeSecret(parameter: setting)
            {
                secretHeaders.append(name)
                continue
            }
            guard let literal = template.literal, !SecretNames.isSecret(field: name) else {
                note("the header \(DraftWords.shown(name)) is left out", value.word ?? name)
                continue
            }
            headers.append((name.lowercased(), literal))
        }
    }

    private mutating func readParameters(_ requester: Component, _ member: String) throws(Refusal) {
        guard let value = manifest.object(member, of: requester) else { return }
        for (name, value) in value.parameters() {
            let template = AirbyteTemplate(value, requester.parameters)
            switch template.expression {
            case .start?: times.start = name
            case .end?: times.end = name
            case .setting(let setting, nil)?:
                let isTime = ["date", "time", "since", "after"].contains {
                    DraftWords.split(setting).contains($0)
                }
                if isTime || DraftPath.mayBeSecret((name, "")) || SecretNames.mayBeSecret(parameter: setting)
                {
                    note("the parameter \(DraftWords.shown(name)) with a setting is left out", value)
                } else {
                    parameters.append((name, "{\(self.setting(setting))}"))
                }
            case .setting(_, let other?)?: if !other.isEmpty { parameters.append((name, other)) }
            default:
                // The error of a text would only repeat that the value is computed.
                if template.unknown != nil || template.literal == nil && template.parts.count > 1 {
                    note(
                        "the parameter \(DraftWords.shown(name)) is left out, because its value is computed",
                        value)
                } else if let value = try? text(value, requester), !value.isEmpty {
                    parameters.append((name, value))
                }
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
