import ArgumentParser

extension Option {
    /// Creates an option whose values are the cases of a type that the parser does not know. Help and completions list
    /// them as for other choices.
    ///
    /// - Parameter standIn: the default in words; nil if there is none.
    init<Choice: CaseIterable & RawRepresentable & Sendable>(
        name: NameSpecification = .long, help: ArgumentHelp, choices: Choice.Type,
        default placeholder: String? = nil
    ) where Value == Choice?, Choice.RawValue == String {
        let words = choices.allCases.map(\.rawValue)
        var help = help
        help.abstract +=
            " (values: \(words.joined(separator: ", "))\(placeholder.map { "; default: \($0)" } ?? ""))"
        self.init(name: name, help: help, completion: .list(words)) { word in
            guard let choice = Choice(rawValue: word) else {
                throw ValidationError("choose one of \(words.joined(separator: ", "))")
            }
            return choice
        }
    }
}
