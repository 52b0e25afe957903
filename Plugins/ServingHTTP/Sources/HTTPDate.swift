#if Live
import PatchbayCore
import PatchbaySystem
import Synchronization

/// The current time in HTTP's format, computed once per second.
enum HTTPDate {
    private static let latest = Mutex<(second: Int, text: String)>((0, ""))

    static func now() -> String {
        let second = Int(SystemClock.milliseconds / 1_000)
        return latest.withLock { latest in
            if latest.second != second {
                latest = (second, Timestamp(milliseconds: Int64(second) * 1_000).httpDate)
            }
            return latest.text
        }
    }
}
#endif
