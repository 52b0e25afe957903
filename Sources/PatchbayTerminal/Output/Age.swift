import PatchbayCore

/// Formats ages for people.
package enum Age {
    /// Returns one number and its unit, rounded down: `just now`, `3 s`, `5 min`, `2 h`, `4 days`, `13 years`.
    ///
    /// An age below a second, or a negative one because clocks differ, is `just now`. A year has 365 days.
    package static func text(_ age: Duration) -> String {
        let seconds = age.components.seconds
        switch seconds {
        case ..<1: return "just now"
        case ..<minute: return "\(seconds) s"
        case ..<hour: return "\(seconds / minute) min"
        case ..<day: return "\(seconds / hour) h"
        case ..<year: return Count.words(seconds / day, "day")
        default: return Count.words(seconds / year, "year")
        }
    }

    /// Returns the time of something with this age: `just now`, `3 s ago`.
    package static func ago(_ age: Duration) -> String { age < .seconds(1) ? text(age) : text(age) + " ago" }

    private static let minute: Int64 = 60
    private static let hour: Int64 = 3_600
    private static let day: Int64 = 86_400
    private static let year: Int64 = 31_536_000
}
