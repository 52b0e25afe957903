import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads headers and parameters, of which some have secrets of the connector's configuration.
extension AirbyteStream {
    mutating func readHeaders(_ requester: Component) {
        for (name, value) in manifest.object("request_headers", of: requester)?.members ?? [] {
            let written = value.word ?? ""
            let template = AirbyteTemplate(written, requester.parameters)
            if let secret = secret(header: name.lowercased(), template) {
                secrets.append(secret)
                continue
            }
            let settings = template.settings
            guard !SecretNames.isSecret(field: name), !settings.contains(where: mayBeSecret),
                template.parts.allSatisfy({ $0.isFixed })
            else {
                lack("header \(DraftWords.shown(name))", "is left out", value.word ?? name)
                unsent.append((written, "in a header"))
                continue
            }
            if let setting = settings.first(where: { !manifest.isRequired($0) }) {
                noteOptional("header \(DraftWords.shown(name))", setting, written)
                continue
            }
            // The parts of such a header can always be written.
            guard let text = try? text(written, requester, spelled: \.self), !text.isEmpty else { continue }
            headers.append((name.lowercased(), text))
        }
    }

    /// The secret in a header, with the text before it.
    private func secret(header name: String, _ template: AirbyteTemplate) -> Definition.Authorization? {
        guard template.parts.count < 3, let last = template.parts.last else { return nil }
        var prefix: String?
        if template.parts.count == 2 {
            guard case .literal(let text) = template.parts[0] else { return nil }
            prefix = text
        }
        let isAuthorization = name == "authorization"
        switch last {
        case .setting(let setting, _):
            guard SecretNames.isSecret(field: name) || mayBeSecret(setting) else { return nil }
            return prefix == "Bearer " && isAuthorization ? .bearer : .header(name: name, prefix: prefix)
        // The encoded name and password.
        case .unknown: return prefix == "Basic " && isAuthorization ? .basic : nil
        default: return nil
        }
    }

    private func mayBeSecret(_ setting: String) -> Bool {
        manifest.isSecret(setting) ?? SecretNames.mayBeSecret(parameter: setting)
    }

    /// Lets the summary name the declared secrets that become settings, as parts of a text.
    mutating func noteSecrets(_ template: AirbyteTemplate) {
        lacks += template.settings.filter { manifest.isSecret($0) == true }.map { .safety(of: $0) }
    }

    /// Whether the value of a parameter is a secret, as a whole.
    private func isSecret(_ name: String, _ template: AirbyteTemplate) -> Bool {
        guard case .setting(let setting, nil)? = template.expression, !Self.isTime(setting) else {
            return false
        }
        return SecretNames.isSecret(parameter: name) || mayBeSecret(setting)
    }

