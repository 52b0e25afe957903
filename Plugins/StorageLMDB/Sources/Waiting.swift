import PatchbaySystem

/// Tries to take another process's lock in pauses that grow from 0.1 to 5 ms. Returns false when the limit is reached.
func waiting(upTo milliseconds: Int, _ isTaken: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    var microseconds: UInt32 = 100
    while try !isTaken() {
        guard ContinuousClock.now < end else { return false }
        SystemClock.sleep(microseconds: microseconds)
        microseconds = min(microseconds * 2, 5_000)
    }
    return true
}
