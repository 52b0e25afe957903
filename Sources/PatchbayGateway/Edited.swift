/// The result of a local change.
public struct Edited<Value: Sendable>: Sendable {
    public let value: Value
    /// False when the value was the same already, so that nothing was written and no observer was notified.
    public let hasChanged: Bool
}
