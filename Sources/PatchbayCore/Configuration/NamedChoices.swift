/// A kind whose value is a list of words, applied to the layers of a configuration.
///
///     source = github work            # the effective names, in order
///     source.work = github            # the plugin of a custom name
///     source.work.token = env:TOKEN   # an option of one of them
///
/// A single plugin whose keys name no source is read as if the kind took one: its keys are `source.token`. Otherwise
/// each name becomes a separate kind (``kinds``), and the layers' keys are rewritten for these. When there is one
/// effective name, a key without a name belongs to it.
struct NamedChoices {
    let kind: ConfigurationKind
    /// The effective names.
    let names: [String]
    /// The list from which a stronger layer chose ``names``; the same as ``names`` when none did.
    let listed: [String]
    /// Whether the keys are those of a kind that takes one plugin.
    let isPlain: Bool
    /// The strongest layer's list.
    let choice: ConfigurationValue
    private let layers: [ConfigurationLayer]
    /// The words of each layer's list; nil for a layer without one.
    private let lists: [[String]?]
    /// The position of the layer with ``choice``; -1 when no layer has one.
    private let choosing: Int

    init(_ kind: ConfigurationKind, _ layers: [ConfigurationLayer]) {
        let lists = layers.map { layer in layer.value(of: kind.name).map { Self.words($0.text) } }
        let choosing = lists.lastIndex { $0 != nil } ?? -1
        let choice =
            choosing < 0 ? nil : layers[choosing].value(of: kind.name)
        var names = choosing < 0 ? [kind.defaultPlugin] : lists[choosing] ?? []
        // Even an empty list has a plugin, whose name is a fault.
        if names.isEmpty { names = [choice?.text ?? ""] }
        let chosenFrom = lists.prefix(max(choosing, 0)).reversed().lazy.compactMap(\.self).first {
            [names] in
            $0.count > 1 && Set($0).isSuperset(of: names)
        }
        self.kind = kind
        self.layers = layers
        self.lists = lists
        self.choosing = choosing
        self.names = names
        listed = chosenFrom ?? names
        self.choice = choice ?? ConfigurationValue(kind.defaultPlugin, .defaultValue)
        let isNamed = layers.lazy.flatMap(\.values).contains { key, _ in
            switch Place(key, kind) {
            case .plugin(let name), .option(let name, _): name == names[0]
            case .list, .bare, nil: false
            }
        }
        isPlain = listed.count == 1 && !isNamed && names[0] == self.choice.text
    }

    static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// All names that any layer lists.
    static func listed(_ kind: ConfigurationKind, in layers: [ConfigurationLayer]) -> [String] {
        layers.compactMap { $0.value(of: kind.name) }.flatMap { words($0.text) }
            .filter { isName($0, of: kind) }.distinct
    }

    /// Whether a word can be a name. Names are parts of keys, so they must not look like options.
    static func isName(_ word: String, of kind: ConfigurationKind) -> Bool {
        OptionType.word.fault(in: word.withUnderscores) == nil && !word.contains("_")
            && !kind.hasOption(word)
    }

    /// The part of the kind that a key sets.
    private enum Place {
        case list
        case plugin(of: String)
        case option(of: String, String)
        /// An option without a source's name.
        case bare(String)

        init?(_ key: String, _ kind: ConfigurationKind) {
            if key == kind.name {
                self = .list
                return
            }
            guard key.hasPrefix(kind.name + ".") else { return nil }
            let rest = key.dropFirst(kind.name.utf8.count + 1)
            guard let dot = rest.firstIndex(of: ".") else {
                self = kind.hasOption(String(rest)) ? .bare(String(rest)) : .plugin(of: String(rest))
                return
            }
            self = .option(of: String(rest[..<dot]), String(rest[rest.index(after: dot)...]))
        }
    }

    /// How a layer's value is read.
    enum Reading {
        /// It is the value of this key.
        case used(String)
        /// It was written for a choice that is not effective.
        case setAside
        case fault(String)
    }
}

// MARK: - Reading

extension NamedChoices {
    /// The kinds that replace this one.
    var kinds: [ConfigurationKind] { isPlain ? [kind] : names.map(kind.named) }

    func plugin(of name: String) -> String {
        layers.reversed().lazy.compactMap { $0.value(of: "\(kind.name).\(name)") }.first?.text ?? name
    }

    /// How the value of the layer at a position is read; nil for a key of another kind.
    func reading(_ key: String, _ value: ConfigurationValue, at position: Int) -> Reading? {
        switch Place(key, kind) {
        case nil: nil
        case .list: listFault(value, lists[position] ?? []).map(Reading.fault) ?? .used(key)
        case .bare(let option): isPlain ? .used(key) : bare(option, key, at: position)
        case .plugin(let name): named(name, key, isOption: false)
        case .option(let name, _): named(name, key, isOption: true)
        }
    }

