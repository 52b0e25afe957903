import CPlatform

/// The variables of this process.
public enum ProcessEnvironment {
    /// The variables by name, read again at each call.
    public static var variables: [String: String] {
        var variables: [String: String] = [:]
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe next = next.advanced(by: 1)
        }
        return variables
    }
}
