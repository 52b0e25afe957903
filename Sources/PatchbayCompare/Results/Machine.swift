/// The machine that was measured on.
public struct Machine: Sendable, Hashable {
    /// As the system names it: `Intel(R) Xeon(R) Processor @ 2.60GHz`.
    public var processor: String
    /// How many the process may use.
    public var cores: Int
    public var memoryBytes: Int
    /// Name and release: `Linux 6.1.0`.
    public var kernel: String
    /// `Debian GNU/Linux 12 (bookworm)`.
    public var distribution: String
    /// What the data folder lies on: `ext4`.
    public var fileSystem: String

    public init(
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
