import PatchbayCore

extension Definition {
    /// Replaces the settings in the address, in paths and in headers: `{subdomain}`.
    ///
    /// In the host of the address, a value is one label, so that it cannot lead to another server's domain. Everywhere
    /// else it is percent-encoded. A setting of the address alone may be absent, because the address may be replaced.
    ///
    /// - Parameter values: `NAME=VALUE`, separated by spaces; a value is percent-encoded where it has a space.
    /// - Returns: the definition with an address that still contains the settings that are absent.
    /// - Throws: a fault for a setting that is unknown, absent or not valid.
    package func applying(settings values: String) throws(DefinitionFault) -> Definition {
        let values = try read(values)
        var copy = self
        for index in resources.indices { try copy.resources[index].apply(values, of: self) }
        if let check { copy.check = try applied(values, to: check) }
        for (index, header) in headers.enumerated() {
            copy.headers[index].value = try applied(values, toHeader: header.value)
        }
        if let baseURL { copy.baseURL = try applied(values, toAddress: baseURL) }
        copy.givenSettings = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return copy
    }

    /// The names of the settings that an address needs, as in its text.
    package func settings(in address: String) -> [String] {
        settings.map(\.name.withHyphens).filter { address.contains("{\($0)}") }
    }

    private func read(_ text: String) throws(DefinitionFault) -> [String: String] {
        var values: [String: String] = [:]
        for word in DefinitionWords.split(text) {
            let parts = DefinitionWords.parts(word, at: "=", max: 2), known = settings.map(\.name.withHyphens)
            guard parts.count == 2 else {
                throw DefinitionFault("\"\(word)\" is not NAME=VALUE; write \(known.first ?? "NAME")=VALUE")
            }
            guard known.contains(parts[0]) else {
                let meant = EditDistance.suggestion(for: parts[0], in: known)
                let names = known.isEmpty ? "it has none" : "known: \(known.joined(separator: ", "))"
                throw DefinitionFault("the definition has no setting \"\(parts[0])\"\(meant); \(names)")
            }
            let value = PercentEncoding.decoded(parts[1])
            guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
                value.utf8.count <= 255,
                value != ".", value != ".."
            else {
                throw DefinitionFault(
                    "the value of \(parts[0]) is not 1 to 255 bytes without control characters")
            }
            values[parts[0].withUnderscores] = value
        }
        return values
    }

    fileprivate func applied(
        _ values: [String: String], to template: Template
    ) throws(DefinitionFault) -> Template {
        for name in template.settings where values[name] == nil { throw absent(name) }
        return template.applying(values)
    }

    /// Replaces a setting in a list of values by its parts, which commas separate.
    fileprivate func applied(
        _ values: [String: String], toList words: [String]
    ) throws(DefinitionFault) -> [String] {
        var list: [String] = []
        for word in words {
            guard let (name, _) = settings.first(where: { word == "{\($0.name.withHyphens)}" }) else {
                list.append(word)
                continue
            }
            guard let value = values[name] else { throw absent(name) }
            list += value.split(separator: ",").map(String.init)
        }
        return list.distinct
    }

    private func applied(_ values: [String: String], toHeader text: String) throws(DefinitionFault) -> String
    {
        var text = text
        for (name, _) in settings where text.contains("{\(name.withHyphens)}") {
            guard let value = values[name] else { throw absent(name) }
            guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw DefinitionFault(
                    "the value of \(name.withHyphens) has characters that no header may contain")
            }
            text = text.replacing("{\(name.withHyphens)}", with: value)
        }
        return text
    }

    private func applied(_ values: [String: String], toAddress address: String) throws(DefinitionFault)
        -> String
    {
        let beginning = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        let end = address[beginning...].firstIndex(of: "/") ?? address.endIndex
        var host = String(address[..<end]), path = String(address[end...])
        for (name, value) in values {
            let word = "{\(name.withHyphens)}"
            if host.contains(word) {
                guard Self.isLabel(value) else {
                    throw DefinitionFault(
                        "\(name.withHyphens) is a part of the server's name; use 1 to 63 letters, digits and hyphens"
                    )
                }
                host = host.replacing(word, with: value.lowercased())
            }
            path = path.replacing(word, with: PercentEncoding.segment(value))
        }
        return host + path
    }

    /// Whether a text is one label of a host's name (RFC 1123, section 2.1).
    private static func isLabel(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count) && !text.hasPrefix("-") && !text.hasSuffix("-")
            && text.lowercased().utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// The fault for a setting without a value.
    package func absent(_ name: String) -> DefinitionFault {
        let word = name.withHyphens,
            meaning = settings.first { $0.name == name.withUnderscores }?.meaning ?? ""
        return DefinitionFault("\(word) is not set (\(Quotation.plain(meaning))); add \(word)=VALUE")
    }
}

