import ArgumentParser

extension Option {
    /// A choice among the cases of a type that the parser does not know. The help tells them, as it does for other
    /// choices, and the completions as well.
    ///
    /// - Parameter standIn: what holds when the option is left out, in a few words; nil when nothing does.
    init<Choice: CaseIterable & RawRepresentable & Sendable>(
        name: NameSpecification = .long, help: ArgumentHelp, choices: Choice.Type,
        default standIn: String? = nil
    ) where Value == Choice?, Choice.RawValue == String {
        let words = choices.allCases.map(\.rawValue)
        var help = help
        help.abstract +=
            " (values: \(words.joined(separator: ", "))\(standIn.map { "; default: \($0)" } ?? ""))"
        self.init(name: name, help: help, completion: .list(words)) { word in
            guard let choice = Choice(rawValue: word) else {
                throw ValidationError("take one of \(words.joined(separator: ", "))")
            }
            return choice
        }
    }
}
