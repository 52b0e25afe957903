/// The result of a local change.
public struct Edited<Value: Sendable>: Sendable {
    /// The value as it is stored after the change.
    public let value: Value
    /// False when the value was the same already, so that nothing was written and no observer was notified.
    public let hasChanged: Bool
}