    private func named(_ name: String, _ key: String, isOption: Bool) -> Reading {
        if !isPlain, names.contains(name) { return .used(key) }
        if lists.contains(where: { $0?.contains(name) == true }) { return .setAside }
        // A word after the kind's name may be a mistyped option.
        guard isOption else { return .used(key) }
        let list = "\(kind.name) = \(choice.text)"
        return .fault(
            "\(key) belongs to no listed \(kind.noun); add \"\(name)\" to \"\(list)\", or remove the key"
                + EditDistance.suggestion(for: name, in: listed))
    }

    private func bare(_ option: String, _ key: String, at position: Int) -> Reading {
        let own = lists[position]
        if let own, own.count == 1 {
            return names.contains(own[0]) ? .used("\(kind.name).\(own[0]).\(option)") : .setAside
        }
        if let own, Set(own).isDisjoint(with: names) { return .setAside }
        guard own == nil, names.count == 1 else { return .fault(ambiguity(of: option, key, own ?? names)) }
        // A stronger layer may have chosen another plugin. An option that this plugin lacks was then written for the
        // plugin of this layer, as with kinds that allow only one choice.
        let isForeign = position < choosing && !kind.has(option, plugin(of: names[0]))
        return isForeign ? .setAside : .used("\(kind.name).\(names[0]).\(option)")
    }

    private func ambiguity(of option: String, _ key: String, _ names: [String]) -> String {
        let having = names.filter { kind.has(option, plugin(of: $0)) }
        let keys = (having.isEmpty ? names : having).map { "\(kind.name).\($0).\(option)" }
        return "\(key) belongs to one \(kind.noun), and several are listed; write "
            + keys.joined(separator: " or ")
    }
}

// MARK: - Faults of a list

extension NamedChoices {
    /// Returns the fault of a list, or nil.
    private func listFault(_ value: ConfigurationValue, _ words: [String]) -> String? {
        guard !words.isEmpty else { return unknown(value.text, isAlone: true) }
        for (place, word) in words.enumerated() {
            if words[..<place].contains(word) {
                return "\(kind.name) names \"\(word)\" twice; give one of them another name: "
                    + "\(kind.name) = \(word) other, and \(kind.name).other = \(word)"
            }
            if let fault = fault(of: word, isAlone: words.count == 1) { return fault }
        }
        return nil
    }

    private func fault(of word: String, isAlone: Bool) -> String? {
        // A plugin whose name cannot be part of a key may be used alone.
        let isName = Self.isName(word, of: kind), isKnown = kind.pluginNames.contains(plugin(of: word))
        if isKnown, isName || isAlone { return nil }
        // A fault in the key of its plugin is reported there.
        if isName, plugin(of: word) != word { return nil }
        let isMistyped = EditDistance.nearest(to: word, in: kind.pluginNames) != nil && !isKnown
        return isName || isAlone || isMistyped && !kind.hasOption(word)
            ? unknown(word, isAlone: isAlone) : badName(word)
    }

    private func unknown(_ word: String, isAlone: Bool) -> String {
        // Another layer may list names of its own.
        let others = lists.flatMap { $0 ?? [] }.filter { plugin(of: $0) != $0 }
        return EditDistance.unknown(kind.noun, word, in: (others + kind.pluginNames).distinct)
            + (isAlone ? "" : "; or set \(kind.name).\(word) to one of them")
    }

    private func badName(_ word: String) -> String {
        kind.hasOption(word)
            ? "a \(kind.noun) cannot be called \"\(word)\", which is an option; use another name"
            : "\"\(word)\" is not a name for a \(kind.noun); use 1 to 32 letters a-z, digits and hyphens, "
                + "a letter first"
    }
}

/// Suggests the intended word for a mistyped one.
package enum EditDistance {
    /// The known word nearest to a mistyped one, in any case of letters, if at most a third of it differs.
    package static func nearest(to word: String, in known: [String]) -> String? {
        guard word.utf8.count <= wordBytesMax else { return nil }
        let ranked = known.filter { $0.utf8.count <= wordBytesMax }.map {
            (word: $0, distance: between(word.lowercased(), $0.lowercased()))
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, max(word.utf8.count, best.word.utf8.count) / 3) ? best.word : nil
    }

    /// The question whether the nearest word was meant, to append to a quoted word in a message: ` (did you mean
    /// "x"?)`. Empty when no word is near enough.
    package static func suggestion(for word: String, in known: [String]) -> String {
        nearest(to: word, in: known).map { " (did you mean \"\($0)\"?)" } ?? ""
    }

    /// A message about an unknown name: `there is no storage "x" (did you mean "y"?); known: y, z`.
    package static func unknown(_ noun: String, _ name: String, in known: [String]) -> String {
        "there is no \(noun) \"\(name)\"\(suggestion(for: name, in: known)); known: "
            + known.joined(separator: ", ")
    }

    /// Longer words are unlikely to be mistyped by a letter, and comparing them takes time proportional to the product
    /// of their lengths.
    private static let wordBytesMax = 256

    /// The number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8), right = Array(right.utf8)
        var rows = [Array(0...right.count)]
        for i in 1..<(left.count + 1) {
            var row = [i]
            for j in 1..<(right.count + 1) {
                let isSame = left[i - 1] == right[j - 1]
                var cost = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (isSame ? 0 : 1))
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    cost = min(cost, rows[i - 2][j - 2] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
