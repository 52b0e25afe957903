import PatchbayCore
import PatchbayDomain

/// The words in braces of one address, each of them once and none with another meaning in a definition.
struct DraftArguments {
    private var taken = Set(Template.reservedWords)
    /// The settings of the definition, whose names no argument may have, nor almost have.
    private let settings: Set<String>

    init(settings: [String] = []) { self.settings = Set(settings.map(\.withUnderscores)) }

    /// A free word for an argument: the wanted one, or that with a suffix.
    mutating func take(_ wanted: String, suffix: String) -> String {
        let others = (2...).lazy.map { "argument-\($0)" }
        let word =
            [wanted, wanted + suffix, wanted + suffix + suffix].first(where: isFree)
            ?? others.first(where: isFree) ?? wanted
        taken.insert(word)
        return word
    }

    private func isFree(_ word: String) -> Bool {
        guard !taken.contains(word),
            // A word that a definition does not accept here is not free.
            let read = try? Template(reading: "/{\(word)}", in: .list, settings: settings)
        else { return false }
        return read.parameters == [.argument(word)]
    }
}
