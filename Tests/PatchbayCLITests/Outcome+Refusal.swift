import TestSupport
import Testing

extension Command.Outcome {
    /// Expects a refusal as the command promises it: a documented status, nothing on standard output, and a message
    /// with the given number of lines that contains some words.
    func expectRefusal(
        _ status: Int32, _ words: String, lines: Int = 1, at place: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(errors)", sourceLocation: place)
        #expect(errors.contains(words), "\(errors)", sourceLocation: place)
        #expect(output.isEmpty, sourceLocation: place)
        #expect(errors.split(separator: "\n").count == lines, "\(errors)", sourceLocation: place)
    }
}