    /// An address without the secrets in its query, which become the authorisation.
    mutating func withoutSecrets(_ address: String, _ requester: Component) -> String {
        // The marks in expressions do not separate parameters.
        let parts = address.split(
            separator: /\?(?![^{}]*\}\})/, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return address }
        var items: [Substring] = []
        for item in parts[1].split(separator: /&(?![^{}]*\}\})/) {
            let name = item.prefix { $0 != "=" }
            let template = AirbyteTemplate(String(item.dropFirst(name.count + 1)), requester.parameters)
            if !name.contains("{"), isSecret(String(name), template) {
                secrets.append(.query(name: String(name)))
            } else {
                items.append(item)
            }
        }
        return parts[0] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    /// Whether the name of a setting is that of a time.
    private static func isTime(_ setting: String) -> Bool {
        ["date", "time", "since", "after"].contains { DraftWords.split(setting).contains($0) }
    }

    private mutating func noteOptional(_ part: String, _ setting: String, _ written: String) {
        note(
            "the \(part) is left out, because the connector's setting \(DraftWords.shown(setting)) is optional",
            written)
    }

    /// Whether requests have an option where a definition sends parameters: in the address, or in the body of a POST.
    func isSent(_ option: Component) -> Bool {
        let places = send == .query ? ["request_parameter"] : ["body_json", "body_data"]
        return places.contains(option.value["inject_into"]?.word ?? "")
    }

    /// The name of the parameter or header of an option; nil, with a note, for one that is computed or empty.
    mutating func fieldName(of option: Component) -> String? {
        let path = (option.value["field_path"]?.elements ?? []).compactMap(\.word)
        guard path.count > 1, send == .json else {
            return parameterName(option.value["field_name"]?.word ?? (path.count == 1 ? path[0] : ""), option)
        }
        var names: [String] = []
        for written in path {
            guard let name = parameterName(written, option) else { return nil }
            names.append(name.escapedForPath)
        }
        return names.joined(separator: "/")
    }

    private mutating func parameterName(_ written: String, _ component: Component) -> String? {
        let name = AirbyteTemplate(written, component.parameters).literal ?? ""
        guard name.isEmpty else { return name }
        if written.isEmpty {
            note("a parameter without a name is left out")
        } else {
            lack(
                "parameter \(DraftWords.shown(written))", "is left out, because its name is computed", written
            )
        }
        return nil
    }

    mutating func readParameters(_ requester: Component, _ member: String) {
        guard let all = manifest.object(member, of: requester) else { return }
        for (written, value) in withProperties(all, requester).parameters() {
            guard var name = parameterName(written, requester) else {
                unsent.append((value, "in a parameter whose name is computed"))
                continue
            }
            var value = value
            // An array of one value is sent as that value, except in JSON.
            if let match = value.wholeMatch(of: /\s*\{\{\s*\[([^\[\],]+(?:\[[^\[\],]+\])?)\s*\]\s*\}\}\s*/) {
                value = "{{ \(match.output.1) }}"
                if send == .json { name += "/0" }
            }
            let template = AirbyteTemplate(value, requester.parameters)
            switch template.expression {
            case .start(let form)?: times.start = (name, form)
            case .end(let form)?: times.end = (name, form)
            case .token?: tokenParameter = name
            case .setting(_, nil)? where member == "request_parameters" && isSecret(name, template):
                secrets.append(.query(name: name))
            case .setting(_, let other?)?:
                if !other.isEmpty { parameters.append((name, PercentEncoding.segment(other))) }
            default:
                readParameter(name, value, template, requester)
            }
        }
    }

    /// Parameters of which the ones with names of properties have all of these, which the connector may request in
    /// several parts.
    private mutating func withProperties(_ parameters: JSONValue, _ requester: Component) -> JSONValue {
        guard parameters.isObject else { return parameters }
        var members: [(name: String, value: JSONValue)] = []
        for (name, value) in parameters.members {
            let properties = manifest.resolved(value, in: requester)
            guard properties.type == "QueryProperties" else {
                members.append((name, value))
                continue
            }
            let names = ["always_include_properties", "property_list"].flatMap { member in
                properties.value[member]?.elements.compactMap(\.word) ?? []
            }
            if names.isEmpty {
                let shown = "parameter \(DraftWords.shown(name))"
                lack(shown, "is left out, because its value is computed", name)
            } else {
                members.append((name, .text(names.distinct.joined(separator: ","))))
            }
            guard properties.value["property_chunking"] != nil, !names.isEmpty else { continue }
            note("the connector requests the values of \(DraftWords.shown(name)) in several parts", name)
        }
        return .object(members)
    }

    private mutating func readParameter(
        _ name: String, _ value: String, _ template: AirbyteTemplate, _ requester: Component
    ) {
        let settings = template.settings, shown = "parameter \(DraftWords.shown(name))"
        let hasTime = settings.contains { Self.isTime($0) && !manifest.isRequired($0, otherwise: false) }
        let hasSecret =
            settings.contains { SecretNames.mayBeSecret(parameter: $0) && manifest.isSecret($0) != false }
            || !settings.isEmpty && DraftPath.mayBeSecret((name, ""))
        if hasTime || hasSecret {
            unsent.append((value, "with a setting"))
            return lack(shown, "with a setting is left out", value)
        }
        if let setting = settings.first(where: { !manifest.isRequired($0) }) {
            unsent.append((value, "with a setting"))
            return noteOptional(shown, setting, value)
        }
        let before = self
        // The error of a text would only repeat that the value is computed.
        guard let text = try? text(Self.unquoted(value), requester, spelled: PercentEncoding.segment) else {
            self = before
            unsent.append((value, "in a computed value"))
            return lack(shown, "is left out, because its value is computed", value)
        }
        noteSecrets(template)
        if !text.isEmpty { parameters.append((name, text)) }
    }

    /// A text without the quotes around it, which the connector removes.
    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count > 1, let quote = text.first, "'\"".contains(quote), text.last == quote,
            !text.dropFirst().dropLast().contains(quote) || text.contains("{{")
        else { return text }
        return String(text.dropFirst().dropLast())
    }

    func settingName(_ original: String) -> String {
        let name = DraftWords.name(original, other: "value")
        return Template.reservedWords.contains(name) ? name + "-value" : name
    }

    /// The name of a setting of the definition for one of the connector.
    mutating func setting(_ original: String) -> String {
        let name = settingName(original)
        settings.insert(name)
        originals[name] = original
        return name
    }
}
