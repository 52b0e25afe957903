/// What somebody edited here, as it is now.
public struct Edited<Value: Sendable>: Sendable {
    public let value: Value
    /// False when it was so already: then nothing was written and no observer is told.
    public let hasChanged: Bool
}
