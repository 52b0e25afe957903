import PatchbayCore
import Synchronization

/// The open store, if any.
final class StoreSlot: Sendable {
    private let slot = Mutex<Store?>(nil)

    var value: Store? {
        get { slot.withLock { $0 } }
        set { slot.withLock { $0 = newValue } }
    }
}
