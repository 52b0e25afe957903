import PatchbaySystem

/// The variables of this process.
public enum ProcessEnvironment {
    /// The variables by name, read again at each call.
    public static var variables: [String: String] { CurrentProcess.variables }
}
