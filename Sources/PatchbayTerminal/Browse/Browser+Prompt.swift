import Patchbay

/// The input line.
extension Browser {
    /// The maximum size of the input: that of an edit.
    static let inputBytesMax = EditedText.bytesMax

    mutating func open(_ prompt: Prompt, with text: String = "") {
        self.prompt = prompt
        input = text
    }

    mutating func type(_ key: BrowserKey) -> [BrowserEffect] {
        let old = input
        switch key {
        case .escape:
            if prompt == .filter { back() }
            prompt = nil
        case .enter: return submit()
        case .down, .up, .pageDown, .pageUp: return prompt == .filter ? handleInList(key) : []
        default:
            if input.edit(key, bytesMax: Self.inputBytesMax) == .tooLong {
                note = Note(text: "a line has at most \(Self.inputBytesMax) bytes", isError: true)
            }
        }
        return prompt == .filter && input != old ? filter() : []
    }

    private mutating func submit() -> [BrowserEffect] {
        let prompt = prompt
        self.prompt = nil
        switch prompt {
        case .goTo:
            guard let number = Int64(input), number > 0 else {
                note = Note(
                    text:
                        "\"\(input)\" is not \(orderWord.withArticle); \(orderWord)s are whole numbers from 1",
                    isError: !input.isEmpty)
                return []
            }
            backToSource()
            (wish, isGoingDown, pending) = (.at(ListPosition(number)), true, 0)
            return moveWindow(by: .jump(ListPosition(number)))
        case .filter:
            if input.isEmpty { back() }
            return input.isEmpty || found?.subject == subject ? [] : [.search(input)]
        case .field:
            choose(input)
            return []
        case .text(let handle, let field):
            return [input.isEmpty ? .revert(handle, field: field) : .edit(handle, field: field, text: input)]
        case nil: return []
        }
    }

    /// Starts editing the field that the word names.
    private mutating func choose(_ word: String) {
        guard let item = current, !word.isEmpty else { return }
        let field = editable.first { $0.name == word } ?? resource.field(spelled: word)
        guard let field, editable.contains(field) else {
            note = Note(text: "\"\(word)\" cannot be edited; choose one of \(editableWords)", isError: true)
            return
        }
        edit(item, field)
    }

    private var editableWords: String { editable.map(\.name).joined(separator: ", ") }

    /// The name of the field that orders the list.
    var orderWord: String { resource.order?.name.withSpaces ?? "place" }

    /// The label before the input.
    var promptLabel: String {
        switch prompt {
        case .goTo: "go to \(orderWord): "
        case .filter: "\(SearchWords(resource.declaration).beginnings) begins with: "
        case .field(let handle): "which field of \(handle) (\(editableWords)): "
        case .text(let handle, let field):
            "\(field.withSpaces) of \(handle) (empty reverts): "
        case nil: ""
        }
    }
}
