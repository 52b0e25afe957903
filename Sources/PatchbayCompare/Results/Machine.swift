/// The machine that was measured on.
package struct Machine: Sendable, Hashable {
    /// As the system names it: `Intel(R) Xeon(R) Processor @ 2.60GHz`.
    package var processor: String
    /// How many the process may use.
    package var cores: Int
    package var memoryBytes: Int
    /// Name and release: `Linux 6.1.0`.
    package var kernel: String
    /// `Debian GNU/Linux 12 (bookworm)`.
    package var distribution: String
    /// What the data folder lies on: `ext4`.
    package var fileSystem: String

    package init(
        processor: String, cores: Int, memoryBytes: Int, kernel: String, distribution: String,
        fileSystem: String
    ) {
        self.processor = processor
        self.cores = cores
        self.memoryBytes = memoryBytes
        self.kernel = kernel
        self.distribution = distribution
        self.fileSystem = fileSystem
    }
}