extension ResourceDeclaration {
    fileprivate mutating func apply(
        _ values: [String: String], of definition: Definition
    ) throws(DefinitionFault) {
        for index in lists.indices {
            lists[index].template = try definition.applied(values, to: lists[index].template)
        }
        if let each { self.each?.values = try definition.applied(values, toList: each.values) }
        if let template = show { show = try definition.applied(values, to: template) }
        if let template = search?.template { search?.template = try definition.applied(values, to: template) }
    }
}

extension DefinitionReader {
    /// A word in braces in the address is a setting.
    mutating func checkSettings() {
        guard let entry = entries.first(where: { $0.key == "base-url" }), let address = definition.baseURL
        else { return }
        let known = definition.settings(in: address)
        let rest = known.reduce(address) { $0.replacing("{\($1)}", with: "") }
        guard rest.contains(where: { "{}".contains($0) }) else { return }
        let word = rest[(rest.firstIndex(of: "{") ?? rest.startIndex)...].dropFirst().prefix { $0 != "}" }
        let names = definition.settings.map(\.name.withHyphens)
        faults.add(
            entry,
            "{\(word)} is not a setting\(EditDistance.suggestion(for: String(word), in: names)); add a line such as "
                + "setting.\(word.isEmpty ? "NAME" : String(word)) = what it is")
    }

    mutating func readSetting(_ entry: Entry) {
        do throws(DefinitionFault) {
            let word = entry.key.dropFirst("setting.".count), name = try DefinitionWords.name(word)
            if let reserved = Template.reservedWords.first(where: { $0 == word }) {
                throw DefinitionFault("{\(reserved)} has another meaning in addresses; choose another name")
            }
            if SecretNames.isSecret(parameter: word) {
                throw DefinitionFault(
                    "is the name of a secret, which is never a setting; describe it with auth and set source.token"
                )
            }
            definition.settings.append((name, entry.value))
        } catch {
            faults.add(entry, error.problem)
        }
    }

    /// The second words of keys that only affect how rows are shown, found, edited or kept fresh.
    private static let shownOnly: Set<Substring> = [
        "noun", "title", "columns", "hidden", "website", "favourite", "edit", "fresh", "rate", "key-scope",
        "find", "find-tokens", "index", "each",
    ]

    /// The keys of the API that neither decide which rows are read nor are part of ``Source/identity`` themselves.
    private static let notOfRows: Set<Substring> = [
        "format", "api", "summary", "base-url", "hosts", "check", "rate", "setting",
    ]

    /// Sets the ``ResourceDeclaration/fingerprint`` of each resource: a text that changes with the lines that decide
    /// which rows it has, and their values. These are the lines of the API, its own, and those of the resources to
    /// whose rows it belongs, which have parts of its addresses and values.
    mutating func setFingerprints() {
        let deciding = Dictionary(grouping: entries.filter(Self.decidesRows), by: Self.resourceName)
        let resources = definition.resources
        for index in resources.indices {
            var names: Set = [""], member: ResourceDeclaration? = resources[index]
            while let one = member, names.insert(one.name).inserted {
                member = one.parent.flatMap(definition.resource)
            }
            let lines = names.flatMap { deciding[$0] ?? [] }.sorted { $0.line < $1.line }
            let text = lines.map { "\($0.key) = \($0.value)\n" }.joined()
            definition.resources[index].fingerprint = String(TextDigest(of: text).description.prefix(8))
        }
    }

    /// The name of the resource to which a line belongs; empty for a line of the API.
    private static func resourceName(_ entry: Entry) -> String {
        let words = entry.key.split(separator: ".", maxSplits: 1)
        return words.count == 1 || groups.contains(String(words[0])) ? "" : words[0].withUnderscores
    }

    private static func decidesRows(_ entry: Entry) -> Bool {
        let words = entry.key.split(separator: ".", maxSplits: 2)
        guard words.count > 1, !groups.contains(String(words[0])) else {
            return !notOfRows.contains(words[0])
        }
        // States the default.
        if words[1] == "next", entry.value == "link" { return false }
        return !shownOnly.contains(words[1])
    }
}
