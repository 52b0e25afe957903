import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads the address and the parameters of requests.
extension AirbyteStream {
    mutating func readRequest(_ requester: Component) throws(Refusal) {
        let requester = try withBody(requester)
        let method = requester.value["http_method"]?.word?.uppercased() ?? "GET"
        guard let base = (requester.value["url_base"] ?? requester.value["url"])?.word else {
            throw Refusal(reason: "has no address")
        }
        let address = withoutSecrets(base.trimmed, requester)
        readAddress(address, requester)
        let written = withoutSecrets(requester.value["path"]?.word ?? "", requester)
        noteSecrets(AirbyteTemplate(address + written))
        path = try text(written, requester) { text in
            PercentEncoding.target(text).replacing("%5B", with: "[").replacing("%5D", with: "]")
        }
        // The beginning of a query without parameters.
        while path.hasSuffix("?") || path.hasSuffix("&") { path.removeLast() }
        if method != "POST" { addPartitions() }
        readParameters(requester, "request_parameters")
        // An empty one, which many connectors have, is none.
        let body = ["request_body_json", "request_body_data", "request_body"].first { name in
            guard let body = requester.value[name] else { return false }
            return body.word.map { !$0.isEmpty } ?? !body.members.isEmpty
        }
        guard ["GET", "POST"].contains(method) else { throw Refusal(reason: "sends \(method)") }
        if method == "GET", let body {
            lack("body of a GET", "is left out, because a definition cannot send it", body)
            let values = manifest.object(body, of: requester)?.parameters().map(\.value) ?? []
            unsent += values.map { ($0, "in the body of a GET") }
        }
        if method == "POST" {
            guard parameters.isEmpty, !path.contains("?"), !url.contains("?") else {
                throw Refusal(reason: "has parameters in the address of a POST")
            }
            send = body == "request_body_data" ? .form : .json
            addPartitions()
            if let body { readParameters(requester, body) }
        }
        readHeaders(requester)
    }

    /// The requester with a body of a stated type under the name of older manifests for it.
    private func withBody(_ requester: Component) throws(Refusal) -> Component {
        guard let body = manifest.component("request_body", of: requester), !body.type.isEmpty else {
            return requester
        }
        let names = [
            "RequestBodyJsonObject": "request_body_json", "RequestBodyGraphQL": "request_body_json",
            "RequestBodyUrlEncodedForm": "request_body_data",
        ]
        guard let name = names[body.type] else {
            throw Refusal(
                reason: "sends a \(DraftWords.shown(body.type))\(manifest.place(of: body.type))")
        }
        let others = requester.value.members.filter { $0.name != "request_body" }
        let members = others + [(name: name, value: body.value["value"] ?? .null)]
        return Component(value: .object(members), parameters: requester.parameters)
    }

    /// Reads the server's address. A server whose name is computed, or a setting that is more than one word of a name,
    /// becomes one that does not exist, because the token must not be sent to a server whose name was only guessed.
    private mutating func readAddress(_ base: String, _ requester: Component) {
        let mark = "\u{1}"
        var given: [(name: String, original: String)] = []
        url = AirbyteTemplate(base, requester.parameters).parts.map { part in
            switch part {
            case .literal(let text): return text
            case .setting(_, let other?) where !other.isEmpty: return other
            case .setting(let original, _):
                given.append((settingName(original), original))
                return DraftSettings.marked(settingName(original))
            default: return mark
            }
        }.joined()
        // The whole address is a setting or computed.
        if !url.contains("://") { url = "https://" + url }
        let start = url.firstRange(of: "://")!.upperBound
        url.replaceSubrange(start..., with: url[start...].replacing(/\/{2,}/, with: "/"))
        let host = url[url.firstRange(of: "://")!.upperBound...].prefix { !"/?#".contains($0) }
        let labels = host.prefix { $0 != ":" }.split(separator: ".").map(String.init)
        let names = given.map { DraftSettings.marked($0.name) }
        // The last two words of a name belong to one owner, so that a setting there may lead to another one.
        let isOpen =
            labels.isEmpty || labels.suffix(2).contains { label in names.contains { label.contains($0) } }
        if host.contains(mark) || isOpen {
            let fixed = labels.map { label in names.reduce(label) { $0.replacing($1, with: mark) } }
                .filter { $0 != mark }.map { $0.replacing(mark, with: "") }.filter { !$0.isEmpty }
            let isName = fixed.allSatisfy {
                $0.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
            }
            let written = given.filter { host.contains(DraftSettings.marked($0.name)) }.map(\.original)
            server = written.isEmpty || host.contains(mark) ? .computed : .setting(written[0])
            url.replaceSubrange(
                host.startIndex..<host.endIndex,
                with: ((isName ? fixed : []) + ["invalid"]).joined(separator: "."))
        }
        for (name, original) in given where url.contains(DraftSettings.marked(name)) {
            settings.insert(name)
            originals[name] = original
        }
        guard url.contains(mark) else { return }
        note("a part of the address is computed; correct \"value\" in it", base)
        url.replace(mark, with: "value")
    }

    /// A text whose expressions are settings, arguments, fields of the parent or times.
    ///
    /// - Parameter spelled: encodes the parts that are always the same.
    mutating func text(
        _ written: String, _ component: Component, spelled: (String) -> String
    ) throws(Refusal) -> String {
        var text = ""
        for part in AirbyteTemplate(written.trimmed, component.parameters).parts {
            switch part {
            case .literal(let literal): text += spelled(literal)
            // An address must not lose a part because the manifest has an empty default for it.
            case .setting(let name, let other):
                text += other.flatMap { $0.isEmpty ? nil : spelled($0) } ?? "{\(setting(name))}"
            case .start(let own), .end(let own):
                guard let form = own.map(Self.form) ?? form else { throw computed(written) }
                hasTimes = true
                let time: Template.Parameter = part == .start(form: own) ? .since(form) : .until(form)
                text += "{\(time)}"
            case .partition, .parentPartition:
                guard let value = value(of: part) else {
                    throw Refusal(
                        reason: "needs \(DraftWords.shown(Self.name(of: part))), which no partition has"
                            + manifest.place(of: written))
                }
                text += value
            default: throw computed(written)
            }
        }
        return text
    }

    private func computed(_ written: String) -> Refusal {
        Refusal(reason: "computes \"\(DraftWords.shown(written))\"\(manifest.place(of: written))")
    }

    private static func name(of part: AirbyteTemplate.Part) -> String {
        switch part {
        case .partition(let name), .parentPartition(let name): name
        default: ""
        }
    }

    /// The argument or the parent's field that is the value of a partition; nil for an unknown one.
    private func value(of part: AirbyteTemplate.Part) -> String? {
        switch part {
        case .partition(let name): values[name]
        case .parentPartition where parent != nil: Self.parentMark
        default: nil
        }
    }
}
