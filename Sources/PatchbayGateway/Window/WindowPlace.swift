/// The place where a walk through a list begins.
public enum WindowPlace<Position: Comparable & Hashable & Sendable>: Hashable, Sendable {
    /// Before the first item.
    case start
    /// At this position or, if it is not taken, at the next one.
    case at(Position)
    /// After this position, whether or not an item has it.
    case after(Position)
}

extension WindowPlace {
    var position: Position? {
        switch self {
        case .start: nil
        case .at(let position), .after(let position): position
        }
    }
}
