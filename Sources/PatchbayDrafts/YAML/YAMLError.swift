/// Why a text could not be read as YAML.
package struct YAMLError: Error, Equatable {
    /// The line, from 1.
    package let line: Int
    /// What is wrong in that line, as the end of a sentence.
    package let problem: String
}

extension YAMLError: CustomStringConvertible {
    package var description: String { "line \(line): \(problem)" }
}
