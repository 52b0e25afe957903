import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// One line that somebody types.
extension Browser {
    /// What a line may hold: as much as an edit.
    static let inputBytesMax = EditedText.bytesMax

    mutating func open(_ prompt: Prompt, with text: String = "") {
        self.prompt = prompt
        input = text
    }

    mutating func type(_ key: BrowserKey) -> [BrowserEffect] {
        switch key {
        case .text(let text):
            if input.utf8.count + text.utf8.count <= Self.inputBytesMax {
                input += text
            } else {
                note = Note(text: "a line has at most \(Self.inputBytesMax) bytes", isError: true)
            }
        case .backspace: if !input.isEmpty { input.removeLast() }
        case .control("U"): input = ""
        case .escape: prompt = nil
        case .enter: return submit()
        default: break
        }
        return []
    }

    private mutating func submit() -> [BrowserEffect] {
        let prompt = prompt
        self.prompt = nil
        switch prompt {
        case .goTo:
            guard let number = Int64(input), number > 0 else {
                note = Note(
                    text: "\"\(input)\" is no \(orderWord); \(orderWord)s are whole numbers from 1",
                    isError: !input.isEmpty)
                return []
            }
            found = nil
            (wish, isMoving, isGoingDown, pending) = (.at(ListPosition(number)), true, true, 0)
            return [.jump(ListPosition(number))]
        case .search: return input.isEmpty ? [] : [.search(input)]
        case .field:
            choose(input)
            return []
        case .text(let handle, let field):
            return [input.isEmpty ? .revert(handle, field: field) : .edit(handle, field: field, text: input)]
        case nil: return []
        }
    }

    /// Edits the field that a word names.
    private mutating func choose(_ word: String) {
        guard let item = current, !word.isEmpty else { return }
        let field = editable.first { $0.name == word } ?? resource.field(spelled: word)
        guard let field, editable.contains(field) else {
            note = Note(text: "\"\(word)\" cannot be edited; take one of \(editableWords)", isError: true)
            return
        }
        edit(item, field)
    }

    private var editableWords: String { editable.map(\.name).joined(separator: ", ") }

    /// The field that the list is in the order of.
    var orderWord: String { resource.order?.name.replacing("_", with: " ") ?? "place" }

    /// What stands before the text that is typed.
    var promptLabel: String {
        switch prompt {
        case .goTo: "go to \(orderWord): "
        case .search: "\(SearchWords(resource.declaration).beginnings) begins with: "
        case .field(let handle): "which field of \(handle) (\(editableWords)): "
        case .text(let handle, let field):
            "\(field.replacing("_", with: " ")) of \(handle) (empty reverts): "
        case nil: ""
        }
    }
}
