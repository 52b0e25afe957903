/// The machine on which a comparison ran.
package struct Machine: Sendable, Hashable {
    /// The name that the system reports: `Intel(R) Xeon(R) Processor @ 2.60GHz`.
    package var processor = ""
    /// The number of processors that the process may use.
    package var cores: Int = 0
    package var memoryBytes: Int = 0
    /// Name and release: `Linux 6.1.0`.
    package var kernel = ""
    /// `Debian GNU/Linux 12 (bookworm)`.
    package var distribution = ""
    /// The file system of the data folder: `ext4`.
    package var fileSystem = ""
}
