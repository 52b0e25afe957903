/// A mistake on the command line, or a store that does not answer as it must.
struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
