#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The words of the system for its error numbers.
enum SystemMessage {
    static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)).lowercased() }
}
