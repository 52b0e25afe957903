import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// One line that somebody types.
extension Browser {
    /// What a line may hold: as much as a name.
    static let inputBytesMax = EditedName.bytesMax

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
        defer { prompt = nil }
        switch prompt {
        case .goTo:
            guard let id = Int64(input), id > 0 else {
                note = Note(
                    text: "\"\(input)\" is no id; ids are whole numbers from 1", isError: !input.isEmpty)
                return []
            }
            found = nil
            (wish, isMoving, isGoingDown, pending) = (.at(id), true, true, 0)
            return [.jump(id)]
        case .search: return input.isEmpty ? [] : [.search(input)]
        case .name(let login): return [input.isEmpty ? .revert(login) : .edit(login, name: input)]
        case nil: return []
        }
    }

    /// What stands before the text that is typed.
    var promptLabel: String {
        switch prompt {
        case .goTo: "go to id: "
        case .search: "login or name begins with: "
        case .name(let login): "name of \(login) (empty reverts): "
        case nil: ""
        }
    }
}
